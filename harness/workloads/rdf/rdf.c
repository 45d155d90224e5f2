/* rdf — histograms of the distances of pairs, one for each pair of types: radial distribution
 * functions before they are normalised. Its results are whole numbers, over bins.
 *
 * The judge compares sums from the first bin on, of which rounding changes only that up to an edge
 * with pairs near it: |sum of counts below edge k - the reference's| <= pairs within w of edge k.
 * So where no pair is so near, all counts must be exactly right. What moves a distance r by
 * rounding, in units of roundoff u: each component of a displacement by its subtraction, the image
 * and (in a leaning cell) its tilts, at most four roundings of numbers no longer than the box, L;
 * sqrt(3) times that is below 7 L. Then relative to r: squares and sums 1.5, the root 6 (3 ulp of
 * OpenCL), bins per length 3 and the product with it 1: below 12 r. With the reference's own:
 *
 *     w = (u + 2^-53) (7 L + 12 rc)
 */
#include "reference/rdf/rdf.h"
#include "core/cache.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/text/kernel_text.h"
#include "workloads/judges.h"
#include "workloads/member_order.h"
#include "workloads/workload_buffers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "histogram", "long64", GROUPS_ONE_BIT, FIELD_OUT, { { "histogram", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* In units of sigma, as boxes are made by default. */
#define ONE "--interaction rdf:bins=25,rc=1.6"
#define THREE "--interaction rdf:bins=40,types=3,rc=1.3"

static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1k --precision float,double " ONE,
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind brick --n 500 --precision float,double " THREE },
    { .options = "--kind uniform --n 1,2,3,17,18 --precision float,double --open " ONE },
    { .options = "--kind fluid@75:100:65 --n 500 --precision float,double " ONE },
    { .options = "--kind cubic --n 1k --precision float,double --interaction rdf:bins=8,rc=1.6" },
    /* bins whose edges lie between what float tells apart */
    { .options = "--kind fluid --n 5000 --precision double --interaction rdf:bins=2048,rc=1.5",
      .always = true },
    /* a bin of more pairs than 24 bits count */
    { .options = "--kind gas --n 6000 --precision float --open --interaction rdf:bins=2,rc=200",
      .always = true },
    /* every pair of particles in whole groups and one more or less is within the cutoff */
    { .options = "--kind gas --n 64,128,255,256,1023,1024,1025 --precision float --open "
                 "--interaction rdf:bins=2,rc=200",
      .always = true },
    { .options = NULL },
};

/* Numbers of bins from one to the most that kernels may have; more types than the box has. */
static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double", "--precision mixed"),
      .text = true },
    { .name = "interaction", /* types of an open box that has one or several */
      .values = WORKLOAD_VALUES(ONE, ("!" THREE), "--interaction rdf:bins=1,rc=1.2",
                                "--interaction rdf:bins=2048,rc=1.5",
                                "!--interaction rdf:bins=201,types=4,rc=1.4",
                                "!--interaction rdf:bins=13,types=17,rc=1.4"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("!--kind fluid", "!--kind brick", "--kind plate", "--kind gas",
                                "--kind droplets", "--kind salt", "--kind water", "--kind melt",
                                "--kind uniform", "--kind cubic", "--kind lattice",
                                "!--kind mixture", "--kind borders", "--kind degenerate") },
    WORKLOAD_BOX_FACTORS,
    { .name = "density", .values = WORKLOAD_VALUES("", "--density 0.1") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES, "--interaction", "--launch", NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "ends at its rc: give --interaction rdf:rc=" },
    { NULL, NULL },
};

static const char *const interactions[] = { "rdf", NULL };

static struct own_cutoff own_cutoff(const struct interaction *interaction) {
    return (struct own_cutoff){ interaction->functions[0].cutoff, "--interaction", "rc", false };
}

/* ---- histograms ---- */

static size_t bins_of(const struct case_spec *spec) {
    return (size_t)interaction_value(&spec->interaction, "bins");
}

static size_t types_of(const struct case_spec *spec) {
    return (size_t)interaction_value(&spec->interaction, "types");
}

