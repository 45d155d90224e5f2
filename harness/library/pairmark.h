/*
 * pairmark.h — pairmark's kernels in your own program: forces, energy and virial of particles, or
 * lists of their neighbours, from positions in memory of the host or of the device.
 *
 *   pm_open()          a context: a device, by OpenCL or CUDA
 *   pm_system_create() what there is: particles, cell, types, charges, exclusions, potential
 *   pm_kernel_create() how it is computed: a variant that `pairmark list` names, and its tunables
 *   pm_evaluate()      positions in, forces, energy and virial out; as often as wanted
 *   pm_neighbours()    positions in, a list of neighbours out
 *   pm_random()        a seed and a step in, random numbers out
 *   pm_steps()         positions and velocities in, those after some time steps out
 *
 * Units are yours. The potential's parameters, positions and cell share one unit of length;
 * energies are in the potential's unit, forces in that per length. docs/library.md is a tour.
 *
 * Errors. A function that can fail returns PM_OK or why it failed, and writes that with a message
 * to *error, which may be NULL. A call that failed has changed nothing but what its comment says.
 * Nothing is printed, and no function ends the process. A null pointer where an object or array is
 * expected is PM_BAD_INPUT.
 *
 * Ownership. pm_..._create() and pm_open() hand out an object that the caller gives back to the
 * matching pm_..._free() or pm_close(), which accept NULL. Arrays and words that are passed in are
 * copied, or used up before the function returns; device memory is used until the queue is past the
 * evaluation.
 *
 * Threads. Any number of contexts may be in use at once. Calls for one context and its kernels wait
 * for each other; a system, or one kernel's pm_kernel_free(), is used by one thread at a time. Once
 * a process has called pm_open(), no child of its fork() can use devices: each call that would
 * returns PM_FORKED at once. Open devices after fork(), or start processes by exec(); of Python's
 * multiprocessing by the methods spawn and forkserver. How the calling thread rounds and traps, and
 * its locale, do not matter to a call, and are the same after it.
 *
 * Kernels are compiled at first use and kept in PAIRMARK_CACHE, else XDG_CACHE_HOME/pairmark, else
 * ~/.cache/pairmark, as those of the program are.
 */
#ifndef PAIRMARK_H
#define PAIRMARK_H

#include <stddef.h>

#if defined(__GNUC__)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

enum pm_status {
    PM_OK = 0,
    PM_BAD_INPUT = 1,     /* an argument makes no sense, or does not fit the others */
    PM_UNSUPPORTED = 2,   /* the device or the variant cannot do it */
    PM_OUT_OF_MEMORY = 3, /* of the host or the device */
    PM_COMPILE_ERROR = 4, /* the device's compiler refused the kernel; the message has its log */
    PM_LAUNCH_ERROR = 5,  /* a kernel or a copy failed on the device */
    PM_SYSTEM = 6,        /* there is no such device, or the driver failed */
    PM_FORKED = 7,        /* before fork() the parent of this process had opened a device */
    PM_NO_ROOM = 8        /* a list of neighbours needs more room than there is */
};

typedef struct pm_error {
    enum pm_status status;
    char message[2048]; /* of a compiler several lines, else one; no line break at the end */
} pm_error;

/* ---- versions ---- */

#define PAIRMARK_VERSION "1.0.0" /* of this header */
#define PAIRMARK_VERSION_MAJOR 1
#define PAIRMARK_VERSION_MINOR 0
#define PAIRMARK_VERSION_PATCH 0

/* The same of the library that is linked. */
PM_API const char *pm_version(void);

/* Structs that the caller fills begin with their size in bytes, so that members can be added. In C:
 *     pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = f);
 * and in C++ before 20:
 *     pm_arrays arrays = {};
 *     arrays.size = sizeof arrays;
 * A program that was compiled with an older header passes a smaller size: members that it does not
 * have are zero. With a newer header it passes a larger one: PM_UNSUPPORTED where a member that the
 * library does not know is not zero. PM_BAD_INPUT: a size that is none. */
#define PM_CHOICE(...)                                                                             \
    { .size = sizeof(pm_choice), __VA_ARGS__ }
#define PM_ARRAYS(...)                                                                             \
    { .size = sizeof(pm_arrays), __VA_ARGS__ }
