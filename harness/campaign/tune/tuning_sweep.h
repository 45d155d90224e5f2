/*
 * tuning_sweep — the search for the best tunables: all combinations of a variant's values, or as
 * many at random as a budget of time allows.
 *
 * Each combination passes the gate before and after it is timed, as in any campaign: one that is
 * wrong never wins. The fastest of many looks faster than it is, by luck; so the best is timed
 * anew, in turns with the preset, and replaces it only where every one of its times is below every
 * one of the preset's and the ratio of their medians is beyond what two times of the same thing
 * differ by.
 */
#ifndef PAIRMARK_CAMPAIGN_TUNE_TUNING_SWEEP_H
#define PAIRMARK_CAMPAIGN_TUNE_TUNING_SWEEP_H

#include "campaign/campaign.h"
#include "campaign/plan/plan.h"

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
    TUNING_DRAWN_SKINS /* likewise; a list whose author offers one skin is also tried with narrower
                        * and wider ones, right after the preset */
};

/* What the axes span, each case with every combination of its variant's values: those of --tune
 * where it names them, else those that the variant's author offers. The preset comes first; the
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

/* Nothing is known of it yet. */
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

/* `remaining` is how many questions, this one included, share what is left of the budget, which
 * ends at `end_s` of clock_s() (INFINITY: never). A combination that fails is counted, no
 * error. STATUS_OUT_OF_MEMORY. */
bool tuning_answer(const struct tuning_sweep *sweep, size_t question,
                   const struct campaign_measurer *measurer, const struct tuning_effort *effort,
                   double end_s, size_t remaining, struct tuning_result *result,
                   struct error *error);

/* Puts what was found for a case into the store, where `bench --tuned` looks. Errors as
 * tuning_store_put. */
bool tuning_keep(const char *store, const struct case_spec *spec, const struct device_info *info,
                 const struct tuning_result *result, struct error *error);

#endif
