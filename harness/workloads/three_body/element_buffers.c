/* Parameters of many-body terms on the device, by types, and the types of the particles. Where the
 * interaction has no table, kernels find its parameters in their text, and read nothing of these.
 */
#include "workloads/workload_buffers.h"

#include "kernels/kernel_parameters.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/pair_text.h"
#include "workloads/member_order.h"

#include <stdlib.h>

/* Numbers of a pair, and of a triplet at most: see variants/interactions/stillinger-weber.cl and
 * tersoff.cl. */
enum { PAIR_NUMBERS = 12, SW_TRIPLET_NUMBERS = 2, TRIPLET_NUMBERS = 8 };

struct element_arrays {
    struct elements_arguments arguments;
    struct placed_types types;
};

static void take(const double *from, int count, double *number) {
    for (int k = 0; k < count; k++) {
        number[k] = from[k];
    }
}

static void stage_pair(const double *value, enum element_form form, double *number) {
    const double pair[] = { value[SW_BIG_A] * value[SW_EPSILON],
                            value[SW_BIG_B],
                            value[SW_P],
                            value[SW_Q],
                            value[SW_SIGMA],
                            value[SW_A] * value[SW_SIGMA],
                            value[SW_GAMMA] * value[SW_SIGMA],
                            0 };
    const double bond[] = { value[TERSOFF_BIG_A],   value[TERSOFF_LAMBDA1], value[TERSOFF_BIG_B],
                            value[TERSOFF_LAMBDA2], value[TERSOFF_N],       value[TERSOFF_BETA],
                            value[TERSOFF_R],       value[TERSOFF_WIDTH] };
    take(form == ELEMENTS_ORDERS ? bond : pair, 8, number);
}

static int triplet_numbers(enum element_form form) {
    return form == ELEMENTS_ORDERS ? TRIPLET_NUMBERS : SW_TRIPLET_NUMBERS;
}

static void stage_triplet(const double *value, enum element_form form, double *number) {
    const double triplet[] = { value[SW_LAMBDA] * value[SW_EPSILON], value[SW_COS_THETA0] };
    const double order[] = { value[TERSOFF_GAMMA], value[TERSOFF_LAMBDA3],    value[TERSOFF_C],
                             value[TERSOFF_D],     value[TERSOFF_COS_THETA0], value[TERSOFF_M],
                             value[TERSOFF_R],     value[TERSOFF_WIDTH] };
    take(form == ELEMENTS_ORDERS ? order : triplet, triplet_numbers(form), number);
}

/* Of all types of the box; without a table, of one. */
static void stage(const struct interaction *interaction, const struct box *box, int32_t types,
                  double *pairs, double *triplets) {
    const struct triplet_record same = element_record_of(interaction);
    const enum element_form form = interaction->functions[0].elements;
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t second = k / types % types;
        const int32_t third = k % types;
        const double *value =
            interaction->elements
                ? element_table_find(interaction->elements, box->species[k / types / types],
                                     box->species[second], box->species[third])
                      ->value
                : same.value;
        stage_triplet(value, form, triplets + (size_t)triplet_numbers(form) * (size_t)k);
        if (second == third) {
            stage_pair(value, form, pairs + PAIR_NUMBERS * (size_t)(k / types));
        }
    }
}

static bool check_numbers(const double *numbers, size_t count, bool real_is_double,
                          struct error *error) {
    for (size_t k = 0; k < count && !real_is_double; k++) {
        if (!interaction_parameter_fits_float(numbers[k])) {
            return fail(error, STATUS_UNSUPPORTED,
                        "a parameter of elements, %g, is beyond the range of float: take larger or "
                        "smaller units, or double",
                        numbers[k]);
        }
    }
    return true;
}

static bool upload_parameters(struct device *device, const struct case_spec *spec,
                              const struct box *box, struct elements_arguments *arguments,
                              struct error *error) {
    const bool wide = numeric_real_is_double(precision_numeric(spec->precision));
    const size_t types = (size_t)arguments->count;
    const size_t pairs = PAIR_NUMBERS * types * types;
    const size_t triplets =
        (size_t)triplet_numbers(spec->interaction.functions[0].elements) * types * types * types;
    double *numbers = calloc(pairs + triplets, sizeof *numbers);
    if (!numbers) {
        return fail_out_of_memory(error, "the parameters of elements");
    }
    stage(&spec->interaction, box, arguments->count, numbers, numbers + pairs);
    const struct reals of_pairs = { numbers, pairs, wide };
    const struct reals of_triplets = { numbers + pairs, triplets, wide };
    const bool made =
        check_numbers(numbers, pairs + triplets, wide, error) &&
        buffer_upload_reals(device, "pairs of elements", &of_pairs, &arguments->pairs, error) &&
        buffer_upload_reals(device, "triplets of elements", &of_triplets, &arguments->triplets,
                            error);
    free(numbers);
    return made;
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *context, struct error *error) {
    struct element_arrays *buffers = context;
    const struct element_table *table = spec->interaction.elements;
    (void)cutoff; /* the parameters say where they end */
    if (table && !element_table_fits(table, box, error)) {
        return false;
    }
    buffers->arguments.count = table ? box->types : 1;
    return placed_types_create(device, box, !table, &buffers->types, error) &&
           upload_parameters(device, spec, box, &buffers->arguments, error);
}

static void free_arrays(void *context) {
    struct element_arrays *buffers = context;
    placed_types_free(&buffers->types);
    buffer_free(buffers->arguments.pairs);
    buffer_free(buffers->arguments.triplets);
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    struct element_arrays *buffers = context;
    return placed_types_reorder(&buffers->types, order, error);
}

static void fill_arguments(const void *context, struct case_arguments *arguments) {
    const struct element_arrays *buffers = context;
    arguments->elements = buffers->arguments;
    arguments->elements.types = buffers->types.buffer;
}

static void visit_all(const void *context, workload_buffer_visitor *visit, void *visitor) {
    const struct element_arrays *buffers = context;
    const struct elements_arguments *arguments = &buffers->arguments;
    visit(visitor, buffers->types.buffer, "the types");
    visit(visitor, arguments->pairs, "the parameters of pairs");
    visit(visitor, arguments->triplets, "the parameters of triplets");
}

const struct workload_buffers element_buffers = { .size = sizeof(struct element_arrays),
                                                  .create = create,
                                                  .free = free_arrays,
                                                  .reorder = reorder,
                                                  .fill_arguments = fill_arguments,
                                                  .visit = visit_all };
