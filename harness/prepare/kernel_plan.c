#include "prepare/kernel_plan.h"

#include "base/strbuf.h"
#include "prepare/kernel_plan_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes 0.75 of a float and 5e-4 of a double. */
enum { DISTURBED_BYTE = 0x3F };

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
    order_parts_free(plan);
    sides_free(plan);
    scratch_free(plan);
    pair_buffers_free(&plan->pair);
    program_free(plan->program);
    free(plan);
}

/* Whether the variant takes this kind of groups, or all particles alone. */
static bool check_groups(const struct kernel_plan *plan, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    const enum group_mode mode = plan->groups ? plan->groups->mode : GROUPS_ONE;
    const bool takes = variant->workload->takes_groups ? mode == variant->groups
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

/* Whether the device can add up sums in the way that is asked for. */
static bool check_reduction(const struct kernel_plan *plan, struct error *error) {
    const struct device_info *info = device_describe(plan->device);
    const char *lacks = NULL;
    if (plan->reduction == REDUCTION_CUB && info->kind != DEVICE_CUDA) {
        lacks = "CUB, which needs a CUDA device";
    } else if (plan->reduction == REDUCTION_WARP && info->subgroup_size <= 1) {
        lacks = "shuffles within a warp";
    } else if (plan->reduction == REDUCTION_ATOMIC && plan->accum_is_double && !info->atomics64) {
        lacks = "64-bit atomics";
    }
    return !lacks || fail(error, STATUS_UNSUPPORTED, "reduction %s: %s has no %s",
                          reduction_name(plan->reduction), info->name, lacks);
}

/* Numbers that the arithmetic cannot hold are no fault of the kernel's. */
static bool check_parameters(const struct case_spec *spec, struct error *error) {
    const struct interaction *interaction = &spec->interaction;
    for (int p = 0; spec->precision != PRECISION_DOUBLE && p < interaction->parameter_count; p++) {
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
    if (variant->needs_cuda && info->kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "%s needs a CUDA device", variant->name);
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

static bool compile_case(struct kernel_plan *plan, struct error *error) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s", cell_is_triclinic(&plan->box->cell) ? "#define TRICLINIC 1\n" : "");
    kernel_text_append(plan->spec, plan->build, plan->box->periodic, isfinite(plan->cutoff),
                       plan->groups && plan->groups->overlap, &text);
    if (text.failed) {
        strbuf_free(&text);
        return fail_out_of_memory(error, "the kernel text");
    }
    const struct program_source source = { .name = plan->spec->variant->name,
                                           .text = text.data,
                                           .precision_words = precision_name(plan->spec->precision),
                                           .group_size = plan->group_size,
                                           .with_warps = kernel_text_shuffles(plan->spec),
                                           .of_case = true };
    bool compiled = program_compile(plan->device, &source, &plan->program, error);
    strbuf_free(&text);
    return compiled;
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
    const size_t sums = (size_t)plan->sum_count;
    if (!program_kernel(plan->program, pass->kernel, &made->kernel, error) ||
        !find_resources(plan, pass, made, error) || !shape_pass(plan, pass, made, error) ||
        !buffer_allocate(plan->device, sums * made->groups * sum_size(plan), &made->partial_sums,
                         error) ||
        !buffer_allocate(plan->device, sums * sum_size(plan), &made->sums, error)) {
        return false;
    }
    return bind_pass(plan, index, error);
}

static bool prepare_all(struct kernel_plan *plan, struct error *error) {
    if (!check_groups(plan, error) || !check_device(plan, error) || !check_reduction(plan, error) ||
        !compile_case(plan, error) || !sides_create(plan, error) ||
        !pair_buffers_create(plan->device, plan->program, plan->spec, plan->box, &plan->pair,
                             error)) {
        return false;
    }
    if (!scratch_create(plan, error)) {
        return false;
    }
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        plan->passes[p].has_sums =
            plan->sum_count > 0 && (!variant_takes_sums(plan->spec->variant) ||
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
    made->device = device;
    made->spec = spec;
    made->box = box;
    made->groups = groups;
    made->build = build;
    made->cutoff = cutoff;
    made->real_is_double = spec->precision == PRECISION_DOUBLE;
    made->accum_is_double = spec->precision != PRECISION_FLOAT;
    made->sum_count = kernel_text_sums(spec, build);
    made->reduction = build == BUILD_COUNTING ? REDUCTION_TREE : spec->reduction;
    made->group_size = tunings_value(&spec->tunings, "GROUP_SIZE", 128);
    made->structure = structure_find(spec->variant->structure);
    if (!prepare_all(made, error)) {
        kernel_plan_free(made);
        return false;
    }
    *plan = made;
    return true;
}

/* Building may replace what the kernels are given, where it grew: they are bound anew. */
static bool bind_anew(struct kernel_plan *plan, struct error *error) {
    bool bound = true;
    for (int p = 0; bound && p < plan->spec->variant->pass_count; p++) {
        bound = bind_pass(plan, p, error);
    }
    return bound;
}

bool kernel_plan_build_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                               struct error *error) {
    bool built = true;
    for (int s = 0; built && s < plan->side_count; s++) {
        built = structure_chain_build_watched(plan->sides[s].structure, watch, error);
    }
    return built && bind_anew(plan, error);
}

bool kernel_plan_build(struct kernel_plan *plan, struct error *error) {
    return kernel_plan_build_watched(plan, NULL, error);
}

bool kernel_plan_renew(struct kernel_plan *plan, bool *rebuilt, struct error *error) {
    *rebuilt = false;
    for (int s = 0; s < plan->side_count; s++) {
        bool of_side;
        if (!structure_chain_renew(plan->sides[s].structure, &of_side, error)) {
            return false;
        }
        *rebuilt = *rebuilt || of_side;
    }
    return !*rebuilt || bind_anew(plan, error);
}

bool kernel_plan_structure_outlives_moves(const struct kernel_plan *plan) {
    return structure_chain_outlives_moves(plan->sides[0].structure);
}

bool kernel_plan_has_structure(const struct kernel_plan *plan) {
    return strcmp(plan->structure->name, "none") != 0;
}

static bool fill_results(struct kernel_plan *plan, unsigned char value, struct error *error) {
    bool filled = true;
    for (int s = 0; filled && s < plan->side_count; s++) {
        struct buffer *result = plan->sides[s].result;
        filled = buffer_fill(result, value, buffer_bytes(result), error);
    }
    return filled;
}

static bool fill_sums(struct kernel_plan *plan, unsigned char value, struct error *error) {
    bool filled = true;
    for (int p = 0; filled && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        filled = buffer_fill(pass->partial_sums, value, buffer_bytes(pass->partial_sums), error) &&
                 buffer_fill(pass->sums, value, buffer_bytes(pass->sums), error);
    }
    return filled;
}

bool fill_outputs_with_byte(struct kernel_plan *plan, unsigned char value, struct error *error) {
    return fill_results(plan, value, error) && fill_sums(plan, value, error) &&
           scratch_spoil(plan, error);
}

/* A side's results, but for the fourth number of each. */
static bool disturb_side(const struct kernel_plan *plan, const struct particle_set *side,
                         struct error *error) {
    const size_t size = buffer_bytes(side->result);
    const size_t number = kernel_plan_accum_size(plan);
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes) {
        return fail_out_of_memory(error, "the forces");
    }
    bool disturbed = buffer_read(side->result, 0, bytes, size, error);
    for (size_t at = 0; disturbed && at < size; at += 4 * number) {
        memset(bytes + at, DISTURBED_BYTE, 3 * number);
    }
    disturbed = disturbed && buffer_write(side->result, 0, bytes, size, error);
    free(bytes);
    return disturbed;
}

bool fill_outputs_with_garbage(struct kernel_plan *plan, struct error *error) {
    bool disturbed = device_finish(plan->device, error);
    for (int s = 0; disturbed && s < plan->side_count; s++) {
        disturbed = disturb_side(plan, &plan->sides[s], error);
    }
    return disturbed && fill_sums(plan, DISTURBED_BYTE, error) && scratch_spoil(plan, error);
}

static enum sum_type sum_type_of(const struct kernel_plan *plan) {
    if (plan->build == BUILD_COUNTING) {
        return SUM_INT64;
    }
    return plan->accum_is_double ? SUM_DOUBLE : SUM_FLOAT;
}

/* What kernels add to atomically. */
static bool clear_atomic_sums(struct kernel_plan *plan, struct error *error) {
    bool cleared = true;
    for (int p = 0; cleared && p < plan->spec->variant->pass_count; p++) {
        struct buffer *sums = plan->passes[p].sums;
        cleared = buffer_fill(sums, 0, buffer_bytes(sums), error);
    }
    return cleared;
}

/* From one number a group and sum to one a sum. */
static bool add_up_groups(struct kernel_plan *plan, const struct planned_pass *pass,
                          struct error *error) {
    const enum sum_type type = sum_type_of(plan);
    const size_t sums = (size_t)plan->sum_count;
    switch (plan->reduction) {
    case REDUCTION_ATOMIC:
        return true;
    case REDUCTION_CUB:
        return device_library_sum(plan->device, type, pass->partial_sums, pass->groups, sums,
                                  pass->sums, error);
    default:
        return device_sum(plan->device, type, pass->partial_sums, pass->groups, sums, pass->sums,
                          error);
    }
}

/* What kernels add to atomically begins as zero. */
static bool zero(struct kernel_plan *plan, const struct stage_watch *watch, struct error *error) {
    const bool sums = plan->reduction == REDUCTION_ATOMIC && plan->sum_count > 0;
    const bool results = plan->spec->variant->accumulates;
    return (!results ||
            (stage_begins(watch, "zero", "results", error) && fill_results(plan, 0, error))) &&
           (!sums ||
            (stage_begins(watch, "zero", "sums", error) && clear_atomic_sums(plan, error)));
}

static bool reduces(const struct kernel_plan *plan, const struct planned_pass *pass) {
    return pass->has_sums && plan->reduction != REDUCTION_ATOMIC;
}

bool kernel_plan_enqueue_watched(struct kernel_plan *plan, const struct stage_watch *watch,
                                 struct error *error) {
    bool enqueued = zero(plan, watch, error);
    for (int p = 0; enqueued && p < plan->spec->variant->pass_count; p++) {
        struct planned_pass *pass = &plan->passes[p];
        const char *name = plan->spec->variant->passes[p].kernel;
        enqueued = stage_begins(watch, "pass", name, error) &&
                   kernel_launch(pass->kernel, pass->groups, (size_t)plan->group_size,
                                 pass->arguments, pass->argument_count, error) &&
                   (!reduces(plan, pass) || (stage_begins(watch, "reduce", name, error) &&
                                             add_up_groups(plan, pass, error)));
    }
    return enqueued;
}

bool kernel_plan_enqueue(struct kernel_plan *plan, struct error *error) {
    return kernel_plan_enqueue_watched(plan, NULL, error);
}

void add_sums(const struct kernel_plan *plan, const void *of_pass, double sums[MAX_SUMS]) {
    for (int s = 0; s < plan->sum_count; s++) {
        sums[s] += plan->accum_is_double ? ((const double *)of_pass)[s]
                                         : (double)((const float *)of_pass)[s];
    }
}

/* The sums of all passes together. */
static bool collect_sums(struct kernel_plan *plan, double sums[MAX_SUMS], struct error *error) {
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        double of_pass[MAX_SUMS];
        if (!plan->passes[p].has_sums) {
            continue;
        }
        if (!buffer_read(plan->passes[p].sums, 0, of_pass,
                         (size_t)plan->sum_count * kernel_plan_accum_size(plan), error)) {
            return false;
        }
        add_sums(plan, of_pass, sums);
    }
    return true;
}

