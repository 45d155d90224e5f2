#include "reference/rdf/rdf.h"

#include "reference/neighbours/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of types in the order of the lower one, then of the higher one. */
static size_t pair_of_types(size_t types, size_t one, size_t other) {
    size_t pair = 0;
    for (size_t low = 0; low < types; low++) {
        for (size_t high = low; high < types; high++, pair++) {
            if ((one == low && other == high) || (one == high && other == low)) {
                return pair;
            }
        }
    }
    return 0;
}

static void count_distance(const struct rdf_asked *asked, double distance, uint64_t *count,
                           uint64_t *near) {
    const double bin_width = asked->cutoff / (double)asked->bins;
    const double last = (double)asked->bins;
    const double bin = floor(distance / bin_width);
    if (bin < last) {
        count[(size_t)bin]++;
    }
    const double from = fmax(0, ceil((distance - asked->width) / bin_width));
    const double to = fmin(last, floor((distance + asked->width) / bin_width));
    for (double edge = from; edge <= to; edge++) {
        near[(size_t)edge]++;
    }
}

static bool count_all(const struct rdf_asked *asked, struct neighbour_finder *finder,
                      struct rdf_counts *counts, struct error *error) {
    const struct box *box = asked->box;
    for (size_t i = 0; i < box->n; i++) {
        const struct neighbour *list;
        size_t count;
        if (!neighbour_finder_list(finder, i, &list, &count, error)) {
            return false;
        }
        for (size_t e = 0; e < count; e++) {
            const size_t j = (size_t)list[e].j;
            const size_t pair =
                asked->types == 1
                    ? 0
                    : pair_of_types(asked->types, (size_t)box->type[i], (size_t)box->type[j]);
            if (j > i) {
                count_distance(asked, list[e].distance, counts->count + pair * counts->bins,
                               counts->near + pair * (counts->bins + 1));
            }
        }
    }
    return true;
}

bool reference_rdf(const struct rdf_asked *asked, struct rdf_counts *counts, struct error *error) {
    const struct neighbours_asked neighbours = { .box = asked->box,
                                                 .cutoff = asked->cutoff,
                                                 .width = asked->width,
                                                 .interaction = asked->interaction };
    struct neighbour_finder *finder = NULL;
    *counts =
        (struct rdf_counts){ .bins = asked->bins, .pairs = asked->types * (asked->types + 1) / 2 };
    if (asked->types > 1 && (size_t)asked->box->types > asked->types) {
        return fail(error, STATUS_BAD_INPUT,
                    "a box of %d types: expected rdf:types=%d or more, or 1 for all alike",
                    (int)asked->box->types, (int)asked->box->types);
    }
    counts->count = calloc(counts->pairs * counts->bins, sizeof *counts->count);
    counts->near = calloc(counts->pairs * (counts->bins + 1), sizeof *counts->near);
    if (!counts->count || !counts->near) {
        return fail_out_of_memory(error, "the reference");
    }
    const bool counted = neighbour_finder_make(&neighbours, &finder, error) &&
                         count_all(asked, finder, counts, error);
    neighbour_finder_free(finder);
    return counted;
}

void rdf_counts_free(struct rdf_counts *counts) {
    free(counts->count);
    free(counts->near);
    *counts = (struct rdf_counts){ 0 };
}
