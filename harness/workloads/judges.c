/* The judges that there are. */
#include "workloads/judges.h"

#include <string.h>

extern const struct judge judge_pair_sums;
extern const struct judge judge_draws;
extern const struct judge judge_bonded_terms;
extern const struct judge judge_constrained;
extern const struct judge judge_trajectory;

static const struct judge *const judges[] = { &judge_pair_sums, &judge_draws, &judge_bonded_terms,
                                              &judge_constrained, &judge_trajectory };

/* NULL, for a workload whose judge is none of these, is a mistake in this program: no case of that
 * workload could be judged (tests/kernels/test_each_kernel.sh). */
const struct judge *judge_of(const struct case_spec *spec) {
    for (size_t j = 0; j < sizeof judges / sizeof judges[0]; j++) {
        if (strcmp(judges[j]->name, spec->variant->workload->judge) == 0) {
            return judges[j];
        }
    }
    return NULL;
}

bool judge_expect_some(const struct judge_question *question, const uint32_t *particle,
                       size_t count, struct reference *expected, struct error *error) {
    const struct judge *judge = judge_of(question->spec);
    struct reference all;
    if (judge->expect_some) {
        return judge->expect_some(question, particle, count, expected, error);
    }
    return judge->expect(question, EXPECT_ONCE, &all, error) &&
           judge_pick_displacements(&all, particle, count, expected, error);
}
