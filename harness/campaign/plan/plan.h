/*
 * plan — the cases that the axes of the command line span.
 *
 * The same words mean the same in eval, check, bench and tune: the axes of campaign/axes/axes.h.
 * Commas separate the items of a list, names may be globs, numbers may be ranges (1k:1M:x4
 * multiplies, 100:500:+100 adds).
 */
#ifndef PAIRMARK_CAMPAIGN_PLAN_PLAN_H
#define PAIRMARK_CAMPAIGN_PLAN_PLAN_H

#include "campaign/axes/axes.h"
#include "core/strings.h"
#include "devices/device.h"
#include "kernels/case.h"

struct span;

struct plan {
    struct case_spec *cases;
    size_t count;
    struct span
        *spans; /* what the axes chose, which the cases point into; then that of joined plans */
    struct variant *const *read; /* not built in: of --variant-file, then pairings (below) */
    size_t left_out; /* combinations that make no sense (a mixed case that a variant refuses...) */
};

/* Spans the axes; a plan is of one workload. Defaults where an axis is NULL: every variant (only
 * those of --variant-file where that is given), precision float, the outputs and the interaction of
 * the workload, kind fluid, n 1k (as many as its groups have with --ratio), the kind's own density,
 * cutoff 2.5 (half the edge of a box too small for it), seed 1, sums by a tree, tunables at their
 * presets. Without a workload: the one that takes groups where there is an option of them; else
 * that of all variants that are named; else that whose own interaction every one named is; else
 * forces. Where the interaction has its own cutoff, that is the case's, and may be infinite in a
 * periodic box, too. Where there are groups, --group-a is all particles, and variants that take
 * others than there are, one, two or pairs, are left out. Where no sums are among the outputs there
 * is nothing to add up: one way of doing so stands for all. A variant of --variant-file is always
 * among the chosen, and takes the place of a built-in one of its name. Boxes in files are read
 * once, to know that they are good. Errors, all STATUS_BAD_INPUT naming the argument: no variant
 * matches, a number is malformed, a tunable that no chosen variant has, a cutoff beyond half the
 * edge, a box file that cannot be used, a table or exclusions that are malformed or do not fit a
 * box, groups that are malformed or do not fit a box, a dmax beyond half the edge, an option that
 * the workload does not have; or that every combination was left out, and why the first was
 * (left_out is then set and the rest of *plan is empty). A box that is read has no default cutoff:
 * STATUS_BAD_INPUT where forces are computed and none is given. */
bool plan_make(const struct axes *axes, struct plan *plan, struct error *error);
/* The same with variants that variants_choose() chose by the same words, which must outlive the
 * plan: reading files and joining pairings takes longer than the rest. */
struct variant_choice;
bool plan_make_of(const struct axes *axes, const struct variant_choice *variants, struct plan *plan,
                  struct error *error);
void plan_free(struct plan *plan);
/* Refuses a precision that --precision names and no case has. STATUS_BAD_INPUT. */
bool plan_check_precisions(const struct plan *plan, const struct axes *said, struct error *error);

/* What the axes compute, as plan_make() deduces it. NULL with *error set as for the choice of
 * variants, or where there are groups that the workload does not take. */
const struct workload *plan_workload(const struct axes *axes, struct error *error);

/* Takes out the cases of one large box by kernels of batches, which give a box to a work-group: all
 * others of the device would rest. Returns how many; adds them to plan->left_out. */
size_t plan_drop_of_batches(struct plan *plan);

/* Leaves of so many cases, by their places in the plan, one for each kernel: those that differ only
 * in N or seed have the same, and the box of the smallest is made fastest. Returns how many stay.
 */
size_t plan_choose_kernels(const struct plan *plan, size_t *cases, size_t count);

/* What a worker can be asked about. */
struct worker_cases;
struct worker_cases plan_worker_cases(const struct plan *plan);

/* Leaves of cases with one identity the first, which counts as tuned if any of them is. */
void plan_drop_doubles(struct plan *plan);

/* Adds the cases of another plan that *plan does not have yet; `other` is empty afterwards. Cases
 * stay in order. */
void plan_join(struct plan *plan, struct plan *other);

/* One of several equal shares of a plan, for campaigns over several machines.
 *
 * Cases are dealt out in the order of their identities, which is an order by chance and the same
 * everywhere: shares differ by one case at most, and each has some of all variants and sizes. */

struct plan_shard {
    size_t index, total; /* share 1, 2, ... of so many; total 0: the plan is whole */
};

/* "2/8". STATUS_BAD_INPUT, naming the option. */
bool plan_shard_parse(const char *option, const char *value, struct plan_shard *shard,
                      struct error *error);

/* Leaves in the plan the cases of the share, in their order. `id` becomes a hash of all cases that
 * there were, the same for every share. STATUS_BAD_INPUT: none is left. */
bool plan_shard_take(const struct plan_shard *shard, struct plan *plan, char id[HASH_TEXT_SIZE],
                     struct error *error);

