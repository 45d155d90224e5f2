/*
 * variant — one way to compute a workload: a kernel file and what its header comment declares.
 *
 * Built-in files are embedded in the binary; a user's own is read from disk. Nothing but the header
 * registers a variant. The grammar is in docs/kernels.md.
 */
#ifndef PAIRMARK_KERNELS_VARIANT_H
#define PAIRMARK_KERNELS_VARIANT_H

#include "boxes/groups.h"
#include "core/error.h"
#include "core/quantity.h"
#include "kernels/potentials/interaction.h"
#include "kernels/workload.h"

#include <stddef.h>

enum {
    VARIANT_NAME_SIZE = TUNABLE_NAME_SIZE,
    VARIANT_MAX_PASSES = 14,
    VARIANT_MAX_WORKLOADS = 4,
    VARIANT_MAX_FORCES = 16,                  /* that an integrator names */
    VARIANT_MAX_OF_FILE = VARIANT_MAX_FORCES, /* variants, of one file */
    VARIANT_MAX_TUNABLES = 24,
    VARIANT_MAX_VALUES = TUNABLE_MAX_VALUES,
    VARIANT_MAX_ARGUMENTS = 32,
    VARIANT_MAX_SCRATCH = 8,
    VARIANT_MAX_NULLS = 4,
    VARIANT_MAX_HOLDS = 4,
    HOLDS_WORDS_SIZE = 256,
    COUNT_MAX_FACTORS = 12,
    LAUNCH_DIMENSIONS = 3,
    VARIANT_LARGEST_VALUE = TUNABLE_LARGEST_VALUE,
    /* A variant's own, the interaction's and TYPE_TABLE. */
    TUNINGS_MAX = VARIANT_MAX_TUNABLES + INTERACTION_MAX_TUNABLES + 1,
    TUNINGS_WORDS_SIZE = TUNINGS_MAX * (VARIANT_NAME_SIZE + 12) /* enough for tunings_describe */
};

/* The tunable by which a variant says how many streams of random numbers it has; the launch unit
 * `stream` is as many. */
#define STREAMS_TUNABLE "STREAMS"
/* One by which the pair function of a sum is one of its terms alone, for conditioning.cl. */
#define JUDGED_TERM_TUNABLE "JUDGED_TERM"

/* @holds: how large a tunable must be for what a box brings, which launch.h works out. */
struct holding {
    char tunable[VARIANT_NAME_SIZE];
    char words[HOLDS_WORDS_SIZE];
};

/* When a pass runs: see schedule.h. */
enum pass_when {
    PASS_EVERY_STEP,
    PASS_EVERY_REBUILD,
    PASS_WHEN_MOVED,
    PASS_WHEN_ASKED,
    PASS_BETWEEN_STEPS,
    PASS_ALL_STEPS
};
struct schedule {
    enum pass_when when;
    int steps; /* of PASS_EVERY_STEP: every so many */
};

/* How many: a sum of products, which launch.h reads and counts. */
struct count_factor {
    char sign;                    /* before it: + (also of the first), * or / */
    char name[VARIANT_NAME_SIZE]; /* a launch unit or a tunable; empty: */
    int number;
};
struct count {
    struct count_factor factors[COUNT_MAX_FACTORS];
    int factor_count; /* 0: there is none */
};

/* The shape of a CUDA kernel's launch, `grid ... block ...`, which launch.h reads and works out. A
 * dimension that is not given is 1. */
struct launch_grid {
    struct count grid[LAUNCH_DIMENSIONS], block[LAUNCH_DIMENSIONS], cluster[LAUNCH_DIMENSIONS];
    struct count shared; /* bytes of dynamic shared memory; none: 0 */
};

/* What a file of kernels is written in. */
enum kernel_language {
    LANGUAGE_DIALECT, /* .cl and others: compiled by every backend */
    LANGUAGE_CUDA,    /* .cu: CUDA C++ */
    LANGUAGE_PTX,     /* .ptx: what another compiler made, see devices/compiled_code.h */
    LANGUAGE_CUBIN    /* .cubin: machine code, likewise */
};

/* What the random numbers of a variant must be, @generator. */
enum generator {
    GENERATOR_NONE,
    GENERATOR_PHILOX,   /* philox4x32-10: result by result from a counter */
    GENERATOR_XORSHIFT, /* xorshift128: streams, as many as the tunable STREAMS says, taken in turn
                         */
    GENERATOR_KISS      /* kiss: the same */
};

/* Whether its numbers are those of streams. */
static inline bool generator_has_streams(enum generator generator) {
    return generator == GENERATOR_XORSHIFT || generator == GENERATOR_KISS;
}

