/* The direct sum over the reciprocal lattice, and the scalars beside it. */
#include "reference/pairs/sum.h"
#include "reference/pme/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* exp(-(pi m / alpha)^2) below it changes no sum that has 1. */
static const double largest_exponent = 44;

/* exp(2 pi i f s_a) for frequencies f = 0..most and the coordinates s_a along each vector of all
 * particles, by particles. */
struct phases {
    size_t most[3];
    double *cosine[3], *sine[3];
};

static void phases_free(struct phases *phases) {
    for (int a = 0; a < 3; a++) {
        free(phases->cosine[a]);
        free(phases->sine[a]);
    }
}

/* How many frequencies matter along each vector: those within the sphere of largest_exponent. A
 * component is the product of m and a vector of the cell. */
static void find_most(const struct pme_problem *problem, struct ewald_reach reach, size_t most[3]) {
    const struct cell *cell = &problem->box->cell;
    const double radius = sqrt(largest_exponent) * problem->alpha / pi;
    const double length[3] = { cell->edge[0], hypot(cell->tilt[0], cell->edge[1]),
                               hypot(hypot(cell->tilt[1], cell->tilt[2]), cell->edge[2]) };
    for (int a = 0; a < 3; a++) {
        most[a] = reach.most > 0 ? (size_t)reach.most : (size_t)ceil(radius * length[a]);
    }
}

static bool phases_make(const struct box *box, const struct lattice *lattice,
                        struct phases *phases) {
    for (int a = 0; a < 3; a++) {
        const size_t row = phases->most[a] + 1;
        double *cosine = malloc((row * box->n + 1) * sizeof *cosine);
        double *sine = malloc((row * box->n + 1) * sizeof *sine);
        phases->cosine[a] = cosine;
        phases->sine[a] = sine;
        if (!cosine || !sine) {
            return false;
        }
        for (size_t i = 0; i < box->n; i++) {
            double along = 0;
            for (int d = 0; d < 3; d++) {
                along += box->position[3 * i + (size_t)d] * lattice->rows[a][d];
            }
            for (size_t f = 0; f < row; f++) {
                const double turns = (double)f * along;
                const double angle = 2 * pi * (turns - floor(turns));
                cosine[row * i + f] = cos(angle);
                sine[row * i + f] = sin(angle);
            }
        }
    }
    return true;
}

/* q_i exp(2 pi i m r_i) of the frequency. */
static void particle_phase(const struct phases *phases, const struct box *box, size_t i,
                           const int frequency[3], double *re, double *im) {
    double c = box->charge[i];
    double s = 0;
    for (int a = 0; a < 3; a++) {
        const size_t at = (phases->most[a] + 1) * i + (size_t)abs(frequency[a]);
        const double of_c = phases->cosine[a][at];
        const double of_s = frequency[a] < 0 ? -phases->sine[a][at] : phases->sine[a][at];
        const double next = c * of_c - s * of_s;
        s = c * of_s + s * of_c;
        c = next;
    }
    *re = c;
    *im = s;
}

/* A vector and its negative are the same twice: `twice` is 2. */
static void add_vector(const struct pme_problem *problem, const struct lattice *lattice,
                       const struct phases *phases, const int frequency[3], struct mode_sums *sums,
                       struct pme_result *result) {
    const struct box *box = problem->box;
    const double of_doubles[3] = { frequency[0], frequency[1], frequency[2] };
    const struct mode mode = lattice_mode(lattice, of_doubles);
    const double twice = 2;
    struct sum re = { 0 };
    struct sum im = { 0 };
    double c;
    double s;
    if (mode.influence == 0 || mode.exponent > 2 * largest_exponent) {
        return;
    }
    for (size_t i = 0; i < box->n; i++) {
        particle_phase(phases, box, i, frequency, &c, &s);
        sum_add(&re, c);
        sum_add(&im, s);
    }
    const double of_re = sum_total(&re);
    const double of_im = sum_total(&im);
    mode_add(lattice, &mode, twice * 0.5 * mode.influence * (of_re * of_re + of_im * of_im), sums);
    for (size_t i = 0; i < box->n; i++) {
        particle_phase(phases, box, i, frequency, &c, &s);
        const double along = twice * 2 * pi * mode.influence * (s * of_re - c * of_im);
        for (size_t d = 0; d < 3; d++) {
            result->force[3 * i + d] += along * mode.m[d];
        }
    }
}

static void add_vectors(const struct pme_problem *problem, const struct lattice *lattice,
                        const struct phases *phases, struct ewald_reach reach,
                        struct pme_result *result) {
    struct mode_sums sums = { .energy = 0 };
    const int most[3] = { (int)phases->most[0], (int)phases->most[1], (int)phases->most[2] };
    for (int x = 0; x <= most[0]; x++) {
        for (int y = x == 0 ? 0 : -most[1]; y <= most[1]; y++) {
            for (int z = x == 0 && y == 0 ? 1 : -most[2]; z <= most[2]; z++) {
                const int frequency[3] = { x, y, z };
                if (reach.square == 0 || x * x + y * y + z * z < reach.square) {
                    add_vector(problem, lattice, phases, frequency, &sums, result);
                }
            }
        }
    }
    mode_sums_store(&sums, result);
}

