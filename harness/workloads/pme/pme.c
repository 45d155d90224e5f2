/* pme — reciprocal space: the part of an Ewald sum that is smooth, by smooth particle mesh Ewald.
 *
 * Forces are minus the gradient of the energy on the grid, so that they need not sum to zero. Self
 * energy, background and what excluded pairs have of it are scalars that the reference gives. */
#include "devices/device.h"

#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/text/kernel_text.h"
#include "workloads/pme/settings.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_scalar scalars[] = {
    { "energy", "the sum over the reciprocal lattice, without self energy", 1, 1, OUTPUTS_ENERGY },
    { "virial", "minus the derivative of the energy by a strain", 9, 6, OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Grids of odd and even sizes, which differ along the vectors; few particles, many on a point. */
static const struct workload_check checks[] = {
    { .options = "--kind salt --n 1k --precision * --outputs virial", .for_user_n = true },
    { .options =
          "--kind brick --n 1,2,3,65 --precision float,double --outputs virial --interaction "
          "pme:order=4" },
    { .options = "--kind brick@75:100:65 --n 130 --precision float,double --outputs virial "
                 "--interaction pme:alpha=0.9,grid_x=15,grid_y=16,grid_z=18" },
    { .options = "--kind brick@115:80:110 --n 500 --precision * --outputs virial --interaction "
                 "pme:order=6,alpha=0.7,grid_x=14,grid_y=20,grid_z=9" },
    { .options = "--kind water --n 999 --precision float,double --outputs forces,virial "
                 "--interaction pme:alpha=0.35,coulomb=1389.35457644" },
    { .options = "--kind salt --n 1k --precision mixed --outputs energy,virial --reduction *" },
    /* small terms: what is wrong are units (measure/gate_sums.c) */
    { .options = "--kind salt --n 8 --precision fixed --outputs virial --interaction "
                 "pme:coulomb=1e-5",
      .always = true },
    /* points and modes beyond 16 bits, in a small box */
    { .options = "--kind salt --n 258 --precision float --outputs virial --reduction atomic "
                 "--interaction pme:grid_x=48,grid_y=60,grid_z=50,alpha=0.6",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "order",
      .values = WORKLOAD_VALUES("--interaction pme:order=5", "--interaction pme:order=4",
                                "--interaction pme:order=6"),
      .text = true },
    { .name = "grid", /* of every order of three numbers */
      .values = WORKLOAD_VALUES(
          "", ",rule=1,tolerance=1e-5", ",grid_x=15,grid_y=16,grid_z=21,alpha=0.5",
          ",grid_x=40,grid_y=27,grid_z=10,alpha=0.4,coulomb=138.9",
          ",grid_x=6,grid_y=49,grid_z=8,alpha=0.3", ",grid_x=20,grid_y=9,grid_z=25,alpha=0.6",
          ",grid_x=25,grid_y=7,grid_z=12,alpha={0.2:0.8}",
          ",grid_x=9,grid_y=30,grid_z=15,alpha={0.2:0.8},coulomb={0.5:500}") },
    { .name = "charges", .values = WORKLOAD_VALUES("", "--charges A=3,B=-2,C={-5.0:5}") },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind salt", "--kind brick", "--kind water", "--kind borders") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_LEANING) },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 258", WORKLOAD_OTHER_SIZES, WORKLOAD_REMAINDERS) },
    { .name = NULL },
};

static const char *const axes[] = { "--box",
                                    "--kind",
                                    "--density",
                                    "--charges",
                                    "--atom-style",
                                    "--interaction",
                                    WORKLOAD_AXES_OF_SUMS,
                                    "--launch",
                                    "--ewald-tolerance",
                                    NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "has none; pme:real_cutoff is that of the part in real space" },
    { "--open", "is of periodic boxes" },
    { "--periodic", "is of boxes that are periodic along all vectors" },
    { NULL, NULL },
};

/* The grid, where kernels are compiled for it. */
static bool resolve(const struct box *box, struct case_spec *spec, struct error *error) {
    struct pme_settings settings;
    size_t parts[2];
    if (!variant_has_tunable(spec->variant, "LINES")) {
        return true;
    }
    if (!pme_settings_resolve(&spec->interaction, box, &settings, error)) {
        return false;
    }
    interaction_set_value(&spec->interaction, "grid_x", (double)settings.grid[0]);
    return transform_line_factors(settings.grid[0], parts) ||
           fail(error, STATUS_UNSUPPORTED,
                "%s: a grid of %zu points along x; other variants take it", spec->variant->name,
                settings.grid[0]);
}

static const char *const interactions[] = { "pme", NULL };

