#include "campaign/progress.h"

#include "campaign/campaign_parts.h"

#include <math.h>

/* Where nothing else is known: measured on two cores by PoCL and on an H200 by CUDA, where kinds
 * differ by about as much. */
static const double later_by_first = 0.6;
static const double first_by_compiling = 0.25;
static const double growth = 0.5; /* seconds go with this power of the number of particles */

static struct estimate_size *size_of(struct estimate *estimate, size_t n) {
    size_t i = 0;
    while (i < estimate->size_count && estimate->sizes[i].n != n) {
        i++;
    }
    if (i == ESTIMATE_SIZES) {
        return &estimate->sizes[ESTIMATE_SIZES - 1];
    }
    if (i == estimate->size_count) {
        estimate->sizes[i].n = n;
        estimate->size_count++;
    }
    return &estimate->sizes[i];
}

void estimate_add(struct estimate *estimate, size_t n, enum visit_kind kind, double seconds) {
    struct estimate_size *size = size_of(estimate, n);
    size->seconds[kind] += seconds;
    size->count[kind]++;
    estimate->seconds += seconds;
}

void estimate_add_case(struct estimate *estimate, size_t n, size_t visits) {
    struct estimate_size *size = size_of(estimate, n);
    size->cases++;
    size->visits += visits;
}

static double log_of(size_t n) {
    return log((double)(n > 0 ? n : 1));
}

/* The mean at the nearest number of particles, scaled to n; 0: none of the kind. */
static double scaled_mean(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    double nearest = INFINITY;
    double mean = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        const double further = log_of(n) - log_of(size->n);
        if (size->count[kind] > 0 && fabs(further) < nearest) {
            nearest = fabs(further);
            mean = size->seconds[kind] / (double)size->count[kind] * exp(growth * further);
        }
    }
    return mean;
}

static double first_visit(const struct estimate *estimate, size_t n) {
    const double first = scaled_mean(estimate, n, VISIT_FIRST);
    return first > 0 ? first : first_by_compiling * scaled_mean(estimate, n, VISIT_COMPILING);
}

/* What is expected counts as one measured visit more: the first later one of a size is often dear.
 */
static double later_visit(const struct estimate *estimate, size_t n, double expected) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n) {
            return (expected + size->seconds[VISIT_LATER]) / (double)(1 + size->count[VISIT_LATER]);
        }
    }
    return expected;
}

double estimate_visit(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    if (kind == VISIT_COMPILING) {
        return first_visit(estimate, n) + estimate_compiling(estimate);
    }
    const double first = first_visit(estimate, n);
    if (first <= 0) {
        return scaled_mean(estimate, n, VISIT_LATER);
    }
    return kind == VISIT_FIRST ? first : later_visit(estimate, n, later_by_first * first);
}

double estimate_compiling(const struct estimate *estimate) {
    double seconds = 0;
    size_t count = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        seconds += size->seconds[VISIT_COMPILING] -
                   (double)size->count[VISIT_COMPILING] * first_visit(estimate, size->n);
        count += size->count[VISIT_COMPILING];
    }
    return count > 0 && seconds > 0 ? seconds / (double)count : 0;
}

double estimate_visits(const struct estimate *estimate, size_t n, size_t most) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n && size->cases > 0) {
            return (double)size->visits / (double)size->cases;
        }
    }
    return (double)most;
}

/* ---- the time that a campaign still takes ---- */

/* Whether one program serves both. Of what distinguishes programs, this is what axes often span. */
static bool is_same_kernel(const struct campaign *campaign, const struct entry *one,
                           const struct entry *other) {
    const struct case_spec *left = spec_of(campaign, one);
    const struct case_spec *right = spec_of(campaign, other);
    return one->part == other->part && left->variant == right->variant &&
           left->precision == right->precision && left->outputs == right->outputs;
}

void campaign_begin_estimate(struct campaign *campaign) {
    for (size_t e = 0; e < campaign->count; e++) {
        size_t first = 0;
        while (!is_same_kernel(campaign, &campaign->entries[first], &campaign->entries[e])) {
            first++;
        }
        campaign->entries[e].kernel = first;
    }
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t e = u / campaign->repetitions;
        struct entry *first = &campaign->entries[campaign->entries[e].kernel];
        const bool opens =
            campaign->chosen[e] && !campaign->units[u].has_row && !first->kernel_left;
        first->kernel_left = first->kernel_left || opens;
        campaign->kernels_left += opens;
    }
}

void campaign_add_to_estimate(struct campaign *campaign, const struct entry *entry,
                              const struct unit *unit, double seconds) {
    const size_t n = spec_of(campaign, entry)->box.n;
    struct entry *first = &campaign->entries[entry->kernel];
    enum visit_kind kind = unit->visits.count > 1 ? VISIT_LATER : VISIT_FIRST;
    if (first->kernel_left) {
        first->kernel_left = false;
        campaign->kernels_left--;
        kind = kind == VISIT_FIRST ? VISIT_COMPILING : kind;
    }
    estimate_add(&campaign->estimate, n, kind, seconds);
    if (unit->visits.count == 1) {
        estimate_add_case(&campaign->estimate, n,
                          visits_wanted(&unit->visits, campaign->visits,
                                        campaign->settings->sampling.time_cap_s));
    }
}

/* A unit that all sweeps leave unclear is visited once more, at least. */
static double unit_left(const struct campaign *campaign, size_t n, const struct unit *unit) {
    const struct visits *visits = &unit->visits;
    const struct estimate *estimate = &campaign->estimate;
    const double later = estimate_visit(estimate, n, VISIT_LATER);
    if (visits->count == 0) {
        return estimate_visit(estimate, n, VISIT_FIRST) +
               later * (estimate_visits(estimate, n, campaign->visits) - 1);
    }
    const bool again = visits->count >= campaign->visits && unit->wanted > visits->count;
    const size_t wanted = visits_wanted(visits, again ? visits->count + 1 : campaign->visits,
                                        campaign->settings->sampling.time_cap_s);
    return wanted > visits->count ? later * (double)(wanted - visits->count) : 0;
}

double campaign_seconds_left(void *context, double elapsed_s) {
    const struct campaign *campaign = context;
    const struct estimate *estimate = &campaign->estimate;
    double left = (double)campaign->kernels_left * estimate_compiling(estimate);
    if (estimate->seconds <= 0) {
        return -1;
    }
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t e = u / campaign->repetitions;
        const struct entry *entry = &campaign->entries[e];
        if (campaign->chosen[e] && !campaign->units[u].has_row && !campaign->lost[entry->part]) {
            left += unit_left(campaign, spec_of(campaign, entry)->box.n, &campaign->units[u]);
        }
    }
    /* Several devices at the same time take less, what is between visits adds to it. */
    return left * elapsed_s / estimate->seconds;
}
