/* How long a campaign still takes: what is left of it, by what its visits have taken so far. */
#include "campaign/campaign_parts.h"

static const struct case_spec *spec_of(const struct campaign *campaign, const struct entry *entry) {
    return &campaign->parts[entry->part].plan->cases[entry->case_index];
}

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

/* A unit that all rounds leave unclear is visited once more, at least. */
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