#define PM_MOTION(...)                                                                             \
    { .size = sizeof(pm_motion), __VA_ARGS__ }
#define PM_LIST(...)                                                                               \
    { .size = sizeof(pm_list), __VA_ARGS__ }
#define PM_GROUPS(...)                                                                             \
    { .size = sizeof(pm_groups), __VA_ARGS__ }
#define PM_TRIAL(...)                                                                              \
    { .size = sizeof(pm_trial), __VA_ARGS__ }
#define PM_DRAW(...)                                                                               \
    { .size = sizeof(pm_draw), __VA_ARGS__ }

/* ---- what there is ---- */

/* Each device, best first. `unusable`: "", or why it cannot be opened. Words are there during the
 * call alone. */
typedef void pm_take_device(void *data, const char *name, const char *model, const char *unusable);
PM_API enum pm_status pm_devices(pm_take_device *take, void *data, pm_error *error);

/* Each variant that pm_choice can name, its workload, and what it is in a line. Opens no device. */
typedef void pm_take_variant(void *data, const char *name, const char *workload,
                             const char *summary);
PM_API enum pm_status pm_variants(pm_take_variant *take, void *data, pm_error *error);

/* ---- contexts ---- */

typedef struct pm_context pm_context;

/* Opens a device that `pairmark devices` lists, "cuda:0" or "opencl:0:0"; NULL: the best one. K of
 * cuda:K is CUDA's own number. Of CUDA it is the primary context, the one of cudaSetDevice(K) and
 * cuDevicePrimaryCtxRetain(); the calling thread keeps the context that was current. PM_BAD_INPUT:
 * no device has that name; the message lists those that there are. */
PM_API enum pm_status pm_open(const char *device, pm_context **context, pm_error *error);

/* Opens a device in a context of OpenCL that the caller has: a cl_context and a cl_device_id of it.
 * Needed to pass cl_mem and cl_command_queue to pm_evaluate(). The cl_context is retained. */
PM_API enum pm_status pm_open_opencl(void *cl_context, void *cl_device, pm_context **context,
                                     pm_error *error);

/* Kernels of it can be freed afterwards, and nothing else done with them: PM_BAD_INPUT. */
PM_API void pm_close(pm_context *context);

/* "cuda:0 (NVIDIA H100)"; lives as long as the context. */
PM_API const char *pm_device(const pm_context *context);

/* What can go wrong on this device all the same, in one line, or "": PoCL 5.0 to 6.x compiles some
 * kernels wrongly unless libpairmark_pocl.so is preloaded. Lives as long as the context. */
PM_API const char *pm_caution(const pm_context *context);

/* Has `say` told what takes time, a line each, without a line break: kernels made ready for a
 * system, with how many programs were compiled for that, and each variant that pm_kernel_best()
 * times. It is called within calls for the context, and calls none. NULL: nobody is told, as at
 * first. */
PM_API enum pm_status pm_log(pm_context *context, void (*say)(void *data, const char *line),
                             void *data, pm_error *error);

/* ---- systems ---- */

typedef struct pm_system pm_system;

/* n particles, 0 to 2^29 - 1, of one type "A" and mass 1. `cell`: 9 numbers, the cell
 * vectors a, b, c one after the other, of any direction and hand; NULL: an open box. Positions,
 * forces, virial and vectors of lists are in the axes of these vectors; kernels need a along x and
 * b in the xy plane, and other cells are rotated on the device. PM_BAD_INPUT for those without
 * volume. */
PM_API enum pm_status pm_system_create(size_t n, const double *cell, pm_system **system,
                                       pm_error *error);
PM_API void pm_system_free(pm_system *system);

/* Along which of a, b, c the cell has images, a flag each, at least one of them 1: of a slab two.
 * All have at first; each call takes some away, for good. A vector without them is made
 * perpendicular to the others, its length means nothing, and no position along it is too far.
 * PM_BAD_INPUT: a system without a cell. */
PM_API enum pm_status pm_system_periodic(pm_system *system, const int *along, pm_error *error);

