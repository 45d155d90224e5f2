/*
 * compare — gathers the rows of two or more sides into cases, joins these, and decides of each
 * whether its time changed, by how much two timings of the same case differ by chance.
 *
 * Two cases are partners if they agree in the columns of ROLE_IDENTITY (campaign/axes/columns.def)
 * but for those that the comparison is made by; device, driver, commit and the text of the kernel
 * do not count. What cannot be used is logged with its place, and nothing else is lost.
 *
 * The first side is the baseline, and each further one is compared with it. compare_risk is the
 * probability that chance alone calls any case faster or slower, however many there are (Holm
 * 1979). A case is called the same by its own interval (verdict_own_risk).
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_COMPARE_H
#define PAIRMARK_ANSWERS_COMPARE_COMPARE_H

#include "answers/tables/analysis.h"
#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/strings.h"

#include <stdbool.h>

/* ---- medians ---- */

/* How well the median of a case's samples is known, and the verdict on two of them.
 *
 * All of it is about the logarithm of a median in seconds, since a ratio of medians is then a
 * difference, and slower by a factor is as far as faster by it.
 *
 * Samples of one repetition stand in the order they were taken in, and neighbours are alike: they
 * share a batch of launches, one build of the structure, a clock. So blocks of neighbours are drawn
 * instead of samples: the circular block bootstrap (Politis and Romano 1992, after Kuensch 1989;
 * Efron and Tibshirani 1993, chapter 8). */

/* Draws of the bootstrap, and where its generator starts: the same samples give the same digits. */
enum { BOOTSTRAP_DRAWS = 1000, BOOTSTRAP_SEED = 1979, FEWEST_SAMPLES = 3 };

struct log_median {
    double value;    /* natural logarithm of the median in seconds */
    double variance; /* of the value; infinite: not known */
    double freedom;  /* degrees of freedom of the variance; 0: not known */
};

/* How many neighbours to draw together: min(max(min(0.02 s / median, 32), count^(1/3)), count / 5),
 * and 1 at least. The first is a batch of the sampler as it once was; five blocks always remain. */
size_t bootstrap_block(double median_s, size_t count);

/* The median of samples in seconds, all positive, in their order. The freedom is that of the number
 * of blocks. Fewer than FEWEST_SAMPLES: the value alone. count >= 1. */
struct log_median log_median_of_samples(const double *seconds, size_t count);

/* The median as a row keeps it, where samples are missing. Its standard error is that of a median
 * of normal numbers, 1.2533 * 1.4826 * MAD / (sqrt(blocks) * median): the samples of a block count
 * as one. */
struct log_median log_median_of_row(double median_s, double mad_s, size_t count);

/* Repetitions of a case together: the mean of their values. Its variance is what their own
 * variances come to, or what they differ by among themselves where that is more; degrees of freedom
 * after Satterthwaite (1946). count >= 1. */
struct log_median log_median_pool(const struct log_median *repetitions, size_t count);

/* value(b) - value(a), the sum of both variances, and degrees of freedom after Welch (1947). */
struct log_median log_median_between(const struct log_median *a, const struct log_median *b);

/* Half the width of an interval that holds the value with probability 1 - risk: Student's t times
 * the root of the variance. Infinite where not known. */
double log_median_half_width(const struct log_median *median, double risk);

/* ---- the verdict: whether a case is faster or slower than its partner, if that can be known ----
 */

/* In the order in which a comparison prints them. */
enum change {
    CHANGE_NEWLY_WRONG, /* ok in the baseline, failed in the other */
    CHANGE_NEWLY_OK,
    CHANGE_SLOWER,
    CHANGE_FASTER,
    CHANGE_UNCLEAR,
    CHANGE_SAME,
    CHANGE_UNTIMED,     /* ok in both, without a time in one of them */
    CHANGE_UNSUPPORTED, /* ok in the baseline, and the other's device cannot run it */
    CHANGE_BOTH_FAIL,
    CHANGE_ONLY_BASELINE,
    CHANGE_ONLY_OTHER,
    CHANGES
};

/* "newly wrong", "newly ok", "slower", ... */
const char *change_name(enum change change);

