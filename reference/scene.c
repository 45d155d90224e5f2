#include "reference/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the box ---- */

/* The least and the largest coordinate along each axis. */
static void find_extent(const struct box *box, double low[3], double high[3]) {
    memcpy(low, box->position, 3 * sizeof *low);
    memcpy(high, box->position, 3 * sizeof *high);
    for (size_t i = 0; i < box->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = box->position[3 * i + (size_t)k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
}

/* The longest length that arithmetic on the coordinates meets; see struct reference. */
static void measure_box(struct scene *scene) {
    const struct box *box = scene->box;
    double low[3], high[3];
    double largest = 0.0;
    find_extent(box, low, high);
    scene->inside = box->periodic;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs(low[k]), fabs(high[k])));
        scene->inside = scene->inside && low[k] >= 0.0 && high[k] < box->edge[k];
        scene->inverse_edge[k] = box->periodic ? 1.0 / box->edge[k] : 0.0;
    }
    scene->length_scale = box->periodic
                              ? fmax(largest, fmax(box->edge[0], fmax(box->edge[1], box->edge[2])))
                              : hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
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

bool scene_begin(const struct box *box, const struct interaction *interaction, double cutoff,
                 struct scene *scene, struct error *error) {
    *scene = (struct scene){ .box = box, .cutoff = cutoff, .cutoff2 = cutoff * cutoff };
    if (!check_input(box, cutoff, error) ||
        !pair_model_bind(interaction, box, cutoff, &scene->model, error)) {
        return false;
    }
    measure_box(scene);
    /* Where all pairs count, the terms may still have cutoffs of their own. */
    double longest = isfinite(cutoff) ? cutoff : scene->length_scale;
    scene->edge_width = REFERENCE_EDGE_WIDTH * 0x1p-24 * (scene->length_scale + longest);
    scene->reach = cutoff + scene->edge_width;
    scene->reach2 = scene->reach * scene->reach;
    scene->every_image = box->periodic && isinf(cutoff);
    return true;
}

void scene_free(struct scene *scene) {
    pair_model_free(&scene->model);
    *scene = (struct scene){ 0 };
}

/* ---- edge pairs ---- */

/* True where r, as near to the cutoff as an edge pair is, is also as near to half an edge. */
static bool either_image(const struct scene *scene, const double d[3]) {
    for (int k = 0; k < 3 && scene->box->periodic; k++) {
        if (fabs(d[k]) >= 0.5 * scene->box->edge[k] - scene->edge_width) {
            return true;
        }
    }
    return false;
}

/* Room for one more; NULL when memory ran out. */
static struct reference_edge_pair *next_edge_pair(struct edge_list *edges) {
    if (edges->count == edges->capacity) {
        size_t capacity = edges->capacity ? 2 * edges->capacity : 64;
        struct reference_edge_pair *grown = realloc(edges->pairs, capacity * sizeof *grown);
        if (!grown) {
            edges->out_of_memory = true;
            return NULL;
        }
        edges->pairs = grown;
        edges->capacity = capacity;
    }
    return &edges->pairs[edges->count++];
}

