/*
 * pair_buffers — what PAIR_PARAMETERS stands for on the device: the types and their parameters, and
 * the pairs that are left out.
 */
#ifndef PAIRMARK_MEASURE_PAIR_BUFFERS_H
#define PAIRMARK_MEASURE_PAIR_BUFFERS_H

#include "box/box.h"
#include "device/device.h"
#include "variant/interaction.h"

/* Each is NULL where the interaction has no use for it. */
struct pair_buffers {
    int types;
    struct buffer *type;           /* n int */
    struct buffer *table;          /* types x types entries of reals, cutoffs squared */
    struct buffer *molecule;       /* n int */
    struct buffer *excluded_start; /* n + 1 int */
    struct buffer *excluded;       /* int: partners in ascending order */
};

/* Whether kernels need them at all. */
bool pair_buffers_needed(const struct interaction *interaction);

/* Makes and fills them, of the device's own reals. Frees what it made when it fails. */
bool pair_buffers_create(struct device *device, const struct interaction *interaction,
                         const struct box *box, bool real_is_double, struct pair_buffers *buffers,
                         struct error *error);
void pair_buffers_free(struct pair_buffers *buffers);

/* Writes the arguments in the order of PAIR_PARAMETERS, at most 6; returns how many. */
size_t pair_buffers_arguments(const struct pair_buffers *buffers, struct argument *arguments);

#endif
