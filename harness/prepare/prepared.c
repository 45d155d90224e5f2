#include "prepare/prepared.h"

#include "prepare/prepared_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes 0.75 of a float and 5e-4 of a double. */
enum { DISTURBED_BYTE = 0x3F };

static size_t sum_size(const struct prepared *prepared) {
    return prepared->build == BUILD_COUNTING ? sizeof(int64_t) : prepared_accum_size(prepared);
}

void prepared_free(struct prepared *prepared) {
    if (!prepared) {
        return;
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        buffer_free(prepared->passes[p].partial_sums);
        buffer_free(prepared->passes[p].sums);
    }
    host_parts_free(prepared);
    order_parts_free(prepared);
    sides_free(prepared);
    scratch_free(prepared);
    pair_buffers_free(&prepared->pair);
    program_free(prepared->program);
    free(prepared);
}

/* Whether the variant takes this kind of groups, or all particles alone. */
static bool check_groups(const struct prepared *prepared, struct error *error) {
    const struct variant *variant = prepared->spec->variant;
    const enum group_mode mode = prepared->groups ? prepared->groups->mode : GROUPS_ONE;
    const bool takes = variant->workload->takes_groups
                           ? mode == variant->groups
                           : !prepared->groups || prepared->groups->everything;
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
static bool check_reduction(const struct prepared *prepared, struct error *error) {
    const struct device_info *info = device_describe(prepared->device);
    const char *lacks = NULL;
    if (prepared->reduction == REDUCTION_CUB && info->kind != DEVICE_CUDA) {
        lacks = "CUB, which needs a CUDA device";
    } else if (prepared->reduction == REDUCTION_WARP && info->subgroup_size <= 1) {
        lacks = "shuffles within a warp";
    } else if (prepared->reduction == REDUCTION_ATOMIC && prepared->accum_is_double &&
               !info->atomics64) {
        lacks = "64-bit atomics";
    }
    return !lacks || fail(error, STATUS_UNSUPPORTED, "reduction %s: %s has no %s",
                          reduction_name(prepared->reduction), info->name, lacks);
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

static bool check_device(const struct prepared *prepared, struct error *error) {
    const struct device_info *info = device_describe(prepared->device);
    const struct variant *variant = prepared->spec->variant;
    if (variant->needs_cuda && info->kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "%s needs a CUDA device", variant->name);
    }
    if (prepared->accum_is_double && !info->fp64) {
        return fail(error, STATUS_UNSUPPORTED, "%s has no double precision", info->name);
    }
    if (prepared->group_size > info->max_group_size) {
        return fail(error, STATUS_UNSUPPORTED, "GROUP_SIZE=%d, but %s takes %d at most",
                    prepared->group_size, info->name, info->max_group_size);
    }
    if (prepared->group_size <= 0 || (prepared->group_size & (prepared->group_size - 1)) != 0) {
        return fail(error, STATUS_UNSUPPORTED, "GROUP_SIZE=%d; expected a power of two",
                    prepared->group_size);
    }
    if (prepared->structure->needs_cutoff && !isfinite(prepared->cutoff)) {
        return fail(error, STATUS_UNSUPPORTED, "structure %s needs a cutoff",
                    prepared->structure->name);
    }
    if (!check_parameters(prepared->spec, error) || !check_pair_parameters(prepared->spec, error)) {
        return false;
    }
    if (!(prepared->box->periodic ? variant->accepts_periodic : variant->accepts_open)) {
        return fail(error, STATUS_UNSUPPORTED, "%s does not take %s boxes", variant->name,
                    prepared->box->periodic ? "periodic" : "open");
    }
    if (cell_is_triclinic(&prepared->box->cell) && !variant->accepts_triclinic) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s does not take triclinic cells: it does not say @boxes triclinic",
                    variant->name);
    }
    return true;
}

static bool compile_case(struct prepared *prepared, struct error *error) {
    struct text text = { 0 };
    text_append(&text, "%s",
                cell_is_triclinic(&prepared->box->cell) ? "#define TRICLINIC 1\n" : "");
    kernel_text_append(prepared->spec, prepared->build, prepared->box->periodic,
                       isfinite(prepared->cutoff), prepared->groups && prepared->groups->overlap,
                       &text);
    if (text.failed) {
        text_free(&text);
        return fail_out_of_memory(error, "the kernel text");
    }
    const struct program_source source = { .name = prepared->spec->variant->name,
                                           .text = text.data,
                                           .precision_words =
                                               precision_name(prepared->spec->precision),
                                           .group_size = prepared->group_size,
                                           .with_warps = kernel_text_shuffles(prepared->spec),
                                           .of_case = true };
    bool compiled = program_compile(prepared->device, &source, &prepared->program, error);
    text_free(&text);
    return compiled;
}

