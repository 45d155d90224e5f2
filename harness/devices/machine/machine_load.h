/*
 * machine_load — how much of the machine's processors others took while something was timed on
 * them: other processes, interrupts, and the hypervisor (steal time).
 *
 * From the first line of /proc/stat, less what this process used itself by its own clock. The
 * system counts in ticks, of 10 ms as a rule, so that a short window says little.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_MACHINE_LOAD_H
#define PAIRMARK_DEVICES_MACHINE_MACHINE_LOAD_H

#include <stdbool.h>

/* Windows shorter than this are useless: at 100 ticks a second their load would be wrong by a
 * tenth and more. */
extern const double machine_load_window_s; /* 0.1 */

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
 * than machine_load_window_s of every processor passed (`processors`: how many there are). */
double machine_load_between(const struct machine_moment *from, const struct machine_moment *to,
                            long processors);

/* The same, for the processors that the system has. */
double machine_load_since(const struct machine_moment *from);

#endif
