#include "reference/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Knuth's two-sum: the rounding error of an addition is itself a double, and is kept. */
static inline void sum_add(struct sum *sum, double term) {
    double total = sum->value + term;
    double part = total - sum->value;
    sum->rest += (sum->value - (total - part)) + (term - part);
    sum->value = total;
}

static inline double sum_total(const struct sum *sum) {
    return sum->value + sum->rest;
}

/* Rounds to the nearest whole number, ties to even, for |x| < 2^51: adding 1.5 * 2^52 leaves no
 * room for a fraction. Faster than rint() where that is a call. */
static inline double nearest(double x) {
    const double shift = 6755399441055744.0;
    return fabs(x) < 2251799813685248.0 ? (x + shift) - shift : x;
}

/* The displacement a - b along one axis, to the nearest image. When an image is taken, the error of
 * the first difference is found exactly and put back, so that the result is rounded as if the two
 * particles had been neighbours in the cell. */
static inline double displacement(double a, double b, double edge, double inverse_edge) {
    double difference = a - b;
    double images = nearest(difference * inverse_edge);
    if (images == 0.0) {
        return difference;
    }
    double part = difference - a;
    double lost = (a - (difference - part)) - (b + part);
    return fma(-images, edge, difference) + lost;
}

/* The longest length that arithmetic on the coordinates meets; see struct reference. */
static double coordinate_scale(const struct box *box) {
    double low[3], high[3];
    double largest = 0.0;
    memcpy(low, box->position, sizeof low);
    memcpy(high, box->position, sizeof high);
    for (size_t i = 0; i < 3 * box->n; i++) {
        double x = box->position[i];
        low[i % 3] = fmin(low[i % 3], x);
        high[i % 3] = fmax(high[i % 3], x);
        largest = fmax(largest, fabs(x));
    }
    if (!box->periodic) {
        return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    }
    return fmax(largest, fmax(box->edge[0], fmax(box->edge[1], box->edge[2])));
}

static bool check_input(const struct box *box, double cutoff, struct error *error) {
    if (!(cutoff > 0.0)) {
        return fail(error, STATUS_BAD_INPUT, "cutoff %g: must be greater than zero", cutoff);
    }
    for (size_t i = 0; i < 3 * box->n; i++) {
        if (!isfinite(box->position[i])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %c is not finite",
                        i / 3 + 1, "xyz"[i % 3]);
        }
    }
    return true;
}

bool tally_begin(const struct box *box, const struct interaction *interaction, double cutoff,
                 struct tally *tally, struct error *error) {
    *tally = (struct tally){ .box = box, .cutoff = cutoff, .cutoff2 = cutoff * cutoff };
    tally->energies_apart = interaction_energies_apart(interaction);
    tally->exclusions = interaction->exclusions;
    if (!check_input(box, cutoff, error) || !interaction_fits(interaction, box, cutoff, error) ||
        !pair_model_bind(interaction, box, &tally->model, error)) {
        return false;
    }
    if (tally->exclusions && !exclusions_by_molecule(tally->exclusions) &&
        !exclusions_list(tally->exclusions, box->n, &tally->excluded, error)) {
        return false;
    }
    for (int k = 0; k < 3 && box->periodic; k++) {
        tally->inverse_edge[k] = 1.0 / box->edge[k];
    }
    tally->length_scale = coordinate_scale(box);
    /* Where all pairs count, the terms may still have cutoffs of their own. */
    double longest = isfinite(cutoff) ? cutoff : tally->length_scale;
    tally->edge_width = REFERENCE_EDGE_WIDTH * 0x1p-24 * (tally->length_scale + longest);
    tally->reach = cutoff + tally->edge_width;
    tally->reach2 = tally->reach * tally->reach;
    tally->every_image = box->periodic && isinf(cutoff);
    tally->sites = calloc(box->n, sizeof *tally->sites);
    tally->site_count = box->n;
    if (!tally->sites) {
        return fail_out_of_memory(error, "the sums of the reference");
    }
    for (size_t i = 0; i < box->n; i++) {
        tally->sites[i].particle = (uint32_t)i;
        memcpy(tally->sites[i].position, box->position + 3 * i, 3 * sizeof(double));
    }
    return true;
}

void tally_free(struct tally *tally) {
    free(tally->sites);
    free(tally->edge_pairs);
    pair_model_free(&tally->model);
    excluded_partners_free(&tally->excluded);
    *tally = (struct tally){ 0 };
}

