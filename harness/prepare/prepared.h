/*
 * prepared — a case made ready on a device: compiled, allocated, positions copied, structure
 * created.
 *
 * The order of use: prepared_create; prepared_build (the structure, enqueued); then as often as
 * wanted prepared_enqueue (one evaluation, enqueued) and prepared_collect (waits, brings the
 * numbers back).
 */
#ifndef PAIRMARK_PREPARE_PREPARED_H
#define PAIRMARK_PREPARE_PREPARED_H

#include "case/case.h"
#include "case/results.h"
#include "prepare/kernel_text.h"
#include "prepare/launch_tools.h"
#include "structure/stages.h"

struct prepared;

/* `box` is the box as the device gets it (box_as_device), `groups` of it what the workload is
 * between (NULL: all particles, one group), `cutoff` resolved (INFINITY: none). All of them and
 * `spec` outlive the prepared case. */
bool prepared_create(struct device *device, const struct case_spec *spec, enum build_kind build,
                     const struct box *box, const struct groups *groups, double cutoff,
                     struct prepared **prepared, struct error *error);
void prepared_free(struct prepared *prepared);

/* Builds the structure from the positions as they are now. */
bool prepared_build(struct prepared *prepared, struct error *error);
/* To be called when particles have moved since it was built: builds it again where it is no longer
 * valid. A structure that outlives moves asks the device, so that this waits; the others are built
 * again at every call. */
bool prepared_renew(struct prepared *prepared, bool *rebuilt, struct error *error);
/* Whether the structure may stay valid when particles move. */
bool prepared_structure_outlives_moves(const struct prepared *prepared);
bool prepared_has_structure(const struct prepared *prepared);

/* Enqueues that kernels find the particles in another order, drawn from `random`: positions, places
 * in groups, types, molecules and exclusions alike; results are collected in input order as before.
 * The structure must be built again. The tools, of the case's precision, outlive the prepared case.
 * Exclusions that are listed are rewritten by the host, which waits. */
bool prepared_reorder(struct prepared *prepared, const struct launch_tools *tools, uint64_t random,
                      struct error *error);

/* Writes other positions of the same particles, within the same bounds, in the order that they have
 * now; until the next prepared_reorder(), which brings back those of the box. The structure must be
 * renewed. Waits. */
bool prepared_move(struct prepared *prepared, const struct box *moved, struct error *error);

/* Fills all outputs with a byte, enqueued: GATE_POISON_BYTE makes NaN, so that what a kernel leaves
 * unwritten is seen. */
bool prepared_fill_outputs(struct prepared *prepared, unsigned char value, struct error *error);

/* What a kernel must write is made neither NaN, nor zero, nor right; what nobody looks at, the
 * fourth number of each result, stays as the kernel left it: one that has noted there that it need
 * not work shows. */
bool prepared_disturb_outputs(struct prepared *prepared, struct error *error);

/* One evaluation, as it is timed: zeroing where the variant accumulates, every pass, the sums. */
bool prepared_enqueue(struct prepared *prepared, struct error *error);

/* The same two, and `watch` is told of each structure, and of each zeroing, pass and reduction. */
bool prepared_build_watched(struct prepared *prepared, const struct stage_watch *watch,
                            struct error *error);
bool prepared_enqueue_watched(struct prepared *prepared, const struct stage_watch *watch,
                              struct error *error);

/* Waits and reads the outputs of a BUILD_PLAIN case. evaluation->force is allocated here: of
 * every particle of the box, summed over the places that it has in the groups, in the sign of the
 * workload's result, and zeros outside. */
bool prepared_collect(struct prepared *prepared, struct evaluation *evaluation,
                      struct error *error);

/* The same from positions in host memory to results in host memory, for its time: copies in,
 * structure, evaluation, copies out. begin() makes the memory (page-locked where the device offers
 * that) and prepares the work, as one launch where the device can; prepared_end_to_end() then
 * neither allocates nor waits but for the end. reorder() gives the particles another order, in host
 * memory too; poison() fills the results in host memory with a
 * byte, collect() reads them. Not of counting builds. */
bool prepared_end_to_end_begin(struct prepared *prepared, struct error *error);
bool prepared_end_to_end(struct prepared *prepared, struct error *error);
bool prepared_end_to_end_reorder(struct prepared *prepared, const struct launch_tools *tools,
                                 uint64_t random, struct error *error);
void prepared_end_to_end_poison(struct prepared *prepared, unsigned char value);
bool prepared_end_to_end_collect(const struct prepared *prepared, struct evaluation *evaluation,
                                 struct error *error);

/* Waits and reads the two counts of a BUILD_COUNTING case. */
bool prepared_counts(struct prepared *prepared, int64_t *distances, int64_t *pairs,
                     struct error *error);

const struct program *prepared_program(const struct prepared *prepared);
/* The most registers and local bytes over the passes; -1 where not known. */
void prepared_resources(const struct prepared *prepared, int *registers, int64_t *local_bytes);

#endif
