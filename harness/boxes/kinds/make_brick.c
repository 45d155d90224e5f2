/* brick — what a cubic box of like particles hides: edges of three lengths, particles on the faces
 * of the cell, three types with charges that differ in size, molecules, no order of the particles.
 *
 * A jittered lattice whose first layers lie exactly at coordinate 0. Kernels that take one axis for
 * another, lose what lies on an edge, or hand the pair function the wrong particle, are right in
 * every other kind.
 */
#include "boxes/kinds/makers.h"

#include <stdlib.h>

enum { SPECIES = 3 }; /* and as many particles a molecule */

static const double proportion[3] = { 0.8, 1.0, 1.25 }; /* their product is one */
static const double brick_jitter = 0.05;                /* of the spacing along each axis */

void brick_stretch(double edge[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        edge[axis] *= proportion[axis];
    }
}

/* As few sites as will do, along each axis about as far apart. */
static void choose_sites(size_t n, const double edge[3], size_t repeats[3]) {
    repeats[0] = repeats[1] = repeats[2] = 1;
    while (repeats[0] * repeats[1] * repeats[2] < n) {
        int widest = 0;
        for (int axis = 1; axis < 3; axis++) {
            if (edge[axis] / (double)repeats[axis] > edge[widest] / (double)repeats[widest]) {
                widest = axis;
            }
        }
        repeats[widest]++;
    }
}

/* Where the particle of this rank goes, x fastest. */
static void place(const struct box *box, const size_t repeats[3], size_t rank, size_t i,
                  struct random *random) {
    size_t site = rank * (repeats[0] * repeats[1] * repeats[2]) / box->n;
    for (size_t axis = 0; axis < 3; axis++) {
        const double spacing = box->edge[axis] / (double)repeats[axis];
        const size_t along = site % repeats[axis];
        const double off = brick_jitter * random_signed(random);
        box->position[3 * i + axis] = along == 0 ? 0.0 : ((double)along + off) * spacing;
        site /= repeats[axis];
    }
}

/* Particles of successive sites make a molecule, and have the species in turn; which of them comes
 * first, second, ... among the particles is drawn. */
bool make_brick(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    (void)threads; /* it is all drawing and walking through memory */
    static const double charges[SPECIES] = { -1.0, 0.25, 0.75 };
    size_t repeats[3];
    int32_t *rank = malloc(box->n * sizeof *rank);
    if (!rank || !box_room_for_types(box, SPECIES, error)) {
        free(rank);
        return fail_out_of_memory(error, "a box being made");
    }
    brick_stretch(box->edge);
    choose_sites(box->n, box->edge, repeats);
    draw_order(rank, box->n, random);
    for (size_t i = 0; i < box->n; i++) {
        place(box, repeats, (size_t)rank[i], i, random);
        box->molecule[i] = rank[i] / SPECIES;
        box->type[i] = box_type_of(box, "ABC"[rank[i] % SPECIES]);
        box->charge[i] = charges[rank[i] % SPECIES];
    }
    free(rank);
    return true;
}
