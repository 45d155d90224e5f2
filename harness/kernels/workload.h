/*
 * workload — what is computed: a class, which says over which particles, what comes of it, what
 * kernels may bind, how it is judged, what its numbers are called and what stands where the user
 * says nothing.
 *
 * A workload is a folder, workloads/NAME/, which fills in a struct, and one line of
 * workloads/workloads.def. What differs between workloads is a member here: other modules call
 * members; they never ask which workload it is. A member that is NULL or false is not needed.
 *
 * This header is of `kernels`, which nearly every module may use, so that whoever reads kernel
 * headers, plans cases or draws figures can ask. The workloads themselves may use kernels,
 * structures and the reference.
 */
#ifndef PAIRMARK_KERNELS_WORKLOAD_H
#define PAIRMARK_KERNELS_WORKLOAD_H

#include "boxes/groups.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>

/* What a case computes besides the field that is its result; each includes those before it. */
enum outputs {
    OUTPUTS_FORCES, /* "forces": the result alone */
    OUTPUTS_ENERGY, /* "energy": and the value */
    OUTPUTS_VIRIAL  /* "virial": and its nine numbers */
};
enum { OUTPUTS_COUNT = OUTPUTS_VIRIAL + 1 };

extern const char *const outputs_names[]; /* NULL-terminated */
const char *outputs_name(enum outputs outputs);

struct interaction_function;
struct box;
struct case_spec;
struct interaction;
struct judge; /* workloads/judges.h */
struct parameter_table;
struct pass;
struct variant;
struct workload_buffers; /* workloads/workload_buffers.h */
struct kernel_parameter; /* kernels/kernel_parameters.h */

/* ---- fields and scalars ---- */

enum field_use {
    FIELD_IN,  /* kernels read it */
    FIELD_OUT, /* kernels write it */
    FIELD_KEPT /* kernels change it, and the next step finds it; every launch begins with it as
                  it was made */
};

/* Kinds of groups, a bit for each. */
enum {
    GROUPS_ONE_BIT = 1 << GROUPS_ONE,
    GROUPS_TWO_BIT = 1 << GROUPS_TWO,
    GROUPS_PAIRS_BIT = 1 << GROUPS_PAIRS,
    GROUPS_EVERY_BIT = GROUPS_ONE_BIT | GROUPS_TWO_BIT | GROUPS_PAIRS_BIT
};

/* A kernel parameter that a field is bound to. Where there are two sets of particles, A and B, its
 * name ends in _a or _b. */
struct workload_parameter {
    const char *name;
    double sign; /* what kernels hold there, times this, is the field */
};

enum { WORKLOAD_MAX_PARAMETERS = 2 };

/* An array over the particles of a set; the result may be over something else, see struct
 * workload_places. A result without a parameter is computed by the harness after the kernels, from
 * fields that persist. */
struct workload_field {
    const char *name;    /* NULL: the end of the list */
    const char *element; /* what kernels know it as: "real4", "accum4", "int" */
    unsigned groups;     /* the kinds of groups in which kernels have it */
    enum field_use use;
    struct workload_parameter parameters[WORKLOAD_MAX_PARAMETERS]; /* the usual first */
};

/* A number, or several, of the whole case, which kernels add up. */
struct workload_scalar {
    const char *name; /* NULL: the end of the list */
    const char *words;
    int numbers;       /* of the scalar: 1, or 9 of a tensor by rows */
    int sums;          /* that a kernel adds up for it: 6 of a symmetric tensor */
    enum outputs from; /* the least outputs that ask for it */
};

/* A result that is no vector for each particle, but so many numbers: draws, bins, terms. */
struct workload_places {
    const struct kernel_parameter
        *result; /* as kernels bind it: name, type and where it lies (kernel_parameters.h) */
    size_t (*count)(const struct case_spec *spec);
    size_t (*bytes)(const struct case_spec *spec); /* of a number as kernels store it: 4 or 8 */
    /* Number k of those that a kernel stored. */
    double (*number)(const struct case_spec *spec, const void *stored, size_t k);
};

/* ---- words ---- */

struct workload_words {
    const char *result, *results;       /* "force", "forces" */
    const char *preposition;            /* "on": a force on a particle */
    const char *value;                  /* "energy" */
    const char *tensor;                 /* "virial" */
    const char *tensor_key;             /* the same as a key of JSON */
    const char *outputs[OUTPUTS_COUNT]; /* "forces and energy" */
    const char *counted;                /* "interacting pairs": what rates and energies are of */
    const char *counted_one;            /* "interacting pair" */
    const char *rate;                   /* "pairs/s": the heading of a column */
    const char *size;                   /* "N (particles)": the label of an axis */
    const char *seeds;                  /* what a message says of several seeds */
    const char *all_pairs[2]; /* the plainest variant, to which speed-ups relate: of one set of
                                 particles; of two */
};

