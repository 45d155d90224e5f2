#include "devices/machine/machine_watch.h"

#include "core/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Windows shorter than this are useless: at 100 ticks a second their load would be wrong by a
 * tenth and more. */
static const double least_window_s = 0.1;
const double machine_load_bound = 0.1;

/* As proc(5) orders them. Guests' time is in user and nice already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS, MIN_COLUMNS = IDLE + 1 };

bool machine_parse(const char *text, double ticks_per_s, struct machine_moment *moment) {
    unsigned long long ticks[COLUMNS] = { 0 };
    const int read = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[USER],
                            &ticks[NICE], &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT], &ticks[IRQ],
                            &ticks[SOFTIRQ], &ticks[STEAL]);
    if (read < MIN_COLUMNS || !(ticks_per_s > 0)) {
        return false;
    }
    double total = 0;
    for (int c = 0; c < COLUMNS; c++) {
        total += (double)ticks[c];
    }
    moment->total_s = total / ticks_per_s;
    moment->busy_s = (total - (double)ticks[IDLE] - (double)ticks[IOWAIT]) / ticks_per_s;
    return true;
}

void machine_look(struct machine_moment *moment) {
    char line[256] = "";
    struct timespec own;
    *moment = (struct machine_moment){ NAN, NAN, NAN };
    FILE *file = fopen("/proc/stat", "r");
    if (!file) {
        return;
    }
    if (fgets(line, sizeof line, file) &&
        machine_parse(line, (double)sysconf(_SC_CLK_TCK), moment) &&
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0) {
        moment->own_s = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec;
    }
    (void)fclose(file);
}

double machine_load_between(const struct machine_moment *from, const struct machine_moment *to,
                            long processors) {
    const double total = to->total_s - from->total_s;
    const double others = (to->busy_s - from->busy_s) - (to->own_s - from->own_s);
    /* Written so that NaN is not long enough. */
    if (processors < 1 || !(total >= least_window_s * (double)processors)) {
        return NAN;
    }
    if (isnan(others)) {
        return NAN;
    }
    return fmin(fmax(others / total, 0), 1); /* ticks are coarse: a little under 0 is 0 */
}

double machine_load_since(const struct machine_moment *from) {
    struct machine_moment now;
    machine_look(&now);
    return machine_load_between(from, &now, sysconf(_SC_NPROCESSORS_ONLN));
}

/* ---- throttling ---- */

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

/* ---- energy ---- */

static const double min_window_s = 0.5;
static const double counter_step_s = 0.1;
static const double windows_in_looks = 25;

void energy_watch_take(struct energy_watch *watch, double at_s, double joules) {
    if (watch->begun && joules > watch->before_j) {
        if (watch->steps++ == 0) {
            watch->first_s = at_s;
            watch->first_j = joules;
        }
        watch->last_s = at_s;
        watch->last_j = joules;
    }
    watch->begun = true;
    watch->before_j = joules;
}

double energy_watch_power(const struct energy_watch *watch, double window_s) {
    const double seconds = watch->last_s - watch->first_s;
    if (watch->steps < 2 || seconds < window_s) {
        return NAN;
    }
    return (watch->last_j - watch->first_j) / seconds;
}

double energy_window_s(double launch_s) {
    return fmax(min_window_s, windows_in_looks * fmin(launch_s, counter_step_s));
}
