#include "devices/machine/energy.h"

#include <math.h>

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
