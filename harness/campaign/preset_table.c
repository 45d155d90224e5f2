#include "campaign/preset_table.h"

#include "core/embedded.h"

/* N, cutoff and density of the article: about 1400 particles and 6 angstrom. */
#define ARTICLE_N "1400"
/* A size at which launching no longer counts, among the sizes of the sweep on any device. */
#define ARTICLE_LARGE_N "22400"

/* Argon by size and depth, with charges: angstrom, eV, elementary charges. alpha times the cutoff
 * is 3, so that what is cut off of the real-space sum is a few 1e-5 of it. */
#define ARTICLE_COULOMB "alpha=0.5,coulomb=14.399645"
#define ARTICLE_CONSTANTS "lj+ewald-real:epsilon=0.0103,sigma=3.405," ARTICLE_COULOMB
#define ARTICLE_TYPED "lj+ewald-real:" ARTICLE_COULOMB
#define ARTICLE_BRANCHING "lj+buckingham+born-mayer-huggins+ewald-real:" ARTICLE_COULOMB

/* The ions of the kind `salt`; every pair of types as the constants have it. */
const char preset_article_table[] = "type_a,type_b,function,epsilon,sigma\n"
                                    "Na,Na,lj,0.0103,3.405\n"
                                    "Na,Cl,lj,0.0103,3.405\n"
                                    "Cl,Cl,lj,0.0103,3.405\n";

const char *const preset_article_forms[] = {
    [ARTICLE_COMPILED_IN] = ARTICLE_CONSTANTS,
    [ARTICLE_BY_TABLE] = ARTICLE_TYPED,
    [ARTICLE_BY_BRANCH] = ARTICLE_BRANCHING,
};

#define ARTICLE_TYPED_VARIANTS                                                                     \
    "all_pairs_half,linked_cells_by_pair,cell_pairs_two_pass,sorted_cells"

static const struct preset_span article_spans[] = {
    { .variant = "*", .n = ARTICLE_N },
    { .variant = "cell_pairs_two_pass",
      .tunes = "GROUP_SIZE=32,64,128,256 PAIRS_PER_GROUP=1,2,4,8,16",
      .n = ARTICLE_N },
    { .variant = "all_pairs_half",
      .tunes = "GROUP_SIZE=64,128,256 GROUPS_PER_UNIT=4,8,16",
      .n = ARTICLE_N },
    { .variant = "all_pairs_half,linked_cells_by_cell,cell_pairs_two_pass",
      .n = ARTICLE_N,
      .outputs = "forces,energy,virial" },
    { .variant = "linked_cells_by_cell",
      .tunes = "STAGE_LOADS=0,1 CELLS_PER_CUTOFF=1,2",
      .n = ARTICLE_N },
    { .variant = "linked_cells_by_pair",
      .tunes = "INNER_CHECK=0,1 CELLS_PER_CUTOFF=2",
      .n = ARTICLE_N },
    { .variant = ARTICLE_TYPED_VARIANTS, .n = ARTICLE_N "," ARTICLE_LARGE_N },
    { .variant = ARTICLE_TYPED_VARIANTS,
      .tunes = "TYPE_TABLE=0,1,2",
      .n = ARTICLE_N "," ARTICLE_LARGE_N,
      .interaction = ARTICLE_TYPED,
      .table = preset_article_table },
    { .variant = ARTICLE_TYPED_VARIANTS,
      .n = ARTICLE_N "," ARTICLE_LARGE_N,
      .interaction = ARTICLE_BRANCHING,
      .table = preset_article_table },
    { .variant = "*" }, /* over the sizes */
    { 0 },
};

/* What peers time: the O-O Lennard-Jones and the charges of SPC/E in kJ/mol and angstrom, 9
 * angstrom far, no pair of a molecule. alpha times the cutoff is 2.7. */
static const char water_table[] = "type_a,type_b,function,epsilon,sigma\n"
                                  "O,O,lj,0.65,3.166\n";

