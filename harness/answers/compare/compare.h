/*
 * compare — joins the cases of two or more sides, and decides of each whether its time changed.
 *
 * The first side is the baseline, and each further one is compared with it. compare_risk is the
 * probability that chance alone calls any case faster or slower, however many there are (Holm
 * 1979). A case is called the same by its own interval (verdict_own_risk).
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_COMPARE_H
#define PAIRMARK_ANSWERS_COMPARE_COMPARE_H

#include "answers/compare/cases.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

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

/* Of a side; SIZE_MAX: of all. */
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
