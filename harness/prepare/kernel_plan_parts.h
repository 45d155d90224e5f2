/*
 * kernel_plan_parts — what a prepared case consists of. Private to this folder.
 */
#ifndef PAIRMARK_PREPARE_KERNEL_PLAN_PARTS_H
#define PAIRMARK_PREPARE_KERNEL_PLAN_PARTS_H

#include "kernels/bindings.h"
#include "kernels/motion/step_rules.h"
#include "kernels/schedule.h"
#include "kernels/text/kernel_text.h"
#include "kernels/text/launch_tools.h"
#include "prepare/kernel_plan.h"
#include "structures/chain.h"
#include "structures/lists/skin.h"
#include "workloads/steps/steps.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <string.h>

/* RUNS_OWN_ARGUMENTS: what each kernel of an integrator is given besides; see kernel_text.h.
 * STEP_PARAMETERS_MAX: for how many arguments STEP_PARAMETERS may stand. */
enum { RUNS_OWN_ARGUMENTS = 4, STEP_PARAMETERS_MAX = 4 };

/* One pass: its kernel, its shape, its own room for partial sums. */
struct planned_pass {
    struct kernel *kernel;
    struct kernel_shape shape; /* what a group is to others is a block */
    size_t groups;
    double adders;               /* work-items that may be counted on to add terms, each its own */
    struct buffer *partial_sums; /* sums x groups, planar; a box of a batch has as many groups as
                                    every other, one behind the other */
    struct buffer *sums;         /* kernel_plan_all_sums() */
    struct buffer *fixed_sums;   /* of fixed point: the same as long64, and one more; else NULL */
    bool has_sums;               /* false: there are none, or other passes have them */
    bool is_grid;                /* launched in the shape, else in groups of one size */
    bool has_bindings;           /* what arguments are bound to was found */
    struct binding bindings[VARIANT_MAX_ARGUMENTS];
    struct argument arguments[VARIANT_MAX_ARGUMENTS + PAIR_BUFFERS_MAX_ARGUMENTS +
                              STEP_PARAMETERS_MAX + RUNS_OWN_ARGUMENTS];
    size_t argument_count;
    int registers;       /* a work-item; -1: not known */
    int64_t local_bytes; /* a group, the table of types included; -1: not known */
};

/* Host memory of end-to-end evaluations; all NULL until they are prepared. */
struct plan_host_memory {
    void *position[MAX_SETS]; /* n real4 */
    void *result[MAX_SETS];   /* n accum4 */
    void *sums[VARIANT_MAX_PASSES];
    struct graph *graph;
};

struct plan_steps;
struct kernel_plan;

/* What is done in the place of an evaluation where a launch is more than one: time steps
 * (prepare/steps/). plan->driver is NULL where a launch is an evaluation. */
struct launch_driver {
    /* ---- making, in this order ---- */
    bool (*compile)(struct kernel_plan *plan, struct error *error);    /* what it needs besides */
    struct program *(*second_program)(const struct kernel_plan *plan); /* of the same kernels */
    bool (*create)(struct kernel_plan *plan, struct error *error);     /* sets are there */
    bool (*prepare_pass)(struct kernel_plan *plan, int index, struct error *error);
    void (*free)(struct kernel_plan *plan);

    /* ---- what kernels are given ---- */
    bool (*unit)(const struct kernel_plan *plan, const char *unit, size_t *count);
    void (*fill_arguments)(const struct kernel_plan *plan, struct case_arguments *arguments);
    /* Fill in what STEP_PARAMETERS stands for, and the last arguments of a pass; return how many.
     */
    size_t (*parameters)(const struct kernel_plan *plan, struct argument *arguments);
    size_t (*arguments)(const struct kernel_plan *plan, int index, struct argument *arguments);

    /* ---- a launch ---- */
    /* Enqueues the state of the start, in the order that the particles have now, builds the
     * structure and computes the forces; ready: the same where that was not done. */
    bool (*begin)(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error);
    bool (*ready)(struct kernel_plan *plan, struct error *error);
    /* Enqueues the launch. `watch` is called for the first step alone, so that its times are those
     * of a step. */
    bool (*enqueue)(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error);
    struct buffer *(*force)(const struct kernel_plan *plan); /* that kernels add to */
    /* Fills what the launch writes besides results and sums with a byte. */
    bool (*fill_outputs)(struct kernel_plan *plan, unsigned char value, struct error *error);
    /* Starts from other positions of the same particles; waits. Has the next launch begin anew,
     * with the particles of the box again where they were moved. */
    bool (*move)(struct kernel_plan *plan, const struct box *moved, struct error *error);
    bool (*go_back)(struct kernel_plan *plan, struct error *error);
    /* Takes what the launch gave besides results and sums; waits. */
    bool (*collect)(const struct kernel_plan *plan, struct evaluation *evaluation,
                    struct error *error);
    /* The same from what was copied behind a launch, where that is a sum; behind other sums. */
    bool (*take_sums)(const struct kernel_plan *plan, const struct raw_sums *raw,
                      struct evaluation *evaluation, struct error *error);
};

