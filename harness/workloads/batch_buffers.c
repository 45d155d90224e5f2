/* Uploads what kernels need of a batch: where each box begins, and its cell. */
#include "kernels/header/read_variant.h"
#include "kernels/potentials/exclusions.h"
#include "workloads/workload_buffers.h"

#include <stdlib.h>
#include <string.h>

/* ---- the order of boxes ---- */

struct member_order batch_order_draw(const struct box *box, uint64_t bits) {
    const size_t n = box->n;
    const size_t b = (size_t)((bits >> 1) % box->batch);
    if (n < 3) {
        return (struct member_order){ 0 };
    }
    if (bits & 1) { /* from the last particle of a box on, backwards */
        const size_t end = box->begin[b + 1];
        return (struct member_order){ .shift = (end > 0 ? end : n) - 1,
                                      .stride = n - 1,
                                      .back = n - 1 };
    }
    return (struct member_order){ .shift = box->begin[b] % n };
}

/* The box that comes first in an order of boxes of drawn sizes. */
static size_t first_box(const struct box *box, const struct member_order *order, bool backwards) {
    size_t b = 0;
    while (b + 1 < box->batch &&
           (backwards ? box->begin[b + 1] != order->shift + 1 : box->begin[b] != order->shift)) {
        b++;
    }
    return b;
}

bool batch_places_find(const struct box *box, const struct member_order *order,
                       struct batch_places *places, struct error *error) {
    const size_t boxes = box_count(box);
    const bool backwards = box->n >= 3 && order_stride(order) != 1;
    const size_t share = box_share(box);
    const size_t first = box->begin ? first_box(box, order, backwards) : 0;
    *places = (struct batch_places){ calloc(boxes, sizeof *places->box),
                                     calloc(boxes + 1, sizeof *places->begin) };
    if (!places->box || !places->begin) {
        batch_places_free(places);
        return fail_out_of_memory(error, "the order of boxes");
    }
    for (size_t at = 0; at < boxes; at++) {
        const size_t b = !box->begin ? member_at(order, box->n, at * share) / share
                         : backwards ? (first + boxes - at) % boxes
                                     : (first + at) % boxes;
        places->box[at] = b;
        places->begin[at + 1] =
            places->begin[at] + (int32_t)(box_begin(box, b + 1) - box_begin(box, b));
    }
    return true;
}

void batch_places_free(struct batch_places *places) {
    free(places->box);
    free(places->begin);
    *places = (struct batch_places){ 0 };
}

/* ---- buffers ---- */

/* One after the other, in the order of the places. */
static bool write_boxes(struct batch_on_device *batch, const struct member_order *order,
                        struct error *error) {
    const struct box *box = batch->box;
    const size_t boxes = box_count(box);
    struct batch_places places;
    if (!batch_places_find(box, order, &places, error)) {
        return false;
    }
    char *cells = malloc(boxes * batch->cell_bytes);
    for (size_t at = 0; cells && at < boxes; at++) {
        const struct cell *cell = box->cells ? &box->cells[places.box[at]] : &box->cell;
        const struct argument args = bindings_box_of_kind(cell, cell_is_triclinic(&box->cell),
                                                          box->periodic, batch->is_double);
        memcpy(cells + at * batch->cell_bytes, argument_bytes(&args), batch->cell_bytes);
    }
    const bool written = cells ? buffer_write(batch->arguments.box_begin, 0, places.begin,
                                              (boxes + 1) * sizeof *places.begin, error) &&
                                     buffer_write(batch->arguments.box_cells, 0, cells,
                                                  boxes * batch->cell_bytes, error)
                               : fail_out_of_memory(error, "the cells of a batch");
    free(cells);
    batch_places_free(&places);
    return written;
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    struct batch_on_device *batch = buffers;
    const struct member_order as_they_are = { .share = box->begin ? 0 : box_share(box) };
    const size_t boxes = box_count(box);
    (void)cutoff;
    batch->box = box;
    batch->is_double = numeric_real_is_double(precision_numeric(spec->precision));
    batch->cell_bytes = bindings_box(&box->cell, box->periodic, batch->is_double).size;
    batch->arguments.box_count = (int32_t)boxes;
    batch->arguments.particles_per_box = (int32_t)box_share(box);
    if (!variant_takes(spec->variant, "box_begin") && !variant_takes(spec->variant, "box_cells")) {
        return true;
    }
    return buffer_allocate(device, (boxes + 1) * sizeof(int32_t), &batch->arguments.box_begin,
                           error) &&
           buffer_allocate(device, boxes * batch->cell_bytes, &batch->arguments.box_cells, error) &&
           write_boxes(batch, &as_they_are, error);
}

static bool reorder(void *buffers, const struct member_order *order, struct error *error) {
    struct batch_on_device *batch = buffers;
    return !batch->arguments.box_begin || write_boxes(batch, order, error);
}

const struct workload_buffers batch_buffers = {
    .size = sizeof(struct batch_on_device),
    .arguments = { WORKLOAD_ARGUMENTS(batch_on_device, arguments, batch) },
    .create = create,
    .reorder = reorder,
};

const struct kernel_parameter batch_parameters[] = {
    { "box_count", "int", FROM_INT(batch_arguments, box_count) },
    { "particles_per_box", "int", FROM_INT(batch_arguments, particles_per_box) },
    { "box_begin", "GLOBAL const int *", FROM_BUFFER(batch_arguments, box_begin) },
    { "box_cells", "GLOBAL const box_args *", FROM_BUFFER(batch_arguments, box_cells) },
    { 0 },
};

/* ---- which cases ---- */

const char *batch_refuse_lists(const struct case_spec *spec, const char *of_files) {
    if (spec->box.batch > 1 && spec->interaction.bonded) {
        return of_files;
    }
    return spec->box.batch > 1 && spec->box.sizes.most > 0 && !box_spec_is_open(&spec->box) &&
                   !variant_takes(spec->variant, "box_cells")
               ? "knows one cell: boxes of several sizes have their own, for which a kernel asks "
                 "for box_cells"
               : NULL;
}

const char *batch_refuse(const struct case_spec *spec) {
    const bool begins = variant_takes(spec->variant, "box_begin");
    if (spec->box.batch <= 1) {
        return NULL;
    }
    if (!begins && !variant_takes(spec->variant, "particles_per_box")) {
        return "computes one box: a batch takes kernels that ask for box_begin or "
               "particles_per_box";
    }
    if (!begins && spec->box.sizes.most > 0) {
        return "computes boxes of one size: those of several take kernels that ask for box_begin";
    }
    const struct exclusions *left_out = spec->interaction.exclusions;
    if (left_out && !exclusions_by_molecule(left_out) &&
        strncmp(exclusions_identity(left_out), "next:", 5) != 0) {
        return "takes pairs of particles that do not interact by molecule or next:K in a batch";
    }
    if (spec->interaction.text) {
        return "has values for particles of one box: a batch takes interactions without kernel "
               "text";
    }
    return NULL;
}
