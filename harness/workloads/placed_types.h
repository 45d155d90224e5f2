/*
 * placed_types — the types of particles on the device, by the places where kernels find them.
 */
#ifndef PAIRMARK_WORKLOADS_PLACED_TYPES_H
#define PAIRMARK_WORKLOADS_PLACED_TYPES_H

#include "boxes/box.h"
#include "devices/device.h"
#include "workloads/member_order.h"

struct placed_types {
    size_t n;
    int32_t *type;         /* of each particle */
    struct buffer *buffer; /* n int */
};

/* Of the box, or (`alike`) zeros: all are of one type. To be freed also after a failure. */
bool placed_types_create(struct device *device, const struct box *box, bool alike,
                         struct placed_types *types, struct error *error);
/* Writes them for particles in another order, and waits. */
bool placed_types_reorder(struct placed_types *types, const struct member_order *order,
                          struct error *error);
void placed_types_free(struct placed_types *types); /* also of zeroed ones */

#endif
