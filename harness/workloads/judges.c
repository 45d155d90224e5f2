/* Asking a judge, of one box or of a batch. */
#include "workloads/judges.h"

#include "workloads/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is expected ---- */

/* Room for so many boxes, or places. NULL: no memory. */
static struct expectation *allocate(size_t count, struct error *error) {
    struct expectation *made = sums_allocate(error);
    if (!made) {
        return NULL;
    }
    made->boxes = calloc(count + 1, sizeof *made->boxes);
    made->box = calloc(count + 1, sizeof *made->box);
    if (!made->boxes || !made->box) {
        sums_free(made);
        (void)fail_out_of_memory(error, "what is expected of a batch");
        return NULL;
    }
    return made;
}

static struct judge_question question_of_box(const struct judge_question *of_batch,
                                             const struct box *part) {
    return (struct judge_question){ of_batch->spec, part, of_batch->cutoff, NULL };
}

static bool batch_expect(const struct judge_question *question, enum expect_use use,
                         struct expectation **expected, struct error *error) {
    const size_t boxes = box_count(question->box);
    struct expectation *made = allocate(boxes, error);
    bool computed = made != NULL;
    for (size_t b = 0; computed && b < boxes; b++) {
        const struct box part = box_of_batch(question->box, b);
        const struct judge_question of_box = question_of_box(question, &part);
        if (part.n == 0) {
            continue;
        }
        made->box[made->box_count] = b;
        computed =
            judge_of(question->spec)->expect(&of_box, use, &made->boxes[made->box_count], error) ||
            fail_within(error, "box %zu", b + 1);
        made->box_count += computed;
    }
    if (!computed) {
        sums_free(made);
        made = NULL;
    }
    *expected = made;
    return computed;
}

static bool batch_expect_some(const struct judge_question *question, const uint32_t *particle,
                              size_t count, struct expectation **expected, struct error *error) {
    struct expectation *made = allocate(count, error);
    bool computed = made != NULL;
    for (size_t k = 0; computed && k < count; k++) {
        const size_t b = box_of_particle(question->box, particle[k]);
        const struct box part = box_of_batch(question->box, b);
        const struct judge_question of_box = question_of_box(question, &part);
        const uint32_t own = (uint32_t)(particle[k] - box_begin(question->box, b));
        made->box[k] = b;
        computed = judge_of(question->spec)->expect_some(&of_box, &own, 1, &made->boxes[k], error);
        made->box_count += computed;
    }
    if (!computed) {
        sums_free(made);
        made = NULL;
    }
    *expected = made;
    return computed;
}

/* ---- comparing ---- */

/* What a batch came to in one of its boxes. */
static struct evaluation evaluation_of_box(const struct judge_question *question, size_t b,
                                           const struct evaluation *got) {
    const struct box part = box_of_batch(question->box, b);
    struct evaluation of_box = *got;
    of_box.n = part.n;
    of_box.numbers = 3 * part.n;
    of_box.force = got->force ? got->force + 3 * box_begin(question->box, b) : NULL;
    of_box.velocity = got->velocity ? got->velocity + 3 * box_begin(question->box, b) : NULL;
    of_box.sum_items = floor(got->sum_items / (double)box_count(question->box));
    of_box.of_box = NULL;
    of_box.boxes = 0;
    if (got->of_box) {
        of_box.energy = got->of_box[b].energy;
        of_box.energy_vdw = got->of_box[b].energy_vdw;
        of_box.energy_coulomb = got->of_box[b].energy_coulomb;
        memcpy(of_box.virial, got->of_box[b].virial, sizeof of_box.virial);
    }
    return of_box;
}

static double larger(double a, double b) {
    return isnan(a) || b > a ? b : a;
}

