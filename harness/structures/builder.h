/*
 * builder — what the builders of structures share: their kernels compiled and launched over the
 * particles, and arguments made from the host's numbers.
 */
#ifndef PAIRMARK_STRUCTURES_BUILDER_H
#define PAIRMARK_STRUCTURES_BUILDER_H

#include "kernels/structure.h"

enum { BUILD_GROUP_SIZE = 128 };

static inline bool builder_is_double(const struct structure_input *input) {
    return numeric_real_is_double(precision_numeric(input->precision));
}

/* The value of a tunable that the structure's class declares: the case's, else the preset. */
int builder_tunable(const struct structure_input *input, const char *name);

/* The bits that keys below `count` need, from 1 to 31. */
int builder_bits_for(double count);

/* What classes of cells declare of how small these are. */
#define CELLS_PER_CUTOFF_TUNABLE                                                                   \
    { "CELLS_PER_CUTOFF", 1, "cells per cutoff: more are narrower and hug the sphere closer" }

/* Compiles the embedded texts, named by their paths and ended by NULL, one after the other, after
 * definitions of the tunables that the structure's class looks at, and
 * finds the kernels by their names. Messages name the last text. Caller frees *program, which owns
 * the kernels. */
bool builder_compile(const struct structure_input *input, const char *const *texts,
                     const struct named_kernels *kernels, struct program **program,
                     struct error *error);
/* The same for groups of so many work-items. */
bool builder_compile_for(const struct structure_input *input, int group_size,
                         const char *const *texts, const struct named_kernels *kernels,
                         struct program **program, struct error *error);

/* Enqueues a kernel with a work-item a particle. */
bool builder_launch(struct kernel *kernel, size_t n, const struct argument *arguments, size_t count,
                    struct error *error);
/* The same of one that may raise `flag`, an int that is zero before: one of its arguments. */
bool builder_launch_flagged(struct kernel *kernel, size_t n, struct arguments arguments,
                            struct buffer *flag, struct error *error);

/* Every structure of structures.def: structure_NAME. */
#define STRUCTURE(name) extern const struct structure_class structure_##name;
#include "structures/structures.def"
#undef STRUCTURE

#endif
