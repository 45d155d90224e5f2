/*
 * search — finds the fastest tunables of a variant and the fastest variant of a case, and comes to
 * one verdict on one kernel: `pairmark tune`, `best` and `judge`. What is found by the first two is
 * stored (commands/search/stored_tunables.h). Chooses the cases that `check` draws.
 */
#ifndef PAIRMARK_COMMANDS_SEARCH_SEARCH_H
#define PAIRMARK_COMMANDS_SEARCH_SEARCH_H

#include "boxes/random.h"
#include "campaign/axes/axes.h"
#include "campaign/campaign.h"
#include "campaign/plan/plan.h"
#include "commands/search/stored_tunables.h"
#include "core/error.h"
#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/results.h"
#include "measure/worker/worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the search for the best tunables of a variant ---- */

/* The search for the best tunables: all combinations of a variant's values, or as many as a budget
 * of time allows; next comes the combination nearest to the fastest so far.
 *
 * Each combination passes the gate before and after it is timed, as in any campaign. The fastest of
 * many looks faster than it is; so it is timed again, in turns with the preset, and replaces it
 * only if each of its times is below each of the preset's and the ratio of the medians exceeds what
 * times of the same combination differ by. */

/* One case whose tunables are sought: cases [first, first + count) of the plan, the preset first.
 */
struct tuning_question {
    size_t first, count;
};

/* Zero-initialise; release with tuning_sweep_free. */
struct tuning_sweep {
    struct plan plan;
    struct tuning_question *questions;
    size_t count;
};

/* Which combinations of tunables are candidates. */
enum tuning_breadth {
    TUNING_ALL,        /* all of them; more than 100000 are refused */
    TUNING_DRAWN,      /* of more than 1000, that many, drawn by the seed */
    TUNING_DRAWN_SKINS /* likewise; a list whose author lists one skin is also tried with narrower
                        * and wider ones, right after the preset */
};

/* What the axes span, each case with every combination of its variant's values: those of --tune
 * where it names them, else those that the variant's author lists. The preset comes first; the
 * others follow in an order decided by `seed`. Errors as plan_make, and STATUS_BAD_INPUT where a
 * case has too many. */
bool tuning_sweep_make(const struct axes *axes, uint64_t seed, enum tuning_breadth breadth,
                       struct tuning_sweep *sweep, struct error *error);
void tuning_sweep_free(struct tuning_sweep *sweep);

struct tuning_effort {
    struct sampling sampling;
    double builds; /* of the structure, per evaluation: its time counts so often */
    /* The same where it depends on the case; NULL: it does not. */
    double (*builds_of)(const void *context, const struct case_spec *spec);
    const void *context;
    bool strict; /* a budget that is spent leaves the preset alone; else one other is tried */
    FILE *log;   /* what failed, unsupported combinations apart; NULL: nobody listens */
};

enum tuning_outcome {
    TUNING_NONE,        /* nothing passed its gate */
    TUNING_KEPT_PRESET, /* nothing is faster beyond the noise */
    TUNING_BETTER,      /* `best` is */
    TUNING_INTERRUPTED  /* by a signal: no result */
};

/* What came of one combination. */
struct tuning_time {
    enum status status;
    double seconds; /* evaluate_s + builds * build_s, or evaluate_s alone; NaN: it did not pass */
    double evaluate_s, build_s; /* build_s NaN: nothing is built, or building does not count */
    double builds;              /* per evaluation */
    double machine_load;        /* NaN: not known */
    int64_t pairs;              /* within the cutoff; -1: not known */
};

/* For qsort(): by seconds. */
int tuning_compare_times(const void *left, const void *right);

/* A time of which nothing is known yet. */
struct tuning_time tuning_time_none(void);

/* Gates and times one case of the sweep's plan. What failed is logged. */
struct tuning_time tuning_measure(const struct tuning_sweep *sweep, size_t case_index,
                                  const struct campaign_measurer *measurer,
                                  const struct tuning_effort *effort);