/* The largest errors of all, and the message of the first box that is wrong. */
static void add_verdict(size_t b, size_t boxes, const struct verdict *of_box,
                        struct verdict *whole) {
    whole->max_force_error = larger(whole->max_force_error, of_box->max_force_error);
    whole->rms_force_error = larger(whole->rms_force_error, of_box->rms_force_error);
    whole->energy_error = larger(whole->energy_error, of_box->energy_error);
    whole->virial_error = larger(whole->virial_error, of_box->virial_error);
    whole->worst_ratio = larger(whole->worst_ratio, of_box->worst_ratio);
    whole->net_force = larger(whole->net_force, of_box->net_force);
    if (of_box->pairs_in_cutoff >= 0) {
        whole->pairs_in_cutoff =
            (whole->pairs_in_cutoff > 0 ? whole->pairs_in_cutoff : 0) + of_box->pairs_in_cutoff;
    }
    if (whole->status == STATUS_OK && of_box->status != STATUS_OK) {
        verdict_say(whole, of_box->status, "box %zu of %zu: %.*s", b + 1, boxes,
                    (int)sizeof whole->message - 64, of_box->message);
    }
}

/* A box without particles has neither energy nor virial. */
static void compare_empty(const struct judge_question *question, size_t b,
                          const struct evaluation *got, struct verdict *verdict) {
    const struct box_scalars *scalars = got->of_box ? &got->of_box[b] : NULL;
    bool good = !scalars || question->spec->outputs < OUTPUTS_ENERGY || scalars->energy == 0;
    for (int k = 0; scalars && question->spec->outputs == OUTPUTS_VIRIAL && k < 9; k++) {
        good = good && scalars->virial[k] == 0;
    }
    if (!good) {
        verdict_say(verdict, STATUS_WRONG, "got %s %.9g of no particles",
                    question->spec->variant->workload->words.value, scalars->energy);
    }
}

enum comparison { COMPARE_RESULTS, COMPARE_ALL, COMPARE_SCALARS, COMPARE_ORDERS };

/* What a launch left, and where two are compared what another left before. */
struct compared {
    enum comparison by;
    const struct evaluation *before, *got;
};

static void compare_box(const struct judge_question *question, const struct expectation *expected,
                        const struct compared *compared, struct verdict *verdict) {
    const struct judge *judge = judge_of(question->spec);
    switch (compared->by) {
    case COMPARE_RESULTS:
        judge->compare(question, expected, compared->got, verdict);
        break;
    case COMPARE_ALL:
        judge->compare_all(question, expected, compared->got, verdict);
        break;
    case COMPARE_SCALARS:
        judge->compare_scalars(question, expected, compared->got, verdict);
        break;
    case COMPARE_ORDERS:
        judge->compare_orders(question, expected, compared->before, compared->got, verdict);
        break;
    }
}

/* Scalars and orders are compared without forces, too. */
static bool has_all_forces(const struct judge_question *question, const struct compared *compared,
                           struct verdict *verdict) {
    const struct evaluation *got = compared->got;
    if (compared->by == COMPARE_SCALARS || compared->by == COMPARE_ORDERS ||
        (got->n == question->box->n && got->force)) {
        return true;
    }
    verdict_say(verdict, STATUS_WRONG, "got results of %zu particles, expected those of %zu",
                got->force ? got->n : 0, question->box->n);
    return false;
}

static void compare_batch(const struct judge_question *question, const struct expectation *expected,
                          const struct compared *compared, struct verdict *verdict) {
    const struct evaluation *got = compared->got;
    const size_t boxes = box_count(question->box);
    size_t k = 0; /* of those that are expected */
    *verdict = verdict_of(STATUS_OK);
    if (!has_all_forces(question, compared, verdict)) {
        return;
    }
    for (size_t b = 0; b < boxes; b++) {
        const struct box part = box_of_batch(question->box, b);
        const struct judge_question of_box = question_of_box(question, &part);
        const struct evaluation evaluation = evaluation_of_box(question, b, got);
        const struct evaluation before =
            compared->before ? evaluation_of_box(question, b, compared->before) : evaluation;
        struct verdict verdict_of_box = verdict_of(STATUS_OK);
        if (part.n > 0) {
            compare_box(&of_box, expected->boxes[k++],
                        &(struct compared){ compared->by, &before, &evaluation }, &verdict_of_box);
        } else {
            compare_empty(question, b, got, &verdict_of_box);
        }
        add_verdict(b, boxes, &verdict_of_box, verdict);
    }
}

