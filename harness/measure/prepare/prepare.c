/* A case made ready on a device: checked, compiled, its particles and terms copied, every pass
 * shaped and bound. */
#include "kernels/text/kernel_text.h"
#include "kernels/variant.h"
#include "measure/prepare/kernel_plan.h"
#include "measure/prepare/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a device and a variant refuse ---- */

/* Whether the variant takes this kind of groups, or all particles alone. */
static bool check_groups(const struct kernel_plan *plan, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const enum group_mode mode = plan->groups ? plan->groups->mode : GROUPS_ONE;
    const bool takes = workload_lists_axis(variant->workload, "--group-a")
                           ? mode == variant->groups
                           : !plan->groups || plan->groups->everything;
    return takes || fail(error, STATUS_UNSUPPORTED, "%s does not take groups of this kind (%s)",
                         variant->name, group_mode_name(mode));
}

/* Whether the variant's kernels are given what types and exclusions need, and begin with the word
 * that stages a table of types where that is asked for. */
static bool check_pair_parameters(const struct case_spec *spec, struct error *error) {
    const struct variant *variant = spec->variant;
    const bool staged =
        tunings_value(&spec->tunings, TYPE_TABLE_TUNABLE, TYPE_TABLE_GLOBAL) == TYPE_TABLE_LOCAL;
    bool takes = !pair_buffers_needed(&spec->interaction);
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        takes = takes || pass->takes_pair_parameters;
        if (staged && pass->takes_pair_parameters != pass->begins_with_sum_scratch) {
            return fail(
                error, STATUS_UNSUPPORTED,
                "TYPE_TABLE=%d: kernel %s takes PAIR_PARAMETERS or begins with SUM_SCRATCH; "
                "expected both or neither",
                TYPE_TABLE_LOCAL, pass->kernel);
        }
    }
    return takes ||
           fail(error, STATUS_UNSUPPORTED,
                "%s takes no PAIR_PARAMETERS, which types and exclusions need", variant->name);
}

/* Numbers that the arithmetic cannot hold are no fault of the kernel's. */
static bool check_parameters(const struct case_spec *spec, struct error *error) {
    const struct interaction *interaction = &spec->interaction;
    const bool narrow = !numeric_real_is_double(precision_numeric(spec->precision));
    for (int p = 0; narrow && p < interaction->parameter_count; p++) {
        const struct interaction_parameter *parameter = &interaction->parameters[p];
        if (!interaction_parameter_fits_float(parameter->value)) {
            return fail(error, STATUS_UNSUPPORTED,
                        "parameter %s=%g is beyond the range of float: take larger or smaller "
                        "units, or double",
                        parameter->name, parameter->value);
        }
    }
    return true;
}

static bool check_device(const struct kernel_plan *plan, struct error *error) {
    const struct device_info *info = device_describe(plan->device);
    const struct variant *variant = plan->spec->variant;
    if (!kernel_text_check(plan->spec, info, error)) {
        return false;
    }
    if (plan->spec->launch == LAUNCH_GRAPH && info->kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "launch graph: %s has no graphs", info->name);
    }
    if (plan->spec->launch == LAUNCH_GRAPH && plan_has_steps(plan)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "launch graph: time steps are launched each by itself");
    }
    if (plan->accum_is_double && !info->fp64) {
        return fail(error, STATUS_UNSUPPORTED, "%s has no double precision", info->name);
    }
    if (plan->group_size > info->max_group_size) {
        return fail(error, STATUS_UNSUPPORTED, "GROUP_SIZE=%d, but %s takes %d at most",
                    plan->group_size, info->name, info->max_group_size);
    }
    if (plan->group_size <= 0 || (plan->group_size & (plan->group_size - 1)) != 0) {
        return fail(error, STATUS_UNSUPPORTED, "GROUP_SIZE=%d; expected a power of two",
                    plan->group_size);
    }
    if (variant_rebuilds_when_moved(variant) && !isfinite(plan->cutoff)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s runs passes when moved, by hundredths of a cutoff, and there is none",
                    variant->name);
    }
    if (plan->structure->needs_cutoff && !isfinite(plan->cutoff)) {
        return fail(error, STATUS_UNSUPPORTED, "structure %s needs a cutoff",
                    plan->structure->name);
    }
    if (!check_parameters(plan->spec, error) || !check_pair_parameters(plan->spec, error)) {
        return false;
    }
    if (!(plan->box->periodic ? variant->accepts_periodic : variant->accepts_open)) {
        return fail(error, STATUS_UNSUPPORTED, "%s does not take %s boxes", variant->name,
                    plan->box->periodic ? "periodic" : "open");
    }
    if (cell_is_triclinic(&plan->box->cell) && !variant->accepts_triclinic) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s does not take triclinic cells: it does not say @boxes triclinic",
                    variant->name);
    }
    return true;
}

bool check_case(const struct kernel_plan *plan, struct error *error) {
    return check_groups(plan, error) && check_device(plan, error) &&
           sum_method_check(plan->sum_method, device_describe(plan->device), plan->accum_is_double,
                            error);
}

