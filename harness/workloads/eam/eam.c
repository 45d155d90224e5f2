/* eam — embedded atoms: pairs, and each particle's energy in the density that the others bring. */
#include "reference/eam/eam.h"

#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/kernel_parameters.h"
#include "kernels/potentials/element_table.h"
#include "kernels/text/kernel_text.h"
#include "workloads/gate.h"
#include "workloads/member_order.h"
#include "workloads/steps/steps.h"
#include "workloads/workload_buffers.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_scalar scalars[] = {
    { "energy", "the sum of the energies of pairs and of embedding", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over pairs of r_ij (outer) f_ij", 9, 6, OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* In units in which boxes have a density near 1. Another has powers that are no whole numbers. */
#define UNITS "--interaction sutton-chen:epsilon=1,a=1.6,n=9,m=6,c=30,rc=2.4"
#define OTHERS "--interaction sutton-chen:epsilon=0.5,a=1.4,n=11.5,m=5.5,c=40,rc=1.9"
#define ENDING "--interaction finnis-sinclair:A=1.5,d=2.2,beta=0.4,c=1.9,c0=12,c1=-9,c2=2"
#define ELEMENTS "--interaction eam --table built-in:share/interactions/brick.eam.alloy"
#define BY_PLACE "--interaction eam --table built-in:share/interactions/brick.eam.fs"
/* Boxes have densities and distances in its first interval and beyond its last knot. */
#define SHORT "--interaction eam --table built-in:share/interactions/short.eam"

static const struct workload_check checks[] = {
    { .options = "--kind copper --n 1k --precision * --outputs virial", .for_user_n = true },
    { .options = "--kind fluid --n 300 --precision * --outputs virial " UNITS },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial " ELEMENTS },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial " BY_PLACE },
    { .options = "--kind fluid --n 300 --precision float,double --outputs virial " ENDING },
    { .options =
          "--kind uniform --n 1,2,3,17 --precision float,double --outputs virial --open " UNITS },
    { .options = "--kind fluid@75:100:65 --n 500 --precision * --outputs virial " OTHERS },
    { .options = "--kind droplets --n 500 --precision mixed --outputs energy,virial --reduction "
                 "* " UNITS },
    /* more neighbours than 8 bits count */
    { .options = "--kind melt --n 600 --density 5.2 --precision float --outputs forces " UNITS,
      .always = true },
    /* more elements than 4 bits number */
    { .options = "--kind mixture --n 343 --precision float --outputs forces --interaction eam "
                 "--table built-in:share/interactions/mixture.eam.alloy",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ENDING, ELEMENTS, BY_PLACE, SHORT),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind copper --density 0.8",
                                "--kind plate", "--kind gas", "--kind droplets", "--kind melt",
                                "--kind uniform", "--kind borders", "--kind lattice") },
    WORKLOAD_BOX_FACTORS,
    { .name = "density", .values = WORKLOAD_VALUES("", "--density 0.1", "--density 3.5") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES, "--interaction", "--table",
                                    WORKLOAD_AXES_OF_SUMS,  "--launch",      NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "ends by its interaction: give --interaction sutton-chen:rc=, or a table" },
    { NULL, NULL },
};

static const char *const interactions[] = { "sutton-chen", "finnis-sinclair", "eam", NULL };

static bool has_two_ends(const struct interaction *interaction) {
    return strcmp(interaction->name, "finnis-sinclair") == 0;
}

static struct own_cutoff own_cutoff(const struct interaction *interaction) {
    if (has_two_ends(interaction)) {
        return (struct own_cutoff){ fmax(interaction_value(interaction, "c"),
                                         interaction_value(interaction, "d")),
                                    "--interaction", "c or d", false };
    }
    return interaction->eam
               ? (struct own_cutoff){ interaction->eam->cutoff, "--table", "cutoff", false }
               : (struct own_cutoff){ interaction->functions[0].cutoff, "--interaction", "rc",
                                      false };
}

static const char *refuse_case(const struct case_spec *spec) {
    const struct interaction *interaction = &spec->interaction;
    const bool is_table = strcmp(interaction->name, "eam") == 0;
    if (is_table && !interaction->eam) {
        return "interaction eam needs a table, in LAMMPS's form setfl";
    }
    return isfinite(interaction->functions[0].cutoff) == (is_table || has_two_ends(interaction))
               ? "ends where its table does, or at a finite rc: expected no other cutoff"
               : NULL;
}

/* Kinds of other presets have densities in units of sigma, and the interaction is in angstrom. */
static bool suits_kind(const char *kind) {
    return strcmp(kind, "copper") == 0;
}

/* ---- what kernels may bind ---- */

static struct argument value_of_per_rho(const void *owner) {
    const struct eam_arguments *arguments = owner;
    return argument_real(arguments->per_rho, arguments->is_double);
}

static struct argument value_of_per_r(const void *owner) {
    const struct eam_arguments *arguments = owner;
    return argument_real(arguments->per_r, arguments->is_double);
}

