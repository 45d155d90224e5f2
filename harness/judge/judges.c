/* The judges that there are. */
#include "judge/judges.h"

#include "judge/gate.h"

#include <stdlib.h>
#include <string.h>

extern const struct judge judge_pair_sums;
extern const struct judge judge_draws;
extern const struct judge judge_bonded_terms;
extern const struct judge judge_constrained;
extern const struct judge judge_trajectory;

static const struct judge *const judges[] = { &judge_pair_sums, &judge_draws, &judge_bonded_terms,
                                              &judge_constrained, &judge_trajectory };

/* ---- of sums of terms ---- */

void judge_compare_forces(const struct judge_question *question, const struct reference *expected,
                          const struct evaluation *got, struct verdict *verdict) {
    const struct case_spec *spec = question->spec;
    gate_compare_in_words(&spec->variant->workload->words, expected,
                          box_length_scale(question->box), spec->precision, spec->outputs, got,
                          verdict);
}

void judge_compare_totals(const struct judge_question *question, const struct reference *expected,
                          const struct evaluation *got, struct verdict *verdict) {
    const struct case_spec *spec = question->spec;
    gate_compare_totals(&spec->variant->workload->words, expected, box_length_scale(question->box),
                        spec->precision, spec->outputs, got, verdict);
}

bool judge_force_tolerances(const struct judge_question *question, const struct reference *expected,
                            double *numbers, struct error *error) {
    return tolerances_of_forces(expected, box_length_scale(question->box),
                                question->spec->precision, numbers, error);
}

/* ---- by name ---- */

/* A workload whose judge is none of these is a mistake in this program, found by test_workload. */
const struct judge *judge_of(const struct case_spec *spec) {
    for (size_t j = 0; j < sizeof judges / sizeof judges[0]; j++) {
        if (strcmp(judges[j]->name, spec->variant->workload->judge) == 0) {
            return judges[j];
        }
    }
    return NULL;
}

bool judge_pick_displacements(struct reference *all, const uint32_t *particle, size_t count,
                              struct reference *expected, struct error *error) {
    double *picked = malloc((4 * count + 1) * sizeof *picked);
    if (!picked) {
        reference_free(all);
        return fail_out_of_memory(error, "the displacements");
    }
    for (size_t k = 0; k < count; k++) {
        memcpy(&picked[3 * k], &all->force[3 * (size_t)particle[k]], 3 * sizeof *picked);
        picked[3 * count + k] = all->motion.displacement_error[particle[k]];
    }
    memcpy(all->force, picked, 3 * count * sizeof *picked);
    memcpy(all->motion.displacement_error, picked + 3 * count, count * sizeof *picked);
    free(picked);
    *expected = *all;
    expected->n = count;
    return true;
}
