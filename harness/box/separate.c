/* Takes particles that overlap apart: the relaxation behind fluid, and small boxes of the lattices.
 */
#include "box/make.h"
#include "box/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20000 };

static const double skin = 0.3;  /* of the neighbour list, in diameters */
static const double cap = 0.1;   /* the farthest a particle moves in a step, in diameters */
static const double share = 0.6; /* of the overlap that each of a pair gives way by */

/* What the tasks share. */
struct separation {
    double *position;
    double *move;
    size_t n;
    double edge, diameter;
    double most;                        /* the farthest a particle may move */
    double *longest;                    /* per range: the longest move, squared */
    double least[NEIGHBOURS_MAX_SLABS]; /* squared distance of the nearest pair in the list */
};

/* What every pair nearer than the diameter asks for. A neighbours_walk. */
static void push_pairs(void *context, int slab, size_t i, const int32_t *other, size_t count,
                       double sum[3], bool give) {
    struct separation *with = context;
    const double diameter = with->diameter;
    const double *here = with->position + 3 * i;
    double least = with->least[slab];
    for (size_t k = 0; k < count; k++) {
        const size_t j = (size_t)other[k];
        double d[3];
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = nearest_image(here[axis] - with->position[3 * j + (size_t)axis], with->edge);
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
            if (give) {
                with->move[3 * j + (size_t)axis] -= push * d[axis];
            }
        }
    }
    with->least[slab] = least;
}

static void clear_some(void *context, size_t first, size_t end) {
    const struct separation *with = context;
    memset(with->move + 3 * first, 0, 3 * (end - first) * sizeof *with->move);
}

/* Fills move[]; returns the least squared distance of the pairs in the list. */
static double push_all(struct separation *with, const struct neighbours *list,
                       struct threads *threads) {
    const double far = with->edge * with->edge * 3.0;
    double least = far;
    for (int s = 0; s < list->slab_count; s++) {
        with->least[s] = far;
    }
    make_each(with->n, threads, clear_some, with);
    neighbours_sweep(list, threads, push_pairs, with, with->move);
    for (int s = 0; s < list->slab_count; s++) {
        least = with->least[s] < least ? with->least[s] : least;
    }
    return least;
}

static void move_some(void *context, size_t first, size_t end) {
    const struct separation *with = context;
    double longest = 0.0;
    for (size_t i = first; i < end; i++) {
        const double *m = with->move + 3 * i;
        double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        double scale = square > with->most * with->most ? with->most / sqrt(square) : 1.0;
        for (size_t axis = 0; axis < 3; axis++) {
            with->position[3 * i + axis] += scale * m[axis];
        }
        longest = square > longest ? square : longest;
    }
    with->longest[first / MAKE_RANGE] = longest;
}

/* Moves every particle by at most `most`; returns the longest move. */
static double apply_moves(struct separation *with, struct threads *threads) {
    double longest = 0.0;
    make_each(with->n, threads, move_some, with);
    for (size_t range = 0; range * MAKE_RANGE < with->n; range++) {
        longest = with->longest[range] > longest ? with->longest[range] : longest;
    }
    longest = sqrt(longest);
    return longest < with->most ? longest : with->most;
}

/* Steps until no pair is nearer than `least`; *apart says whether that came to be. */
static bool step_apart(struct separation *with, double least, struct neighbours *list,
                       struct threads *threads, bool *apart, struct error *error) {
    const double all_edges[3] = { with->edge, with->edge, with->edge };
    const double enough = least * least * (1.0 + 1e-9); /* the wrap at the end rounds */
    double drift = with->edge; /* no list yet: as if everything had moved far */
    for (int step = 0; !*apart && step < MAX_STEPS; step++) {
        if (2.0 * drift > skin * with->diameter) {
            wrap_positions(with->position, with->n, all_edges, threads);
            if (!neighbours_build(list, with->position, with->n, with->edge,
                                  (1.0 + skin) * with->diameter, threads, error)) {
                return false;
            }
            drift = 0.0;
        }
        *apart = push_all(with, list, threads) >= enough;
        if (!*apart) {
            drift += apply_moves(with, threads);
        }
    }
    wrap_positions(with->position, with->n, all_edges, threads);
    return true;
}

bool separate(double *position, size_t n, double edge, double diameter, double least,
              struct threads *threads, struct error *error) {
    struct neighbours list = { 0 };
    struct separation *with = calloc(1, sizeof *with);
    double *move = malloc(3 * n * sizeof *move);
    double *longest = malloc((n / MAKE_RANGE + 1) * sizeof *longest);
    bool apart = false;
    bool usable = with && move && longest;
    if (usable) {
        *with = (struct separation){ .position = position,
                                     .move = move,
                                     .n = n,
                                     .edge = edge,
                                     .diameter = diameter,
                                     .most = cap * diameter,
                                     .longest = longest };
        usable = step_apart(with, least, &list, threads, &apart, error);
    } else {
        (void)fail_out_of_memory(error, "the moves of a box being made");
    }
    free(with);
    free(move);
    free(longest);
    neighbours_free(&list);
    if (usable && !apart) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%zu particles in a cell of edge %.6g did not come apart to a distance of %.6g; "
            "a lower density would",
            n, edge, least);
    }
    return usable;
}
