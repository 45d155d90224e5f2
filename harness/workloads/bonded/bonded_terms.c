/* The judge of workloads that are sums of listed terms (kernels/potentials/bonded.h). */
#include "reference/bonded/bonded.h"
#include "workloads/gate.h"
#include "workloads/sums.h"

/* How errors move a term near where it is not defined depends on how large they are. */
static double unit_of(const struct judge_question *question) {
    return format_unit(precision_numeric(question->spec->precision).arithmetic);
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct expectation *sums = sums_allocate(error);
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    (void)use; /* computed in less time than it is read */
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded(question->box, terms, unit_of(question), &sums->reference, NULL, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct expectation *sums = sums_allocate(error);
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded_some(question->box, terms, unit_of(question), particle, count,
                              &sums->reference, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

extern const struct judge judge_bonded_terms;
const struct judge judge_bonded_terms = { .name = "bonded_terms",
                                          .expect = expect,
                                          .expect_some = expect_some,
                                          .free = sums_free,
                                          .hash = sums_hash,
                                          .compare = sums_compare,
                                          .compare_scalars = sums_compare_totals,
                                          .bounds = sums_bounds,
                                          .work = sums_work };
