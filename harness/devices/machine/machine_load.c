#include "devices/machine/machine_load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const double machine_load_window_s = 0.1;
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
    if (processors < 1 || !(total >= machine_load_window_s * (double)processors)) {
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
