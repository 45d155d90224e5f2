/* random — random numbers of a seed: N results of a distribution, in bulk.
 *
 * There is no box. The k-th launch after the structure was built is step k of the seed: no two
 * launches have the same numbers, so that none can be remembered. What each result must be follows
 * from the generator that a variant names (@generator), the seed, the step and the place of the
 * result. */
#include "kernels/bindings.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"

#include <string.h>

static const struct workload_field fields[] = {
    { "draws", "drawn", GROUPS_ONE_BIT, FIELD_OUT, { { "draws", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* Sizes at and beside those of blocks, work-items and streams; seeds with a low and a high word. */
static const struct workload_check checks[] = {
    { .options = "--kind none --n 1,2,3,5,1023,70001 --precision float,double --distribution *",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind none --n 20000 --precision float,double --distribution * --seed "
                 "0,4294967296,9007199254740992" },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double"),
      .text = true },
    { .name = "distribution",
      .values = WORKLOAD_VALUES("--distribution uniform", "--distribution gaussian",
                                "--distribution words", "--distribution kick"),
      .text = true },
    { .name = "n", .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 262147") },
    { .name = "seed",
      .values = WORKLOAD_VALUES("", "--seed 0", "--seed 4294967295", "--seed 4294967296",
                                "--seed 12884901889", "--seed 9007199254740992") },
    { .name = NULL },
};

static const char *const axes[] = { "--distribution", NULL };

#define NO_PARTICLES "has no particles; expected --n, --seed and --distribution"
static const struct workload_refusal refusals[] = {
    { "--interaction", NO_PARTICLES }, { "--interaction-file", NO_PARTICLES },
    { "--table", NO_PARTICLES },       { "--exclude", NO_PARTICLES },
    { "--box", NO_PARTICLES },         { "--density", NO_PARTICLES },
    { "--cutoff", NO_PARTICLES },      { "--open", NO_PARTICLES },
    { "--periodic", NO_PARTICLES },    { "--charges", NO_PARTICLES },
    { "--kind", NO_PARTICLES },        { NULL, NULL },
};

/* ---- what kernels may bind ---- */

static const struct kernel_parameter draw_parameters[] = {
    { "seed", "long64", FROM_LONG(case_arguments, seed) },
    { "step", "long64", FROM_LONG(case_arguments, step) },
    { 0 },
};

static const struct parameter_table parameter_tables[] = { { draw_parameters, 0 }, { NULL, 0 } };
static const char *const units[] = { "draw", "stream", "compute_unit", NULL };
static const char *const header_words[] = { "@generator", NULL };

static const char *refuse_variant(const struct variant *variant) {
    return strcmp(variant->structure, "none") == 0 ? NULL
                                                   : "has no particles; expected @structure none";
}

/* A seeding is not in the time of a launch: there is one where there is a state to begin with, and
 * nothing else. */
static const char *refuse_pass(const struct variant *variant, const struct pass *pass) {
    if (pass->schedule.when == PASS_WHEN_MOVED) {
        return "draws have no particles; expected every step";
    }
    return pass->schedule.when != PASS_EVERY_REBUILD || generator_has_streams(variant->generator)
               ? NULL
               : "the numbers of this generator come from seed and step alone, and it has no "
                 "state; expected every step";
}

/* ---- what kernels are compiled with ---- */

static void append_definitions(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text, "#define DISTRIBUTION %d\n", (int)spec->distribution);
}

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    (void)spec;
    kernel_text_append_file("variants/random.cl", text);
    kernel_text_append_file("variants/draws.cl", text);
}

/* ---- the result ---- */

static size_t number_count(const struct case_spec *spec) {
    return spec->box.n;
}

static size_t number_bytes(const struct case_spec *spec) {
    return spec->distribution == DISTRIBUTION_WORDS
               ? sizeof(uint32_t)
               : format_bytes(precision_numeric(spec->precision).position);
}

/* Words as whole numbers. */
static double number_at(const struct case_spec *spec, const void *stored, size_t k) {
    return spec->distribution == DISTRIBUTION_WORDS
               ? (double)((const uint32_t *)stored)[k]
               : real_at(stored, number_bytes(spec) == sizeof(double), k);
}

static const struct kernel_parameter result = { "draws", "GLOBAL drawn *",
                                                FROM_BUFFER(set_arguments, result) };
static const struct workload_places places = { &result, number_count, number_bytes, number_at };

static double bytes(const struct case_spec *spec) {
    return (double)number_bytes(spec);
}

static const char *const columns[] = { "distribution", NULL };

extern const struct judge judge_draws;
extern const struct workload workload_random;
const struct workload workload_random = {
    .name = "random",
    .summary = "random numbers in bulk: words, uniform, Gaussian, kicks",
    .judge = &judge_draws,
    .fields = fields,
    .places = &places,
    .scalars = scalars,
    .words = { .result = "draw",
               .results = "draws",
               .preposition = "at",
               .value = "none",
               .tensor = "none",
               .tensor_key = "none",
               .outputs = { [OUTPUTS_FORCES] = "draws",
                            [OUTPUTS_ENERGY] = "draws",
                            [OUTPUTS_VIRIAL] = "draws" },
               .counted = "draws",
               .counted_one = "draw",
               .rate = "draws/s",
               .size = "N (draws)",
               .seeds = " (a case per seed)",
               .all_pairs = { "philox", "philox" } },
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .header_words = header_words,
    .refuse_variant = refuse_variant,
    .refuse_pass = refuse_pass,
    .append_definitions = append_definitions,
    .append_words = append_words,
    .bytes = bytes,
    .refusals = refusals,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "none",
    .default_kind = "none",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