/* What the kernel takes of the device; a table of types in local memory must fit beside its own. */
static bool find_resources(const struct prepared *prepared, const struct pass *pass,
                           struct prepared_pass *made, struct error *error) {
    const struct device_info *info = device_describe(prepared->device);
    kernel_resources(made->kernel, &made->registers, &made->local_bytes);
    if (!pass->takes_pair_parameters || prepared->pair.local_bytes == 0) {
        return true;
    }
    const size_t own = made->local_bytes > 0 ? (size_t)made->local_bytes : 0;
    const size_t together = own + prepared->pair.local_bytes;
    if (together > info->local_bytes) {
        return fail(error, STATUS_UNSUPPORTED,
                    "TYPE_TABLE=%d: kernel %s uses %zu bytes of local memory and the table of %d "
                    "types takes %zu; %s has %llu",
                    TYPE_TABLE_LOCAL, pass->kernel, own, prepared->pair.types,
                    prepared->pair.local_bytes, info->name, (unsigned long long)info->local_bytes);
    }
    made->local_bytes = (int64_t)together;
    return true;
}

static bool prepare_pass(struct prepared *prepared, int index, struct error *error) {
    const struct pass *pass = &prepared->spec->variant->passes[index];
    struct prepared_pass *made = &prepared->passes[index];
    const size_t sums = (size_t)prepared->sum_count;
    if (!program_kernel(prepared->program, pass->kernel, &made->kernel, error) ||
        !find_resources(prepared, pass, made, error) || !shape_pass(prepared, pass, made, error) ||
        !buffer_allocate(prepared->device, sums * made->groups * sum_size(prepared),
                         &made->partial_sums, error) ||
        !buffer_allocate(prepared->device, sums * sum_size(prepared), &made->sums, error)) {
        return false;
    }
    return bind_pass(prepared, index, error);
}

static bool prepare_all(struct prepared *prepared, struct error *error) {
    if (!check_groups(prepared, error) || !check_device(prepared, error) ||
        !check_reduction(prepared, error) || !compile_case(prepared, error) ||
        !sides_create(prepared, error) ||
        !pair_buffers_create(prepared->device, prepared->program, prepared->spec, prepared->box,
                             &prepared->pair, error)) {
        return false;
    }
    if (!scratch_create(prepared, error)) {
        return false;
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        prepared->passes[p].has_sums =
            prepared->sum_count > 0 && (!variant_takes_sums(prepared->spec->variant) ||
                                        pass_takes_sums(&prepared->spec->variant->passes[p]));
        if (!prepare_pass(prepared, p, error)) {
            return false;
        }
    }
    return true;
}

bool prepared_create(struct device *device, const struct case_spec *spec, enum build_kind build,
                     const struct box *box, const struct groups *groups, double cutoff,
                     struct prepared **prepared, struct error *error) {
    struct prepared *made = calloc(1, sizeof *made);
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
        prepared_free(made);
        return false;
    }
    *prepared = made;
    return true;
}

/* Building may replace what the kernels are given, where it grew: they are bound anew. */
static bool bind_anew(struct prepared *prepared, struct error *error) {
    bool bound = true;
    for (int p = 0; bound && p < prepared->spec->variant->pass_count; p++) {
        bound = bind_pass(prepared, p, error);
    }
    return bound;
}

bool prepared_build_watched(struct prepared *prepared, const struct stage_watch *watch,
                            struct error *error) {
    bool built = true;
    for (int s = 0; built && s < prepared->side_count; s++) {
        built = structure_chain_build_watched(prepared->sides[s].structure, watch, error);
    }
    return built && bind_anew(prepared, error);
}

bool prepared_build(struct prepared *prepared, struct error *error) {
    return prepared_build_watched(prepared, NULL, error);
}

bool prepared_renew(struct prepared *prepared, bool *rebuilt, struct error *error) {
    *rebuilt = false;
    for (int s = 0; s < prepared->side_count; s++) {
        bool of_side;
        if (!structure_chain_renew(prepared->sides[s].structure, &of_side, error)) {
            return false;
        }
        *rebuilt = *rebuilt || of_side;
    }
    return !*rebuilt || bind_anew(prepared, error);
}

bool prepared_structure_outlives_moves(const struct prepared *prepared) {
    return structure_chain_outlives_moves(prepared->sides[0].structure);
}

bool prepared_has_structure(const struct prepared *prepared) {
    return strcmp(prepared->structure->name, "none") != 0;
}

