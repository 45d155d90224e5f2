#include "measure/prepared.h"

#include "measure/gate.h"
#include "measure/pair_buffers.h"
#include "variant/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SUMS = 8, MAX_PAIR_ARGUMENTS = 6 };

/* One pass: its kernel, its shape, its own room for partial sums. */
struct prepared_pass {
    struct kernel *kernel;
    size_t groups;
    struct buffer *partial_sums; /* sums x groups, planar */
    struct buffer *sums;         /* sums */
    struct argument arguments[VARIANT_MAX_ARGUMENTS + MAX_PAIR_ARGUMENTS];
    size_t argument_count;
};

struct prepared {
    struct device *device;
    const struct case_spec *spec;
    const struct box *box;
    enum build_kind build;
    double cutoff;
    bool real_is_double, accum_is_double;
    int sum_count;
    int group_size;
    struct program *program;
    struct buffer *position;
    struct pair_buffers pair;
    struct buffer *force;
    const struct structure_class *structure;
    void *structure_state;
    struct prepared_pass passes[VARIANT_MAX_PASSES];
};

static size_t real_size(const struct prepared *prepared) {
    return prepared->real_is_double ? sizeof(double) : sizeof(float);
}

static size_t accum_size(const struct prepared *prepared) {
    return prepared->accum_is_double ? sizeof(double) : sizeof(float);
}

static size_t sum_size(const struct prepared *prepared) {
    return prepared->build == BUILD_COUNTING ? sizeof(int64_t) : accum_size(prepared);
}

void prepared_free(struct prepared *prepared) {
    if (!prepared) {
        return;
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        buffer_free(prepared->passes[p].partial_sums);
        buffer_free(prepared->passes[p].sums);
    }
    prepared->structure->release(prepared->structure_state);
    buffer_free(prepared->force);
    pair_buffers_free(&prepared->pair);
    buffer_free(prepared->position);
    program_free(prepared->program);
    free(prepared);
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
    bool takes = !pair_buffers_needed(&prepared->spec->interaction);
    for (int p = 0; p < variant->pass_count; p++) {
        takes = takes || variant->passes[p].takes_pair_parameters;
    }
    if (!takes) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s takes no PAIR_PARAMETERS, which types and exclusions need", variant->name);
    }
    if (!(prepared->box->periodic ? variant->accepts_periodic : variant->accepts_open)) {
        return fail(error, STATUS_UNSUPPORTED, "%s does not take %s boxes", variant->name,
                    prepared->box->periodic ? "periodic" : "open");
    }
    return true;
}

static bool compile_case(struct prepared *prepared, struct error *error) {
    struct text text = { 0 };
    kernel_text_append(prepared->spec, prepared->build, prepared->box->periodic,
                       isfinite(prepared->cutoff), &text);
    if (text.failed) {
        text_free(&text);
        return fail_out_of_memory(error, "the kernel text");
    }
    const struct program_source source = { .name = prepared->spec->variant->name,
                                           .text = text.data,
                                           .precision_words =
                                               precision_name(prepared->spec->precision),
                                           .group_size = prepared->group_size };
    bool compiled = program_compile(prepared->device, &source, &prepared->program, error);
    text_free(&text);
    return compiled;
}

/* Positions as real4, charge in w. */
static bool upload_positions(struct prepared *prepared, struct error *error) {
    const struct box *box = prepared->box;
    const size_t bytes = box->n * 4 * real_size(prepared);
    void *staged = malloc(bytes);
    if (!staged) {
        return fail_out_of_memory(error, "the positions");
    }
    for (size_t i = 0; i < box->n; i++) {
        for (size_t d = 0; d < 4; d++) {
            const double value = d < 3 ? box->position[3 * i + d] : box->charge[i];
            if (prepared->real_is_double) {
                ((double *)staged)[4 * i + d] = value;
            } else {
                ((float *)staged)[4 * i + d] = (float)value;
            }
        }
    }
    bool written = buffer_allocate(prepared->device, bytes, &prepared->position, error) &&
                   buffer_write(prepared->position, 0, staged, bytes, error);
    free(staged);
    return written;
}

static bool create_structure(struct prepared *prepared, struct error *error) {
    const struct structure_input input = { .device = prepared->device,
                                           .box = prepared->box,
                                           .position = prepared->position,
                                           .precision = prepared->spec->precision,
                                           .cutoff = prepared->cutoff,
                                           .variant = prepared->spec->variant,
                                           .tunings = &prepared->spec->tunings };
    return prepared->structure->create(&input, &prepared->structure_state, error);
}

static size_t divide_up(size_t count, size_t by) {
    return (count + by - 1) / by;
}

