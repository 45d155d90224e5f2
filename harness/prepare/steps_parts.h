/*
 * steps — what a prepared case of time steps consists of besides. Everyone else launches steps as
 * any other case, by its driver (prepare/kernel_plan_parts.h).
 */
#ifndef PAIRMARK_PREPARE_STEPS_PARTS_H
#define PAIRMARK_PREPARE_STEPS_PARTS_H

#include "kernels/motion/step_rules.h"
#include "kernels/potentials/exclusions.h"
#include "prepare/kernel_plan.h"
#include "prepare/kernel_plan_parts.h"
#include "workloads/steps/steps.h"

enum { RUNS_LONGEST = 64 };

/* A run of so many steps as a graph, of what kernels were given then. */
struct recorded_run {
    struct kernel_plan *plan;
    size_t count;
    struct graph *graph; /* NULL: none */
    char arguments[HASH_TEXT_SIZE];
    bool was_asked_for;
};

/* How steps are walked: see step_runs.c. */
struct plan_runs {
    struct buffer *expired; /* one int: 0, or the step of the run that exited early, from 1 */
    bool is_open;           /* a step: see step_runs.c */
    struct graph *building; /* of what has expired, where that can be recorded; NULL: none yet */
    uint64_t growths;       /* of the structure, when that was */
    struct kernel *predict, *find_moved, *note_places;
    uint64_t served, lasted; /* how many steps the structure, and the one before, served */
    double horizon;          /* how many the next one is built for */
    uint64_t renewals;       /* of structures that had served */
    uint64_t period;         /* steps from one part to the next that is renewed */
    uint64_t parts_renewed;
    uint64_t prunings;              /* those of them from an outer list that still did */
    uint64_t longest;               /* run; 0: as long as is wanted */
    char arguments[HASH_TEXT_SIZE]; /* a hash of what kernels are given */
    struct recorded_run recorded[RUNS_LONGEST + 1]; /* by their length */
};

/* The reciprocal part of an Ewald sum: see step_reciprocal.c. */
struct plan_reciprocal {
    struct case_spec specs[2];    /* of workload pme: without sums, and with those of the case */
    struct kernel_plan *plans[2]; /* of them; the second NULL where no sums are asked for */
    double alpha, coulomb;
    double constant, background; /* energies: that of no place, and what it has of a net charge */
    struct excluded_partners partners;        /* by member */
    struct buffer *excluded_start, *excluded; /* by place */
    struct member_order order;                /* for which they were written, */
    bool is_placed;                           /* if they were */
    bool is_begun;                            /* beside what follows, for the forces to come */
    struct buffer *excluded_sums;
    struct kernel *add_forces, *sum_excluded, *add_sums;
};

/* Time steps: the state that they change, the one that each launch begins with, and what else they
 * take. All of one set, the first. */
struct plan_steps {
    struct buffer *start_position, *start_rest;                 /* by member: n real4 */
    struct buffer *start_velocity;                              /* by member: n accum4 */
    struct buffer *start_crossing;                              /* by member: n int4 */
    struct buffer *position_rest, *velocity, *crossing, *force; /* by place, see bindings.h */
    struct buffer *index;                                       /* by place: n int, the member */
    struct buffer *cells, *box_of; /* of a batch whose boxes have their own: a box_args each, and n
                                      int by member; else small ones */
    struct buffer *totals, *thermostat, *field;
    struct buffer *parameters; /* of a step, in constant memory of OpenCL; else NULL */
    struct buffer *face_sums;  /* FACE_NUMBERS int64 per type; where nobody counts, one */
    double face_scale;         /* of them per momentum; 0: nobody counts */
    int64_t step;              /* the number of the state before the step that is enqueued next */
    double start_thermostat[THERMOSTAT_NUMBERS]; /* zeros but of a simulation that goes on */
    double start_speed;    /* root mean square of the velocities; NaN: not known yet */
    uint64_t start_step;   /* 0 likewise */
    struct program *quiet; /* the case without energies, for the steps where nobody asks for them;
                              NULL: none are asked for at all */
    struct kernel *quiet_kernels[VARIANT_MAX_PASSES]; /* of it, or of the case's own program */
    struct kernel *place_state, *convert_displacement;
    struct kernel *keep_state, *sum_state;    /* see step_motion.c; NULL without fp64 */
    struct buffer *state_sums, *astray;       /* what they leave; likewise */
    struct rigid_molecules molecules;         /* of settle; else none */
    struct buffer *water_atoms, *water_sides; /* by place, see bindings.h; never NULL */
    struct buffer *molecule_begin;            /* likewise, by boxes */
    struct exchange *exchange;                /* NULL: molecules stay where they are */
    struct plan_reciprocal *reciprocal;       /* NULL: pairs alone */
    /* kernel_plan_create() and its end, which know this driver: of the reciprocal part. */
    bool (*make_part)(const struct plan_input *input, struct kernel_plan **plan,
                      struct error *error);
    void (*free_part)(struct kernel_plan *plan);
    struct plan_runs runs;
    bool is_ready; /* the state is that of the start, and the forces are there */
    bool is_moved; /* the start is not that of the box */
};

/* ---- step_driver.c: a launch of steps ---- */

extern const struct launch_driver steps_driver;

/* ---- step_state.c: the state, and what kernels are given ---- */

/* Makes the state of the start and of now; kernels are compiled, sets made. */
bool steps_allocate(struct kernel_plan *plan, struct error *error);
/* Finds the molecules that settle keeps rigid, and their sides. */
bool steps_find_molecules(struct kernel_plan *plan, struct error *error);
/* Whether the kernels are given what counts crossings, and asked to. */
bool steps_count_crossings(const struct kernel_plan *plan);
/* Enqueues that identical molecules change places; kernels then walk what is no longer true of any
 * place. Nothing where they stay. */
