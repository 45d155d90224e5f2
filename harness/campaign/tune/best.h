/*
 * best — which variant, with which tunables, is the fastest for one case on one device, within a
 * budget of time.
 *
 * Variants pass the gate and are timed at their presets: first one of each structure, then the
 * others of the structures that were fastest. Those that are near to the fastest are tuned. The
 * fastest of these are timed anew in turns: what is fastest of many looks faster than it is, by
 * luck. The first is surely the best where each of its times is below each of the others', and
 * nothing else speaks against it.
 */
#ifndef PAIRMARK_CAMPAIGN_TUNE_BEST_H
#define PAIRMARK_CAMPAIGN_TUNE_BEST_H

#include "campaign/tune/tuning_sweep.h"

enum { BEST_TURNS = 5, BEST_MAX_FINALISTS = 8, BEST_DOUBT_SIZE = 256 };

enum best_state {
    BEST_TOO_LARGE, /* walks all pairs of too many particles */
    BEST_NOT_TIMED, /* there was no time for it */
    BEST_FAILED,    /* did not pass: `status` says how, "unsupported" included */
    BEST_BEHIND,    /* too far behind at its presets to be tuned */
    BEST_NOT_TUNED, /* near enough, but there was no time to tune it */
    BEST_TUNED
};

struct best_candidate {
    size_t question; /* of the sweep */
    enum best_state state;
    bool finalist; /* timed in turns with the others that are */
    enum status status;
    double preset_s;            /* NaN: it did not pass */
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
    size_t finalists; /* that were timed in turns */
    size_t turns;
    size_t wrong; /* cases that were wrong */
    bool sure;    /* else `doubt` says why not */
    bool partly;  /* some of those that are near have tunables that were not tried */
    char doubt[BEST_DOUBT_SIZE];
    bool apart;       /* no two particles are within the cutoff: no result */
    bool interrupted; /* by a signal: no result */
};

struct best_effort {
    struct tuning_effort tuning;
    double within;        /* tune those that take so many times the fastest's time at most; >= 1 */
    size_t max_all_pairs; /* of more particles, what walks no structure is skipped */
    double end_s;         /* of clock_s(): when the answer is due */
    double tuning_share;  /* of the time for it, until when tunables are tried; the rest is for
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
 * STATUS_BAD_INPUT where no variant takes part; STATUS_OUT_OF_MEMORY. */
bool best_find(const struct tuning_sweep *sweep, size_t first,
               const struct campaign_measurer *measurer, const struct best_effort *effort,
               struct best_answer *answer, struct error *error);
void best_free(struct best_answer *answer);

#endif
