#include "reference/pme/pme.h"

#include "core/threads.h"
#include "reference/pme/lattice.h"
#include "reference/pme/transform.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_ORDER = 4, MOST_ORDER = 6 };

static const double pi = 3.14159265358979323846;
static const double deviations = 5;     /* that a bound allows */
static const double own_unit = 0x1p-53; /* of what is computed here */

/* ---- splines ---- */

/* M_p and its first two derivatives at fraction + j, j = 0..p-1; M_p is 0 outside of 0 to p. */
struct spline {
    double value[MOST_ORDER], slope[MOST_ORDER], curvature[MOST_ORDER];
};

static void spline_fill(int order, double fraction, struct spline *spline) {
    /* of[q][j + 1] is M_q(fraction + j); M_q(x) = (x M_(q-1)(x) + (q - x) M_(q-1)(x - 1)) / (q - 1)
     */
    double basis[MOST_ORDER + 1][MOST_ORDER + 2] = { { 0 } };
    basis[2][1] = fraction;
    basis[2][2] = 1 - fraction;
    for (int q = 3; q <= order; q++) {
        for (int j = 0; j < q; j++) {
            const double x = fraction + j;
            basis[q][j + 1] = (x * basis[q - 1][j + 1] + (q - x) * basis[q - 1][j]) / (q - 1);
        }
    }
    for (int j = 0; j < order; j++) {
        const double before = j > 0 ? basis[order - 2][j - 1] : 0;
        spline->value[j] = basis[order][j + 1];
        spline->slope[j] = basis[order - 1][j + 1] - basis[order - 1][j];
        spline->curvature[j] = basis[order - 2][j + 1] - 2 * basis[order - 2][j] + before;
    }
}

/* Where a particle is on the grid: M_p(fraction + j) is of point start - j along each vector. */
struct seat {
    size_t start[3];
    struct spline along[3];
};

/* ---- the grid ---- */

struct mesh {
    const struct pme_problem *problem;
    bool is_bounded;
    struct pme_rounding rounding; /* of kernels, and of what is computed here */
    struct lattice lattice;
    size_t total;
    struct point *points;
    double *inverse_moduli[3]; /* 1 / |b(k)|^2 along each vector */
    double *sizes;             /* of the terms of a point, added; NULL without bounds */
    uint32_t *terms;           /* how many they are */
    /* sums for the bounds */
    double squared_charges;       /* of q^2 */
    double squared_grid;          /* of the squares of the charges at points */
    double summed;                /* of terms times (their sizes)^2, over points */
    double white, phases[3];      /* over k: of C^2; of that (2 pi k / K)^2 */
    double potential, influences; /* of C^2 |S|^2; of that times the error of C, squared */
    double energy_white, energy_phases[3], energy_influence; /* of the energy, likewise */
    double virial_white, virial_phases[3], virial_influence;
};

static void mesh_free(struct mesh *mesh) {
    free(mesh->points);
    free(mesh->sizes);
    free(mesh->terms);
    for (int a = 0; a < 3; a++) {
        free(mesh->inverse_moduli[a]);
    }
}

static void fill_moduli(int order, size_t size, double *inverse) {
    struct spline spline;
    spline_fill(order, 0, &spline); /* M_p(j) */
    for (size_t k = 0; k < size; k++) {
        double re = 0;
        double im = 0;
        for (int j = 0; j < order - 1; j++) {
            const double angle = 2 * pi * (double)(k * (size_t)j % size) / (double)size;
            re += spline.value[j + 1] * cos(angle);
            im += spline.value[j + 1] * sin(angle);
        }
        inverse[k] = re * re + im * im;
    }
    if (order % 2 == 1 && size % 2 == 0) {
        inverse[size / 2] = (inverse[size / 2 - 1] + inverse[size / 2 + 1]) / 2;
    }
}

static bool check(const struct pme_problem *problem, struct error *error) {
    if (problem->order < LEAST_ORDER || problem->order > MOST_ORDER) {
        return fail(error, STATUS_BAD_INPUT, "splines of order %d; expected 4, 5 or 6",
                    problem->order);
    }
    for (int a = 0; a < 3; a++) {
        if (problem->grid[a] < (size_t)problem->order) {
            return fail(error, STATUS_BAD_INPUT,
                        "a grid of %zu points along a vector; splines of order %d take as many",
                        problem->grid[a], problem->order);
        }
    }
    return true;
}

