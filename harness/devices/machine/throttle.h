/*
 * throttle — whether a GPU worked slower than it usually does: what was timed then is not what the
 * kernel takes.
 *
 * A reading is throttled when the driver gives a reason of the thermal, power or slowdown kind (the
 * words power_cap, hw_slowdown, sw_thermal, hw_thermal, power_brake of a device_state), or when the
 * SM clock is under 90 % of the run's usual. The usual clock is the median of the last 255 clocks
 * that were read at work without such a reason, and is not known before there are 5 of them: it
 * follows when somebody sets other clocks, and cannot be pulled down by the throttling itself.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_THROTTLE_H
#define PAIRMARK_DEVICES_MACHINE_THROTTLE_H

#include "devices/device.h"

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

#endif
