/* step — time steps from one state of the particles: their displacements, and the energies at the
 * end.
 *
 * Forces, the structure that they need and the sums over pairs are those of a variant of `forces`,
 * between the passes of an integrator. What is kept from one step to the next is the state:
 * positions inside the cell, what their type does not hold of them, velocities with one over the
 * mass, forces, and how often a particle has crossed each face. */
#include "kernels/workload.h"

static const struct workload_field fields[] = {
    { .name = "position",
      .element = "real4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_KEPT,
      .parameters = { { "position", 1 } } },
    { .name = "index",
      .element = "int",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_IN,
      .parameters = { { "index", 1 } } },
    { .name = "position_rest",
      .element = "real4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_KEPT,
      .parameters = { { "position_rest", 1 } } },
    { .name = "velocity",
      .element = "accum4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_KEPT,
      .parameters = { { "velocity", 1 } } },
    { .name = "crossing",
      .element = "int4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_KEPT,
      .parameters = { { "crossing", 1 } } },
    { .name = "force",
      .element = "accum4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_KEPT,
      .parameters = { { "force", 1 } } },
    { .name = "displacement",
      .element = "accum4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_OUT,
      .parameters = { { NULL, 1 } } },
    { .name = NULL },
};

/* Of the forces' kernels, at the last step. */
static const struct workload_scalar scalars[] = {
    { .name = "energy",
      .words = "the sum of the pairs' energies at the end",
      .numbers = 1,
      .sums = 1,
      .from = OUTPUTS_ENERGY },
    { .name = "virial",
      .words = "the sum over pairs of r_ij (outer) f_ij at the end",
      .numbers = 9,
      .sums = 6,
      .from = OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Groups that are not full, boxes whose cells are as few as can be, and one where lists are built
 * again. */
static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1,2,65,257 --precision * --outputs forces,virial" },
    { .options = "--kind fluid,brick --n 500 --precision * --outputs energy,virial",
      .for_user_n = true },
    { .options = "--kind fluid --n 1k --precision * --outputs virial", .roomy = true },
    { .options = "--kind brick@115:80:110 --n 500 --precision float,double --outputs virial" },
    { .options = "--kind fluid --n 65 --precision float,double --outputs virial --open" },
    { .options =
          "--kind water --n 30 --precision double --outputs energy --dt 0.001" }, /* masses */
    /* sums over more groups than a group has work-items */
    { .options = "--kind melt --n 20011 --precision double --outputs energy --steps 1" },
    /* what is done every tenth step has been done twice, and steps have followed */
    { .options = "--kind fluid --n 65 --precision double --outputs energy --steps 25" },
    { .options = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES,
                                    WORKLOAD_AXES_OF_TYPES,
                                    "--interaction",
                                    "--cutoff",
                                    "--outputs",
                                    "--launch",
                                    "--steps",
                                    "--dt",
                                    "--thermostat",
                                    "--field",
                                    "--exchange",
                                    NULL };

extern const struct workload workload_step;
const struct workload workload_step = {
    .name = "step",
    .summary = "time steps from one state: displacements, and the energies at the end",
    .judge = "trajectory",
    .fields = fields,
    .scalars = scalars,
    .words = { .result = "displacement",
               .results = "displacements",
               .of = "of",
               .value = "energy",
               .tensor = "virial",
               .tensor_key = "virial",
               .outputs = { [OUTPUTS_FORCES] = "displacements",
                            [OUTPUTS_ENERGY] = "displacements and energies",
                            [OUTPUTS_VIRIAL] = "displacements, energies and virial" },
               .counted = "interacting pairs",
               .counted_one = "interacting pair",
               .rate = "pairs/s",
               .size = "N (particles)",
               .seeds = "",
               .all_pairs = { "verlet+all_pairs_loop", "verlet+all_pairs_loop" } },
    .axes = axes,
    .has_more_pairs = workload_has_more_pairs,
    .forces_by = "forces",
    .groups = GROUPS_ONE_BIT,
    .takes_types = true,
    .forces_of = "forces",
    .default_interaction = "lj",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
};