/* The particles are those of `count` boxes that know nothing of each other: box b has those from
 * begin[b] to begin[b + 1] (count + 1 numbers, the first 0, the last n; a box may have none).
 * `cells`: 9 numbers each; NULL: open boxes. The system was made without a cell.
 *
 * Forces, by variants that take box_begin ("boxes_half"): energy and virial are of each box,
 * `count` numbers, and 9 each. Cells have a along x and b in the plane of x and y, and heights of
 * at least twice the cutoff; without `energies`, pm_set_cell() and pairs that do not interact but
 * by molecule and "next:K".
 *
 * Lists of neighbours, by variant "neighbours": all boxes in one pass, csr or coo, in ascending
 * order of first particles, then of second ones. Cells are any, also smaller than the cutoff; along
 * a vector of zeros a box has no images. Each particle looks at all others of its box: of boxes
 * with many thousands, one kernel for each takes less time. No `table`, no exclusions. */
PM_API enum pm_status pm_system_boxes(pm_system *system, const size_t *begin, size_t count,
                                      const double *cells, pm_error *error);

/* `type`: n numbers from 0 to types - 1. `names`: `types` words, at most 1000, of at most 15
 * characters, by which potential and table know them. */
PM_API enum pm_status pm_system_types(pm_system *system, const int *type, const char *const *names,
                                      int types, pm_error *error);
/* n numbers each. Masses are positive. Particles of one molecule share a number in `molecule`. What
 * acts on charges has a kernel only where they were given: PM_BAD_INPUT. */
PM_API enum pm_status pm_system_charges(pm_system *system, const double *charge, pm_error *error);
PM_API enum pm_status pm_system_masses(pm_system *system, const double *mass, pm_error *error);
PM_API enum pm_status pm_system_molecules(pm_system *system, const int *molecule, pm_error *error);

/* Pairs that do not interact, in the place of those said before. pm_system_exclude(): "molecule",
 * "next:K" (each particle with the K that follow it) or a file, as --exclude has it; NULL: none.
 * pm_system_exclude_pairs(): 2 `count` particles, counted from 0. */
PM_API enum pm_status pm_system_exclude(pm_system *system, const char *word, pm_error *error);
PM_API enum pm_status pm_system_exclude_pairs(pm_system *system, const int *pairs, size_t count,
                                              pm_error *error);

/* The potential and the cutoff, required. `interaction`: the words of --interaction, a name with
 * parameters
 * ("lj:epsilon=1,sigma=1", "lj+ewald-real:alpha=0.28,coulomb=1389.35") or an expression
 * ("energy = ..."). `table`: parameters by pair of types as --table has them, the text itself where
 * it has a line break, else the name of a file; NULL: none. `cutoff`: a length; INFINITY: none, in
 * an open box alone. Where it is more than half a height of the cell, each particle meets all
 * images within the cutoff, its own too: the device has as many copies of the particles side by
 * side as that takes, which costs accordingly. Such a cell has no exclusions and no groups of
 * pairs. Lists of neighbours take no notice of `interaction`, which may be NULL; any finite cutoff;
 * and a `table` of cutoffs by types. Of a coordination `interaction` is its switching function
 * ("rational:r0=1.1,n=6,m=12,dmax=2.5"), which ends by itself: `cutoff` does not count. Nor does it
 * of terms of many bodies, "eam" (with a `table`) or "sutton-chen", and "stillinger-weber", for
 * variants of workloads eam and three_body: their `table` is a file of LAMMPS (.eam.alloy, .sw) or
 * its text, whose elements are the names of types; there are no exclusions. Bonded terms need none
 * of this. */
PM_API enum pm_status pm_system_potential(pm_system *system, const char *interaction,
                                          const char *table, double cutoff, pm_error *error);

/* Charges beyond the cutoff, by an Ewald sum on a grid: "pme", or with parameters as
 * --interaction has them ("pme:coulomb=1389.35457644,tolerance=1e-6"; docs/pme.md); NULL: none.
 * Kernels of workloads forces and step then compute the potential, which has no charges itself
 * (NULL words: nothing else), and the whole sum: real space up to the cutoff, reciprocal space,
 * self energy, a uniform background where there is a net charge, and not what excluded pairs have
 * of it. alpha follows from tolerance and cutoff unless it is said, and stays where the cell
 * changes. The cell is periodic along all vectors; of the energy there is no part for each
 * particle. */