/* 3 numbers a particle: zeros for those that no side has. */
static bool collect_results(const struct kernel_plan *plan, double *vectors, struct error *error) {
    for (int s = 0; s < plan->side_count; s++) {
        const struct particle_set *side = &plan->sides[s];
        const size_t size = buffer_bytes(side->result);
        void *bytes = malloc(size);
        if (!bytes) {
            return fail_out_of_memory(error, "the forces");
        }
        bool read = buffer_read(side->result, 0, bytes, size, error);
        if (read) {
            side_add_results(plan, side, bytes, vectors);
        }
        free(bytes);
        if (!read) {
            return false;
        }
    }
    return true;
}

bool evaluation_begin(const struct kernel_plan *plan, struct evaluation *evaluation,
                      struct error *error) {
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->n = plan->box->n;
    evaluation->force = calloc(3 * plan->box->n, sizeof(double));
    return evaluation->force || fail_out_of_memory(error, "the forces");
}

static void describe_sums(const struct kernel_plan *plan, struct evaluation *evaluation) {
    double groups = 0.0;
    evaluation->sum_items = 0.0;
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        groups += (double)plan->passes[p].groups;
        evaluation->sum_items += plan->passes[p].adders;
    }
    evaluation->sum_turns = plan->reduction == REDUCTION_ATOMIC ? groups : 0.0;
}

