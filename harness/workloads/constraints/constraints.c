/* constraints — distances that a step must keep: displacements without constraints become those
 * with them, or velocities do, for molecules of a box (kernels/potentials/bonded.h).
 *
 * The result is of all particles, those without constraints included. */
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/potentials/bonded.h"
#include "kernels/text/kernel_text.h"
#include "workloads/batches.h"
#include "workloads/workload_buffers.h"

#include <stddef.h>
#include <string.h>

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "constrained", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { "constrained", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* Molecules of every size that the kinds have, the last of them cut short; velocities; as near as
 * double comes. */
static const struct workload_check checks[] = {
    { .options = "--kind water --n 999 --precision * --outputs forces", .for_user_n = true },
    { .options =
          "--kind hydrogens,oligomers --n 47,500 --precision float,double --outputs forces" },
    { .options = "--kind water@75:100:65,hydrogens@115:80:110 --n 330 --precision float,double "
                 "--outputs forces" },
    { .options = "--kind polymers --n 1600 --precision float,double --outputs forces" },
    { .options =
          "--kind water,oligomers --n 330 --precision float,double --outputs forces --interaction "
          "constraints:velocities=1" },
    { .options =
          "--kind water,oligomers --n 330 --precision mixed,double --outputs forces --interaction "
          "constraints:tolerance=1e-8" },
    { .options = "--kind hydrogens --n 330 --precision double --outputs forces --interaction "
                 "constraints:tolerance=1e-8,velocities=1" },
    /* batches: molecules that are concatenated, boxes of one particle and of none */
    { .options =
          "--kind water --n 0-50 --batch 9 --open --precision float,double --outputs forces" },
    { .options = "--kind water,hydrogens@75:100:65 --n 360 --batch 3 --precision float,double "
                 "--outputs forces" },
    { .options = NULL },
};

/* Waters: 1025 and more molecules from 3075 particles on. */
static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double", "--precision mixed"),
      .text = true },
    { .name = "interaction",
      .values = WORKLOAD_VALUES("", "--interaction constraints:velocities=1",
                                "--interaction constraints:tolerance=1e-8",
                                "--interaction constraints:tolerance=1e-8,velocities=1"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind water", "--kind hydrogens", "--kind oligomers",
                                "--kind polymers") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 258", WORKLOAD_OTHER_SIZES, "--n 0-5 --batch 17",
                                "--n 360 --batch 4") },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--interaction", "--constraints", "--launch", "--batch", NULL
};

static const struct workload_refusal refusals[] = {
    { "--cutoff", "has none: its terms are listed" },
    { NULL, NULL },
};

static const char *const interactions[] = { "constraints", NULL };

static const char *refuse_case(const struct case_spec *spec) {
    const char *why = batch_refuse_lists(
        spec, "has constraints of one box: a batch takes kinds that have their own");
    if (why) {
        return why;
    }
    if (spec->interaction.bonded) {
        return NULL;
    }
    if (!constraints_kind_has(spec->box.kind)) {
        return "needs constraints: --constraints, or a box of kind water, hydrogens, oligomers or "
               "polymers, which have their own";
    }
    if (variant_takes(spec->variant, "water_atoms") && !box_is_of_waters(spec->box.kind)) {
        return "takes rigid waters alone: a box of kind water, or --constraints";
    }
    return variant_takes(spec->variant, "star_atoms") &&
                   !box_is_of_kind(spec->box.kind, "hydrogens")
               ? "takes clusters alone: a box of kind hydrogens, or --constraints"
               : NULL;
}

/* ---- what kernels may bind ---- */

static const struct kernel_parameter constraint_parameters[] = {
    { "constraint_count", "int", FROM_INT(constraints_arguments, constraint_count) },
    { "molecule_count", "int", FROM_INT(constraints_arguments, molecule_count) },
    { "displacement", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, displacement) },
    { "molecule_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, molecule_start) },
    { "molecule_particles", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, molecule_particles) },
    { "constraint_start", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, constraint_start) },
    { "constraint_atoms", "GLOBAL const int4 *",
      FROM_BUFFER(constraints_arguments, constraint_atoms) },
    { "constraint_length", "GLOBAL const accum *",
      FROM_BUFFER(constraints_arguments, constraint_length) },
    { "block_constraints", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, block_constraints) },
    { "block_particles", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, block_particles) },
    { "joint_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, joint_start) },
    { "joints", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, joints) },
    { "inverse_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, inverse_start) },
    { "inverse_column", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, inverse_column) },
    { "inverse_value", "GLOBAL const accum *", FROM_BUFFER(constraints_arguments, inverse_value) },
    { "water_atoms", "GLOBAL const int4 *", FROM_BUFFER(constraints_arguments, water_atoms) },
    { "water_shape", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, water_shape) },
    { "star_atoms", "GLOBAL const int4 *", FROM_BUFFER(constraints_arguments, star_atoms) },
    { "star_lengths", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, star_lengths) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { constraint_parameters, offsetof(struct case_arguments, constraints) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", "constraint",
                                     "molecule", "block",        NULL };

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    kernel_text_append_words_with(spec, "variants/rigid.cl", text);
}

static const char *const columns[] = { "batch", "batch_sizes", NULL };

extern const struct judge judge_constrained;
extern const struct workload workload_constraints;
const struct workload workload_constraints = {
    .name = "constraints",
    .summary = "displacements or velocities under constraints of distances",
    .judge = &judge_constrained,
    .fields = fields,
    .scalars = scalars,
    .buffers = &constraint_buffers,
    .words = WORKLOAD_WORDS_WITHOUT_SUMS("constrained displacement", "displacements", "constraint",
                                         "constr./s", "shake"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = append_words,
    .refusals = refusals,
    .interactions = interactions,
    .refuse_case = refuse_case,
    .suits_kind = constraints_kind_has,
    .takes_cutoff = workload_takes_any_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "constraints",
    .default_kind = "water",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
