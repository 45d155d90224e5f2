/*
 * type_table_place — the tunable of cases whose interaction has types.
 */
#ifndef PAIRMARK_KERNELS_TYPE_TABLE_PLACE_H
#define PAIRMARK_KERNELS_TYPE_TABLE_PLACE_H

#include "kernels/variant.h"

/* Where kernels read the parameters of the types: a choice that every variant of a case with types
 * has besides its own tunables. */
#define TYPE_TABLE_TUNABLE "TYPE_TABLE"
enum type_table_place {
    TYPE_TABLE_GLOBAL,   /* an array that is only read */
    TYPE_TABLE_CONSTANT, /* constant memory */
    TYPE_TABLE_LOCAL     /* copied to local memory by each group */
};
extern const struct tunable type_table_tunable;

#endif