PM_API enum pm_status pm_system_long_range(pm_system *system, const char *words, pm_error *error);

enum pm_terms { PM_BONDS = 0, PM_ANGLES = 1, PM_TORSIONS = 2, PM_RB_TORSIONS = 3 };

/* Adds `count` bonded terms: their particles, counted from 0 (2, 3, 4 or 4 a term), and their
 * parameters, in the order of docs/bonded.md (k r0; force constant, theta0 in degrees; force
 * constant, multiplicity, phi0 in degrees; c0 to c5). */
PM_API enum pm_status pm_system_terms(pm_system *system, enum pm_terms kind, const int *particles,
                                      const double *parameters, size_t count, pm_error *error);

/* Particles, counted from 0. */
typedef struct pm_groups {
    size_t size;  /* PM_GROUPS() */
    const int *a; /* count_a of them; NULL: all particles */
    size_t count_a;
    const int *b; /* count_b of them; NULL: there is no second group */
    size_t count_b;
    int paired; /* 1: a[k] belongs to b[k]; else 0 */
} pm_groups;

/* Between whom a coordination is, in place of all pairs: each pair of particles of `a`; with `b`,
 * each particle of a with each of b, but itself; where `paired`, a[k] with b[k]. Both NULL: all
 * pairs. PM_BAD_INPUT: a particle that there is not, is twice in a group (of pairs it may be in
 * several), or is paired with itself. */
PM_API enum pm_status pm_system_groups(pm_system *system, const pm_groups *groups, pm_error *error);

/* ---- kernels ---- */

typedef struct pm_kernel pm_kernel;

enum pm_precision {
    PM_PRECISION_FLOAT = 0,
    PM_PRECISION_MIXED = 1, /* in float, sums in double */
    PM_PRECISION_DOUBLE = 2,
    PM_PRECISION_FIXED = 3 /* in float, sums in fixed point: of 2^31 or more infinite or NaN */
};

/* Each with those before it. */
enum pm_outputs { PM_OUTPUTS_FORCES = 0, PM_OUTPUTS_ENERGY = 1, PM_OUTPUTS_VIRIAL = 2 };

enum pm_form { PM_MATRIX = 0, PM_CSR = 1, PM_COO = 2 };
enum pm_pairs { PM_FULL_LIST = 0, PM_HALF_LIST = 1 };
enum pm_entries { PM_SHIFTS = 1, PM_VECTORS = 2, PM_DISTANCES = 4 };
enum pm_distribution { PM_UNIFORM = 0, PM_GAUSSIAN = 1, PM_WORDS = 2, PM_KICK = 3 };

/* A variant and how it computes. Members of workloads that are not the variant's are zero:
 * PM_BAD_INPUT. */
typedef struct pm_choice {
    size_t size;          /* PM_CHOICE() */
    const char *variant;  /* as pm_variants() and `pairmark list` name it, of workload step any
                             integrator with any forces, "verlet+list_walk"; required. With a dot in
                             it: a kernel file (docs/kernels.md). "neighbours": the one of that
                             workload that suits cell, cutoff, size and device */
    const char *tunables; /* "GROUP_SIZE=128 SKIN=20": blanks or commas between; others are at their
                             presets, as in `pairmark eval` */
    const char *answer;   /* in place of both: a file that has the output of `pairmark best --json`,
                             whose first answer gives them */
    enum pm_precision precision;
    enum pm_outputs outputs; /* of forces, bonded, coordination, eam and three_body */
    /* Of neighbours, as the options --list... have it: */
    enum pm_form list;
    enum pm_pairs list_pairs;
    int list_entries; /* of enum pm_entries, added up; 0: indices alone */
    /* Of random numbers (docs/random.md): */
    enum pm_distribution distribution;
    /* Of time steps, as options have them (docs/steps.md): */
    double dt;              /* of a step, in the unit that masses, lengths and energies make */
    const char *thermostat; /* "nose-hoover:temperature=1.5,time=0.5": numbers of the variant's; or
                               of its integrator, "langevin:temperature=1,friction=1,seed=7" */
    const char *field;      /* "mass=0:0:-9.81" */
} pm_choice;

