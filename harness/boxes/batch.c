/* Batches: boxes that know nothing of each other, one after the other in the same arrays. */
#include "boxes/box.h"

#include "boxes/random.h"

struct box box_of_batch(const struct box *box, size_t b) {
    const size_t first = box_begin(box, b);
    struct box one = *box; /* its arrays are shared */
    one.n = box_begin(box, b + 1) - first;
    one.batch = 1;
    one.begin = NULL;
    one.cells = NULL;
    one.first = first;
    one.cell = box->cells ? box->cells[b] : box->cell;
    one.position += 3 * first;
    one.charge += first;
    one.type += first;
    one.velocity = box->velocity ? box->velocity + 3 * first : NULL;
    one.mass = box->mass ? box->mass + first : NULL;
    one.molecule = box->molecule ? box->molecule + first : NULL;
    return one;
}

void box_number_particles(const struct box *box, int32_t *box_of) {
    for (size_t b = 0; b < box_count(box); b++) {
        for (size_t i = box_begin(box, b); i < box_begin(box, b + 1); i++) {
            box_of[i] = (int32_t)b;
        }
    }
}

void box_choose_cell(struct box *box) {
    box->cell = box->cells[0];
    for (size_t b = 1; b < box->batch && !cell_is_triclinic(&box->cell); b++) {
        box->cell = cell_is_triclinic(&box->cells[b]) ? box->cells[b] : box->cell;
    }
}

size_t box_of_particle(const struct box *box, size_t particle) {
    size_t low = 0; /* it is in this box, or in one after it */
    size_t end = box_count(box);
    while (end - low > 1) {
        const size_t middle = low + (end - low) / 2;
        if (box_begin(box, middle) <= particle) {
            low = middle;
        } else {
            end = middle;
        }
    }
    return low;
}

/* ---- sizes that are drawn ---- */

size_t batch_box_size(const struct batch_sizes *sizes, uint64_t seed, size_t b) {
    static const uint64_t stream = 0x73697a65u; /* other numbers than those of positions */
    struct random random = random_from_seed((seed + b) ^ stream);
    const size_t n =
        sizes->least + (size_t)(random_next(&random) % (sizes->most - sizes->least + 1));
    return sizes->of_waters && n % 3 == 2 ? n - 1 : n;
}

size_t batch_total(const struct batch_sizes *sizes, uint64_t seed, size_t batch) {
    size_t total = 0;
    for (size_t b = 0; b < batch; b++) {
        total += batch_box_size(sizes, seed, b);
    }
    return total;
}