static const struct kernel_parameter eam_parameters[] = {
    { "element_count", "int", FROM_INT(eam_arguments, count) },
    { "elements", "GLOBAL const int *", FROM_BUFFER(eam_arguments, types) },
    { "rho_knots", "int", FROM_INT(eam_arguments, rho_knots) },
    { "r_knots", "int", FROM_INT(eam_arguments, r_knots) },
    { "knots_per_rho", "real", FROM_FUNCTION(value_of_per_rho) },
    { "knots_per_r", "real", FROM_FUNCTION(value_of_per_r) },
    { "embedding_knots", "GLOBAL const real4 *", FROM_BUFFER(eam_arguments, embedding) },
    { "density_knots", "GLOBAL const real4 *", FROM_BUFFER(eam_arguments, density) },
    { "pair_knots", "GLOBAL const real4 *", FROM_BUFFER(eam_arguments, pair) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 }, { eam_parameters, offsetof(struct case_arguments, eam) }, { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", NULL };

/* ---- on the device: the splines of a table, by types of the box, and the types of the particles;
 * without a table kernels read nothing of these ---- */

enum { KNOT_NUMBERS = 4 }; /* value, slope, and what p^2 and p^3 are multiplied by */

struct eam_arrays {
    struct eam_arguments arguments;
    struct placed_types types;
};

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

/* The elements that a function is of. */
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

/* Uploads the splines of each type of the box, or of each two types. */
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

/* Gives kernels empty arrays, where there is no table. */
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
    const bool placed = placed_types_create(device, box, !table, &buffers->types, error);
    buffers->arguments.types = buffers->types.buffer;
    return placed && (table ? upload_table(device, table, box, &buffers->arguments, error)
                            : upload_nothing(device, &buffers->arguments, error));
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    return placed_types_reorder(&((struct eam_arrays *)context)->types, order, error);
}

const struct workload_buffers eam_buffers = {
    .size = sizeof(struct eam_arrays),
    .arguments = { WORKLOAD_ARGUMENTS(eam_arrays, arguments, eam) },
    .create = create,
    .reorder = reorder,
};

/* ---- the class ---- */

/* Whether functions depend on types. */
static void append_words(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text, "#define WITH_ELEMENTS %d\n", spec->interaction.eam != NULL);
    kernel_text_append_words_with(spec, "variants/eam.cl", text);
}

extern const struct judge judge_eam;
extern const struct workload workload_eam;
const struct workload workload_eam = {
    .name = "eam",
    .summary = "forces, energy and virial of embedded atoms: metals",
    .judge = &judge_eam,
    .fields = workload_force_fields,
    .scalars = scalars,
    .buffers = &eam_buffers,
    .words =
        WORKLOAD_WORDS_OF_FORCES("interacting pairs", "interacting pair", "pairs/s", "eam_loop"),
    .axes = axes,
    .refusals = refusals,
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .forces_by = "eam",
    .all_pairs_exceed = workload_all_pairs_exceed,
    .refuse_case = refuse_case,
    .suits_kind = suits_kind,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .precisions_refused = 1U << PRECISION_FIXED, /* densities are of many sizes */
    .append_words = append_words,
    .groups = GROUPS_ONE_BIT,
    .default_mover = "eam_list",
    .default_interaction = "sutton-chen",
    .default_kind = "copper",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- time steps ---- */

static const struct workload_check step_checks[] = {
    { .options = "--kind copper --n 1k --precision * --outputs virial --dt 0.01",
      .for_user_n = true },
    { .options = "--kind fluid --n 300 --precision float,double --outputs virial " UNITS },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial " ELEMENTS },
    { .options = NULL },
};

static const struct workload_factor step_factors[] = {
    STEP_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ENDING, ELEMENTS, SHORT),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind copper --density 0.8",
                                "--kind melt", "--kind gas") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n", .values = STEP_SIZES },
    { .name = NULL },
};

static const struct parameter_table tables_of_steps[] = { { bindings_of_case, 0 },
                                                          { step_parameters, 0 },
                                                          { eam_parameters,
                                                            offsetof(struct case_arguments, eam) },
                                                          { NULL, 0 } };

extern const struct workload workload_eam_step;
const struct workload workload_eam_step = {
    .name = "eam_step",
    .summary = "time steps by forces of embedded atoms: displacements, and the energies at the end",
    .buffers = &eam_buffers,
    STEP_MEMBERS_OF_BODIES,
    .words = STEP_WORDS("interacting pair", "verlet+eam_loop"),
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .forces_by = "eam",
    .all_pairs_exceed = workload_all_pairs_exceed,
    .refuse_case = refuse_case,
    .suits_kind = suits_kind,
    .parameter_tables = tables_of_steps,
    .append_words = append_words,
    .default_interaction = "sutton-chen",
    .default_kind = "copper",
    .checks = step_checks,
    .factors = step_factors,
};

/* ---- the judge ---- */

static struct eam_asked asked_of(const struct judge_question *question) {
    return (struct eam_asked){ .box = question->box,
                               .interaction = &question->spec->interaction,
                               .cutoff = question->cutoff };
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct eam_asked asked = asked_of(question);
    struct expectation *made = sums_allocate(error);
    asked.kept = use == EXPECT_KEPT;
    return sums_take(made, made && reference_eam(&asked, &made->reference, NULL, error), expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    const struct eam_asked asked = asked_of(question);
    struct expectation *made = sums_allocate(error);
    return sums_take(made,
                     made && reference_eam_some(&asked, particle, count, &made->reference, error),
                     expected);
}

const struct judge judge_eam = { .name = "eam",
                                 .expect = expect,
                                 .expect_some = expect_some,
                                 .compare = sums_compare,
                                 SUMS_JUDGE_MEMBERS };