static bool mesh_make(const struct pme_problem *problem, const struct pme_rounding *rounding,
                      struct mesh *mesh, struct error *error) {
    *mesh = (struct mesh){ .problem = problem, .is_bounded = rounding != NULL };
    if (rounding) {
        mesh->rounding = *rounding;
        mesh->rounding.unit += own_unit;
        mesh->rounding.sum_unit += own_unit;
    }
    if (!check(problem, error) || !lattice_make(problem, &mesh->lattice, error)) {
        return false;
    }
    mesh->total = problem->grid[0] * problem->grid[1] * problem->grid[2];
    mesh->points = calloc(mesh->total, sizeof *mesh->points);
    bool made = mesh->points != NULL;
    if (rounding) {
        mesh->sizes = calloc(mesh->total, sizeof *mesh->sizes);
        mesh->terms = calloc(mesh->total, sizeof *mesh->terms);
        made = made && mesh->sizes && mesh->terms;
    }
    for (int a = 0; a < 3; a++) {
        mesh->inverse_moduli[a] = malloc(problem->grid[a] * sizeof(double));
        made = made && mesh->inverse_moduli[a];
    }
    if (!made) {
        return fail_out_of_memory(error, "the grid of the reference");
    }
    for (int a = 0; a < 3; a++) {
        fill_moduli(problem->order, problem->grid[a], mesh->inverse_moduli[a]);
    }
    return true;
}

static void find_seat(const struct mesh *mesh, size_t i, struct seat *seat) {
    const struct pme_problem *problem = mesh->problem;
    for (int a = 0; a < 3; a++) {
        double along = 0;
        for (int d = 0; d < 3; d++) {
            along += problem->box->position[3 * i + (size_t)d] * mesh->lattice.rows[a][d];
        }
        const double size = (double)problem->grid[a];
        const double scaled = (along - floor(along)) * size;
        const double whole = floor(scaled);
        seat->start[a] = (size_t)whole % problem->grid[a];
        spline_fill(problem->order, scaled - whole, &seat->along[a]);
    }
}

/* The number of point `j` before the start, along each vector. */
static size_t point_of(const struct mesh *mesh, const struct seat *seat, int x, int y, int z) {
    const size_t *grid = mesh->problem->grid;
    const size_t at[3] = { (seat->start[0] + grid[0] - (size_t)x) % grid[0],
                           (seat->start[1] + grid[1] - (size_t)y) % grid[1],
                           (seat->start[2] + grid[2] - (size_t)z) % grid[2] };
    return (at[0] * grid[1] + at[1]) * grid[2] + at[2];
}

static void spread(struct mesh *mesh) {
    const int order = mesh->problem->order;
    const struct box *box = mesh->problem->box;
    struct seat seat;
    for (size_t i = 0; i < box->n; i++) {
        find_seat(mesh, i, &seat);
        mesh->squared_charges += box->charge[i] * box->charge[i];
        for (int place = 0; place < order * order * order; place++) {
            const int x = place / (order * order);
            const int y = place / order % order;
            const int z = place % order;
            const size_t point = point_of(mesh, &seat, x, y, z);
            const double term = box->charge[i] * seat.along[0].value[x] * seat.along[1].value[y] *
                                seat.along[2].value[z];
            mesh->points[point].re += term;
            if (mesh->is_bounded) {
                mesh->sizes[point] += fabs(term);
                mesh->terms[point]++;
            }
        }
    }
    for (size_t point = 0; point < mesh->total; point++) {
        mesh->squared_grid += mesh->points[point].re * mesh->points[point].re;
        if (mesh->is_bounded) {
            mesh->summed += mesh->terms[point] * mesh->sizes[point] * mesh->sizes[point];
        }
    }
}

/* ---- the reciprocal lattice ---- */

/* Of least size; half the points are minus half. */
static double frequency_of(size_t k, size_t size) {
    return 2 * k < size ? (double)k : (double)k - (double)size;
}

/* The vectors that the point stands for: one, or one and the one with half the points reversed. */
static int find_modes(const struct mesh *mesh, const size_t k[3], struct mode mode[2],
                      double frequency[3]) {
    double other[3];
    bool both = false;
    for (int a = 0; a < 3; a++) {
        const size_t size = mesh->problem->grid[a];
        frequency[a] = frequency_of(k[a], size);
        other[a] = 2 * k[a] == size ? -frequency[a] : frequency[a];
        both = both || 2 * k[a] == size;
    }
    mode[0] = lattice_mode(&mesh->lattice, frequency);
    mode[1] = lattice_mode(&mesh->lattice, other);
    return both ? 2 : 1;
}

