#include "reference/pairs/lanes.h"

#include "core/host.h"

#include <math.h>
#include <string.h>

/* ---- displacements ---- */

/* Members of a struct are copied to restrict pointers, so that the compiler knows that they do not
 * overlap and vectorises the loops. */

WIDEST static void distances_as_they_stand(const double at[3], const struct lanes_sites *to,
                                           const struct lanes_displacements *out) {
    const double *restrict x = to->position[0];
    const double *restrict y = to->position[1];
    const double *restrict z = to->position[2];
    double *restrict dx = out->d[0];
    double *restrict dy = out->d[1];
    double *restrict dz = out->d[2];
    double *restrict r2 = out->r2;
    const size_t count = to->count;
    for (size_t k = 0; k < count; k++) {
        dx[k] = at[0] - x[k];
        dy[k] = at[1] - y[k];
        dz[k] = at[2] - z[k];
        r2[k] = dx[k] * dx[k] + dy[k] * dy[k] + dz[k] * dz[k];
    }
}

/* displacement() where |a - b| < edge: one image at most, so that its edge is exact, and without
 * one adding what the first difference lost changes nothing. */
static inline double displacement_inside(double a, double b, double edge, double inverse_edge) {
    const double shift = 6755399441055744.0; /* see nearest() */
    double difference = a - b;
    double images = (difference * inverse_edge + shift) - shift;
    double part = difference - a;
    double lost = (a - (difference - part)) - (b + part);
    return (difference - images * edge) + lost;
}

WIDEST static void distances_of_images(const double at[3], const struct lanes_sites *to,
                                       const struct scene *scene,
                                       const struct lanes_displacements *out) {
    const double *restrict x = to->position[0];
    const double *restrict y = to->position[1];
    const double *restrict z = to->position[2];
    double *restrict dx = out->d[0];
    double *restrict dy = out->d[1];
    double *restrict dz = out->d[2];
    double *restrict r2 = out->r2;
    const double *edge = scene->box->edge;
    const double *inverse = scene->inverse_edge;
    const size_t count = to->count;
    for (size_t k = 0; k < count; k++) {
        dx[k] = displacement_inside(at[0], x[k], edge[0], inverse[0]);
        dy[k] = displacement_inside(at[1], y[k], edge[1], inverse[1]);
        dz[k] = displacement_inside(at[2], z[k], edge[2], inverse[2]);
        r2[k] = dx[k] * dx[k] + dy[k] * dy[k] + dz[k] * dz[k];
    }
}

void lanes_distances(const double at[3], const struct lanes_sites *to, const struct scene *images,
                     const struct lanes_displacements *out) {
    if (images) {
        distances_of_images(at, to, images, out);
    } else {
        distances_as_they_stand(at, to, out);
    }
}

WIDEST bool lanes_any_between(const double *r2, size_t count, double least, double most) {
    int found = 0;
    for (size_t k = 0; k < count; k++) {
        found |= (r2[k] >= least) & (r2[k] <= most);
    }
    return found != 0;
}

WIDEST bool lanes_any_near(const double *d, size_t count, double from, double width) {
    int found = 0;
    for (size_t k = 0; k < count; k++) {
        found |= fabs(fabs(d[k]) - from) <= width;
    }
    return found != 0;
}

/* ---- terms ---- */

WIDEST static void roots(const double *restrict r2, size_t count, double *restrict r) {
    for (size_t k = 0; k < count; k++) {
        r[k] = sqrt(r2[k]);
    }
}

WIDEST static void lennard_jones(const struct pair_term *term, const struct lanes_typed *typed,
                                 size_t count, struct lanes_batch *batch) {
    const double *restrict r2 = batch->r2;
    double *restrict energy = batch->term.energy;
    double *restrict over_r = batch->term.over_r;
    double *restrict slope = batch->term.slope;
    if (!typed) {
        const double epsilon = term->parameter[0];
        const double sigma = term->parameter[1];
        for (size_t k = 0; k < count; k++) {
            pair_lennard_jones(epsilon, sigma, r2[k], &energy[k], &over_r[k], &slope[k]);
        }
        return;
    }
    const double *restrict epsilon = typed->parameter[0];
    const double *restrict sigma = typed->parameter[1];
    for (size_t k = 0; k < count; k++) {
        pair_lennard_jones(epsilon[k], sigma[k], r2[k], &energy[k], &over_r[k], &slope[k]);
    }
}