/* Whether results that come of this are wrong: STATUS_WRONG or STATUS_STALE. */
bool tuning_is_wrong(enum status status);

struct tuning_result {
    enum tuning_outcome outcome;
    struct tunings best;    /* to be used: the preset's unless better */
    size_t best_case;       /* the case of the sweep's plan that has them */
    struct tunings fastest; /* of those tried, what was timed anew beside the preset */
    size_t fastest_case;
    size_t tried, combinations;
    size_t wrong, failed;    /* times that a combination was wrong; could not run otherwise */
    double preset_s, best_s; /* medians, NaN: not known */
    struct tuning_time time; /* of `best`: the one with the median */
    double ratio;            /* the preset's time over the fastest's */
    double noise;            /* what two times of the same thing differed by, relative */
};

/* What a question is answered with: who measures, how thoroughly, until when. */
struct tuning_means {
    const struct campaign_measurer *measurer;
    const struct tuning_effort *effort;
    double end_s;     /* of clock_s(), where the budget ends; INFINITY: never */
    size_t remaining; /* questions, this one included, that share what is left of it */
};

/* A combination that fails is counted, no error. */
void tuning_answer(const struct tuning_sweep *sweep, size_t question,
                   const struct tuning_means *means, struct tuning_result *result);

/* Puts what was found for a case into the store, where `bench --tuned` looks. Errors as
 * tuning_store_put. */
bool tuning_keep(const char *store, const struct case_spec *spec, const struct device_info *info,
                 const struct tuning_result *result, struct error *error);

/* ---- the search for the best variant ---- */

/* Which variant, with which tunables, is the fastest for one case on one device, within a
 * budget of time:
 *
 *   1. Variants pass the gate and are timed at their presets: first those of the user's files, then
 *      those that were fast in recorded rows of a similar device and N, then one of each structure,
 *      then the others of the fastest structures.
 *   2. Those near the fastest are tuned.
 *   3. The fastest of these are timed again in turns, since the fastest of many looks faster than
 *      it is. The first is `sure` if each of its times is below each of the others' and there is no
 *      other doubt. One that alone passes has been compared with its presets in 2. */

/* The place of a case in the order of recorded rows (share/presets/likely.txt): 0 for a kernel of
 * the user's own that is not in it, from 1 on, or BEST_UNLISTED. */
size_t best_place(const struct case_spec *spec, bool is_processor);
#define BEST_UNLISTED SIZE_MAX

enum { BEST_TURNS = 5, BEST_MAX_FINALISTS = 8, BEST_MOST_DOUBTS = 7, BEST_DOUBT_SIZE = 256 };

enum best_state {
    BEST_NEEDS_CUDA, /* and this device is none */
    BEST_TOO_LARGE,  /* walks all pairs of too many particles */
    BEST_NOT_TIMED,  /* there was no time for it */
    BEST_FAILED,     /* did not pass: `status` says how, "unsupported" included */
    BEST_BEHIND,     /* too far behind at its presets to be tuned */
    BEST_NOT_TUNED,  /* near enough, but there was no time to tune it */
    BEST_TUNED
};

struct best_candidate {
    size_t question; /* of the sweep */
    size_t place;    /* see best_place() */
    enum best_state state;
    bool finalist; /* timed in turns with the others that are */
    enum status status;
    double first_s;             /* of its presets, when they were timed first; NaN: they failed */
    double preset_s;            /* of its presets when they were timed last: beside its tunables */
    struct tuning_result tuned; /* of BEST_TUNED */
    size_t case_index;          /* of the sweep's plan: what `time` is of */
    struct tuning_time time;    /* the median of a finalist's turns; else of tuning, or of the
                                   presets */
    double least_s, most_s;     /* of a finalist's turns; else NaN */
    double machine_load;        /* the most in its turns; NaN: not known */
};

