/* gradient — the derivatives of the energy by the positions: the negative of the forces. */
#include "workload/workload.h"

static const struct workload_field fields[] = {
    { .name = "position",
      .element = "real4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_IN,
      .parameters = { { "position", 1 } } },
    { .name = "gradient",
      .element = "accum4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_OUT,
      .parameters = { { "gradient", 1 }, { "force", -1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = {
    { .name = "energy",
      .words = "the sum of the pairs' energies",
      .numbers = 1,
      .sums = 1,
      .from = OUTPUTS_ENERGY },
    { .name = "virial",
      .words = "the sum over pairs of r_ij (outer) f_ij",
      .numbers = 9,
      .sums = 6,
      .from = OUTPUTS_VIRIAL },
    { .name = NULL },
};

static const struct workload_sweep sweeps[] = {
    { .axes = { BOXES("fluid", "65,300", "float,double", "virial") }, .roomy = true },
    { .axes.kind = NULL },
};

extern const struct workload workload_gradient;
const struct workload workload_gradient = {
    .name = "gradient",
    .summary = "the gradient of the energy of a box",
    .judge = "pair_sums",
    .fields = fields,
    .scalars = scalars,
    .words = { .result = "gradient",
               .results = "gradients",
               .of = "by",
               .value = "energy",
               .tensor = "virial",
               .tensor_key = "virial",
               .outputs = { [OUTPUTS_FORCES] = "forces",
                            [OUTPUTS_ENERGY] = "forces and energy",
                            [OUTPUTS_VIRIAL] = "forces, energy and virial" },
               .all_pairs = { "gradient_loop", "gradient_loop" } },
    .groups = GROUPS_ONE_BIT,
    .takes_types = true,
    .takes_sample = true,
    .default_interaction = "lj",
    .default_outputs = OUTPUTS_FORCES,
    .sweeps = sweeps,
};
