/*
 * prepared — a case made ready on a device: compiled, allocated, positions copied, structure
 * created.
 *
 * The order of use: kernel_plan_create; kernel_plan_build (the structure, enqueued); then as often
 * as wanted kernel_plan_enqueue (one evaluation, enqueued) and kernel_plan_collect (waits, brings
 * the numbers back).
 */
#ifndef PAIRMARK_PREPARE_KERNEL_PLAN_H
#define PAIRMARK_PREPARE_KERNEL_PLAN_H

#include "boxes/box.h"
#include "devices/device.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "kernels/text/kernel_text.h"
#include "kernels/text/launch_tools.h"
#include "structures/chain.h"
#include "structures/lists/skin.h"
#include "workloads/workload_buffers.h"

struct kernel_plan;

/* Particles as kernels see them. A case of one group has one set; two groups and lists of pairs
 * have two, A and B, each with its own positions and results. */
struct particle_set {
    const int32_t *index; /* the input index of each member; NULL: all of the box, in its order */
    size_t n;             /* members */
    struct box members;   /* a box of the members alone, for a structure; zeroed where not needed */
    struct buffer *position;        /* n real4 */
    struct buffer *built;           /* of steps, n real4: see plan_foresees(); else NULL */
    struct buffer *index_on_device; /* n int, of two groups; else NULL */
    struct buffer *result;          /* n accum4: what kernels write, see kernel_plan_sign() */
    struct buffer *fixed_force; /* in its place in fixed point: four planes of long64; else NULL */
    struct structure_chain *structure; /* what is walked, over the members */
    struct moved_test *moved;          /* of passes that run when moved; else NULL */
    struct member_order order;         /* in which the three above are on the device */
    struct buffer *kept_position,
        *kept_index; /* by member; NULL until another order is asked for */
};

/* The member at a place of the arrays that kernels see. */
static inline size_t set_member(const struct particle_set *set, size_t place) {
    return member_at(&set->order, set->n, place);
}

enum { MAX_SUMS = 8 }; /* of a pass */

/* What a case is prepared from. `box` is the box as the device gets it (box_as_device), `groups` of
 * it what the workload is between (NULL: all particles, one group), `cutoff` resolved (INFINITY:
 * none). */
struct plan_input {
    struct device *device;
    const struct case_spec *spec;
    enum build_kind build;
    const struct box *box;
    const struct groups *groups;
    double cutoff;
};

/* What the input points to outlives the prepared case. */
bool kernel_plan_create(const struct plan_input *input, struct kernel_plan **plan,
                        struct error *error);
void kernel_plan_free(struct kernel_plan *plan);
/* Only compiles the kernels, into the cache of compiled ones. */
bool kernel_plan_compile(const struct plan_input *input, struct error *error);
/* Whether the device and the variant can take such a case, of one launch an evaluation: what is
 * said before anything is compiled. Of the box neither positions nor particles count. */
bool kernel_plan_check(const struct plan_input *input, struct error *error);

/* Builds the structure from the positions as they are now, and runs the passes that fill what is
 * kept from one rebuild to the next (kernels/schedule.h). Of time steps: kernel_plan_ready(). */
bool kernel_plan_build(struct kernel_plan *plan, struct error *error);
/* To be called when particles have moved since it was built: builds it again where it is no longer
 * valid. A structure that outlives moves asks the device, so that this waits; the others are built
 * again at every call. */
bool kernel_plan_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error);
/* The same for who finds out himself: from which places a particle of a set has to be how far until
 * what was built no longer serves (position NULL: it must be asked); and the building then. */
struct places_of_build kernel_plan_kept(const struct kernel_plan *plan, int set);
bool kernel_plan_replace(struct kernel_plan *plan, struct error *error);
/* Evaluations from now on leave sums as they were, or add them up. */
void kernel_plan_skip_sums(struct kernel_plan *plan, bool skip);
/* Whether what was built may stay valid when particles move. */
bool kernel_plan_has_skin(const struct kernel_plan *plan);
/* Whether there is a structure; and whether building does anything at all. */
bool kernel_plan_has_structure(const struct kernel_plan *plan);
bool kernel_plan_has_rebuild(const struct kernel_plan *plan);
/* Whether there are particles. Else there are random numbers: one set of n results. */
bool kernel_plan_has_particles(const struct kernel_plan *plan);
/* Whether a launch takes time steps, from a state, a structure and forces of its own. */
bool kernel_plan_has_steps(const struct kernel_plan *plan);
/* Whether a launch builds its structure, in its time. */
bool kernel_plan_builds_in_launch(const struct kernel_plan *plan);
/* Enqueues that what passes keep from one rebuild to the next is garbage: building has to fill it.
 * Of time steps, what a structure is made of is zeros likewise. */
