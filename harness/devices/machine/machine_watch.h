/*
 * machine_watch — the state of the machine while something is timed on it: the load of others,
 * the clocks of a GPU, the energy that it takes.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_MACHINE_WATCH_H
#define PAIRMARK_DEVICES_MACHINE_MACHINE_WATCH_H

#include "devices/device.h"

#include <stdbool.h>

/* ---- load ---- */

/*
 * How much of the machine's processors others took: other processes, interrupts, and the hypervisor
 * (steal time). It is read from the first line of /proc/stat, less what this process used itself by
 * its own clock. The system counts in ticks, of 10 ms as a rule, so that a short window says
 * little.
 */

/* If others take more of the processors than this, a time is unreliable. */
extern const double machine_load_bound; /* 0.1 */

/* A moment's counts, over all processors, in seconds. */
struct machine_moment {
    double busy_s;  /* user, nice, system, interrupts, steal */
    double total_s; /* busy, idle, and waiting for a disk */
    double own_s;   /* of this process, all its threads */
};

/* Reads busy_s and total_s out of the text of /proc/stat. False when that is not what it is. */
bool machine_parse(const char *text, double ticks_per_s, struct machine_moment *moment);

/* Looks at the system now; NaN where the load is not known. */
void machine_look(struct machine_moment *moment);

/* The share of all processors that others took in between, 0..1; NaN when not known or when less
 * than 0.1 s of every processor passed (`processors`: how many there are). */
double machine_load_between(const struct machine_moment *from, const struct machine_moment *to,
                            long processors);

/* The same, for the processors that the system has. */
double machine_load_since(const struct machine_moment *from);

/* ---- throttling ---- */

/*
 * Whether a GPU worked slower than it usually does: what was timed then is not what the kernel
 * takes.
 *
 * A reading is throttled when the driver gives a reason of the thermal, power or slowdown kind (the
 * words power_cap, hw_slowdown, sw_thermal, hw_thermal, power_brake of a device_state), or when the
 * SM clock is under 90 % of the run's usual. The usual clock is the median of the last 255 clocks
 * that were read at work without such a reason, and is not known before there are 5 of them: it
 * follows when somebody sets other clocks, and cannot be pulled down by the throttling itself.
 */

enum { CLOCKS_KEPT = 255, CLOCKS_NEEDED = 5 };

/* Of one device, for as long as it is open. Begins zeroed. */
struct clock_watch {
    double seen_mhz[CLOCKS_KEPT]; /* a ring */
    size_t count;                 /* ever */
};

/* The median of the clocks kept; NaN when there are too few. */
double clock_watch_usual_mhz(const struct clock_watch *watch);

/* Whether a reason of the thermal, power or slowdown kind is among the words of a device_state. */
bool throttle_slows(const char *reasons);

/* Judges a reading by those before it, then takes it in. An unknown reading is never
 * throttled. */
bool clock_watch_throttled(struct clock_watch *watch, const struct device_state *state);

/* ---- energy ---- */

/*
 * Joules of a launch, from a counter that moves in steps.
 *
 * A driver's energy counter stands still for about a tenth of a second between steps. Two readings
 * at any moments are wrong by up to a step each; two readings that each saw the counter step are
 * wrong only by how often it was looked at. Power between them, times the time that a launch takes
 * when launches follow each other, is the energy of a launch.
 */

/* The steps seen so far. Begins zeroed. */
struct energy_watch {
    bool begun;
    double before_j; /* the counter when last looked at */
    int steps;
    double first_s, first_j; /* when the first step was seen, and the counter after it */
    double last_s, last_j;   /* the last one */
};

/* Takes in a reading of the counter. */
void energy_watch_take(struct energy_watch *watch, double at_s, double joules);

/* Watts between the first step and the last; NaN unless they are at least window_s apart. */
double energy_watch_power(const struct energy_watch *watch, double window_s);

/* How far apart the steps are to be when a launch takes launch_s: half a second, and 25 times what
 * lies between two looks, which is a launch where that is long, but no more than the counter's own
 * step. Two looks that come late make 8 % of it then, 2 % where launches are short. */
double energy_window_s(double launch_s);

#endif
