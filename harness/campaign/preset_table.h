/*
 * preset_table — the presets of `bench`: data alone; campaign_preset.c fills axes from them.
 */
#ifndef PAIRMARK_CAMPAIGN_PRESET_TABLE_H
#define PAIRMARK_CAMPAIGN_PRESET_TABLE_H

#include "campaign/campaign_preset.h"

#include <stdbool.h>
#include <stddef.h>

/* The sizes that a class of device does in a preset's time. */
struct preset_sizes {
    const char *n;         /* NULL: as many as the groups have */
    size_t most_all_pairs; /* the largest N at which all N^2 distances are computed */
    const char *ratio;     /* NULL: no groups */
    const char *precision; /* NULL: the preset's */
};

/* One span of axes of a preset that has several; where NULL, the preset's or none. Variants and
 * tunables are those of the user where the command line names any. */
struct preset_span {
    const char *variant, *tunes;         /* tunes are separated by spaces */
    const char *n, *gpu_n, *outputs;     /* gpu_n: of devices that are no processors; NULL: as n */
    const char *kind, *cutoff, *exclude; /* with a kind of its own, a span is left out where the
                                            command line says anything of boxes, of what acts in
                                            them or how far: it may not fit */
    const char *steps, *dt;              /* time steps, where the workload has any */
    const char *interaction, *table; /* what a table file would say. Those of a span with a table
                                        count, tunes of TYPE_TABLE too, unless the command line
                                        names an interaction or a table */
    const char *interaction_file; /* a built-in one. A span of one, or of an interaction without a
                                     table, is left out where the command line says what acts */
};

struct preset {
    const char *name, *help;
    const char *kind, *precision, *outputs;
    const char *workload, *distribution;        /* NULL: as the variants say; the usual */
    const char *density, *cutoff, *interaction; /* NULL: the usual */
    const struct preset_span *spans;            /* ends with one that is empty; NULL: one, of all */
    bool all_tunables;
    bool has_questions;           /* that the summary is to answer */
    double time_cap_s;            /* of sampling one case */
    struct preset_sizes cpu, gpu; /* PoCL on a few cores does about 1e9 distances/s, a GPU 1e12 */
};

enum { MAX_PRESETS = 31 };
extern const struct preset preset_table[MAX_PRESETS + 1]; /* ends with one without a name */

/* The article's interaction in its three forms, and the table of the two that have one. */
extern const char *const preset_article_forms[];
extern const char preset_article_table[];

#endif
