/*
 * campaign_preset — what `bench` measures when the user leaves axes open: enough for the question,
 * in the time that the preset names, on the device at hand.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_PRESET_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_PRESET_H

#include "campaign/plan/plan.h"
#include "core/strings.h"
#include "kernels/results.h"

struct preset; /* lives as long as the program */

/* STATUS_BAD_INPUT for a name that is none, with the nearest. */
const struct preset *preset_find(const char *name, struct error *error);

/* The names, and a line of help each. */
void preset_describe(struct strbuf *text);
/* The names alone, separated by blanks. */
void preset_append_names(struct strbuf *text);

/* A preset is a list of spans of axes, whose cases are joined (plan_join): one for most. */
size_t preset_span_count(const struct preset *preset);

/* False for a span of boxes of its own where the user chose any, or what acts in them. */
bool preset_span_serves(const struct preset *preset, size_t span, const struct axes *axes);

/* Fills in the axes that are open, as the given span of the preset has them for this device.
 * preset_release frees what it put into a copy of `given`, also where it failed. */
bool preset_fill(const struct preset *preset, size_t span, const struct device_info *device,
                 struct axes *axes, struct error *error);
void preset_release(const struct axes *given, struct axes *filled);

/* Whether the summary is to answer the questions of the article. */
bool preset_has_questions(const struct preset *preset);

/* The article's interaction, in three forms that give the same forces. */
enum article_form {
    ARTICLE_COMPILED_IN, /* lj and ewald-real, constants compiled in */
    ARTICLE_BY_TABLE,    /* lj's parameters from a table of types, the same for every pair */
    ARTICLE_BY_BRANCH    /* that table; buckingham and born-mayer-huggins are there, for no pair */
};
/* As the rows of the preset spell it (interaction_describe). */
bool article_interaction(enum article_form form, struct strbuf *words, struct error *error);

/* The sampling that the preset is planned with. */
void preset_sampling(const struct preset *preset, struct sampling *sampling);

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
