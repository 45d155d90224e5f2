#include "reference/steinhardt/steinhardt.h"

#include "core/threads.h"
#include "reference/bonded/nearest.h"
#include "reference/neighbours/neighbours.h"
#include "reference/pairs/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_M = 6, NUMBERS = MOST_M + 1 };
static const double slope_of_six = 4.58257569495584; /* sqrt(21) */
static const double rounding = 64 * 36 / (double)REFERENCE_EDGE_WIDTH;

/* Sums over neighbours of the harmonics of some l, m = 0..l, real and imaginary parts. */
struct harmonics {
    long double re[NUMBERS], im[NUMBERS];
};

/* P_l^m(z) over (1 - z^2)^(m/2), upwards from l = m. */
static long double legendre(int l, int m, long double z) {
    long double before = 0;
    long double at = 1;
    for (int k = 1; k <= m; k++) {
        at *= 2 * k - 1;
    }
    for (int k = m + 1; k <= l; k++) {
        const long double next = ((2 * k - 1) * z * at - (k + m - 1) * before) / (k - m);
        before = at;
        at = next;
    }
    return at;
}

/* (l - m)! / (l + m)! */
static long double factor_of(int l, int m) {
    long double factor = 1;
    for (int k = l - m + 1; k <= l + m; k++) {
        factor /= k;
    }
    return factor;
}

static void add_direction(int l, const long double d[3], struct harmonics *sums) {
    long double re = 1;
    long double im = 0;
    for (int m = 0; m <= l; m++) {
        const long double part = legendre(l, m, d[2]);
        sums->re[m] += part * re;
        sums->im[m] += part * im;
        const long double next = re * d[0] - im * d[1];
        im = re * d[1] + im * d[0];
        re = next;
    }
}

/* m and -m are as large. */
static long double length_of(int l, const struct harmonics *sums) {
    long double square = 0;
    for (int m = 0; m <= l; m++) {
        square += (m > 0 ? 2 : 1) * factor_of(l, m) *
                  (sums->re[m] * sums->re[m] + sums->im[m] * sums->im[m]);
    }
    return sqrtl(square);
}

/* ---- a particle ---- */

/* Edge pairs of a range, in the order of places. */
struct part {
    struct reference_edge_pair *edge;
    size_t edges, room;
};

struct asking {
    const struct steinhardt_asked *asked;
    const uint32_t *particle;
    struct part *part;
    struct reference *reference;
};

static void direction_of(const struct box *box, size_t i, const struct neighbour *entry,
                         long double d[3]) {
    long double square = 0;
    neighbour_vector(box, i, entry, d);
    for (size_t k = 0; k < 3; k++) {
        square += d[k] * d[k];
    }
    const long double length = sqrtl(square);
    for (size_t k = 0; k < 3; k++) {
        d[k] /= length;
    }
}

static bool keep_edges(struct part *part, size_t place, const struct neighbour *list, size_t count,
                       double cutoff, struct error *error) {
    size_t sure = 0;
    for (size_t e = 0; e < count; e++) {
        sure += list[e].sure;
    }
    const double most = 2 / fmax((double)sure - 1, 1);
    for (size_t e = 0; e < count; e++) {
        if (list[e].sure) {
            continue;
        }
        struct reference_edge_pair *grown =
            with_room(part->edge, part->edges, &part->room, sizeof *grown, "the reference", error);
        if (!grown) {
            return false;
        }
        part->edge = grown;
        part->edge[part->edges++] =
            (struct reference_edge_pair){ .i = (uint32_t)place,
                                          .j = REFERENCE_ELSEWHERE,
                                          .gap = fabs(list[e].distance - cutoff),
                                          .force = { most, most, 1 } };
    }
    return true;
}

