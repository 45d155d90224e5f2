#include "workloads/member_order.h"

#include <stdlib.h>
#include <string.h>

/* The inverse of the stride modulo n, by Euclid's algorithm; 0 where they have a common factor. */
static size_t back_of(size_t n, size_t stride) {
    int64_t remainder[2] = { (int64_t)n, (int64_t)stride };
    int64_t times[2] = { 0, 1 }; /* remainder[k] is times[k] * stride, in the circle */
    while (remainder[1] > 0) {
        const int64_t whole = remainder[0] / remainder[1];
        const int64_t next[2] = { remainder[0] - whole * remainder[1],
                                  times[0] - whole * times[1] };
        remainder[0] = remainder[1];
        times[0] = times[1];
        remainder[1] = next[0];
        times[1] = next[1];
    }
    return remainder[0] != 1 ? 0 : (size_t)(times[0] < 0 ? times[0] + (int64_t)n : times[0]);
}

/* The member at a place of one circle of n. */
static size_t circle_member(size_t n, size_t stride, size_t shift, size_t place) {
    return (size_t)(((uint64_t)place * stride + shift) % n);
}

static size_t circle_place(size_t n, size_t back, size_t shift, size_t member) {
    const size_t from = member >= shift ? member - shift : member + n - shift;
    return (size_t)((uint64_t)from * back % n);
}

size_t member_at(const struct member_order *order, size_t n, size_t place) {
    const size_t share = order_share(order, n);
    const size_t stride = order_stride(order);
    if (share == n) {
        return circle_member(n, stride, order->shift, place);
    }
    return circle_member(n / share, stride / share, order->shift / share, place / share) * share +
           circle_member(share, stride % share, order->shift % share, place % share);
}

size_t place_of_member(const struct member_order *order, size_t n, size_t member) {
    const size_t share = order_share(order, n);
    const size_t back = order_back(order);
    if (share == n) {
        return circle_place(n, back, order->shift, member);
    }
    return circle_place(n / share, back / share, order->shift / share, member / share) * share +
           circle_place(share, back % share, order->shift % share, member % share);
}

static struct member_order draw_circle(size_t n, uint64_t bits, bool scattered) {
    struct member_order order = { .shift = (size_t)((bits >> 1) % n) };
    if (n < 3) {
        return order;
    }
    if (!scattered) {
        order.stride = order.back = bits & 1 ? n - 1 : 1;
        return order;
    }
    /* A stride of at least a quarter of the circle puts neighbours far apart; one without a common
     * factor always exists. */
    order.stride = n / 4 + (size_t)((bits >> 32) % (n / 2));
    do {
        order.stride = order.stride % (n - 1) + 1;
        order.back = back_of(n, order.stride);
    } while (order.back == 0);
    return order;
}

struct member_order member_order_draw(size_t n, size_t boxes, uint64_t bits, bool scattered) {
    if (boxes <= 1) {
        return draw_circle(n, bits, scattered);
    }
    const size_t share = n / boxes;
    const struct member_order within = draw_circle(share, bits, scattered);
    const struct member_order among = draw_circle(boxes, bits >> 32 | bits << 32, scattered);
    return (struct member_order){ .shift = among.shift * share + within.shift,
                                  .stride =
                                      order_stride(&among) * share + order_stride(&within) % share,
                                  .back = order_back(&among) * share + order_back(&within) % share,
                                  .share = share };
}

/* ---- types by place ---- */

bool placed_types_create(struct device *device, const struct box *box, bool alike,
                         struct placed_types *types, struct error *error) {
    const size_t bytes = box->n * sizeof *box->type;
    types->box = alike ? NULL : box;
    return alike ? buffer_allocate_labelled(device, "elements", bytes, &types->buffer, error) &&
                       buffer_fill(types->buffer, 0, bytes, error)
                 : buffer_upload(device, "elements", box->type, bytes, &types->buffer, error);
}

bool placed_types_reorder(const struct placed_types *types, const struct member_order *order,
                          struct error *error) {
    const struct box *box = types->box;
    if (!box) {
        return true;
    }
    int32_t *placed = malloc((box->n + 1) * sizeof *placed);
    if (!placed) {
        return fail_out_of_memory(error, "the types");
    }
    for (size_t place = 0; place < box->n; place++) {
        placed[place] = box->type[member_at(order, box->n, place)];
    }
    const bool written = buffer_write(types->buffer, 0, placed, box->n * sizeof *placed, error);
    free(placed);
    return written;
}
