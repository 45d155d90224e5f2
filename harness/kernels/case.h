/*
 * case — one point of a campaign: what to compute, by which variant, on which box, on which
 * device.
 */
#ifndef PAIRMARK_KERNELS_CASE_H
#define PAIRMARK_KERNELS_CASE_H

#include "boxes/box.h"
#include "boxes/groups.h"
#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/interaction.h"
#include "kernels/variant.h"

#include <stdbool.h>

/* ---- the cutoff ---- */

/* The distance beyond which pairs do not count, as a case asks for it. In a box it becomes a
 * length, cutoff_in(); INFINITY is a length like any other, within which all pairs lie. */
enum cutoff_kind {
    CUTOFF_LENGTH,
    CUTOFF_HALF, /* of the least height of a periodic cell; none in an open box */
    CUTOFF_NONE  /* every pair counts */
};

struct cutoff {
    enum cutoff_kind kind;
    double length; /* of CUTOFF_LENGTH, > 0; else 0 */
};

/* The cutoff of a length, which may be INFINITY. */
struct cutoff cutoff_of(double length);

bool cutoff_same(struct cutoff a, struct cutoff b);

/* Whether there are pairs that do not count, in an open box and in a periodic one. */
bool cutoff_ends(struct cutoff cutoff, bool open);

/* The length: of CUTOFF_HALF in a periodic box, `half`. */
double cutoff_in(struct cutoff cutoff, bool open, double half);

/* "2.5", of so many digits, "half" or "none". */
void cutoff_append(struct strbuf *text, struct cutoff cutoff, int digits);

/* ---- the reciprocal part of an Ewald sum, in time steps ---- */

/* Which kernels compute it, where the pair function is the real part, as the command line names
 * them: "pme_tiles:order=5,grid_x=64,STREAMS=2". alpha and the Coulomb constant are those of the
 * pair function `ewald-real`. */
struct long_range {
    const struct variant *variant;  /* of workload pme; NULL: there is no reciprocal part */
    struct interaction interaction; /* `pme` */
    struct tunings tunings;
    bool in_float; /* in steps whose other forces are mixed */
    int streams;   /* 1: after the pairs; 2: beside them, where the device has such streams */
};

/* ---- the case ---- */

/* How the sums besides the forces are added up, after each work-item has its own. */
enum reduction {
    REDUCTION_TREE, /* "tree": the group by a tree in local memory, the groups by a second launch */
    REDUCTION_WARP, /* "warp": warps by shuffles, the group by a tree, the groups by a second launch
                     */
    REDUCTION_ATOMIC, /* "atomic": the group by a tree, then one atomic addition a group and sum */
    REDUCTION_CUB /* "cub": the group by a tree, the groups by CUB's segmented reduction; CUDA only
                   */
};

extern const char *const reduction_names[]; /* NULL-terminated */

enum { MAX_EVALUATIONS = 64 }; /* of one launch */

/* How the kernels of an evaluation are launched. */
enum launch {
    LAUNCH_EACH, /* "each": one after the other */
    LAUNCH_GRAPH /* "graph": all by one CUDA graph, with zeroing and sums */
};

/* What random numbers are drawn from (variants/draws.cl). */
enum distribution {
    DISTRIBUTION_UNIFORM,  /* "uniform": within 0 and 1 */
    DISTRIBUTION_GAUSSIAN, /* "gaussian": of mean 0 and variance 1 */
    DISTRIBUTION_WORDS,    /* "words": of 32 bits, as the generator gives them */
    DISTRIBUTION_KICK      /* "kick": the sum of four Gaussian draws */
};

extern const char *const distribution_names[]; /* NULL-terminated */

/* Neighbour lists that are a result (variants/neighbours.cl). */
enum list_form { LIST_MATRIX, LIST_CSR, LIST_COO }; /* "matrix", "csr", "coo" */
enum list_pairs { LIST_FULL, LIST_HALF };           /* "full": from both sides; "half": once */
/* NULL-terminated */
extern const char *const list_form_names[], *const list_pairs_names[], *const list_entries_names[];
/* What an entry has besides its neighbour: in the order of the words of --list-entries, a number of
 * base 3 for shifts, then a bit for vectors and one for distances. */
enum list_shifts { SHIFTS_NONE, SHIFTS_INT, SHIFTS_CHAR };
enum { LIST_ENTRY_WORDS = 12 };
struct list_entries {
    enum list_shifts shifts;
    bool vectors, distances;
};
static inline struct list_entries list_entries_of(unsigned number) {
    return (struct list_entries){ (enum list_shifts)(number % 3), number / 3 % 2 == 1,
                                  number / 6 % 2 == 1 };
}

