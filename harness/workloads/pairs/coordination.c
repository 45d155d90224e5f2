/* coordination — the sum of a switching function over pairs, and its derivatives.
 *
 * It is a sum of pair terms as the energy is: its derivatives by the positions are the negative of
 * forces, those by the cell are a virial. Kernels that also compute forces write these (`force`),
 * and the host turns the sign; others write the derivatives themselves. */
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/text/kernel_text.h"
#include "workloads/workload_buffers.h"

#include <stddef.h>

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_EVERY_BIT, FIELD_IN, { { "position", 1 } } },
    { "index", "int", GROUPS_TWO_BIT, FIELD_IN, { { "index", 1 } } },
    { "derivative",
      "accum4",
      GROUPS_EVERY_BIT,
      FIELD_OUT,
      { { "derivative", 1 }, { "force", -1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = {
    { "coordination", "the sum of the switching function over the pairs", 1, 1, OUTPUTS_ENERGY },
    { "box_derivatives", "the sum over pairs of r_ij (outer) minus the derivative by r_ij", 9, 6,
      OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Ends within half an edge of a fluid of 40 particles; does not end. */
#define SWITCHING "rational:r0=0.9,n=6,m=12,d0=0.1,dmax=1.6"
/* All pairs of an open box are within it, and each counts. */
#define SLOW "rational:r0=3,n=2,m=4,dmax=40"
#define ENDLESS "rational:r0=0.9,n=5,m=11,dmax=inf"
/* Ways of reducing, besides the usual one. */
#define OTHERS "atomic,warp,cub"
/* Sizes at and beside those of groups and tiles, and groups of one. */
#define RATIOS "1:1,1:2,3:1,64:1,1:129,65:64,83:77,31:39,71:63,257:130,900:100"

/* The same conditions as the checks of workload forces. */
static const struct workload_check checks[] = {
    { .options =
          "--kind fluid --n 1k --precision float,double --outputs virial --interaction " SWITCHING,
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind fluid --n 31,39,65,257 --precision float,double --outputs virial "
                 "--interaction " SWITCHING },
    { .options =
          "--kind plate,gas --n 2047 --precision float --outputs virial --interaction " SWITCHING },
    { .options =
          "--kind fluid --n 47007 --precision float --outputs virial --interaction " SWITCHING },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial "
                 "--interaction " SWITCHING },
    { .options = "--kind uniform --n 1,2,3,17 --precision float,double --outputs virial "
                 "--interaction " SWITCHING " --density 0.03" },
    { .options =
          "--kind fluid --n 257 --precision float --outputs forces --interaction " SWITCHING },
    { .options =
          "--kind droplets --n 1k --precision mixed --outputs virial --interaction " SWITCHING
          " --reduction " OTHERS " --group-a 3-900:3",
      .roomy = true },
    { .options =
          "--kind fluid --n 65,300 --precision double --outputs virial --interaction " ENDLESS },
    { .options = "--kind fluid,droplets --n 1k --precision float,double --outputs virial "
                 "--interaction " SWITCHING " --ratio " RATIOS,
      .roomy = true },
    { .options = "--kind fluid --n 1k --precision float --outputs forces --interaction " SWITCHING
                 " --ratio 65:64,1:257" },
    { .options =
          "--kind brick --n 500 --precision float,double --outputs virial --interaction " SWITCHING
          " --ratio 130:257" },
    { .options = "--kind fluid@75:100:65 --n 500 --precision float,double --outputs virial "
                 "--interaction " SWITCHING },
    { .options = "--kind brick@115:80:110 --n 500 --precision float --outputs virial "
                 "--interaction " SWITCHING " --ratio 130:257" },
    { .options = "--kind fluid@75:100:65 --n 500 --precision float --outputs virial "
                 "--interaction " SWITCHING " --ratio 250:250 --pairs" },
    { .options =
          "--kind brick --n 500 --precision float,double --outputs virial --interaction " ENDLESS
          " --ratio 250:250 --pairs" },
    { .options = "--kind fluid --n 1k --precision mixed --outputs virial --interaction " SWITCHING
                 " --reduction " OTHERS " --group-a 1-600 --group-b 1,400-1000:2",
      .roomy = true },
    { .options =
          "--kind fluid --n 1k --precision float,double --outputs virial --interaction " SWITCHING
          " --ratio 1:1,31:31,39:39,65:65,256:256,500:500 --pairs",
      .roomy = true },
    { .options =
          "--kind fluid --n 1k --precision mixed --outputs forces,virial --interaction " SWITCHING
          " --reduction " OTHERS " --ratio 129:129 --pairs" },
    { .options = "--kind fluid --n 1,65 --precision double --outputs virial --open "
                 "--interaction " SWITCHING },
    { .options =
          "--kind fluid --n 1k --precision float --outputs virial --open --interaction " SWITCHING
          " --ratio 65:64,257:130",
      .roomy = true },
    /* batches: boxes of one particle and of none, cells that differ */
    { .options = "--kind fluid --n 0-5 --batch 9 --open --precision float,double --outputs "
                 "forces,virial --interaction " SWITCHING },
    { .options = "--kind fluid --n 130-300 --batch 5 --precision float,mixed --outputs virial "
                 "--interaction " SWITCHING },
    { .options = "--kind fluid@75:100:65 --n 400-600 --batch 3 --precision float --outputs "
                 "forces,virial --interaction " SWITCHING },
    /* sums of thousands of terms in double of pairs in float: what is wrong are sums (gate.h) */
    { .options = "--kind fluid --n 1501 --precision mixed --outputs virial --open "
                 "--interaction " SLOW,
      .always = true },
    { .options = "--kind fluid --n 4k --precision mixed --outputs virial --open "
                 "--interaction " SLOW " --ratio 200:3000,3000:200",
      .always = true },
    { .options = "--kind fluid --n 140k --precision mixed --outputs virial --open "
                 "--interaction " SLOW " --ratio 66000:66000 --pairs",
      .always = true },
    /* groups of more particles than 16 bits number */
    { .options = "--kind fluid --n 70k --precision float --outputs forces "
                 "--interaction " SWITCHING " --ratio 69000:30,30:69000",
      .always = true },
    { .options = NULL },
};

/* Groups: of one, beside work-groups and tiles, that overlap, pairs. */
static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES("--interaction " SWITCHING, "--interaction " ENDLESS,
                                "--interaction rational:r0=0.4,n=8,m=12,d0=1.05,dmax=1.6"),
      .text = true },
    { .name = "groups",
      .values =
          WORKLOAD_VALUES("", "--group-a 3-31:3", "--group-a 1-20 --group-b 1,15-31:2",
                          "--ratio 1:1", "--ratio 1:129", "--ratio 129:1", "--ratio 65:64",
                          "--ratio 31:39", "--ratio 257:130", "--ratio 900:100",
                          "--ratio 1:1 --pairs", "--ratio 65:65 --pairs", "--ratio 256:256 --pairs",
                          "--ratio 500:500 --pairs", "--group-a 1-20 --group-b 11-30 --pairs") },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", WORKLOAD_OTHER_KINDS,
                                "--kind degenerate") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS), .closely = true },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 0-3 --batch 17",
                                "--n 130-900 --batch 5", "--n 20-40 --batch 33", WORKLOAD_BATCHES,
                                WORKLOAD_REMAINDERS, WORKLOAD_LARGE_BATCH) },
    { .name = "density",
      .values =
          WORKLOAD_VALUES("", "--density 0.02", "--density 0.1", "--density {0.000002:0.00001}") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES,
                                    "--batch",
                                    "--interaction",
                                    "--group-a",
                                    "--group-b",
                                    "--pairs",
                                    "--ratio",
                                    WORKLOAD_AXES_OF_SUMS,
                                    "--launch",
                                    NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "ends at its dmax: give --interaction rational:dmax=" },
    { NULL, NULL },
};

