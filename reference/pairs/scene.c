#include "reference/pairs/scene.h"

#include "reference/pairs/sum.h"
#include "reference/pairs/tilt.h"

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

/* ---- triclinic cells ---- */

static void cross(const double a[3], const double b[3], double product[3]) {
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3;
        const int m = (k + 2) % 3;
        product[k] = a[l] * b[m] - a[m] * b[l];
    }
}

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* The inverse has the normals of the faces as columns, over the volume: 1 / |column| is a height.
 */
static void measure_cell(struct scene *scene) {
    /* A vector without images is perpendicular to the others, and as long as it likes. */
    const double edge[3] = { scene->images[0] ? scene->box->edge[0] : 1.0,
                             scene->images[1] ? scene->box->edge[1] : 1.0,
                             scene->images[2] ? scene->box->edge[2] : 1.0 };
    const double *tilt = scene->box->tilt;
    const double vectors[3][3] = { { edge[0], 0.0, 0.0 },
                                   { tilt[0], edge[1], 0.0 },
                                   { tilt[1], tilt[2], edge[2] } };
    const double volume = edge[0] * edge[1] * edge[2];
    memcpy(scene->vectors, vectors, sizeof vectors);
    for (int k = 0; k < 3; k++) {
        double normal[3];
        cross(vectors[(k + 1) % 3], vectors[(k + 2) % 3], normal);
        for (int l = 0; l < 3; l++) {
            scene->inverse[l][k] = normal[l] / volume;
        }
        scene->height[k] = scene->images[k] ? volume / length_of(normal) : INFINITY;
    }
}

/* See struct reference: the steps from image to image round numbers as long as the cell reaches
 * along an axis. */
static double triclinic_length(const struct scene *scene) {
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        if (!scene->images[k]) {
            continue;
        }
        const double reaches =
            fabs(scene->vectors[0][k]) + fabs(scene->vectors[1][k]) + fabs(scene->vectors[2][k]);
        longest = fmax(longest, 2.0 * reaches);
    }
    return longest;
}

void scene_fractions(const struct scene *scene, const double point[3], double fraction[3]) {
    for (int k = 0; k < 3; k++) {
        fraction[k] = point[0] * scene->inverse[0][k] + point[1] * scene->inverse[1][k] +
                      point[2] * scene->inverse[2][k];
    }
}

/* a - b less an image, its errors kept until the end. */
static void subtract_image(const struct scene *scene, const double a[3], const double b[3],
                           const double image[3], double d[3]) {
    for (int k = 0; k < 3; k++) {
        struct sum sum = { 0.0, 0.0 };
        sum_add(&sum, a[k]);
        sum_add(&sum, -b[k]);
        for (int v = 0; v < 3; v++) {
            const double shift = image[v] * scene->vectors[v][k];
            sum_add(&sum, -shift);
            sum_add(&sum, -fma(image[v], scene->vectors[v][k], -shift));
        }
        d[k] = sum_total(&sum);
    }
}

void scene_nearest_image(const struct scene *scene, const double a[3], const double b[3],
                         double d[3]) {
    const double plain[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    double nearest_image[3] = { 0.0, 0.0, 0.0 };
    double fraction[3];
    double least = INFINITY;
    scene_fractions(scene, plain, fraction);
    for (int i = 0; i < 8; i++) {
        double image[3];
        for (int k = 0; k < 3; k++) {
            image[k] = scene->images[k] ? floor(fraction[k]) + (double)(i >> k & 1) : 0.0;
        }
        double moved[3];
        for (int k = 0; k < 3; k++) {
            moved[k] = plain[k] - image[0] * scene->vectors[0][k] -
                       image[1] * scene->vectors[1][k] - image[2] * scene->vectors[2][k];
        }
        const double r2 = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
        if (r2 < least) {
            least = r2;
            memcpy(nearest_image, image, sizeof image);
        }
    }
    subtract_image(scene, a, b, nearest_image, d);
}

/* ---- measures ---- */

/* The longest length that arithmetic on the coordinates meets; see struct reference. */
static void measure_box(struct scene *scene) {
    const struct box *box = scene->box;
    double low[3], high[3];
    double largest = 0.0;
    double longest = 0.0; /* edge */
    find_extent(box, low, high);
    scene->triclinic = box->periodic && tilt_leans(box->cell.tilt);
    scene->inside = box->periodic && !scene->triclinic;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs(low[k]), fabs(high[k])));
        scene->images[k] = box->periodic && !box->open_along[k];
        scene->inverse_edge[k] = scene->images[k] ? 1.0 / box->edge[k] : 0.0;
        if (scene->images[k]) {
            scene->inside = scene->inside && low[k] >= 0.0 && high[k] < box->edge[k];
            longest = fmax(longest, box->edge[k]);
        }
    }
    scene->length_scale = box->periodic
                              ? fmax(largest, longest)
                              : hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    if (scene->triclinic) {
        measure_cell(scene);
        scene->length_scale = fmax(largest, triclinic_length(scene));
    }
}

