/* An evaluation from positions in host memory to results in host memory. */
#include "prepare/prepared_parts.h"

#include <stdlib.h>
#include <string.h>

static size_t position_bytes(const struct prepared *prepared, const struct prepared_side *side) {
    return side->n * 4 * prepared_real_size(prepared);
}

static size_t sums_bytes(const struct prepared *prepared) {
    return (size_t)prepared->sum_count * prepared_accum_size(prepared);
}

static bool enqueue_copies_in(struct prepared *prepared, struct error *error) {
    bool copied = true;
    for (int s = 0; copied && s < prepared->side_count; s++) {
        struct prepared_side *side = &prepared->sides[s];
        copied = buffer_write_enqueued(side->position, 0, prepared->host.position[s],
                                       position_bytes(prepared, side), error);
    }
    return copied;
}

static bool enqueue_copies_out(struct prepared *prepared, struct error *error) {
    bool copied = true;
    for (int s = 0; copied && s < prepared->side_count; s++) {
        const struct buffer *result = prepared->sides[s].result;
        copied =
            buffer_read_enqueued(result, 0, prepared->host.result[s], buffer_bytes(result), error);
    }
    for (int p = 0; copied && p < prepared->spec->variant->pass_count; p++) {
        copied = buffer_read_enqueued(prepared->passes[p].sums, 0, prepared->host.sums[p],
                                      sums_bytes(prepared), error);
    }
    return copied;
}

static bool enqueue_all(void *context, struct error *error) {
    struct prepared *prepared = context;
    return enqueue_copies_in(prepared, error) && prepared_build(prepared, error) &&
           prepared_enqueue(prepared, error) && enqueue_copies_out(prepared, error);
}

static bool allocate_host(struct prepared *prepared, struct error *error) {
    struct device *device = prepared->device;
    struct prepared_host *host = &prepared->host;
    bool allocated = true;
    for (int s = 0; allocated && s < prepared->side_count; s++) {
        struct prepared_side *side = &prepared->sides[s];
        allocated =
            host_allocate(device, position_bytes(prepared, side), &host->position[s], error) &&
            host_allocate(device, buffer_bytes(side->result), &host->result[s], error);
        if (allocated) {
            side_stage_positions(prepared, side, prepared->box, host->position[s]);
        }
    }
    for (int p = 0; allocated && p < prepared->spec->variant->pass_count; p++) {
        allocated = host_allocate(device, sums_bytes(prepared), &host->sums[p], error);
    }
    return allocated;
}

/* A first run by itself lets lazy allocations happen outside of what is recorded. */
bool prepared_end_to_end_begin(struct prepared *prepared, struct error *error) {
    if (prepared->build == BUILD_COUNTING) {
        return fail(error, STATUS_UNSUPPORTED, "counts are not brought back end to end");
    }
    return allocate_host(prepared, error) && enqueue_all(prepared, error) &&
           device_finish(prepared->device, error) &&
           device_record(prepared->device, enqueue_all, prepared, &prepared->host.recording, error);
}

bool prepared_end_to_end(struct prepared *prepared, struct error *error) {
    return recording_enqueue(prepared->host.recording, error) &&
           device_finish(prepared->device, error);
}

bool prepared_end_to_end_reorder(struct prepared *prepared, const struct launch_tools *tools,
                                 uint64_t random, struct error *error) {
    if (!prepared_reorder(prepared, tools, random, error)) {
        return false;
    }
    for (int s = 0; s < prepared->side_count; s++) {
        side_stage_positions(prepared, &prepared->sides[s], prepared->box,
                             prepared->host.position[s]);
    }
    return true;
}

void prepared_end_to_end_poison(struct prepared *prepared, unsigned char value) {
    for (int s = 0; s < prepared->side_count; s++) {
        memset(prepared->host.result[s], value, buffer_bytes(prepared->sides[s].result));
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        memset(prepared->host.sums[p], value, sums_bytes(prepared));
    }
}

bool prepared_end_to_end_collect(const struct prepared *prepared, struct evaluation *evaluation,
                                 struct error *error) {
    double sums[MAX_SUMS] = { 0 };
    if (!evaluation_begin(prepared, evaluation, error)) {
        return false;
    }
    for (int s = 0; s < prepared->side_count; s++) {
        side_add_results(prepared, &prepared->sides[s], prepared->host.result[s],
                         evaluation->force);
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        if (prepared->passes[p].has_sums) {
            add_sums(prepared, prepared->host.sums[p], sums);
        }
    }
    evaluation_take_sums(prepared, sums, evaluation);
    return true;
}

void host_parts_free(struct prepared *prepared) {
    struct prepared_host *host = &prepared->host;
    recording_free(host->recording);
    for (int s = 0; s < MAX_SIDES; s++) {
        host_free(prepared->device, host->position[s]);
        host_free(prepared->device, host->result[s]);
    }
    for (int p = 0; p < VARIANT_MAX_PASSES; p++) {
        host_free(prepared->device, host->sums[p]);
    }
}
