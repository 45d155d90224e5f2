/* Memory that the kernels of a variant have to themselves, @scratch: its size, its checks, and what
 * it is filled with so that nothing in it helps a kernel that should not look. */
#include "core/host.h"
#include "kernels/launch.h"
#include "prepare/kernel_plan_parts.h"

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
    buffer_label(plan->scratch[index], scratch->name);
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
    return plan_has_particles(plan) || kept <= most ||
           fail(error, STATUS_UNSUPPORTED,
                "%s keeps %zu bytes from step to step; the states of its streams are %zu",
                variant->name, kept, most);
}

/* What is filled anew at each move could be the results themselves, which nothing could detect. */
static bool check_skin(const struct kernel_plan *plan, struct error *error) {
    return !variant_rebuilds_when_moved(plan->spec->variant) || !(kernel_plan_reach(plan) <= 0) ||
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
           kernel_plan_poison_scratch(plan, error) && kernel_plan_invalidate(plan, error);
}

void scratch_free(struct kernel_plan *plan) {
    for (int s = 0; s < VARIANT_MAX_SCRATCH; s++) {
        buffer_free(plan->scratch[s]);
    }
}

/* Scratch memory is filled with NaN, then zeros, then random bytes. NaN exposes reads of memory
 * that nobody wrote, zeros a kernel that filters NaN out, random bytes one that tests for either.
 */
static bool poison(struct kernel_plan *plan, bool kept, unsigned round, struct error *error) {
    enum { NAN_BYTE = 0xFF };
    bool poisoned = true;
    for (int s = 0; poisoned && s < plan->spec->variant->scratch_count; s++) {
        if (variant_keeps_scratch(plan->spec->variant, s) != kept) {
            continue;
        }
        const unsigned char byte = round == 0   ? NAN_BYTE
                                   : round == 1 ? 0
                                                : (unsigned char)draw_seed();
        poisoned = buffer_fill(plan->scratch[s], byte, buffer_bytes(plan->scratch[s]), error);
    }
    return poisoned;
}

/* On processors, private memory of a thread is left over from the kernel before: overwrites it. */
static bool poison_leftovers(const struct kernel_plan *plan, struct error *error) {
    int64_t local_bytes = -1;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        const int64_t of_pass = plan->passes[p].local_bytes;
        local_bytes = of_pass > local_bytes ? of_pass : local_bytes;
    }
    return !plan->tools || launch_tools_poison_leftovers(plan->tools, local_bytes, error);
}

/* What a launch builds leaves room to spare, in which a kernel could leave notes for the next. */
static bool poison_built(const struct kernel_plan *plan, struct error *error) {
    return !plan_builds_in_launch(plan) ||
           structure_chain_invalidate(plan->sets[0].structure, error);
}

bool kernel_plan_poison_scratch(struct kernel_plan *plan, struct error *error) {
    return poison(plan, false, plan->scratch_fills++, error) && poison_built(plan, error) &&
           poison_leftovers(plan, error);
}

bool scratch_poison_again(struct kernel_plan *plan, struct error *error) {
    const unsigned fills = plan->scratch_fills;
    return poison(plan, false, fills > 0 ? fills - 1 : 0, error);
}

/* What steps walk is built again while they are timed, so that nobody can watch it bit by bit. */
static bool invalidate_structures(const struct kernel_plan *plan, struct error *error) {
    return !(plan->driver || plan_builds_in_launch(plan)) ||
           structure_chain_invalidate(plan->sets[0].structure, error);
}

bool kernel_plan_invalidate(struct kernel_plan *plan, struct error *error) {
    return poison(plan, true, plan->kept_fills++, error) && invalidate_structures(plan, error);
}