struct difference {
    double ratio;     /* time of the other / time of the baseline; above 1: slower */
    double low, high; /* interval of the ratio, at its share of the risk; 0 and infinity: unknown */
    double own_low,
        own_high;  /* its interval of 1 - verdict_own_risk, whatever other cases there are */
    double floor;  /* the noise floor, as |ratio - 1| */
    double within; /* what `same` means here, as |ratio - 1|: the larger of floor and threshold */
    double clock_ratio; /* clock of the other / of the baseline: the ratio times this is that of the
                         * clock cycles; 0: not known */
};

/* The risk of the interval by which a ratio is called the same: 0.10, half of it on either side.
 * Two one-sided tests at 5 % (Schuirmann 1987): of cases that differ by just as much as counts, one
 * in twenty is called the same. That is asked per case: more cases make no false alarm of it. */
extern const double verdict_own_risk;

/* `between` is log_median_between() of baseline and other. The interval low..high holds the ratio
 * of medians with probability 1 - risk, as far as their samples show. clock_ratio is not known. */
struct difference difference_of(const struct log_median *between, double risk, double floor,
                                double threshold);

/* A noise floor above this, as |ratio - 1|, hides so much that nothing is called the same. */
extern const double verdict_most_floor;

/* slower, faster: the interval leaves 1 out, and the ratio is further from 1 than threshold and
 * floor; where clocks are known, this holds for clock cycles, too. same: its own interval lies
 * within threshold or floor, and the floor is not above verdict_most_floor. unclear: none of them
 * can be said. A distance of x means a ratio above 1 + x or below 1 / (1 + x). */
enum change difference_verdict(const struct difference *difference);

/* Whether it would be slower or faster by times alone, and is not by clock cycles. */
bool difference_is_of_clocks(const struct difference *difference);

/* ---- runs ---- */

struct run {
    const char *name; /* as it was given */
    size_t side;      /* runs of the same number are repetitions of one side; the caller's */
    const char *side_name;
    char *rows_path;
    struct row_table table;
    struct moderated *visits; /* of each row, how far its visits stray; variance NaN: not known */
    struct analysis
        *beside;  /* the samples of rows without visits, and environment.json; NULL: neither */
    double floor; /* noise_floor.ratio_spread of environment.json; NaN: none */
    size_t floor_pairs;   /* A/A pairs behind it */
    struct strbuf doubts; /* checksums_doubt */
};

/* `path` is a run's folder, or its rows.csv, with the other files beside it. `log` gets a line for
 * what is skipped; may be NULL. STATUS_BAD_INPUT when there are no rows to read. */
bool run_read(const char *path, FILE *log, struct run *run, struct error *error);
void run_free(struct run *run);

enum time_source { TIME_FROM_VISITS, TIME_FROM_SAMPLES, TIME_FROM_MAD, TIME_UNKNOWN };

/* How long the repetition of the row took: from its visits where the run has their differences. In
 * older runs, from its samples where they are complete, else from the median and the MAD of the
 * row; where the row disagrees with its complete samples, these are believed and the log says so.
 * TIME_UNKNOWN: the row has no usable time. */
enum time_source run_time_of(const struct run *run, const struct row *row, FILE *log,
                             struct log_median *median);

/* ---- cases ---- */

enum compare_by { BY_RUN, BY_DEVICE, BY_VARIANT, BY_PRECISION, BY_COMMIT };

/* Whether the sides of such a comparison differ in the column, so that it identifies no case.
 * What identifies a case are the columns of ROLE_IDENTITY; a box from a file is known by its
 * box_hash, which counts for no box that was made. */
bool column_is_compared(enum compare_by by, enum column column);

struct compared_case {
    size_t key;            /* what is joined has the same */
    size_t number;         /* within a key of variants, tunables have numbers of their own */
    const struct row *row; /* one of its rows: a failed one where there is one */
    const struct run *run;
    enum status status;     /* the first failure of its repetitions; STATUS_OK: none */
    bool timed;             /* ok, and `time` is known */
    bool from_visits;       /* all of its time is known by how visits differ */
    bool from_mad;          /* some of its time is from MADs: samples are missing */
    struct log_median time; /* of its repetitions together */
    size_t repetitions;     /* that have a time */
    double machine_load;    /* the largest of theirs; NaN: not known */
    double clock_mhz;       /* the mean of theirs; NaN: not known of each */
    /* What is independent of each other: runs where there are several, else repetitions. */
    size_t units;
    bool units_are_runs;
    double sum_of_squares; /* of the units' values about their mean */
};