/* Zero-initialise; release with best_free. */
struct best_answer {
    struct best_candidate *candidates; /* by time; those without one last */
    size_t count;
    size_t passed;    /* that have a time; 0: there is no best */
    size_t timed;     /* at their presets, those that failed among them */
    size_t untimed;   /* there was no time for them */
    double enough_s;  /* a budget that would do for them, about; NaN: all were timed */
    size_t finalists; /* that were timed in turns */
    size_t turns;     /* whole ones */
    size_t wrong;     /* cases that were wrong */
    bool sure;        /* else `doubts` say why not, the most serious first */
    bool partly;      /* some of those that are near have tunables that were not tried */
    char doubts[BEST_MOST_DOUBTS][BEST_DOUBT_SIZE];
    size_t doubt_count;
    bool has_no_pairs; /* no two particles are within the cutoff: no result */
    bool interrupted;  /* by a signal: what is there is what was known then */
};

struct best_effort {
    struct tuning_effort tuning;
    double within;         /* tune those that take so many times the fastest's time at most; >= 1 */
    bool is_processor;     /* which order the likeliest variants have */
    bool has_cuda;         /* else what needs CUDA is skipped */
    size_t max_all_pairs;  /* of more particles, what walks no structure is skipped */
    double began_s, end_s; /* of clock_s(): when the budget begins, when the answer is due */
    double tuning_share;   /* of the time for it, until when tunables are tried; the rest is for
                              turns */
    /* Whether the variant of a case takes part; NULL: all do. */
    bool (*takes)(const void *context, const struct case_spec *spec);
    /* Called with what is timed next: of `total` variants number `done` + 1, or for the last two
     * rounds a word. NULL: nobody. */
    void (*show)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

/* Whether two questions of a sweep are of one case but for the variant. */
bool best_is_same_case(const struct tuning_sweep *sweep, size_t one, size_t other);

/* Answers for the questions of the same case as `first`, itself included, from `first` on.
 * STATUS_BAD_INPUT where no variant takes part. */
bool best_find(const struct tuning_sweep *sweep, size_t first,
               const struct campaign_measurer *measurer, const struct best_effort *effort,
               struct best_answer *answer, struct error *error);
void best_free(struct best_answer *answer);

/* ---- the verdict on a kernel ---- */

/* Whether a kernel is right, whether it repeats its bits, and how fast it is beside a baseline.
 *
 * The kernel passes the gate over the boxes that were named and over hidden ones, whose seeds its
 * author could not know. Then kernel and baseline are timed in turns, each in a process of its own,
 * every time after another pass of the gate. The ratio of a turn is the geometric mean over the
 * cases; the interval is Student's, of the logarithms of the turns' ratios: what drifts with time
 * meets both alike, and what differs from turn to turn widens it. */

enum { KERNEL_MIN_TURNS = 2, KERNEL_MAX_TURNS = 99 };

/* The probability that the interval holds the ratio. */
extern const double kernel_confidence;

/* What is judged. Cases [0, hidden_from) of the plan are those that were named, of the kernel and
 * of its baseline; the others are the kernel's over hidden boxes. */
struct kernel_judging {
    const struct plan *plan;
    size_t hidden_from;
    const char *kernel;   /* the variant's name */
    const char *baseline; /* that of the other; NULL: none */
    int turns;
    struct sampling sampling;
    struct worker *worker,
        *baseline_worker; /* processes of the same device; the second where there is a baseline */
};

/* One case of the kernel. */
struct kernel_case {
    const struct case_spec *spec;
    bool hidden;
    size_t index, baseline; /* in the plan; SIZE_MAX: no baseline */
    struct verdict verdict;
    double seconds, baseline_seconds; /* geometric means of the turns; NaN: not timed */
    double arithmetic_s, copied_s;    /* that the arithmetic alone takes at least, and reading and
                                         writing the least bytes; NaN: not known */
    double percent_of_peak;           /* of multiply-adds, at that time; NaN: not known */
    double percent_of_roof;           /* of the larger of both least times; NaN likewise */
};

enum kernel_speed { KERNEL_NOT_TIMED, KERNEL_FASTER, KERNEL_SLOWER, KERNEL_UNDECIDED };

/* Zero-initialise; release with kernel_verdict_free. */
struct kernel_verdict {
    enum status status; /* STATUS_OK, or that of the first case that failed; STATUS_UNSUPPORTED:
                           nothing could run, or no case has a pair */
    struct kernel_case *cases;
    size_t count;
    int repeatable;          /* over all cases that passed: 1, 0; -1: not known */
    enum kernel_speed speed; /* against the baseline */
    double ratio, low, high; /* the baseline's time over the kernel's; NaN: not compared */
    double machine_load; /* the largest share of the processors that others took; NaN: not known */
    bool interrupted;    /* by a signal: no result */
};

/* STATUS_BAD_INPUT: a case has no counterpart of the baseline, or the baseline itself fails.
 */
bool kernel_verdict_find(const struct kernel_judging *judging, struct kernel_verdict *verdict,
                         struct error *error);
void kernel_verdict_free(struct kernel_verdict *verdict);

/* The ratio and its interval of `turns` logarithms; low and high are 0 and INFINITY for fewer than
 * two. */
void kernel_interval(const double *log_ratios, int turns, double *ratio, double *low, double *high);

/* ---- a covering array ---- */

/* A covering array: few rows, with one value of each factor in each row, that contain
 * every pair (or triple) of values of two (three) factors which can stand together.
 *
 * Rows are chosen greedily, after D. M. Cohen, S. R. Dalal, M. L. Fredman and G. C. Patton, "The
 * AETG system: an approach to testing based on combinatorial design", IEEE Trans. Softw. Eng. 23
 * (1997) 437: of several candidates, each grown from a tuple that no row has yet, the one with the
 * most new tuples is taken; here, the one with the most per second that the row will take, and
 * values come before pairs, and pairs of classes of values before other pairs. Which values can
 * stand together is not listed but asked: a tuple with which no row stands is refused, and not
 * missing. */

enum { COVERING_MAX_FACTORS = 24, COVERING_MAX_STRENGTH = 3, COVERING_MAX_VALUES = 64 };

struct covering_factor {
    size_t values;  /* 0 is the plainest: what a row has where nothing else stands */
    bool text;      /* a kernel is compiled for each combination of such values */
    bool closely;   /* triples of such factors are met, too, where pairs of all are */
    uint64_t close; /* of a factor that is closely: those of its values, a bit each; 0: of all */
    uint64_t bare;  /* the values, a bit each, beside which no other shows anything: a row that has
                       one meets those tuples alone that have it, too */
    uint64_t alone; /* the values, a bit each, that take long: one row has it, beside the plainest
                       of all others that it can stand with, and no pair has it */
    unsigned char classes[COVERING_MAX_VALUES]; /* the class of each value, from 0 on */
};

struct covering_space {
    const struct covering_factor *factors;
    size_t count;
    int strength; /* 2: pairs; 3: triples */
    uint64_t seed;
    double seconds;        /* no more rows once they take this long */
    double compile_second; /* what the first row of a kernel takes more than those after it */
    /* Whether the values of a row can stand together. Asked often, also for the same row. */
    bool (*stands)(void *context, const size_t *row);
    double (*row_seconds)(void *context, const size_t *row); /* of one that stands */
    /* Whether choosing has taken too long: no more rows then, but for the first. NULL: never. */
    bool (*is_late)(void *context);
    void *context;
};

/* A set of factors, and what has become of its tuples. */
struct covering;

/* Chooses the rows. */
struct covering *covering_make(const struct covering_space *space);
void covering_free(struct covering *covering); /* also NULL */

size_t covering_row_count(const struct covering *covering);
const size_t *covering_row(const struct covering *covering, size_t index);

enum covering_state {
    COVERING_MISSING, /* no row has it, and none was refused: there was no time for it */
    COVERING_REFUSED, /* no row was found that stands and has it */
    COVERING_PLANNED, /* a row has it */
    COVERING_MET      /* a row that was met has it: covering_meet() */
};

/* Row `index` was run; and: none was. */
void covering_meet(struct covering *covering, size_t index);
void covering_reset(struct covering *covering);

/* How many tuples of so many values (1 to the strength) are in each state. */
struct covering_counts {
    size_t states[COVERING_MET + 1];
};
struct covering_counts covering_count(const struct covering *covering, int size);

/* A tuple: so many factors and their values. */
typedef void covering_visit(void *context, int size, const size_t *factors, const size_t *values);
/* Calls `visit` for every tuple of the size in the state. */
void covering_list(const struct covering *covering, int size, enum covering_state state,
                   covering_visit *visit, void *context);

/* ---- the cases that `check` draws: drawn.c ---- */

/* A covering array for each variant, over the factors that its workload declares (struct
 * workload_factor). What the user says of an axis stays as it is in all rows. The planner says
 * which values can stand together: a row stands for a variant if plan_make() gives a case of it. */

struct drawn_settings {
    int strength;
    uint64_t seed;           /* of the array, and of the boxes unless a factor says theirs */
    double seconds;          /* for each variant on two cores */
    double planning_seconds; /* likewise, the most that planning may take: no more rows then */
};

struct drawn_variant {
    const struct variant *variant;
    struct covering *covering;
    size_t failed;     /* cases of it, as whoever runs them counts */
    double planning_s; /* how long choosing its cases took */
};

/* A case, by its index in the plan, and where it comes from. */
struct drawn_case {
    size_t variant, row; /* of that variant's array */
};

/* All of a workload. */
struct drawn {
    const struct workload *workload;
    struct plan plan;         /* cases of a variant follow each other in the order of its rows */
    struct drawn_case *cases; /* as many as the plan has */
    struct drawn_variant *variants;
    size_t variant_count;
    struct drawn_space *space; /* private */
};

/* False, without an error, in drawn->plan.count: no row stands. Release it whether or not that
 * worked. */
bool drawn_make(const struct axes *said, const struct workload *workload,
                const struct drawn_settings *drawing, struct drawn *drawn, struct error *error);
void drawn_free(struct drawn *drawn);
/* About how long `check` of the case takes on two cores. */
double drawn_case_seconds(const struct case_spec *spec);

/* Whether a case can be made and judged, which the plan does not know. */
bool drawn_suits(const struct case_spec *spec);
/* Whether a value of a factor is marked so: see struct workload_factor. */
bool drawn_is_alone(const char *value);
bool drawn_is_joined(const char *value);
/* Whether the factor sets an axis that the user has set, or a box where the user has named one. */
bool drawn_is_said(const struct axes *said, const struct workload_factor *factor);
/* Appends a value of a factor without its mark, with numbers in the place of "{LOW:HIGH}". */
void drawn_append_value(const char *value, struct random *random, struct strbuf *words);

/* Whether the workload has factors, of which the user left one open at least. */
bool drawn_can(const struct axes *said, const struct workload *workload);

/* Whether the user left all factors of the workload open. */
bool drawn_is_whole(const struct drawn *drawn);

/* Appends the missing tuples of the variant, "kind=gas x precision=fixed", a line each. */
void drawn_append_missing(const struct drawn *drawn, size_t variant, int size,
                          enum covering_state state, struct strbuf *lines);

/* ---- kernel files that passed `check` ---- */

/* Remembers in the cache, by the file's text and the program's commit, that the cases which `check`
 * draws have passed; `words`: when, on which device, by which seed. */
void checked_store(const struct variant *variant, const char *words);
/* False: the cache knows of none. */
bool checked_find(const struct variant *variant, char *words, size_t size);

#endif