bool reference_ewald(const struct pme_problem *problem, struct ewald_reach reach,
                     struct pme_result *result, struct error *error) {
    struct lattice lattice;
    struct phases phases = { .most = { 0 } };
    if (!lattice_make(problem, &lattice, error) ||
        !result_begin(problem->box->n, false, result, error)) {
        return false;
    }
    find_most(problem, reach, phases.most);
    const bool made = phases_make(problem->box, &lattice, &phases);
    if (made) {
        add_vectors(problem, &lattice, &phases, reach, result);
    } else {
        pme_result_free(result);
    }
    phases_free(&phases);
    return made || fail_out_of_memory(error, "the reference");
}

/* ---- scalars ---- */

double ewald_self_energy(const struct pme_problem *problem) {
    struct sum squares = { 0 };
    for (size_t i = 0; i < problem->box->n; i++) {
        sum_add(&squares, problem->box->charge[i] * problem->box->charge[i]);
    }
    return -problem->coulomb * problem->alpha / sqrt(pi) * sum_total(&squares);
}

double ewald_background_energy(const struct pme_problem *problem) {
    const struct cell *cell = &problem->box->cell;
    struct sum charge = { 0 };
    for (size_t i = 0; i < problem->box->n; i++) {
        sum_add(&charge, problem->box->charge[i]);
    }
    const double all = sum_total(&charge);
    return 0.0 - problem->coulomb * pi * all * all /
                     (2 * cell->edge[0] * cell->edge[1] * cell->edge[2] * problem->alpha *
                      problem->alpha);
}

/* Images are tried: whole vectors of the cell, `rows`, are added. */
struct image_search {
    double rows[3][3];
    double reach; /* images farther than that are not looked at; first as rounding finds one */
    double least; /* the square of the shortest so far, `best` */
    double best[3];
    size_t found; /* within reach */
};

/* Images along vector `axis` and those before it. Along z, then y, none that is beyond reach can
 * come within it. */
static void search_images(struct image_search *search, const double d[3], int axis) {
    if (axis < 0) {
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        search->found += square <= search->reach * search->reach;
        if (square < search->least) {
            search->least = square;
            memcpy(search->best, d, sizeof search->best);
        }
        return;
    }
    const double edge = search->rows[axis][axis];
    const double middle = rint(-d[axis] / edge);
    const double most = floor(search->reach / edge + 0.5);
    for (double k = middle - most; k <= middle + most; k++) {
        double other[3];
        for (int component = 0; component < 3; component++) {
            other[component] = d[component] + k * search->rows[axis][component];
        }
        search_images(search, other, axis - 1);
    }
}

/* The nearest image of i as seen from j, also where it is farther than half of the cell: first the
 * one that rounding along one vector after another finds, then all that may be nearer. Returns how
 * many others are all but as near. */
static size_t nearest(const struct cell *cell, double d[3]) {
    const double all_but = 1 + 1e-4; /* where steps have moved both, in float, too */
    struct image_search search = { .rows = { { cell->edge[0], 0, 0 },
                                             { cell->tilt[0], cell->edge[1], 0 },
                                             { cell->tilt[1], cell->tilt[2], cell->edge[2] } },
                                   .least = INFINITY };
    for (int pass = 0; pass < 3; pass++) {
        search.found = 0;
        search_images(&search, d, 2);
        search.reach = sqrt(search.least) * all_but;
    }
    memcpy(d, search.best, sizeof search.best);
    return search.found > 0 ? search.found - 1 : 0;
}

/* erf(alpha r) / r, and minus its derivative over r; by series where r is small. */
static void screened(double alpha, double r2, double *value, double *slope) {
    const double r = sqrt(r2);
    const double x = alpha * r;
    const double height = 2 * alpha / sqrt(pi);
    if (x < 1e-3) {
        *value = height * (1 - x * x / 3);
        *slope = height * alpha * alpha * (2.0 / 3 - 2 * x * x / 5);
        return;
    }
    *value = erf(x) / r;
    *slope = (*value - height * exp(-x * x)) / r2;
}

double ewald_slope(double alpha, double r) {
    const double most = 4 * alpha * alpha * alpha / (3 * sqrt(pi));
    return most * r * r * r > 2 ? 2 / (r * r * r) : most;
}