void tally_reorder(struct tally *tally, const uint32_t *order, size_t count) {
    tally->site_count = count;
    for (size_t s = 0; s < count; s++) {
        tally->sites[s].particle = order[s];
        memcpy(tally->sites[s].position, tally->box->position + 3 * (size_t)order[s],
               3 * sizeof(double));
    }
}

/* True where r, as near to the cutoff as an edge pair is, is also as near to half an edge. */
static bool either_image(const struct tally *tally, const double d[3]) {
    for (int k = 0; k < 3 && tally->box->periodic; k++) {
        if (fabs(d[k]) >= 0.5 * tally->box->edge[k] - tally->edge_width) {
            return true;
        }
    }
    return false;
}

/* F/r; 0 for particles in one place that do not push each other: their direction is none. */
static double over_r(double force, double r) {
    return force == 0.0 ? 0.0 : force / r;
}

/* What one pair amounts to: its terms together, and their sizes. */
struct pair_sums {
    double r, gap; /* distance; how far from a cutoff, for edge pairs */
    double force;
    double energy[TERM_KINDS];
    double size, slope;       /* sums over the terms of |f| and of max(|df/dr|, |f|/r) */
    double scale[TERM_KINDS]; /* and of |u| */
    double kind_size[TERM_KINDS];
};

static void add_term(struct pair_sums *sums, enum term_kind kind, const struct pair_value *value) {
    double size = fabs(value->force);
    sums->force += value->force;
    sums->energy[kind] += value->energy;
    sums->size += size;
    sums->slope += fmax(fabs(value->slope), over_r(size, sums->r));
    sums->scale[kind] += fabs(value->energy);
    sums->kind_size[kind] += size;
}

/* Room for one more edge pair; NULL when memory ran out. */
static struct reference_edge_pair *next_edge_pair(struct tally *tally) {
    if (tally->edge_pair_count == tally->edge_pair_capacity) {
        size_t capacity = tally->edge_pair_capacity ? 2 * tally->edge_pair_capacity : 64;
        struct reference_edge_pair *grown =
            realloc(tally->edge_pairs, capacity * sizeof *tally->edge_pairs);
        if (!grown) {
            tally->out_of_memory = true;
            return NULL;
        }
        tally->edge_pairs = grown;
        tally->edge_pair_capacity = capacity;
    }
    return &tally->edge_pairs[tally->edge_pair_count++];
}

static void keep_edge_pair(struct tally *tally, const struct pair_sums *pair, const double d[3],
                           uint32_t a, uint32_t b) {
    double moves = either_image(tally, d) ? 2.0 : 1.0;
    struct reference_edge_pair *kept = next_edge_pair(tally);
    if (!kept) {
        return;
    }
    kept->i = a < b ? a : b;
    kept->j = a < b ? b : a;
    kept->gap = pair->gap;
    for (int k = 0; k < 3; k++) {
        double direction = pair->r > 0.0 ? d[k] / pair->r : 1.0; /* or any */
        kept->force[k] = moves * fabs(pair->force * direction);
    }
    memcpy(kept->energy, pair->scale, sizeof kept->energy);
    kept->virial = moves * pair->r * fabs(pair->force);
}

/* Where every pair counts at its nearest image, one whose particles are half an edge apart may
 * count at either: the sign of that component of its force, and of the virials with it, is open,
 * while its energy is not. */
static void keep_turning_pair(struct tally *tally, const struct pair_sums *pair, const double d[3],
                              uint32_t a, uint32_t b) {
    double gap = INFINITY;
    double force[3];
    for (int k = 0; k < 3; k++) {
        double from_half = fabs(fabs(d[k]) - 0.5 * tally->box->edge[k]);
        bool turns = from_half <= tally->edge_width;
        force[k] = turns ? 2.0 * fabs(pair->force / pair->r * d[k]) : 0.0;
        gap = turns ? fmin(gap, from_half) : gap;
    }
    struct reference_edge_pair *kept = isfinite(gap) ? next_edge_pair(tally) : NULL;
    if (kept) {
        *kept = (struct reference_edge_pair){ .i = a < b ? a : b,
                                              .j = a < b ? b : a,
                                              .gap = gap,
                                              .virial = 2.0 * pair->r * fabs(pair->force) };
        memcpy(kept->force, force, sizeof force);
    }
}

