#include "reference/rdf/rdf.h"

#include "reference/neighbours/neighbours.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Pairs of types in the order of the lower one, then of the higher one. */
static size_t pair_of_types(size_t types, size_t one, size_t other) {
    const size_t low = one < other ? one : other;
    const size_t high = one < other ? other : one;
    return low * types - low * (low + 1) / 2 + high;
}

/* Of a range of particles, or of all. */
struct counting {
    const struct rdf_asked *asked;
    struct rdf_counts *counts;
    pthread_mutex_t lock; /* of the counts */
};

static bool counts_allocate(size_t pairs, size_t bins, struct rdf_counts *counts,
                            struct error *error) {
    *counts = (struct rdf_counts){ .bins = bins, .pairs = pairs };
    counts->count = calloc(pairs * bins, sizeof *counts->count);
    counts->near = calloc(pairs * (bins + 1), sizeof *counts->near);
    return (counts->count && counts->near) || fail_out_of_memory(error, "the reference");
}

static void count_distance(const struct rdf_asked *asked, double distance, uint64_t *count,
                           uint64_t *near) {
    const double bin_width = asked->cutoff / (double)asked->bins;
    const double last = (double)asked->bins;
    const double bin = distance / bin_width;
    if (bin < last) {
        count[(size_t)bin]++;
    }
    const double from = fmax(0, ceil((distance - asked->width) / bin_width));
    const double to = fmin(last, floor((distance + asked->width) / bin_width));
    for (double edge = from; edge <= to; edge++) {
        near[(size_t)edge]++;
    }
}

static void count_particle(const struct rdf_asked *asked, size_t i, const struct neighbour *list,
                           size_t count, struct rdf_counts *counts) {
    const int32_t *type = asked->box->type;
    for (size_t e = 0; e < count; e++) {
        const size_t pair = asked->types == 1 ? 0
                                              : pair_of_types(asked->types, (size_t)type[i],
                                                              (size_t)type[list[e].j]);
        count_distance(asked, list[e].distance, counts->count + pair * counts->bins,
                       counts->near + pair * (counts->bins + 1));
    }
}

static void add_counts(struct counting *counting, const struct rdf_counts *own) {
    struct rdf_counts *all = counting->counts;
    (void)pthread_mutex_lock(&counting->lock);
    for (size_t k = 0; k < all->pairs * all->bins; k++) {
        all->count[k] += own->count[k];
    }
    for (size_t k = 0; k < all->pairs * (all->bins + 1); k++) {
        all->near[k] += own->near[k];
    }
    (void)pthread_mutex_unlock(&counting->lock);
}

static bool count_some(void *context, struct neighbour_finder *finder, size_t first, size_t end,
                       struct error *error) {
    struct counting *counting = context;
    struct rdf_counts own;
    bool counted = counts_allocate(counting->counts->pairs, counting->counts->bins, &own, error);
    for (size_t i = first; counted && i < end; i++) {
        const struct neighbour *list;
        size_t count;
        counted = neighbour_finder_list(finder, i, &list, &count, error);
        if (counted) {
            count_particle(counting->asked, i, list, count, &own);
        }
    }
    if (counted) {
        add_counts(counting, &own);
    }
    rdf_counts_free(&own);
    return counted;
}

bool reference_rdf(const struct rdf_asked *asked, struct rdf_counts *counts, struct error *error) {
    const struct neighbours_asked neighbours = { .box = asked->box,
                                                 .cutoff = asked->cutoff,
                                                 .width = asked->width,
                                                 .interaction = asked->interaction,
                                                 .once = true };
    struct neighbour_finder *finder = NULL;
    struct counting counting = { asked, counts, PTHREAD_MUTEX_INITIALIZER };
    *counts = (struct rdf_counts){ 0 };
    if (asked->types > 1 && (size_t)asked->box->types > asked->types) {
        return fail(error, STATUS_BAD_INPUT,
                    "a box of %d types: expected rdf:types=%d or more, or 1 for all alike",
                    (int)asked->box->types, (int)asked->box->types);
    }
    const bool counted =
        counts_allocate(asked->types * (asked->types + 1) / 2, asked->bins, counts, error) &&
        neighbour_finder_make(&neighbours, &finder, error) &&
        neighbour_finder_each(finder, asked->box->n, count_some, &counting, error);
    neighbour_finder_free(finder);
    return counted;
}

void rdf_counts_free(struct rdf_counts *counts) {
    free(counts->count);
    free(counts->near);
    *counts = (struct rdf_counts){ 0 };
}
