/*
 * constraint_buffers — the constraints of a case on the device, as kernels of workload
 * `constraints` are given them (docs/kernels.md).
 *
 * Molecules stand in the order of their first particles; particles and constraints in that of their
 * molecules. Places are where kernels find particles in the arrays over all of them; slots number
 * the particles in the order of molecules.
 */
#ifndef PAIRMARK_WORKLOADS_BUFFERS_CONSTRAINT_BUFFERS_H
#define PAIRMARK_WORKLOADS_BUFFERS_CONSTRAINT_BUFFERS_H

#include "devices/device.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "workloads/buffers/member_order.h"

struct constraint_host; /* what the buffers hold, by particle of the box */

struct constraint_buffers {
    struct offered_constraints offered; /* the buffers are the struct's own */
    struct constraint_host *host;
    bool accum_is_double;
};

/* Makes and fills them: what the variant names. Frees what it made when it fails: errors of
 * constraints_resolve() and of the device; STATUS_OUT_OF_MEMORY; STATUS_UNSUPPORTED where the
 * variant asks for waters or clusters and there are other molecules, or where the tolerance is
 * below what the precision resolves. */
bool constraint_buffers_create(struct device *device, const struct case_spec *spec,
                               const struct box *box, struct constraint_buffers *buffers,
                               struct error *error);
void constraint_buffers_free(struct constraint_buffers *buffers); /* also of zeroed ones */

/* Writes what holds places of particles anew, and what lies at them. */
bool constraint_buffers_reorder(struct constraint_buffers *buffers,
                                const struct member_order *order, struct error *error);

/* How many units there are: constraints, molecules, blocks. False: no such unit. */
bool constraint_buffers_unit(const struct constraint_buffers *buffers, const char *unit,
                             size_t *count);

/* The least tolerance that is meant for a precision. */
double constraints_least_tolerance(enum precision precision);

#endif