static bool shape_pass(struct prepared *prepared, const struct pass *pass,
                       struct prepared_pass *made, struct error *error) {
    const struct tunings *tunings = &prepared->spec->tunings;
    size_t units = 0;
    if (strcmp(pass->unit, "particle") == 0) {
        units = prepared->box->n;
    } else if (strcmp(pass->unit, "compute_unit") == 0) {
        units = (size_t)device_describe(prepared->device)->compute_units;
    } else if (!prepared->structure->unit(prepared->structure_state, pass->unit, &units)) {
        return fail(error, STATUS_BAD_INPUT, "%s: structure %s has no unit \"%s\"",
                    prepared->spec->variant->path, prepared->structure->name, pass->unit);
    }
    const int divisor = *pass->divisor ? tunings_value(tunings, pass->divisor, 1) : 1;
    const int multiplier = *pass->multiplier ? tunings_value(tunings, pass->multiplier, 1) : 1;
    if (divisor < 1 || multiplier < 1) {
        return fail(error, STATUS_UNSUPPORTED, "%s and %s must be at least 1", pass->divisor,
                    pass->multiplier);
    }
    units = divide_up(units * (size_t)multiplier, (size_t)divisor);
    made->groups = pass->per_group ? units : divide_up(units, (size_t)prepared->group_size);
    made->groups = made->groups ? made->groups : 1;
    return true;
}

static bool bind_argument(const struct prepared *prepared, const struct prepared_pass *made,
                          const char *name, struct argument *argument) {
    const struct box *box = prepared->box;
    const bool is_double = prepared->real_is_double;
    const double edge[4] = { box->edge[0], box->edge[1], box->edge[2], 0 };
    const double inverse[4] = { box->periodic ? 1 / box->edge[0] : 0,
                                box->periodic ? 1 / box->edge[1] : 0,
                                box->periodic ? 1 / box->edge[2] : 0, 0 };
    if (strcmp(name, "n") == 0) {
        *argument = argument_int((int32_t)box->n);
    } else if (strcmp(name, "position") == 0) {
        *argument = argument_buffer(prepared->position);
    } else if (strcmp(name, "force") == 0) {
        *argument = argument_buffer(prepared->force);
    } else if (strcmp(name, "partial_sums") == 0) {
        *argument = argument_buffer(made->partial_sums);
    } else if (strcmp(name, "edge") == 0) {
        *argument = argument_real4(edge, is_double);
    } else if (strcmp(name, "inverse_edge") == 0) {
        *argument = argument_real4(inverse, is_double);
    } else if (strcmp(name, "cutoff2") == 0) {
        *argument = argument_real(prepared->cutoff * prepared->cutoff, is_double);
    } else {
        return prepared->structure->argument(prepared->structure_state, name, argument);
    }
    return true;
}

static bool bind_pass(struct prepared *prepared, int index, struct error *error) {
    const struct pass *pass = &prepared->spec->variant->passes[index];
    struct prepared_pass *made = &prepared->passes[index];
    for (int a = 0; a < pass->argument_count; a++) {
        if (!bind_argument(prepared, made, pass->arguments[a], &made->arguments[a])) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: kernel %s: nothing is known by the name of \"%s\"",
                        prepared->spec->variant->path, pass->kernel, pass->arguments[a]);
        }
    }
    made->argument_count = (size_t)pass->argument_count;
    if (pass->takes_pair_parameters) {
        made->argument_count +=
            pair_buffers_arguments(&prepared->pair, made->arguments + made->argument_count);
    }
    return true;
}

static bool prepare_pass(struct prepared *prepared, int index, struct error *error) {
    const struct pass *pass = &prepared->spec->variant->passes[index];
    struct prepared_pass *made = &prepared->passes[index];
    const size_t sums = (size_t)prepared->sum_count;
    if (!program_kernel(prepared->program, pass->kernel, &made->kernel, error) ||
        !shape_pass(prepared, pass, made, error) ||
        !buffer_allocate(prepared->device, sums * made->groups * sum_size(prepared),
                         &made->partial_sums, error) ||
        !buffer_allocate(prepared->device, sums * sum_size(prepared), &made->sums, error)) {
        return false;
    }
    return bind_pass(prepared, index, error);
}

static bool prepare_all(struct prepared *prepared, struct error *error) {
    if (!check_device(prepared, error) || !compile_case(prepared, error) ||
        !upload_positions(prepared, error) ||
        !buffer_allocate(prepared->device, prepared->box->n * 4 * accum_size(prepared),
                         &prepared->force, error) ||
        !pair_buffers_create(prepared->device, &prepared->spec->interaction, prepared->box,
                             prepared->real_is_double, &prepared->pair, error) ||
        !create_structure(prepared, error)) {
        return false;
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        if (!prepare_pass(prepared, p, error)) {
            return false;
        }
    }
    return true;
}

bool prepared_create(struct device *device, const struct case_spec *spec, enum build_kind build,
                     const struct box *box, double cutoff, struct prepared **prepared,
                     struct error *error) {
    struct prepared *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a case");
    }
    made->device = device;
    made->spec = spec;
    made->box = box;
    made->build = build;
    made->cutoff = cutoff;
    made->real_is_double = spec->precision == PRECISION_DOUBLE;
    made->accum_is_double = spec->precision != PRECISION_FLOAT;
    made->sum_count = kernel_text_sums(spec, build);
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
bool prepared_build(struct prepared *prepared, struct error *error) {
    bool built = prepared->structure->build(prepared->structure_state, error);
    for (int p = 0; built && p < prepared->spec->variant->pass_count; p++) {
        built = bind_pass(prepared, p, error);
    }
    return built;
}

