#include "workloads/workload_buffers.h"

#include "core/statistics.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/variant.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pair_buffers_needed(const struct interaction *interaction) {
    return interaction_has_types(interaction) || interaction->exclusions ||
           interaction->value_count > 0 || interaction->text;
}

/* Whether a place of an entry holds a cutoff rather than a parameter. */
static bool is_cutoff(const struct interaction *interaction, int place) {
    for (int f = 0; f < interaction->function_count; f++) {
        if (interaction_function_may_be_typed(&interaction->functions[f]) &&
            type_parameters_offset(interaction, f) == place) {
            return true;
        }
    }
    return false;
}

/* The number that kernels compare r2 with: negative where there is no such term, beyond any r2
 * where the term ends at the case's cutoff alone. */
static double squared_cutoff(double cutoff) {
    const double beyond = 1e30;
    if (!(cutoff > 0)) {
        return -1;
    }
    return isfinite(cutoff) ? cutoff * cutoff : beyond;
}

/* The table in the device's own reals; STATUS_UNSUPPORTED for a value that they cannot hold. Caller
 * frees *table. */
static bool stage_table(const struct interaction *interaction,
                        const struct type_parameters *parameters, bool real_is_double, void **table,
                        size_t *bytes, struct error *error) {
    const bool as_powers = type_parameters_as_powers(interaction);
    const size_t stride = as_powers ? 2 : (size_t)parameters->stride;
    const size_t count = (size_t)parameters->types * (size_t)parameters->types * stride;
    *bytes = count * (real_is_double ? sizeof(double) : sizeof(float));
    void *staged = malloc(*bytes);
    if (!staged) {
        return fail_out_of_memory(error, "the parameters of the types");
    }
    for (size_t k = 0; k < count; k++) {
        double value = 0;
        if (as_powers) {
            double powers[2];
            type_parameters_powers(parameters->values + k / 2 * (size_t)parameters->stride, powers);
            value = powers[k % 2];
        } else {
            value = parameters->values[k];
            value = is_cutoff(interaction, (int)(k % stride)) ? squared_cutoff(value) : value;
        }
        if (!real_is_double && !interaction_parameter_fits_float(value)) {
            free(staged);
            return fail(error, STATUS_UNSUPPORTED,
                        "a value for types, %g, is beyond the range of float: take larger or "
                        "smaller units, or double",
                        value);
        }
        real_set(staged, real_is_double, k, value);
    }
    *table = staged;
    return true;
}

/* CUDA has the table in an array of each program; OpenCL takes a buffer in every case. */
static bool place_table(struct device *device, struct program *const *programs, const void *table,
                        size_t bytes, struct pair_buffers *buffers, struct error *error) {
    const struct device_info *info = device_describe(device);
    const bool constant = buffers->place == TYPE_TABLE_CONSTANT;
    const size_t room = (size_t)(constant ? info->constant_bytes : info->local_bytes);
    if (buffers->place != TYPE_TABLE_GLOBAL && bytes > room) {
        return fail(error, STATUS_UNSUPPORTED,
                    "TYPE_TABLE=%d: the table of %d types takes %zu bytes; %s has %zu of %s memory",
                    (int)buffers->place, buffers->types, bytes, info->name, room,
                    constant ? "constant" : "local");
    }
    if (constant && info->kind == DEVICE_CUDA) {
        bool written = true;
        for (; written && *programs; programs++) {
            written = program_write_constant(*programs, "pair_table", table, bytes, error);
        }
        return written;
    }
    buffers->local_bytes = buffers->place == TYPE_TABLE_LOCAL ? bytes : 0;
    return buffer_upload(device, "table of types", table, bytes, &buffers->table, error);
}

static bool create_types(struct device *device, struct program *const *programs,
                         const struct case_spec *spec, const struct box *box,
                         struct pair_buffers *buffers, struct error *error) {
    struct type_parameters parameters;
    size_t bytes = 0;
    if (!type_parameters_resolve(&spec->interaction, box, &parameters, error)) {
        return false;
    }
    void *table = NULL;
    buffers->types = parameters.types;
    buffers->bare_types = type_parameters_bare(&spec->interaction, &parameters);
    buffers->place =
        (enum type_table_place)tunings_value(&spec->tunings, TYPE_TABLE_TUNABLE, TYPE_TABLE_GLOBAL);
    bool made = stage_table(&spec->interaction, &parameters,
                            numeric_real_is_double(precision_numeric(spec->precision)), &table,
                            &bytes, error) &&
                buffer_upload(device, "types", box->type, box->n * sizeof *box->type,
                              &buffers->type, error) &&
                place_table(device, programs, table, bytes, buffers, error);
    free(table);
    type_parameters_free(&parameters);
    return made;
}

