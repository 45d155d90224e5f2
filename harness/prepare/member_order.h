/*
 * member_order — the order in which kernels find particles: shifted in a circle and perhaps turned
 * round, so that neighbours in memory stay neighbours. A place is where a kernel finds a particle;
 * a member is the particle, by its number before.
 */
#ifndef PAIRMARK_PREPARE_MEMBER_ORDER_H
#define PAIRMARK_PREPARE_MEMBER_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct member_order { /* zeroed: as they are */
    size_t shift;     /* below n */
    bool reversed;
};

/* Which of n members is at a place; launch_tools.cl has the same. */
static inline size_t member_at(const struct member_order *order, size_t n, size_t place) {
    const size_t member = order->reversed ? n - 1 - place : place;
    return member < n - order->shift ? member + order->shift : member - (n - order->shift);
}

/* At which place a member is. */
static inline size_t place_of_member(const struct member_order *order, size_t n, size_t member) {
    const size_t back = member >= order->shift ? member - order->shift : member + n - order->shift;
    return order->reversed ? n - 1 - back : back;
}

#endif
