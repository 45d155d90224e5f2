/* forces — what particles of a box do to each other, pair by pair: minus the gradient of the
 * energy. */
#include "kernels/bindings.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"
#include "workloads/workload_buffers.h"

#include <stddef.h>

static const struct workload_field fields[] = {
    /* Time steps keep rests; where there are none, kernels do not read them. */
    { "position",
      "real4",
      GROUPS_ONE_BIT,
      FIELD_IN,
      { { "position", 1 }, { "position_rest", 1 } } },
    { "force", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { "force", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = {
    { "energy", "the sum of the pairs' energies", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over pairs of r_ij (outer) f_ij", 9, 6, OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* What asks for types, charges and, with molecules left out, input indices: of a brick. */
#define OF_MIXTURE "--interaction lj+ewald-real:alpha=0.9,lj.cutoff=1.9,sigma.B=0.9,epsilon.C=0.5"

/* Small boxes find what goes wrong at the edges of groups and cells, all kinds what depends on how
 * the particles lie, the larger ones that sizes are right: numbers that are 7 and 31 modulo 32,
 * products of two indices beyond an int, edges beyond 50. Tilts are of either sign, and none is
 * half an edge, which is as much to either side. Compiling takes most of the time: what the same
 * kernel text does in other boxes already, open ones leave out. */
static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1,2,3,17,64,129,257 --precision * --outputs forces,virial" },
    { .options = "--kind fluid --n 31,39,263,287 --precision float --outputs forces,virial" },
    { .options = "--kind fluid --n 130 --precision float --outputs energy" },
    { .options = "--kind * --n 65 --precision * --outputs forces,virial" },
    { .options = "--kind * --n 1k --precision * --outputs forces,virial",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind brick --n 130 --precision * --outputs forces,virial " OF_MIXTURE
                 " --exclude molecule" },
    { .options = "--kind brick --n 1k --precision float,double --outputs virial " OF_MIXTURE
                 " --exclude molecule",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind fluid,brick --n 500 --precision float,double --outputs virial" },
    { .options = "--kind fluid@75:100:65,brick@115:80:110 --n 500 --precision float,double "
                 "--outputs virial" },
    { .options = "--kind brick@65:80:110 --n 500 --precision float --outputs virial " OF_MIXTURE
                 " --exclude molecule" },
    /* listed exclusions: up to 6 per particle, up to 80 */
    { .options = "--kind brick --n 130 --precision float --outputs virial --exclude next:3" },
    { .options = "--kind brick --n 500 --precision float --outputs virial --exclude next:40" },
    { .options = "--kind fluid --n 4k,16k --precision * --outputs forces,virial", .roomy = true },
    { .options = "--kind gas --n 2047 --precision float,double --outputs virial", .roomy = true },
    { .options = "--kind fluid --n 47007 --precision float --outputs virial" },
    { .options = "--kind fluid --n 3,66 --precision float --outputs forces --open" },
    { .options = "--kind fluid --n 1,2,65 --precision double --outputs virial --open" },
    { .options = "--kind * --n 1k --precision double --outputs virial --open",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind fluid --n 1,2,65,1k --precision float,double --outputs virial --cutoff "
                 "none --open" },
    /* batches: boxes of one particle and of none, cells that differ, several groups' worth */
    { .options = "--kind fluid --n 0-5 --batch 9 --open --precision float,double --outputs "
                 "forces,virial" },
    { .options = "--kind fluid --n 130-300 --batch 5 --precision * --outputs virial" },
    { .options = "--kind brick --n 1800 --batch 3 --precision float --outputs virial " OF_MIXTURE
                 " --exclude molecule" },
    { .options = "--kind fluid@75:100:65 --n 400-600 --batch 3 --precision float --outputs "
                 "forces,virial" },
    /* pairs without rounding errors, of odd numbers of units of fixed point: what is wrong are sums
     * (pair_sums.c), or any one pair of particles in whole groups */
    { .options =
          "--kind melt --density 0.499 --n 499,1024 --precision mixed,fixed --outputs virial "
          "--cutoff 20 --open --interaction 65521/8589934592*r^2",
      .roomy = true,
      .own_precisions = true, /* in others, the terms of a sum would all be rounded alike */
      .always = true },
    /* particles in one place, between which this force is none */
    { .options = "--kind degenerate --n 112 --precision float --outputs energy --cutoff 2 "
                 "--interaction exp(-r^2)",
      .always = true },
    /* charges of several units */
    { .options = "--kind brick --n 400 --precision double --outputs energy --interaction "
                 "lj+coulomb-shift --charges A=3,B=-2,C=1",
      .always = true },
    /* one pair whose r^2 is 6.25 in float and beyond it in double */
    { .options =
          "--kind fluid --n 1000 --precision double --outputs forces --cutoff 2.5 --seed 494",
      .roomy = true,
      .always = true },
    /* places in a list that 24 bits do not number, in rows of half lists, too */
    { .options = "--kind fluid --n 5900 --open --cutoff 30 --precision float --outputs forces",
      .always = true },
    /* the energy of one particle, and exclusions, among more than 16 bits number */
    { .options = "--kind fluid --n 70001 --precision double --outputs energy --cutoff 1.2 "
                 "--exclude next:3",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES("", OF_MIXTURE, "--interaction lj:sigma.B=0.9,epsilon.C=0.5",
                                "--interaction lj:sigma.G={0.85:0.95},epsilon.Q=0.5",
                                "--interaction born-mayer-huggins+ewald-real:alpha=0.9",
                                "--interaction ewald-real:alpha=0.28", "--interaction buckingham",
                                "--interaction 'energy = 4*(1/r^12 - 1/r^6)'"),
      .text = true },
    { .name = "types",
      .values = WORKLOAD_VALUES("", "--table built-in:share/presets/brick_lj.csv"),
      .text = true },
    { .name = "charges",
      .values = WORKLOAD_VALUES("", "--charges A=0,B=1,C=-1", "--charges A=3,B=-2,C={-5.0:5}") },
    { .name = "exclusions",
      .values = WORKLOAD_VALUES("", "--exclude molecule", "--exclude next:3", "--exclude next:40"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", WORKLOAD_OTHER_KINDS) },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS), .closely = true },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 0-3 --batch 17",
                                "--n 20-70 --batch 9", "--n 130-2900 --batch 4",
                                "--n 1280 --batch 5", "--n 20-40 --batch 33", "--n 2-6 --batch 257",
                                WORKLOAD_BATCHES, WORKLOAD_REMAINDERS, WORKLOAD_LARGE_BATCH) },
    { .name = "density",
      .values = WORKLOAD_VALUES("", "--density 0.02", "--density 0.1", "--density 1.1",
                                "--density 0.0002", "--density {0.000002:0.00001}") },
    { .name = "cutoff",
      .values =
          WORKLOAD_VALUES("", "--cutoff half", "--cutoff 1.2", "--cutoff 3.5", "--cutoff none") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES,
                                    WORKLOAD_AXES_OF_TYPES,
                                    "--batch",
                                    "--interaction",
                                    "--cutoff",
                                    WORKLOAD_AXES_OF_SUMS,
                                    "--launch",
                                    NULL };

static const char *const columns[] = { "batch", "batch_sizes", NULL };

static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { batch_parameters, offsetof(struct case_arguments, batch) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", NULL };

extern const struct judge judge_pair_sums;
extern const struct workload workload_forces;
const struct workload workload_forces = {
    .name = "forces",
    .summary = "forces on all particles of a box, the energy and the virial",
    .judge = &judge_pair_sums,
    .fields = fields,
    .scalars = scalars,
    .words = WORKLOAD_WORDS_OF_FORCES("interacting pairs", "interacting pair", "pairs/s",
                                      "all_pairs_loop"),
    .axes = axes,
    .columns = columns,
    .buffers = &batch_buffers,
    .refuse_case = batch_refuse,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = kernel_text_append_words,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .forces_by = "forces",
    .groups = GROUPS_ONE_BIT,
    .default_mover = "sorted_cells",
    .default_interaction = "lj",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
