#include "structures/lists/molecule_columns.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_NAMES = 64 /* per particle: a table of them must not take all memory */ };

/* ---- whether they are ---- */

static double distance2(const struct box *box, int32_t i, int32_t j) {
    double way[3];
    box_vector(box, &box->position[3 * (size_t)i], &box->position[3 * (size_t)j], way);
    return vector_dot(way, way);
}

/* Whether all molecules have so many particles, none farther from its first one than `most`. */
static bool are_alike(const struct box *box, const struct alike *alike, int32_t particles,
                      double most) {
    bool is_so = true;
    for (size_t m = 0; is_so && m < alike->molecules; m++) {
        const int32_t begin = alike->start[m];
        is_so = alike->start[m + 1] - begin == particles;
        for (int32_t k = begin + 1; is_so && k < alike->start[m + 1]; k++) {
            is_so = distance2(box, alike->particle[begin], alike->particle[k]) <= most * most;
        }
    }
    return is_so;
}

/* The least name of a molecule, and how many there are from it to the greatest. */
struct names {
    int32_t least;
    int64_t count;
};

static struct names names_of(const struct box *box) {
    int32_t least = box->molecule[0];
    int32_t most = box->molecule[0];
    for (size_t i = 1; i < box->n; i++) {
        least = box->molecule[i] < least ? box->molecule[i] : least;
        most = box->molecule[i] > most ? box->molecule[i] : most;
    }
    return (struct names){ least, (int64_t)most - least + 1 };
}

static bool asks_for_cells(const struct structure_input *input) {
    static const char *const names[] = { "cell_start", "sorted_index", "sorted_position",
                                         "sorted_place", NULL };
    bool asks = false;
    for (const char *const *name = names; *name; name++) {
        asks |= requested_names_have(input->requested, *name);
    }
    return asks;
}

bool molecule_columns_suit(const struct structure_input *input) {
    const struct box *box = input->box;
    struct alike alike = { 0 };
    struct error unused;
    if (!input->molecule || box->n == 0 || builder_tunable(input, "ORDER") != ORDER_CLUSTERS ||
        box_count(box) > 1 || asks_for_cells(input) ||
        names_of(box).count > MOST_NAMES * (int64_t)box->n) {
        return false;
    }
    const double most = cbrt(builder_tunable(input, "PARTICLES") / skin_density(input));
    const bool suit = alike_find(box, &alike, &unused) &&
                      are_alike(box, &alike, builder_tunable(input, "PARTICLES"), most);
    alike_free(&alike);
    return suit;
}

/* ---- making ---- */

/* Names may be any: a table of those that lie between the least and the greatest. */
static bool upload_ranks(const struct structure_input *input, const struct alike *alike,
                         struct molecule_columns *columns, struct error *error) {
    const int32_t *molecule = input->box->molecule;
    const struct names names = names_of(input->box);
    const size_t bytes = (size_t)names.count * sizeof(int32_t);
    int32_t *rank = calloc(1, bytes);
    columns->least = names.least;
    if (!rank) {
        return fail_out_of_memory(error, "the names of molecules");
    }
    for (size_t m = 0; m < alike->molecules; m++) {
        const int32_t name = molecule[alike->particle[alike->start[m]]];
        rank[(int64_t)name - columns->least] = (int32_t)m;
    }
    const bool uploaded =
        buffer_upload(input->device, "molecules by name", rank, bytes, &columns->rank, error);
    free(rank);
    return uploaded;
}

/* Bins along the curve: no more than of half a particle each. */
static bool create_bins(const struct structure_input *input, const struct place_order *order,
                        size_t molecules, struct molecule_columns *columns, struct error *error) {
    const int bits = builder_bits_for(cbrt((double)molecules));
    columns->bits = bits < order->bits ? bits : order->bits;
    columns->by_sort = builder_tunable(input, "STABLE_SORT") != 0;
    const size_t bytes = columns->by_sort ? 0 : sizeof(int32_t) << 3 * columns->bits;
    return buffer_allocate(input->device, bytes, &columns->bin_begin, error) &&
           buffer_allocate(input->device, bytes, &columns->bin_count, error) &&
           (bytes == 0 || buffer_fill(columns->bin_count, 0, bytes, error));
}

bool molecule_columns_create(const struct structure_input *input, const struct place_order *order,
                             struct molecule_columns *columns, struct error *error) {
    struct alike alike = { 0 };
    const size_t ints = input->box->n * sizeof(int32_t);
    const bool created =
        alike_find(input->box, &alike, error) && upload_ranks(input, &alike, columns, error) &&
        buffer_allocate(input->device, alike.molecules * sizeof(int32_t), &columns->count, error) &&
        buffer_fill(columns->count, 0, alike.molecules * sizeof(int32_t), error) &&
        buffer_allocate(input->device, ints, &columns->particles, error) &&
        create_bins(input, order, alike.molecules, columns, error);
    alike_free(&alike);
    return created;
}

void molecule_columns_free(struct molecule_columns *columns) {
    buffer_free(columns->rank);
    buffer_free(columns->count);
    buffer_free(columns->particles);
    buffer_free(columns->bin_count);
    buffer_free(columns->bin_begin);
}

/* ---- building ---- */

/* Gathers each one's particles and says in which bin it lies. */
static bool number_molecules(const struct molecule_columns *columns,
                             struct kernel *const kernels[2], size_t molecules,
                             const struct skin *skin, const struct place_order *order,
                             struct error *error) {
    const struct argument n = argument_int((int32_t)skin->n);
    int bins[3];
    double inverse_bin[3];
    for (int d = 0; d < 3; d++) {
        bins[d] = 1 << columns->bits;
        inverse_bin[d] = order->inverse_bin[d] * bins[d] / order->bins[d];
    }
    return builder_launch(kernels[0], skin->n,
                          ARGUMENTS(n, argument_buffer(order->molecule),
                                    argument_int(columns->least), argument_buffer(columns->rank),
                                    argument_buffer(columns->count),
                                    argument_buffer(columns->particles)),
                          error) &&
           builder_launch(
               kernels[1], molecules,
               ARGUMENTS(n, argument_buffer(skin->position),
                         argument_real3(order->origin, skin->is_double),
                         argument_real3(inverse_bin, skin->is_double),
                         argument_int4(bins, columns->bits), skin->box,
                         argument_buffer(columns->count), argument_buffer(columns->particles),
                         argument_int(!columns->by_sort), argument_buffer(columns->bin_count),
                         argument_buffer(order->key), argument_buffer(order->value)),
               error);
}

bool molecule_columns_build(const struct molecule_columns *columns, struct kernel *const kernels[3],
                            const struct skin *skin, const struct place_order *order,
                            struct error *error) {
    const size_t molecules = buffer_bytes(columns->count) / sizeof(int32_t);
    if (!number_molecules(columns, kernels, molecules, skin, order, error)) {
        return false;
    }
    if (columns->by_sort) {
        return device_sort_pairs(order->device, (struct key_values){ order->key, order->value },
                                 (struct key_values){ order->sorted_key, order->sorted_place },
                                 molecules, 3 * columns->bits, error);
    }
    return device_exclusive_scan(order->device, columns->bin_count, columns->bin_begin,
                                 (size_t)1 << 3 * columns->bits, error) &&
           builder_launch(
               kernels[2], molecules,
               ARGUMENTS(argument_int((int32_t)molecules), argument_buffer(order->key),
                         argument_buffer(order->value), argument_buffer(columns->bin_begin),
                         argument_buffer(columns->bin_count), argument_buffer(order->sorted_place)),
               error);
}
