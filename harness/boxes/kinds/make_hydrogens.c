/* hydrogens — molecules for constraints: a carbon with one, two and three hydrogens in turn, at
 * tetrahedral angles and 1.09 from it, of random orientation, on the sites of a simple-cubic
 * lattice. The last molecule may lack hydrogens. */
#include "boxes/kinds/makers.h"

#include <math.h>

static const double bond = 1.09;

enum { MOST_HYDROGENS = 3, IN_A_TURN = 2 + 3 + 4 };

/* Where particle i is: in which molecule, and at which place of it. */
static size_t molecule_of(size_t i, size_t *place) {
    static const size_t of_turn[IN_A_TURN] = { 0, 0, 1, 1, 1, 2, 2, 2, 2 };
    static const size_t place_of[IN_A_TURN] = { 0, 1, 0, 1, 2, 0, 1, 2, 3 };
    *place = place_of[i % IN_A_TURN];
    return i / IN_A_TURN * MOST_HYDROGENS + of_turn[i % IN_A_TURN];
}

/* The directions to three corners of a tetrahedron, the fourth being opposite to `axis`. */
static void choose_corners(struct random *random, double corner[MOST_HYDROGENS][3]) {
    const double high = 1.0 / 3.0;
    const double wide = sqrt(8.0) / 3.0;
    double axis[3];
    double one[3];
    double other[3];
    draw_direction(random, axis);
    draw_perpendicular(random, axis, one);
    for (int d = 0; d < 3; d++) {
        other[d] = axis[(d + 1) % 3] * one[(d + 2) % 3] - axis[(d + 2) % 3] * one[(d + 1) % 3];
    }
    for (int d = 0; d < 3; d++) {
        corner[0][d] = high * axis[d] + wide * one[d];
        corner[1][d] = high * axis[d] + wide * (-0.5 * one[d] + sqrt(0.75) * other[d]);
        corner[2][d] = high * axis[d] + wide * (-0.5 * one[d] - sqrt(0.75) * other[d]);
    }
}

bool make_hydrogens(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    size_t place;
    const size_t molecules = molecule_of(box->n - 1, &place) + 1;
    double corner[MOST_HYDROGENS][3];
    size_t repeats = 1;
    if (!box_room_for_types(box, 2, error)) {
        return false;
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    for (size_t i = 0; i < box->n; i++) {
        size_t site = molecule_of(i, &place);
        box->molecule[i] = (int32_t)site;
        box->type[i] = box_type_of(box, place == 0 ? 'C' : 'H');
        if (place == 0) {
            choose_corners(random, corner);
        }
        for (size_t d = 0; d < 3; d++, site /= repeats) {
            const double centre = ((double)(site % repeats) + 0.5) * box->edge[d] / (double)repeats;
            box->position[3 * i + d] = centre + (place == 0 ? 0 : bond * corner[place - 1][d]);
        }
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}