/* Of forces, an energy and a virial. */
#define WORKLOAD_WORDS_OF_FORCES(COUNTED, COUNTED_ONE, RATE, PLAINEST)                             \
    {                                                                                              \
        .result = "force", .results = "forces", .preposition = "on", .value = "energy",            \
        .tensor = "virial", .tensor_key = "virial",                                                \
        .outputs = { [OUTPUTS_FORCES] = "forces",                                                  \
                     [OUTPUTS_ENERGY] = "forces and energy",                                       \
                     [OUTPUTS_VIRIAL] = "forces, energy and virial" },                             \
        .counted = COUNTED, .counted_one = COUNTED_ONE, .rate = RATE, .size = "N (particles)",     \
        .seeds = "", .all_pairs = {                                                                \
            PLAINEST,                                                                              \
            PLAINEST                                                                               \
        }                                                                                          \
    }

/* Of a result of particles without sums. */
#define WORKLOAD_WORDS_WITHOUT_SUMS(RESULT, OUTPUT, COUNTED, RATE, PLAINEST)                       \
    {                                                                                              \
        .result = RESULT, .results = RESULT "s", .preposition = "of", .value = "none",             \
        .tensor = "none", .tensor_key = "none", .outputs = { OUTPUT, OUTPUT, OUTPUT },             \
        .counted = COUNTED "s", .counted_one = COUNTED, .rate = RATE, .size = "N (particles)",     \
        .seeds = "", .all_pairs = {                                                                \
            PLAINEST,                                                                              \
            PLAINEST                                                                               \
        }                                                                                          \
    }

/* ---- what is checked by default ---- */

/* A part of what `check` does by default. */
struct workload_check {
    const char *options; /* what it spans, as on the command line, words divided by blanks; what it
                            does not say is left to the defaults. NULL: the end of the list */
    bool roomy;          /* its boxes have room for a cutoff that the user asks for */
    bool for_user_n;     /* the one that is run, with these n, when the user says which */
    bool own_precisions; /* what it asks for makes sense in those that it names alone */
    bool always; /* it is run beside cases that are drawn: conditions on many axes at once */
};

/* What cases that `check` draws differ in: values that matter, as options of the command line
 * (commands/search/search.h). "@75:100:65" is joined to the kind of box that stands before it,
 * ",alpha=0.5" to the interaction. "{0.5:3}" is a number within, drawn anew for each case (of a
 * text: by each seed), "{5:10}" a whole one, "{5:10*32}" the first of 32 cases of consecutive ones,
 * "{5:10*32*3}" of each third; "[,x=1]" is there in half of the cases. What stands behind '=' takes
 * long: one row has it, beside the plainest values of all others. Such values are the last. Values
 * behind '!' are met as those of factors that are `closely`. */
struct workload_factor {
    const char *name;          /* NULL: the end of the list */
    const char *const *values; /* NULL-terminated; the first is the plainest */
    bool text;                 /* kernels are compiled for each of them */
    bool closely;              /* three values of three such factors are met, too */
};
/* Values that several workloads share, behind their plainest. Sizes: few, around powers of two and
 * so of work-groups, 7 modulo 32, beyond 4096, 15 and 16 bits. Tilts are of either sign, all three
 * may be negative, and each is alone once, as that of a hexagonal cell. */
#define WORKLOAD_OTHER_SIZES                                                                       \
    "--n 1", "--n 2", "--n 3", "--n 31", "--n 32", "--n 33", "--n 63", "--n 64", "--n 65",         \
        "--n 127", "--n 128", "--n 129", "--n 263", "--n 512", "--n 1023", "--n 1024", "--n 1025", \
        "--n 4099", "--n 33013", "--n 70001", "--n {4:3000}"
/* Behind all other sizes: every remainder by 32, also of a number of waters. */
#define WORKLOAD_REMAINDERS "=--n {33:96*32}"
#define WORKLOAD_REMAINDERS_OF_WATERS "=--n {33:33*32*3}"
/* Boxes that 10 bits do not number; 16 bits. */
#define WORKLOAD_BATCHES "--n 1-3 --batch 1030"
#define WORKLOAD_LARGE_BATCH "=--n 1-2 --batch 65700"
#define WORKLOAD_OTHER_LEANING                                                                     \
    "@75:100:65", "@{60:120}:{60:120}:{60:120}", "@{95:115}:{95:115}:{95:115}", "@90:90:120",      \
        "@90:105:90", "@60:90:90"
