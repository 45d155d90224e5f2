/*
 * pair_buffers — what PAIR_PARAMETERS stands for on the device: the types and their parameters,
 * the pairs that are left out, and what each particle has a value of.
 */
#ifndef PAIRMARK_WORKLOADS_PAIR_BUFFERS_H
#define PAIRMARK_WORKLOADS_PAIR_BUFFERS_H

#include "devices/device.h"
#include "kernels/case.h"
#include "kernels/potentials/type_table.h"
#include "kernels/variant.h"
#include "workloads/member_order.h"

enum { PAIR_BUFFERS_MAX_QUADS = 2, PAIR_BUFFERS_MAX_ARRAYS = 4 };

/* Each is NULL where the interaction has no use for it. */
struct pair_buffers {
    int types;
    int32_t bare_types; /* type_parameters_bare() */
    enum type_table_place place;
    struct buffer *type;           /* n int */
    struct buffer *table;          /* types x types entries of reals, cutoffs squared; NULL in the
                                      program's own constant array */
    size_t local_bytes;            /* of the copy that each group makes of the table; 0: none */
    struct buffer *molecule;       /* n int */
    struct buffer *excluded_start; /* n + 1 int */
    struct buffer *excluded;       /* int: partners in ascending order */
    struct buffer *values[PAIR_BUFFERS_MAX_QUADS];  /* n real4: values of particles, four in each */
    struct buffer *arrays[PAIR_BUFFERS_MAX_ARRAYS]; /* of kernel text: reals */
    bool is_of_text;                                /* then the two below are arguments, too */
    int atoms;
    double cutoff; /* 0 without one */
    bool real_is_double;
};

/* Whether kernels need them at all. */
bool pair_buffers_needed(const struct interaction *interaction);

/* Makes and fills them for the programs of the case (NULL-terminated), of the device's own reals;
 * `cutoff` is resolved, INFINITY where there is none. Frees what it made
 * when it fails. STATUS_UNSUPPORTED where the table is larger than the memory that TYPE_TABLE asks
 * for.
 */
bool pair_buffers_create(struct device *device, struct program *const *programs,
                         const struct case_spec *spec, const struct box *box, double cutoff,
                         struct pair_buffers *buffers, struct error *error);
void pair_buffers_free(struct pair_buffers *buffers);

/* Writes the lists of excluded partners anew for particles in another order, and waits. */
bool pair_buffers_reorder(struct pair_buffers *buffers, const struct exclusions *exclusions,
                          size_t n, const struct member_order *order, struct error *error);

enum { PAIR_BUFFERS_MAX_ARGUMENTS = 6 + PAIR_BUFFERS_MAX_QUADS + PAIR_BUFFERS_MAX_ARRAYS + 2 };
/* Writes the arguments in the order of PAIR_PARAMETERS; returns how many. */
size_t pair_buffers_arguments(const struct pair_buffers *buffers, struct argument *arguments);

#endif
