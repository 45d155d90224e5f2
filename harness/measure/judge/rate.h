/*
 * rate — what a time and the counted operations amount to, of what the device can do; and whether
 * that is possible.
 *
 * A rate beyond the device's is no record but an error: of the counts, of the time, or of the
 * outputs, which may have been there before the kernel was started.
 */
#ifndef PAIRMARK_MEASURE_JUDGE_RATE_H
#define PAIRMARK_MEASURE_JUDGE_RATE_H

#include "devices/machine/peak.h"
#include "measure/judge/counts.h"

/* What a case does at least and says to do. */
struct rate_work {
    double operations;     /* of the distances and pairs that the variant counted; 0: not known */
    double min_operations; /* of each pair within the cutoff, once */
    double min_bytes;      /* positions read and results written, each once */
    double cache_bytes;    /* of the device's last cache, which may keep as much; < 0: not known */
};
struct rate_work rate_work_of(const struct case_spec *spec, const struct expected *expected,
                              const struct pair_counts *counts, const struct device_info *device);

/* So many operations as a percentage of the peak in this precision; NaN of none. */
double rate_percent(double operations, const struct peaks *peaks, enum precision precision,
                    double seconds);

/* Whether the device can do that, within the error of its peaks: always true where they are not
 * known, or were measured of a processor that others used. False: *verdict is STATUS_WRONG with the
 * reason in words. */
bool rate_judge(const struct rate_work *work, const struct peaks *peaks, enum precision precision,
                double seconds, struct verdict *verdict);

#endif
