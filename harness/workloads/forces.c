/* forces — what particles of a box do to each other, pair by pair: minus the gradient of the
 * energy. */
#include "kernels/workload.h"

static const struct workload_field fields[] = {
    { .name = "position",
      .element = "real4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_IN,
      .parameters = { { "position", 1 } } },
    { .name = "force",
      .element = "accum4",
      .groups = GROUPS_ONE_BIT,
      .use = FIELD_OUT,
      .parameters = { { "force", 1 } } },
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

/* What asks for types, charges and, with molecules left out, input indices: of a brick. */
#define MIXTURE "lj+ewald-real:alpha=0.9,lj.cutoff=1.9,sigma.B=0.9,epsilon.C=0.5"

/* Small boxes find what goes wrong at the edges of groups and cells, all kinds what depends on how
 * the particles lie, the larger ones that sizes are right: numbers that are 7 and 31 modulo 32,
 * products of two indices beyond an int, edges beyond 50. Tilts are of either sign, and none is
 * half an edge, which is as much to either side. Compiling takes most of the time: what the same
 * kernel text does in other boxes already, open ones leave out. */
static const struct workload_sweep sweeps[] = {
    { .axes = { BOXES("fluid", "1,2,3,17,64,129,257", "*", "forces,virial") } },
    { .axes = { BOXES("fluid", "31,39,263,287", "float", "forces,virial") } },
    { .axes = { BOXES("fluid", "130", "float", "energy") } },
    { .axes = { BOXES("*", "65", "*", "forces,virial") } },
    { .axes = { BOXES("*", "1k", "*", "forces,virial") }, .roomy = true, .for_user_n = true },
    { .axes = { BOXES("brick", "130", "*", "forces,virial"), .interaction = MIXTURE,
                .exclude = "molecule" } },
    { .axes = { BOXES("brick", "1k", "float,double", "virial"), .interaction = MIXTURE,
                .exclude = "molecule" },
      .roomy = true,
      .for_user_n = true },
    { .axes = { BOXES("fluid,brick", "500", "float,double", "virial") } },
    { .axes = { BOXES("fluid@75:100:65,brick@115:80:110", "500", "float,double", "virial") } },
    { .axes = { BOXES("brick@65:80:110", "500", "float", "virial"), .interaction = MIXTURE,
                .exclude = "molecule" } },
    /* listed exclusions: up to 6 per particle, up to 80 */
    { .axes = { BOXES("brick", "130", "float", "virial"), .exclude = "next:3" } },
    { .axes = { BOXES("brick", "500", "float", "virial"), .exclude = "next:40" } },
    { .axes = { BOXES("fluid", "4k,16k", "*", "forces,virial") }, .roomy = true },
    { .axes = { BOXES("gas", "2047", "float,double", "virial") }, .roomy = true },
    { .axes = { BOXES("fluid", "47007", "float", "virial") } },
    { .axes = { BOXES("fluid", "3,66", "float", "forces"), .open = true } },
    { .axes = { BOXES("fluid", "1,2,65", "double", "virial"), .open = true } },
    { .axes = { BOXES("*", "1k", "double", "virial"), .open = true },
      .roomy = true,
      .for_user_n = true },
    { .axes = { BOXES("fluid", "1,2,65,1k", "float,double", "virial"), .cutoff = "none",
                .open = true } },
    { .axes.kind = NULL },
};

extern const struct workload workload_forces;
const struct workload workload_forces = {
    .name = "forces",
    .summary = "forces on all particles of a box, the energy and the virial",
    .judge = "pair_sums",
    .fields = fields,
    .scalars = scalars,
    .words = { .result = "force",
               .results = "forces",
               .of = "on",
               .value = "energy",
               .tensor = "virial",
               .tensor_key = "virial",
               .outputs = { [OUTPUTS_FORCES] = "forces",
                            [OUTPUTS_ENERGY] = "forces and energy",
                            [OUTPUTS_VIRIAL] = "forces, energy and virial" },
               .counted = "interacting pairs",
               .counted_one = "interacting pair",
               .rate = "pairs/s",
               .all_pairs = { "all_pairs_loop", "all_pairs_loop" } },
    .groups = GROUPS_ONE_BIT,
    .takes_types = true,
    .takes_sample = true,
    .default_interaction = "lj",
    .default_outputs = OUTPUTS_FORCES,
    .sweeps = sweeps,
};
