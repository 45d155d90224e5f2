#include "measure/judge/counts.h"

#include "devices/machine/machine_watch.h"
#include "prepare/kernel_plan.h"

#include <inttypes.h>
#include <math.h>

/* Within half an edge, a particle is met at no more than three images along an axis. */
static const double max_images = 27.0;

const struct pair_counts pair_counts_unknown = { -1, -1 };

bool pair_counts_available(const struct variant *variant) {
    return variant->workload->judge->counts_pairs && variant_takes(variant, "partial_sums");
}

bool pair_counts_take(struct device *device, const struct case_spec *spec,
                      const struct expected *expected, struct pair_counts *counts,
                      struct error *error) {
    struct kernel_plan *counting = NULL;
    if (!kernel_plan_create(&(struct plan_input){ device, spec, BUILD_COUNTING, &expected->box,
                                                  &expected->groups, expected->cutoff },
                            &counting, error)) {
        return false;
    }
    /* A pass without partial_sums, or one that leaves them unwritten, is not to count what lay in
     * the memory before. */
    const bool counted = kernel_plan_build(counting, error) &&
                         fill_outputs_with_byte(counting, 0, error) &&
                         kernel_plan_enqueue(counting, error) &&
                         kernel_plan_counts(counting, &counts->distances, &counts->pairs, error);
    kernel_plan_free(counting);
    return counted;
}

/* Pairs of places that a pass may look at, each place with itself included. */
static double pairs_of_places(const struct groups *groups) {
    const double a = (double)groups->n_a;
    switch (groups->mode) {
    case GROUPS_PAIRS:
        return a;
    case GROUPS_TWO:
        return a * (double)groups->n_b;
    default:
        return a * a;
    }
}

struct pair_counts_bounds pair_counts_bounds_of(const struct case_spec *spec,
                                                const struct expected *expected) {
    const struct expected_work work = expected_work_of(spec, expected);
    return (struct pair_counts_bounds){
        .pairs = (uint64_t)work.pairs,
        .edge_pairs = work.edge_pairs,
        .max_distances = max_images * pairs_of_places(&expected->groups) * spec->variant->pass_count
    };
}

static void refuse(struct verdict *verdict, const struct pair_counts *counts, const char *why) {
    verdict_say(verdict, STATUS_WRONG, "counts %" PRId64 " distances and %" PRId64 " pairs: %s",
                counts->distances, counts->pairs, why);
}

/* Whether the count fits pairs that are each computed from `sides` sides. */
static bool counts_sides(int64_t counted, const struct pair_counts_bounds *bounds, uint64_t sides) {
    const uint64_t expected = sides * bounds->pairs;
    const uint64_t slack = sides * bounds->edge_pairs;
    const uint64_t least = expected > slack ? expected - slack : 0;
    return counted >= 0 && (uint64_t)counted >= least && (uint64_t)counted <= expected + slack;
}

void pair_counts_judge(const struct pair_counts *counts, const struct pair_counts_bounds *bounds,
                       struct verdict *verdict) {
    char why[160];
    if (!counts_sides(counts->pairs, bounds, 1) && !counts_sides(counts->pairs, bounds, 2)) {
        (void)snprintf(why, sizeof why,
                       "expected %" PRIu64 " pairs within the cutoff, once or from both sides "
                       "(%" PRIu64 " at its edge)",
                       bounds->pairs, bounds->edge_pairs);
        refuse(verdict, counts, why);
    } else if (counts->distances < counts->pairs) {
        refuse(verdict, counts, "a pair within the cutoff has a distance to be computed");
    } else if ((double)counts->distances > bounds->max_distances) {
        (void)snprintf(why, sizeof why, "all pairs at all images are %.0f distances",
                       bounds->max_distances);
        refuse(verdict, counts, why);
    }
}

/* ---- rates ---- */

/* The least traffic of an evaluation: it reads positions once and writes results once. */
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

static bool refuse_rate(struct verdict *verdict, double share, const char *of_what,
                        double seconds) {
    verdict_say(verdict, STATUS_WRONG, "%s in %.3g s: %.3g %% of what the device can do", of_what,
                seconds, 100.0 * share);
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
        return refuse_rate(verdict, counted, "the operations that the variant counts", seconds);
    }
    if (least > most) {
        return refuse_rate(verdict, least, "the operations of the pairs within the cutoff alone",
                           seconds);
    }
    if (work->cache_bytes >= 0 && moved > most) {
        return refuse_rate(verdict, moved, "reading the positions and writing the results once",
                           seconds);
    }
    return true;
}
