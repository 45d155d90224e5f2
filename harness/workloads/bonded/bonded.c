/* bonded — what listed terms between a few particles each do: harmonic bonds and angles, periodic
 * and Ryckaert-Bellemans torsions. Forces are minus the gradient of the energy. */
#include "kernels/potentials/bonded.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/text/kernel_text.h"
#include "reference/bonded/bonded.h"
#include "workloads/gate.h"
#include "workloads/workload_buffers.h"

#include <stddef.h>
#include <string.h>

static const struct workload_scalar scalars[] = {
    { "energy", "the sum of the terms' energies", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over the particles of each term of position (outer) force", 9, 6,
      OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Chains of every length up to a few, sizes at and beside those of groups, cells of both kinds. */
static const struct workload_check checks[] = {
    { .options = "--kind chains --n 1k --precision * --outputs forces,virial", .for_user_n = true },
    { .options =
          "--kind chains --n 1,2,3,4,5,17,65,257 --precision float,double --outputs virial" },
    { .options = "--kind proteins --n 37,500 --precision float,double --outputs virial" },
    { .options = "--kind water --n 3,100 --precision float,double --outputs virial" },
    /* torsions of every multiplicity, trans torsions, straight angles */
    { .options = "--kind hydrogens,oligomers --n 500 --precision float,double --outputs virial" },
    /* where terms are not defined, and at 0, 90 and 180 degrees */
    { .options = "--kind degenerate --n 56,229 --precision * --outputs virial" },
    { .options = "--kind degenerate --n 112 --precision * --outputs virial --open" },
    /* 76 terms per particle, several of the same particles */
    { .options = "--kind polymers --n 130,500 --precision float,double --outputs virial" },
    { .options = "--kind chains --n 130 --precision mixed --outputs energy,virial --reduction *" },
    { .options = "--kind chains@75:100:65 --n 500 --precision * --outputs virial" },
    /* batches: boxes of one particle and of none, cells that differ, by one cell for all */
    { .options = "--kind chains --n 0-9 --batch 9 --open --precision float,double --outputs "
                 "forces,virial" },
    { .options = "--kind chains,proteins --n 130-300 --batch 3 --precision * --outputs virial" },
    { .options = "--kind polymers@75:100:65 --n 200-260 --batch 3 --precision float,double "
                 "--outputs virial" },
    { .options = "--kind water,hydrogens --n 360 --batch 4 --precision float,double --outputs "
                 "forces" },
    { .options = "--kind chains --n 31,500 --precision * --outputs virial --open",
      .for_user_n = true },
    /* terms beyond 2^16, particles beyond 2^15 */
    { .options = "--kind chains --n 33013 --precision float,double --outputs virial" },
    /* many terms, some of which are alike, in an open box: what is wrong are sums (gate.h) */
    { .options = "--kind polymers --n 70001 --precision mixed --outputs virial --open",
      .always = true },
    /* 300 terms of a particle */
    { .options = "--kind fluid --n 257 --precision float --outputs forces "
                 "--bonds built-in:share/presets/hub_bonds.csv",
      .always = true },
    /* small terms: what is wrong are units (measure/gate_sums.c) */
    { .options = "--kind gas --n 5 --precision fixed --outputs virial "
                 "--bonds built-in:share/presets/weak_bonds.csv "
                 "--angles built-in:share/presets/weak_angles.csv "
                 "--torsions built-in:share/presets/weak_torsions.csv "
                 "--rb-torsions built-in:share/presets/weak_rb_torsions.csv",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "kind",
      .values =
          WORKLOAD_VALUES("--kind chains", "--kind proteins", "--kind water", "--kind hydrogens",
                          "--kind oligomers", "--kind polymers", "--kind degenerate") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS), .closely = true },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 0-3 --batch 17",
                                "--n 130-300 --batch 5", "--n 1280 --batch 5") },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--interaction", "--bonds",  "--angles", "--torsions",
    "--rb-torsions",        "--outputs",     "--launch", "--batch",  NULL
};

