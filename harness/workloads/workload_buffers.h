/*
 * workload_buffers — what kernels of a workload are given besides particles: lists of bonded terms,
 * constraints. A class for each; struct workload points to its own (docs/kernels.md says what
 * kernels see).
 */
#ifndef PAIRMARK_WORKLOADS_WORKLOAD_BUFFERS_H
#define PAIRMARK_WORKLOADS_WORKLOAD_BUFFERS_H

#include "devices/device.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "workloads/member_order.h"
#include "workloads/pair_buffers.h"

/* Called for each buffer that kernels read and must not change, with what it holds in words. */
typedef void workload_buffer_visitor(void *context, const struct buffer *buffer, const char *words);

/* What a launch left, and for which particles. All outlive the call. */
struct launched {
    const struct buffer *position; /* n real4, in the order of places */
    const struct pair_buffers *pair;
    const struct box *box;
    const struct member_order *order;
    double cutoff;
    struct buffer *result; /* n accum4, by places */
};

/* Of a workload whose kernels write something else than a vector for each particle, into buffers of
 * its class: results are computed from these behind a launch, outside of its time. */
struct workload_outputs {
    /* Waits. Whether the kernels had the room that they asked for; where they had not, there is
     * more: arguments have changed, and they are launched again. */
    bool (*make_room)(void *buffers, const struct launched *launched, bool *fits,
                      struct error *error);
    /* Fills what kernels write with a byte, enqueued. */
    bool (*fill)(void *buffers, unsigned char value, struct error *error);
    /* Enqueues that launched->result is computed. */
    bool (*compute)(void *buffers, const struct launched *launched, struct error *error);
    /* Fills in evaluation->rows, which reads the list that was computed from last. */
    void (*collect)(void *buffers, struct evaluation *evaluation);
};

struct workload_buffers {
    /* Makes and fills them, of the device's own reals: what the variant names. Frees what it made
     * when it fails. STATUS_UNSUPPORTED where the precision or the variant cannot hold such terms;
     * STATUS_BAD_INPUT where the terms do not fit the box; errors of the device. */
    bool (*create)(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void **buffers, struct error *error);
    void (*free)(void *buffers);
    /* Writes what depends on the places of particles for particles in another order, and waits. */
    bool (*reorder)(void *buffers, const struct member_order *order, struct error *error);
    /* How many there are of a launch unit; false for units of others. */
    bool (*unit)(const void *buffers, const char *unit, size_t *count);
    /* Fills in its part of what kernels are offered. */
    void (*offer)(const void *buffers, struct offered_case *offered);
    void (*visit)(const void *buffers, workload_buffer_visitor *visit, void *context);
    /* How many terms of each kind kernels are given. NULL: the workload has no such kinds. */
    void (*count)(const void *buffers, int64_t count[BONDED_KINDS]);
    const struct workload_outputs *outputs; /* NULL: kernels write the results */
};

extern const struct workload_buffers bonded_buffers, constraint_buffers, neighbour_buffers;

#endif