/* Identical molecules in another order (workloads/steps/steps.h). Zeroed: as they stand. */
struct exchange_rule {
    bool by_hilbert;
    uint64_t every; /* so many steps; 0: at the start of a launch alone */
};

/* A box to be made or read. */
struct box_spec {
    char path[512];               /* a file; empty: made by the rest */
    char content[HASH_TEXT_SIZE]; /* hash of the file's bytes, as the plan met them; empty: read
                                     when it is asked for */
    char kind[BOX_KIND_SIZE];
    size_t n;     /* particles of all boxes */
    size_t batch; /* boxes, made with this seed and those that follow it; 0 stands for 1 */
    struct batch_sizes sizes; /* of the boxes, where they are drawn; else zeros */
    double density;           /* <= 0: the kind's default */
    double read_density; /* of a periodic box that is read: particles per volume; 0: not known. No
                            part of the identity */
    uint64_t seed;
    size_t left_out; /* frames of a file that is read after the first. No part of the identity */
    bool open;       /* drop the periodicity of a made box */
    bool read_open;  /* the file of a box that is read has no cell. No part of the identity */
    char periodic[AXES_SIZE]; /* keep it along these axes alone: "xy"; empty: as the box has it */
    char atom_style[12]; /* of --atom-style: of a LAMMPS data file that does not say; or empty */
    char charges[256];   /* of --charges, box_set_charges() reads them; empty: the box's own */
};

/* The particles of each box of the batch; of drawn sizes the most that it may have, and the least,
 * but for none. */
static inline size_t box_spec_share(const struct box_spec *box) {
    return box->sizes.most > 0 ? box->sizes.most : box->n / (box->batch > 1 ? box->batch : 1);
}
static inline size_t box_spec_least(const struct box_spec *box) {
    const size_t least = box->sizes.least > 0 ? box->sizes.least : 1;
    return box->sizes.most > 0 ? least : box_spec_share(box);
}

/* Without periodic images, whether made or read. */
static inline bool box_spec_is_open(const struct box_spec *box) {
    return box->open || box->read_open;
}

/* The box as it was asked for: read or made, opened, with the charges that were given. Errors:
 * those of box_read, box_make and box_set_charges. */
bool box_of_spec(const struct box_spec *spec, struct box *box, struct error *error);

/* Where nobody says how large a box is judged in full. */
#define JUDGE_BY_COST UINT64_MAX

/* How large a box is compared with the serial reference. No part of a case's identity. */
struct judging {
    uint64_t all_below; /* up to so many particles, each of them is; JUDGE_BY_COST: by device */
    uint64_t sample;    /* of more, so many, drawn at random (sampled_reference.h); 0: always all */
    uint64_t seed;      /* of that sample */
};

struct case_spec {
    const struct variant *variant;
    struct interaction interaction;
    struct box_spec box;
    struct cutoff cutoff;
    struct step_rules step;  /* of time steps; else zeroed */
    struct group_spec group; /* zeroed (all particles, one group) where none are taken */
    struct judging judging;
    struct exchange_rule exchange; /* of time steps; else zeroed */
    struct long_range long_range;  /* likewise */
    enum precision precision;
    enum outputs outputs;
    enum reduction reduction;
    enum launch launch;
    size_t evaluations; /* that a launch has whose time is shared among them, each over particles of
                           its own; 0: there is no such launch */
    enum distribution distribution; /* the first where there are no draws */
    enum list_form list;            /* of neighbours; the first where there are no lists */
    enum list_pairs list_pairs;
    unsigned list_entries;  /* see list_entries_of() */
    struct tunings tunings; /* complete: every tunable of the case has a value */
    bool tuned;             /* the tunables are those that `tune` stored; no part of the identity */
};

/* Whether a field that acts on charges finds any. STATUS_BAD_INPUT, with the file of the box. */
bool case_field_fits(const struct step_field *field, const struct box_spec *spec,
                     const struct box *box, struct error *error);

/* The box of a case as the device gets it, for kernels that meet particles within this cutoff
 * (INFINITY: everywhere). Where it is partly periodic, it has room (box_make_room()): for moves by
 * the gate, and by the steps of the case. */
bool case_box_as_device(const struct case_spec *spec, const struct box *box, double cutoff,
                        struct box *rounded, struct error *error);

