/* Whether a device and a variant can take a case, and the program that it is compiled to. */
#include "kernels/text/kernel_text.h"
#include "kernels/variant.h"
#include "prepare/kernel_plan_parts.h"

#include <math.h>
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
        const bool reads_table = pass->takes_pair_parameters && !pass->reads_types_alone;
        const bool fits =
            pass->begins_with_sum_scratch ? pass->takes_pair_parameters : !reads_table;
        if (staged && !fits) {
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
        return fail(error, STATUS_UNSUPPORTED,
                    "launch graph: %s has no graphs; each:K has K evaluations follow each other",
                    info->name);
    }
    if (plan->spec->launch == LAUNCH_GRAPH && plan_has_steps(plan)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "launch graph: time steps are launched each by itself");
    }
    if (plan->spec->evaluations > 0 && plan_has_steps(plan)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "launch each:%zu: of time steps a launch has as many as the case",
                    plan->spec->evaluations);
    }
    if (plan->accum_is_double && !info->fp64) {
        return fail(error, STATUS_UNSUPPORTED, "%s has no double precision", info->name);
    }
    if (plan->group_size > info->max_group_size) {
        return fail(error, STATUS_UNSUPPORTED, "GROUP_SIZE=%d, but %s takes %d at most",
                    plan->group_size, info->name, info->max_group_size);
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

/* Asks the workload about the whole case: when cases were planned, less of it was known. */
static bool check_workload(const struct kernel_plan *plan, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const struct workload *workload = variant->workload;
    const char *refusal = workload->refuse_case ? workload->refuse_case(plan->spec) : NULL;
    return !refusal || fail(error, STATUS_UNSUPPORTED, "%s %s", variant->name, refusal);
}

bool check_case(const struct kernel_plan *plan, struct error *error) {
    return check_groups(plan, error) && check_workload(plan, error) && check_device(plan, error) &&
           sum_method_check(plan->sum_method, device_describe(plan->device), plan->accum_is_double,
                            error);
}

/* Compilers for CPUs make loops over work-items of what lies between barriers; PoCL's gets that
 * wrong in kernels that may be left before the first barrier and loop behind the last, as those of
 * thermostats do, and forces of a box per group. There, the host asks in each step. */
bool plan_exits_early(const struct kernel_plan *plan) {
    const struct variant *variant = plan->spec->variant;
    bool of_groups = false;
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        const bool loops = !pass_is_of_forces(variant, p) || strcmp(pass->unit, "box") == 0;
        of_groups =
            of_groups || (loops && pass->per_group && pass->schedule.when != PASS_WHEN_ASKED);
    }
    return plan_has_steps(plan) && !(device_describe(plan->device)->is_cpu && of_groups);
}

bool compile_case(const struct kernel_plan *plan, const struct case_spec *spec,
                  struct program **program, struct error *error) {
    const struct kernel_build build = { .kind = plan->build,
                                        .periodic = plan->box->periodic,
                                        .triclinic = cell_is_triclinic(&plan->box->cell),
                                        .with_cutoff = isfinite(plan->cutoff),
                                        .groups_overlap = plan->groups && plan->groups->overlap,
                                        .never_halts = !plan_exits_early(plan) };
    const struct workload *workload = spec->variant->workload;
    struct case_spec resolved = *spec;
    return (!workload->resolve || workload->resolve(plan->box, &resolved, error)) &&
           kernel_text_compile(plan->device, &resolved, &build, program, error);
}

bool plan_kernel(const struct kernel_plan *plan, struct program *program, const struct pass *pass,
                 struct kernel **kernel, struct error *error) {
    if (!program_kernel(program, pass->kernel, kernel, error)) {
        return false;
    }
    const int cached = tunings_value(&plan->spec->tunings, TABLE_CACHE_TUNABLE, 0);
    if (cached > 0 && plan->spec->interaction.eam) {
        kernel_divide(*kernel, 100 - cached);
    }
    return true;
}
