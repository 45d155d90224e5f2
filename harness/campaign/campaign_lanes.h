/*
 * campaign_lanes — which devices are measured at the same time.
 *
 * A lane is a card, or a device that is known by no other name: what is measured there is measured
 * one after the other. Lanes of one shift run at the same time, shifts one after the other.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_LANES_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_LANES_H

#include "core/error.h"
#include "devices/device.h"

#include <stdbool.h>
#include <stddef.h>

enum concurrency {
    /* Cards that are known to be several: the backends report where on the bus they sit. Processors
     * compute with what feeds the others, so each is a shift of its own after the cards; so is a
     * device whose place is not known. */
    CONCURRENT_AUTO,
    CONCURRENT_NO, /* all devices are one lane */
    CONCURRENT_YES /* every device is a lane, and there is one shift */
};

/* Where a device is measured. */
struct lane_place {
    size_t lane;  /* 0, 1, ... of its shift */
    size_t shift; /* 0, 1, ... */
};

/* "auto", "no", "yes". STATUS_BAD_INPUT naming the option. */
bool lanes_parse(const char *option, const char *value, enum concurrency *concurrency,
                 struct error *error);

/* Places the devices: places[count]. Returns how many lanes the shift has that has most: with 1
 * nothing runs at the same time, and the shifts say nothing. */
size_t lanes_place(const struct device_info *const *devices, size_t count,
                   enum concurrency concurrency, struct lane_place *places);

/* The lanes of a shift. */
size_t lanes_of_shift(const struct lane_place *places, size_t count, size_t shift);

#endif
