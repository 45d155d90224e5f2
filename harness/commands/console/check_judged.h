/*
 * check_judged — whether the cases that passed had anything to be wrong about, and how long each
 * variant took.
 *
 * A box in which no pair is within the cutoff passes with forces that are all zero. That counts
 * only beside a case of the same variant, interaction and outputs whose box has pairs.
 */
#ifndef PAIRMARK_COMMANDS_CONSOLE_CHECK_JUDGED_H
#define PAIRMARK_COMMANDS_CONSOLE_CHECK_JUDGED_H

#include "core/error.h"
#include "core/strings.h"
#include "measure/measure.h"

#include <stdbool.h>

enum { JUDGED_NAME_SIZE = 256 };

struct judged_group {
    char name[JUDGED_NAME_SIZE]; /* "all_pairs_loop, lj, forces" */
    size_t passed, with_pairs;   /* of the passed, those whose box has pairs within the cutoff */
};

struct judged_variant {
    const struct variant *variant;
    size_t cases;
    double seconds;
};

/* Empty when zeroed. */
struct judged_cases {
    struct judged_group *groups;
    struct judged_variant *variants;
    size_t group_count, variant_count;
};

void judged_free(struct judged_cases *judged);

/* How a case came out, and what it took. STATUS_OUT_OF_MEMORY. */
bool judged_add(struct judged_cases *judged, const struct case_spec *spec,
                const struct verdict *verdict, double seconds, struct error *error);

/* A line per group in which something passed and nothing was judged; returns how many. */
size_t judged_append_empty(const struct judged_cases *judged, struct strbuf *lines);
/* A line per variant, in the order in which they ran: seconds and cases. */
void judged_append_times(const struct judged_cases *judged, struct strbuf *lines);

#endif