/* A kernel for a system as it is now: later changes of the system do not count, and it may be
 * freed. Nothing is compiled yet. PM_BAD_INPUT for unknown names and values, PM_UNSUPPORTED where
 * the variant does not take such a system. */
PM_API enum pm_status pm_kernel_create(pm_context *context, const pm_system *system,
                                       const pm_choice *choice, pm_kernel **kernel,
                                       pm_error *error);
/* "list_walk GROUP_SIZE=128 SKIN=12": variant and tunables; lives as long as the kernel, and
 * changes with pm_set_system(). */
PM_API const char *pm_kernel_words(const pm_kernel *kernel);

/* Waits until work that was enqueued with it is done. */
PM_API void pm_kernel_free(pm_kernel *kernel);

/* Compiles what the first evaluation would compile, into the cache. */
PM_API enum pm_status pm_compile(pm_kernel *kernel, pm_error *error);

enum pm_place {
    PM_HOST = 0,
    PM_DEVICE = 1 /* addresses of CUDA, or cl_mem */
};

enum pm_number { PM_DOUBLE = 0, PM_FLOAT = 1 };

/* Where an evaluation finds its input and leaves its results. Zeros are host memory, doubles,
 * triples. */
typedef struct pm_arrays {
    size_t size; /* PM_ARRAYS() */
    enum pm_place place;
    enum pm_number number; /* of all arrays, whatever the kernel computes in */
    int width;             /* of positions and forces: 3 (also 0) or 4 numbers a particle */
    const void *positions; /* n x width: x, y, z, and a fourth that is not read. Finite. Anywhere: a
                              periodic cell wraps them, on the device, up to 2^30 cells away */
    void *forces;   /* n x width: the fourth becomes 0, or on CUDA what a kernel leaves there that
                       does not write it. NULL: not wanted */
    void *energy;   /* 1 number, of boxes one each; NULL: not wanted */
    void *virial;   /* 9 numbers by rows, of boxes 9 each, sum of r_ij F_ij over pairs; NULL: not
                       wanted */
    void *queue;    /* of PM_DEVICE: a CUstream or cudaStream_t (NULL: the default stream), or
                       a cl_command_queue. The work is done in its order */
    void *energies; /* n numbers, of workloads forces, eam and three_body: to each particle that of
                       its embedding, half of that of each of its pairs, a third of that of each of
                       its triplets, by a kernel of its own; wanted alone, that is all that runs */
} pm_arrays;

/* One evaluation. Of a coordination `energy` is the coordination number, `forces` are its
 * derivatives by the positions, `virial` its derivatives by the box, as `pairmark eval` has them.
 * Particles keep their numbers from call to call.
 *
 * PM_HOST waits for the results. PM_DEVICE enqueues: what the queue gets afterwards finds the
 * results. It waits where it must look at the device: at the first evaluation, which reads the
 * positions back once, to size the structure; while a list is built; to ask whether a list still
 * serves (not after pm_moved()); whether particles have left bounds, in an open box for variants
 * with a structure, and where only some vectors have images.
 *
 * A neighbour list is built again as soon as a particle has moved by half its skin since the last
 * build. Rows grow where they are full, and no pair is lost. After a failure the next evaluation
 * begins anew.
 *
 * PM_BAD_INPUT: a position that is not finite, or too far away (the message names the particle);
 * energy or virial that the kernel's outputs do not have; memory that is not the device's. Where
 * PM_DEVICE does not wait, such a position makes all results NaN. PM_UNSUPPORTED: doubles on a
 * device without. */
PM_API enum pm_status pm_evaluate(pm_kernel *kernel, const pm_arrays *arrays, pm_error *error);

/* ---- the best kernel ---- */

typedef struct pm_trial {
    size_t size;             /* PM_TRIAL() */
    const pm_arrays *arrays; /* as pm_evaluate() takes them; what is in those of results afterwards
                                is of no use */
    double steps;            /* evaluations that a list serves: 1 or more */
    double milliseconds;     /* after which no other variant is timed: 0 or more */
} pm_trial;