/* What the errors of a point's S(k) come to. */
static void add_to_bounds(struct mesh *mesh, const struct mode *mode, const double frequency[3],
                          double influence, double square) {
    const double error = 8 * (1 + mode->exponent); /* of the influence function, in units */
    const double of_potential = influence * influence * square;
    const double of_virial = mode_virial_scale(mode) * mode_virial_scale(mode) * of_potential;
    mesh->white += influence * influence;
    mesh->potential += of_potential;
    mesh->influences += of_potential * error * error;
    mesh->energy_white += of_potential;
    mesh->virial_white += of_virial;
    mesh->energy_influence += error * influence * square / 2;
    mesh->virial_influence += 2 * error * mode_virial_scale(mode) * influence * square / 2;
    for (int a = 0; a < 3; a++) {
        const double phase = 2 * pi * frequency[a] / (double)mesh->problem->grid[a];
        mesh->phases[a] += influence * influence * phase * phase;
        mesh->energy_phases[a] += of_potential * phase * phase;
        mesh->virial_phases[a] += of_virial * phase * phase;
    }
}

/* From S(k) to the transform of the potential. */
static void solve_point(struct mesh *mesh, const size_t k[3], struct point *point,
                        struct mode_sums *sums) {
    struct mode mode[2];
    double frequency[3];
    const int modes = find_modes(mesh, k, mode, frequency);
    const double spline = mesh->inverse_moduli[0][k[0]] * mesh->inverse_moduli[1][k[1]] *
                          mesh->inverse_moduli[2][k[2]];
    const double square = point->re * point->re + point->im * point->im;
    double influence = 0;
    for (int s = 0; s < modes; s++) {
        const double own = mode[s].influence / spline / modes;
        mode_add(&mesh->lattice, &mode[s], own * square / 2, sums);
        influence += own;
    }
    point->re *= influence;
    point->im *= influence;
    if (mesh->is_bounded) {
        add_to_bounds(mesh, &mode[0], frequency, influence, square);
    }
}

static bool solve(struct mesh *mesh, struct pme_result *result, struct error *error) {
    const size_t *grid = mesh->problem->grid;
    struct mode_sums sums = { .energy = 0 };
    if (!transform_grid(mesh->points, grid, -1, error)) {
        return false;
    }
    for (size_t point = 0; point < mesh->total; point++) {
        const size_t k[3] = { point / grid[2] / grid[1], point / grid[2] % grid[1],
                              point % grid[2] };
        solve_point(mesh, k, &mesh->points[point], &sums);
    }
    mode_sums_store(&sums, result);
    return transform_grid(mesh->points, grid, 1, error);
}

/* ---- bounds ---- */

/* How far a coordinate in units of points is off in the mean: products and sums of numbers that are
 * as long as what the cell's vectors reach, in units of the edge. At most it is twice that. */
static double scaled_error(const struct mesh *mesh, int a) {
    const struct cell *cell = &mesh->problem->box->cell;
    const double tilt[3] = { fabs(cell->tilt[0]) + fabs(cell->tilt[1]), fabs(cell->tilt[2]), 0 };
    return 2 * mesh->rounding.unit * (double)mesh->problem->grid[a] *
           (1 + 2 * tilt[a] / cell->edge[a]);
}

static double squared(double value) {
    return value * value;
}

/* The variance of S(k) but for what coordinates are off. */
static double sum_variance(const struct mesh *mesh) {
    const struct pme_rounding *rounding = &mesh->rounding;
    const double transformed = rounding->sum_unit * log2((double)mesh->total);
    const double order = mesh->problem->order;
    return squared(transformed) * mesh->squared_grid +
           squared(order / 2 * rounding->unit) * mesh->squared_charges +
           squared(rounding->sum_unit) * mesh->summed +
           squared(rounding->quantum) * (double)mesh->problem->box->n * order * order * order;
}

/* The standard deviation of the potential at a point. */
static double potential_deviation(const struct mesh *mesh) {
    const struct pme_rounding *rounding = &mesh->rounding;
    double variance = sum_variance(mesh) * mesh->white +
                      squared(rounding->sum_unit * log2((double)mesh->total)) * mesh->potential +
                      squared(rounding->unit) * mesh->influences;
    for (int a = 0; a < 3; a++) {
        variance += squared(scaled_error(mesh, a)) * mesh->squared_charges * mesh->phases[a];
    }
    return sqrt(variance);
}

static double total_error(const struct mesh *mesh, double white, const double phases[3],
                          double influence) {
    double variance = sum_variance(mesh) * white;
    for (int a = 0; a < 3; a++) {
        variance += squared(scaled_error(mesh, a)) * mesh->squared_charges * phases[a];
    }
    return deviations * sqrt(variance) + mesh->rounding.unit * influence;
}

