/*
 * peak — what a device does at best, measured by kernels of our own (devices/machine/peak.cl) in
 * the same dialect as the variants: what percent_of_peak is a percentage of.
 */
#ifndef PAIRMARK_DEVICES_MACHINE_PEAK_H
#define PAIRMARK_DEVICES_MACHINE_PEAK_H

#include "boxes/box.h"
#include "devices/device.h"

/* Each is the best of several launches. NaN: could not be measured here. */
struct peaks {
    double fp32_operations_per_s; /* a multiply-add is two */
    double fp64_operations_per_s;
    double rsqrt_per_s;       /* reciprocal square roots in float: RSQRT of the dialect */
    double copy_bytes_per_s;  /* of device memory, read and written together */
    double local_bytes_per_s; /* read from local memory by all work-items together */
    double error; /* of them, relative: how far a usual launch is from the best; 5 % at least */
    double machine_load;   /* while they were measured, of a CPU device: see machine_watch.h */
    char measured_utc[24]; /* when; 2026-01-31T23:59:59Z */
    bool cached;           /* by an earlier run */
};

/* Measures them, which takes a second or so, or finds them in the cache, where they are kept by the
 * device's model, driver, size and compiler and the text of the kernels. What was measured of a CPU
 * device while others took more than machine_load_bound of it is measured again, and the better of
 * both is kept. */
void peaks_measure(struct device *device, struct peaks *peaks);

/* Measures them now, whatever is in the cache, and keeps the better of both there and in *peaks. */
void peaks_again(struct device *device, struct peaks *peaks);

/* The better of both, number by number, and the larger error; date and load are those of the later
 * one. */
void peaks_join(const struct peaks *earlier, struct peaks *later);

/* Multiply-adds in the precision's arithmetic, as operations per second. */
double peaks_operations_per_s(const struct peaks *peaks, enum precision precision);

/* What the device can do at best: measured once per session, the peaks once for as long as the
 * cache keeps them. NaN what could not be measured. */
struct device_rates {
    struct peaks peaks;
    double launch_overhead_s; /* launch_overhead_measure() */
};

/* ---- the cost of a launch ---- */

/* What the sampler reads for a kernel that does nothing: every sample holds it once per launch. */

/* A case shorter than this many overheads is marked: a third of its time and more is not its own.
 */
enum { SHORT_IN_OVERHEADS = 3 };

/* The median time between two neighbouring stamps with one launch of an empty kernel (a single
 * work-group) between them, enqueued by the dozen before the first is waited for, as the sampler
 * does: launches follow each other as fast as the device starts them or the host enqueues them,
 * whichever is slower. What the host waits for a launch to come back is not in it. */
bool launch_overhead_measure(struct device *device, double *seconds, struct error *error);

#endif