/* The kernel that takes the least time for these arrays, here and now, and is right: variants of
 * workload forces or of that of the potential or, where the system has groups, coordination are
 * timed at their presets until `milliseconds` have passed, lists first, one at least. Each that is
 * faster than those before is compared with the serial reference, within the tolerances of
 * docs/gate.md, in time that does not count: of more than 32768 particles 512, and neither energy
 * nor virial. A variant that is compiled for the first time takes a second by that alone: the
 * second call finds more. variant, tunables and answer of *choice do not count. No tunable is
 * tried, and only `pairmark best` judges every launch. Waits. Errors: those of the last variant,
 * where none works and is right. */
PM_API enum pm_status pm_kernel_best(pm_context *context, const pm_system *system,
                                     const pm_choice *choice, const pm_trial *trial,
                                     pm_kernel **kernel, pm_error *error);

/* ---- neighbours ---- */

/* Where a list is left. Particle i has an entry (j, S) for each particle j and each image S of the
 * cell with r = x_j + S . cell - x_i, |r| <= cutoff, but not for itself as it is. Positions x are
 * those that were passed, also outside of the cell; S has three integers, one per cell vector, 0 in
 * an open box. In a half list each pair is once: j > i, or j = i and the first number of S that is
 * not 0 is positive. Entries of a row, and of coo, have no order.
 *
 * matrix: row i is entries i room to i room + count[i] - 1; `neighbours` of its others are -1
 * csr:    row i is entries row_begin[i] to row_begin[i + 1] - 1
 * coo:    entry e is of particle first[e]; *needed are there; by_first: in ascending order of
 * `first`, and whole numbers are int64_t, as numpy and ASE have them
 *
 * Arrays are in the place of the positions, and no two overlap. One that the choice does not have
 * must be NULL. On PoCL those of the host are written in place, without a copy, where all lie at
 * multiples of 128 bytes. */
typedef struct pm_list {
    size_t size;     /* PM_LIST() */
    size_t room;     /* entries that the arrays have room for: of a matrix in each row, else in all;
                        at most 2^31 - 1. 0: to learn what is needed; then arrays of entries may
                        be NULL */
    int *count;      /* n: entries of each particle; matrix and csr; may be NULL */
    int *row_begin;  /* n + 1; csr */
    int *first;      /* 1 an entry: i; coo */
    int *neighbours; /* 1 an entry: j */
    int *shifts;     /* 3 an entry: S */
    void *vectors;   /* 3 an entry: r; floats where the kernel's precision is float, else doubles */
    void *distances; /* 1 an entry: |r|; the same */
    int by_first;    /* 1: of coo, see above; else 0 */
    const void *cell; /* 9 numbers as the positions are: the cell as the program has it, in memory
                         that the host need not read; NULL: that of the kernel */
} pm_list;

/* A list of neighbours, by a kernel of workload neighbours. Of *arrays place, number, width,
 * positions and queue count; the others are NULL.
 *
 * *needed: the room that the list needs. PM_HOST waits for it, PM_DEVICE where `needed` is not NULL
 * (and where pm_evaluate() waits in an open box and at first). Where it is more than list->room the
 * call returns PM_NO_ROOM: count and row_begin are right, entries that did not fit are not there,
 * and nothing was written beyond the room. With arrays on the device and `needed` NULL that is for
 * the program to see: in count, or in row_begin[n] of csr; where a position is not finite or too
 * far away, these are -1.
 *
 * Where list->cell is not the cell of the kernel, which the device says with *needed, PM_BAD_INPUT:
 * the list is of no use, and pm_set_cell() changes the kernel's.
 *
 * Shifts and vectors of CUDA lie at a multiple of 16 bytes. PM_UNSUPPORTED: more images, particles
 * or entries than the variant can list; neighbours_tile lists any cutoff in any cell. */
PM_API enum pm_status pm_neighbours(pm_kernel *kernel, const pm_arrays *arrays, const pm_list *list,
                                    size_t *needed, pm_error *error);

/* ---- random numbers ---- */

/* Which numbers, and where they are left. */
typedef struct pm_draw {
    size_t size; /* PM_DRAW() */
    unsigned long long seed, step;
    void *numbers; /* n, on CUDA at a multiple of 16 bytes */
    enum pm_place place;
    void *queue; /* as in pm_arrays */
} pm_draw;

