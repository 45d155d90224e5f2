#include "measure/one_case.h"

#include "core/cache.h"
#include "core/host.h"
#include "workloads/gate.h"

#include <string.h>

/* ---- verdicts ---- */

void expected_compare(const struct expected *expected, const struct case_spec *spec,
                      const struct evaluation *evaluation, struct verdict *verdict) {
    const struct verdict before = *verdict;
    const struct judge_question question = { spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    judge_compare(&question, expected->reference, evaluation, verdict);
    verdict->bitwise_repeatable = before.bitwise_repeatable;
    memcpy(verdict->repeatable, before.repeatable, sizeof verdict->repeatable);
    memcpy(verdict->result_hash, before.result_hash, sizeof verdict->result_hash);
    verdict->judged = expected->judged;
}

void verdict_say_when(struct verdict *verdict, const char *when) {
    const size_t length = strlen(when);
    memmove(verdict->message + length, verdict->message, sizeof verdict->message - length - 1);
    memcpy(verdict->message, when, length);
    verdict->message[sizeof verdict->message - 1] = '\0';
}

void verdict_take_over(struct verdict *verdict, const struct verdict *later, const char *when) {
    if (later->status != STATUS_OK) {
        verdict->status = later->status;
        memcpy(verdict->message, later->message, sizeof verdict->message);
        verdict_say_when(verdict, when);
    }
}

void gate_guards(struct device *device, struct verdict *verdict) {
    struct error error;
    struct verdict before = *verdict;
    if (device_check_guards(device, &error)) {
        return;
    }
    if (verdict->status == STATUS_OK || verdict->status == STATUS_WRONG) {
        verdict_fail(verdict, &error);
    }
    if (before.status == STATUS_WRONG && error.status == STATUS_WRONG) {
        const size_t length = strlen(verdict->message);
        (void)snprintf(verdict->message + length, sizeof verdict->message - length, "; %.*s",
                       (int)(sizeof before.message - length - sizeof "; "), before.message);
    }
}

/* ---- evaluations that the host compares ---- */

/* Whether two evaluations agree bit by bit in results, energies and virials; NaN equals NaN. */
static bool same_bits(const struct evaluation *one, const struct evaluation *other) {
    return memcmp(one->force, other->force, one->numbers * sizeof *one->force) == 0 &&
           memcmp(&one->energy, &other->energy, sizeof one->energy) == 0 &&
           memcmp(&one->energy_vdw, &other->energy_vdw, sizeof one->energy_vdw) == 0 &&
           memcmp(&one->energy_coulomb, &other->energy_coulomb, sizeof one->energy_coulomb) == 0 &&
           memcmp(one->virial, other->virial, sizeof one->virial) == 0;
}

bool gate_evaluate(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error) {
    return kernel_plan_build(plan, error) &&
           fill_outputs_with_byte(plan, GATE_POISON_BYTE, error) &&
           kernel_plan_enqueue(plan, error) && kernel_plan_collect(plan, evaluation, error);
}

/* Reads and compares what lies in the outputs now. False when the device failed; the verdict has
 * the rest. */
static bool gate_outputs(const struct one_case *one, struct verdict *verdict,
                         struct evaluation *evaluation, struct error *error) {
    if (!kernel_plan_collect(one->plan, evaluation, error)) {
        return false;
    }
    expected_compare(one->expected, one->spec, evaluation, verdict);
    return true;
}

/* In the first run, memory that nobody has written holds NaN, which shows in the result; in the
 * second zeros, so that a kernel fails that computes only where it finds NaN. The guards around the
 * buffers differ, too. */
bool gate_first(const struct one_case *one, bool twice, struct evaluation *first,
                struct verdict *verdict, struct error *error) {
    static const unsigned char before[2] = { GATE_POISON_BYTE, 0 };
    struct evaluation second = { 0 };
    struct evaluation *const evaluations[2] = { first, &second };
    struct kernel_plan *plan = one->plan;
    const int runs = twice ? 2 : 1;
    bool ran = true;
    for (int run = 0; ran && run < runs && verdict->status == STATUS_OK; run++) {
        ran = kernel_plan_invalidate(plan, error) && kernel_plan_build(plan, error) &&
              fill_outputs_with_byte(plan, before[run], error) &&
              kernel_plan_enqueue(plan, error) &&
              gate_outputs(one, verdict, evaluations[run], error);
        if (ran) {
            gate_guards(one->device, verdict);
        }
    }
    if (ran && second.force) {
        verdict->bitwise_repeatable = same_bits(first, &second);
    }
    evaluation_free(&second);
    return ran;
}

bool gate_over_others(const struct one_case *one, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    if (verdict->status != STATUS_OK) {
        return true;
    }
    bool ran = fill_outputs_with_garbage(one->plan, error) &&
               kernel_plan_enqueue(one->plan, error) &&
               gate_outputs(one, verdict, &evaluation, error);
    evaluation_free(&evaluation);
    if (ran && verdict->status != STATUS_OK) {
        verdict_say_when(verdict, "launched over other outputs: ");
    }
    return ran;
}

/* ---- launches that the judge of launches compares ---- */

/* One round as it is timed: particles in another order, inputs watched, outputs overwritten between
 * launches. *verdict becomes the round's. */
static bool gate_round(const struct one_case *one, int launches, struct verdict *verdict,
                       struct error *error) {
    bool ran = launch_judge_begin(one->judge, error);
    for (int launch = 0; ran && launch < launches; launch++) {
        ran = kernel_plan_enqueue(one->plan, error) &&
              launch_judge_launch(one->judge, launch, true, error);
    }
    return ran && launch_judge_end(one->judge, launches, verdict, error);
}

bool gate_afterwards(const struct one_case *one, struct verdict *verdict, struct error *error) {
    struct verdict of_round = verdict_of(STATUS_OK);
    if (!gate_round(one, 1, &of_round, error)) {
        return false;
    }
    verdict_take_over(verdict, &of_round, "after the timed launches: ");
    return true;
}

bool gate_again(const struct one_case *one, struct verdict *verdict, struct error *error) {
    static const double cap_s = 0.01;
    struct launch_judge *judge = one->judge;
    struct verdict of_round = *verdict;
    int launches = 0;
    if (verdict->status != STATUS_OK) {
        return true;
    }
    bool ran = launch_judge_begin_scattered(judge, error) && device_finish(one->device, error);
    const double start = clock_s();
    while (ran && launches < LAUNCH_JUDGE_MAX && clock_s() - start < cap_s) {
        ran = kernel_plan_enqueue(one->plan, error) &&
              launch_judge_launch(judge, launches++, false, error) &&
              device_finish(one->device, error);
    }
    if (!ran || !launch_judge_end(judge, launches, &of_round, error)) {
        return false;
    }
    verdict_take_over(verdict, &of_round, "launched again: ");
    return true;
}

static bool gate_moved(const struct one_case *one, enum moved_use use, const char *when,
                       struct verdict *verdict, struct error *error) {
    struct verdict of_round = *verdict;
    bool again = true;
    if (verdict->status != STATUS_OK) {
        return true;
    }
    while (again) {
        if (!launch_judge_begin_moved(one->judge, use, error) ||
            !kernel_plan_enqueue(one->plan, error) ||
            !launch_judge_end_moved(one->judge, use, &of_round, &again, error)) {
            return false;
        }
    }
    verdict_take_over(verdict, &of_round, when);
    return true;
}

bool gate_orders(const struct one_case *one, struct verdict *verdict, struct error *error) {
    enum { ROUNDS = 2, LAUNCHES = 3 };
    const bool has_particles = kernel_plan_has_particles(one->plan);
    struct verdict of_round = *verdict;
    for (int round = 0; round < ROUNDS && of_round.status == STATUS_OK; round++) {
        if (!gate_round(one, LAUNCHES, &of_round, error)) {
            return false;
        }
    }
    if (verdict->status == STATUS_OK) {
        verdict_take_over(verdict, &of_round,
                          has_particles ? "particles in another order: " : "another seed: ");
    }
    return gate_moved(one, MOVED_KEPT,
                      has_particles ? "particles moved a little: " : "another seed: ", verdict,
                      error);
}

bool gate_far(const struct one_case *one, struct verdict *verdict, struct error *error) {
    return !kernel_plan_has_skin(one->plan) ||
           gate_moved(one, MOVED_FAR, "particles moved by nearly half the skin: ", verdict, error);
}

/* ---- for what a result has the same bits ---- */

/* Odd: in reverse, and shifted. */
static const uint64_t another_order = 0x5bd1e9955bd1e995U;

static void note(struct verdict *verdict, const char *what, bool holds) {
    const size_t length = strlen(verdict->repeatable);
    (void)snprintf(verdict->repeatable + length, sizeof verdict->repeatable - length, "%s%s%s",
                   length > 0 ? ", " : "", holds ? "" : "not ", what);
}

void gate_note_hash(const struct evaluation *evaluation, struct verdict *verdict) {
    struct hash_state *hash = hash_begin();
    hash_add(hash, evaluation->force, evaluation->numbers * sizeof *evaluation->force);
    hash_add(hash, &evaluation->energy, sizeof evaluation->energy);
    hash_add(hash, &evaluation->energy_coulomb, sizeof evaluation->energy_coulomb);
    hash_add(hash, evaluation->virial, sizeof evaluation->virial);
    hash_end(hash, verdict->result_hash);
}

/* Sums of whole numbers do not depend on the order: a kernel whose sums do breaks the promise of
 * `fixed`. */
static void judge_fixed(const struct case_spec *spec, const char *when, bool holds,
                        struct verdict *verdict) {
    if (spec->precision == PRECISION_FIXED && !holds && verdict->status == STATUS_OK) {
        verdict_say(verdict, STATUS_WRONG,
                    "%s: sums have other bits, so that they were not added up as whole numbers",
                    when);
    }
}

static bool try_order(const struct one_case *one, const struct evaluation *first,
                      struct verdict *verdict, struct error *error) {
    struct evaluation other = { 0 };
    const bool ran = kernel_plan_reorder(one->plan, one->tools, another_order, false, error) &&
                     gate_evaluate(one->plan, &other, error);
    if (ran) {
        const bool same = same_bits(first, &other);
        note(verdict, "order", same);
        judge_fixed(one->spec, "particles in another order", same, verdict);
    }
    evaluation_free(&other);
    return ran;
}

/* Finds another work-group size that the variant lists; 0: there is none. */
static int another_size(const struct case_spec *spec, const struct device_info *info) {
    const struct variant *variant = spec->variant;
    const int size = tunings_value(&spec->tunings, "GROUP_SIZE", 128);
    for (int t = 0; t < variant->tunable_count; t++) {
        const struct tunable *tunable = &variant->tunables[t];
        for (int v = 0; strcmp(tunable->name, "GROUP_SIZE") == 0 && v < tunable->value_count; v++) {
            if (tunable->values[v] != size && tunable->values[v] <= info->max_group_size) {
                return tunable->values[v];
            }
        }
    }
    return 0;
}

/* Tries another work-group size; one that the device refuses is skipped. */
static bool try_shape(const struct one_case *one, const struct evaluation *first,
                      struct verdict *verdict, struct error *error) {
    const struct expected *expected = one->expected;
    struct case_spec shaped = *one->spec;
    struct kernel_plan *plan = NULL;
    struct evaluation other = { 0 };
    struct error refused;
    const int size = another_size(one->spec, device_describe(one->device));
    const int place = tunings_place(&shaped.tunings, "GROUP_SIZE");
    if (place >= 0) {
        shaped.tunings.items[place].value = size;
    }
    if (size == 0 ||
        !kernel_plan_create(&(struct plan_input){ one->device, &shaped, BUILD_PLAIN, &expected->box,
                                                  &expected->groups, expected->cutoff },
                            &plan, &refused)) {
        return true;
    }
    const bool ran = gate_evaluate(plan, &other, error);
    if (ran) {
        note(verdict, "shape", same_bits(first, &other));
    }
    evaluation_free(&other);
    kernel_plan_free(plan);
    return ran;
}

/* Orders are tried where particles have any and two runs agree; sizes of work-groups in fixed point
 * alone, for each takes a compilation. */
bool gate_repeats(const struct one_case *one, const struct evaluation *first,
                  struct verdict *verdict, struct error *error) {
    const struct workload *workload = one->spec->variant->workload;
    if (verdict->status != STATUS_OK) {
        return true;
    }
    gate_note_hash(first, verdict);
    note(verdict, "run", verdict->bitwise_repeatable == 1);
    judge_fixed(one->spec, "a second run", verdict->bitwise_repeatable == 1, verdict);
    if (verdict->bitwise_repeatable != 1 || !kernel_plan_has_particles(one->plan) ||
        kernel_plan_has_steps(one->plan) || workload_lists_axis(workload, "--group-a") ||
        one->expected->box.n < 2) {
        return true;
    }
    return try_order(one, first, verdict, error) &&
           (one->spec->precision != PRECISION_FIXED || try_shape(one, first, verdict, error));
}
