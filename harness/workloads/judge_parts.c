/* What several judges do in the same way. */
#include "workloads/gate.h"
#include "workloads/judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the interaction itself has no value, that is why. */
static void say_where_valueless(const struct judge_question *question, struct verdict *verdict) {
    const struct workload *workload = question->spec->variant->workload;
    struct reference_valueless at;
    struct error ignored;
    if (verdict->status == STATUS_UNSUPPORTED && !workload->takes_terms && !workload->constrains &&
        reference_find_valueless(question->box, &question->spec->interaction, question->cutoff, &at,
                                 &ignored)) {
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "the interaction has no finite value at r = %.9g, the distance of particles "
                       "%u and %u: energy %g, force %g",
                       at.r, (unsigned)at.i + 1, (unsigned)at.j + 1,
                       isnan(at.energy) ? NAN : at.energy, isnan(at.force) ? NAN : at.force);
    }
}

void judge_compare_forces(const struct judge_question *question, const struct reference *expected,
                          const struct evaluation *got, struct verdict *verdict) {
    const struct case_spec *spec = question->spec;
    gate_compare_in_words(&spec->variant->workload->words, expected,
                          box_length_scale(question->box), spec->precision, spec->outputs, got,
                          verdict);
    say_where_valueless(question, verdict);
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
