#include "workloads/member_order.h"

/* What makes 1 of a stride in a circle of n, by Euclid's algorithm; 0 where they have a factor in
 * common. */
static size_t back_of(size_t n, size_t stride) {
    int64_t of[2] = { (int64_t)n, (int64_t)stride };
    int64_t times[2] = { 0, 1 }; /* of[k] is times[k] * stride, in the circle */
    while (of[1] > 0) {
        const int64_t whole = of[0] / of[1];
        const int64_t next[2] = { of[0] - whole * of[1], times[0] - whole * times[1] };
        of[0] = of[1];
        times[0] = times[1];
        of[1] = next[0];
        times[1] = next[1];
    }
    return of[0] != 1 ? 0 : (size_t)(times[0] < 0 ? times[0] + (int64_t)n : times[0]);
}

struct member_order member_order_draw(size_t n, uint64_t bits, bool scattered) {
    struct member_order order = { .shift = (size_t)((bits >> 1) % n) };
    if (n < 3) {
        return order;
    }
    if (!scattered) {
        order.stride = order.back = bits & 1 ? n - 1 : 1;
        return order;
    }
    /* From a quarter of the circle on: neighbours become strangers, and there is always one. */
    order.stride = n / 4 + (size_t)((bits >> 32) % (n / 2));
    do {
        order.stride = order.stride % (n - 1) + 1;
        order.back = back_of(n, order.stride);
    } while (order.back == 0);
    return order;
}