static const struct workload_refusal refusals[] = {
    { "--cutoff", "has none: its terms are listed" },
    { NULL, NULL },
};

static const char *const interactions[] = { "bonded", NULL };

static const char *refuse_case(const struct case_spec *spec) {
    const char *why = batch_refuse_lists(
        spec, "has terms of the particles of one box: a batch takes kinds that have their own");
    if (why) {
        return why;
    }
    return spec->interaction.bonded || bonded_kind_has_terms(spec->box.kind)
               ? NULL
               : "needs bonded terms: --bonds, --angles, --torsions or --rb-torsions, or a box of "
                 "kind chains, which has its own";
}

/* ---- what kernels may bind ---- */

static const struct kernel_parameter term_parameters[] = {
    { "term_count", "int", FROM_INT(terms_arguments, term_count) },
    { "bond_count", "int", FROM_INT(terms_arguments, counts[BONDED_BONDS]) },
    { "angle_count", "int", FROM_INT(terms_arguments, counts[BONDED_ANGLES]) },
    { "torsion_count", "int", FROM_INT(terms_arguments, counts[BONDED_TORSIONS]) },
    { "rb_torsion_count", "int", FROM_INT(terms_arguments, counts[BONDED_RB_TORSIONS]) },
    { "term_atoms", "GLOBAL const int4 *", FROM_BUFFER(terms_arguments, term_atoms) },
    { "term_ranks", "GLOBAL const int4 *", FROM_BUFFER(terms_arguments, term_ranks) },
    { "incidence_start", "GLOBAL const int *", FROM_BUFFER(terms_arguments, incidence_start) },
    { "incidences", "GLOBAL const int *", FROM_BUFFER(terms_arguments, incidences) },
    { "bond_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_BONDS]) },
    { "angle_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_ANGLES]) },
    { "torsion_parameters", "GLOBAL const real4 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_TORSIONS]) },
    { "rb_torsion_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_RB_TORSIONS]) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { term_parameters, offsetof(struct case_arguments, terms) },
    { batch_parameters, offsetof(struct case_arguments, batch) },
    { NULL, 0 }
};
static const char *const units[] = {
    "particle", "compute_unit", "box", "term", "force_buffer", NULL
};

static const char *const columns[] = { "bonds", "angles",      "torsions", "rb_torsions",
                                       "batch", "batch_sizes", NULL };

extern const struct judge judge_bonded_terms;
extern const struct workload workload_bonded;
const struct workload workload_bonded = {
    .name = "bonded",
    .summary = "forces, energy and virial of bonds, angles and torsions",
    .judge = &judge_bonded_terms,
    .fields = workload_force_fields,
    .scalars = scalars,
    .buffers = &bonded_buffers,
    .words = WORKLOAD_WORDS_OF_FORCES("terms", "term", "terms/s", "bonded_atomic"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = kernel_text_append_words,
    .refusals = refusals,
    .interactions = interactions,
    .refuse_case = refuse_case,
    .suits_kind = bonded_kind_has_terms,
    .takes_cutoff = workload_takes_any_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "bonded",
    .default_kind = "chains",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

/* How errors move a term near where it is not defined depends on how large they are. */
static double unit_of(const struct judge_question *question) {
    return format_unit(precision_numeric(question->spec->precision).arithmetic);
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    struct expectation *sums = sums_allocate(error);
    (void)use; /* computed in less time than it is read */
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded(question->box, terms, unit_of(question), &sums->reference, NULL, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    struct expectation *sums = sums_allocate(error);
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded_some(&(struct bonded_case){ question->box, terms, unit_of(question) },
                              particle, count, &sums->reference, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

const struct judge judge_bonded_terms = { .name = "bonded_terms",
                                          .expect = expect,
                                          .expect_some = expect_some,
                                          .totals_are_small = sums_totals_are_small,
                                          .compare = sums_compare,
                                          SUMS_JUDGE_MEMBERS };