/* The n numbers of a step of a seed, by a kernel of workload random for a system of n "particles",
 * which needs no cell and no potential: floats or, of precision "double", doubles; of distribution
 * "words" 32 bits each. The same seed and step give the same numbers everywhere. Seed and step are
 * any of a generator without state (philox; of curand_philox steps below 2^30 in each 2^32). Those
 * with one (xorshift128, kiss) are seeded by step 0, and each step follows the one before:
 * PM_BAD_INPUT for others. PM_HOST waits, PM_DEVICE does not. */
PM_API enum pm_status pm_random(pm_kernel *kernel, const pm_draw *draw, pm_error *error);

/* ---- time steps ---- */

/* A state, in the caller's memory. */
typedef struct pm_motion {
    size_t size; /* PM_MOTION() */
    enum pm_place place;
    enum pm_number number;   /* of the arrays */
    int width;               /* as in pm_arrays */
    void *positions;         /* n x width, read and written: anywhere, and as far as particles go */
    void *velocities;        /* n x width, read and written; of leapfrog those half a step before */
    unsigned long long step; /* number of the state, read and written: random forces and periods go
                                by it, and 0 begins with a thermostat that has done nothing */
    void *forces;            /* n x width, written: those at the end; NULL: not wanted */
    double *energy, *virial; /* 1 and 9 numbers of the host, at the end, as in pm_arrays; or NULL */
    double *kinetic;         /* 1 number of the host: the energy of these velocities; or NULL */
    void *queue;             /* as in pm_arrays */
} pm_motion;

/* So many time steps, by a kernel of workload step: an integrator that is judged, with the forces
 * of a variant. The device takes them by itself; the state comes from the host and goes back to it
 * once a call, so that many steps a call cost least. 0 steps: forces and sums alone. Waits. Masses
 * are those of pm_system_masses(); rigid waters (settle) are those of pm_system_molecules(). A
 * cell of floats has the precision's numbers. After a failure the state is as it was.
 *
 * PM_BAD_INPUT: a particle that comes to move by more than the cell in a step. PM_UNSUPPORTED, by
 * pm_kernel_create(): a cell smaller than twice the cutoff or partly periodic, and without a cell
 * forces by a structure. */
PM_API enum pm_status pm_steps(pm_kernel *kernel, unsigned long long steps, pm_motion *motion,
                               pm_error *error);

/* ---- moves ---- */

/* Another cell from the next evaluation on, 9 numbers as pm_system_create() has them: that of a
 * barostat. Positions are the caller's to scale. Waits until work that was enqueued is done; the
 * next evaluation makes buffers and structures anew, but compiles nothing unless an orthorhombic
 * cell becomes a triclinic one, or the other way round. Tunables stay. PM_BAD_INPUT, and the cell
 * stays: it has no volume; or the system has none. PM_UNSUPPORTED, likewise: the cutoff is too long
 * for it, as pm_system_potential() says. */
PM_API enum pm_status pm_set_cell(pm_kernel *kernel, const double *cell, pm_error *error);

/* Another system from the next evaluation on, as pm_kernel_create() takes it: of another number of
 * particles, other types, charges, exclusions, cell or potential. Variant and tunables are those of
 * the choice; what was compiled serves again where the potential and the kind of cell stay, and so
 * costs nothing in any order of systems. Waits until work that was enqueued is done. After a
 * failure the kernel is as it was. Errors: those of pm_kernel_create(). */
PM_API enum pm_status pm_set_system(pm_kernel *kernel, const pm_system *system, pm_error *error);

/* Says before an evaluation that no particle has moved farther than `distance`, 0 or more, since
 * the one before. Then the device is not asked: the list is built again once such distances add up
 * to pm_reach(). 0 keeps whatever was built, INFINITY has it built again. Holds for
 * the next evaluation that is not refused; said several times before that, distances add up. */
PM_API enum pm_status pm_moved(pm_kernel *kernel, double distance, pm_error *error);

/* How far a particle may move before the structure must be built again: half the skin of a list, 0
 * for cells and before the first evaluation, INFINITY where there is no structure. */
PM_API enum pm_status pm_reach(pm_kernel *kernel, double *distance, pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
