/*
 * bonded_buffers — the bonded terms of a case on the device, as kernels of workload `bonded` are
 * given them (docs/kernels.md), in the order that the tunable TERM_ORDER says.
 *
 * Terms of all kinds are numbered in one row: bonds, angles, torsions, Ryckaert-Bellemans torsions.
 */
#ifndef PAIRMARK_WORKLOADS_BUFFERS_BONDED_BUFFERS_H
#define PAIRMARK_WORKLOADS_BUFFERS_BONDED_BUFFERS_H

#include "devices/device.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "workloads/buffers/member_order.h"

/* The tunable of variants by which they choose in which order terms of a kind stand. */
#define TERM_ORDER_TUNABLE "TERM_ORDER"
enum term_order {
    TERM_ORDER_LISTED,   /* as in the lists */
    TERM_ORDER_SORTED,   /* by the least particle of each */
    TERM_ORDER_SCATTERED /* far from each other: what order is worth */
};

struct bonded_buffers {
    struct offered_terms offered; /* the buffers are the struct's own */
    size_t n;                     /* particles */
    int32_t *atom; /* of each term four particles of the box, -1 behind those that there are */
};

/* Makes and fills them, of the device's own reals: what the variant names. Frees what it made when
 * it fails. Errors: those of bonded_resolve(); STATUS_UNSUPPORTED for a parameter beyond the range
 * of float, where that is what kernels compute in. */
bool bonded_buffers_create(struct device *device, const struct case_spec *spec,
                           const struct box *box, struct bonded_buffers *buffers,
                           struct error *error);
void bonded_buffers_free(struct bonded_buffers *buffers); /* also of zeroed ones */

/* Writes what holds places of particles anew for particles in another order, and waits. */
bool bonded_buffers_reorder(struct bonded_buffers *buffers, const struct member_order *order,
                            struct error *error);

/* How many there are of the launch units of terms; false for other words. */
bool bonded_buffers_unit(const struct bonded_buffers *buffers, const char *unit, size_t *count);

#endif
