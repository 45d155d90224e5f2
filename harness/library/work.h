/* work — what evaluations and lists of neighbours share: arrays copied to the device, positions
 * taken from them, results copied back. Private to this folder. */
#ifndef PAIRMARK_LIBRARY_WORK_H
#define PAIRMARK_LIBRARY_WORK_H

#include "library/library.h"
#include "prepare/kernel_plan.h"

enum { GROUP = 128, NUMBERS = PM_FLOAT + 1, VIRIAL_NUMBERS = 9 };

/* frame_args of arrays.cl, where it has doubles; else as many floats. */
enum { FRAME_NUMBERS = 15 };

/* As in arrays.cl, which says what they are. */
enum note {
    NOTE_OUTSIDE,
    NOTE_CROSSED,
    NOTE_NOWHERE,
    NOTE_PARTICLE,
    NOTE_MOVED,
    NOTE_CELL,
    NOTE_ENTRIES,
    NOTE_LISTED,
    NOTES
};

struct library_work {
    const struct pm_context *context;
    struct device *device; /* its */
    const struct case_spec *spec;
    const struct groups *groups; /* NULL: all particles, one group */
    struct library_case *library_case;
    size_t n;                 /* particles of the program; the box has all copies of them */
    struct rotation rotation; /* to the cell of the box */
    double vectors[9];        /* of the cell, as they were given */
    struct box box;    /* as the program has it, at the positions that the plan was made for */
    struct box placed; /* the same as the device has it */
    struct kernel_plan *plan;
    struct program *program;
    struct kernel *take_positions[NUMBERS], *give_vectors[NUMBERS], *give_members[NUMBERS],
        *give_sums[NUMBERS], *give_energies[NUMBERS], *spoil[NUMBERS], *add_sums, *finish_list,
        *count_runs, *place_runs, *correct_excluded, *add_corrections;
    struct buffer *totals;          /* sums of all passes, of each box of a batch */
    struct buffer *frames, *box_of; /* of a periodic batch: of each box; of each particle */
    struct buffer *notes;           /* of positions: see arrays.cl */
    int32_t call;                   /* that took positions last: what notes are compared with */
    int32_t *host_notes;            /* the same in memory of the host, but for NOTE_CROSSED */
    struct buffer *notes_on_host;   /* where kernels write it; NULL: they do not reach it */
    struct event *noted;            /* behind what took positions last, where somebody waits */
    bool asked; /* that looked whether what was built serves the particles: NOTE_MOVED */
    struct buffer *index[MAX_SETS];        /* of groups: particles of their members */
    struct buffer *place_begin, *place_of; /* of particles in groups, see arrays.cl */
    struct buffer *position, *force, *energy,
        *virial;             /* of arrays in host memory; NULL until then */
    struct buffer *crossing; /* of lists with shifts: see arrays.cl; NULL until then */
    struct buffer *runs;     /* of lists by first particles: an int each; NULL until then */
    void *direct;            /* the program's array that kernels write forces to; NULL: none */
    double frame[MAX_SETS][FRAME_NUMBERS];
    double moved;        /* no particle has moved farther since the structure was built */
    double announced;    /* by pm_moved(); NaN: nothing was */
    uint64_t seed, next; /* of draws: the last seed, and the step behind the last */
    struct thermostat_state thermostat; /* of time steps: behind the last */
    struct library_energies *energies;  /* NULL until they are asked for */
    void (*free_energies)(struct library_energies *energies);
    struct library_long_range *long_range; /* NULL: pairs are all there is */
    struct box_lists *box_lists;           /* of boxes; NULL: a plan makes what is wanted */
    int32_t *first_of_box;                 /* there: the first particle of each, and the end */
    bool built;
    bool has_positions; /* of the box: a program's */
    bool outgrown;      /* particles have left the bounds, where there are no images, once */
};

static inline bool work_is_of_lists(const struct library_work *work) {
    return work->spec->variant->workload->buffers == &neighbour_buffers;
}

static inline bool work_has_particles(const struct library_work *work) {
    return workload_has_particles(work->spec->variant->workload);
}

/* The arrays of an evaluation as buffers; NULL: not wanted. */
struct brought {
    struct buffer *position, *force, *energy, *virial;
    struct buffer *cell; /* of a list, to be compared */
    bool owned;          /* by nobody else: wrapped */
};

/* Boxes of a batch, each of which has an energy and a virial; else 1. */
static inline size_t boxes_of(const struct library_work *work) {
    return box_count(&work->box);
}

static inline size_t number_bytes(const struct pm_arrays *arrays) {
    return arrays->number == PM_FLOAT ? sizeof(float) : sizeof(double);
}

static inline int width_of(const struct pm_arrays *arrays) {
    return arrays->width ? arrays->width : 3;
}

static inline size_t vector_bytes(const struct library_work *work, const struct pm_arrays *arrays) {
    return work->n * (size_t)width_of(arrays) * number_bytes(arrays);
}

struct argument work_rotation_argument(const struct library_work *work);
struct argument work_frame_argument(const struct library_work *work, int set);

/* Makes another work for the same particles, without groups. Its case, which must outlive it, has
 * as many copies of them. */
bool work_create_beside(const struct library_work *work, struct library_case *library_case,
                        struct library_work **made, struct error *error);