/* A term whose function is computed for one pair at a time: of those that count. */
static void evaluate_singly(const struct pair_term *term, const struct lanes_typed *typed,
                            double longest2, size_t count, struct lanes_batch *batch) {
    double own[PAIR_MAX_PARAMETERS];
    for (size_t k = 0; k < count; k++) {
        const double cutoff = typed ? typed->cutoff[k] : term->cutoff;
        if (!(batch->r2[k] <= longest2) || !(batch->r2[k] <= cutoff * cutoff) || !(cutoff > 0.0)) {
            continue; /* left aside by add_term() as well */
        }
        const double *parameter = term->parameter;
        for (int p = 0; typed && p < term->parameters; p++) {
            own[p] = typed->parameter[p][k];
            parameter = own;
        }
        const struct pair pair = { .r2 = batch->r2[k],
                                   .r = batch->r[k],
                                   .charge = { batch->charge[0][k], batch->charge[1][k] },
                                   .particle = { batch->particle[0][k], batch->particle[1][k] },
                                   .excluded = batch->excluded[k] };
        struct pair_value value;
        pair_term_evaluate(term, parameter, &pair, &value);
        batch->term.energy[k] = value.energy;
        batch->term.over_r[k] = value.over_r;
        batch->term.slope[k] = value.slope;
        batch->force_condition[k] += value.force_condition;
    }
}

/* Adds the term to those before it, where it counts: as add_term() in scene.c does. */
WIDEST static void add_term(const struct pair_term *term, const struct lanes_typed *typed,
                            double longest2, size_t count, struct lanes_batch *batch) {
    const double *restrict cutoff = typed ? typed->cutoff : &term->cutoff;
    const size_t stride = typed != NULL; /* 0: the same for all */
    const double *restrict r2 = batch->r2;
    const double *restrict r = batch->r;
    const double *restrict term_energy = batch->term.energy;
    const double *restrict term_over_r = batch->term.over_r;
    const double *restrict term_slope = batch->term.slope;
    double *restrict over_r = batch->over_r;
    double *restrict size = batch->size;
    double *restrict slope = batch->slope;
    double *restrict energy = batch->energy[term->kind];
    double *restrict scale = batch->scale[term->kind];
    double *restrict kind_size = batch->kind_size[term->kind];
    for (size_t k = 0; k < count; k++) {
        const double own = cutoff[k * stride];
        const bool counts = (r2[k] <= longest2) & (r2[k] <= own * own) & (own > 0.0);
        const double force = counts ? term_over_r[k] : 0.0;
        const double steep = counts ? fabs(term_slope[k]) : 0.0;
        const double u = counts ? term_energy[k] : 0.0;
        const double along = counts ? fabs(force) * r[k] : 0.0;
        over_r[k] += force;
        size[k] += along;
        slope[k] += steep > fabs(force) ? steep : fabs(force);
        energy[k] += u;
        scale[k] += fabs(u);
        kind_size[k] += along;
    }
}

static void clear(struct lanes_batch *batch, size_t count) {
    memset(batch->over_r, 0, count * sizeof(double));
    memset(batch->size, 0, count * sizeof(double));
    memset(batch->slope, 0, count * sizeof(double));
    memset(batch->force_condition, 0, count * sizeof(double));
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        memset(batch->energy[kind], 0, count * sizeof(double));
        memset(batch->scale[kind], 0, count * sizeof(double));
        memset(batch->kind_size[kind], 0, count * sizeof(double));
    }
}

void lanes_evaluate(const struct scene *scene, struct lanes_batch *batch) {
    const size_t count = (size_t)batch->steps * LANES;
    clear(batch, count);
    roots(batch->r2, count, batch->r);
    for (int t = 0; t < scene->model.count; t++) {
        const struct pair_term *term = &scene->model.terms[t];
        const struct lanes_typed *typed = batch->typed[t];
        if (term->in_lanes) {
            lennard_jones(term, typed, count, batch);
        } else {
            evaluate_singly(term, typed, scene->cutoff2, count, batch);
        }
        add_term(term, typed, scene->cutoff2, count, batch);
    }
}

/* ---- sums ---- */

/* One number per lane; what arithmetic on it comes to is that of each lane by itself. */
typedef double vector __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(int64_t))));

static inline const vector *vector_at(const double *numbers) {
    return (const vector *)numbers;
}

static inline vector *sum_of(double numbers[LANES]) {
    return (vector *)numbers;
}

/* 0 where the mask does not hold. */
static inline vector where(mask holds, const double *numbers) {
    return (vector)((mask)*vector_at(numbers) & holds);
}

