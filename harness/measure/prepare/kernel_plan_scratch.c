/* Memory that the kernels of a variant have to themselves: @scratch. */
#include "core/host.h"
#include "kernels/scratch.h"
#include "measure/prepare/kernel_plan_parts.h"

static bool create_one(struct kernel_plan *plan, int index, struct error *error) {
    const struct scratch_buffer *scratch = &plan->spec->variant->scratch[index];
    const size_t each = scratch_element_bytes(scratch, precision_numeric(plan->spec->precision));
    size_t count = 0;
    if (!scratch_count(scratch, &plan->spec->tunings, count_units, plan, &count, error)) {
        return false;
    }
    if (!buffer_allocate(plan->device, count * each, &plan->scratch[index], error)) {
        return fail_within(error, "@scratch %s of %zu %s", scratch->name, count, scratch->type);
    }
    buffer_label(plan->device, plan->scratch[index], scratch->name);
    return true;
}

/* The state of a stream is four words. What a generator could keep beyond that, filled outside of
 * the time, are the numbers of steps to come. */
static bool check_state(const struct kernel_plan *plan, struct error *error) {
    enum { BYTES_PER_STREAM = 16 };
    const struct variant *variant = plan->spec->variant;
    const size_t most =
        BYTES_PER_STREAM * (size_t)tunings_value(&plan->spec->tunings, STREAMS_TUNABLE, 0);
    size_t kept = 0;
    for (int s = 0; s < variant->scratch_count; s++) {
        kept += variant_keeps_scratch(variant, s) ? buffer_bytes(plan->scratch[s]) : 0;
    }
    return !kernel_plan_is_of_draws(plan) || kept <= most ||
           fail(error, STATUS_UNSUPPORTED,
                "%s keeps %zu bytes from step to step; the states of its streams are %zu",
                variant->name, kept, most);
}

/* What is filled anew at each move could be the results themselves, which nothing could detect. */
static bool check_skin(const struct kernel_plan *plan, struct error *error) {
    return !variant_rebuilds_when_moved(plan->spec->variant) || !(runs_way(plan) <= 0) ||
           fail(error, STATUS_UNSUPPORTED,
                "%s has passes when moved, and a " SCHEDULE_SKIN " of %d: what they fill would "
                "serve no move; expected 1 or more",
                plan->spec->variant->name, tunings_value(&plan->spec->tunings, SCHEDULE_SKIN, 0));
}

bool scratch_create(struct kernel_plan *plan, struct error *error) {
    bool created = true;
    for (int s = 0; created && s < plan->spec->variant->scratch_count; s++) {
        created = create_one(plan, s, error);
    }
    return created && check_state(plan, error) && check_skin(plan, error) &&
           scratch_poison(plan, error) && kernel_plan_forget(plan, error);
}

void scratch_free(struct kernel_plan *plan) {
    for (int s = 0; s < VARIANT_MAX_SCRATCH; s++) {
        buffer_free(plan->scratch[s]);
    }
}

/* NaN shows what is computed with; zeros show a NaN that is compared and left out; what comes by
 * chance shows a kernel that looks whether it finds one of these. */
static bool poison(struct kernel_plan *plan, bool kept, unsigned turn, struct error *error) {
    enum { NAN_BYTE = 0xFF };
    bool poisoned = true;
    for (int s = 0; poisoned && s < plan->spec->variant->scratch_count; s++) {
        if (variant_keeps_scratch(plan->spec->variant, s) != kept) {
            continue;
        }
        const unsigned char byte = turn == 0   ? NAN_BYTE
                                   : turn == 1 ? 0
                                               : (unsigned char)draw_seed();
        poisoned = buffer_fill(plan->scratch[s], byte, buffer_bytes(plan->scratch[s]), error);
    }
    return poisoned;
}

/* What a thread of a processor leaves to the next kernel is nobody's. */
static bool poison_leftovers(const struct kernel_plan *plan, struct error *error) {
    int64_t local_bytes = -1;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        const int64_t of_pass = plan->passes[p].local_bytes;
        local_bytes = of_pass > local_bytes ? of_pass : local_bytes;
    }
    return !plan->tools || launch_tools_poison_leftovers(plan->tools, local_bytes, error);
}

bool scratch_poison(struct kernel_plan *plan, struct error *error) {
    return poison(plan, false, plan->scratch_fills++, error) && poison_leftovers(plan, error);
}

bool scratch_poison_again(struct kernel_plan *plan, struct error *error) {
    const unsigned fills = plan->scratch_fills;
    return poison(plan, false, fills > 0 ? fills - 1 : 0, error);
}

/* What steps walk is built again while they are timed, so that nobody can watch it bit by bit. */
static bool forget_structures(const struct kernel_plan *plan, struct error *error) {
    return !plan_has_steps(plan) || structure_chain_forget(plan->sets[0].structure, error);
}

bool kernel_plan_forget(struct kernel_plan *plan, struct error *error) {
    return poison(plan, true, plan->kept_fills++, error) && forget_structures(plan, error);
}