static const char *const interactions[] = { "rational", NULL };

static struct own_cutoff own_cutoff(const struct interaction *interaction) {
    return (struct own_cutoff){ interaction->functions[0].cutoff, "--interaction", "dmax", true };
}

static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { batch_parameters, offsetof(struct case_arguments, batch) },
    { NULL, 0 }
};
static const char *const one_units[] = { "particle", "compute_unit", "box", NULL };
static const char *const two_units[] = { "particle_a", "particle_b", "compute_unit", NULL };
static const char *const pairs_units[] = { "pair", "compute_unit", NULL };
static const char *const header_words[] = { "@groups", NULL };

static const char *const columns[] = { "groups", "n_a",         "n_b", "end_to_end_s_median",
                                       "batch",  "batch_sizes", NULL };

/* Without an end every pair counts at its nearest image, which a leaning cell has not for sure. */
static bool takes_cutoff(const struct box *box, bool endless) {
    return endless && !cell_is_triclinic(&box->cell);
}

static const char *refuse_case(const struct case_spec *spec) {
    const bool knows_boxes = spec->box.batch > 1 || variant_takes(spec->variant, "box_begin");
    return knows_boxes && !group_spec_is_default(&spec->group)
               ? "counts all particles of each box: expected no groups"
               : batch_refuse(spec);
}

extern const struct judge judge_group_sums;
extern const struct workload workload_coordination;
const struct workload workload_coordination = {
    .name = "coordination",
    .summary = "a coordination number of groups, its derivatives and box derivatives",
    .judge = &judge_group_sums,
    .fields = fields,
    .scalars = scalars,
    .words = { .result = "derivative",
               .results = "derivatives",
               .preposition = "of",
               .value = "coordination",
               .tensor = "box derivative",
               .tensor_key = "box_derivatives",
               .outputs = { [OUTPUTS_FORCES] = "derivatives",
                            [OUTPUTS_ENERGY] = "coordination and derivatives",
                            [OUTPUTS_VIRIAL] = "coordination and all derivatives" },
               .counted = "interacting pairs",
               .counted_one = "interacting pair",
               .rate = "pairs/s",
               .size = "N (particles)",
               .seeds = "",
               .all_pairs = { "coordination_loop", "two_groups_two_pass" } },
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = one_units, [GROUPS_TWO] = two_units, [GROUPS_PAIRS] = pairs_units },
    .header_words = header_words,
    .precisions_refused = 1U << PRECISION_FIXED,
    .append_words = kernel_text_append_words,
    .refusals = refusals,
    .buffers = &batch_buffers,
    .refuse_case = refuse_case,
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .takes_cutoff = takes_cutoff,
    .groups = GROUPS_EVERY_BIT,
    .default_interaction = "rational",
    .default_outputs = OUTPUTS_VIRIAL,
    /* Ends within half an edge of a fluid of 110 particles. */
    .bench_interaction = "rational:r0=1.1,n=6,m=12,dmax=2.5",
    .checks = checks,
    .factors = factors,
};