static bool fill_results(struct prepared *prepared, unsigned char value, struct error *error) {
    bool filled = true;
    for (int s = 0; filled && s < prepared->side_count; s++) {
        struct buffer *result = prepared->sides[s].result;
        filled = buffer_fill(result, value, buffer_bytes(result), error);
    }
    return filled;
}

static bool fill_sums(struct prepared *prepared, unsigned char value, struct error *error) {
    bool filled = true;
    for (int p = 0; filled && p < prepared->spec->variant->pass_count; p++) {
        struct prepared_pass *pass = &prepared->passes[p];
        filled = buffer_fill(pass->partial_sums, value, buffer_bytes(pass->partial_sums), error) &&
                 buffer_fill(pass->sums, value, buffer_bytes(pass->sums), error);
    }
    return filled;
}

bool prepared_fill_outputs(struct prepared *prepared, unsigned char value, struct error *error) {
    return fill_results(prepared, value, error) && fill_sums(prepared, value, error) &&
           scratch_spoil(prepared, error);
}

/* A side's results, but for the fourth number of each. */
static bool disturb_side(const struct prepared *prepared, const struct prepared_side *side,
                         struct error *error) {
    const size_t size = buffer_bytes(side->result);
    const size_t number = prepared_accum_size(prepared);
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

bool prepared_disturb_outputs(struct prepared *prepared, struct error *error) {
    bool disturbed = device_finish(prepared->device, error);
    for (int s = 0; disturbed && s < prepared->side_count; s++) {
        disturbed = disturb_side(prepared, &prepared->sides[s], error);
    }
    return disturbed && fill_sums(prepared, DISTURBED_BYTE, error) &&
           scratch_spoil(prepared, error);
}

static enum sum_type sum_type_of(const struct prepared *prepared) {
    if (prepared->build == BUILD_COUNTING) {
        return SUM_INT64;
    }
    return prepared->accum_is_double ? SUM_DOUBLE : SUM_FLOAT;
}

/* What kernels add to atomically. */
static bool clear_atomic_sums(struct prepared *prepared, struct error *error) {
    bool cleared = true;
    for (int p = 0; cleared && p < prepared->spec->variant->pass_count; p++) {
        struct buffer *sums = prepared->passes[p].sums;
        cleared = buffer_fill(sums, 0, buffer_bytes(sums), error);
    }
    return cleared;
}

/* From one number a group and sum to one a sum. */
static bool add_up_groups(struct prepared *prepared, const struct prepared_pass *pass,
                          struct error *error) {
    const enum sum_type type = sum_type_of(prepared);
    const size_t sums = (size_t)prepared->sum_count;
    switch (prepared->reduction) {
    case REDUCTION_ATOMIC:
        return true;
    case REDUCTION_CUB:
        return device_library_sum(prepared->device, type, pass->partial_sums, pass->groups, sums,
                                  pass->sums, error);
    default:
        return device_sum(prepared->device, type, pass->partial_sums, pass->groups, sums,
                          pass->sums, error);
    }
}

/* What kernels add to atomically begins as zero. */
static bool zero(struct prepared *prepared, const struct stage_watch *watch, struct error *error) {
    const bool sums = prepared->reduction == REDUCTION_ATOMIC && prepared->sum_count > 0;
    const bool results = prepared->spec->variant->accumulates;
    return (!results ||
            (stage_begins(watch, "zero", "results", error) && fill_results(prepared, 0, error))) &&
           (!sums ||
            (stage_begins(watch, "zero", "sums", error) && clear_atomic_sums(prepared, error)));
}

static bool reduces(const struct prepared *prepared, const struct prepared_pass *pass) {
    return pass->has_sums && prepared->reduction != REDUCTION_ATOMIC;
}

bool prepared_enqueue_watched(struct prepared *prepared, const struct stage_watch *watch,
                              struct error *error) {
    bool enqueued = zero(prepared, watch, error);
    for (int p = 0; enqueued && p < prepared->spec->variant->pass_count; p++) {
        struct prepared_pass *pass = &prepared->passes[p];
        const char *name = prepared->spec->variant->passes[p].kernel;
        enqueued = stage_begins(watch, "pass", name, error) &&
                   kernel_launch(pass->kernel, pass->groups, (size_t)prepared->group_size,
                                 pass->arguments, pass->argument_count, error) &&
                   (!reduces(prepared, pass) || (stage_begins(watch, "reduce", name, error) &&
                                                 add_up_groups(prepared, pass, error)));
    }
    return enqueued;
}

bool prepared_enqueue(struct prepared *prepared, struct error *error) {
    return prepared_enqueue_watched(prepared, NULL, error);
}

void add_sums(const struct prepared *prepared, const void *of_pass, double sums[MAX_SUMS]) {
    for (int s = 0; s < prepared->sum_count; s++) {
        sums[s] += prepared->accum_is_double ? ((const double *)of_pass)[s]
                                             : (double)((const float *)of_pass)[s];
    }
}

/* The sums of all passes together. */
static bool collect_sums(struct prepared *prepared, double sums[MAX_SUMS], struct error *error) {
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        double of_pass[MAX_SUMS];
        if (!prepared->passes[p].has_sums) {
            continue;
        }
        if (!buffer_read(prepared->passes[p].sums, 0, of_pass,
                         (size_t)prepared->sum_count * prepared_accum_size(prepared), error)) {
            return false;
        }
        add_sums(prepared, of_pass, sums);
    }
    return true;
}