static size_t number_count(const struct case_spec *spec) {
    return bins_of(spec) * (types_of(spec) * (types_of(spec) + 1) / 2);
}

static size_t number_bytes(const struct case_spec *spec) {
    (void)spec;
    return sizeof(int64_t);
}

static double number_at(const struct case_spec *spec, const void *stored, size_t k) {
    (void)spec;
    return (double)((const int64_t *)stored)[k];
}

/* All of them are compared of every launch, and fit into local memory. */
static const char *refuse_case(const struct case_spec *spec) {
    const double bins = interaction_value(&spec->interaction, "bins");
    const double types = interaction_value(&spec->interaction, "types");
    if (!(bins >= 1 && bins == floor(bins) && types >= 1 && types == floor(types))) {
        return "counts in bins: expected whole numbers of bins and types";
    }
    if (box_is_of_kind(spec->box.kind, "mixture") && types > 1 && types < BOX_MIXTURE_TYPES) {
        return "a mixture has 17 types: expected rdf:types=17 or more, or 1 for all alike";
    }
    return bins * types * (types + 1) / 2 <= PLACES_SAMPLE
               ? NULL
               : "has at most 2048 numbers: expected bins * types * (types + 1) / 2 <= 2048";
}

static double bytes(const struct case_spec *spec) {
    return 5 * sizeof(double) + (double)(number_count(spec) * number_bytes(spec)) /
                                    (double)(spec->box.n > 0 ? spec->box.n : 1);
}

/* ---- what kernels may bind ---- */

struct rdf_buffers {
    struct elements_arguments arguments; /* the types */
    struct placed_types types;
    size_t numbers;
};

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *context, struct error *error) {
    struct rdf_buffers *buffers = context;
    (void)cutoff;
    if (types_of(spec) > 1 && (size_t)box->types > types_of(spec)) {
        return fail(error, STATUS_BAD_INPUT,
                    "a box of %d types: expected rdf:types=%d or more, or 1 for all alike",
                    (int)box->types, (int)box->types);
    }
    buffers->numbers = number_count(spec);
    const bool alike = types_of(spec) == 1;
    const bool created = placed_types_create(device, box, alike, &buffers->types, error);
    buffers->arguments.types = buffers->types.buffer;
    return created;
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    return placed_types_reorder(&((struct rdf_buffers *)context)->types, order, error);
}

static bool count_unit(const void *context, const char *unit, size_t *count) {
    *count = ((const struct rdf_buffers *)context)->numbers;
    return strcmp(unit, "bin") == 0;
}

static const struct workload_buffers rdf_buffers = {
    .size = sizeof(struct rdf_buffers),
    .arguments = { WORKLOAD_ARGUMENTS(rdf_buffers, arguments, elements) },
    .create = create,
    .reorder = reorder,
    .unit = count_unit,
};

static const struct kernel_parameter type_parameters[] = {
    { "elements", "GLOBAL const int *", FROM_BUFFER(elements_arguments, types) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { type_parameters, offsetof(struct case_arguments, elements) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "bin", "compute_unit", "box", NULL };

static const struct kernel_parameter result = { "histogram", "GLOBAL long64 *",
                                                FROM_BUFFER(set_arguments, result) };
static const struct workload_places places = { &result, number_count, number_bytes, number_at };

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text,
                  "#define RDF_BIN_COUNT %zu\n#define RDF_TYPE_COUNT %zu\n"
                  "#define RDF_NUMBERS %zu\n",
                  bins_of(spec), types_of(spec), number_count(spec));
    kernel_text_append_words(spec, text);
}

