/*
 * presets — what `bench` measures when the user leaves axes open: enough for the question, in the
 * time that the preset names, on the device at hand. share/presets/presets.txt has them all, and
 * says how they are written.
 */
#ifndef PAIRMARK_CAMPAIGN_PRESETS_H
#define PAIRMARK_CAMPAIGN_PRESETS_H

#include "campaign/plan/plan.h"
#include "core/strings.h"
#include "devices/device.h"

struct preset_part; /* a paragraph of its text */

struct preset {
    struct preset_part *parts;
    size_t part_count;
    size_t span_count;  /* at least 1: spans of axes, whose cases are joined (plan_join) */
    double time_cap_s;  /* of sampling one case */
    bool every_tuning;  /* all values of tunables */
    bool has_questions; /* that the summary is to answer */
};

/* STATUS_BAD_INPUT for a name that is none, with the nearest. To be freed. */
struct preset *preset_find(const char *name, struct error *error);
void preset_free(struct preset *preset); /* also NULL */

/* The names, and a line of help each. */
void preset_describe(struct strbuf *text);
/* The names alone, separated by blanks. */
void preset_append_names(struct strbuf *text);

/* False for a span of boxes of its own where the user chose any, or what acts in them. */
bool preset_span_serves(const struct preset *preset, size_t span, const struct axes *axes);

/* Fills in the axes that are open, as the given span of the preset has them for this device: with
 * words of the preset's and of the program's, which are not to be freed. */
bool preset_fill(const struct preset *preset, size_t span, const struct device_info *device,
                 struct axes *axes, struct error *error);

/* What preset_shape() took out of a plan. */
struct preset_dropped {
    size_t too_long;      /* cases without a structure whose N^2 distances would take too long */
    size_t need_cuda;     /* cases of kernels in CUDA C++, on another device */
    const char *one_name; /* the first variant of them */
};

/* Once the axes are spanned: measures every value of the tunables where the preset says so and the
 * user had not (`axes` as the user gave them), and takes out cases that would take too long, if the
 * user named no N, and those that the device cannot run, if the user named no variant. Adds to
 * plan->left_out. */
bool preset_shape(const struct preset *preset, const struct device_info *device,
                  const struct axes *given, struct plan *plan, struct preset_dropped *dropped,
                  struct error *error);

#endif
