#include "devices/machine/throttle.h"

#include "core/statistics.h"

#include <math.h>
#include <string.h>

static const double min_share = 0.9; /* of the usual clock */

double clock_watch_usual_mhz(const struct clock_watch *watch) {
    double sorted[CLOCKS_KEPT];
    const size_t count = watch->count < CLOCKS_KEPT ? watch->count : CLOCKS_KEPT;
    if (count < CLOCKS_NEEDED) {
        return NAN;
    }
    memcpy(sorted, watch->seen_mhz, count * sizeof *sorted);
    sort_numbers(sorted, count);
    return quantile_of_sorted(sorted, count, 0.5);
}

/* No word for a reason is a part of another. */
bool throttle_slows(const char *reasons) {
    static const char *const slowing[] = { "power_cap", "hw_slowdown", "sw_thermal", "hw_thermal",
                                           "power_brake" };
    bool found = false;
    for (size_t i = 0; i < sizeof slowing / sizeof slowing[0] && !found; i++) {
        found = strstr(reasons, slowing[i]) != NULL;
    }
    return found;
}

bool clock_watch_throttled(struct clock_watch *watch, const struct device_state *state) {
    const bool reason = throttle_slows(state->throttle_reasons);
    /* Written so that an unknown clock, or no usual one yet, is not slow. */
    const bool slow = state->sm_clock_mhz < min_share * clock_watch_usual_mhz(watch);
    if (!reason && state->sm_clock_mhz > 0) {
        watch->seen_mhz[watch->count++ % CLOCKS_KEPT] = state->sm_clock_mhz;
    }
    return reason || slow;
}