/* The tunables of a case: those of its variant, those of its interaction and, where that has types,
 * TYPE_TABLE (type_table.h). Of `spec`, the variant and the interaction count. */
int case_tunable_count(const struct case_spec *spec);
const struct tunable *case_tunable(const struct case_spec *spec, int index);
/* That of the name; NULL: there is none. */
const struct tunable *case_find_tunable(const struct case_spec *spec, const char *name);
/* All of them at their presets: those of the header and, where that says what a tunable holds, what
 * this box wants. Box and cutoff count, too. */
void case_preset_tunings(struct case_spec *spec);
/* The second half of that, by the values of the other tunables, for those that are not named (a
 * flag for each of spec->tunings): where the box's quantities are not known, they stay as they are.
 */
void case_hold_tunings(struct case_spec *spec, const bool named[TUNINGS_MAX]);
/* Presets, but for those that words give a value of: "GROUP_SIZE=128 SKIN=20", with blanks or
 * commas between (NULL: none). STATUS_BAD_INPUT for a name that the case does not have, or a value
 * that the tunable cannot have. */
bool case_set_tunings(struct case_spec *spec, const char *words, struct error *error);
/* The first tunable that holds less than this box brings, and what would do; NULL: there is none.
 */
const struct tuning *case_short_tuning(const struct case_spec *spec, int *needed);

/* Whether it computes the distances of all pairs, and more than those of so many particles. */
bool case_computes_more_pairs(const struct case_spec *spec, size_t particles);
/* Pairs: those in reach, and those whose distance a launch tests, in each image that it looks at.
 * None of terms and draws, which are as many as particles. */
struct case_pairs {
    double near, tested;
};
struct case_pairs case_count_pairs(const struct case_spec *spec);
/* Whether a launch takes seconds: of a processor over many pairs, of a GPU where one group has all
 * pairs of a large box. */
bool case_is_long(const struct case_spec *spec, bool is_cpu);

/* How the variant, one of time steps, moves particles: its integrator and its thermostat with the
 * numbers of its header; see kernels/motion/step_rules.h. */
bool case_step_rules(const struct variant *variant, enum precision precision,
                     struct step_rules *rules, struct error *error);
/* What the user says besides, in words (NULL: nothing): numbers of the variant's thermostat, the
 * field. STATUS_BAD_INPUT for another thermostat, and for a field that its kernels know nothing of;
 * the caller names the argument. */
bool case_take_thermostat(const struct variant *variant, const char *words,
                          struct step_rules *rules, struct error *error);
bool case_take_field(const struct variant *variant, const char *words, struct step_rules *rules,
                     struct error *error);

/* The same with forces alone, summed up and launched the default way. */
struct case_spec case_of_forces_alone(const struct case_spec *spec);

/* The density that a made box will have. */
double box_spec_density(const struct box_spec *box);

/* That of its kernels in steps of a precision. */
enum precision long_range_precision(const struct long_range *long_range, enum precision of_steps);

/* "none", or the variant with all that it is given: words that stand for it again. */
void long_range_describe(const struct long_range *long_range, struct strbuf *text);

/* ---- the memory that it needs ---- */

/* Estimates before anything is allocated, from the arrays that every case has, per particle; the
 * structure of a variant adds what its class says it keeps per particle, and @scratch what it comes
 * to. Small arrays, programs and the libraries' own memory are not counted, so that a case just
 * inside an estimate may still run out: it is then refused where that happens. */

enum {
    /* Making or reading a box: the box (36), moves or velocities (24), the list of near pairs. */
    HOST_BYTES_OF_BOX = 176,
    /* A case: the box as made and as the device has it (76), its reference while it is computed
     * (176), or kept (44) beside three results (72) and what is copied to or from the device (32).
     */
    HOST_BYTES_OF_CASE = 256
};

/* Whether this machine could ever hold n particles, if nobody else took memory. STATUS_BAD_INPUT,
 * saying what is needed and what there is; begins with `option`. */
bool memory_can_hold(const char *option, double n, int bytes_per_particle, struct error *error);

/* Whether the host has room for a case of n particles now, and `spare` bytes that this process
 * would give back. STATUS_OUT_OF_MEMORY, saying what is needed and what there is. */
bool memory_on_host(size_t n, size_t spare, struct error *error);

struct device_info;
/* Whether the device could ever hold the case, of what its box_spec says; `with_double`: also the
 * kernels in double that are to judge it. STATUS_OUT_OF_MEMORY likewise. */
bool memory_on_device(const struct case_spec *spec, const struct device_info *info,
                      bool with_double, struct error *error);

#endif
