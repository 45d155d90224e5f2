#include "reference/steps/step_long_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double three = 1.7320508075688772; /* the root: components to lengths */

/* Sites at which the field's slope is found: it is smooth, and much the same everywhere. */
enum { MOST_SITES = 256 };

void long_range_free(struct long_range_state *state) {
    free(state->force_error);
    *state = (struct long_range_state){ .force_error = NULL };
}

/* ---- how far errors of positions move it ---- */

static double volume_of(const struct box *box) {
    return box->edge[0] * box->edge[1] * box->edge[2];
}

/* Any image that is not much farther than the nearest. */
static double distance(const struct box *box, size_t i, size_t j) {
    const double rows[3][3] = { { box->edge[0], 0, 0 },
                                { box->tilt[0], box->edge[1], 0 },
                                { box->tilt[1], box->tilt[2], box->edge[2] } };
    double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = box->position[3 * i + k] - box->position[3 * j + k];
    }
    for (int v = 2; v >= 0; v--) {
        const double whole = rint(d[v] / rows[v][v]);
        for (int k = 0; k <= v; k++) {
            d[k] -= whole * rows[v][k];
        }
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Every charge moves as is worst for a site. What lies beyond the nearest images moves as they do:
 * a lattice of dipoles, whose field at a site is at most some 4 pi / V times a dipole. */
static void find_slopes(const struct step_long_range *long_range, const struct box *box,
                        struct long_range_state *state) {
    const size_t stride = box->n / MOST_SITES + 1;
    double charges = 0;
    double worst_virial = 0;
    for (size_t j = 0; j < box->n; j++) {
        charges += fabs(box->charge[j]);
    }
    for (size_t i = 0; i < box->n; i += stride) {
        double slope = 4 * pi / volume_of(box) * charges;
        double virial = 0;
        for (size_t j = 0; j < box->n; j++) {
            const double r = distance(box, i, j);
            const double of_pair = fabs(box->charge[j]) * ewald_slope(long_range->alpha, r);
            slope += of_pair;
            virial += 2 * r * of_pair;
        }
        state->field_slope = fmax(state->field_slope, long_range->coulomb * slope);
        worst_virial = fmax(worst_virial, long_range->coulomb * virial);
    }
    state->virial_slope = 0.5 * charges * worst_virial;
}

/* ---- adding ---- */

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Units of rounding in sums over the grid and over particles, however they are added up. */
static double adding_units(const struct step_long_range *long_range) {
    return 64 + 0.25 * sqrt((double)long_range->grid[0] * (double)long_range->grid[1] *
                            (double)long_range->grid[2]);
}

static void bound_sums(const struct step_long_range *long_range, const struct pme_result *result,
                       const struct ewald_excluded *excluded, double constants,
                       struct step_long_sums *sums) {
    const struct pme_rounding *rounding = &long_range->rounding;
    const double points =
        (double)long_range->grid[0] * (double)long_range->grid[1] * (double)long_range->grid[2];
    const double summed = rounding->sum_unit * adding_units(long_range);
    const double added = long_range->adding.sum_unit * adding_units(long_range);
    const double pairs = 16 * rounding->unit + added;
    const double whole = rounding->quantum * (8 + points);
    sums->energy_error = result->energy_error + pairs * excluded->energy_scale +
                         summed * fabs(result->energy) + added * constants + whole;
    sums->virial_error = result->virial_error + pairs * excluded->virial_scale +
                         excluded->virial_turn + summed * result->virial_scale + added * constants +
                         whole;
}

struct adding {
    const struct step_long_range *long_range;
    const struct box *box;
    const struct pme_result *result;
    const struct ewald_excluded *excluded; /* its arrays are there */
};

/* Of the vector of particle i: rounding of the grid, of places, of excluded pairs and of adding up.
 */
static double bound_force(const struct adding *adding, double slope, double length, size_t i) {
    const struct pme_rounding *rounding = &adding->long_range->rounding;
    const struct pme_result *result = adding->result;
    const double excluded = adding->excluded->scale[i];
    return three * length_of(result->force_error + 3 * i) +
           rounding->unit * (16 * excluded + 4 * length * slope) +
           4 * rounding->sum_unit * length_of(result->force + 3 * i) +
           4 * adding->long_range->adding.sum_unit * excluded + adding->excluded->turn[i];
}

static void add_forces(const struct adding *adding, struct long_range_state *state,
                       struct reference *now) {
    for (size_t i = 0; i < adding->box->n; i++) {
        const double slope =
            fabs(adding->box->charge[i]) * state->field_slope + adding->excluded->slope[i];
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            now->force[k] += adding->result->force[k] + adding->excluded->force[k];
        }
        if (!state->exact) {
            now->slope[i] += slope;
            state->force_error[i] = bound_force(adding, slope, now->length_scale, i);
        }
    }
}