/* 331776 are 48^3 molecules. */
static const struct preset_span standard_spans[] = {
    { .variant = "*" }, /* over the kinds and sizes */
    { .variant = "*",
      .kind = "water",
      .n = "3k,24k",
      .gpu_n = "3k,24k,331776",
      .cutoff = "9",
      .exclude = "molecule",
      .interaction = "lj+ewald-real:alpha=0.3,coulomb=1389.35457644",
      .table = water_table },
    { 0 },
};

static const struct preset_span bonded_spans[] = {
    { .variant = "bonded_*" },
    { .variant = "bonded_*", .outputs = "virial" },
    { .variant = "bonded_atomic", .tunes = "TERM_ORDER=0,1,2" },
    { 0 },
};

/* Chains of 1501 particles, whole ones: 1, 67 and 667 of them. */
static const struct preset_span constraints_spans[] = {
    { .variant = "settle,shake,ccma,newton_cg" },
    { .variant = "shake*,ccma,newton_cg", .kind = "hydrogens" },
    { .variant = "shake,ccma,newton_cg", .kind = "oligomers" },
    { .variant = "ccma,newton_cg",
      .kind = "polymers",
      .n = "1501,100567",
      .gpu_n = "1501,100567,1001167" },
    { 0 },
};

/* What molecules bring to a time step besides pairs: terms of proteins and waters, constraints of
 * waters and of the hydrogens that hang on heavier atoms. */
static const struct preset_span molecules_spans[] = {
    { .variant = "bonded_*" },
    { .variant = "bonded_*", .outputs = "virial" },
    { .variant = "bonded_*", .kind = "water" },
    { .variant = "settle,shake,ccma" },
    { .variant = "shake_clusters,ccma", .kind = "hydrogens" },
    { 0 },
};

static const struct preset_span balance_spans[] = { { .variant = "two_groups_*" }, { 0 } };

/* So many steps that lists are built again on the way. */
static const struct preset_span melt_spans[] = {
    { .variant = "verlet+sorted_cells,verlet+list_columns", .steps = "20" },
    { .variant = "verlet_fused+list_columns,verlet_fused+list_blocks", .steps = "20" },
    { 0 }
};

/* The article's whole step, and what it asks of it, at its own N and where launches count for
 * nothing. The box rests at the start, in angstrom, eV and masses of 1: steps are so long that
 * particles come farther than rounding; but short where velocities that are hardly there yet are
 * scaled to a temperature. */
#define ARTICLE_DT "0.1"
#define ARTICLE_SHORT_DT "0.005"
static const struct preset_span step_article_spans[] = {
    { .variant = "verlet+sorted_cells,verlet_fused+sorted_cells,verlet+all_pairs_loop",
      .dt = ARTICLE_DT },
    { .variant = "verlet+sorted_cells",
      .tunes = "WRAP=0,1 COUNT_CROSSINGS=0,1,2 PARTICLES_PER_ITEM=1,2,4",
      .dt = ARTICLE_DT },
    { .variant = "verlet+sorted_cells", .tunes = "STAGE_VELOCITIES=0,1", .dt = ARTICLE_DT },
    { .variant = "verlet+sorted_cells", .tunes = "PARAMETERS=0,1,2", .dt = ARTICLE_DT },
    { .variant = "verlet_fill+linked_cells_by_pair",
      .tunes = "FILL_CELLS=0,1 CELL_LOOKUP=0,8 CELLS_PER_CUTOFF=2",
      .dt = ARTICLE_DT },
    { .variant = "berendsen+sorted_cells", .tunes = "FACTOR_BY_ALL=0,1", .dt = ARTICLE_SHORT_DT },
    { .variant = "leapfrog+sorted_cells,rescale+sorted_cells,nose_hoover+sorted_cells",
      .dt = ARTICLE_DT },
    { .variant = "verlet+sorted_cells", .outputs = "energy,virial", .dt = ARTICLE_DT },
    { 0 }
};

