/*
 * batches — boxes that are computed in one launch and know nothing of each other: in which order
 * kernels find them, and what kernels are told of them. How they are judged: judges.h.
 */
#ifndef PAIRMARK_WORKLOADS_BATCHES_H
#define PAIRMARK_WORKLOADS_BATCHES_H

#include "boxes/box.h"
#include "kernels/case.h"
#include "workloads/member_order.h"

/* ---- the order of boxes ---- */

/* An order of a batch of drawn sizes, drawn by the bits: boxes stay whole; they begin with another
 * one, and all particles may be turned round. Of boxes of one size member_order_draw() has more. */
struct member_order batch_order_draw(const struct box *box, uint64_t bits);

/* Where kernels find the boxes. */
struct batch_places {
    size_t *box;    /* of each place: which box is there */
    int32_t *begin; /* ... and its first particle, by places; one more: n */
};
bool batch_places_find(const struct box *box, const struct member_order *order,
                       struct batch_places *places, struct error *error);
void batch_places_free(struct batch_places *places); /* also of zeroed ones */

/* Why kernels of pairs cannot run a batch; NULL: they can, or it is none. */
const char *batch_refuse(const struct case_spec *spec);
/* Likewise of kernels of terms or constraints, whose lists are concatenated: what to say where
 * files say those of one box; cells that differ are those of box_cells. */
const char *batch_refuse_lists(const struct case_spec *spec, const char *of_files);

#endif