bool excluded_partners_upload(struct device *device, const struct excluded_partners *partners,
                              size_t n, struct buffer **start, struct buffer **partner,
                              struct error *error) {
    return buffer_upload(device, "excluded_start", partners->start,
                         (n + 1) * sizeof *partners->start, start, error) &&
           buffer_upload(device, "excluded", partners->partner,
                         (size_t)partners->start[n] * sizeof *partners->partner, partner, error);
}

static bool create_exclusions(struct device *device, const struct exclusions *exclusions,
                              const struct box *box, struct pair_buffers *buffers,
                              struct error *error) {
    struct excluded_partners partners;
    if (!exclusions_fit(exclusions, box, error)) {
        return false;
    }
    if (exclusions_by_molecule(exclusions)) {
        return buffer_upload(device, "molecules", box->molecule, box->n * sizeof *box->molecule,
                             &buffers->molecule, error);
    }
    if (!exclusions_list(exclusions, box, &partners, error)) {
        return false;
    }
    const bool made = excluded_partners_upload(device, &partners, box->n, &buffers->excluded_start,
                                               &buffers->excluded, error);
    excluded_partners_free(&partners);
    return made;
}

/* Uploads four values of each particle as reals of the device, 0 where there are fewer.
 * STATUS_UNSUPPORTED for a value that these cannot hold. */
static bool create_quad(struct device *device, const struct case_spec *spec, int quad, size_t n,
                        struct buffer **buffer, struct error *error) {
    const struct interaction *interaction = &spec->interaction;
    const bool real_is_double = numeric_real_is_double(precision_numeric(spec->precision));
    const size_t bytes = 4 * n * (real_is_double ? sizeof(double) : sizeof(float));
    void *staged = calloc(1, bytes);
    bool good = staged || fail_out_of_memory(error, "values of particles");
    for (int v = 4 * quad; good && v < interaction->value_count && v < 4 * quad + 4; v++) {
        const struct particle_values *values = interaction->values[v];
        good = values->count >= n ||
               fail(error, STATUS_BAD_INPUT, "%s: %zu values; the box has %zu particles",
                    values->path, values->count, n);
        for (size_t i = 0; good && i < n; i++) {
            const size_t place = 4 * i + (size_t)(v % 4);
            real_set(staged, real_is_double, place, values->value[i]);
            good = real_is_double || interaction_parameter_fits_float(values->value[i]) ||
                   fail(error, STATUS_UNSUPPORTED,
                        "%s: %g is beyond the range of float: take larger or smaller units, or "
                        "double",
                        values->path, values->value[i]);
        }
    }
    good = good && buffer_upload(device, "values of particles", staged, bytes, buffer, error);
    free(staged);
    return good;
}

static bool create_values(struct device *device, const struct case_spec *spec,
                          const struct box *box, struct pair_buffers *buffers,
                          struct error *error) {
    static_assert(4 * (int)PAIR_BUFFERS_MAX_QUADS >= (int)EXPRESSION_MAX_VALUES,
                  "there is room for what an interaction has");
    bool created = true;
    for (int quad = 0; created && 4 * quad < spec->interaction.value_count; quad++) {
        created = create_quad(device, spec, quad, box->n, &buffers->values[quad], error);
    }
    return created;
}

/* Uploads the arrays that a kernel text takes besides values of particles. */
static bool create_of_text(struct device *device, const struct case_spec *spec,
                           const struct box *box, double cutoff, struct pair_buffers *buffers,
                           struct error *error) {
    static_assert((int)PAIR_BUFFERS_MAX_ARRAYS >= (int)PAIR_TEXT_MAX_ARRAYS,
                  "there is room for what a text has");
    const struct pair_text *text = spec->interaction.text;
    bool created = true;
    buffers->real_is_double = numeric_real_is_double(precision_numeric(spec->precision));
    buffers->is_of_text = text != NULL;
    buffers->atoms = (int)box->n;
    buffers->cutoff = isfinite(cutoff) ? cutoff : 0.0;
    for (int a = 0; created && text && a < text->array_count; a++) {
        const struct particle_values *numbers = text->arrays[a].numbers;
        created = buffer_upload_reals(
            device, text->arrays[a].name,
            &(struct reals){ numbers->value, numbers->count, buffers->real_is_double },
            &buffers->arrays[a], error);
    }
    return created;
}

