#include "measure/judge/counts.h"

#include "measure/prepare/kernel_plan.h"
#include <inttypes.h>
#include <string.h>

/* Within half an edge, a particle is met at no more than three images along an axis. */
static const double max_images = 27.0;

const struct pair_counts pair_counts_unknown = { -1, -1 };

bool pair_counts_available(const struct variant *variant) {
    return variant->workload->judge->counts_pairs && variant_takes_sums(variant);
}

bool pair_counts_take(struct device *device, const struct case_spec *spec,
                      const struct expected *expected, struct pair_counts *counts,
                      struct error *error) {
    struct kernel_plan *counting = NULL;
    if (!kernel_plan_create(device, spec, BUILD_COUNTING, &expected->box, &expected->groups,
                            expected->cutoff, &counting, error)) {
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
    verdict->status = STATUS_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "counts %" PRId64 " distances and %" PRId64 " pairs: %s", counts->distances,
                   counts->pairs, why);
}

/* Whether the count is that of each pair from so many sides. */
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
