/* The splines of an embedded-atom table on the device, by types of the box, and the types of the
 * particles. Without a table kernels read nothing of these. */
#include "workloads/workload_buffers.h"

#include "kernels/kernel_parameters.h"
#include "kernels/potentials/eam_table.h"
#include "workloads/member_order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { KNOT_NUMBERS = 4 }; /* value, slope, and what p^2 and p^3 are multiplied by */

struct eam_arrays {
    struct eam_arguments arguments;
    struct placed_types types;
};

/* ---- splines ---- */

/* Slopes per interval: of five points; beside the ends of three, at the ends of two. */
static double slope_of(const double *value, int count, int k) {
    if (k == 0 || k == count - 1) {
        return k == 0 ? value[1] - value[0] : value[k] - value[k - 1];
    }
    if (k == 1 || k == count - 2) {
        return 0.5 * (value[k + 1] - value[k - 1]);
    }
    return ((value[k - 2] - value[k + 2]) + 8.0 * (value[k + 1] - value[k - 1])) / 12.0;
}

static void stage_spline(const double *value, int count, double *knots) {
    for (int k = 0; k < count; k++) {
        double *knot = knots + KNOT_NUMBERS * (size_t)k;
        knot[0] = value[k];
        knot[1] = slope_of(value, count, k);
        if (k + 1 < count) {
            const double next = slope_of(value, count, k + 1);
            const double rise = value[k + 1] - value[k];
            knot[2] = 3.0 * rise - 2.0 * knot[1] - next;
            knot[3] = knot[1] + next - 2.0 * rise;
        }
    }
}

/* Whose functions are. */
enum function_owners { OF_EACH, OF_EACH_TWO /* in any order */, OF_EACH_AT_EACH };

/* Which functions of a table, and how many knots each has. */
struct functions {
    const char *label;
    const double *values;
    int knots;
    enum function_owners owners;
    bool wide; /* real is double */
};

static bool fits_float(const double *numbers, size_t count) {
    bool fits = true;
    for (size_t k = 0; k < count; k++) {
        fits = fits && fabs(numbers[k]) <= FLT_MAX;
    }
    return fits;
}

/* The place of a function of elements a and b in the table. */
static size_t place_of(const struct functions *functions, const struct eam_table *table, int a,
                       int b) {
    const int pair = a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
    const bool by_place = functions->owners == OF_EACH_AT_EACH && table->by_place;
    return (size_t)(functions->owners == OF_EACH_TWO ? pair
                    : by_place                       ? a * table->elements + b
                                                     : a);
}

/* Of each type of the box, or of each two: the splines of its elements. */
static bool upload_splines(struct device *device, const struct functions *functions,
                           const struct eam_table *table, const struct box *box,
                           struct buffer **buffer, struct error *error) {
    const size_t types = (size_t)box->types;
    const size_t others = functions->owners == OF_EACH ? 1 : types;
    const size_t splines = types * others;
    const size_t each = KNOT_NUMBERS * (size_t)functions->knots;
    double *knots = calloc(splines * each, sizeof *knots);
    if (!knots) {
        return fail_out_of_memory(error, "the splines of an embedded-atom potential");
    }
    for (size_t s = 0; s < splines; s++) {
        const int a = eam_table_element(table, box->species[s / others]);
        const int b = eam_table_element(table, box->species[s % others]);
        stage_spline(functions->values +
                         place_of(functions, table, a, b) * (size_t)functions->knots,
                     functions->knots, knots + s * each);
    }
    const struct reals reals = { knots, splines * each, functions->wide };
    const bool made =
        reals.are_doubles || fits_float(knots, splines * each)
            ? buffer_upload_reals(device, functions->label, &reals, buffer, error)
            : fail(error, STATUS_UNSUPPORTED,
                   "%s: a number is beyond the range of float: take larger or smaller units, or "
                   "double",
                   table->path);
    free(knots);
    return made;
}

/* Without a table: something to bind. */
static bool upload_nothing(struct device *device, struct eam_arguments *arguments,
                           struct error *error) {
    const double none[KNOT_NUMBERS] = { 0 };
    const struct reals reals = { none, KNOT_NUMBERS, arguments->is_double };
    return buffer_upload_reals(device, "embedding", &reals, &arguments->embedding, error) &&
           buffer_upload_reals(device, "density", &reals, &arguments->density, error) &&
           buffer_upload_reals(device, "pair", &reals, &arguments->pair, error);
}

static bool upload_table(struct device *device, const struct eam_table *table,
                         const struct box *box, struct eam_arguments *arguments,
                         struct error *error) {
    const bool wide = arguments->is_double;
    const struct functions embedding = { "embedding", table->embedding, table->rho_knots, OF_EACH,
                                         wide };
    const struct functions density = { "density", table->density, table->r_knots, OF_EACH_AT_EACH,
                                       wide };
    const struct functions pair = { "pair", table->pair, table->r_knots, OF_EACH_TWO, wide };
    arguments->rho_knots = table->rho_knots;
    arguments->r_knots = table->r_knots;
    arguments->per_rho = 1 / table->drho;
    arguments->per_r = 1 / table->dr;
    return upload_splines(device, &embedding, table, box, &arguments->embedding, error) &&
           upload_splines(device, &density, table, box, &arguments->density, error) &&
           upload_splines(device, &pair, table, box, &arguments->pair, error);
}

/* ---- the class ---- */

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *context, struct error *error) {
    struct eam_arrays *buffers = context;
    const struct eam_table *table = spec->interaction.eam;
    (void)cutoff; /* the interaction says where it ends */
    if (table && !eam_table_fits(table, box, error)) {
        return false;
    }
    buffers->arguments.count = table ? box->types : 1;
    buffers->arguments.is_double = numeric_real_is_double(precision_numeric(spec->precision));
    return placed_types_create(device, box, !table, &buffers->types, error) &&
           (table ? upload_table(device, table, box, &buffers->arguments, error)
                  : upload_nothing(device, &buffers->arguments, error));
}

static void free_arrays(void *context) {
    struct eam_arrays *buffers = context;
    placed_types_free(&buffers->types);
    buffer_free(buffers->arguments.embedding);
    buffer_free(buffers->arguments.density);
    buffer_free(buffers->arguments.pair);
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    struct eam_arrays *buffers = context;
    return placed_types_reorder(&buffers->types, order, error);
}

static void fill_arguments(const void *context, struct case_arguments *arguments) {
    const struct eam_arrays *buffers = context;
    arguments->eam = buffers->arguments;
    arguments->eam.types = buffers->types.buffer;
}

static void visit_all(const void *context, workload_buffer_visitor *visit, void *visitor) {
    const struct eam_arrays *buffers = context;
    const struct eam_arguments *arguments = &buffers->arguments;
    visit(visitor, buffers->types.buffer, "the types");
    visit(visitor, arguments->embedding, "the embedding energies");
    visit(visitor, arguments->density, "the densities");
    visit(visitor, arguments->pair, "the pair energies");
}

const struct workload_buffers eam_buffers = { .size = sizeof(struct eam_arrays),
                                              .create = create,
                                              .free = free_arrays,
                                              .reorder = reorder,
                                              .fill_arguments = fill_arguments,
                                              .visit = visit_all };