bool kernel_plan_invalidate(struct kernel_plan *plan, struct error *error);

/* Enqueues that kernels find the particles in another order, drawn from `random`: positions, places
 * in groups, types, molecules and exclusions alike; results are collected in input order as before.
 * `scattered`: neighbours in memory do not stay neighbours, as they do otherwise.
 * The structure must be built again, and what is kept with it is garbage. The tools, of the case's
 * precision, outlive the prepared case. Exclusions that are listed are rewritten by the host, which
 * waits. */
bool kernel_plan_reorder(struct kernel_plan *plan, const struct launch_tools *tools,
                         uint64_t random, bool scattered, struct error *error);
/* Draws have no particles: there `random` is the seed from then on, and steps begin at one that is
 * drawn, where the generator has no state. */

/* Writes other positions of the same particles, within the same bounds, in the order that they have
 * now; until the next kernel_plan_reorder(), which brings back those of the box. The structure must
 * be renewed. Waits. */
bool kernel_plan_move(struct kernel_plan *plan, const struct box *moved, struct error *error);

/* Enqueues that each particle is displaced by at most `reach`, as the wave at its place has it:
 * from where kernel_plan_reorder() put it, within the cell or the bounds of an open box, as
 * `random` draws it. Particles that are near each other move alike, those a cutoff apart do not,
 * and no density changes. To build what outlives moves: kernel_plan_restore_positions() then takes
 * all back to their places in the box. Not of time steps. */
bool kernel_plan_displace(struct kernel_plan *plan, uint64_t random, double reach,
                          struct error *error);
bool kernel_plan_restore_positions(struct kernel_plan *plan, struct error *error);

/* Fills all outputs with a byte, enqueued: GATE_POISON_BYTE makes NaN, so that what a kernel leaves
 * unwritten is seen. */
bool fill_outputs_with_byte(struct kernel_plan *plan, unsigned char value, struct error *error);

/* What a kernel must write is made neither NaN, nor zero, nor right; what nobody looks at, the
 * fourth number of each result, stays as the kernel left it: one that has noted there that it need
 * not work shows. */
bool fill_outputs_with_garbage(struct kernel_plan *plan, struct error *error);

/* Records an evaluation as a graph where the case asks for that, if it was enqueued before, after
 * each building anew; kernel_plan_enqueue() then launches the graph. Waits. STATUS_UNSUPPORTED
 * where it cannot be recorded. */
bool kernel_plan_record(struct kernel_plan *plan, struct error *error);

/* Enqueues what a launch of time steps begins with, the state of the start, the structure and the
 * forces, so that they are not part of its time. Every launch begins so: kernel_plan_enqueue() does
 * it where it was not done since the last. Nothing to do for other workloads. */
bool kernel_plan_ready(struct kernel_plan *plan, struct error *error);

/* One evaluation, as it is timed: zeroing where the variant accumulates, every pass of a step, the
 * sums. */
bool kernel_plan_enqueue(struct kernel_plan *plan, struct error *error);

/* The building and the evaluation, launched each by itself; `watch` is called for each structure,
 * zeroing, pass and sum. */
bool kernel_plan_build_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                               struct error *error);
bool kernel_plan_enqueue_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                                 struct error *error);

/* Waits. Whether the kernels had room for what they were to write, which they ask for where a
 * workload's outputs have no size; where they had not, there is more, and the launch is to be done
 * again. */
bool kernel_plan_make_room(struct kernel_plan *plan, bool *fits, struct error *error);

/* Waits and reads the outputs of a BUILD_PLAIN case. evaluation->force is allocated here: of
 * every particle of the box, summed over the places that it has in the groups, in the sign of the
 * workload's result, and zeros outside. */
bool kernel_plan_collect(struct kernel_plan *plan, struct evaluation *evaluation,
                         struct error *error);

/* The same from positions in host memory to results in host memory, for its time: copies in,
 * structure, evaluation, copies out. begin() makes the memory (page-locked where the device offers
 * that) and prepares the work, as one launch where the device can; kernel_plan_end_to_end() then
 * neither allocates nor waits but for the end. reorder() gives the particles another order, in host
 * memory too; poison() fills the results in host memory with a
 * byte, collect() reads them. Not of counting builds. */
bool kernel_plan_end_to_end_begin(struct kernel_plan *plan, struct error *error);
bool kernel_plan_end_to_end(struct kernel_plan *plan, struct error *error);
bool kernel_plan_end_to_end_reorder(struct kernel_plan *plan, const struct launch_tools *tools,
                                    uint64_t random, struct error *error);
