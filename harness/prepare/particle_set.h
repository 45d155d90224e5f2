/*
 * particle_set — particles as kernels see them. A case of one group has one set; two groups and
 * lists of pairs have two, A and B, each with its own positions and results.
 */
#ifndef PAIRMARK_PREPARE_PARTICLE_SET_H
#define PAIRMARK_PREPARE_PARTICLE_SET_H

#include "boxes/box.h"
#include "devices/device.h"
#include "structures/chain.h"
#include "structures/lists/skin.h"
#include "workloads/workload_buffers.h"

struct particle_set {
    const int32_t *index; /* the input index of each member; NULL: all of the box, in its order */
    size_t n;             /* members */
    struct box members;   /* a box of the members alone, for a structure; zeroed where not needed */
    struct buffer *position;        /* n real4 */
    struct buffer *index_on_device; /* n int, of two groups; else NULL */
    struct buffer *result;          /* n accum4: what kernels write, see kernel_plan_sign() */
    struct buffer *fixed_force; /* in its place in fixed point: four planes of long64; else NULL */
    struct structure_chain *structure; /* what is walked, over the members */
    struct moved_test *moved;          /* of passes that run when moved; else NULL */
    struct member_order order;         /* in which the three above are on the device */
    struct buffer *kept_position,
        *kept_index; /* by member; NULL until another order is asked for */
};

/* The member at a place of the arrays that kernels see. */
static inline size_t set_member(const struct particle_set *set, size_t place) {
    return member_at(&set->order, set->n, place);
}

#endif