/* The path of the kernel that computes the energy of each particle; NULL: there is none. */
const char *work_energies_path(const struct library_work *work);
void work_drop_energies(struct library_work *work);

/* What charges beyond the cutoff add to the results of pairs. */
struct library_long_range {
    struct library_case library_case;
    struct library_work *work;      /* of reciprocal space */
    double alpha, coulomb;          /* of its sum, and of the pairs' */
    double squares, charge;         /* sums over the particles: of q^2, of q */
    struct buffer *start, *partner; /* of excluded pairs; NULL: there are none */
    struct buffer *partial;         /* SUMS of each group of work-items */
};

/* Parts of the evaluation in long_range.c. The first subtracts the reciprocal part of excluded
 * pairs from forces and sums, by so many groups of work-items; the second adds the terms that
 * belong to no particle. */
bool long_range_correct(struct library_long_range *range, size_t *groups, struct error *error);
bool long_range_add_constants(const struct library_long_range *range, size_t groups,
                              struct error *error);
/* Frees it, if there is one. */
void work_drop_long_range(struct library_work *work);

/* Lists of neighbours in many boxes, without a plan (box_lists.c): made for a system; positions
 * taken; launched; the number of entries needed. Arrays and room are as of a plan. */
bool work_make_box_lists(struct library_work *work, const struct pm_system *system,
                         struct error *error);
void work_drop_box_lists(struct library_work *work);
bool box_lists_compile(struct library_work *work, struct error *error);
bool box_lists_take(struct library_work *work, const struct pm_arrays *arrays,
                    const struct brought *brought, struct error *error);
bool box_lists_launch(struct library_work *work, struct error *error);
bool box_lists_needed(const struct library_work *work, int32_t *needed, struct error *error);
struct lists_arguments *box_lists_arrays(struct library_work *work);
bool box_lists_reserve(struct library_work *work, int32_t room, struct error *error);

/* Makes the plan for the positions in the box. */
bool work_make_plan(struct library_work *work, struct error *error);

bool work_check_arrays(const struct library_work *work, const struct pm_arrays *arrays,
                       struct error *error);
/* Checks the alignment of memory that takes the place of arrays: CUDA kernels write 16 bytes at
 * once. */
bool work_check_alignment(const struct library_work *work, const struct pm_arrays *arrays,
                          const char *name, const void *memory, struct error *error);

/* Adopts the program's queue and wraps its arrays, or copies those in host memory to the device.
 * Release what was brought even after a failure. */
bool work_bring(struct library_work *work, const struct pm_arrays *arrays, struct brought *brought,
                struct error *error);
void work_release(struct brought *brought);
/* Whether the wrapping of each particle into the cell is recorded: images in a list count from
 * where the program has the particles. */
bool work_keeps_crossings(const struct library_work *work);
/* Takes positions into the plan, and makes one where there is none. */
bool work_place(struct library_work *work, const struct pm_arrays *arrays,
                const struct brought *brought, struct error *error);
/* Notes (notes.c): allocates them; the argument of kernels that write them to host memory; marks
 * the end of what takes positions; waits for that; whether a note is of the last call. */
bool work_make_notes(struct library_work *work, struct error *error);
void work_free_notes(struct library_work *work);
struct argument work_host_notes_argument(const struct library_work *work);
bool work_note_end(struct library_work *work, struct error *error);
bool work_wait_for_notes(struct library_work *work, struct error *error);
bool work_is_noted(const struct library_work *work, enum note note);
bool work_fail_of_place(size_t particle, struct error *error);
/* Fails with STATUS_BAD_INPUT where a position of the last call was not finite: the first after the
 * notes were waited for; the second waits for everything enqueued. */
bool work_check_noted_places(const struct library_work *work, struct error *error);
bool work_check_places(struct library_work *work, struct error *error);
/* Enqueues an evaluation that leaves its results in the arrays of the program. */
bool work_compute(struct library_work *work, const struct pm_arrays *arrays,
                  struct brought *brought, struct error *error);
/* Ends a call after everything enqueued. Returns whether the call was `done` and this succeeded. If
 * not, the plan is discarded and nothing enqueued still uses host arrays. */
bool work_leave(struct library_work *work, const struct pm_arrays *arrays, bool done,
                struct error *error);

/* The arrays of the program that a call without particles sets to zeros. */
struct zeros {
    void *memory; /* NULL: none */
    size_t bytes;
};
bool work_give_nothing(struct library_work *work, const struct pm_arrays *arrays,
                       const struct zeros *zeros, size_t count, struct error *error);

/* Wraps an array of the program on the device; *buffer is unchanged where `memory` is NULL. */
bool work_wrap(struct library_work *work, const char *what, const void *memory, size_t bytes,
               struct buffer **buffer, struct error *error);

/* Copies to the device the members of the groups, and the places of each particle in them. */
bool work_place_groups(struct library_work *work, struct error *error);
void work_free_groups(struct library_work *work);

#define LAUNCH(kernel, items, arguments, error)                                                    \
    kernel_launch(kernel, ((items) + GROUP - 1) / GROUP, GROUP, arguments,                         \
                  sizeof(arguments) / sizeof(arguments)[0], error)

#endif