/* 3 numbers a particle: zeros for those that no side has. */
static bool collect_results(const struct prepared *prepared, double *vectors, struct error *error) {
    for (int s = 0; s < prepared->side_count; s++) {
        const struct prepared_side *side = &prepared->sides[s];
        const size_t size = buffer_bytes(side->result);
        void *bytes = malloc(size);
        if (!bytes) {
            return fail_out_of_memory(error, "the forces");
        }
        bool read = buffer_read(side->result, 0, bytes, size, error);
        if (read) {
            side_add_results(prepared, side, bytes, vectors);
        }
        free(bytes);
        if (!read) {
            return false;
        }
    }
    return true;
}

bool evaluation_begin(const struct prepared *prepared, struct evaluation *evaluation,
                      struct error *error) {
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->n = prepared->box->n;
    evaluation->force = calloc(3 * prepared->box->n, sizeof(double));
    return evaluation->force || fail_out_of_memory(error, "the forces");
}

static void describe_sums(const struct prepared *prepared, struct evaluation *evaluation) {
    double groups = 0.0;
    evaluation->sum_items = 0.0;
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        groups += (double)prepared->passes[p].groups;
        evaluation->sum_items += prepared->passes[p].adders;
    }
    evaluation->sum_turns = prepared->reduction == REDUCTION_ATOMIC ? groups : 0.0;
}

void evaluation_take_sums(const struct prepared *prepared, const double sums[MAX_SUMS],
                          struct evaluation *evaluation) {
    /* xx xy xz yy yz zz to nine, symmetric as every sum over central pair forces */
    static const int component[9] = { 1, 2, 3, 2, 4, 5, 3, 5, 6 };
    const int count = prepared->sum_count;
    describe_sums(prepared, evaluation);
    evaluation->energy = count > 0 ? sums[0] : NAN;
    evaluation->energy_vdw = NAN;
    evaluation->energy_coulomb = NAN;
    if (count > 0 && interaction_energies_apart(&prepared->spec->interaction)) {
        evaluation->energy_vdw = sums[0];
        evaluation->energy_coulomb = sums[count - 1];
        evaluation->energy = evaluation->energy_vdw + evaluation->energy_coulomb;
    }
    for (int k = 0; k < 9; k++) {
        evaluation->virial[k] =
            prepared->spec->outputs == OUTPUTS_VIRIAL ? sums[component[k]] : NAN;
    }
}

bool prepared_collect(struct prepared *prepared, struct evaluation *evaluation,
                      struct error *error) {
    double sums[MAX_SUMS] = { 0 };
    if (!evaluation_begin(prepared, evaluation, error)) {
        return false;
    }
    if (!device_finish(prepared->device, error) || !collect_sums(prepared, sums, error) ||
        !collect_results(prepared, evaluation->force, error)) {
        evaluation_free(evaluation);
        return false;
    }
    evaluation_take_sums(prepared, sums, evaluation);
    return true;
}

bool prepared_counts(struct prepared *prepared, int64_t *distances, int64_t *pairs,
                     struct error *error) {
    *distances = 0;
    *pairs = 0;
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        int64_t counts[2];
        if (!prepared->passes[p].has_sums) {
            continue;
        }
        if (!buffer_read(prepared->passes[p].sums, 0, counts, sizeof counts, error)) {
            return false;
        }
        *distances += counts[0];
        *pairs += counts[1];
    }
    return true;
}

const struct program *prepared_program(const struct prepared *prepared) {
    return prepared->program;
}

void prepared_resources(const struct prepared *prepared, int *registers, int64_t *local_bytes) {
    *registers = -1;
    *local_bytes = -1;
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        const struct prepared_pass *pass = &prepared->passes[p];
        *registers = pass->registers > *registers ? pass->registers : *registers;
        *local_bytes = pass->local_bytes > *local_bytes ? pass->local_bytes : *local_bytes;
    }
}
