/* Batches: boxes of one kind, cell and size, one after the other. */
#include "boxes/box.h"

#include <stdlib.h>
#include <string.h>

/* As the first box, with room for all of them. */
static bool begin_batch(const struct box *one, size_t batch, struct box *box, struct error *error) {
    struct box whole;
    if (!box_allocate(batch * one->n, &whole, error)) {
        return false;
    }
    char(*species)[SPECIES_SIZE] = calloc((size_t)one->types, sizeof *species);
    whole.molecule = one->molecule ? malloc(whole.n * sizeof *whole.molecule) : NULL;
    if (!species || (one->molecule && !whole.molecule) ||
        (one->velocity && !box_add_velocities(&whole, error)) ||
        (one->mass && !box_add_masses(&whole, error))) {
        free(species);
        box_free(&whole);
        return fail_out_of_memory(error, "a batch of boxes");
    }
    free(whole.species);
    whole.species = memcpy(species, one->species, (size_t)one->types * sizeof *species);
    whole.types = one->types;
    whole.batch = batch;
    whole.periodic = one->periodic;
    whole.cell = one->cell;
    whole.density = one->density;
    whole.temperature = one->temperature;
    whole.seed = one->seed;
    memcpy(whole.kind, one->kind, sizeof whole.kind);
    *box = whole;
    return true;
}

/* Box b; `molecules` are those of the boxes before it, and then of this one, too. */
static void put_box(const struct box *one, size_t b, int32_t *molecules, struct box *box) {
    const size_t n = one->n;
    int32_t most = *molecules;
    memcpy(box->position + 3 * b * n, one->position, 3 * n * sizeof *one->position);
    memcpy(box->charge + b * n, one->charge, n * sizeof *one->charge);
    memcpy(box->type + b * n, one->type, n * sizeof *one->type);
    if (one->velocity) {
        memcpy(box->velocity + 3 * b * n, one->velocity, 3 * n * sizeof *one->velocity);
    }
    if (one->mass) {
        memcpy(box->mass + b * n, one->mass, n * sizeof *one->mass);
    }
    for (size_t i = 0; one->molecule && i < n; i++) {
        const int32_t molecule = *molecules + one->molecule[i];
        box->molecule[b * n + i] = molecule;
        most = molecule >= most ? molecule + 1 : most;
    }
    *molecules = most;
}

bool box_make_batch(const char *kind, size_t n, size_t batch, double density, uint64_t seed,
                    struct box *box, struct error *error) {
    int32_t molecules = 0;
    if (batch <= 1) {
        return box_make(kind, n, density, seed, box, error);
    }
    memset(box, 0, sizeof *box);
    if (n % batch != 0 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected a multiple of %zu, to %d", n,
                    batch, BOX_MAX_PARTICLES);
    }
    bool made = true;
    for (size_t b = 0; made && b < batch; b++) {
        struct box one;
        made = box_make(kind, n / batch, density, seed + b, &one, error);
        made = made && (b > 0 || begin_batch(&one, batch, box, error));
        if (made) {
            put_box(&one, b, &molecules, box);
        }
        box_free(&one);
    }
    if (!made) {
        box_free(box);
    }
    return made;
}