bool prepared_has_structure(const struct prepared *prepared) {
    return strcmp(prepared->structure->name, "none") != 0;
}

bool prepared_fill_outputs(struct prepared *prepared, unsigned char value, struct error *error) {
    bool filled = buffer_fill(prepared->force, value, buffer_bytes(prepared->force), error);
    for (int p = 0; filled && p < prepared->spec->variant->pass_count; p++) {
        struct prepared_pass *pass = &prepared->passes[p];
        filled = buffer_fill(pass->partial_sums, value, buffer_bytes(pass->partial_sums), error) &&
                 buffer_fill(pass->sums, value, buffer_bytes(pass->sums), error);
    }
    return filled;
}

static enum sum_type sum_type_of(const struct prepared *prepared) {
    if (prepared->build == BUILD_COUNTING) {
        return SUM_INT64;
    }
    return prepared->accum_is_double ? SUM_DOUBLE : SUM_FLOAT;
}

bool prepared_enqueue(struct prepared *prepared, struct error *error) {
    if (prepared->spec->variant->accumulates &&
        !buffer_fill(prepared->force, 0, buffer_bytes(prepared->force), error)) {
        return false;
    }
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        struct prepared_pass *pass = &prepared->passes[p];
        if (!kernel_launch(pass->kernel, pass->groups, (size_t)prepared->group_size,
                           pass->arguments, pass->argument_count, error)) {
            return false;
        }
        if (prepared->sum_count > 0 &&
            !device_sum(prepared->device, sum_type_of(prepared), pass->partial_sums, pass->groups,
                        (size_t)prepared->sum_count, pass->sums, error)) {
            return false;
        }
    }
    return true;
}

/* The sums of all passes together. */
static bool collect_sums(struct prepared *prepared, double sums[MAX_SUMS], struct error *error) {
    for (int s = 0; s < MAX_SUMS; s++) {
        sums[s] = s < prepared->sum_count ? 0 : NAN;
    }
    for (int p = 0; prepared->sum_count > 0 && p < prepared->spec->variant->pass_count; p++) {
        union {
            float f[MAX_SUMS];
            double d[MAX_SUMS];
        } of_pass;
        if (!buffer_read(prepared->passes[p].sums, 0, &of_pass,
                         (size_t)prepared->sum_count * accum_size(prepared), error)) {
            return false;
        }
        for (int s = 0; s < prepared->sum_count; s++) {
            sums[s] += prepared->accum_is_double ? of_pass.d[s] : (double)of_pass.f[s];
        }
    }
    return true;
}

static bool collect_forces(struct prepared *prepared, double *force, struct error *error) {
    const size_t size = buffer_bytes(prepared->force);
    void *bytes = malloc(size);
    if (!bytes) {
        return fail_out_of_memory(error, "the forces");
    }
    bool read = buffer_read(prepared->force, 0, bytes, size, error);
    for (size_t i = 0; read && i < prepared->box->n; i++) {
        for (size_t d = 0; d < 3; d++) {
            force[3 * i + d] = prepared->accum_is_double ? ((double *)bytes)[4 * i + d]
                                                         : (double)((float *)bytes)[4 * i + d];
        }
    }
    free(bytes);
    return read;
}

bool prepared_collect(struct prepared *prepared, struct evaluation *evaluation,
                      struct error *error) {
    double sums[MAX_SUMS];
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->n = prepared->box->n;
    evaluation->force = malloc(3 * prepared->box->n * sizeof(double));
    if (!evaluation->force) {
        return fail_out_of_memory(error, "the forces");
    }
    if (!device_finish(prepared->device, error) || !collect_sums(prepared, sums, error) ||
        !collect_forces(prepared, evaluation->force, error)) {
        evaluation_free(evaluation);
        return false;
    }
    /* xx xy xz yy yz zz to nine, symmetric as every sum over central pair forces */
    static const int component[9] = { 1, 2, 3, 2, 4, 5, 3, 5, 6 };
    evaluation->energy = sums[0];
    evaluation->energy_vdw = NAN;
    evaluation->energy_coulomb = NAN;
    if (prepared->sum_count > 0 && interaction_energies_apart(&prepared->spec->interaction)) {
        evaluation->energy_vdw = sums[0];
        evaluation->energy_coulomb = sums[prepared->sum_count - 1];
        evaluation->energy = evaluation->energy_vdw + evaluation->energy_coulomb;
    }
    for (int k = 0; k < 9; k++) {
        evaluation->virial[k] = sums[component[k]];
    }
    return true;
}

bool prepared_counts(struct prepared *prepared, int64_t *distances, int64_t *pairs,
                     struct error *error) {
    *distances = 0;
    *pairs = 0;
    for (int p = 0; p < prepared->spec->variant->pass_count; p++) {
        int64_t counts[2];
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
        int of_pass = -1;
        int64_t local_of_pass = -1;
        kernel_resources(prepared->passes[p].kernel, &of_pass, &local_of_pass);
        *registers = of_pass > *registers ? of_pass : *registers;
        *local_bytes = local_of_pass > *local_bytes ? local_of_pass : *local_bytes;
    }
}