struct compared_cases {
    struct compared_case *cases; /* sorted by number */
    size_t count;
};

/* "NVIDIA H200 cuda:0": what a device is called in a comparison. */
void device_label(const struct row *row, char *text, size_t size);

/* Makes the tables of compare.sql of runs whose rows are in the analysis, in their order. */
void cases_place(struct analysis *analysis, const struct run *runs, size_t count,
                 enum compare_by by);

struct rows_of_side {
    size_t side;
    bool twins; /* the twins among them, not the others */
};

/* Gathers the rows of a side; repetitions of a case become one, first
 * within each run, then over runs. A row of an unknown status and a duplicate row are skipped and
 * logged. Release with cases_free. */
struct compared_cases cases_gather(struct analysis *analysis, const struct run *runs,
                                   struct rows_of_side wanted, FILE *log);
void cases_free(struct compared_cases *cases);

/* The clock of `other` over that of `baseline`. 0 where one of them is not known, or the devices
 * are not of one model. */
double cases_clock_ratio(const struct compared_case *baseline, const struct compared_case *other);

/* Keeps of the cases that share a key the fastest that is ok: of a variant, its best tunables. */
void cases_keep_fastest(struct compared_cases *cases);

/* ---- the noise floor: a smaller difference counts as none ----
 *
 * The visits of a case differ by its noise (core/statistics.h). Samples of a single visit do not
 * show it: the place of its memory and the moment shift all of them together. For cases with one
 * visit the noise is found from twins and repetitions. */

/* Taken where a run does not record its noise: as |ratio - 1|. docs/comparing.md explains it. */
extern const double noise_unknown_floor;

/* The variance of twins, or of repetitions of a variant, is used from so many degrees of freedom
 * on. */
enum { NOISE_LEAST_FREEDOM = 4 };

struct variant_noise {
    const char *variant;
    double sum_of_squares; /* of logarithms of times about those of the same case */
    double freedom;
};

struct noise {
    double floor;        /* of environment.json, the largest of its runs; NaN: not known */
    double twin_squares; /* sum of squares of the logarithms of the twins' ratios */
    size_t twins;        /* A/A pairs in the rows */
    size_t pairs;        /* A/A pairs, as the environment says or the rows */
    size_t timed;        /* cases */
    size_t visited;      /* timed cases whose visits show how they stray: they need no floor */
    double visit_sd;     /* the median of their standard deviations, relative; NaN: none */
    double machine_load; /* the largest of its cases'; NaN: not known */
    struct variant_noise *variants;
    size_t count;
};

/* Measures the noise of one side from its cases and the twins among its rows, gathered alike;
 * noise->floor and pairs are those of its runs. The variants' names belong to the rows. */
void noise_measure(const struct compared_cases *cases, const struct compared_cases *twins,
                   struct noise *noise);
void noise_free(struct noise *noise);

/* Whether the noise of the side is known. */
bool noise_is_known(const struct noise *noise);

/* The floor of the side, as |ratio - 1|: what the environment says, and where there are twins
 * enough, at least what another ratio of twins stays under with probability 1 - risk (Student's
 * t, their logarithms being about 0). Where neither is known, noise_unknown_floor. */
double noise_floor(const struct noise *noise, double risk);

/* The floor of a joined pair, as |ratio - 1|: the largest of
 *
 *   load / (1 - load), load being the share of the processors that other programs took on either
 *   side: work that had them all takes 1 / (1 - load) times as long;
 *   noise_floor() of each side whose case has no visits to show its noise;
 *   if neither side has visits, and both variants were timed often enough (NOISE_LEAST_FREEDOM),
 *   exp(t sqrt(s_a^2 / units_a + s_b^2 / units_b)) - 1, with the variants' variances s^2 and
 *   Student's t at risk / 2. */
double noise_floor_of_pair(const struct noise *a, const struct compared_case *case_a,
                           const struct noise *b, const struct compared_case *case_b, double risk);

/* ---- the comparison ---- */

extern const double compare_risk;      /* 0.05 */
extern const double compare_threshold; /* 0.03: what counts as a difference unless said */

