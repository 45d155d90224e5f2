/*
 * member_order — the order in which kernels find particles. A place is where a kernel finds a
 * particle; a member is the particle, by its number before. The member at a place is stride * place
 * + shift, in a circle: shifted alone or turned round as well, so that neighbours in memory stay
 * neighbours, or scattered, so that they do not.
 *
 * In a batch of boxes the boxes are in such a circle, and the particles of a box in another, the
 * same for all: a box stays whole, and all of it stands where another box stood. Shift, stride and
 * back are then those of the boxes times `share`, plus those within a box.
 */
#ifndef PAIRMARK_WORKLOADS_MEMBER_ORDER_H
#define PAIRMARK_WORKLOADS_MEMBER_ORDER_H

#include "boxes/box.h"
#include "devices/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct member_order { /* zeroed: as they are */
    size_t shift;     /* below n */
    size_t stride;    /* below n, without a factor in common with it; 0 stands for 1 */
    size_t back;      /* stride * back is 1, in the circle; 0 stands for 1 */
    size_t share;     /* particles of a box of a batch; 0: there is none */
};

/* The step from the member at a place to that at the next. */
static inline size_t order_stride(const struct member_order *order) {
    return order->stride > 0 ? order->stride : 1;
}

/* The step from the place of a member to that of the next. */
static inline size_t order_back(const struct member_order *order) {
    return order->back > 0 ? order->back : 1;
}

/* How many of n members are in a circle together. */
static inline size_t order_share(const struct member_order *order, size_t n) {
    return order->share > 0 ? order->share : n;
}

/* Which of n members is at a place; n below 2^32. member_order.cl has the same. */
size_t member_at(const struct member_order *order, size_t n, size_t place);

/* At which place a member is. */
size_t place_of_member(const struct member_order *order, size_t n, size_t member);

/* An order of n members, 1 or more, in `boxes` boxes of as many each, drawn by the bits:
 * `scattered`, or one of those that keep neighbours. */
struct member_order member_order_draw(size_t n, size_t boxes, uint64_t bits, bool scattered);

/* ---- the types of particles on the device, by the places where kernels find them ---- */

struct placed_types {
    const struct box *box; /* NULL: all are of one type, 0 */
    struct buffer *buffer; /* n int; whoever asked for them frees it */
};

/* Of the box, which outlives them, or (`alike`) zeros. */
bool placed_types_create(struct device *device, const struct box *box, bool alike,
                         struct placed_types *types, struct error *error);
/* Writes them for particles in another order, and waits. */
bool placed_types_reorder(const struct placed_types *types, const struct member_order *order,
                          struct error *error);

#endif