static void keep_edge_pair(const struct scene *scene, const struct pair_sums *pair,
                           const double d[3], uint32_t a, uint32_t b, struct edge_list *edges) {
    double moves = either_image(scene, d) ? 2.0 : 1.0;
    struct reference_edge_pair *kept = next_edge_pair(edges);
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
static void keep_turning_pair(const struct scene *scene, const struct pair_sums *pair,
                              const double d[3], uint32_t a, uint32_t b, struct edge_list *edges) {
    double gap = INFINITY;
    double force[3];
    for (int k = 0; k < 3; k++) {
        double from_half = fabs(fabs(d[k]) - 0.5 * scene->box->edge[k]);
        bool turns = from_half <= scene->edge_width;
        force[k] = turns ? 2.0 * fabs(pair->over_r * d[k]) : 0.0;
        gap = turns ? fmin(gap, from_half) : gap;
    }
    struct reference_edge_pair *kept = isfinite(gap) ? next_edge_pair(edges) : NULL;
    if (kept) {
        *kept = (struct reference_edge_pair){ .i = a < b ? a : b,
                                              .j = a < b ? b : a,
                                              .gap = gap,
                                              .virial = 2.0 * pair->r * fabs(pair->force) };
        memcpy(kept->force, force, sizeof force);
    }
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
static void keep_corner_pair(const struct scene *scene, const struct pair_term *term,
                             const double *parameter, const struct pair *pair, const double d[3],
                             uint32_t a, uint32_t b, struct edge_list *edges) {
    const double more = 1.001;
    const double width = scene->edge_width;
    const double just = term->corner > 0.0 ? nextafter(term->corner, INFINITY) : 0x1p-40 * width;
    const double far = term->corner + width;
    const struct pair_value corner = value_at(term, parameter, pair, term->corner);
    const struct pair_value beyond = value_at(term, parameter, pair, just);
    const struct pair_value end = value_at(term, parameter, pair, far);
    struct pair_sums may_move = { .r = pair->r, .gap = fabs(pair->r - term->corner) };
    may_move.force = more * fmax(fabs(beyond.over_r * just), fabs(end.over_r * far));
    may_move.scale[term->kind] = more * fabs(end.energy - corner.energy);
    keep_edge_pair(scene, &may_move, d, a, b, edges);
}

/* ---- one pair ---- */

static void add_term(struct pair_sums *sums, enum term_kind kind, const struct pair_value *value) {
    const double over_r = fabs(value->over_r);
    const double slope = fabs(value->slope);
    const double size = over_r * sums->r;
    sums->over_r += value->over_r;
    sums->energy[kind] += value->energy;
    sums->size += size;
    sums->slope += slope > over_r ? slope : over_r;
    sums->scale[kind] += fabs(value->energy);
    sums->kind_size[kind] += size;
    sums->lean += value->lean;
}

/* One term of a pair; one near the term's own cutoff is noted as an edge pair. */
static void add_term_of_pair(const struct scene *scene, int t, const struct pair *pair,
                             const double d[3], uint32_t a, uint32_t b, struct pair_sums *sums,
                             struct edge_list *edges) {
    const struct pair_term *term = &scene->model.terms[t];
    const double *parameter;
    struct pair_value value;
    double cutoff = pair_term_for(&scene->model, t, pair, &parameter);
    cutoff = cutoff < scene->cutoff ? cutoff : INFINITY;
    const double gap = fabs(pair->r - cutoff);
    const bool counts = pair->r2 <= cutoff * cutoff && cutoff > 0.0;
    const bool edge = gap <= scene->edge_width;
    if (counts || edge) {
        term->evaluate(parameter, pair, &value);
    }
    if (edge) {
        struct pair_sums alone = { .r = pair->r, .gap = gap };
        add_term(&alone, term->kind, &value);
        alone.force = alone.over_r * alone.r;
        keep_edge_pair(scene, &alone, d, a, b, edges);
    }
    if (counts) {
        add_term(sums, term->kind, &value);
    }
    if (fabs(pair->r - term->corner) <= scene->edge_width) {
        keep_corner_pair(scene, term, parameter, pair, d, a, b, edges);
    }
}

void scene_pair(const struct scene *scene, const double d[3], double r2, uint32_t a, uint32_t b,
                struct pair_sums *sums, struct edge_list *edges) {
    const struct box *box = scene->box;
    const struct pair pair = { .r2 = r2,
                               .r = sqrt(r2),
                               .type = { box->type[a], box->type[b] },
                               .charge = { box->charge[a], box->charge[b] } };
    *sums = (struct pair_sums){ .r = pair.r };
    for (int t = 0; t < scene->model.count; t++) {
        add_term_of_pair(scene, t, &pair, d, a, b, sums, edges);
    }
    sums->gap = fabs(pair.r - scene->cutoff);
    sums->force = sums->over_r * sums->r;
    if (sums->gap <= scene->edge_width) {
        keep_edge_pair(scene, sums, d, a, b, edges);
    }
    if (scene->every_image) {
        keep_turning_pair(scene, sums, d, a, b, edges);
    }
}