void evaluation_take_sums(const struct kernel_plan *plan, const double sums[MAX_SUMS],
                          struct evaluation *evaluation) {
    /* xx xy xz yy yz zz to nine, symmetric as every sum over central pair forces */
    static const int component[9] = { 1, 2, 3, 2, 4, 5, 3, 5, 6 };
    const int count = plan->sum_count;
    describe_sums(plan, evaluation);
    evaluation->energy = count > 0 ? sums[0] : NAN;
    evaluation->energy_vdw = NAN;
    evaluation->energy_coulomb = NAN;
    if (count > 0 && interaction_energies_apart(&plan->spec->interaction)) {
        evaluation->energy_vdw = sums[0];
        evaluation->energy_coulomb = sums[count - 1];
        evaluation->energy = evaluation->energy_vdw + evaluation->energy_coulomb;
    }
    for (int k = 0; k < 9; k++) {
        evaluation->virial[k] = plan->spec->outputs == OUTPUTS_VIRIAL ? sums[component[k]] : NAN;
    }
}

bool kernel_plan_collect(struct kernel_plan *plan, struct evaluation *evaluation,
                         struct error *error) {
    double sums[MAX_SUMS] = { 0 };
    if (!evaluation_begin(plan, evaluation, error)) {
        return false;
    }
    if (!device_finish(plan->device, error) || !collect_sums(plan, sums, error) ||
        !collect_results(plan, evaluation->force, error)) {
        evaluation_free(evaluation);
        return false;
    }
    evaluation_take_sums(plan, sums, evaluation);
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
