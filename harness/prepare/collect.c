/* What came of an evaluation, from the device; and evaluations from host memory to host memory. */
#include "prepare/kernel_plan_parts.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums of all passes together, planar; zeros. NULL: no memory. */
static double *begin_sums(const struct kernel_plan *plan, struct error *error) {
    double *sums = calloc(kernel_plan_all_sums(plan) + 1, sizeof *sums);
    if (!sums) {
        (void)fail_out_of_memory(error, "the sums");
    }
    return sums;
}

/* Adds the sums of a pass, accum as the device has them, to sums[]. */
static void add_sums(const struct kernel_plan *plan, const void *of_pass, double *sums) {
    for (size_t s = 0; s < kernel_plan_all_sums(plan); s++) {
        sums[s] += real_at(of_pass, plan->accum_is_double, s);
    }
}

static size_t sums_bytes(const struct kernel_plan *plan) {
    return kernel_plan_all_sums(plan) * kernel_plan_accum_size(plan);
}

static bool collect_sums(struct kernel_plan *plan, double *sums, struct error *error) {
    void *of_pass = malloc(sums_bytes(plan) + 1);
    bool read = of_pass || fail_out_of_memory(error, "the sums");
    for (int p = 0; p < plan->spec->variant->pass_count && read; p++) {
        if (!plan->passes[p].has_sums) {
            continue;
        }
        read = buffer_read(plan->passes[p].sums, 0, of_pass, sums_bytes(plan), error);
        if (read) {
            add_sums(plan, of_pass, sums);
        }
    }
    free(of_pass);
    return read;
}

/* Reads the results, 3 numbers per particle for vectors; zeros for particles in no set. */
static bool collect_results(const struct kernel_plan *plan, double *vectors, struct error *error) {
    for (int s = 0; s < plan->set_count; s++) {
        const struct particle_set *set = &plan->sets[s];
        void *bytes = buffer_copy(set->result, buffer_bytes(set->result), error);
        if (!bytes) {
            return false;
        }
        set_add_results(plan, set, bytes, vectors);
        free(bytes);
    }
    return true;
}

/* Empties *evaluation and allocates its forces, all zero. */
static bool begin_evaluation(const struct kernel_plan *plan, struct evaluation *evaluation,
                             struct error *error) {
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->n = plan->box->n;
    const struct workload_places *places = plan->spec->variant->workload->places;
    evaluation->numbers = places ? places->count(plan->spec) : 3 * plan->box->n;
    evaluation->seed = plan->seed;
    evaluation->step = plan->step;
    evaluation->force = calloc(evaluation->numbers, sizeof(double));
    return evaluation->force || fail_out_of_memory(error, "the forces");
}

static void describe_sums(const struct kernel_plan *plan, struct evaluation *evaluation) {
    double groups = 0.0;
    evaluation->sum_items = 0.0;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        const bool adds = plan->passes[p].has_sums &&
                          pass_is_step(&plan->spec->variant->passes[p]) &&
                          (!plan_has_steps(plan) || pass_is_of_forces(plan->spec->variant, p));
        groups += adds ? (double)plan->passes[p].groups : 0;
        evaluation->sum_items += adds ? plan->passes[p].adders : 0;
    }
    evaluation->sum_serial = plan->sum_method->in_place ? groups : 0.0;
}

/* The scalars among the sums, which lie `apart` from each other; those that the outputs leave out
 * are NaN. */
static struct box_scalars scalars_of(const struct kernel_plan *plan, const double *sums,
                                     size_t apart) {
    /* xx xy xz yy yz zz to nine, symmetric as every sum over central pair forces */
    static const size_t component[9] = { 1, 2, 3, 2, 4, 5, 3, 5, 6 };
    const size_t count = (size_t)plan->sum_count;
    struct box_scalars scalars = { count > 0 ? sums[0] : NAN, NAN, NAN, { 0 } };
    if (count > 0 && interaction_energies_apart(&plan->spec->interaction)) {
        scalars.energy_vdw = sums[0];
        scalars.energy_coulomb = sums[(count - 1) * apart];
        scalars.energy = scalars.energy_vdw + scalars.energy_coulomb;
    }
    for (int k = 0; k < 9; k++) {
        scalars.virial[k] =
            plan->spec->outputs == OUTPUTS_VIRIAL ? sums[component[k] * apart] : NAN;
    }
    return scalars;
}

static void add_scalars(const struct box_scalars *one, struct evaluation *whole) {
    whole->energy += one->energy;
    whole->energy_vdw += one->energy_vdw;
    whole->energy_coulomb += one->energy_coulomb;
    for (int k = 0; k < 9; k++) {
        whole->virial[k] += one->virial[k];
    }
}

