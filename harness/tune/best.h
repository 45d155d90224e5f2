/*
 * best — which variant, with which tunables, is the fastest for one case on one device.
 *
 * Every variant is gated and timed at its presets. Those that are not far behind are tuned. The
 * fastest of them, tuned, are timed anew in turns: what is fastest of many looks faster than it is,
 * by luck. The first of these is surely the best where each of its times is below each of the
 * others'.
 */
#ifndef PAIRMARK_TUNE_BEST_H
#define PAIRMARK_TUNE_BEST_H

#include "tune/tuning_sweep.h"

enum { BEST_TURNS = 5, BEST_MAX_FINALISTS = 4 };

enum best_state {
    BEST_LEFT_OUT, /* walks all pairs of too many particles */
    BEST_FAILED,   /* did not pass at its presets: `status` says how, "unsupported" included */
    BEST_BEHIND,   /* too far behind at its presets to be tuned */
    BEST_TUNED,    /* tuned, and behind others that are */
    BEST_FINALIST, /* timed in turns with the others that are */
};

struct best_candidate {
    size_t question; /* of the sweep */
    enum best_state state;
    enum status status;
    double preset_s;            /* NaN: it did not pass */
    struct tuning_result tuned; /* from BEST_TUNED on */
    double median_s;            /* of a finalist's turns; else of tuning, or of the presets */
    double least_s, most_s;     /* of a finalist's turns; else NaN */
};

/* Zero-initialise; release with best_free. */
struct best_answer {
    struct best_candidate *candidates; /* finalists first, then by time; what failed last */
    size_t count;
    size_t finalists; /* 0: nothing passed */
    size_t wrong;     /* cases that were wrong */
    bool sure;        /* every time of the first is below every time of the other finalists */
    bool interrupted; /* by a signal: no result */
};

struct best_effort {
    struct tuning_effort tuning;
    double within;        /* tune those that take so many times the fastest's time at most; >= 1 */
    size_t max_all_pairs; /* of more particles, what walks no structure is left out */
    double tune_s;        /* for tuning them all; INFINITY: as long as it takes */
};

/* Whether two questions of a sweep are of one case but for the variant. */
bool best_is_same_case(const struct tuning_sweep *sweep, size_t one, size_t other);

/* Answers for the questions of the same case as `first`, itself included, from `first` on.
 * STATUS_OUT_OF_MEMORY. */
bool best_find(const struct tuning_sweep *sweep, size_t first,
               const struct campaign_measurer *measurer, const struct best_effort *effort,
               struct best_answer *answer, struct error *error);
void best_free(struct best_answer *answer);

#endif