#define WORKLOAD_OTHER_CELLS                                                                       \
    WORKLOAD_OTHER_LEANING, "@brick", "!--open", "--periodic xy", "--periodic z",                  \
        "@90:90:{50:130} --periodic xy"
#define WORKLOAD_OTHER_KINDS                                                                       \
    "--kind plate", "--kind gas", "--kind droplets", "--kind salt", "--kind water", "--kind melt", \
        "--kind uniform", "--kind cubic", "--kind lattice", "--kind proteins", "--kind polymers",  \
        "--kind mixture", "--kind borders"
#define WORKLOAD_VALUES(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* Any cell, and any number of particles, of a workload without batches. */
#define WORKLOAD_BOX_FACTORS                                                                       \
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) }, {                     \
        .name = "n",                                                                               \
        .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, WORKLOAD_REMAINDERS)            \
    }

/* The factors of a workload whose kernels sum: what they compute with, what they sum, and how. */
#define WORKLOAD_SUM_FACTORS                                                                       \
    { .name = "precision",                                                                         \
      .values = WORKLOAD_VALUES("--precision float", "--precision double", "--precision mixed",    \
                                "--precision fixed"),                                              \
      .text = true,                                                                                \
      .closely = true },                                                                           \
        { .name = "outputs",                                                                       \
          .values = WORKLOAD_VALUES("--outputs forces", "--outputs virial", "--outputs energy"),   \
          .text = true,                                                                            \
          .closely = true },                                                                       \
    {                                                                                              \
        .name = "reduction", .values = WORKLOAD_VALUES("", "--reduction atomic"), .text = true     \
    }

/* ---- axes ---- */

/* Why cases of a workload lack an axis: "--cutoff: workload NAME", and these words. Where the user
 * said the axis, with its value behind them if they end in "=". */
struct workload_refusal {
    const char *option; /* NULL: the end of the list */
    const char *words;
};

/* How a box is chosen. */
#define WORKLOAD_AXES_OF_BOXES                                                                     \
    "--box", "--kind", "--density", "--open", "--periodic", "--charges", "--atom-style"
/* What acts between the particles of all pairs. */
#define WORKLOAD_AXES_OF_TYPES "--interaction-file", "--table", "--exclude"
/* What is added up over particles. */
#define WORKLOAD_AXES_OF_SUMS "--outputs", "--reduction"

/* ---- a workload ---- */

/* Where an interaction ends by itself, and what the user says it by: "--interaction", "dmax". */
struct own_cutoff {
    double length; /* INFINITY: nowhere */
    const char *option, *name;
    bool may_be_inf; /* the user may say so */
};

struct workload {
    const char *name;
    const char *summary;                    /* in a line */
    const struct judge *judge;              /* what is expected, and whether a result is that */
    const struct workload_field *fields;    /* one of them, and one alone, is FIELD_OUT */
    const struct workload_places *places;   /* of its result; NULL: a vector for each particle */
    const struct workload_scalar *scalars;  /* in the order in which kernels add them up */
    const struct workload_buffers *buffers; /* what kernels are given besides particles, such as
                                               lists of terms; NULL: nothing */
    struct workload_words words;

    /* Of the axes that not all workloads have, the options of those that its cases have
     * (campaign/axes/axes.def); NULL-terminated. An axis that no workload lists is of all. */
    const char *const *axes;
    const struct workload_refusal *refusals; /* its own reasons to lack others; NULL: none */
    /* The columns of rows that its cases fill and others leave empty, by name
     * (campaign/axes/columns.def); NULL-terminated. A column that no workload lists is of all. */
    const char *const *columns;

    /* The interactions that it takes, by name; NULL: any that has a pair function. NULL-terminated.
     */
    const char *const *interactions;
    /* Where an interaction ends by itself, for cases that have no axis --cutoff; NULL: nothing ends
     * by distance. */
    struct own_cutoff (*own_cutoff)(const struct interaction *interaction);
    /* Whether an all-pairs kernel of the case, or of its two groups, visits more pairs than
     * `particles` particles have. NULL: not a workload of pairs. */
    bool (*all_pairs_exceed)(const struct case_spec *spec, size_t particles);
    /* The workload by whose forces particles move from step to step: it computes them, or its steps
     * do. NULL: they move by others, or not at all. */
    const char *forces_by;
    /* Why no kernel, or not the case's variant, can run such a case; NULL: it can. The member is
     * NULL where nothing is refused. */
    const char *(*refuse_case)(const struct case_spec *spec);
    /* Whether boxes of a kind have what it computes; NULL: those of all kinds do. */
    bool (*suits_kind)(const char *kind);

