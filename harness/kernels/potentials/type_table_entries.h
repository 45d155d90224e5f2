/*
 * type_table_entries — what a table of types holds, for those who read it and those who use it.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_TYPE_TABLE_ENTRIES_H
#define PAIRMARK_KERNELS_POTENTIALS_TYPE_TABLE_ENTRIES_H

#include "kernels/potentials/type_table.h"

/* One function's parameters for one pair of types. */
struct table_entry {
    char type[2][SPECIES_SIZE];
    int line;
    int function;
    double cutoff; /* INFINITY: the function's own */
    double value[INTERACTION_MAX_PARAMETERS];
};

struct type_table {
    char *path;
    struct table_entry *entries;
    size_t count, capacity;
    char hash[HASH_TEXT_SIZE];
};

/* Whether both are of the same unordered pair of types. */
bool table_entries_same_pair(const struct table_entry *a, const struct table_entry *b);

/* The first function from *f on that types may have parameters of, and *f its place; NULL: none. */
const struct interaction_function *next_van_der_waals(const struct interaction *interaction,
                                                      int *f);

#endif