bool compile_case(const struct kernel_plan *plan, const struct case_spec *spec,
                  struct program **program, struct error *error) {
    const struct kernel_build build = { .kind = plan->build,
                                        .periodic = plan->box->periodic,
                                        .triclinic = cell_is_triclinic(&plan->box->cell),
                                        .with_cutoff = isfinite(plan->cutoff),
                                        .groups_overlap = plan->groups && plan->groups->overlap,
                                        .never_halts = !runs_halt(plan) };
    return kernel_text_compile(plan->device, spec, &build, program, error);
}

/* ---- making ---- */

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
    if (plan_has_steps(plan)) {
        steps_free(plan);
    }
    fixed_point_free(plan);
    sets_free(plan);
    scratch_free(plan);
    pair_buffers_free(&plan->pair);
    if (plan->own) {
        plan_own_class(plan)->free(plan->own);
    }
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

static bool prepare_pass(struct kernel_plan *plan, int index, struct error *error) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    struct planned_pass *made = &plan->passes[index];
    const size_t sums = kernel_plan_sums_added(plan);
    if (!program_kernel(plan->program, pass->kernel, &made->kernel, error) ||
        !find_resources(plan, pass, made, error) || !shape_pass(plan, pass, made, error) ||
        !buffer_allocate(plan->device, sums * made->groups * sum_size(plan), &made->partial_sums,
                         error) ||
        !buffer_allocate(plan->device, (size_t)plan->sum_count * sum_size(plan), &made->sums,
                         error) ||
        (plan->sums_are_fixed &&
         !buffer_allocate(plan->device, sums * sizeof(int64_t), &made->fixed_sums, error))) {
        return false;
    }
    return (!plan_has_steps(plan) || steps_prepare_pass(plan, index, error)) &&
           bind_pass(plan, index, error);
}

static bool prepare_all(struct kernel_plan *plan, struct error *error) {
    if (!check_case(plan, error) || !compile_case(plan, plan->spec, &plan->program, error) ||
        (plan_has_steps(plan) && !steps_compile_quiet(plan, error))) {
        return false;
    }
    struct program *const programs[] = { plan->program,
                                         plan_has_steps(plan) ? plan->steps->quiet : NULL, NULL };
    if (!pair_buffers_create(plan->device, programs, plan->spec, plan->box, plan->cutoff,
                             &plan->pair, error) ||
        !sets_create(plan, error) || (plan_has_steps(plan) && !steps_create(plan, error)) ||
        !fixed_point_create(plan, error)) {
        return false;
    }
    const struct workload_buffers *own = plan_own_class(plan);
    if ((own && !own->create(plan->device, plan->spec, plan->box, &plan->own, error)) ||
        !scratch_create(plan, error)) {
        return false;
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        plan->passes[p].has_sums = plan->sum_count > 0 &&
                                   pass_is_step(&plan->spec->variant->passes[p]) &&
                                   (!variant_takes_sums(plan->spec->variant) ||
                                    pass_takes_sums(&plan->spec->variant->passes[p]));
        if (!prepare_pass(plan, p, error)) {
            return false;
        }
    }
    return true;
}

bool kernel_plan_create(struct device *device, const struct case_spec *spec, enum build_kind build,
                        const struct box *box, const struct groups *groups, double cutoff,
                        struct kernel_plan **plan, struct error *error) {
    struct kernel_plan *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a case");
    }
    if (spec->variant->forces.variant) {
        made->steps = calloc(1, sizeof *made->steps);
        if (!made->steps) {
            free(made);
            return fail_out_of_memory(error, "time steps");
        }
    }
    made->device = device;
    made->spec = spec;
    made->box = box;
    made->groups = groups;
    made->build = build;
    made->cutoff = cutoff;
    made->real_is_double = numeric_real_is_double(precision_numeric(spec->precision));
    made->accum_is_double = numeric_accum_is_double(precision_numeric(spec->precision));
    made->sums_are_fixed =
        numeric_sums_are_fixed(precision_numeric(spec->precision)) && build != BUILD_COUNTING;
    made->sum_count = kernel_text_sums(spec, build);
    made->sum_method = build == BUILD_COUNTING ? sum_method_of_counts() : sum_method_of(spec);
    made->group_size = tunings_value(&spec->tunings, "GROUP_SIZE", 128);
    made->structure = structure_find(spec->variant->structure);
    made->seed = spec->box.seed;
    if (!prepare_all(made, error)) {
        kernel_plan_free(made);
        return false;
    }
    *plan = made;
    return true;
}

/* ---- what kind of case it is ---- */

bool kernel_plan_has_particles(const struct kernel_plan *plan) {
    return plan->sets[0].position != NULL;
}

bool kernel_plan_has_steps(const struct kernel_plan *plan) {
    return plan_has_steps(plan);
}

bool kernel_plan_has_structure(const struct kernel_plan *plan) {
    return strcmp(plan->structure->name, "none") != 0;
}

/* What steps rebuild is part of their time. */
bool kernel_plan_has_rebuild(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) &&
           (kernel_plan_has_structure(plan) || variant_rebuilds(plan->spec->variant));
}

/* A launch of time steps begins with a structure of its own. */
bool kernel_plan_outlives_moves(const struct kernel_plan *plan) {
    return !plan_has_steps(plan) && (variant_rebuilds_when_moved(plan->spec->variant) ||
                                     structure_chain_outlives_moves(plan->sets[0].structure));
}
