/* An evaluation from positions in host memory to results in host memory. */
#include "measure/prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

static size_t position_bytes(const struct kernel_plan *plan, const struct particle_set *set) {
    return set->n * 4 * kernel_plan_real_size(plan);
}

static size_t sums_bytes(const struct kernel_plan *plan) {
    return (size_t)plan->sum_count * kernel_plan_accum_size(plan);
}

static bool enqueue_copies_in(struct kernel_plan *plan, struct error *error) {
    bool copied = true;
    for (int s = 0; copied && s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        copied = buffer_write_enqueued(set->position, 0, plan->host.position[s],
                                       position_bytes(plan, set), error);
    }
    return copied;
}

static bool enqueue_copies_out(struct kernel_plan *plan, struct error *error) {
    bool copied = true;
    for (int s = 0; copied && s < plan->set_count; s++) {
        const struct buffer *result = plan->sets[s].result;
        copied = buffer_read_enqueued(result, 0, plan->host.result[s], buffer_bytes(result), error);
    }
    for (int p = 0; copied && p < plan->spec->variant->pass_count; p++) {
        copied = buffer_read_enqueued(plan->passes[p].sums, 0, plan->host.sums[p], sums_bytes(plan),
                                      error);
    }
    return copied;
}

static bool enqueue_all(void *context, struct error *error) {
    struct kernel_plan *plan = context;
    return enqueue_copies_in(plan, error) && kernel_plan_build(plan, error) &&
           kernel_plan_enqueue_watched(plan, NULL, error) && enqueue_copies_out(plan, error);
}

static bool allocate_host(struct kernel_plan *plan, struct error *error) {
    struct device *device = plan->device;
    struct plan_host_memory *host = &plan->host;
    bool allocated = true;
    for (int s = 0; allocated && s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        allocated = host_allocate(device, position_bytes(plan, set), &host->position[s], error) &&
                    host_allocate(device, buffer_bytes(set->result), &host->result[s], error);
        if (allocated) {
            set_stage_positions(plan, set, plan->box, host->position[s]);
        }
    }
    for (int p = 0; allocated && p < plan->spec->variant->pass_count; p++) {
        allocated = host_allocate(device, sums_bytes(plan), &host->sums[p], error);
    }
    return allocated;
}

/* A first run by itself lets lazy allocations happen outside of what is recorded. */
bool kernel_plan_end_to_end_begin(struct kernel_plan *plan, struct error *error) {
    if (plan->build == BUILD_COUNTING) {
        return fail(error, STATUS_UNSUPPORTED, "counts are not brought back end to end");
    }
    return allocate_host(plan, error) && enqueue_all(plan, error) &&
           device_finish(plan->device, error) &&
           device_record(plan->device, enqueue_all, plan, &plan->host.graph, error);
}

bool kernel_plan_end_to_end(struct kernel_plan *plan, struct error *error) {
    return graph_enqueue(plan->host.graph, error) && device_finish(plan->device, error);
}

bool kernel_plan_end_to_end_reorder(struct kernel_plan *plan, const struct launch_tools *tools,
                                    uint64_t random, struct error *error) {
    if (!kernel_plan_reorder(plan, tools, random, false, error)) {
        return false;
    }
    for (int s = 0; s < plan->set_count; s++) {
        set_stage_positions(plan, &plan->sets[s], plan->box, plan->host.position[s]);
    }
    return true;
}

void kernel_plan_end_to_end_poison(struct kernel_plan *plan, unsigned char value) {
    for (int s = 0; s < plan->set_count; s++) {
        memset(plan->host.result[s], value, buffer_bytes(plan->sets[s].result));
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        memset(plan->host.sums[p], value, sums_bytes(plan));
    }
}

bool kernel_plan_end_to_end_collect(const struct kernel_plan *plan, struct evaluation *evaluation,
                                    struct error *error) {
    double sums[MAX_SUMS] = { 0 };
    if (!evaluation_begin(plan, evaluation, error)) {
        return false;
    }
    for (int s = 0; s < plan->set_count; s++) {
        set_add_results(plan, &plan->sets[s], plan->host.result[s], evaluation->force);
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        if (plan->passes[p].has_sums) {
            add_sums(plan, plan->host.sums[p], sums);
        }
    }
    evaluation_take_sums(plan, sums, evaluation);
    return true;
}

void host_parts_free(struct kernel_plan *plan) {
    struct plan_host_memory *host = &plan->host;
    graph_free(host->graph);
    for (int s = 0; s < MAX_SETS; s++) {
        host_free(plan->device, host->position[s]);
        host_free(plan->device, host->result[s]);
    }
    for (int p = 0; p < VARIANT_MAX_PASSES; p++) {
        host_free(plan->device, host->sums[p]);
    }
}