/* Which way the device transforms, @transform: from a grid of real numbers to its spectrum, or
 * back.
 */
enum pass_transform { TRANSFORM_NONE, TRANSFORM_FORWARD, TRANSFORM_BACKWARD };

/* A transform of two of the variant's own buffers, its arguments: from, to. Or a kernel launch: one
 * work-item or one work-group for each unit, divided or multiplied by a tunable; or a grid of
 * blocks. */
struct pass {
    enum pass_transform transform;  /* TRANSFORM_NONE: a kernel */
    bool of_planes;                 /* of a transform: along y and z alone */
    char kernel[VARIANT_NAME_SIZE]; /* its name; of a transform "forward" or "backward" */
    struct launch_grid *launch; /* of CUDA C++, in place of what follows, owned by the variant whose
                                   file has the pass; else NULL */
    bool per_group;             /* a group for each unit, else a work-item */
    char unit[VARIANT_NAME_SIZE];       /* particle, compute_unit, or a count the structure has */
    char divisor[VARIANT_NAME_SIZE];    /* tunable; empty: 1 */
    char multiplier[VARIANT_NAME_SIZE]; /* tunable; empty: 1 */
    char arguments[VARIANT_MAX_ARGUMENTS]
                  [VARIANT_NAME_SIZE]; /* parameter names of the kernel, in order */
    int argument_count;
    struct schedule schedule;
    int line;                                /* of the header */
    unsigned scratch_taken, scratch_written; /* a bit per @scratch: parameters; those not const */
    bool takes_pair_parameters;              /* the list ends with PAIR_PARAMETERS */
    bool reads_types_alone;                  /* of these the body names PAIR_TYPE and no other */
    bool takes_step_parameters;              /* it ends with STEP_PARAMETERS */
    bool begins_with_sum_scratch;            /* the body's first word is SUM_SCRATCH */
};

/* Memory of the kernels' own, @scratch. */
struct scratch_buffer {
    char name[VARIANT_NAME_SIZE];
    char type[VARIANT_NAME_SIZE]; /* of an element */
    struct count count;
};

/* @forces: whose passes stand between those of an integrator. */
struct variant_forces {
    char names[VARIANT_MAX_FORCES]
              [VARIANT_NAME_SIZE]; /* in order; the file is a variant for each */
    int name_count;                /* 0: there are none */
    struct variant *variant; /* the one of this variant, of the workload whose forces these are */
    int first, count;        /* its passes among all */
};

struct variant {
    char name[VARIANT_NAME_SIZE];
    char summary[256];               /* the words after the dash on the first line */
    const struct workload *workload; /* what it computes: one of those that its file serves */
    const struct workload *workloads[VARIANT_MAX_WORKLOADS]; /* @workload, in order */
    /* The parameter by which its kernels write the result of the workload. */
    const struct workload_parameter *result;
    const struct structure_class *structure_class; /* of the name `structure` */
    int workload_count;
    int kth; /* of those that its file is */
    struct variant_forces forces;
    char integrator[VARIANT_NAME_SIZE]; /* @integrator verlet; empty: none */
    char thermostat[VARIANT_NAME_SIZE]; /* @thermostat nose-hoover; empty: none */
    /* @fills: the structure that passes before the forces fill in each step; empty: none. Where a
     * tunable is named, that one says whether they do: 0 they do not. */
    char fills[VARIANT_NAME_SIZE], fills_where[VARIANT_NAME_SIZE];
    enum group_mode groups; /* @groups one|two|pairs, where the workload takes groups */
    enum kernel_language language;
    int arch;                 /* @arch: the least architecture, as 90, or the only one */
    int standard;             /* @std c++17: 17 unless said */
    bool by_nvcc;             /* @compiler nvcc, else NVRTC */
    enum generator generator; /* of draws */
    unsigned precisions;      /* a bit for each enum precision that the types of its parameters fit;
                                 fixed      wants forces as force_sum */
    bool names_groups;        /* @groups stands in the header */
    bool names_arch;          /* so does @arch */
    bool arch_is_exact;       /* sm_90a */
    bool needs_cuda;          /* @needs cuda, or CUDA C++ */
    int warp_size;    /* @warps: the size of sub-groups that it is written for; 0: not said */
    bool accumulates; /* @accumulates force: the array starts as zero, its zeroing is timed */
    bool accepts_open, accepts_periodic; /* @boxes open periodic; both unless said */
    bool accepts_triclinic; /* @boxes triclinic: periodic ones of any cell, not of an orthorhombic
                               one alone */
    char interaction[256];  /* @interaction, as interaction_describe() spells it: the one that the
                               text computes; empty: any */
    char structure[VARIANT_NAME_SIZE];   /* none, sorted_cells, ... */
    char source_note[512];               /* @source: where the idea was published */
    char accumulated[VARIANT_NAME_SIZE]; /* the parameter that @accumulates was said of */
    struct pass *passes;
    int pass_count;
    struct tunable tunables[VARIANT_MAX_TUNABLES];
    int tunable_count;
    struct holding holds[VARIANT_MAX_HOLDS];
    int holds_count;
    struct scratch_buffer scratch[VARIANT_MAX_SCRATCH];
    int scratch_count;
    char nulls[VARIANT_MAX_NULLS]
              [VARIANT_NAME_SIZE]; /* @null: parameters that get a null pointer */
    int null_count;
    char *text;     /* the whole file, NUL-terminated; of compiled code, after its header */
    char path[256]; /* for #line and messages */
};