/* Beyond, the nearest image of a pair need not be among those that are looked at. Rounding of the
 * cell's numbers to float is let pass. */
static bool check_heights(const struct scene *scene, struct error *error) {
    const double least = fmin(scene->height[0], fmin(scene->height[1], scene->height[2]));
    return !scene->triclinic || scene->cutoff <= 0.5 * least * (1.0 + 1e-6) ||
           fail(error, STATUS_BAD_INPUT,
                "cutoff %.9g: must be at most half the least height of a triclinic cell (%.9g)",
                scene->cutoff, 0.5 * least);
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
    if (!check_heights(scene, error)) {
        scene_free(scene);
        return false;
    }
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

/* True where r, as near to the cutoff as an edge pair is, is also as near to half an edge. In a
 * triclinic cell two images are as near as that only where a vector is as short as the least
 * height; the last of the axes that it runs along is then at half an edge, and the two images may
 * differ along others. */
static bool either_image(const struct scene *scene, const double d[3]) {
    for (int k = 0; k < 3; k++) {
        if (scene->images[k] && fabs(d[k]) >= 0.5 * scene->box->edge[k] - scene->edge_width) {
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
                           const struct placed_pair *at, struct edge_list *edges) {
    const double *d = at->d;
    const bool either = either_image(scene, d);
    double moves = either ? 2.0 : 1.0;
    struct reference_edge_pair *kept = next_edge_pair(edges);
    if (!kept) {
        return;
    }
    kept->i = at->a < at->b ? at->a : at->b;
    kept->j = at->a < at->b ? at->b : at->a;
    kept->gap = pair->gap;
    for (int k = 0; k < 3; k++) {
        double direction = pair->r > 0.0 ? d[k] / pair->r : 1.0; /* or any */
        direction = either && scene->triclinic ? 1.0 : direction;
        kept->force[k] = moves * fabs(pair->force * direction);
    }
    memcpy(kept->energy, pair->scale, sizeof kept->energy);
    kept->virial = moves * pair->r * fabs(pair->force);
}

/* Where every pair counts at its nearest image, one whose particles are half an edge apart may
 * count at either: the sign of that component of its force, and of the virials with it, is open,
 * while its energy is not. */
static void keep_pair_at_half_edge(const struct scene *scene, const struct pair_sums *pair,
                                   const struct placed_pair *at, struct edge_list *edges) {
    const double *d = at->d;
    double gap = INFINITY;
    double force[3];
    for (int k = 0; k < 3; k++) {
        double from_half = fabs(fabs(d[k]) - 0.5 * scene->box->edge[k]);
        bool at_half = scene->images[k] && from_half <= scene->edge_width;
        force[k] = at_half ? 2.0 * fabs(pair->over_r * d[k]) : 0.0;
        gap = at_half ? fmin(gap, from_half) : gap;
    }
    struct reference_edge_pair *kept = isfinite(gap) ? next_edge_pair(edges) : NULL;
    if (kept) {
        *kept = (struct reference_edge_pair){ .i = at->a < at->b ? at->a : at->b,
                                              .j = at->a < at->b ? at->b : at->a,
                                              .gap = gap,
                                              .virial = 2.0 * pair->r * fabs(pair->force) };
        memcpy(kept->force, force, sizeof force);
    }
}

/* One term of a pair. */
struct term_of_pair {
    const struct pair_term *term;
    const double *parameter;
    const struct pair *pair;
    const struct placed_pair *at;
};

/* Its pair function at a distance of its own choice. */
static struct pair_value value_at(const struct term_of_pair *at_pair, double r) {
    struct pair at = *at_pair->pair;
    struct pair_value value;
    at.r = r;
    at.r2 = r * r;
    pair_term_evaluate(at_pair->term, at_pair->parameter, &at, &value);
    return value;
}

/* Notes a pair so close to a jump of its term that arithmetic in lower precision may see it on
 * the other side: it may be off by what the term comes to from just beyond the jump to the far
 * end of that range, and by a little more, for no rounding of this is among the pair's scales. */
static void keep_pair_at_jump(const struct scene *scene, const struct term_of_pair *at_pair,
                              struct edge_list *edges) {
    const struct pair_term *term = at_pair->term;
    const double more = 1.001;
    const double width = scene->edge_width;
    const double just = term->jump > 0.0 ? nextafter(term->jump, INFINITY) : 0x1p-40 * width;
    const double far = term->jump + width;
    const struct pair_value jump = value_at(at_pair, term->jump);
    const struct pair_value beyond = value_at(at_pair, just);
    const struct pair_value end = value_at(at_pair, far);
    struct pair_sums may_move = { .r = at_pair->pair->r,
                                  .gap = fabs(at_pair->pair->r - term->jump) };
    may_move.force = more * fmax(fabs(beyond.over_r * just), fabs(end.over_r * far));
    may_move.scale[term->kind] = more * fabs(end.energy - jump.energy);
    keep_edge_pair(scene, &may_move, at_pair->at, edges);
}

/* How far two sides of a jump are apart. Where an expression has no value beyond, kernels have
 * that of the border or none: all of the other side's may be missing. */
static double apart(double before, double beyond) {
    return isnan(before) ? fabs(beyond) : isnan(beyond) ? fabs(before) : fabs(beyond - before);
}

/* The same of an expression, whose value or force may jump anywhere by anything: it may be off by
 * how far the two sides are apart. */
static void keep_pair_at_own_jump(const struct scene *scene, const struct term_of_pair *at_pair,
                                  double jump, struct edge_list *edges) {
    const double more = 1.001;
    const double near = fmax(jump - scene->edge_width, 0.5 * jump);
    const double far = jump + scene->edge_width;
    const struct pair_value before = value_at(at_pair, near);
    const struct pair_value beyond = value_at(at_pair, far);
    struct pair_sums may_move = { .r = at_pair->pair->r, .gap = fabs(at_pair->pair->r - jump) };
    may_move.force = more * apart(before.over_r * near, beyond.over_r * far);
    may_move.scale[at_pair->term->kind] = more * apart(before.energy, beyond.energy);
    keep_edge_pair(scene, &may_move, at_pair->at, edges);
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
    sums->energy_condition += value->energy_condition;
    sums->force_condition += value->force_condition;
}

/* One term of a pair; one near the term's own cutoff is noted as an edge pair. */
static void add_term_of_pair(const struct scene *scene, int t, const struct pair *pair,
                             const struct placed_pair *at, struct pair_sums *sums,
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
        pair_term_evaluate(term, parameter, pair, &value);
    }
    if (edge) {
        struct pair_sums alone = { .r = pair->r, .gap = gap };
        add_term(&alone, term->kind, &value);
        alone.force = alone.over_r * alone.r;
        keep_edge_pair(scene, &alone, at, edges);
    }
    if (counts) {
        add_term(sums, term->kind, &value);
    }
    const struct term_of_pair at_pair = { term, parameter, pair, at };
    if (term->may_jump && counts && value.jump > 0.0 &&
        fabs(pair->r - value.jump) <= scene->edge_width) {
        keep_pair_at_own_jump(scene, &at_pair, value.jump, edges);
    }
    if (fabs(pair->r - term->jump) <= scene->edge_width) {
        keep_pair_at_jump(scene, &at_pair, edges);
    }
}

bool scene_pair(const struct scene *scene, const struct placed_pair *at, struct pair_sums *sums,
                struct edge_list *edges) {
    const struct box *box = scene->box;
    const uint32_t a = at->a;
    const uint32_t b = at->b;
    const struct pair pair = { .r2 = at->r2,
                               .r = sqrt(at->r2),
                               .type = { box->type[a], box->type[b] },
                               .charge = { box->charge[a], box->charge[b] },
                               .particle = { a, b },
                               .excluded = pair_model_passes_excluded(&scene->model, a, b) };
    const bool excluded = pair_model_excludes(&scene->model, a, b);
    *sums = (struct pair_sums){ .r = pair.r };
    for (int t = 0; !excluded && t < scene->model.count; t++) {
        add_term_of_pair(scene, t, &pair, at, sums, edges);
    }
    sums->gap = fabs(pair.r - scene->cutoff);
    sums->force = sums->over_r * sums->r;
    if (sums->gap <= scene->edge_width) {
        keep_edge_pair(scene, sums, at, edges);
    }
    if (scene->every_image && !excluded) {
        keep_pair_at_half_edge(scene, sums, at, edges);
    }
    return !excluded;
}
