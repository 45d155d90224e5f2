#include "answers/compare/verdict.h"

#include <math.h>

const double verdict_most_floor = 0.10;
const double verdict_own_risk = 0.10;

const char *change_name(enum change change) {
    static const char *const names[CHANGES] = {
        [CHANGE_NEWLY_WRONG] = "newly wrong",
        [CHANGE_NEWLY_OK] = "newly ok",
        [CHANGE_SLOWER] = "slower",
        [CHANGE_FASTER] = "faster",
        [CHANGE_UNCLEAR] = "unclear",
        [CHANGE_SAME] = "same",
        [CHANGE_UNTIMED] = "untimed",
        [CHANGE_UNSUPPORTED] = "unsupported",
        [CHANGE_BOTH_FAIL] = "failed in both",
        [CHANGE_ONLY_BASELINE] = "only in baseline",
        [CHANGE_ONLY_OTHER] = "only in other",
    };
    return names[change];
}

struct difference difference_of(const struct log_median *baseline, const struct log_median *other,
                                double risk, double floor, double threshold) {
    const double shift = other->value - baseline->value;
    const double half_width = log_median_half_width(baseline, other, risk);
    const double own_half_width = log_median_half_width(baseline, other, verdict_own_risk);
    return (struct difference){ .ratio = exp(shift),
                                .low = exp(shift - half_width),
                                .high = exp(shift + half_width),
                                .own_low = exp(shift - own_half_width),
                                .own_high = exp(shift + own_half_width),
                                .floor = floor,
                                .within = fmax(floor, threshold) };
}

enum change difference_verdict(const struct difference *difference) {
    const double most = 1 + difference->within;
    const double least = 1 / most;
    if (difference->low > 1 && difference->ratio > most) {
        return CHANGE_SLOWER;
    }
    if (difference->high < 1 && difference->ratio < least) {
        return CHANGE_FASTER;
    }
    const bool within = difference->own_low >= least && difference->own_high <= most;
    return within && difference->floor <= verdict_most_floor ? CHANGE_SAME : CHANGE_UNCLEAR;
}
