/* What kernels of workload `pme` are given besides particles: the size of the grid, the reciprocal
 * lattice, the moduli of the splines. */
#include "workloads/pme/settings.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDER = 6 };

static const double pi = 3.14159265358979323846;

struct pme_given {
    struct grid_arguments arguments;
    bool is_fixed;
    bool is_padded; /* rows along z have room for their spectrum */
};

/* ---- the moduli of the splines ---- */

/* M_p(1), ..., M_p(p - 1), which sum to 1, times (p - 1)! */
static const double *spline_at(int order) {
    static const double at[][MOST_ORDER - 1] = { { 1, 4, 1 },
                                                 { 1, 11, 11, 1 },
                                                 { 1, 26, 66, 26, 1 } };
    return order == MOST_ORDER ? at[2] : order == MOST_ORDER - 1 ? at[1] : at[0];
}

/* 1 / |b(k)|^2 */
static double modulus(int order, size_t k, size_t size) {
    const double *at = spline_at(order);
    double re = 0;
    double im = 0;
    double sum = 0;
    for (int j = 0; j < order - 1; j++) {
        const double angle = 2 * pi * (double)(k * (size_t)j % size) / (double)size;
        re += at[j] * cos(angle);
        im += at[j] * sin(angle);
        sum += at[j];
    }
    return (re * re + im * im) / (sum * sum);
}

/* |b(k)|^2; of an odd order there is none at half the points: the mean of what is beside it. */
static void fill_moduli(int order, size_t size, double *moduli) {
    for (size_t k = 0; k < size; k++) {
        moduli[k] = order % 2 == 1 && 2 * k == size
                        ? 2 / (modulus(order, k - 1, size) + modulus(order, k + 1, size))
                        : 1 / modulus(order, k, size);
    }
}

static bool upload_moduli(struct device *device, const struct pme_settings *settings,
                          struct grid_arguments *arguments, struct error *error) {
    const size_t *grid = settings->grid;
    const size_t count = grid[0] + grid[1] + grid[2];
    double *moduli = malloc(count * sizeof *moduli);
    if (!moduli) {
        return fail_out_of_memory(error, "the moduli of splines");
    }
    fill_moduli(settings->order, grid[0], moduli);
    fill_moduli(settings->order, grid[1], moduli + grid[0]);
    fill_moduli(settings->order, grid[2], moduli + grid[0] + grid[1]);
    const bool uploaded = buffer_upload_reals(
        device, "spline_moduli", &(struct reals){ moduli, count, arguments->is_double },
        &arguments->moduli, error);
    free(moduli);
    return uploaded;
}

/* ---- the lattice ---- */

static void fill_lattice(const struct cell *cell, const struct pme_settings *settings,
                         struct grid_arguments *arguments) {
    const double *edge = cell->edge;
    const double *tilt = cell->tilt;
    const double numbers[EWALD_NUMBERS] = {
        1 / edge[0],
        -tilt[0] / (edge[0] * edge[1]),
        (tilt[0] * tilt[2] - tilt[1] * edge[1]) / (edge[0] * edge[1] * edge[2]),
        1 / edge[1],
        -tilt[2] / (edge[1] * edge[2]),
        1 / edge[2],
        pi / settings->alpha * (pi / settings->alpha),
        settings->coulomb / (pi * edge[0] * edge[1] * edge[2]),
    };
    memcpy(arguments->ewald, numbers, sizeof numbers);
    for (int a = 0; a < 3; a++) {
        arguments->size[a] = (int)settings->grid[a];
    }
}

/* ---- members ---- */

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    struct pme_given *given = buffers;
    const struct numeric numeric = precision_numeric(spec->precision);
    struct pme_settings settings;
    (void)cutoff; /* nothing ends by distance */
    if (!pme_settings_resolve(&spec->interaction, box, &settings, error)) {
        return false;
    }
    given->is_fixed = numeric_sums_are_fixed(numeric);
    given->is_padded = pme_grid_is_padded(spec->variant);
    given->arguments.is_double = numeric_accum_is_double(numeric);
    fill_lattice(&box->cell, &settings, &given->arguments);
    return upload_moduli(device, &settings, &given->arguments, error) &&
           (!variant_takes(spec->variant, "line_roots") ||
            transform_upload_roots(device, settings.grid[0], given->arguments.is_double,
                                   &given->arguments.roots, error));
}

static void free_given(void *buffers) {
    const struct grid_arguments *arguments = &((struct pme_given *)buffers)->arguments;
    buffer_free(arguments->moduli);
    buffer_free(arguments->roots);
}

static void size_of_grid(const void *buffers, size_t size[3]) {
    for (int a = 0; a < 3; a++) {
        size[a] = (size_t)((const struct pme_given *)buffers)->arguments.size[a];
    }
}

static bool count_unit(const void *buffers, const char *unit, size_t *count) {
    const struct pme_given *given = buffers;
    size_t size[3];
    size_of_grid(given, size);
    const size_t points = size[0] * size[1] * (given->is_padded ? transform_row(size[2]) : size[2]);
    if (strcmp(unit, "grid_point") == 0) {
        *count = points;
    } else if (strcmp(unit, "fixed_grid_point") == 0) {
        *count = given->is_fixed ? points : 0;
    } else if (strcmp(unit, "grid_tile") == 0) {
        *count = 1;
        for (int a = 0; a < 3; a++) {
            *count *= (size[a] + PME_TILE - 1) / PME_TILE;
        }
    } else if (strcmp(unit, "x_line") == 0) {
        *count = size[1] * (size[2] / 2 + 1);
    } else if (strcmp(unit, "spectrum_point") == 0) {
        *count = size[0] * size[1] * (size[2] / 2 + 1);
    } else {
        return false;
    }
    return true;
}

static void fill_arguments(const void *buffers, struct case_arguments *arguments) {
    arguments->grid = ((const struct pme_given *)buffers)->arguments;
}

static void visit_all(const void *buffers, workload_buffer_visitor *visit, void *context) {
    const struct grid_arguments *arguments = &((const struct pme_given *)buffers)->arguments;
    visit(context, arguments->moduli, "the moduli of splines");
    if (arguments->roots) {
        visit(context, arguments->roots, "the roots of lines");
    }
}

const struct workload_buffers pme_buffers = { .size = sizeof(struct pme_given),
                                              .create = create,
                                              .free = free_given,
                                              .unit = count_unit,
                                              .fill_arguments = fill_arguments,
                                              .grid = size_of_grid,
                                              .visit = visit_all };