/* Every way of adding that precision `fixed` has: atomics, registers, buffers. */
static const struct preset_span accumulation_spans[] = {
    { .variant = "list_half,list_walk,linked_cells_by_cell,cell_buffers,clusters_8x8" },
    { .variant = "all_pairs_half,all_pairs_buffers", .n = "1k", .gpu_n = "16k" },
    { 0 },
};

/* Cells, which walk about three pairs for one within the cutoff, and the fastest list. */
#define INTERACTIONS_VARIANTS "sorted_cells,list_blocks"
#define EXAMPLE EMBEDDED_PREFIX "share/interactions/"
static const struct preset_span interactions_spans[] = {
    { .variant = INTERACTIONS_VARIANTS },
    { .variant = INTERACTIONS_VARIANTS,
      .interaction = "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1" },
    { .variant = INTERACTIONS_VARIANTS, .interaction_file = EXAMPLE "soft-core.pair" },
    { .variant = INTERACTIONS_VARIANTS, .interaction_file = EXAMPLE "mie-14-7.pair" },
    { .variant = INTERACTIONS_VARIANTS, .interaction_file = EXAMPLE "buffered-14-7.pair" },
    { .variant = INTERACTIONS_VARIANTS, .interaction_file = EXAMPLE "morse.pair" },
    { .variant = INTERACTIONS_VARIANTS,
      .kind = "salt", /* which has charges */
      .interaction_file = EXAMPLE "yukawa.pair" },
    { .variant = INTERACTIONS_VARIANTS, .interaction_file = EXAMPLE "table.pair" },
    { 0 },
};

