/*
 * tunable — a macro of kernel text that is one of a few whole numbers, as a header declares it:
 * "@tunable NAME v v* v". Variants have some (kernels/variant.h), and interactions do.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_TUNABLE_H
#define PAIRMARK_KERNELS_POTENTIALS_TUNABLE_H

#include "core/embedded.h"
#include "core/error.h"

#include <stdbool.h>

enum {
    TUNABLE_NAME_SIZE = 48,
    TUNABLE_MAX_VALUES = 16,
    TUNABLE_LARGEST_VALUE = 1 << 24, /* kernels multiply them as int */
    INTERACTION_MAX_TUNABLES = 4
};

struct tunable {
    char name[TUNABLE_NAME_SIZE];
    int values[TUNABLE_MAX_VALUES]; /* the values its author lists */
    int value_count;
    int preset;            /* the one starred in the header, else the first */
    bool for_the_workload; /* said of it alone, in the place of what is said of all */
};

/* Whether the value is one of those listed. */
bool tunable_has(const struct tunable *tunable, double value);

/* Reads what follows @tunable into a zeroed tunable. STATUS_BAD_INPUT with the line. */
bool tunable_parse(const struct header_reader *reader, const char *rest, struct tunable *tunable,
                   struct error *error);

#endif