/* sum_add() of every lane. */
static inline void add_lanes(struct lanes_sum *sum, vector term) {
    const vector value = *sum_of(sum->value);
    const vector total = value + term;
    const vector part = total - value;
    *sum_of(sum->rest) += (value - (total - part)) + (term - part);
    *sum_of(sum->value) = total;
}

WIDEST void lanes_add_lost(const struct lanes_batch *batch, struct lanes_sums *sums) {
    for (int at = 0; at < batch->steps * LANES; at += LANES) {
        for (int k = 0; k < 3; k++) {
            for (int lane = 0; lane < LANES; lane++) {
                const double size = fabs(batch->over_r[at + lane] * batch->d[k][at + lane]);
                sums->lost[k][lane] += size < sums->lost_below[lane] ? size : 0.0;
            }
        }
    }
}

WIDEST static void add_to_sites(const struct lanes_batch *batch, struct lanes_sums *sums) {
    struct lanes_sums own;
    memcpy(own.force, sums->force, sizeof own.force);
    vector scale = *sum_of(sums->scale);
    vector largest = *sum_of(sums->largest);
    vector slope = *sum_of(sums->slope);
    vector condition = *sum_of(sums->force_condition);
    for (int at = 0; at < batch->steps * LANES; at += LANES) {
        const vector over_r = *vector_at(batch->over_r + at);
        for (int k = 0; k < 3; k++) {
            add_lanes(&own.force[k], over_r * *vector_at(batch->d[k] + at));
        }
        const vector size = *vector_at(batch->size + at);
        const mask larger = (mask)(size > largest);
        scale += size;
        largest = (vector)(((mask)size & larger) | ((mask)largest & ~larger));
        slope += *vector_at(batch->slope + at);
        condition += *vector_at(batch->force_condition + at);
    }
    memcpy(sums->force, own.force, sizeof own.force);
    *sum_of(sums->scale) = scale;
    *sum_of(sums->largest) = largest;
    *sum_of(sums->slope) = slope;
    *sum_of(sums->force_condition) = condition;
}

static inline void add_energy(const struct lanes_batch *batch, int kind, int at, mask above,
                              struct lanes_sums *sums) {
    add_lanes(&sums->energy[kind], where(above, batch->energy[kind] + at));
    *sum_of(sums->energy_scale[kind]) += where(above, batch->scale[kind] + at);
    *sum_of(sums->kind_slope[kind]) += where(above, batch->kind_size[kind] + at);
}

static inline void add_virial(const struct lanes_batch *batch, int at, mask above,
                              struct lanes_sums *sums) {
    const vector over_r = where(above, batch->over_r + at);
    for (int k = 0; k < VIRIAL_COUNT; k++) {
        add_lanes(&sums->virial[k], over_r * *vector_at(batch->d[virial_row[k]] + at) *
                                        *vector_at(batch->d[virial_column[k]] + at));
    }
    const mask there = above & (mask)(*vector_at(batch->r2 + at) >= 0.0); /* a step that there is */
    const vector r = where(there, batch->r + at);
    const vector size = where(there, batch->size + at);
    const vector slope = where(there, batch->slope + at);
    *sum_of(sums->energy_slope) += size;
    *sum_of(sums->virial_scale) += r * size;
    *sum_of(sums->virial_slope) += size + r * slope;
}

/* Each pair once: of the steps from `above` on. */
WIDEST static void add_to_box(const struct lanes_batch *batch, int first_kind, int last_kind,
                              struct lanes_sums *sums) {
    int t = batch->steps;
    for (int l = 0; l < LANES; l++) {
        t = batch->above[l] < t ? (int)batch->above[l] : t;
    }
    for (; t < batch->steps; t++) {
        const vector step = (vector){ 0 } + (double)t;
        const mask above = (mask)(step >= *vector_at(batch->above));
        for (int kind = first_kind; kind <= last_kind; kind++) {
            add_energy(batch, kind, t * LANES, above, sums);
        }
        add_virial(batch, t * LANES, above, sums);
    }
}

void lanes_add(const struct scene *scene, const struct lanes_batch *batch,
               struct lanes_sums *sums) {
    int first_kind = TERM_KINDS - 1;
    int last_kind = 0;
    for (int t = 0; t < scene->model.count; t++) {
        const int kind = scene->model.terms[t].kind;
        first_kind = kind < first_kind ? kind : first_kind;
        last_kind = kind > last_kind ? kind : last_kind;
    }
    add_to_sites(batch, sums);
    add_to_box(batch, first_kind, last_kind, sums);
}