/* What variant_parse() and its like (kernels/header/read_variant.h) have filled in. */
void variant_free(struct variant *variant);
/* The tunable of that name, NULL: none; and whether there is one. */
const struct tunable *variant_tunable(const struct variant *variant, const char *name);
bool variant_has_tunable(const struct variant *variant, const char *name);

/* Its @warps or, of a step, that of the forces; 0: not said. */
static inline int variant_warp_size(const struct variant *variant) {
    const struct variant *forces = variant->forces.variant;
    return variant->warp_size == 0 && forces ? forces->warp_size : variant->warp_size;
}

/* Whether a pass is one of those that compute the forces of a step. */
static inline bool pass_is_of_forces(const struct variant *variant, int pass) {
    const struct variant_forces *forces = &variant->forces;
    return pass >= forces->first && pass < forces->first + forces->count;
}

/* Whether its kernels add up forces by words that can do so in fixed point; else why not, after
 * its name. */
static inline bool variant_adds_in_fixed_point(const struct variant *variant) {
    return (variant->precisions & ~variant->workload->precisions_refused) >> PRECISION_FIXED & 1U;
}
#define variant_not_fixed                                                                          \
    "does not add up in fixed point, which kernels of workload forces do that take a "             \
    "GLOBAL force_sum * (docs/accumulation.md)"

/* How many variants the file is that this one is of. */
int variant_count_of_file(const struct variant *variant);

/* By the end of a file's name, and the end that a name gets. */
enum kernel_language kernel_language_of(const char *path);
const char *kernel_language_ending(enum kernel_language language);

/* Whether another compiler has made it: PTX or machine code. */
static inline bool kernel_language_is_compiled(enum kernel_language language) {
    return language == LANGUAGE_PTX || language == LANGUAGE_CUBIN;
}

/* Whether the pass's kernel, or that of any pass, has a parameter of that name. */
bool pass_takes(const struct pass *pass, const char *parameter);
bool variant_takes(const struct variant *variant, const char *parameter);
/* Whether a work-group computes a box, so that it is made for batches. */
bool variant_is_by_box(const struct variant *variant);

/* Values chosen for a case, by name. A variant's own presets stand where nothing was chosen. */
struct tuning {
    char name[VARIANT_NAME_SIZE];
    int value;
};
struct tunings {
    struct tuning items[TUNINGS_MAX];
    int count;
};

/* All tunables of the variant at the presets of its header, whatever the box. */
void tunings_preset(const struct variant *variant, struct tunings *tunings);
/* Where the tunable of that name is; -1: there is none. */
int tunings_place(const struct tunings *tunings, const char *name);
/* The value of a tunable; `otherwise` where there is none of that name. */
int tunings_value(const struct tunings *tunings, const char *name, int otherwise);
/* "GROUP_SIZE=128 CELLS_PER_CUTOFF=2", sorted by name; at most size - 1 characters. */
void tunings_describe(const struct tunings *tunings, char *words, size_t size);

/* ---- where types are read from ---- */

/*
 * The tunable of cases whose interaction has types.
 */

/* Where kernels read the parameters of the types: a choice that every variant of a case with types
 * has besides its own tunables. */
#define TYPE_TABLE_TUNABLE "TYPE_TABLE"
enum type_table_place {
    TYPE_TABLE_GLOBAL,   /* an array that is only read */
    TYPE_TABLE_CONSTANT, /* constant memory */
    TYPE_TABLE_LOCAL     /* copied to local memory by each group */
};
extern const struct tunable type_table_tunable;

#endif