struct kernel_plan {
    struct device *device;
    const struct case_spec *spec;
    const struct box *box;
    const struct groups *groups; /* NULL: all particles */
    double cutoff;
    const struct sum_method *sum_method;
    struct program *program;
    struct pair_buffers pair;
    void *own; /* of the workload, by its class of buffers; NULL: nothing */
    const struct structure_class *structure;
    struct particle_set sets[MAX_SETS];
    struct buffer *own_result; /* of the first set while its results go elsewhere; else NULL */
    struct planned_pass passes[VARIANT_MAX_PASSES];
    struct buffer *scratch[VARIANT_MAX_SCRATCH]; /* @scratch of the variant */
    struct transform *transform;                 /* @transform; NULL: it has none */
    struct plan_host_memory host;
    const struct launch_driver *driver;       /* NULL: a launch is an evaluation */
    struct plan_steps *steps;                 /* of its driver, see steps_parts.h; NULL likewise */
    struct graph *graph;                      /* of an evaluation; NULL: launched each by itself */
    const struct launch_tools *tools;         /* NULL until another order is asked for */
    struct buffer *kept_type, *kept_molecule; /* by member; NULL where there are none */
    struct buffer *kept_values[PAIR_BUFFERS_MAX_QUADS]; /* likewise */
    enum build_kind build;
    int sum_count;
    size_t sum_boxes; /* boxes of a batch, each of which has its sums; 1 of counting builds */
    int group_size;
    int set_count;
    unsigned scratch_fills, kept_fills; /* how often they were filled with garbage */
    uint64_t seed, step;                /* of the launch that was enqueued last, of draws */
    uint64_t first_step; /* behind a building, of draws; 0 of generators with a state */
    uint64_t launches;   /* behind the last building, of draws */
    bool real_is_double, accum_is_double;
    bool skips_sums;     /* nobody wants them */
    bool sums_are_fixed; /* whole numbers until they are converted; not of counts */
    struct kernel *convert_forces, *convert_sums; /* of fixed point */
    bool graph_is_stale;                          /* recorded before arguments changed */
    bool was_enqueued; /* once: what allocates at first use has done so */
};

static inline size_t kernel_plan_real_size(const struct kernel_plan *plan) {
    return plan->real_is_double ? sizeof(double) : sizeof(float);
}

/* The class of plan->own. */
static inline const struct workload_buffers *plan_own_class(const struct kernel_plan *plan) {
    return plan->spec->variant->workload->buffers;
}

static inline bool plan_has_particles(const struct kernel_plan *plan) {
    return plan->sets[0].position != NULL;
}

static inline bool plan_has_structure(const struct kernel_plan *plan) {
    return strcmp(plan->structure->name, "none") != 0;
}

/* How results are computed from what kernels write; NULL: kernels write them. */
static inline const struct workload_outputs *plan_outputs(const struct kernel_plan *plan) {
    return plan->own ? plan_own_class(plan)->outputs : NULL;
}

static inline bool plan_builds_in_launch(const struct kernel_plan *plan) {
    return plan->spec->variant->workload->builds_in_launch;
}

/* Sums that a kernel adds up, of all boxes: in fixed point one more, see variants/pair.cl. */
static inline size_t kernel_plan_sums_added(const struct kernel_plan *plan) {
    return plan->sum_boxes *
           ((size_t)plan->sum_count + (plan->sums_are_fixed && plan->sum_count > 0));
}

/* The sums that are results, planar: all boxes of the first sum, then of the next. */
static inline size_t kernel_plan_all_sums(const struct kernel_plan *plan) {
    return plan->sum_boxes * (size_t)plan->sum_count;
}

/* Numbers in a plane of forces in fixed point: particles padded to 32. */
static inline size_t set_force_plane(const struct particle_set *set) {
    return (set->n + 31) / 32 * 32;
}

/* ---- sets of particles ---- */

/* Fills in what each set's members are, makes its buffers, copies its positions and creates its
 * structure. */
bool sets_create(struct kernel_plan *plan, struct error *error);
void sets_free(struct kernel_plan *plan);

/* Writes the members' positions in `box` as the device takes them: n real4, charge in w. */
void set_stage_positions(const struct kernel_plan *plan, const struct particle_set *set,
                         const struct box *box, void *staged);
