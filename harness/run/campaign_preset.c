#include "run/campaign_preset.h"

#include "base/parse.h"
#include "base/strbuf.h"
#include "interaction/bonded.h"
#include "interaction/type_table.h"
#include "schema/axis_words.h"

#include <stdlib.h>
#include <string.h>

/* The sizes that a class of device does in a preset's time. */
struct preset_sizes {
    const char *n;         /* NULL: as many as the groups have */
    size_t most_all_pairs; /* the largest N at which all N^2 distances are computed */
    const char *ratio;     /* NULL: no groups */
    const char *precision; /* NULL: the preset's */
};

/* One span of axes of a preset that has several; where NULL, the preset's or none. Variants and
 * tunables are those of the user where the command line names any. */
struct preset_span {
    const char *variant, *tunes;         /* tunes are separated by spaces */
    const char *n, *gpu_n, *outputs;     /* gpu_n: of devices that are no processors; NULL: as n */
    const char *kind, *cutoff, *exclude; /* with a kind of its own, a span is left out where the
                                            command line says anything of boxes, of what acts in
                                            them or how far: it may not fit */
    const char *steps, *dt;              /* time steps, where the workload has any */
    const char *interaction, *table; /* what a table file would say. Those of a span with a table
                                        count, tunes of TYPE_TABLE too, unless the command line
                                        names an interaction or a table */
};

struct preset {
    const char *name, *help;
    const char *kind, *precision, *outputs;
    const char *workload, *distribution;        /* NULL: as the variants say; the usual */
    const char *density, *cutoff, *interaction; /* NULL: the usual */
    const struct preset_span *spans;            /* ends with one that is empty; NULL: one, of all */
    bool all_tunables;
    double time_cap_s;            /* of sampling one case */
    struct preset_sizes cpu, gpu; /* PoCL on a few cores does about 1e9 distances/s, a GPU 1e12 */
};

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
static const char article_table[] = "type_a,type_b,function,epsilon,sigma\n"
                                    "Na,Na,lj,0.0103,3.405\n"
                                    "Na,Cl,lj,0.0103,3.405\n"
                                    "Cl,Cl,lj,0.0103,3.405\n";

static const char *const article_forms[] = {
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
      .table = article_table },
    { .variant = ARTICLE_TYPED_VARIANTS,
      .n = ARTICLE_N "," ARTICLE_LARGE_N,
      .interaction = ARTICLE_BRANCHING,
      .table = article_table },
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

static const struct preset presets[] = {
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
      .time_cap_s = 0.5,
      .cpu = { .n = ARTICLE_N, .most_all_pairs = 22400 },
      .gpu = { .n = ARTICLE_N ",89600", .most_all_pairs = 22400 } },
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const struct preset *preset_find(const char *name, struct error *error) {
    const char *names[PRESETS + 1] = { NULL };
    for (int i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        if (strcmp(name, presets[i].name) == 0) {
            return &presets[i];
        }
    }
    (void)words_fail_unknown("--preset", "preset", name, names, error);
    return NULL;
}

void preset_describe(struct strbuf *text) {
    for (int i = 0; i < PRESETS; i++) {
        strbuf_append(text, "  %-12s %s\n", presets[i].name, presets[i].help);
    }
}

static const struct preset_sizes *sizes_for(const struct preset *preset,
                                            const struct device_info *device) {
    return device->is_cpu ? &preset->cpu : &preset->gpu;
}

static const char *precision_for(const struct preset *preset, const struct device_info *device) {
    const char *own = sizes_for(preset, device)->precision;
    return !device->fp64 ? "float" : own ? own : preset->precision;
}

static bool fill_word(char **word, const char *value, struct error *error) {
    if (!*word) {
        *word = strdup(value);
    }
    return *word || fail_out_of_memory(error, "the preset");
}

size_t preset_span_count(const struct preset *preset) {
    size_t count = 0;
    while (preset->spans && preset->spans[count].variant) {
        count++;
    }
    return preset->spans ? count : 1;
}

bool preset_span_serves(const struct preset *preset, size_t span_index, const struct axes *axes) {
    const bool own_box = preset->spans && preset->spans[span_index].kind;
    if (!own_box) {
        return true;
    }
    struct error ignored;
    const struct workload *workload = plan_workload(axes, &ignored);
    return workload && (workload->takes_types || workload->constrains) &&
           !(axes->kind || axes->n || axes->density || axes->open || axes->box_files ||
             axes->cutoff || axes->interaction || axes->table || axes->exclude || axes->group_a ||
             axes->group_b || axes->ratio);
}

/* A word that the preset may leave to the usual. */
static bool fill_if(char **word, const char *value, struct error *error) {
    return !value || fill_word(word, value, error);
}

/* What is run: the user's choice of variants and of tunables goes before the span's, both of them,
 * since a tunable of the one need not be one of the other; but where a table of types lies, every
 * variant can choose. */
