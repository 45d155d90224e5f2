/*
 * exclusions — what builders of lists know of pairs that do not interact
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_EXCLUSIONS_H
#define PAIRMARK_STRUCTURES_LISTS_EXCLUSIONS_H

#include "kernels/structure.h"

/* How they are known, as the kernels of lists count. */
enum exclusion_kind { BY_NOTHING, BY_LISTS, BY_MOLECULE };

static inline enum exclusion_kind exclusions_kind(const struct structure_input *input) {
    return input->molecule ? BY_MOLECULE : input->excluded_start ? BY_LISTS : BY_NOTHING;
}

/* A buffer, or another that the kernel does not look at where there is none. */
static inline struct argument buffer_or(struct buffer *buffer, struct buffer *other) {
    return argument_buffer(buffer ? buffer : other);
}

#endif
