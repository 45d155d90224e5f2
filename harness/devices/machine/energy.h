/*
 * energy — joules of a launch, from a counter that moves in steps.
 *
 * A driver's energy counter stands still for about a tenth of a second between steps. Two readings
 * at any moments are wrong by up to a step each; two readings that each saw the counter step are
 * wrong only by how often it was looked at. Power between them, times the time that a launch takes
 * when launches follow each other, is the energy of a launch.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_ENERGY_H
#define PAIRMARK_DEVICES_MACHINE_ENERGY_H

#include <stdbool.h>

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