struct compare_settings {
    enum compare_by by;
    double threshold;     /* as |ratio - 1| */
    const char *baseline; /* name or glob of the side to compare with; NULL: the first */
    FILE *log;            /* gets a line for what is skipped; may be NULL */
};

struct side {
    char *name; /* run.side_name, or the device, variant, precision or commit */
    struct compared_cases cases;
    struct noise noise;
};

/* A case of the baseline and its partner; one of them NULL where it has none. */
struct joined_case {
    const struct compared_case *baseline, *other;
    size_t side; /* which the other is, or lacks */
    enum change change;
    bool timed; /* what follows is known */
    struct log_median between;
    double risk; /* of its interval */
    struct difference difference;
};

struct comparison {
    enum compare_by by;
    double threshold;
    struct side *sides; /* sides[0] is the baseline */
    size_t side_count;
    struct joined_case *joined; /* in the order of side, then change, then ratio */
    size_t joined_count;
    size_t timed;         /* among which the risk is shared */
    struct strbuf doubts; /* what checksums_doubt says of the runs; texts and CSV have it */
};

/* The runs must outlive the comparison. Sides are what run.side says, or the values of a column: in
 * the order of runs, then by name (precisions from float to double, commits by date). Errors:
 * STATUS_BAD_INPUT when there are fewer than two sides, or no side of the baseline's name. */
bool compare_runs(const struct run *runs, size_t run_count, const struct compare_settings *settings,
                  struct comparison *comparison, struct error *error);
void comparison_free(struct comparison *comparison);

/* How many cases of a side have this change; side SIZE_MAX: of all sides. */
size_t comparison_count(const struct comparison *comparison, size_t side, enum change change);

/* The cases of all sides for which the comparison has no answer to "is it slower by the
 * threshold?". A case that is newly ok, newly wrong, faster or slower is answered. */
struct comparison_gaps {
    size_t unclear;
    size_t too_wide;  /* the same, but within a noise floor above the threshold */
    size_t unmatched; /* on one side only */
    size_t untimed;   /* without a time on a side: it failed in both, cannot run there, has none */
    size_t total;
};
struct comparison_gaps comparison_find_gaps(const struct comparison *comparison);

/* What it takes to decide the unclear cases, if nothing has changed: visits of each in either run,
 * as many as leave one case in twenty unclear. Cases that stray by so much that MAX_VISITS do not
 * suffice, or whose visits are not known, are not decidable. */
struct comparison_effort {
    size_t unclear, decidable;
    size_t most_visits; /* that a decidable case needs */
    double seconds;     /* of further visits per run, of all decidable cases together */
};
struct comparison_effort comparison_find_effort(const struct comparison *comparison);

/* ---- as text: aligned for a terminal, Markdown, or CSV ---- */

enum compare_format { COMPARE_TABLE, COMPARE_CSV, COMPARE_MARKDOWN };

struct compare_view {
    enum compare_format format;
    bool list_unmatched; /* cases without a partner, too */
    bool verbose;        /* all tunables; else those that differ between lines of a variant */
    int columns;         /* tunables go below lines that would be longer */
};

/* Correctness differences first, then the cases by verdict. */
void compare_format(const struct comparison *comparison, const struct compare_view *view,
                    struct strbuf *text);

/* Appends a line of counts for each side. */
void compare_summarise(const struct comparison *comparison, struct strbuf *text);

/* ---- history ---- */

/* How the time of each case changed from commit to commit, and whether that is more than
 * noise.
 *
 * A point is a case at a commit, all runs of the commit together (compare.h, BY_COMMIT). It is
 * judged against the case's point before it, by the rules of `compare`: the intervals of all points
 * hold together. A step is a point that is slower or faster. */

struct history_view {
    double threshold; /* as |ratio - 1| */
    bool only_steps;  /* cases without a step are left out */
    bool csv;
    FILE *log; /* gets a line for what is skipped; may be NULL */
};

/* Appends a table per case that two commits have, and a line of counts; or CSV. STATUS_BAD_INPUT:
 * all rows are of one commit. */
bool history_write(const struct run *runs, size_t count, const struct history_view *view,
                   struct strbuf *text, struct error *error);

#endif