const struct preset preset_table[MAX_PRESETS + 1] = {
    { .name = "quick",
      .help = "a few N of one fluid, float (on GPUs double, too): minutes",
      .kind = "fluid",
      .precision = "float,double",
      .outputs = "forces",
      .time_cap_s = 0.5,
      .cpu = { .n = "500:32k:x8", .most_all_pairs = 16000, .precision = "float" },
      .gpu = { .n = "1k:1024k:x4", .most_all_pairs = 256000 } },
    { .name = "standard",
      .help = "fluid, gas, droplets, water, every precision, N doubling: some ten minutes",
      .kind = "fluid,gas,droplets",
      .precision = "float,mixed,double",
      .outputs = "forces",
      .spans = standard_spans,
      .time_cap_s = 0.5,
      .cpu = { .n = "500:256k:x2", .most_all_pairs = 32000 },
      .gpu = { .n = "1k:1024k:x2", .most_all_pairs = 256000 } },
    { .name = "full",
      .help = "every kind of box, precision, output and value of a tunable: hours",
      .kind = "*",
      .precision = "*",
      .outputs = "*",
      .all_tunables = true,
      .time_cap_s = 1.0,
      .cpu = { .n = "250:256k:x2", .most_all_pairs = 64000 },
      .gpu = { .n = "500:4096k:x2", .most_all_pairs = 512000 } },
    { .name = "article",
      .help = "an article's cell list kernels, its claim and its questions: minutes",
      .kind = "salt",
      .precision = "float",
      .outputs = "forces",
      .density = "0.0213",
      .cutoff = "6",
      .interaction = ARTICLE_CONSTANTS,
      .spans = article_spans,
      .has_questions = true,
      .time_cap_s = 0.5,
      .cpu = { .n = "350:22400:x4", .most_all_pairs = 22400 },
      .gpu = { .n = "350:89600:x2", .most_all_pairs = 89600 } },
    { .name = "balance",
      .help = "coordination of two groups, from 1:1 to 100000:1 at as many pairs: minutes",
      .kind = "uniform",
      .precision = "float",
      .outputs = "virial",
      .spans = balance_spans,
      .time_cap_s = 0.5,
      /* Products of 1e6 and 1e8, within a thousandth. */
      .cpu = { .ratio = "1000:1000,3162:316,10k:100,31250:32,100k:10,333333:3",
               .most_all_pairs = 1000 },
      .gpu = { .ratio = "10k:10k,31623:3162,100k:1k,316228:316,1M:100,3125k:32",
               .most_all_pairs = 10000 } },
    { .name = "random",
      .help = "random numbers: every generator and distribution, float and double: minutes",
      .workload = "random",
      .precision = "float,double",
      .outputs = "forces",
      .distribution = "*",
      .time_cap_s = 0.5,
      .cpu = { .n = "16k,256k,1M" },
      .gpu = { .n = "64k:32M:x8" } },
    { .name = "bonded",
      .help = "bonds, angles and torsions of chains, in every way of adding forces: minutes",
      .kind = "chains",
      .precision = "float,double",
      .outputs = "forces",
      .spans = bonded_spans,
      .time_cap_s = 0.5,
      .cpu = { .n = "1k,10k,100k" },
      .gpu = { .n = "1k,10k,100k,1M" } },
    { .name = "constraints",
      .help = "constraints of waters, hydrogens and chains, of displacements, over N: minutes",
      .kind = "water",
      .precision = "float,double",
      .outputs = "forces",
      .spans = constraints_spans,
      .time_cap_s = 0.5,
      .cpu = { .n = "1k,10k,100k" },
      .gpu = { .n = "1k,10k,100k,1M" } },
    { .name = "molecules",
      .help = "bonded terms of proteins and waters, constraints of waters and hydrogens: minutes",
      .kind = "proteins",
      .precision = "float,double",
      .outputs = "forces",
      .spans = molecules_spans,
      .time_cap_s = 0.5,
      .cpu = { .n = "1k,30k", .precision = "float" },
      .gpu = { .n = "1k,10k,100k,1M" } },
    { .name = "melt",
      .help = "time steps of the Lennard-Jones melt that LAMMPS, miniMD and MD-Bench run: minutes",
      .kind = "melt",
      .precision = "float,mixed,double",
      .outputs = "forces",
      .cutoff = "2.5",
      .spans = melt_spans,
      .time_cap_s = 0.5,
      .cpu = { .n = "500:4k:x8", .most_all_pairs = 4000 },
      .gpu = { .n = "4k:2048k:x8", .most_all_pairs = 32000 } },
    { .name = "step-article",
      .help = "an article's whole time step, and its questions about it: minutes",
      .kind = "salt",
      .precision = "float",
      .outputs = "forces",
      .density = "0.0213",
      .cutoff = "6",
      .interaction = ARTICLE_CONSTANTS,
      .spans = step_article_spans,
      .has_questions = true,
      .time_cap_s = 0.5,
      .cpu = { .n = ARTICLE_N, .most_all_pairs = 22400 },
      .gpu = { .n = ARTICLE_N ",89600", .most_all_pairs = 22400 } },
    { .name = "accumulation",
      .help = "forces added up in float, mixed, fixed and double, in every way of adding: minutes",
      .kind = "fluid",
      .precision = "float,mixed,fixed,double",
      .outputs = "forces",
      .cutoff = "2.5",
      .spans = accumulation_spans,
      .time_cap_s = 0.25,
      .cpu = { .n = "4k", .most_all_pairs = 4000, .precision = "float,fixed" },
      .gpu = { .n = "64k,1M", .most_all_pairs = 64000 } },
    { .name = "interactions",
      .help = "lj built in, lj as a text, and the examples of share/interactions: minutes",
      .kind = "fluid",
      .precision = "float,double",
      .outputs = "forces",
      .cutoff = "2.5",
      .spans = interactions_spans,
      .time_cap_s = 0.25,
      .cpu = { .n = "4k", .most_all_pairs = 4000, .precision = "float" },
      .gpu = { .n = "1M" } },
};
