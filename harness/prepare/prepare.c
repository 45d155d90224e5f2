/* A case made ready on a device: checked, compiled, its particles and terms copied, every pass
 * shaped and bound. */
#include "prepare/steps_parts.h"

#include <stdlib.h>

/* ---- making ---- */

/* Bytes of a sum, or of a count. */
static size_t sum_size(const struct kernel_plan *plan) {
    return plan->build == BUILD_COUNTING ? sizeof(int64_t) : kernel_plan_accum_size(plan);
}

void kernel_plan_free(struct kernel_plan *plan) {
    if (!plan) {
        return;
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        buffer_free(plan->passes[p].partial_sums);
        buffer_free(plan->passes[p].sums);
    }
    host_parts_free(plan);
    graph_free(plan->graph);
    order_parts_free(plan);
    if (plan->driver) {
        plan->driver->free(plan);
    }
    fixed_point_free(plan);
    sets_free(plan);
    buffer_free(plan->own_result);
    scratch_free(plan);
    transform_free(plan->transform);
    pair_buffers_free(&plan->pair);
    if (plan->own) {
        workload_buffers_free(plan->spec->variant->workload, plan->own);
    }
    free(plan->own);
    program_free(plan->program);
    free(plan);
}

/* What the kernel takes of the device; a table of types in local memory must fit beside its own. */
static bool find_resources(const struct kernel_plan *plan, const struct pass *pass,
                           struct planned_pass *made, struct error *error) {
    const struct device_info *info = device_describe(plan->device);
    kernel_resources(made->kernel, &made->registers, &made->local_bytes);
    if (!pass->takes_pair_parameters || plan->pair.local_bytes == 0) {
        return true;
    }
    const size_t own = made->local_bytes > 0 ? (size_t)made->local_bytes : 0;
    const size_t together = own + plan->pair.local_bytes;
    if (together > info->local_bytes) {
        return fail(error, STATUS_UNSUPPORTED,
                    "TYPE_TABLE=%d: kernel %s uses %zu bytes of local memory and the table of %d "
                    "types takes %zu; %s has %llu",
                    TYPE_TABLE_LOCAL, pass->kernel, own, plan->pair.types, plan->pair.local_bytes,
                    info->name, (unsigned long long)info->local_bytes);
    }
    made->local_bytes = (int64_t)together;
    return true;
}

static bool create_own(struct kernel_plan *plan, const struct workload_buffers *own,
                       struct error *error) {
    plan->own = calloc(1, own->size);
    return plan->own
               ? own->create(plan->device, plan->spec, plan->box, plan->cutoff, plan->own, error)
               : fail_out_of_memory(error, plan->spec->variant->workload->name);
}

/* One serves all passes: they are of the workload's grid, or all of its planes. */
static bool prepare_transform(struct kernel_plan *plan, int index, struct error *error) {
    const struct workload_buffers *own = plan_own_class(plan);
    const enum transform_extent extent =
        plan->spec->variant->passes[index].of_planes ? TRANSFORM_PLANES : TRANSFORM_GRID;
    size_t size[3];
    plan->passes[index].groups = 1;
    plan->passes[index].has_sums = false;
    own->grid(plan->own, size);
    return (plan->transform || transform_create(plan->device, size, extent, plan->accum_is_double,
                                                &plan->transform, error)) &&
           buffer_allocate(plan->device, 0, &plan->passes[index].partial_sums, error) &&
           buffer_allocate(plan->device, kernel_plan_all_sums(plan) * sum_size(plan),
                           &plan->passes[index].sums, error) &&
           bind_pass(plan, index, error);
}

static bool prepare_pass(struct kernel_plan *plan, int index, struct error *error) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    struct planned_pass *made = &plan->passes[index];
    const size_t sums = kernel_plan_sums_added(plan);
    if (pass->transform != TRANSFORM_NONE) {
        return prepare_transform(plan, index, error);
    }
    if (!plan_kernel(plan, plan->program, pass, &made->kernel, error) ||
        !find_resources(plan, pass, made, error) || !shape_pass(plan, pass, made, error) ||
        !buffer_allocate(plan->device, sums / plan->sum_boxes * made->groups * sum_size(plan),
                         &made->partial_sums, error) ||
        !buffer_allocate(plan->device, kernel_plan_all_sums(plan) * sum_size(plan), &made->sums,
                         error) ||
        (plan->sums_are_fixed &&
         !buffer_allocate(plan->device, sums * sizeof(int64_t), &made->fixed_sums, error))) {
        return false;
    }
    return (!plan->driver || plan->driver->prepare_pass(plan, index, error)) &&
           bind_pass(plan, index, error);
}