static void add_excluded(const struct pme_problem *problem, size_t i, size_t j, struct sum *energy,
                         struct ewald_excluded *found) {
    const struct box *box = problem->box;
    const double charges = problem->coulomb * box->charge[i] * box->charge[j];
    double d[3];
    double value;
    double slope;
    for (size_t k = 0; k < 3; k++) {
        d[k] = box->position[3 * i + k] - box->position[3 * j + k];
    }
    const double others = (double)nearest(&box->cell, d);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    screened(problem->alpha, r2, &value, &slope);
    sum_add(energy, -charges * value);
    found->energy_scale += fabs(charges * value);
    found->virial_scale += fabs(charges * slope) * r2;
    for (size_t k = 0; k < 9; k++) {
        found->virial[k] -= charges * slope * d[k / 3] * d[k % 3];
    }
    for (size_t k = 0; found->force && k < 3; k++) {
        found->force[3 * i + k] -= charges * slope * d[k];
        found->force[3 * j + k] += charges * slope * d[k];
    }
    if (found->scale) {
        found->scale[i] += fabs(charges * slope) * sqrt(r2);
        found->scale[j] += fabs(charges * slope) * sqrt(r2);
    }
    found->virial_turn += others * 2 * fabs(charges * slope) * r2;
    if (found->turn) {
        found->turn[i] += others * 2 * fabs(charges * slope) * sqrt(r2);
        found->turn[j] += others * 2 * fabs(charges * slope) * sqrt(r2);
    }
    if (found->slope) {
        const double of_pair = fabs(charges) * ewald_slope(problem->alpha, sqrt(r2));
        found->slope[i] += of_pair;
        found->slope[j] += of_pair;
    }
}

static int compare_pairs(const void *left, const void *right) {
    const int32_t *a = left;
    const int32_t *b = right;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Listed pairs, each once, the lesser particle first. */
static bool add_listed(const struct pme_problem *problem, const struct exclusions *exclusions,
                       struct sum *energy, struct ewald_excluded *found, struct error *error) {
    const size_t n = problem->box->n;
    const size_t count = exclusions_pair_count(exclusions, n);
    int32_t(*pair)[2] = malloc((count + 1) * sizeof *pair);
    bool fits = pair != NULL || fail_out_of_memory(error, "the exclusions");
    for (size_t k = 0; fits && k < count; k++) {
        int32_t both[2];
        exclusions_pair(exclusions, n, k, both);
        pair[k][0] = both[0] < both[1] ? both[0] : both[1];
        pair[k][1] = both[0] < both[1] ? both[1] : both[0];
        fits = pair[k][0] >= 0 && (size_t)pair[k][1] < n;
        fits = fits ||
               fail(error, STATUS_BAD_INPUT, "an excluded pair is of particle %d; the box has %zu",
                    (int)pair[k][1] + 1, n);
    }
    if (fits) {
        qsort(pair, count, sizeof *pair, compare_pairs);
    }
    for (size_t k = 0; fits && k < count; k++) {
        if (pair[k][0] != pair[k][1] && (k == 0 || compare_pairs(pair[k], pair[k - 1]) != 0)) {
            add_excluded(problem, (size_t)pair[k][0], (size_t)pair[k][1], energy, found);
        }
    }
    free(pair);
    return fits;
}

struct of_molecule {
    int64_t molecule;
    size_t particle;
};

static int compare_molecules(const void *left, const void *right) {
    const struct of_molecule *a = left;
    const struct of_molecule *b = right;
    return a->molecule != b->molecule ? (a->molecule < b->molecule ? -1 : 1)
                                      : (a->particle > b->particle) - (a->particle < b->particle);
}

static bool add_molecules(const struct pme_problem *problem, struct sum *energy,
                          struct ewald_excluded *found, struct error *error) {
    const struct box *box = problem->box;
    if (!box->molecule) {
        return fail(error, STATUS_BAD_INPUT, "pairs within molecules: the box has no molecules");
    }
    struct of_molecule *sorted = malloc((box->n + 1) * sizeof *sorted);
    if (!sorted) {
        return fail_out_of_memory(error, "the exclusions");
    }
    for (size_t i = 0; i < box->n; i++) {
        sorted[i] = (struct of_molecule){ box->molecule[i], i };
    }
    qsort(sorted, box->n, sizeof *sorted, compare_molecules);
    for (size_t a = 0; a < box->n; a++) {
        for (size_t b = a + 1; b < box->n && sorted[b].molecule == sorted[a].molecule; b++) {
            add_excluded(problem, sorted[a].particle, sorted[b].particle, energy, found);
        }
    }
    free(sorted);
    return true;
}

bool ewald_find_excluded(const struct pme_problem *problem, const struct exclusions *exclusions,
                         struct ewald_excluded *found, struct error *error) {
    struct sum energy = { 0 };
    const bool added = exclusions_by_molecule(exclusions)
                           ? add_molecules(problem, &energy, found, error)
                           : add_listed(problem, exclusions, &energy, found, error);
    found->energy = sum_total(&energy);
    return added;
}