void kernel_plan_end_to_end_poison(struct kernel_plan *plan, unsigned char value);
bool kernel_plan_end_to_end_collect(const struct kernel_plan *plan, struct evaluation *evaluation,
                                    struct error *error);

/* Waits and reads the two counts of a BUILD_COUNTING case. */
bool kernel_plan_counts(struct kernel_plan *plan, int64_t *distances, int64_t *pairs,
                        struct error *error);

const struct program *kernel_plan_program(const struct kernel_plan *plan);
/* The most registers and local bytes over the passes; -1 where not known. */
void kernel_plan_resources(const struct kernel_plan *plan, int *registers, int64_t *local_bytes);

/* How many bonded terms of each kind kernels are given; -1 where the workload has no such terms. */
void kernel_plan_terms(const struct kernel_plan *plan, int64_t count[BONDED_KINDS]);

/* ---- what it has on the device, for whoever watches launches or makes them itself ---- */

struct device *kernel_plan_device(const struct kernel_plan *plan);
const struct box *kernel_plan_box(const struct kernel_plan *plan);
/* What kernels write is double; and its bytes. */
bool kernel_plan_accum_is_double(const struct kernel_plan *plan);
size_t kernel_plan_accum_size(const struct kernel_plan *plan);
/* What kernels write, times this, is the result of the workload. */
double kernel_plan_sign(const struct kernel_plan *plan);
/* The seed of draws, and the step that the last launch was. */
uint64_t kernel_plan_seed(const struct kernel_plan *plan);
uint64_t kernel_plan_step(const struct kernel_plan *plan);
/* The workload's own buffers, by its class (workloads/workload_buffers.h); NULL: it has none. */
void *kernel_plan_own(const struct kernel_plan *plan);

/* Sets of particles: 0 to kernel_plan_set_count() - 1. */
int kernel_plan_set_count(const struct kernel_plan *plan);
const struct particle_set *kernel_plan_set(const struct kernel_plan *plan, int set);

/* Memory that the kernels of the variant have to themselves: @scratch, by its number. */
struct buffer *kernel_plan_scratch(const struct kernel_plan *plan, int scratch);

/* What a pass adds up. */
struct plan_sums {
    struct buffer *sums;         /* kernel_plan_sum_count() accum of each box */
    struct buffer *partial_sums; /* as many of each group, planar */
};
int kernel_plan_sum_count(const struct kernel_plan *plan);
/* The boxes of a batch, each of which has its sums, planar; else 1. */
size_t kernel_plan_sum_boxes(const struct kernel_plan *plan);
/* False: the pass adds nothing up. */
bool kernel_plan_sums(const struct kernel_plan *plan, int pass, struct plan_sums *sums);

/* What time steps write besides results and sums. */
struct step_outputs {
    struct buffer *index;     /* by place: n int, the member */
    struct buffer *velocity;  /* by place: n accum4 */
    struct buffer *totals;    /* TOTAL_NUMBERS accum */
    struct buffer *face_sums; /* int64, see kernel_plan_counts_faces() */
    bool exchanges;           /* molecules change places */
};
/* What it is of a case with steps. */
struct step_outputs kernel_plan_step_outputs(const struct kernel_plan *plan);

/* What kernels are only given to read, by who makes it. */
enum plan_inputs {
    INPUTS_GIVEN,           /* the host; of time steps all but the state */
    INPUTS_OF_START,        /* the host: the state that time steps begin with */
    INPUTS_BUILT,           /* structures, and passes that run when they are built */
    INPUTS_STRUCTURES,      /* structures alone, */
    INPUTS_KEPT_STRUCTURES, /* and of these what they make once */
};
/* Calls `call` for each: structures may replace theirs when they are built. */
void kernel_plan_visit_inputs(const struct kernel_plan *plan, enum plan_inputs inputs,
                              workload_buffer_visitor *call, void *context);

/* Sums that were copied behind a launch, as the device has them. */
struct raw_sums {
    const void *of_pass[VARIANT_MAX_PASSES]; /* kernel_plan_sum_count() accum of each box */
    const void *totals;                      /* of time steps, TOTAL_NUMBERS accum; else NULL */
    const int64_t *faces;                    /* of steps that count at faces; else NULL */
};
/* Makes of them what kernel_plan_collect() would have; results stay as they are. */
bool kernel_plan_take_sums(const struct kernel_plan *plan, const struct raw_sums *raw,
                           struct evaluation *evaluation, struct error *error);

/* ---- parts of a launch ---- */

/* Enqueues that @scratch memory is garbage again, every time another: NaN, then zeros, then bytes
 * by chance. */
bool kernel_plan_poison_scratch(struct kernel_plan *plan, struct error *error);
/* Enqueues that results are computed, where kernels write something else; and fills what they
 * write then with a byte. */