/* The same to the device, and waits. */
bool set_write_positions(const struct kernel_plan *plan, struct particle_set *set,
                         const struct box *box, struct error *error);

/* Takes what the device computed to `numbers`: of vectors of particles (n accum4), in the sign of
 * the workload's result, added to the 3 numbers that each particle of the box has. */
void set_add_results(const struct kernel_plan *plan, const struct particle_set *set,
                     const void *results, double *numbers);

/* ---- compiling ---- */

/* Whether the variant takes such a case, and the device what it needs. STATUS_UNSUPPORTED. */
bool check_case(const struct kernel_plan *plan, struct error *error);

/* Compiles `spec`, which is plan->spec or the same case with other outputs. */
bool compile_case(const struct kernel_plan *plan, const struct case_spec *spec,
                  struct program **program, struct error *error);
/* The kernel of a pass, from a program of the case. Where embedded atoms are of a table,
 * TABLE_CACHE says how on-chip memory is divided. */
bool plan_kernel(const struct kernel_plan *plan, struct program *program, const struct pass *pass,
                 struct kernel **kernel, struct error *error);

/* Whether kernels of steps can exit early. */
bool plan_exits_early(const struct kernel_plan *plan);

/* ---- building ---- */

/* Builds the structure from the positions as they are now, with what passes keep. */
bool structure_build(struct kernel_plan *plan, const struct stage_watch *watch,
                     struct error *error);
/* The same of the structure that is walked, and of those below it that are no longer valid; *whole:
 * no other was left as it was. */
bool structure_rebuild(struct kernel_plan *plan, bool *whole, struct error *error);
/* The end of both: what passes keep, and arguments of kernels. */
bool structure_fill_kept(struct kernel_plan *plan, const struct stage_watch *watch,
                         struct error *error);
/* The same where it is no longer valid. */
bool structure_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error);

/* ---- time steps: steps_parts.h ---- */

static inline bool plan_has_steps(const struct kernel_plan *plan) {
    return plan->steps != NULL;
}

/* Whether what steps walk serves several of them and is built for set->built, where their particles
 * will be; else for where they are. */
static inline bool plan_foresees(const struct kernel_plan *plan) {
    return plan_has_steps(plan) && isfinite(plan->cutoff) &&
           (variant_rebuilds_when_moved(plan->spec->variant) || plan->structure->limit);
}

static inline struct buffer *places_to_build_for(const struct kernel_plan *plan,
                                                 const struct particle_set *set) {
    return plan_foresees(plan) ? set->built : set->position;
}

/* ---- launching ---- */

/* Zeroes what kernels add to: results or forces, and sums. */
bool zero_outputs(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error);
/* Launches a pass and adds up its sums. */
bool enqueue_pass(struct kernel_plan *plan, int index, const struct stage_watch *watch,
                  struct error *error);

/* ---- fixed point ---- */

/* Makes what sums in fixed point take; kernels are compiled. Nothing where there are none. */
bool fixed_point_create(struct kernel_plan *plan, struct error *error);
void fixed_point_free(struct kernel_plan *plan);

/* ---- binding ---- */

/* How many groups the pass is launched with; made->groups is filled in. */
bool shape_pass(const struct kernel_plan *plan, const struct pass *pass, struct planned_pass *made,
                struct error *error);

/* The arguments of a pass, by the names of its parameters; of all passes. */
bool bind_all(struct kernel_plan *plan, struct error *error);
bool bind_pass(struct kernel_plan *plan, int index, struct error *error);

/* Enqueues it. */
bool launch_pass(struct kernel_plan *plan, int index, struct error *error);

/* ---- scratch ---- */

/* Makes the memory that the variant's kernels have to themselves, full of garbage; the units of
 * structures are known. */
bool scratch_create(struct kernel_plan *plan, struct error *error);
void scratch_free(struct kernel_plan *plan);
/* Fills scratch memory with the garbage of the last time: before and behind the forces of the start
 * of time steps, which are computed outside of the time. */
bool scratch_poison_again(struct kernel_plan *plan, struct error *error);

/* A count_units_of (kernels/launch.h) of a struct kernel_plan: how many there are of a launch unit
 * in a case; false when there is no such unit. */
bool count_units(const void *context, const char *unit, size_t *units);

/* ---- results ---- */

/* Waits, and takes energies and virial of what was computed last. */
bool collect_scalars(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error);

/* Frees the host memory and the recording. */
void host_parts_free(struct kernel_plan *plan);
/* Frees what orders are made from. */
void order_parts_free(struct kernel_plan *plan);

#endif