/* Adds a pair that counts to the sums over the whole box. */
static void add_to_box(struct tally *tally, const struct pair_sums *pair, const double d[3],
                       double force_over_r) {
    static const int row[6] = { 0, 1, 2, 0, 0, 1 };
    static const int column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        sum_add(&tally->energy, pair->energy[kind]);
        sum_add(&tally->kinds[kind], pair->energy[kind]);
        tally->energy_scale += pair->scale[kind];
        tally->kind_scale[kind] += pair->scale[kind];
        tally->kind_slope[kind] += pair->kind_size[kind];
    }
    for (int k = 0; k < 6; k++) {
        sum_add(&tally->virial[k], force_over_r * d[row[k]] * d[column[k]]);
    }
    tally->energy_slope += pair->size;
    tally->virial_scale += pair->r * pair->size;
    tally->virial_slope += pair->size + pair->r * pair->slope;
}

/* Adds the force of a pair that counts to one of its sites. */
static void add_to_site(struct tally_site *site, double force_over_r, const double d[3],
                        double size, double slope) {
    for (int k = 0; k < 3; k++) {
        sum_add(&site->force[k], force_over_r * d[k]);
    }
    site->scale += size;
    site->slope += slope;
    site->neighbours++;
}

/* Whether the interaction leaves the pair out. */
static bool is_excluded(const struct tally *tally, uint32_t a, uint32_t b) {
    if (!tally->exclusions) {
        return false;
    }
    if (exclusions_by_molecule(tally->exclusions)) {
        return tally->box->molecule[a] == tally->box->molecule[b];
    }
    const int32_t *first = tally->excluded.partner + tally->excluded.start[a];
    const int32_t *end = tally->excluded.partner + tally->excluded.start[a + 1];
    while (first < end) {
        const int32_t *middle = first + (end - first) / 2;
        if (*middle == (int32_t)b) {
            return true;
        }
        first = *middle < (int32_t)b ? middle + 1 : first;
        end = *middle < (int32_t)b ? end : middle;
    }
    return false;
}

/* The pair function of a term at a distance of its own choice. */
static struct pair_value value_at(const struct pair_term *term, const double *parameter,
                                  const struct pair *pair, double r) {
    struct pair at = *pair;
    struct pair_value value;
    at.r = r;
    at.r2 = r * r;
    term->evaluate(parameter, &at, &value);
    return value;
}

/* Notes a pair so close to a corner of its term that arithmetic in lower precision may see it on
 * the other side: it may be off by what the term comes to from just beyond the corner to the far
 * end of that range, and by a little more, for no rounding of this is among the pair's scales. */
static void keep_corner_pair(struct tally *tally, const struct pair_term *term,
                             const double *parameter, const struct pair *pair, const double d[3],
                             uint32_t a, uint32_t b) {
    const double more = 1.001;
    const double width = tally->edge_width;
    const double near = term->corner > 0.0 ? nextafter(term->corner, INFINITY) : 0x1p-40 * width;
    const struct pair_value corner = value_at(term, parameter, pair, term->corner);
    const struct pair_value beyond = value_at(term, parameter, pair, near);
    const struct pair_value end = value_at(term, parameter, pair, term->corner + width);
    struct pair_sums may_move = { .r = pair->r, .gap = fabs(pair->r - term->corner) };
    may_move.force = more * fmax(fabs(beyond.force), fabs(end.force));
    may_move.scale[term->kind] = more * fabs(end.energy - corner.energy);
    keep_edge_pair(tally, &may_move, d, a, b);
}

/* The terms of a pair at most `reach` apart; one near its own cutoff is noted as an edge pair. */
static void evaluate_pair(struct tally *tally, const struct pair *pair, const double d[3],
                          uint32_t a, uint32_t b, struct pair_sums *sums) {
    *sums = (struct pair_sums){ .r = pair->r };
    for (int t = 0; t < tally->model.count; t++) {
        const struct pair_term *term = &tally->model.terms[t];
        const double *parameter;
        struct pair_value value;
        double cutoff = pair_term_for(&tally->model, t, pair, &parameter);
        cutoff = cutoff < tally->cutoff ? cutoff : INFINITY;
        double gap = fabs(pair->r - cutoff);
        bool counts = pair->r2 <= cutoff * cutoff && cutoff > 0.0;
        bool edge = gap <= tally->edge_width;
        if (counts || edge) {
            term->evaluate(parameter, pair, &value);
        }
        if (edge) {
            struct pair_sums alone = { .r = pair->r, .gap = gap };
            add_term(&alone, term->kind, &value);
            keep_edge_pair(tally, &alone, d, a, b);
        }
        if (counts) {
            add_term(sums, term->kind, &value);
        }
        if (fabs(pair->r - term->corner) <= tally->edge_width) {
            keep_corner_pair(tally, term, parameter, pair, d, a, b);
        }
    }
}

