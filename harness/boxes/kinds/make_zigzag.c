/* oligomers, polymers — molecules for constraints: 11 or 1501 particles in a row, a carbon, a
 * carbon, a nitrogen in turn, every two that follow each other exactly one apart.
 *
 * All particles stand along one line that winds up the periodic cell: where it leaves the top it
 * enters the bottom, one M-th of an edge farther along y and one M^2-th along x, and after M^2
 * turns it would close. Beside it they lie to either side in turn, so that every angle is about 110
 * degrees. M is as small as the length of the line allows. The whole is shifted by a random vector,
 * so that molecules cross the faces of the cell. */
#include "boxes/kinds/makers.h"

#include <math.h>
#include <stdlib.h>

static const double step_along = 0.82; /* of a bond of length 1 */

static const char row[] = "CCN";

/* The direction of the line, and one at right angles to it. */
static void choose_directions(double turns, double along[3], double across[3]) {
    const double lean[3] = { 1.0 / (turns * turns), 1.0 / turns, 1.0 };
    const double length = sqrt(lean[0] * lean[0] + lean[1] * lean[1] + 1.0);
    const double width = sqrt(1.0 + lean[0] * lean[0]);
    for (int d = 0; d < 3; d++) {
        along[d] = lean[d] / length;
    }
    across[0] = 1.0 / width;
    across[1] = 0.0;
    across[2] = -lean[0] / width;
}

static bool make_zigzag(struct box *box, size_t length, struct random *random,
                        struct threads *threads, struct error *error) {
    const double half_width = 0.5 * sqrt(1.0 - step_along * step_along);
    double along[3];
    double across[3];
    double shift[3];
    double turns = 1;
    if (!box_room_for_types(box, 2, error)) {
        return false;
    }
    while (turns * turns * box->edge[2] < (double)(box->n + 2) * step_along) {
        turns++;
    }
    choose_directions(turns, along, across);
    for (size_t d = 0; d < 3; d++) {
        shift[d] = box->edge[d] * random_unit(random);
    }
    for (size_t i = 0; i < box->n; i++) {
        const double side = i % 2 == 0 ? half_width : -half_width;
        for (size_t d = 0; d < 3; d++) {
            box->position[3 * i + d] =
                shift[d] + step_along * (double)i * along[d] + side * across[d];
        }
        box->molecule[i] = (int32_t)(i / length);
        box->type[i] = box_type_of(box, row[i % length % 3]);
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

bool make_oligomers(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    return make_zigzag(box, 11, random, threads, error);
}

bool make_polymers(struct box *box, struct random *random, struct threads *threads,
                   struct error *error) {
    return make_zigzag(box, 1501, random, threads, error);
}