    /* Parameters that kernels may have besides the sets of particles and the structure, and the
     * launch units by the kind of groups (kernels/bindings.h). Values are those of a struct
     * case_arguments. */
    const struct parameter_table *parameter_tables;
    const char *const *units[GROUPS_PAIRS + 1]; /* NULL-terminated */
    /* Words of kernel files that not every workload has: "@groups"; NULL-terminated; NULL: none. */
    const char *const *header_words;
    unsigned precisions_refused; /* a bit for each enum precision */
    bool needs_atomics64;        /* its words add whole numbers of 64 bits atomically */
    bool builds_in_launch; /* a launch begins with the particles alone: the structure is built in
                              it, in its time */
    /* Why the variant, or one of its passes, is none of this workload; NULL: it is one. The members
     * are NULL where nothing is refused. */
    const char *(*refuse_variant)(const struct variant *variant);
    const char *(*refuse_pass)(const struct variant *variant, const struct pass *pass);
    /* Append what kernels are compiled with: definitions (NULL: those of pairs), and the words
     * before the variant's own text. */
    void (*append_definitions)(const struct case_spec *spec, struct strbuf *text);
    /* Puts into a copy of the case what its kernels are compiled with and the box decides; NULL:
     * nothing. */
    bool (*resolve)(const struct box *box, struct case_spec *spec, struct error *error);
    void (*append_words)(const struct case_spec *spec, struct strbuf *text);
    /* Device memory for each of the numbers that are computed, besides scratch; NULL: that of a
     * particle, with positions and the structure. */
    double (*bytes)(const struct case_spec *spec);

    bool meets_images; /* a cutoff may be longer than half the least height of the cell: pairs are
                          in all images that it reaches */
    /* Whether a case needs no cutoff that the box accepts, where it asked for an end of pairs by
     * distance or (`endless`) for none. NULL: it needs one. */
    bool (*takes_cutoff)(const struct box *box, bool endless);
    unsigned groups; /* the kinds that there may be */

    /* where the user says nothing */
    const char *default_interaction;
    const char *default_kind;  /* of box; NULL: that of the axis */
    const char *default_mover; /* the variant by whose forces particles of a periodic box move;
                                  NULL: none do */
    enum outputs default_outputs;
    const char *bench_interaction;       /* of `bench` and `tune`, where the preset has none either;
                                            NULL: the default */
    const struct workload_check *checks; /* what `check` does with boxes or sums that are named */
    const struct workload_factor *factors; /* ... and draws where none are; NULL: nothing */
};

extern const struct workload *const workloads[]; /* NULL-terminated */

/* Where nothing says which. */
const struct workload *workload_default(void);

/* NULL when there is none of that name. */
const struct workload *workload_find(const char *name);

/* The workload that alone computes a function, which is no pair function, whether by its own name
 * or by @workload; NULL: it is a pair function. */
const struct workload *workload_of_function(const struct interaction_function *function);

/* The same, where it is neither this workload nor the one by whose forces its particles move. */
const struct workload *workload_of_others(const struct workload *workload,
                                          const struct interaction_function *function);

/* The workload of time steps by such forces; NULL: there is none. */
const struct workload *workload_of_steps(const struct workload *forces);

/* "forces or coordination" */
void workloads_list(struct strbuf *names);

/* The member all_pairs_exceed of workloads of pairs. */
bool workload_all_pairs_exceed(const struct case_spec *spec, size_t particles);

/* workload.takes_cutoff where nothing ends by distance: any cutoff. */
bool workload_takes_any_cutoff(const struct box *box, bool endless);

/* The fields of one set: positions, and the forces on them. */
extern const struct workload_field workload_force_fields[];

/* Whether the workload lists the option among its axes. */
bool workload_lists_axis(const struct workload *workload, const char *option);

/* Whether its cases fill a column: one that it lists, or that no workload does. */
bool workload_fills_column(const struct workload *workload, const char *column);

/* Whether its kernels' files have the word. */
bool workload_has_word(const struct workload *workload, const char *word);

/* Whether it takes interactions of some names alone, this one among them. */
bool workload_owns_interaction(const struct workload *workload, const char *name);

/* Whether kernels are given positions of particles; else there are random numbers, results alone.
 */
bool workload_has_particles(const struct workload *workload);

/* The field that is the result. */
const struct workload_field *workload_result(const struct workload *workload);

/* How many numbers a kernel adds up for these outputs. */
int workload_sums(const struct workload *workload, enum outputs outputs);

#endif
