#include "measure/judge/rate.h"

#include "devices/machine/machine_watch.h"

#include <math.h>

/* Of an evaluation: positions are read once, and results are written once. */
static double least_bytes(const struct case_spec *spec, const struct expected *expected) {
    const struct numeric numeric = precision_numeric(spec->precision);
    const struct workload *workload = spec->variant->workload;
    const struct groups *groups = &expected->groups;
    const double members = (double)(groups->n_a + groups->n_b);
    const double read = workload_has_particles(workload)
                            ? 3.0 * members * (double)format_bytes(numeric.position)
                            : 0;
    return read + (workload->places
                       ? (double)(workload->places->count(spec) * workload->places->bytes(spec))
                       : 3.0 * members * (double)format_bytes(numeric.accumulation));
}

struct rate_work rate_work_of(const struct case_spec *spec, const struct expected *expected,
                              const struct pair_counts *counts, const struct device_info *device) {
    const double distance = spec->interaction.flops_distance;
    const double pair = spec->interaction.flops_pair;
    const struct expected_work expectation = expected_work_of(spec, expected);
    const double evaluations = spec->step.steps > 0 ? (double)spec->step.steps : 1.0;
    return (struct rate_work){
        .operations = counts->distances > 0
                          ? (double)counts->distances * distance + (double)counts->pairs * pair
                          : 0.0,
        .min_operations = evaluations * fmax(0, (double)expectation.pairs) * (distance + pair),
        .min_bytes = evaluations * least_bytes(spec, expected),
        .cache_bytes = device->l2_bytes > 0 ? (double)device->l2_bytes : -1.0
    };
}

double rate_percent(double operations, const struct peaks *peaks, enum precision precision,
                    double seconds) {
    return operations > 0 ? 100.0 * operations / seconds / peaks_operations_per_s(peaks, precision)
                          : NAN;
}

static bool refuse(struct verdict *verdict, double share, const char *of_what, double seconds) {
    verdict->status = STATUS_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "%s in %.3g s: %.3g %% of what the device can do", of_what, seconds,
                   100.0 * share);
    return false;
}

bool rate_judge(const struct rate_work *work, const struct peaks *peaks, enum precision precision,
                double seconds, struct verdict *verdict) {
    const double most = 1.0 + peaks->error;
    const double peak = peaks_operations_per_s(peaks, precision);
    const double counted = work->operations / seconds / peak;
    const double least = work->min_operations / seconds / peak;
    /* What lies in the cache before, and what is still there afterwards, need not move. */
    const double bytes = work->min_bytes - 2.0 * work->cache_bytes;
    const double moved = bytes / seconds / peaks->copy_bytes_per_s;
    if (peaks->machine_load > machine_load_bound) {
        return true;
    }
    if (counted > most) {
        return refuse(verdict, counted, "the operations that the variant counts", seconds);
    }
    if (least > most) {
        return refuse(verdict, least, "the operations of the pairs within the cutoff alone",
                      seconds);
    }
    if (work->cache_bytes >= 0 && moved > most) {
        return refuse(verdict, moved, "reading the positions and writing the results once",
                      seconds);
    }
    return true;
}