/* A reciprocal of an edge that is off strains the whole cell. */
static void bound_totals(const struct mesh *mesh, struct pme_result *result) {
    const double strain = 4 * mesh->rounding.unit;
    result->energy_error =
        total_error(mesh, mesh->energy_white, mesh->energy_phases, mesh->energy_influence) +
        strain * (fabs(result->virial[0]) + fabs(result->virial[4]) + fabs(result->virial[8]));
    result->virial_error =
        total_error(mesh, mesh->virial_white, mesh->virial_phases, mesh->virial_influence) +
        2 * strain * result->virial_scale;
}

/* ---- forces ---- */

/* Along a vector of the cell, in units of points: the gradient of the potential that a charge of 1
 * is in, and what errors of it come to. */
struct slopes {
    double gradient[3], size[3], spread[3]; /* sums of D phi, |D phi| and |D| */
    double curvature[3][3];                 /* second derivatives */
};

static void add_place(const struct seat *seat, const int at[3], double potential,
                      struct slopes *slopes) {
    for (int a = 0; a < 3; a++) {
        double weight = 1;
        for (int d = 0; d < 3; d++) {
            weight *= d == a ? seat->along[d].slope[at[d]] : seat->along[d].value[at[d]];
        }
        slopes->gradient[a] += weight * potential;
        slopes->size[a] += fabs(weight * potential);
        slopes->spread[a] += fabs(weight);
        for (int b = 0; b < 3; b++) {
            weight = 1;
            for (int d = 0; d < 3; d++) {
                const struct spline *along = &seat->along[d];
                weight *= d == a && d == b   ? along->curvature[at[d]]
                          : d == a || d == b ? along->slope[at[d]]
                                             : along->value[at[d]];
            }
            slopes->curvature[a][b] += weight * potential;
        }
    }
}

static void find_slopes(const struct mesh *mesh, size_t i, struct slopes *slopes) {
    const int order = mesh->problem->order;
    struct seat seat;
    *slopes = (struct slopes){ .gradient = { 0 } };
    find_seat(mesh, i, &seat);
    for (int place = 0; place < order * order * order; place++) {
        const int at[3] = { place / (order * order), place / order % order, place % order };
        add_place(&seat, at, mesh->points[point_of(mesh, &seat, at[0], at[1], at[2])].re, slopes);
    }
}

/* How far the gradient may be off. */
static double slope_error(const struct mesh *mesh, const struct slopes *slopes, int a,
                          double deviation) {
    const struct pme_rounding *rounding = &mesh->rounding;
    const int order = mesh->problem->order;
    const double places = order * order * order;
    double moved = 0;
    for (int b = 0; b < 3; b++) {
        moved += 2 * fabs(slopes->curvature[a][b]) * scaled_error(mesh, b);
    }
    return deviations * deviation * slopes->spread[a] + moved +
           (rounding->unit * (order + 6) + rounding->sum_unit * sqrt(places)) * slopes->size[a];
}

struct gathering {
    const struct mesh *mesh;
    struct pme_result *result;
    double deviation; /* of the potential at a point */
};

static void gather_some(void *context, size_t first, size_t end) {
    const struct gathering *gathering = context;
    const struct mesh *mesh = gathering->mesh;
    struct slopes slopes;
    for (size_t i = first; i < end; i++) {
        find_slopes(mesh, i, &slopes);
        for (size_t k = 0; k < 9; k++) {
            const size_t a = k / 3;
            const size_t at = 3 * i + k % 3;
            const double factor = mesh->problem->box->charge[i] * (double)mesh->problem->grid[a] *
                                  mesh->lattice.rows[a][k % 3];
            gathering->result->force[at] -= factor * slopes.gradient[a];
            if (mesh->is_bounded) {
                gathering->result->force_error[at] +=
                    fabs(factor) * slope_error(mesh, &slopes, (int)a, gathering->deviation) +
                    mesh->rounding.quantum;
            }
        }
    }
}

bool reference_pme(const struct pme_problem *problem, const struct pme_rounding *rounding,
                   struct pme_result *result, struct error *error) {
    struct mesh mesh;
    bool computed = mesh_make(problem, rounding, &mesh, error) &&
                    result_begin(problem->box->n, rounding != NULL, result, error);
    if (computed) {
        spread(&mesh);
        computed = solve(&mesh, result, error);
        if (!computed) {
            pme_result_free(result);
        }
    }
    if (computed) {
        struct gathering gathering = { &mesh, result, rounding ? potential_deviation(&mesh) : 0 };
        threads_share(problem->box->n, gather_some, &gathering);
    }
    if (computed && rounding) {
        bound_totals(&mesh, result);
    }
    mesh_free(&mesh);
    return computed;
}