void tally_pair(struct tally *tally, size_t a, size_t b) {
    const struct box *box = tally->box;
    struct tally_site *one = &tally->sites[a];
    struct tally_site *other = &tally->sites[b];
    struct pair pair;
    struct pair_sums sums;
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = displacement(one->position[k], other->position[k], box->edge[k],
                            tally->inverse_edge[k]);
        if (fabs(d[k]) > tally->reach) {
            return; /* most pairs of a direct sum are told from one coordinate */
        }
    }
    pair.r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(pair.r2 <= tally->reach2)) {
        return;
    }
    bool counts = pair.r2 <= tally->cutoff2;
    tally->pairs += counts;
    if (is_excluded(tally, one->particle, other->particle)) {
        return;
    }
    pair.r = sqrt(pair.r2);
    pair.type[0] = box->type[one->particle];
    pair.type[1] = box->type[other->particle];
    pair.charge[0] = box->charge[one->particle];
    pair.charge[1] = box->charge[other->particle];
    evaluate_pair(tally, &pair, d, one->particle, other->particle, &sums);
    if (counts) {
        double force_over_r = over_r(sums.force, pair.r);
        add_to_box(tally, &sums, d, force_over_r);
        add_to_site(one, force_over_r, d, sums.size, sums.slope);
        add_to_site(other, -force_over_r, d, sums.size, sums.slope);
    }
    sums.gap = fabs(pair.r - tally->cutoff);
    if (sums.gap <= tally->edge_width) {
        keep_edge_pair(tally, &sums, d, one->particle, other->particle);
    }
    if (tally->every_image) {
        keep_turning_pair(tally, &sums, d, one->particle, other->particle);
    }
}

/* All zero, as particles without a site stay. */
static bool allocate_reference(size_t n, struct reference *reference, struct error *error) {
    *reference = (struct reference){ .n = n };
    reference->force = calloc(3 * n, sizeof *reference->force);
    reference->scale = calloc(n, sizeof *reference->scale);
    reference->slope = calloc(n, sizeof *reference->slope);
    reference->neighbours = calloc(n, sizeof *reference->neighbours);
    if (!reference->force || !reference->scale || !reference->slope || !reference->neighbours) {
        reference_free(reference);
        return fail_out_of_memory(error, "the reference");
    }
    return true;
}

static void move_box_sums(struct tally *tally, struct reference *reference) {
    static const int place[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };
    reference->pairs_in_cutoff = tally->pairs;
    reference->cutoff = tally->cutoff;
    reference->energy = sum_total(&tally->energy);
    reference->energies_apart = tally->energies_apart;
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        reference->kinds[kind] =
            (struct reference_energy){ sum_total(&tally->kinds[kind]), tally->kind_scale[kind],
                                       tally->kind_slope[kind] };
    }
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = sum_total(&tally->virial[place[k]]);
    }
    reference->energy_scale = tally->energy_scale;
    reference->energy_slope = tally->energy_slope;
    reference->virial_scale = tally->virial_scale;
    reference->virial_slope = tally->virial_slope;
    reference->length_scale = tally->length_scale;
    reference->edge_pairs = tally->edge_pairs;
    reference->edge_pair_count = tally->edge_pair_count;
    tally->edge_pairs = NULL;
}

bool tally_end(struct tally *tally, struct reference *reference, struct error *error) {
    size_t n = tally->box->n;
    if (tally->out_of_memory || !allocate_reference(n, reference, error)) {
        tally_free(tally);
        *reference = (struct reference){ 0 };
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t s = 0; s < tally->site_count; s++) {
        const struct tally_site *site = &tally->sites[s];
        size_t i = site->particle;
        for (int k = 0; k < 3; k++) {
            reference->force[3 * i + (size_t)k] = sum_total(&site->force[k]);
        }
        reference->scale[i] = site->scale;
        reference->slope[i] = site->slope;
        reference->neighbours[i] = site->neighbours;
    }
    move_box_sums(tally, reference);
    tally_free(tally);
    return true;
}
