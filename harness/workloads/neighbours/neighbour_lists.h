/*
 * neighbour_lists — what the parts of workload neighbours share: which entries rounding decides,
 * and what is wrong with a row; and the lists for a client that takes them as they are.
 */
#ifndef PAIRMARK_WORKLOADS_NEIGHBOURS_NEIGHBOUR_LISTS_H
#define PAIRMARK_WORKLOADS_NEIGHBOURS_NEIGHBOUR_LISTS_H

#include "boxes/box.h"
#include "kernels/bindings.h"
#include "kernels/case.h"

/* How far |r - cutoff| may be where rounding decides whether a pair is listed; and how far vectors
 * and distances may be off. A kernel errs by at most 4 u (L + cutoff) in r, L being the longest
 * distance in the box (box_length_scale) and u the unit of its positions (tolerances.h derives the
 * factor, of GATE_FACTOR); what reads the list errs by as much where both are in double. */
static inline double neighbour_width(const struct case_spec *spec, const struct box *box,
                                     double cutoff) {
    const double unit = format_unit(precision_numeric(spec->precision).position);
    return 8 * unit * (box_length_scale(box) + cutoff);
}

/* Whether an entry says which image it is of. */
static inline bool neighbour_images_known(const struct case_spec *spec) {
    const struct list_entries entries = list_entries_of(spec->list_entries);
    return entries.shifts != SHIFTS_NONE || entries.vectors;
}

/* Two keys of the hashes by which rows are compared (reference/neighbours/neighbours.h): those of
 * the process. */
const uint64_t *neighbour_keys(void);

/* Numbers of a row with faults are below that: less the bits of neighbour_tools.cl. */
enum { NEIGHBOUR_FAULTS = -1024 };

/* The arrays that kernels are bound to, and the room that kernels are given, of buffers that
 * neighbour_buffers made. A client may put its own arrays there, and takes them out again. */
struct lists_arguments *neighbour_lists_arrays(void *buffers);
/* Room in arrays of their own. What was in them is gone. */
bool neighbour_lists_reserve(void *buffers, int32_t capacity, struct error *error);
/* Waits: the room that the last launch would have needed. */
bool neighbour_lists_needed(const void *buffers, int32_t *needed, struct error *error);

#endif