bool kernel_plan_compute_results(struct kernel_plan *plan, struct error *error);
bool kernel_plan_fill_own_outputs(struct kernel_plan *plan, unsigned char value,
                                  struct error *error);
/* Whether the first pass does nothing but make the number of entries of a COO list zero. */
bool kernel_plan_begins_count(const struct kernel_plan *plan);
/* Builds the structure and launches every pass but such a one, in whose place the caller has made
 * that number zero. Outputs have the size that they have: what lacks room is the caller's to find.
 */
bool kernel_plan_build_and_launch(struct kernel_plan *plan, struct error *error);

/* Has kernels write the results of the first set to `theirs`, which is of the same size and the
 * plan's from then on; NULL: to its own again. */
bool kernel_plan_redirect_results(struct kernel_plan *plan, struct buffer *theirs,
                                  struct error *error);
/* Launches draw the steps of this seed, from `first_step` on where the generator has no state. */
void kernel_plan_draw_from(struct kernel_plan *plan, uint64_t seed, uint64_t first_step);
/* How far a particle may be from where the structure was built for it; NaN: that is not what
 * decides whether it is still valid. */
double kernel_plan_reach(const struct kernel_plan *plan);

/* Appends how each pass is launched and what it is given, a block of lines each. */
void kernel_plan_describe_launches(const struct kernel_plan *plan, struct strbuf *text);

/* ---- time steps that go on from any state ---- */

/* What a simulation calls. */

/* The particles of a case of time steps between two steps, by their numbers in the box. */
struct plan_motion {
    double *position;  /* 3n, in the cell where periodic */
    double *velocity;  /* 3n */
    double *force;     /* 3n, of the pairs at `position`; read alone. NULL: not asked for */
    int32_t *crossing; /* 3n, faces along each vector since it was written, or read; read alone */
    struct thermostat_state thermostat;
    uint64_t step; /* the number of the state */
};

/* What is summed over a state. */
struct plan_motion_sums {
    double potential, virial[9]; /* of the pairs; virial: where the case has it, else NaN */
    double kinetic, momentum[3]; /* kinetic: NaN where the device has no double precision */
    int64_t astray; /* the number of a particle that is nowhere or too fast; -1: there is none */
};

/* Makes a state the one to start from. Waits. */
bool kernel_plan_write_motion(struct kernel_plan *plan, const struct plan_motion *motion,
                              struct error *error);
/* Enqueues so many steps from there, and the sums that the case asks for at the end; of no steps,
 * the forces and the sums. kernel_plan_collect() has energy and virial then. */
bool kernel_plan_advance(struct kernel_plan *plan, uint64_t steps, struct error *error);
/* Takes at most so many steps, 1 at least, before the host looks whether the structure still
 * serves; 0: as many as are wanted. The results are the same, bit by bit. */
void kernel_plan_limit_runs(struct kernel_plan *plan, uint64_t longest);
/* How often steps have had a structure built again that had served until then. */
uint64_t kernel_plan_renewals(const struct kernel_plan *plan);
/* How many of these times what it is built from was left as it was: an outer list. */
uint64_t kernel_plan_prunings(const struct kernel_plan *plan);
/* How often a part of it was renewed in between. */
uint64_t kernel_plan_parts_renewed(const struct kernel_plan *plan);
/* Whether steps can go on without the host: where the device has double precision. */
bool kernel_plan_goes_on(const struct kernel_plan *plan);
/* Makes the state of now the one to start from: the same, bit by bit, as reading and writing it.
 * `counted`: its crossings were read, and count from now on. */
bool kernel_plan_keep_motion(struct kernel_plan *plan, bool counted, struct error *error);
/* Waits, and adds up the state as it is now. `lag`: of velocities behind positions, a time;
 * fastest: along an axis. */
bool kernel_plan_sum_motion(struct kernel_plan *plan, double lag, double fastest,
                            struct plan_motion_sums *sums, struct error *error);
/* Waits, and reads what a thermostat has now, and the number of the state. */
bool kernel_plan_read_thermostat(const struct kernel_plan *plan,
                                 struct thermostat_state *thermostat, uint64_t *step,
                                 struct error *error);
/* Waits, and reads what went through faces since the state was written or kept, 6 numbers per type;
 * of kernels that count. */
bool kernel_plan_read_faces(struct kernel_plan *plan, uint64_t *count, double *momentum,
                            struct error *error);
/* Whether its steps count what particles carry through faces. */
bool kernel_plan_counts_faces(const struct kernel_plan *plan);
/* Waits, and reads the state as it is now. */
bool kernel_plan_read_motion(struct kernel_plan *plan, struct plan_motion *motion,
                             struct error *error);

#endif
