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

#include <stddef.h>
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
      .values = WORKLOAD_VALUES(
          "", "--interaction pme:order=4", "--interaction pme:order=6",
          "--interaction pme:order=4,rule=1,tolerance=1e-5",
          "--interaction pme:grid_x=15,grid_y=16,grid_z=21,alpha=0.5",
          "--interaction pme:order=6,grid_x=40,grid_y=27,grid_z=10,alpha=0.4,coulomb=138.9",
          "--interaction pme:order=4,grid_x=6,grid_y=49,grid_z=8,alpha=0.3"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind salt", "--kind brick", "--kind water", "--kind borders") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_LEANING) },
    { .name = "n", .values = WORKLOAD_VALUES("--n 258", WORKLOAD_OTHER_SIZES) },
    { .name = NULL },
};

static const char *const axes[] = { "--box",     "--kind",       "--density",
                                    "--charges", "--atom-style", "--interaction",
                                    "--outputs", "--launch",     "--ewald-tolerance",
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
