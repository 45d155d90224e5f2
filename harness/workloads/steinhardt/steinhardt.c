/* steinhardt — bond order parameters: how alike the directions from a particle to its neighbours
 * are to those in a crystal. Its results are three numbers for each particle. */
#include "reference/steinhardt/steinhardt.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/text/kernel_text.h"
#include "workloads/gate.h"

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "order", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { "order", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* In units of sigma, as boxes are made by default. */
#define NEAR "--interaction steinhardt:rc=1.5"
#define FAR "--interaction steinhardt:rc=2.3"

static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1k --precision float,mixed,double " NEAR,
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind lattice --n 500 --precision float,double " NEAR },
    { .options = "--kind uniform --n 1,2,3,17 --precision float,double --open " NEAR },
    { .options = "--kind fluid@75:100:65 --n 500 --precision float,double " FAR },
    /* more neighbours than 8 bits count */
    { .options = "--kind melt --n 550 --density 5.5 --precision float " FAR, .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double", "--precision mixed"),
      .text = true,
      .closely = true },
    { .name = "interaction", .values = WORKLOAD_VALUES(NEAR, FAR), .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind plate", "--kind gas",
                                "--kind droplets", "--kind melt", "--kind uniform",
                                "--kind borders", "--kind lattice") },
    WORKLOAD_BOX_FACTORS,
    { .name = "density", .values = WORKLOAD_VALUES("", "--density 0.1", "--density 3.5") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES, "--interaction", "--launch", NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "ends at its rc: give --interaction steinhardt:rc=" },
    { NULL, NULL },
};

static const char *const interactions[] = { "steinhardt", NULL };

static struct own_cutoff own_cutoff(const struct interaction *interaction) {
    return (struct own_cutoff){ interaction->functions[0].cutoff, "--interaction", "rc", false };
}

static const struct parameter_table parameter_tables[] = { { bindings_of_case, 0 }, { NULL, 0 } };
static const char *const units[] = { "particle", "compute_unit", "box", NULL };

extern const struct judge judge_steinhardt;
extern const struct workload workload_steinhardt;
const struct workload workload_steinhardt = {
    .name = "steinhardt",
    .summary = "bond order parameters q4 and q6 of each particle, and its neighbours",
    .judge = &judge_steinhardt,
    .fields = fields,
    .scalars = scalars,
    .words = WORKLOAD_WORDS_WITHOUT_SUMS("order", "orders", "pair", "pairs/s", "steinhardt_loop"),
    .axes = axes,
    .refusals = refusals,
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .precisions_refused = 1U << PRECISION_FIXED, /* a length is no sum */
    .append_words = kernel_text_append_words,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "steinhardt",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    const struct steinhardt_asked asked = { question->box, question->cutoff };
    struct expectation *made = sums_allocate(error);
    return sums_take(made,
                     made && reference_steinhardt(&asked, particle, count, &made->reference, error),
                     expected);
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    (void)use; /* computed in about the time that reading takes */
    return expect_some(question, NULL, 0, expected, error);
}

const struct judge judge_steinhardt = { .name = "steinhardt",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .free = sums_free,
                                        .hash = sums_hash,
                                        .compare = sums_compare,
                                        .bounds = sums_bounds,
                                        .work = sums_work };
