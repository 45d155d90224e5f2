/* What the judges of sums do alike. */
#include "workloads/sums.h"

#include "workloads/gate.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is expected ---- */

struct expectation *sums_allocate(struct error *error) {
    struct expectation *made = calloc(1, sizeof *made);
    if (!made) {
        (void)fail_out_of_memory(error, "what is expected");
    }
    return made;
}

bool sums_take(struct expectation *made, bool computed, struct expectation **expected) {
    if (!computed) {
        free(made);
        made = NULL;
    }
    *expected = made;
    return computed;
}

void sums_free(struct expectation *expected) {
    if (expected) {
        reference_free(&expected->reference);
        free(expected);
    }
}

static void add_array(struct hash_state *hash, const void *array, size_t bytes) {
    if (array) {
        hash_add(hash, array, bytes);
    }
}

void sums_hash(const struct expectation *expected, struct hash_state *hash) {
    const struct reference *reference = &expected->reference;
    const struct reference_motion *motion = &reference->motion;
    const size_t n = reference->n;
    const size_t faces = STEP_FACES * (size_t)motion->types;
    hash_add(hash, reference, sizeof *reference); /* never copied: its padding stays, too */
    add_array(hash, reference->force, 3 * n * sizeof *reference->force);
    add_array(hash, reference->scale, n * sizeof *reference->scale);
    add_array(hash, reference->slope, n * sizeof *reference->slope);
    add_array(hash, reference->bend, n * sizeof *reference->bend);
    add_array(hash, reference->neighbours, n * sizeof *reference->neighbours);
    add_array(hash, reference->share, 2 * n * sizeof *reference->share);
    add_array(hash, motion->velocity, 3 * n * sizeof *motion->velocity);
    add_array(hash, motion->displacement_error, n * sizeof *motion->displacement_error);
    add_array(hash, motion->velocity_error, n * sizeof *motion->velocity_error);
    add_array(hash, motion->crossing, faces * sizeof *motion->crossing);
    add_array(hash, motion->doubt, faces * sizeof *motion->doubt);
    add_array(hash, motion->carried, faces * sizeof *motion->carried);
    add_array(hash, motion->carried_error, faces * sizeof *motion->carried_error);
    add_array(hash, reference->edge_pairs,
              reference->edge_pair_count * sizeof *reference->edge_pairs);
}

/* ---- comparing ---- */

void sums_compare(const struct judge_question *question, const struct expectation *expected,
                  const struct evaluation *got, struct verdict *verdict) {
    const struct case_spec *spec = question->spec;
    gate_compare_in_words(&spec->variant->workload->words, &expected->reference,
                          box_length_scale(question->box), spec->precision, spec->outputs, got,
                          verdict);
}

void sums_compare_totals(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *got, struct verdict *verdict) {
    const struct case_spec *spec = question->spec;
    gate_compare_totals(&spec->variant->workload->words, &expected->reference,
                        box_length_scale(question->box), spec->precision, spec->outputs, got,
                        verdict);
}

bool sums_bounds(const struct judge_question *question, const struct expectation *expected,
                 enum judged_field field, double *wanted, double *tolerance, struct error *error) {
    const struct reference *reference = &expected->reference;
    (void)field; /* there is none but the result */
    memcpy(wanted, reference->force, 3 * reference->n * sizeof *wanted);
    return tolerances_of_forces(reference, box_length_scale(question->box),
                                question->spec->precision, tolerance, error);
}

void sums_work(const struct judge_question *question, const struct expectation *expected,
               struct expected_work *work) {
    const struct reference *reference = &expected->reference;
    *work = (struct expected_work){
        .pairs = (int64_t)reference->pairs_in_cutoff,
        .edge_pairs = tolerances_edge_pairs(reference, box_length_scale(question->box),
                                            question->spec->precision),
    };
}
