/* The judges that there are. */
#include "judge/judges.h"

#include <string.h>

extern const struct judge judge_pair_sums;
extern const struct judge judge_draws;
extern const struct judge judge_bonded_terms;
extern const struct judge judge_trajectory;

static const struct judge *const judges[] = { &judge_pair_sums, &judge_draws, &judge_bonded_terms,
                                              &judge_trajectory };

/* A workload whose judge is none of these is a mistake in this program, found by test_workload. */
const struct judge *judge_of(const struct case_spec *spec) {
    for (size_t j = 0; j < sizeof judges / sizeof judges[0]; j++) {
        if (strcmp(judges[j]->name, spec->variant->workload->judge) == 0) {
            return judges[j];
        }
    }
    return NULL;
}
