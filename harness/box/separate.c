/* Takes particles that overlap apart: the relaxation behind fluid, and small boxes of the lattices.
 */
#include "box/make.h"
#include "box/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 20000 };

static const double skin = 0.3;  /* of the neighbour list, in diameters */
static const double cap = 0.1;   /* the farthest a particle moves in a step, in diameters */
static const double share = 0.6; /* of the overlap that each of a pair gives way by */

/* Adds to move[] what every pair nearer than the diameter asks for; returns the least squared
 * distance of the pairs in the list. */
static double push_pairs(const struct neighbours *list, const double *position, double edge,
                         double diameter, double *move) {
    double least = edge * edge * 3.0;
    for (size_t row = 0; row < list->n; row++) {
        size_t i = (size_t)list->particle[row];
        const double *here = position + 3 * i;
        double sum[3] = { 0.0, 0.0, 0.0 };
        for (size_t k = list->first[row]; k < list->first[row + 1]; k++) {
            size_t j = (size_t)list->other[k];
            double d[3];
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                d[axis] = nearest_image(here[axis] - position[3 * j + (size_t)axis], edge);
                square += d[axis] * d[axis];
            }
            least = square < least ? square : least;
            if (square >= diameter * diameter) {
                continue;
            }
            if (!(square > 0.0)) { /* coincident: any direction will do, so long as it is fixed */
                d[0] = square = 1e-6 * diameter * diameter;
            }
            double r = sqrt(square);
            double push = share * (diameter - r) / r;
            for (int axis = 0; axis < 3; axis++) {
                sum[axis] += push * d[axis];
                move[3 * j + (size_t)axis] -= push * d[axis];
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            move[3 * i + (size_t)axis] += sum[axis];
        }
    }
    return least;
}

/* Moves every particle by at most `most`; returns the longest move. */
static double apply_moves(double *position, const double *move, size_t n, double most) {
    double longest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *m = move + 3 * i;
        double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        double scale = square > most * most ? most / sqrt(square) : 1.0;
        for (size_t axis = 0; axis < 3; axis++) {
            position[3 * i + axis] += scale * m[axis];
        }
        longest = square > longest ? square : longest;
    }
    longest = sqrt(longest);
    return longest < most ? longest : most;
}

bool separate(double *position, size_t n, double edge, double diameter, double least,
              struct error *error) {
    const double all_edges[3] = { edge, edge, edge };
    struct neighbours list = { 0 };
    double *move = malloc(3 * n * sizeof *move);
    double drift = edge; /* no list yet: as if everything had moved far */
    bool apart = false;
    double enough = least * least * (1.0 + 1e-9); /* the wrap at the end rounds */
    bool usable = move != NULL;
    if (!usable) {
        (void)fail_out_of_memory(error, "the moves of a box being made");
    }
    for (int step = 0; usable && !apart && step < MOST_STEPS; step++) {
        if (2.0 * drift > skin * diameter) {
            wrap_positions(position, n, all_edges);
            usable = neighbours_build(&list, position, n, edge, (1.0 + skin) * diameter, error);
            drift = 0.0;
        }
        if (usable) {
            memset(move, 0, 3 * n * sizeof *move);
            apart = push_pairs(&list, position, edge, diameter, move) >= enough;
        }
        if (usable && !apart) {
            drift += apply_moves(position, move, n, cap * diameter);
        }
    }
    free(move);
    neighbours_free(&list);
    wrap_positions(position, n, all_edges);
    if (usable && !apart) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%zu particles in a cell of edge %.6g did not come apart to a distance of %.6g; "
            "a lower density would",
            n, edge, least);
    }
    return usable;
}