static bool batch_bounds(const struct judge_question *question, const struct expectation *expected,
                         enum judged_field field, double *wanted, double *tolerance,
                         struct error *error) {
    const struct judge *judge = judge_of(question->spec);
    bool good = true;
    size_t first = 0;
    for (size_t k = 0; good && k < expected->box_count; k++) {
        const struct box part = box_of_batch(question->box, expected->box[k]);
        const struct judge_question of_box = question_of_box(question, &part);
        good = judge->bounds(&of_box, expected->boxes[k], field, wanted + 3 * first,
                             tolerance + 3 * first, error);
        first += expected->boxes[k]->reference.n;
    }
    return good;
}

static void batch_work(const struct judge_question *question, const struct expectation *expected,
                       struct expected_work *work) {
    *work = (struct expected_work){ 0 };
    for (size_t k = 0; k < expected->box_count; k++) {
        const struct box part = box_of_batch(question->box, expected->box[k]);
        const struct judge_question of_box = question_of_box(question, &part);
        struct expected_work of_one = { 0 };
        judge_of(question->spec)->work(&of_box, expected->boxes[k], &of_one);
        work->pairs += of_one.pairs;
        work->edge_pairs += of_one.edge_pairs;
    }
}

/* ---- of one box, or of a batch ---- */

static bool is_by_box(const struct judge_question *question) {
    return judge_of(question->spec)->by_box && question->box->batch > 1;
}

bool judge_expect(const struct judge_question *question, enum expect_use use,
                  struct expectation **expected, struct error *error) {
    const struct judge *judge = judge_of(question->spec);
    if (is_by_box(question)) {
        return batch_expect(question, use, expected, error);
    }
    *expected = NULL;
    return !judge->expect || judge->expect(question, use, expected, error);
}

bool judge_expect_some(const struct judge_question *question, const uint32_t *particle,
                       size_t count, struct expectation **expected, struct error *error) {
    return (is_by_box(question) ? batch_expect_some : judge_of(question->spec)->expect_some)(
        question, particle, count, expected, error);
}

size_t judge_places(const struct judge_question *question) {
    const struct judge *judge = judge_of(question->spec);
    return judge->places && !is_by_box(question) ? judge->places(question) : 0;
}

/* Compares the whole, or a batch box by box. */
static void compare(const struct judge_question *question, const struct expectation *expected,
                    struct compared compared, struct verdict *verdict) {
    (is_by_box(question) ? compare_batch : compare_box)(question, expected, &compared, verdict);
}

void judge_compare(const struct judge_question *question, const struct expectation *expected,
                   const struct evaluation *got, struct verdict *verdict) {
    compare(question, expected, (struct compared){ COMPARE_RESULTS, NULL, got }, verdict);
}

void judge_compare_all(const struct judge_question *question, const struct expectation *expected,
                       const struct evaluation *got, struct verdict *verdict) {
    compare(question, expected, (struct compared){ COMPARE_ALL, NULL, got }, verdict);
}

void judge_compare_scalars(const struct judge_question *question,
                           const struct expectation *expected, const struct evaluation *got,
                           struct verdict *verdict) {
    compare(question, expected, (struct compared){ COMPARE_SCALARS, NULL, got }, verdict);
}

void judge_compare_orders(const struct judge_question *question, const struct expectation *expected,
                          const struct evaluation *before, const struct evaluation *got,
                          struct verdict *verdict) {
    compare(question, expected, (struct compared){ COMPARE_ORDERS, before, got }, verdict);
}

bool judge_bounds(const struct judge_question *question, const struct expectation *expected,
                  enum judged_field field, double *wanted, double *tolerance, struct error *error) {
    return (is_by_box(question) ? batch_bounds : judge_of(question->spec)->bounds)(
        question, expected, field, wanted, tolerance, error);
}

void judge_work(const struct judge_question *question, const struct expectation *expected,
                struct expected_work *work) {
    (is_by_box(question) ? batch_work : judge_of(question->spec)->work)(question, expected, work);
}

bool numbers_pick(double **numbers, size_t each, const uint32_t *particle, size_t count,
                  struct error *error) {
    double *picked = malloc((each * count + 1) * sizeof *picked);
    if (!picked) {
        return fail_out_of_memory(error, "what is expected");
    }
    for (size_t k = 0; k < count; k++) {
        memcpy(picked + each * k, *numbers + each * (size_t)particle[k], each * sizeof *picked);
    }
    free(*numbers);
    *numbers = picked;
    return true;
}
