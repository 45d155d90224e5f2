/*
 * kernel_verdict — one verdict on one kernel: whether it is right, whether it repeats its bits,
 * and how fast it is beside a baseline.
 *
 * The kernel passes the gate over the boxes that were named and over hidden ones, whose seeds its
 * author could not know. Then kernel and baseline are timed in turns, each in a process of its own,
 * every time after another pass of the gate. The ratio of a turn is the geometric mean over the
 * cases; the interval is Student's, of the logarithms of the turns' ratios: what drifts with time
 * meets both alike, and what differs from turn to turn widens it.
 */
#ifndef PAIRMARK_COMMANDS_SEARCH_KERNEL_VERDICT_H
#define PAIRMARK_COMMANDS_SEARCH_KERNEL_VERDICT_H

#include "campaign/plan/plan.h"
#include "campaign/worker/worker.h"
#include "devices/machine/peak.h"
#include "kernels/results.h"

enum { KERNEL_MIN_TURNS = 2, KERNEL_MAX_TURNS = 99 };

/* Of what the interval is sure. */
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

#endif
