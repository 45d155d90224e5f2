/* water — rigid molecules of three charged sites, O, H and H, as peers time them: what types,
 * charges and pairs that are left out cost.
 *
 * The geometry and the charges of SPC/E (H. J. C. Berendsen, J. R. Grigera, T. P. Straatsma, J.
 * Phys. Chem. 91 (1987) 6269): O-H 1 angstrom, the angle tetrahedral. Molecules of random
 * orientation stand on a simple-cubic lattice of 3.1 angstrom (0.1007 sites per cubic angstrom),
 * each up to 0.15 angstrom off along each axis; which of them stands where is drawn, so that the
 * order of the particles means nothing. Where n is no multiple of three the last molecule lacks a
 * hydrogen or both. Lengths are angstrom; another density stretches the lattice and leaves the
 * molecules as they are. The lattice of a small box may be closer, since its sites are a cube of a
 * whole number: there, each molecule takes the best of some orientations.
 */
#include "boxes/kinds/makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 3, SMALL = 300, ORIENTATIONS = 64 };

static const double jitter = 0.15 / 3.1; /* of the spacing */
static const double mass[SITES] = { 15.999, 1.008, 1.008 };
static const double charge[SITES] = { -0.8476, 0.4238, 0.4238 };

/* The hydrogens lie on both sides of the first direction. Half the tetrahedral angle has a cosine
 * of sqrt(1/3) and a sine of sqrt(2/3). */
static void place_molecule(const double centre[3], struct random *random, double site[SITES][3]) {
    double axis_of[3];
    double across[3];
    draw_direction(random, axis_of);
    draw_perpendicular(random, axis_of, across);
    for (size_t k = 0; k < 3; k++) {
        const double along = sqrt(1.0 / 3.0) * axis_of[k];
        const double aside = sqrt(2.0 / 3.0) * across[k];
        site[0][k] = centre[k];
        site[1][k] = centre[k] + along + aside;
        site[2][k] = centre[k] + along - aside;
    }
}

/* The centre of the molecule that stands at this rank among the sites of the lattice, x fastest;
 * vacancies are spread evenly. */
static void choose_centre(const struct box *box, size_t repeats, size_t molecules, size_t rank,
                          struct random *random, double centre[3]) {
    size_t site = rank * (repeats * repeats * repeats) / molecules;
    for (size_t axis = 0; axis < 3; axis++) {
        const double spacing = box->edge[axis] / (double)repeats;
        const double off = 0.5 + jitter * random_signed(random);
        centre[axis] = ((double)(site % repeats) + off) * spacing;
        site /= repeats;
    }
}

/* The square of the least distance of the sites to the particles before them. */
static double least_distance2(const struct box *box, size_t before, double site[SITES][3]) {
    double least2 = 3 * box->edge[0] * box->edge[0];
    for (size_t i = 0; i < SITES * before; i++) {
        double distance2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            const double wrapped = wrap_coordinate(site[i / before][axis], box->edge[axis]);
            const double d =
                nearest_image(wrapped - box->position[3 * (i % before) + axis], box->edge[axis]);
            distance2 += d * d;
        }
        least2 = distance2 < least2 ? distance2 : least2;
    }
    return least2;
}

static void turn_best(const struct box *box, size_t before, const double centre[3],
                      struct random *random, double site[SITES][3]) {
    double best2 = -1.0;
    for (int o = 0; o < ORIENTATIONS; o++) {
        double tried[SITES][3];
        place_molecule(centre, random, tried);
        const double least2 = least_distance2(box, before, tried);
        if (least2 > best2) {
            best2 = least2;
            memcpy(site, tried, sizeof tried);
        }
    }
}

static void fill_molecule(struct box *box, size_t molecule, const double centre[3],
                          struct random *random) {
    double site[SITES][3];
    if (box->n <= SMALL) {
        turn_best(box, SITES * molecule, centre, random, site);
    } else {
        place_molecule(centre, random, site);
    }
    for (size_t s = 0; s < SITES && SITES * molecule + s < box->n; s++) {
        const size_t i = SITES * molecule + s;
        for (size_t axis = 0; axis < 3; axis++) {
            box->position[3 * i + axis] = wrap_coordinate(site[s][axis], box->edge[axis]);
        }
        box->molecule[i] = (int32_t)molecule;
        box->type[i] = box_type_of(box, "OHH"[s]);
        box->charge[i] = charge[s];
        box->mass[i] = mass[s];
    }
}

bool make_water(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    (void)threads; /* it is all drawing */
    const size_t molecules = (box->n + SITES - 1) / SITES;
    size_t repeats = 1;
    int32_t *rank = malloc(molecules * sizeof *rank);
    if (!rank || !box_room_for_types(box, 2, error) || !box_add_masses(box, error)) {
        free(rank);
        return fail_out_of_memory(error, "a box being made");
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    draw_order(rank, molecules, random);
    for (size_t m = 0; m < molecules; m++) {
        double centre[3];
        choose_centre(box, repeats, molecules, (size_t)rank[m], random, centre);
        fill_molecule(box, m, centre, random);
    }
    free(rank);
    return true;
}
