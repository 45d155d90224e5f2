/* Batches of boxes that are made, one after the other in the same arrays. */
#include "boxes/box.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(const struct box_batch *batch, size_t b) {
    return batch->sizes.most > 0 ? batch_box_size(&batch->sizes, batch->seed, b)
                                 : batch->n / batch->batch;
}

/* As the first box, with room for all of them. */
static bool begin_batch(const struct box *one, const struct box_batch *batch, struct box *box,
                        struct error *error) {
    struct box whole;
    const bool drawn = batch->sizes.most > 0;
    if (!box_allocate(batch->n, &whole, error)) {
        return false;
    }
    whole.molecule = one->molecule ? malloc(whole.n * sizeof *whole.molecule) : NULL;
    whole.begin = drawn ? calloc(batch->batch + 1, sizeof *whole.begin) : NULL;
    whole.cells = drawn ? calloc(batch->batch, sizeof *whole.cells) : NULL;
    if ((one->molecule && !whole.molecule) || (drawn && (!whole.begin || !whole.cells)) ||
        (one->velocity && !box_add_velocities(&whole, error)) ||
        (one->mass && !box_add_masses(&whole, error))) {
        box_free(&whole);
        return fail_out_of_memory(error, "a batch of boxes");
    }
    whole.types = 0; /* until boxes bring theirs */
    whole.batch = batch->batch;
    whole.periodic = one->periodic;
    whole.cell = one->cell;
    whole.density = one->density;
    whole.temperature = one->temperature;
    whole.seed = one->seed;
    memcpy(whole.kind, one->kind, sizeof whole.kind);
    *box = whole;
    return true;
}

/* The number in the batch of a species of one of its boxes, which may be new; -1: no memory. */
static int32_t species_in(struct box *box, const char *name) {
    int32_t type = 0;
    while (type < box->types && strcmp(box->species[type], name) != 0) {
        type++;
    }
    if (type == box->types) {
        char(*more)[SPECIES_SIZE] =
            realloc(box->species, ((size_t)box->types + 1) * sizeof *box->species);
        if (!more) {
            return -1;
        }
        box->species = more;
        memcpy(box->species[box->types++], name, SPECIES_SIZE);
    }
    return type;
}

/* Types as the batch numbers them: boxes number theirs as they meet them. */
static bool put_types(const struct box *one, size_t first, struct box *box, struct error *error) {
    bool put = true;
    for (int32_t t = 0; t < one->types && put; t++) {
        const int32_t type = species_in(box, one->species[t]);
        put = type >= 0;
        for (size_t i = 0; i < one->n && put; i++) {
            if (one->type[i] == t) {
                box->type[first + i] = type;
            }
        }
    }
    return put || fail_out_of_memory(error, "the species of a batch");
}

/* Box b; `molecules` are those of the boxes before it, and then of this one, too. */
static void put_box(const struct box *one, size_t first, int32_t *molecules, struct box *box) {
    const size_t n = one->n;
    int32_t most = *molecules;
    memcpy(box->position + 3 * first, one->position, 3 * n * sizeof *one->position);
    memcpy(box->charge + first, one->charge, n * sizeof *one->charge);
    if (one->velocity) {
        memcpy(box->velocity + 3 * first, one->velocity, 3 * n * sizeof *one->velocity);
    }
    if (one->mass) {
        memcpy(box->mass + first, one->mass, n * sizeof *one->mass);
    }
    for (size_t i = 0; one->molecule && i < n; i++) {
        const int32_t molecule = *molecules + one->molecule[i];
        box->molecule[first + i] = molecule;
        most = molecule >= most ? molecule + 1 : most;
    }
    *molecules = most;
}

/* Into the batch, after `first` particles. A box without particles has the cell of one. */
static bool add_box(const struct box_batch *batch, size_t b, size_t first, int32_t *molecules,
                    struct box *box, struct error *error) {
    const size_t n = size_of(batch, b);
    struct box one;
    if (!box_make(batch->kind, n > 0 ? n : 1, batch->density, batch->seed + b, &one, error)) {
        return false;
    }
    const bool added = (b > 0 || begin_batch(&one, batch, box, error)) &&
                       (n == 0 || put_types(&one, first, box, error));
    if (added && n > 0) {
        put_box(&one, first, molecules, box);
    }
    if (added && box->cells) {
        box->begin[b + 1] = first + n;
        box->cells[b] = one.cell;
    }
    box_free(&one);
    return added;
}

bool box_make_batch(const struct box_batch *batch, struct box *box, struct error *error) {
    const size_t n = batch->n;
    const size_t boxes = batch->batch;
    if (boxes <= 1) {
        return box_make(batch->kind, n, batch->density, batch->seed, box, error);
    }
    memset(box, 0, sizeof *box);
    if ((batch->sizes.most == 0 && n % boxes != 0) || n < 1 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected a multiple of %zu, to %d", n,
                    boxes, BOX_MAX_PARTICLES);
    }
    int32_t molecules = 0;
    size_t first = 0;
    bool made = true;
    for (size_t b = 0; made && b < boxes; b++) {
        made = add_box(batch, b, first, &molecules, box, error);
        first += size_of(batch, b);
    }
    if (!made) {
        box_free(box);
    }
    return made;
}
