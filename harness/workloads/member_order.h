/*
 * member_order — the order in which kernels find particles. A place is where a kernel finds a
 * particle; a member is the particle, by its number before. The member at a place is stride * place
 * + shift, in a circle: shifted alone or turned round as well, so that neighbours in memory stay
 * neighbours, or scattered, so that they do not.
 */
#ifndef PAIRMARK_WORKLOADS_MEMBER_ORDER_H
#define PAIRMARK_WORKLOADS_MEMBER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct member_order { /* zeroed: as they are */
    size_t shift;     /* below n */
    size_t stride;    /* below n, without a factor in common with it; 0 stands for 1 */
    size_t back;      /* stride * back is 1, in the circle; 0 stands for 1 */
};

/* The step from the member at a place to that at the next. */
static inline size_t order_stride(const struct member_order *order) {
    return order->stride > 0 ? order->stride : 1;
}

/* The step from the place of a member to that of the next. */
static inline size_t order_back(const struct member_order *order) {
    return order->back > 0 ? order->back : 1;
}

/* Which of n members is at a place; n below 2^32. member_order.cl has the same. */
static inline size_t member_at(const struct member_order *order, size_t n, size_t place) {
    return (size_t)(((uint64_t)place * order_stride(order) + order->shift) % n);
}

/* At which place a member is. */
static inline size_t place_of_member(const struct member_order *order, size_t n, size_t member) {
    const size_t from = member >= order->shift ? member - order->shift : member + n - order->shift;
    return (size_t)((uint64_t)from * order_back(order) % n);
}

/* An order of n members, 1 or more, drawn by the bits: `scattered`, or one of those that keep
 * neighbours. */
struct member_order member_order_draw(size_t n, uint64_t bits, bool scattered);

#endif