static bool fill_variants(const struct preset_span *span, struct axes *axes, struct error *error) {
    const bool chosen =
        axes->workload || axes->variant || axes->structure || axes->variant_files || axes->tunes;
    if (span->tunes && !axes->tunes && (span->table ? axes->table_text != NULL : !chosen)) {
        axes->tunes = split_list(span->tunes, ' ');
        if (!axes->tunes) {
            return fail_out_of_memory(error, "the preset");
        }
    }
    return chosen || fill_if(&axes->variant, span->variant, error);
}

static bool fill_interaction(const struct preset *preset, const struct preset_span *span,
                             struct axes *axes, struct error *error) {
    if (axes->interaction_file) {
        return true;
    }
    if (span->table && !axes->interaction && !axes->table) {
        axes->table_text = span->table;
        return fill_word(&axes->interaction, span->interaction, error) &&
               fill_if(&axes->exclude, span->exclude, error);
    }
    return fill_if(&axes->interaction, preset->interaction, error);
}

/* The groups of the preset, in the place of a number of particles, unless the user has either. */
static bool fill_groups(const struct preset_sizes *sizes, struct axes *axes, struct error *error) {
    bool given = axes->group_a || axes->group_b || axes->ratio || axes->box_files;
    return given || fill_if(&axes->ratio, sizes->ratio, error);
}

/* What depends on the workload. A preset of the result alone is of the sums, too, where these are
 * what nearly every user of the workload asks for. */
static bool fill_workload(const struct preset_span *span, const struct preset *preset,
                          const struct workload *workload, struct axes *axes, struct error *error) {
    const bool alone = strcmp(preset->outputs, outputs_name(OUTPUTS_FORCES)) == 0;
    const char *outputs = span->outputs ? span->outputs : preset->outputs;
    if (workload->sums_are_the_result && alone && !span->outputs) {
        outputs = outputs_name(workload->default_outputs);
    }
    return (!workload->forces_of ||
            (fill_if(&axes->steps, span->steps, error) && fill_if(&axes->dt, span->dt, error))) &&
           (axes->interaction_file ||
            fill_if(&axes->interaction, workload->bench_interaction, error)) &&
           fill_word(&axes->outputs, outputs, error) &&
           (workload->cutoff_is_its_own ||
            fill_if(&axes->cutoff, span->cutoff ? span->cutoff : preset->cutoff, error));
}

/* The kind of the span or the preset, where the workload has any use for it; else its own. */
static const char *kind_for(const struct preset *preset, const struct preset_span *span,
                            const struct workload *workload) {
    const char *asked = span->kind ? span->kind : preset->kind;
    const bool fits = !workload->default_kind ? true
                      : workload->constrains
                          ? span->kind != NULL
                          : workload->takes_terms && bonded_kind_has_terms(asked);
    return fits ? asked : workload->default_kind;
}

static bool fill_box(const struct preset *preset, const struct preset_span *span,
                     const struct workload *workload, const struct device_info *device,
                     struct axes *axes, struct error *error) {
    const char *of_span = span->gpu_n && !device->is_cpu ? span->gpu_n : span->n;
    const char *n = of_span ? of_span : sizes_for(preset, device)->n;
    if (axes->box_files) {
        return true;
    }
    return fill_if(&axes->kind, kind_for(preset, span, workload), error) &&
           (axes->ratio || fill_if(&axes->n, n, error)) &&
           fill_if(&axes->density, preset->density, error);
}

/* Where numbers are drawn: how many, and from what; nothing else of the preset, which is of
 * particles. */
static bool fill_draws(const struct preset *preset, const struct preset_sizes *sizes,
                       struct axes *axes, bool *draws, struct error *error) {
    const bool named = axes->workload || axes->variant || axes->structure || axes->variant_files;
    if (!named && !fill_if(&axes->workload, preset->workload, error)) {
        return false;
    }
    const struct workload *workload = plan_workload(axes, error);
    *draws = workload && workload->is_of_draws;
    return workload && (!*draws || (fill_if(&axes->n, sizes->n, error) &&
                                    fill_if(&axes->distribution, preset->distribution, error)));
}

bool preset_fill(const struct preset *preset, size_t span_index, const struct device_info *device,
                 struct axes *axes, struct error *error) {
    static const struct preset_span everything = { 0 };
    const struct preset_span *span = preset->spans ? &preset->spans[span_index] : &everything;
    const struct preset_sizes *sizes = sizes_for(preset, device);
    bool draws;
    if (!fill_draws(preset, sizes, axes, &draws, error)) {
        return false;
    }
    if (draws) {
        return fill_word(&axes->precision, precision_for(preset, device), error);
    }
    if (!fill_word(&axes->precision, precision_for(preset, device), error) ||
        !fill_interaction(preset, span, axes, error) || !fill_variants(span, axes, error) ||
        !fill_groups(sizes, axes, error)) {
        return false;
    }
    const struct workload *workload = plan_workload(axes, error);
    return workload && fill_workload(span, preset, workload, axes, error) &&
           fill_box(preset, span, workload, device, axes, error);
}