static void add_sums(const struct pme_problem *problem, const struct adding *adding,
                     struct long_range_state *state, struct reference *now) {
    const double background = ewald_background_energy(problem);
    const double self = ewald_self_energy(problem);
    struct step_long_sums *sums = &state->sums;
    *sums = (struct step_long_sums){ .energy = adding->result->energy + self + background +
                                               adding->excluded->energy };
    for (int k = 0; k < 9; k++) {
        sums->virial[k] =
            adding->result->virial[k] + adding->excluded->virial[k] + (k % 4 == 0 ? background : 0);
        now->virial[k] += sums->virial[k];
    }
    now->energy += sums->energy;
    if (!state->exact) {
        bound_sums(adding->long_range, adding->result, adding->excluded,
                   fabs(self) + fabs(background), sums);
        now->virial_slope += state->virial_slope;
    }
}

static bool compute(const struct pme_problem *problem, const struct exclusions *exclusions,
                    const struct adding *adding, struct long_range_state *state,
                    struct reference *now, struct error *error) {
    const size_t n = problem->box->n;
    struct ewald_excluded excluded = { .force = calloc(3 * n + 1, sizeof(double)),
                                       .scale = calloc(n + 1, sizeof(double)),
                                       .slope = calloc(n + 1, sizeof(double)),
                                       .turn = calloc(n + 1, sizeof(double)) };
    struct adding with_pairs = *adding;
    const bool found =
        excluded.force && excluded.scale && excluded.slope && excluded.turn
            ? !exclusions || ewald_find_excluded(problem, exclusions, &excluded, error)
            : fail_out_of_memory(error, "the reciprocal part of a step");
    if (found) {
        with_pairs.excluded = &excluded;
        add_forces(&with_pairs, state, now);
        add_sums(problem, &with_pairs, state, now);
    }
    free(excluded.force);
    free(excluded.scale);
    free(excluded.slope);
    free(excluded.turn);
    return found;
}

bool long_range_add(const struct step_long_range *long_range, const struct box *box,
                    const struct exclusions *exclusions, struct long_range_state *state,
                    struct reference *now, struct error *error) {
    struct pme_result result;
    const struct pme_problem problem = { .box = box,
                                         .alpha = long_range->alpha,
                                         .coulomb = long_range->coulomb,
                                         .grid = { long_range->grid[0], long_range->grid[1],
                                                   long_range->grid[2] },
                                         .order = long_range->order };
    const struct adding adding = { .long_range = long_range, .box = box, .result = &result };
    if (!state->force_error) {
        state->force_error = calloc(box->n + 1, sizeof *state->force_error);
        if (!state->force_error) {
            return fail_out_of_memory(error, "the reciprocal part of a step");
        }
    }
    if (!state->exact && state->field_slope == 0) {
        find_slopes(long_range, box, state);
    }
    if (!reference_pme(&problem, state->exact ? NULL : &long_range->rounding, &result, error)) {
        return false;
    }
    const bool computed = compute(&problem, exclusions, &adding, state, now, error);
    pme_result_free(&result);
    return computed;
}