/* ---- names of cases ---- */

/* What a case is called: its name, its id, and its words in columns. */

/* "forces/lj/all_pairs_tile/float/energy/fluid/n:16000/GROUP_SIZE=128",
 * "coordination/rational/two_groups_one_pass/float/virial/fluid/n:1001/ratio:1000:1/atomic": what
 * Google Benchmark, rows and the progress line call the case. Unique within a campaign. */
void case_name(const struct case_spec *spec, char *name, size_t size);

/* Hash of everything that decides the result and the work (not the device): joins rows of several
 * runs. */
void case_id(const struct case_spec *spec, char text[HASH_TEXT_SIZE]);

/* Appends what a case says in a column of rows.csv, where the case itself decides that: workload,
 * interaction, variant, structure, precision, outputs, reduction, launch, tunables, tuned, groups.
 * False: it does not. */
bool case_words(const struct case_spec *spec, enum column column, struct strbuf *words);

/* Gives the case one of the words that an axis knows by their numbers: precision, outputs,
 * reduction or launch. */
void case_choose(struct case_spec *spec, enum axis axis, size_t value);

/* Whether the case is another one with another word of such an axis: how sums are added up makes no
 * difference where there are none. */
bool case_depends_on(const struct case_spec *spec, enum axis axis);

/* ---- presets ---- */

/* What `bench` measures when the user leaves axes open: enough for the question, in the
 * time that the preset names, on the device at hand. share/presets/presets.txt has them all, and
 * says how they are written. */

struct preset_part; /* a paragraph of its text */

struct preset {
    struct preset_part *parts;
    size_t part_count;
    size_t span_count; /* at least 1: spans of axes, whose cases are joined (plan_join) */
    double time_cap_s; /* of sampling one case */
};

/* STATUS_BAD_INPUT for a name that is none, with the nearest. To be freed. */
struct preset *preset_find(const char *name, struct error *error);
void preset_free(struct preset *preset); /* also NULL */

/* The names, and a line of help each. */
void preset_describe(struct strbuf *text);
/* The names alone, separated by blanks. */
void preset_append_names(struct strbuf *text);

/* False for a span of boxes of its own where the user chose any, or what acts in them. */
bool preset_span_serves(const struct preset *preset, size_t span, const struct axes *axes);

/* Fills in the axes that are open, as the given span of the preset has them for this device: with
 * words of the preset's and of the program's, which are not to be freed. */
bool preset_fill(const struct preset *preset, size_t span, const struct device_info *device,
                 struct axes *axes, struct error *error);

/* What preset_drop() took out of a plan. */
struct preset_dropped {
    size_t too_long;      /* cases without a structure whose N^2 distances would take too long */
    size_t of_batches;    /* one box by kernels of batches, or larger than they keep */
    size_t need_cuda;     /* cases of kernels in CUDA C++, on another device */
    const char *one_name; /* the first variant of them */
};

/* Once the axes are spanned: takes out cases that would take too long, if the user named no N, and
 * those that the device cannot run, if the user named no variant (`given`: the axes as the user
 * gave them). Adds to plan->left_out. */
void preset_drop(const struct preset *preset, const struct device_info *device,
                 const struct axes *given, struct plan *plan, struct preset_dropped *dropped);

/* ---- variants, built in or read from files ---- */

struct variant_choice {
    /* The choice's own: of --variant-file, then integrators with forces that their headers do not
     * name. */
    struct variant **read;
    size_t read_count, file_count;
    const struct variant **chosen;   /* built-in ones by name, those of files, pairings */
    size_t count;                    /* at least 1 */
    const struct workload *workload; /* of the first of them */
    bool is_shared;                  /* all of it is another choice's, which outlives this one */
};

/* Chooses variants by the workload, structure, variant and variant_files of the axes; see
 * plan_make. All chosen are of one workload. A name such as verlet+blocks_32 may join any
 * integrator with any variant of forces; all that go together are there to choose from where
 * all_pairings is said. */
bool variants_choose(const struct axes *axes, struct variant_choice *choice, struct error *error);
/* The same, of as many workloads as axes->workload names. */
bool variants_list(const struct axes *axes, struct variant_choice *choice, struct error *error);
void variants_release(struct variant_choice *choice);

/* ---- --long-range: plan_steps.c ---- */

/* Reads the words for an interaction. "none"; "pme" is the default variant. Tunables have capital
 * letters; of `spec`, box and cutoff decide what is not named. STATUS_BAD_INPUT. */
bool long_range_parse(const char *words, const struct case_spec *spec, struct long_range *made,
                      struct error *error);

/* The words, one variant each, that a list separated by ';' stands for, whose names may have
 * wildcards; NULL-terminated. Freed as one block. STATUS_BAD_INPUT for a name that is none. */
bool long_range_expand(const char *list, char ***words, struct error *error);

#endif
