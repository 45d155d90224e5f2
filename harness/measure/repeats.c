#include "measure/repeats.h"

#include "core/cache.h"
#include "workloads/judges/gate.h"

#include <string.h>

/* Odd: in reverse, and shifted. */
static const uint64_t another_order = 0x5bd1e9955bd1e995U;

bool repeats_same_bits(const struct evaluation *one, const struct evaluation *other) {
    return memcmp(one->force, other->force, one->numbers * sizeof *one->force) == 0 &&
           memcmp(&one->energy, &other->energy, sizeof one->energy) == 0 &&
           memcmp(&one->energy_vdw, &other->energy_vdw, sizeof one->energy_vdw) == 0 &&
           memcmp(&one->energy_coulomb, &other->energy_coulomb, sizeof one->energy_coulomb) == 0 &&
           memcmp(one->virial, other->virial, sizeof one->virial) == 0;
}

static void note(struct verdict *verdict, const char *what, bool holds) {
    const size_t length = strlen(verdict->repeatable);
    (void)snprintf(verdict->repeatable + length, sizeof verdict->repeatable - length, "%s%s%s",
                   length > 0 ? ", " : "", holds ? "" : "not ", what);
}

void repeats_note_hash(const struct evaluation *evaluation, struct verdict *verdict) {
    struct hash_state *hash = hash_begin();
    hash_add(hash, evaluation->force, evaluation->numbers * sizeof *evaluation->force);
    hash_add(hash, &evaluation->energy, sizeof evaluation->energy);
    hash_add(hash, &evaluation->energy_coulomb, sizeof evaluation->energy_coulomb);
    hash_add(hash, evaluation->virial, sizeof evaluation->virial);
    hash_end(hash, verdict->result_hash);
}

/* From outputs full of garbage. */
static bool evaluate(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error) {
    return kernel_plan_build(plan, error) &&
           fill_outputs_with_byte(plan, GATE_POISON_BYTE, error) &&
           kernel_plan_enqueue(plan, error) && kernel_plan_collect(plan, evaluation, error);
}

/* Whole numbers add up to the same in any order: other sums are not what fixed promises. */
static void judge_fixed(const struct case_spec *spec, const char *when, bool holds,
                        struct verdict *verdict) {
    if (spec->precision == PRECISION_FIXED && !holds && verdict->status == STATUS_OK) {
        verdict->status = STATUS_WRONG;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "%s: sums have other bits, so that they were not added up as whole numbers",
                       when);
    }
}

static bool try_order(const struct case_spec *spec, struct kernel_plan *plan,
                      const struct launch_tools *tools, const struct evaluation *first,
                      struct verdict *verdict, struct error *error) {
    struct evaluation other = { 0 };
    const bool ran = kernel_plan_reorder(plan, tools, another_order, false, error) &&
                     evaluate(plan, &other, error);
    if (ran) {
        const bool same = repeats_same_bits(first, &other);
        note(verdict, "order", same);
        judge_fixed(spec, "particles in another order", same, verdict);
    }
    evaluation_free(&other);
    return ran;
}

/* Another size of work-groups that the variant offers; 0: there is none. */
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

/* A size that the device refuses is not tried. */
static bool try_shape(const struct case_spec *spec, const struct expected *expected,
                      struct device *device, const struct evaluation *first,
                      struct verdict *verdict, struct error *error) {
    struct case_spec shaped = *spec;
    struct kernel_plan *plan = NULL;
    struct evaluation other = { 0 };
    struct error refused;
    const int size = another_size(spec, device_describe(device));
    for (int t = 0; t < shaped.tunings.count; t++) {
        if (strcmp(shaped.tunings.items[t].name, "GROUP_SIZE") == 0) {
            shaped.tunings.items[t].value = size;
        }
    }
    if (size == 0 || !kernel_plan_create(device, &shaped, BUILD_PLAIN, &expected->box,
                                         &expected->groups, expected->cutoff, &plan, &refused)) {
        return true;
    }
    const bool ran = evaluate(plan, &other, error);
    if (ran) {
        note(verdict, "shape", repeats_same_bits(first, &other));
    }
    evaluation_free(&other);
    kernel_plan_free(plan);
    return ran;
}

bool repeats_find(struct kernel_plan *plan, const struct case_spec *spec,
                  const struct expected *expected, const struct launch_tools *tools,
                  struct device *device, const struct evaluation *first, struct verdict *verdict,
                  struct error *error) {
    const struct workload *workload = spec->variant->workload;
    repeats_note_hash(first, verdict);
    note(verdict, "run", verdict->bitwise_repeatable == 1);
    judge_fixed(spec, "a second run", verdict->bitwise_repeatable == 1, verdict);
    if (verdict->bitwise_repeatable != 1 || workload->is_of_draws || workload->forces_of ||
        workload->takes_groups || expected->box.n < 2) {
        return true;
    }
    return try_order(spec, plan, tools, first, verdict, error) &&
           (spec->precision != PRECISION_FIXED ||
            try_shape(spec, expected, device, first, verdict, error));
}