static const char *refuse_case(const struct case_spec *spec) {
    return spec->box.open || *spec->box.periodic ? "needs a box that is periodic along all vectors"
                                                 : NULL;
}

/* Kinds whose particles have charges. */
static bool has_charges(const char *kind) {
    return box_is_of_kind(kind, "salt") || box_is_of_kind(kind, "brick") || box_is_of_waters(kind);
}

/* ---- what kernels may bind ---- */

static struct argument value_of_size(const void *owner) {
    return argument_int4(((const struct grid_arguments *)owner)->size, 0);
}

static struct argument value_of_ewald(const void *owner) {
    const struct grid_arguments *grid = owner;
    float narrow[EWALD_NUMBERS];
    for (int k = 0; k < EWALD_NUMBERS; k++) {
        narrow[k] = (float)grid->ewald[k];
    }
    return grid->is_double ? argument_value(grid->ewald, sizeof grid->ewald)
                           : argument_value(narrow, sizeof narrow);
}

static const struct kernel_parameter grid_parameters[] = {
    { "grid_size", "int4", FROM_FUNCTION(value_of_size) },
    { "ewald", "ewald_args", FROM_FUNCTION(value_of_ewald) },
    { "line_roots", "GLOBAL const accum *", FROM_BUFFER(grid_arguments, roots) },
    { "spline_moduli", "GLOBAL const accum *", FROM_BUFFER(grid_arguments, moduli) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 }, { grid_parameters, offsetof(struct case_arguments, grid) }, { NULL, 0 }
};
static const char *const units[] = { "particle",       "compute_unit", "box",
                                     "grid_point",     "grid_tile",    "fixed_grid_point",
                                     "spectrum_point", "x_line",       NULL };
static const char *const header_words[] = { "@transform", NULL };

/* ---- on the device: the size of the grid, the reciprocal lattice, the moduli of the splines ----
 */

enum { MOST_ORDER = 6 };

static const double pi = 3.14159265358979323846;

struct pme_given {
    struct grid_arguments arguments;
    bool is_fixed;
    bool is_padded; /* rows along z have room for their spectrum */
};

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

const struct workload_buffers pme_buffers = {
    .size = sizeof(struct pme_given),
    .arguments = { WORKLOAD_ARGUMENTS(pme_given, arguments, grid) },
    .create = create,
    .unit = count_unit,
    .grid = size_of_grid,
};

/* ---- the class ---- */

/* A line along x, as kernels transform it: variants/grid_lines.cl. */
static void append_line(const struct case_spec *spec, struct strbuf *text) {
    size_t parts[2];
    const double given = interaction_value(&spec->interaction, "grid_x");
    const size_t points = given > 0 ? (size_t)given : 64; /* the case has not met its box */
    if (!transform_line_factors(points, parts)) {
        return; /* resolve() refuses it */
    }
    transform_append_short(parts[0], text);
    if (parts[1] != parts[0]) {
        transform_append_short(parts[1], text);
    }
    strbuf_append(text,
                  "#define GRID_X %zu\n#define X_FIRST %zu\n#define X_SECOND %zu\n"
                  "#define TRANSFORM_FIRST transform_%zu\n#define TRANSFORM_SECOND transform_%zu\n",
                  points, parts[0], parts[1], parts[0], parts[1]);
    kernel_text_append_file("variants/grid_lines.cl", text);
}

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text,
                  "#define SPLINE_ORDER %d\n#define GRID_TILE %d\n#define GRID_IS_PADDED %d\n",
                  (int)interaction_value(&spec->interaction, "order"), PME_TILE,
                  pme_grid_is_padded(spec->variant));
    kernel_text_append_words_with(spec, "variants/pme.cl", text);
    if (variant_has_tunable(spec->variant, "CAPACITY")) {
        kernel_text_append_file("variants/grid_tiles.cl", text);
    }
    if (variant_has_tunable(spec->variant, "LINES")) {
        append_line(spec, text);
    }
}

extern const struct judge judge_reciprocal;
extern const struct workload workload_pme;
const struct workload workload_pme = {
    .name = "pme",
    .summary = "reciprocal forces, energy and virial by smooth particle mesh Ewald",
    .judge = &judge_reciprocal,
    .fields = workload_force_fields,
    .scalars = scalars,
    .buffers = &pme_buffers,
    .words = WORKLOAD_WORDS_OF_FORCES("particles", "particle", "particles/s", "pme_atomic"),
    .axes = axes,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .header_words = header_words,
    .append_words = append_words,
    .resolve = resolve,
    .refusals = refusals,
    .interactions = interactions,
    .refuse_case = refuse_case,
    .suits_kind = has_charges,
    .takes_cutoff = workload_takes_any_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "pme",
    .default_kind = "salt",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
