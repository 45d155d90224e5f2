/* plate — what compact boxes of particles that keep apart hide: a cell four times as long as high,
 * whose edges are no multiples of each other, and pairs much closer than a liquid's.
 *
 * A jittered lattice; every ninth particle is put beside another, at 0.3 to 0.6. Kernels that take
 * the image of one axis by the edge of another, count on as many cells along each axis, or keep
 * distances and forces within bounds, are right in every other kind.
 */
#include "boxes/kinds/makers.h"

#include <math.h>
#include <stdlib.h>

enum { PARTICLES_PER_PAIR = 9 };

static const double proportion[3] = { 2.1, 1.0, 1.0 / 2.1 }; /* their product is one */
static const size_t sites_along[3] = { 4, 2, 1 };            /* as many of each, or a multiple */
static const double plate_jitter = 0.05;                     /* of the spacing along each axis */
static const double nearest = 0.3, farthest = 0.6; /* of a pair, sites 1.2 apart or more */
static const double default_spacing = 1.2;

void plate_stretch(double edge[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        edge[axis] *= proportion[axis];
    }
}

/* Where the site of this rank lies, x fastest; those that are too many are spread evenly. */
static void place_on_site(const struct box *box, size_t multiple, size_t rank, size_t used,
                          struct random *random, double position[3]) {
    size_t site = rank * (8 * multiple * multiple * multiple) / used;
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t repeats = sites_along[axis] * multiple;
        const double spacing = box->edge[axis] / (double)repeats;
        const double off = 0.5 + plate_jitter * random_signed(random);
        position[axis] = ((double)(site % repeats) + off) * spacing;
        site /= repeats;
    }
}

/* At a distance between the two bounds, in a direction between the axes, so that two such particles
 * stay apart. */
static void place_beside(const double other[3], double scale, struct random *random,
                         double position[3]) {
    double direction[3] = { 0.0, 0.0, 0.0 };
    double length2;
    do {
        length2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            direction[axis] = random_unit(random);
            length2 += direction[axis] * direction[axis];
        }
    } while (!(length2 > 0.25 && length2 < 1.0));
    const double distance = scale * (nearest + (farthest - nearest) * random_unit(random));
    for (size_t axis = 0; axis < 3; axis++) {
        position[axis] = other[axis] + distance * direction[axis] / sqrt(length2);
    }
}

/* `at_rank` are the particles in the order of their ranks; ranks from `used` on go beside others.
 */
static void place_all(struct box *box, const int32_t *at_rank, struct random *random) {
    const size_t pairs = box->n / PARTICLES_PER_PAIR;
    const size_t used = box->n - pairs;
    const size_t stride = pairs > 0 ? used / pairs : 0;
    size_t multiple = 1;
    while (8 * multiple * multiple * multiple < used) {
        multiple++;
    }
    const double spacing = box->edge[2] / (double)multiple;
    const double scale = spacing < default_spacing ? spacing / default_spacing : 1.0;
    for (size_t rank = 0; rank < box->n; rank++) {
        double *position = &box->position[3 * (size_t)at_rank[rank]];
        if (rank < used) {
            place_on_site(box, multiple, rank, used, random, position);
        } else {
            const size_t beside = (rank - used) * stride;
            place_beside(&box->position[3 * (size_t)at_rank[beside]], scale, random, position);
        }
    }
}

bool make_plate(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    int32_t *at_rank = malloc(box->n * sizeof *at_rank);
    if (!at_rank) {
        return fail_out_of_memory(error, "a box being made");
    }
    plate_stretch(box->edge);
    draw_order(at_rank, box->n, random);
    place_all(box, at_rank, random);
    free(at_rank);
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}