bool pair_buffers_create(struct device *device, const struct pair_input *input,
                         struct pair_buffers *buffers, struct error *error) {
    const struct case_spec *spec = input->spec;
    const struct box *box = input->box;
    const struct interaction *interaction = &spec->interaction;
    *buffers = (struct pair_buffers){ 0 };
    if ((interaction_has_types(interaction) &&
         !create_types(device, input->programs, spec, box, buffers, error)) ||
        (interaction->exclusions &&
         !create_exclusions(device, interaction->exclusions, box, buffers, error)) ||
        !create_values(device, spec, box, buffers, error) ||
        !create_of_text(device, spec, box, input->cutoff, buffers, error)) {
        pair_buffers_free(buffers);
        return false;
    }
    return true;
}

/* The lists of `partners` by place and in places, each ascending. Both have room for as many. */
static void list_by_place(const struct excluded_partners *partners, size_t n,
                          const struct member_order *order, struct excluded_partners *placed) {
    size_t filled = 0;
    for (size_t place = 0; place < n; place++) {
        const size_t member = member_at(order, n, place);
        const size_t first = filled;
        placed->start[place] = (int32_t)first;
        for (int32_t k = partners->start[member]; k < partners->start[member + 1]; k++) {
            placed->partner[filled++] =
                (int32_t)place_of_member(order, n, (size_t)partners->partner[k]);
        }
        sort_ints(placed->partner + first, filled - first);
    }
    placed->start[n] = (int32_t)filled;
}

bool excluded_partners_place(const struct excluded_partners *partners, size_t n,
                             const struct member_order *order, struct buffer *start,
                             struct buffer *partner, struct error *error) {
    const size_t total = (size_t)partners->start[n];
    struct excluded_partners placed = {
        .start = malloc((n + 1) * sizeof *placed.start),
        .partner = malloc((total + 1) * sizeof *placed.partner),
    };
    bool written = placed.start && placed.partner;
    if (written) {
        list_by_place(partners, n, order, &placed);
        written = buffer_write(start, 0, placed.start, (n + 1) * sizeof *placed.start, error) &&
                  (total == 0 ||
                   buffer_write(partner, 0, placed.partner, total * sizeof *placed.partner, error));
    } else {
        (void)fail_out_of_memory(error, "the exclusions");
    }
    excluded_partners_free(&placed);
    return written;
}

bool pair_buffers_reorder(struct pair_buffers *buffers, const struct exclusions *exclusions,
                          const struct box *box, const struct member_order *order,
                          struct error *error) {
    struct excluded_partners partners;
    if (!exclusions_list(exclusions, box, &partners, error)) {
        return false;
    }
    const bool written = excluded_partners_place(&partners, box->n, order, buffers->excluded_start,
                                                 buffers->excluded, error);
    excluded_partners_free(&partners);
    return written;
}

void pair_buffers_free(struct pair_buffers *buffers) {
    buffer_free(buffers->type);
    buffer_free(buffers->table);
    buffer_free(buffers->molecule);
    buffer_free(buffers->excluded_start);
    buffer_free(buffers->excluded);
    for (int quad = 0; quad < PAIR_BUFFERS_MAX_QUADS; quad++) {
        buffer_free(buffers->values[quad]);
    }
    for (int a = 0; a < PAIR_BUFFERS_MAX_ARRAYS; a++) {
        buffer_free(buffers->arrays[a]);
    }
    *buffers = (struct pair_buffers){ 0 };
}

size_t pair_buffers_arguments(const struct pair_buffers *buffers, struct argument *arguments) {
    size_t count = 0;
    if (buffers->type) {
        arguments[count++] = argument_int(buffers->types);
        arguments[count++] = argument_buffer(buffers->type);
    }
    if (buffers->table) {
        arguments[count++] = argument_buffer(buffers->table);
    }
    if (buffers->local_bytes > 0) {
        arguments[count++] = argument_local(buffers->local_bytes);
    }
    if (buffers->molecule) {
        arguments[count++] = argument_buffer(buffers->molecule);
    }
    if (buffers->excluded) {
        arguments[count++] = argument_buffer(buffers->excluded_start);
        arguments[count++] = argument_buffer(buffers->excluded);
    }
    for (int quad = 0; quad < PAIR_BUFFERS_MAX_QUADS && buffers->values[quad]; quad++) {
        arguments[count++] = argument_buffer(buffers->values[quad]);
    }
    for (int a = 0; a < PAIR_BUFFERS_MAX_ARRAYS && buffers->arrays[a]; a++) {
        arguments[count++] = argument_buffer(buffers->arrays[a]);
    }
    if (buffers->is_of_text) {
        arguments[count++] = argument_int(buffers->atoms);
        arguments[count++] = argument_real(buffers->cutoff, buffers->real_is_double);
    }
    return count;
}
