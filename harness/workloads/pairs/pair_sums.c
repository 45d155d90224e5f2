/* The judge of workloads that are sums over pairs of terms along the line between two particles:
 * forces, and what has their negative as its result. */
#include "workloads/gate.h"
#include "workloads/judges.h"

#include <string.h>

/* The reference computes forces. What a workload has in their place is theirs by the sign with
 * which it takes a parameter of that name. */
static double sign_of_forces(const struct workload *workload) {
    const struct workload_field *result = workload_result(workload);
    for (int p = 0; p < WORKLOAD_MAX_PARAMETERS; p++) {
        if (result->parameters[p].name && strcmp(result->parameters[p].name, "force") == 0) {
            return result->parameters[p].sign;
        }
    }
    return 1;
}

static void turn_forces(const struct judge_question *question, struct reference *expected) {
    const double sign = sign_of_forces(question->spec->variant->workload);
    for (size_t k = 0; sign != 1 && k < 3 * expected->n; k++) {
        expected->force[k] *= sign;
    }
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct reference *expected, struct error *error) {
    const struct interaction *interaction = &question->spec->interaction;
    const bool computed = (use == EXPECT_KEPT ? reference_compute_groups : reference_cells_groups)(
        question->box, interaction, question->cutoff, question->groups, expected, error);
    if (computed) {
        turn_forces(question, expected);
    }
    return computed;
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct reference *expected, struct error *error) {
    const bool computed =
        reference_compute_some(question->box, &question->spec->interaction, question->cutoff,
                               question->groups, particle, count, expected, error);
    if (computed) {
        turn_forces(question, expected);
    }
    return computed;
}

extern const struct judge judge_pair_sums;
const struct judge judge_pair_sums = { .name = "pair_sums",
                                       .expect = expect,
                                       .expect_some = expect_some,
                                       .compare = judge_compare_forces,
                                       .compare_scalars = judge_compare_totals,
                                       .tolerances = judge_force_tolerances };
