/* eam — embedded atoms: pairs, and each particle's energy in the density that the others bring. */
#include "reference/eam/eam.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/potentials/eam_table.h"
#include "kernels/text/kernel_text.h"
#include "workloads/gate.h"
#include "workloads/steps/steps.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
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
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ENDING, ELEMENTS, BY_PLACE),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind copper --density 0.8",
                                "--kind plate", "--kind gas", "--kind droplets", "--kind melt",
                                "--kind uniform", "--kind cubic", "--kind lattice") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n", .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES) },
    { .name = "density", .values = WORKLOAD_VALUES("", "--density 0.1", "--density 3.5") },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--interaction", "--table", "--outputs", "--launch", NULL
};

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
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ENDING, ELEMENTS),
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