bool steps_exchange(struct kernel_plan *plan, struct error *error);
/* Puts the numbers of a step in constant memory, where kernels look for them there; programs are
 * compiled, face_scale is known. */
bool step_parameters_create(struct kernel_plan *plan, struct error *error);
/* Writes what STEP_PARAMETERS stands for; returns how many. */
size_t step_parameters_arguments(const struct kernel_plan *plan, struct argument *arguments);
/* Fills in what kernels are given of the state, of the thermostat, of the field, of molecules. */
void steps_fill_arguments(const struct kernel_plan *plan, struct case_arguments *arguments);
/* The members' positions, then their velocities and one over their masses, then crossings (zero,
 * or `drawn`: what came before is not to matter) and the types, as each launch begins with them. */
bool steps_write_positions(struct kernel_plan *plan, const struct box *box, struct error *error);
bool steps_write_velocities(struct kernel_plan *plan, const struct box *box, struct error *error);
bool steps_write_types(struct kernel_plan *plan, bool drawn, struct error *error);
/* Launches a kernel of steps with a work-item per particle. */
bool steps_launch(const struct kernel_plan *plan, struct kernel *kernel,
                  const struct argument *arguments, size_t count, struct error *error);

/* ---- step_lists.c: what steps walk ---- */

/* The last arguments of a pass: of the integrator as many as RUNS_OWN_ARGUMENTS. */
size_t runs_arguments(const struct kernel_plan *plan, int index, struct argument *arguments);
/* Whether what steps walk serves several of them, until a test says that it does not. */
bool lists_outlive_steps(const struct kernel_plan *plan);
/* Whether steps ask, by themselves, if it still serves. */
bool lists_are_tested(const struct kernel_plan *plan);
/* Whether the passes before the forces fill the structure, so that it is not built in steps. */
bool lists_are_filled(const struct kernel_plan *plan);
/* Whether it has parts that steps renew. */
bool lists_have_parts(const struct kernel_plan *plan);
/* Renews a part where it is time for it in step number `served` of what they walk, which is `mark`
 * of the run. */
bool lists_renew_part(struct kernel_plan *plan, uint64_t served, int mark, struct error *error);
/* What steps walk ended with number `served` of them; `too_far`: a particle had come too far since
 * the last part. */
void lists_adapt_period(struct kernel_plan *plan, uint64_t served, bool too_far);
/* Builds all, for where particles will be; pushed: by forces, too. */
bool lists_build(struct kernel_plan *plan, bool pushed, const struct stage_watch *watch,
                 struct error *error);
/* Builds what has served anew and, of what that is built from, what does not serve those places. */
bool lists_rebuild(struct kernel_plan *plan, struct error *error);
/* The same where it is no longer valid and no pass has filled it. Waits where it has to ask. */
bool lists_renew(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error);
/* Enqueues the question: where the answer is no, the rest of the run does nothing. */
bool lists_enqueue_test(struct kernel_plan *plan, int mark, struct error *error);

/* ---- step_reciprocal.c: the reciprocal part of an Ewald sum. Nothing where there is none ---- */

/* Kernels are compiled, sets made. */
bool reciprocal_create(struct kernel_plan *plan, struct error *error);
void reciprocal_free(struct kernel_plan *plan); /* before the sets */
/* Says that the reciprocal part may run beside this kernel. */
void reciprocal_share(const struct kernel_plan *plan, struct kernel *kernel);
/* Has excluded pairs where their particles are in the order of now; may wait. */
bool reciprocal_place(struct kernel_plan *plan, struct error *error);
/* Enqueues that what it has computed is garbage. */
bool reciprocal_invalidate(struct kernel_plan *plan, struct error *error);
/* Around the kernels of the pairs: enqueues it, beside them or behind, and adds it to the forces
 * and, asked, to the sums. It can begin before, where positions are those already. */
bool reciprocal_begin(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                      struct error *error);
bool reciprocal_end(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                    struct error *error);

/* ---- step_runs.c: taking steps ---- */

bool runs_create(struct kernel_plan *plan, struct error *error);
void runs_free(struct kernel_plan *plan);
/* Builds what the forces walk, for a launch that begins with the positions as they are now. */
bool runs_begin(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error);
/* Enqueues the forces alone; asked: and the sums. */
bool runs_enqueue_forces(struct kernel_plan *plan, bool asked, struct error *error);
/* Takes steps from the state as it is now; asked: for energies, at the last. Waits where the
 * device is asked whether the list has expired. `watch` is called for the first step alone. */
bool runs_enqueue(struct kernel_plan *plan, uint64_t count, bool asked,
                  const struct stage_watch *watch, struct error *error);

/* ---- step_motion.c: the state to and from the host ---- */

/* What simulations need besides. */
bool motion_tools_create(struct kernel_plan *plan, struct error *error);
void motion_tools_free(struct kernel_plan *plan);
/* Finds start_speed where it is not known: by the device, from the state of the start, so that the
 * same state has the same whether the host has sent it or not. */
bool motion_find_speed(struct kernel_plan *plan, struct error *error);
/* Waits, and takes what a launch of steps gave besides results and sums: kinetic energy,
 * velocities, what went through faces. */
bool steps_collect(const struct kernel_plan *plan, struct evaluation *evaluation,
                   struct error *error);
/* The same from what was copied behind a launch, but for velocities; behind other sums. */
bool steps_take_sums(const struct kernel_plan *plan, const struct raw_sums *raw,
                     struct evaluation *evaluation, struct error *error);

#endif