extern const struct judge judge_rdf;
extern const struct workload workload_rdf;
const struct workload workload_rdf = {
    .name = "rdf",
    .summary = "histograms of the distances of pairs, for each pair of types",
    .judge = &judge_rdf,
    .fields = fields,
    .places = &places,
    .scalars = scalars,
    .buffers = &rdf_buffers,
    .words = WORKLOAD_WORDS_WITHOUT_SUMS("count", "counts", "pair", "pairs/s", "rdf_loop"),
    .axes = axes,
    .refusals = refusals,
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .refuse_case = refuse_case,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .precisions_refused = 1U << PRECISION_FIXED, /* counts are whole numbers anyway */
    .needs_atomics64 = true,
    .append_words = append_words,
    .bytes = bytes,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "rdf",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

struct expectation {
    struct rdf_counts counts;
};

static void free_expected(struct expectation *expected) {
    if (expected) {
        rdf_counts_free(&expected->counts);
        free(expected);
    }
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    const struct case_spec *spec = question->spec;
    const double unit = format_unit(precision_numeric(spec->precision).arithmetic) + 0x1p-53;
    const double length = box_length_scale(question->box);
    const struct rdf_asked asked = { .box = question->box,
                                     .interaction = &spec->interaction,
                                     .cutoff = question->cutoff,
                                     .width = unit * (7 * length + 12 * question->cutoff),
                                     .bins = bins_of(spec),
                                     .types = types_of(spec) };
    (void)use; /* computed in about the time that reading takes */
    *expected = calloc(1, sizeof **expected);
    if (!*expected) {
        return fail_out_of_memory(error, "the reference");
    }
    if (!reference_rdf(&asked, &(*expected)->counts, error)) {
        free_expected(*expected);
        *expected = NULL;
        return false;
    }
    return true;
}

static void hash_expected(const struct expectation *expected, struct hash_state *hash) {
    const struct rdf_counts *counts = &expected->counts;
    hash_add(hash, counts->count, counts->pairs * counts->bins * sizeof *counts->count);
    hash_add(hash, counts->near, counts->pairs * (counts->bins + 1) * sizeof *counts->near);
}

/* Compares the counts of a pair of types, summed up to each edge. */
static void compare_pair(const struct rdf_counts *counts, size_t pair, const double *got,
                         struct verdict *verdict) {
    const uint64_t *count = counts->count + pair * counts->bins;
    const uint64_t *near = counts->near + pair * (counts->bins + 1);
    double more = 0;
    for (size_t k = 0; k < counts->bins && verdict->status == STATUS_OK; k++) {
        more += got[k] - (double)count[k];
        const double off = fabs(more);
        const double ratio = off == 0 ? 0 : off / (double)near[k + 1]; /* NaN is wrong */
        verdict->worst_ratio = fmax(verdict->worst_ratio, ratio);
        if (!(ratio <= 1)) {
            verdict_say(verdict, STATUS_WRONG,
                        "bin %zu of pair %zu of types: got %.17g, expected %" PRIu64
                        "; up to its end %.17g too many, and %" PRIu64 " pairs near that edge",
                        k + 1, pair + 1, got[k], count[k], more, near[k + 1]);
            verdict->worst_ratio = isnan(ratio) ? INFINITY : ratio;
        }
    }
}

static void compare_placed(const struct judge_question *question,
                           const struct expectation *expected, const struct placed_results *placed,
                           struct verdict *verdict) {
    const struct rdf_counts *counts = &expected->counts;
    (void)question; /* all numbers are there, in their order: the judge chooses none */
    *verdict = verdict_of(STATUS_OK);
    verdict->worst_ratio = 0;
    for (size_t pair = 0; pair < counts->pairs && verdict->status == STATUS_OK; pair++) {
        compare_pair(counts, pair, placed->got + pair * counts->bins, verdict);
    }
}

static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    const struct placed_results placed = { .n = got->numbers,
                                           .got = got->force,
                                           .count = got->numbers };
    compare_placed(question, expected, &placed, verdict);
}

static void work(const struct judge_question *question, const struct expectation *expected,
                 struct expected_work *of_case) {
    const struct rdf_counts *counts = &expected->counts;
    (void)question;
    *of_case = (struct expected_work){ 0 };
    for (size_t pair = 0; pair < counts->pairs; pair++) {
        for (size_t k = 0; k < counts->bins; k++) {
            of_case->pairs += (int64_t)counts->count[pair * counts->bins + k];
        }
        of_case->edge_pairs += counts->near[pair * (counts->bins + 1) + counts->bins];
    }
}

const struct judge judge_rdf = { .name = "rdf",
                                 .expect = expect,
                                 .free = free_expected,
                                 .hash = hash_expected,
                                 .compare = compare,
                                 .compare_placed = compare_placed,
                                 .work = work };
