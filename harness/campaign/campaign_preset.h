/*
 * campaign_preset — what `bench` measures when the user leaves axes open: enough for the question,
 * in the time that the preset names, on the device at hand.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_PRESET_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_PRESET_H

#include "campaign/plan.h"
#include "measure/measure.h"

struct preset; /* lives as long as the program */

/* STATUS_BAD_INPUT for a name that is none, with the nearest. */
const struct preset *preset_find(const char *name, struct error *error);

/* The names, and a line of help each. */
void preset_describe(struct text *text);

/* Fills in the axes that are open, for this device, and the sampling that the preset is planned
 * with. */
bool preset_fill(const struct preset *preset, const struct device_info *device, struct axes *axes,
                 struct error *error);
void preset_sampling(const struct preset *preset, struct sampling *sampling);

/* Once the axes are spanned: measures every value of the tunables where the preset says so and the
 * user had not (`axes` as the user gave them), and takes out cases of variants without a structure
 * whose N^2 distances would take too long, if the user named no N. Adds to plan->left_out;
 * *too_long says how many cases were too long. */
bool preset_shape(const struct preset *preset, const struct device_info *device,
                  const struct axes *given, struct plan *plan, size_t *too_long,
                  struct error *error);

#endif