/* Takes the scalars; of a batch those of each box, by box: kernels have the boxes in another
 * order. */
static bool take_sums(const struct kernel_plan *plan, const double *sums,
                      struct evaluation *evaluation, struct error *error) {
    const size_t boxes = plan->sum_boxes;
    describe_sums(plan, evaluation);
    evaluation->kinetic_energy = NAN;
    evaluation->thermostat_energy = NAN;
    evaluation->energy = evaluation->energy_vdw = evaluation->energy_coulomb = 0;
    memset(evaluation->virial, 0, sizeof evaluation->virial);
    if (boxes == 1 || plan->sum_count == 0) {
        const struct box_scalars scalars = scalars_of(plan, sums, 1);
        add_scalars(&scalars, evaluation);
        return true;
    }
    struct batch_places places;
    evaluation->of_box = calloc(boxes, sizeof *evaluation->of_box);
    evaluation->boxes = evaluation->of_box ? boxes : 0;
    if (!evaluation->of_box ||
        !batch_places_find(plan->box, &plan->sets[0].order, &places, error)) {
        return fail_out_of_memory(error, "the sums of a batch");
    }
    for (size_t at = 0; at < boxes; at++) {
        const struct box_scalars scalars = scalars_of(plan, sums + at, boxes);
        evaluation->of_box[places.box[at]] = scalars;
        add_scalars(&scalars, evaluation);
    }
    batch_places_free(&places);
    return true;
}

bool collect_scalars(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error) {
    double *sums = begin_sums(plan, error);
    const bool taken = sums && device_finish(plan->device, error) &&
                       collect_sums(plan, sums, error) && take_sums(plan, sums, evaluation, error);
    free(sums);
    return taken;
}

bool kernel_plan_take_sums(const struct kernel_plan *plan, const struct raw_sums *raw,
                           struct evaluation *evaluation, struct error *error) {
    double *sums = begin_sums(plan, error);
    for (int p = 0; sums && p < plan->spec->variant->pass_count; p++) {
        if (plan->passes[p].has_sums) {
            add_sums(plan, raw->of_pass[p], sums);
        }
    }
    const bool taken = sums && take_sums(plan, sums, evaluation, error);
    free(sums);
    return taken && (!plan->driver || plan->driver->take_sums(plan, raw, evaluation, error));
}

bool kernel_plan_collect(struct kernel_plan *plan, struct evaluation *evaluation,
                         struct error *error) {
    const struct workload_outputs *outputs = plan_outputs(plan);
    if (!kernel_plan_compute_results(plan, error) || !begin_evaluation(plan, evaluation, error)) {
        return false;
    }
    if (outputs) {
        outputs->collect(plan->own, evaluation);
    }
    if (!collect_scalars(plan, evaluation, error) ||
        !collect_results(plan, evaluation->force, error) ||
        (plan->driver && !plan->driver->collect(plan, evaluation, error))) {
        evaluation_free(evaluation);
        return false;
    }
    return true;
}

bool kernel_plan_counts(struct kernel_plan *plan, int64_t *distances, int64_t *pairs,
                        struct error *error) {
    *distances = 0;
    *pairs = 0;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        int64_t counts[2];
        if (!plan->passes[p].has_sums) {
            continue;
        }
        if (!buffer_read(plan->passes[p].sums, 0, counts, sizeof counts, error)) {
            return false;
        }
        *distances += counts[0];
        *pairs += counts[1];
    }
    return true;
}

const struct program *kernel_plan_program(const struct kernel_plan *plan) {
    return plan->program;
}

void kernel_plan_resources(const struct kernel_plan *plan, int *registers, int64_t *local_bytes) {
    *registers = -1;
    *local_bytes = -1;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        const struct planned_pass *pass = &plan->passes[p];
        *registers = pass->registers > *registers ? pass->registers : *registers;
        *local_bytes = pass->local_bytes > *local_bytes ? pass->local_bytes : *local_bytes;
    }
}

void kernel_plan_terms(const struct kernel_plan *plan, int64_t count[BONDED_KINDS]) {
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        count[kind] = -1;
    }
    if (plan->own && plan_own_class(plan)->count) {
        plan_own_class(plan)->count(plan->own, count);
    }
}

/* ---- end to end ---- */

static size_t position_bytes(const struct kernel_plan *plan, const struct particle_set *set) {
    return set->n * 4 * kernel_plan_real_size(plan);
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
    double *sums = begin_sums(plan, error);
    if (!sums || !begin_evaluation(plan, evaluation, error)) {
        free(sums);
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
    const bool taken = take_sums(plan, sums, evaluation, error);
    free(sums);
    return taken;
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