static bool add_particle(const struct asking *asking, struct neighbour_finder *finder, size_t place,
                         struct part *part, struct error *error) {
    const size_t i = asking->particle ? asking->particle[place] : place;
    struct reference *reference = asking->reference;
    struct harmonics four = { { 0 }, { 0 } };
    struct harmonics six = { { 0 }, { 0 } };
    const struct neighbour *list;
    size_t count;
    size_t within = 0;
    double nearness = 0;
    if (!neighbour_finder_list(finder, i, &list, &count, error)) {
        return false;
    }
    for (size_t e = 0; e < count; e++) {
        long double d[3];
        if (list[e].within) {
            direction_of(asking->asked->box, i, &list[e], d);
            add_direction(4, d, &four);
            add_direction(6, d, &six);
            nearness += 1 / list[e].distance;
            within++;
        }
    }
    const long double mean = within > 0 ? 1 / (long double)within : 0;
    reference->force[3 * place] = (double)(length_of(4, &four) * mean);
    reference->force[3 * place + 1] = (double)(length_of(6, &six) * mean);
    reference->force[3 * place + 2] = (double)within;
    reference->scale[place] = within > 0 ? 1 : 0;
    reference->slope[place] = slope_of_six * nearness * (double)mean;
    reference->condition[place] = within > 0 ? rounding : 0;
    reference->neighbours[place] = (uint32_t)within;
    return keep_edges(part, place, list, count, asking->asked->cutoff, error);
}

static bool add_some(void *context, struct neighbour_finder *finder, size_t first, size_t end,
                     struct error *error) {
    const struct asking *asking = context;
    struct part *part = &asking->part[first / THREADS_RANGE];
    bool added = true;
    for (size_t k = first; added && k < end; k++) {
        added = add_particle(asking, finder, k, part, error);
    }
    return added;
}

/* ---- the whole ---- */

static bool take_edges(struct asking *asking, size_t parts, struct error *error) {
    struct reference *reference = asking->reference;
    size_t edges = 0;
    for (size_t p = 0; p < parts; p++) {
        edges += asking->part[p].edges;
    }
    reference->edge_pairs = malloc((edges + 1) * sizeof *reference->edge_pairs);
    if (!reference->edge_pairs) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t p = 0; p < parts; p++) {
        const struct part *part = &asking->part[p];
        for (size_t e = 0; e < part->edges; e++) {
            reference->edge_pairs[reference->edge_pair_count++] = part->edge[e];
        }
    }
    return true;
}

static bool check_asked(const struct box *box, const uint32_t *particle, size_t count,
                        struct error *error) {
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (!isfinite(box->position[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %g is not finite",
                        k / 3 + 1, box->position[k]);
        }
    }
    for (size_t k = 0; particle && k < count; k++) {
        if (particle[k] >= box->n) {
            return fail(error, STATUS_BAD_INPUT, "there is no particle %zu; the box has %zu",
                        (size_t)particle[k] + 1, box->n);
        }
    }
    return true;
}

static void fill_totals(struct reference *reference, bool all) {
    uint64_t both = 0;
    for (size_t k = 0; all && k < reference->n; k++) {
        both += reference->neighbours[k];
    }
    reference->pairs_in_cutoff = both / 2;
}

bool reference_steinhardt(const struct steinhardt_asked *asked, const uint32_t *particle,
                          size_t count, struct reference *reference, struct error *error) {
    const struct box *box = asked->box;
    const size_t places = particle ? count : box->n;
    const size_t parts = places / THREADS_RANGE + 1;
    const double length = nearest_length(box);
    const struct interaction none = { .function_count = 0 };
    const struct neighbours_asked near = { .box = box,
                                           .cutoff = asked->cutoff,
                                           .width = 1.01 * REFERENCE_EDGE_WIDTH * 0x1p-24 *
                                                    (length + asked->cutoff),
                                           .interaction = &none };
    struct neighbour_finder *finder = NULL;
    struct asking asking = { asked, particle, calloc(parts, sizeof *asking.part), reference };
    *reference = (struct reference){ 0 };
    bool made = (asking.part || fail_out_of_memory(error, "the reference")) &&
                check_asked(box, particle, places, error) &&
                neighbour_finder_make(&near, &finder, error) &&
                reference_allocate(places, reference, error) &&
                neighbour_finder_each(finder, places, add_some, &asking, error) &&
                take_edges(&asking, parts, error);
    if (made) {
        reference->cutoff = asked->cutoff;
        reference->length_scale = length;
        fill_totals(reference, !particle);
    } else {
        reference_free(reference);
    }
    for (size_t p = 0; asking.part && p < parts; p++) {
        free(asking.part[p].edge);
    }
    free(asking.part);
    neighbour_finder_free(finder);
    return made;
}
