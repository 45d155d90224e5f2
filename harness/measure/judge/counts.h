/*
 * counts — how many distances a variant computes and how often it applies the pair function, by a
 * build of it that counts; and whether it can be so.
 *
 * counted_percent_of_peak and pairs_evaluated rest on what the kernel says of itself. The reference
 * knows how many pairs are within the cutoff: a variant that computes each pair once counts as
 * many, one that computes it from both sides twice as many, and none counts anything else.
 *
 * Counts are stored where sums are: a variant none of whose passes takes `partial_sums` counts
 * none, which is no fault of a kernel that computes forces alone. Nothing is judged by its counts.
 */
#ifndef PAIRMARK_MEASURE_JUDGE_COUNTS_H
#define PAIRMARK_MEASURE_JUDGE_COUNTS_H

#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "measure/judge/expected.h"

struct pair_counts {
    int64_t distances; /* COUNT_DISTANCE */
    int64_t pairs;     /* add_to_sums; those that the interaction leaves out included */
};

/* The counts of a variant that does not count: -1 and -1. */
extern const struct pair_counts pair_counts_unknown;

/* What they have to agree with. */
struct pair_counts_bounds {
    uint64_t pairs;       /* unordered, within the cutoff */
    uint64_t edge_pairs;  /* may be within it or not, by rounding */
    double max_distances; /* that all passes can have to compute, at most */
};

/* Whether a pass of the variant has where to store them, the parameter `partial_sums`. Variants of
 * listed terms look at no distances and count none. */
bool pair_counts_available(const struct variant *variant);

/* Builds the case so that it counts, and runs it once; what no work-item stores counts as 0. For
 * variants that count. False with *error set where the device fails. */
bool pair_counts_take(struct device *device, const struct case_spec *spec,
                      const struct expected *expected, struct pair_counts *counts,
                      struct error *error);

/* The bounds of a case that has its reference. */
struct pair_counts_bounds pair_counts_bounds_of(const struct case_spec *spec,
                                                const struct expected *expected);

/* Sets *verdict to STATUS_WRONG, with the reason in words, where they do not agree; else leaves it
 * as it is. */
void pair_counts_judge(const struct pair_counts *counts, const struct pair_counts_bounds *bounds,
                       struct verdict *verdict);

/* ---- rates ---- */

/* What a time and the counted operations amount to, of what the device can do; and whether
 * that is possible.
 *
 * A rate beyond the device's is no record but an error: of the counts, of the time, or of the
 * outputs, which may have been there before the kernel was started. */

/* The least work of a case, and the work that its kernel counted. */
struct rate_work {
    double operations;     /* of the distances and pairs that the variant counted; 0: not known */
    double min_operations; /* of each pair within the cutoff, once */
    double min_bytes;      /* positions read and results written, each once */
    double cache_bytes;    /* of the device's last cache, which may keep as much; < 0: not known */
};
struct rate_work rate_work_of(const struct case_spec *spec, const struct expected *expected,
                              const struct pair_counts *counts, const struct device_info *device);

/* A rate of operations as a percentage of the device's peak in this precision; NaN where there is
 * no peak. */
double rate_percent(double operations, const struct peaks *peaks, enum precision precision,
                    double seconds);

/* Whether the device can do that, within the error of its peaks: always true where they are not
 * known, or were measured of a processor that others used. False: *verdict is STATUS_WRONG with the
 * reason in words. */
bool rate_judge(const struct rate_work *work, const struct peaks *peaks, enum precision precision,
                double seconds, struct verdict *verdict);

#endif