void preset_release(const struct axes *given, struct axes *filled) {
    char *const before[] = {
        given->precision, given->outputs, given->variant,  given->interaction,
        given->cutoff,    given->kind,    given->n,        given->density,
        given->ratio,     given->exclude, given->workload, given->distribution
    };
    char *const after[] = { filled->precision,   filled->outputs,  filled->variant,
                            filled->interaction, filled->cutoff,   filled->kind,
                            filled->n,           filled->density,  filled->ratio,
                            filled->exclude,     filled->workload, filled->distribution };
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        if (after[i] != before[i]) {
            free(after[i]);
        }
    }
    if (filled->tunes != given->tunes) {
        free(filled->tunes);
    }
    *filled = *given;
}

bool preset_has_questions(const struct preset *preset) {
    return preset->spans == article_spans || preset->spans == step_article_spans;
}

bool article_interaction(enum article_form form, struct strbuf *words, struct error *error) {
    struct interaction interaction;
    struct type_table *table = NULL;
    if (!interaction_parse(article_forms[form], &interaction, error) ||
        (form != ARTICLE_COMPILED_IN &&
         !type_table_parse("the preset's table", article_table, &interaction, &table, error))) {
        return false;
    }
    interaction_use_table(&interaction, table);
    interaction_describe(&interaction, words);
    type_table_free(table);
    return !words->failed || fail_out_of_memory(error, "an interaction");
}

void preset_sampling(const struct preset *preset, struct sampling *sampling) {
    sampling->time_cap_s = preset->time_cap_s;
}

/* ---- after the axes are spanned ---- */

/* Whether all pairs of the case are more than those of so many particles. */
static bool has_more_pairs(const struct case_spec *spec, size_t most) {
    if (spec->group.mode == GROUPS_PAIRS || spec->variant->workload->is_of_draws ||
        spec->variant->workload->takes_terms) {
        return false;
    }
    if (spec->group.ratio_a > 0) {
        return spec->group.ratio_b > 0 &&
               spec->group.ratio_a > 2 * most * most / spec->group.ratio_b;
    }
    return spec->box.n > most;
}

static void leave_out_long(size_t most, struct plan *plan, size_t *too_long) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        if (strcmp(spec->variant->structure, "none") == 0 && has_more_pairs(spec, most)) {
            (*too_long)++;
            plan->left_out++;
        } else {
            plan->cases[kept++] = *spec;
        }
    }
    plan->count = kept;
}

/* Whether the user chose this tunable's values. */
static bool is_given(char *const *tunes, const char *name) {
    size_t length = strlen(name);
    for (; tunes && *tunes; tunes++) {
        if (strncmp(*tunes, name, length) == 0 && (*tunes)[length] == '=') {
            return true;
        }
    }
    return false;
}

static size_t tuned_count(const struct case_spec *spec, char *const *tunes) {
    size_t count = 1;
    for (int t = 0; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        if (!is_given(tunes, tunable->name)) {
            count *= (size_t)tunable->value_count;
        }
    }
    return count;
}

/* Choice `index` of the tunables that the user left open. */
static void tune(char *const *tunes, size_t index, struct case_spec *spec) {
    struct tunings *tunings = &spec->tunings;
    for (int t = 0; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        if (is_given(tunes, tunable->name)) {
            continue;
        }
        int value = tunable->values[index % (size_t)tunable->value_count];
        index /= (size_t)tunable->value_count;
        for (int i = 0; i < tunings->count; i++) {
            if (strcmp(tunings->items[i].name, tunable->name) == 0) {
                tunings->items[i].value = value;
            }
        }
    }
}

static bool expand_tunables(char *const *tunes, struct plan *plan, struct error *error) {
    size_t total = 0, next = 0;
    for (size_t i = 0; i < plan->count; i++) {
        total += tuned_count(&plan->cases[i], tunes);
    }
    struct case_spec *cases = calloc(total + 1, sizeof *cases);
    if (!cases) {
        return fail_out_of_memory(error, "the cases of the preset");
    }
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t j = 0; j < tuned_count(&plan->cases[i], tunes); j++) {
            cases[next] = plan->cases[i];
            tune(tunes, j, &cases[next++]);
        }
    }
    free(plan->cases);
    plan->cases = cases;
    plan->count = total;
    return true;
}

bool preset_shape(const struct preset *preset, const struct device_info *device,
                  const struct axes *given, struct plan *plan, size_t *too_long,
                  struct error *error) {
    *too_long = 0;
    if (!given->n && !given->box_files) {
        leave_out_long(sizes_for(preset, device)->most_all_pairs, plan, too_long);
    }
    return !preset->all_tunables || expand_tunables(given->tunes, plan, error);
}
