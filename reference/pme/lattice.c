#include "reference/pme/lattice.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static bool check(const struct pme_problem *problem, struct error *error) {
    const struct box *box = problem->box;
    if (!box->periodic || box->open_along[0] || box->open_along[1] || box->open_along[2]) {
        return fail(error, STATUS_BAD_INPUT,
                    "an Ewald sum is of boxes that are periodic along all three vectors");
    }
    if (!(problem->alpha > 0) || !isfinite(problem->alpha)) {
        return fail(error, STATUS_BAD_INPUT, "alpha %g; expected a number above 0", problem->alpha);
    }
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (!isfinite(box->position[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %g is not finite",
                        k / 3 + 1, box->position[k]);
        }
    }
    return true;
}

bool lattice_make(const struct pme_problem *problem, struct lattice *lattice, struct error *error) {
    const struct cell *cell = &problem->box->cell;
    if (!check(problem, error)) {
        return false;
    }
    const double *edge = cell->edge;
    const double *tilt = cell->tilt;
    *lattice = (struct lattice){
        .rows = { { 1 / edge[0], -tilt[0] / (edge[0] * edge[1]),
                    (tilt[0] * tilt[2] - tilt[1] * edge[1]) / (edge[0] * edge[1] * edge[2]) },
                  { 0, 1 / edge[1], -tilt[2] / (edge[1] * edge[2]) },
                  { 0, 0, 1 / edge[2] } },
        .volume = edge[0] * edge[1] * edge[2],
    };
    lattice->scale = problem->coulomb / (pi * lattice->volume);
    lattice->decay = pi / problem->alpha * (pi / problem->alpha);
    return true;
}

struct mode lattice_mode(const struct lattice *lattice, const double frequency[3]) {
    struct mode mode = { .square = 0 };
    for (int d = 0; d < 3; d++) {
        for (int a = 0; a < 3; a++) {
            mode.m[d] += frequency[a] * lattice->rows[a][d];
        }
        mode.square += mode.m[d] * mode.m[d];
    }
    mode.exponent = lattice->decay * mode.square;
    mode.influence = mode.square > 0 ? lattice->scale * exp(-mode.exponent) / mode.square : 0;
    return mode;
}

void mode_add(const struct lattice *lattice, const struct mode *mode, double energy,
              struct mode_sums *sums) {
    if (!(mode->square > 0)) {
        return;
    }
    const double along = 2 * energy * (1 / mode->square + lattice->decay);
    sums->energy += energy;
    for (int k = 0; k < 9; k++) {
        sums->virial[k] += (k % 4 == 0 ? energy : 0) - along * mode->m[k / 3] * mode->m[k % 3];
    }
    sums->virial_scale += mode_virial_scale(mode) * energy;
}

void mode_sums_store(const struct mode_sums *sums, struct pme_result *result) {
    result->energy = (double)sums->energy;
    for (int k = 0; k < 9; k++) {
        result->virial[k] = (double)sums->virial[k];
    }
    result->virial_scale = sums->virial_scale;
}

double mode_virial_scale(const struct mode *mode) {
    return 3 + 2 * mode->exponent;
}

bool result_begin(size_t n, bool bounded, struct pme_result *result, struct error *error) {
    *result = (struct pme_result){ .n = n };
    result->force = calloc(3 * n + 1, sizeof *result->force);
    result->force_error = bounded ? calloc(3 * n + 1, sizeof *result->force_error) : NULL;
    if (!result->force || (bounded && !result->force_error)) {
        pme_result_free(result);
        return fail_out_of_memory(error, "the reference");
    }
    return true;
}

void pme_result_free(struct pme_result *result) {
    free(result->force);
    free(result->force_error);
    *result = (struct pme_result){ 0 };
}