static bool compile_all(struct kernel_plan *plan, struct error *error) {
    return check_case(plan, error) && compile_case(plan, plan->spec, &plan->program, error) &&
           (!plan->driver || plan->driver->compile(plan, error));
}

static bool prepare_all(struct kernel_plan *plan, struct error *error) {
    if (!compile_all(plan, error)) {
        return false;
    }
    struct program *const programs[] = { plan->program,
                                         plan->driver ? plan->driver->second_program(plan) : NULL,
                                         NULL };
    const struct pair_input input = { programs, plan->spec, plan->box, plan->cutoff };
    if (!pair_buffers_create(plan->device, &input, &plan->pair, error) ||
        !sets_create(plan, error) || (plan->driver && !plan->driver->create(plan, error)) ||
        !fixed_point_create(plan, error)) {
        return false;
    }
    const struct workload_buffers *own = plan_own_class(plan);
    if ((own && !create_own(plan, own, error)) || !scratch_create(plan, error)) {
        return false;
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        plan->passes[p].has_sums = plan->sum_count > 0 &&
                                   pass_is_step(&plan->spec->variant->passes[p]) &&
                                   (!variant_takes(plan->spec->variant, "partial_sums") ||
                                    pass_takes(&plan->spec->variant->passes[p], "partial_sums"));
        if (!prepare_pass(plan, p, error)) {
            return false;
        }
    }
    return true;
}

/* Fills in what the case itself determines, before anything is made on the device. */
static void describe(struct kernel_plan *plan, const struct plan_input *input) {
    const struct case_spec *spec = input->spec;
    const struct numeric numeric = precision_numeric(spec->precision);
    plan->device = input->device;
    plan->spec = spec;
    plan->box = input->box;
    plan->groups = input->groups;
    plan->build = input->build;
    plan->cutoff = input->cutoff;
    plan->real_is_double = numeric_real_is_double(numeric);
    plan->accum_is_double = numeric_accum_is_double(numeric);
    plan->sums_are_fixed = numeric_sums_are_fixed(numeric) && input->build != BUILD_COUNTING;
    plan->sum_count = kernel_text_sums(spec, input->build);
    plan->sum_boxes = input->build == BUILD_COUNTING ? 1 : box_count(input->box);
    plan->sum_method =
        input->build == BUILD_COUNTING ? sum_method_of_counts() : sum_method_of(spec);
    plan->group_size = tunings_value(&spec->tunings, "GROUP_SIZE", 128);
    plan->structure = structure_find(spec->variant->structure);
    plan->seed = spec->box.seed;
}

bool kernel_plan_check(const struct plan_input *input, struct error *error) {
    struct kernel_plan plan = { .device = NULL };
    describe(&plan, input);
    return check_case(&plan, error);
}

/* A plan with nothing made yet; NULL: memory ran out. */
static struct kernel_plan *begin_plan(const struct plan_input *input, struct error *error) {
    struct kernel_plan *made = calloc(1, sizeof *made);
    if (!made) {
        (void)fail_out_of_memory(error, "a case");
        return NULL;
    }
    if (input->spec->variant->forces.variant) {
        made->steps = calloc(1, sizeof *made->steps);
        if (!made->steps) {
            free(made);
            (void)fail_out_of_memory(error, "time steps");
            return NULL;
        }
        made->driver = &steps_driver;
        made->steps->make_part = kernel_plan_create;
        made->steps->free_part = kernel_plan_free;
    }
    describe(made, input);
    return made;
}

bool kernel_plan_create(const struct plan_input *input, struct kernel_plan **plan,
                        struct error *error) {
    struct kernel_plan *made = begin_plan(input, error);
    if (made && !prepare_all(made, error)) {
        kernel_plan_free(made);
        return false;
    }
    *plan = made;
    return made != NULL;
}

bool kernel_plan_compile(const struct plan_input *input, struct error *error) {
    struct kernel_plan *made = begin_plan(input, error);
    const bool compiled = made && compile_all(made, error);
    kernel_plan_free(made);
    return compiled;
}

/* ---- what kind of case it is ---- */

bool kernel_plan_has_particles(const struct kernel_plan *plan) {
    return plan_has_particles(plan);
}

bool kernel_plan_has_steps(const struct kernel_plan *plan) {
    return plan_has_steps(plan);
}

bool kernel_plan_builds_in_launch(const struct kernel_plan *plan) {
    return plan_builds_in_launch(plan);
}

bool kernel_plan_has_structure(const struct kernel_plan *plan) {
    return plan_has_structure(plan);
}

/* Whether rebuilding is timed apart: what time steps rebuild is part of their own time. */
bool kernel_plan_has_rebuild(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && !plan_builds_in_launch(plan) &&
           (kernel_plan_has_structure(plan) || variant_rebuilds(plan->spec->variant));
}
