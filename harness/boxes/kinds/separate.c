/* Takes particles that overlap apart: the relaxation behind fluid, and small boxes of the lattices.
 */
#include "boxes/kinds/makers.h"
#include "boxes/kinds/neighbours.h"
#include "core/host.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_STEPS = 20000 };

static const double skin = 0.3;  /* of the neighbour list, in diameters */
static const double cap = 0.1;   /* the farthest a particle moves in a step, in diameters */
static const double share = 0.6; /* of the overlap that each of a pair gives way by */

/* What the tasks share. */
struct separation {
    double *position;
    size_t n;
    struct neighbours list; /* whose rows have positions, and moves as targets */
    double edge, diameter;
    double most;                        /* the farthest a particle may move */
    double *longest;                    /* per range: the longest move, squared */
    double least[NEIGHBOURS_MAX_SLABS]; /* squared distance of the nearest pair */
};

/* Takes coincident particles apart: any direction will do, so long as it is fixed. Returns the
 * least square before that. */
static double find_least(struct neighbours_near *near, double diameter, double least) {
    for (size_t k = 0; k < near->count; k++) {
        const double square = near->square[k];
        least = square < least ? square : least;
        if (!(square > 0.0)) {
            near->square[k] = 1e-6 * diameter * diameter;
            near->displacement[near->position[k]].at[0] = near->square[k];
        }
    }
    return least;
}

WIDEST static void give_way(const double *restrict square, size_t count, double diameter,
                            double *restrict push) {
    for (size_t k = 0; k < count; k++) {
        const double r = sqrt(square[k]);
        push[k] = share * (diameter - r) / r;
    }
}

/* What every pair nearer than the diameter asks for. A neighbours_push. */
static void push_near(void *context, int slab, struct neighbours_near *near) {
    struct separation *with = context;
    with->least[slab] = find_least(near, with->diameter, with->least[slab]);
    give_way(near->square, near->count, with->diameter, near->push);
}

/* Fills in moves; returns the least squared distance of the pairs nearer than the diameter. */
static double push_all(struct separation *with, struct threads *threads) {
    struct neighbours *list = &with->list;
    const double far = with->edge * with->edge * 3.0;
    double least = far;
    for (int s = 0; s < list->slab_count; s++) {
        with->least[s] = far;
    }
    neighbours_sweep(list, threads, with->diameter, push_near, with, true);
    for (int s = 0; s < list->slab_count; s++) {
        least = with->least[s] < least ? with->least[s] : least;
    }
    return least;
}

static void move_some(void *context, size_t first, size_t end) {
    const struct separation *with = context;
    double longest = 0.0;
    for (size_t row = first; row < end; row++) {
        const double *m = with->list.target[row].at;
        double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        double scale = square > with->most * with->most ? with->most / sqrt(square) : 1.0;
        for (size_t axis = 0; axis < 3; axis++) {
            with->list.position[row].at[axis] += scale * m[axis];
        }
        longest = square > longest ? square : longest;
    }
    with->longest[first / THREADS_RANGE] = longest;
}

/* Moves every particle by at most `most`; returns the longest move. */
static double apply_moves(struct separation *with, struct threads *threads) {
    double longest = 0.0;
    threads_each(with->n, threads, move_some, with);
    for (size_t range = 0; range * THREADS_RANGE < with->n; range++) {
        longest = with->longest[range] > longest ? with->longest[range] : longest;
    }
    longest = sqrt(longest);
    return longest < with->most ? longest : with->most;
}

/* Positions in the order of the particles, in the cell. */
static void leave_rows(struct separation *with, struct threads *threads) {
    const double all_edges[3] = { with->edge, with->edge, with->edge };
    if (with->list.n > 0) {
        neighbours_from_rows(&with->list, with->list.position, with->position, threads);
    }
    wrap_positions(with->position, with->n, all_edges, threads);
}

/* Steps until no pair is nearer than `least`; *apart says whether that came to be. */
static bool step_apart(struct separation *with, double least, struct threads *threads, bool *apart,
                       struct error *error) {
    const double enough = least * least * (1.0 + 1e-9); /* the wrap at the end rounds */
    double drift = with->edge; /* no list yet: as if everything had moved far */
    for (int step = 0; !*apart && step < MAX_STEPS; step++) {
        if (2.0 * drift > skin * with->diameter) {
            const struct points_in_cube points = { with->position, with->n, with->edge };
            leave_rows(with, threads);
            if (!neighbours_build(&with->list, &points, (1.0 + skin) * with->diameter, threads,
                                  error)) {
                return false;
            }
            drift = 0.0;
        }
        *apart = push_all(with, threads) >= enough;
        if (!*apart) {
            drift += apply_moves(with, threads);
        }
    }
    leave_rows(with, threads);
    return true;
}

bool separate(struct box *box, double diameter, double least, struct threads *threads,
              struct error *error) {
    const size_t n = box->n;
    const double edge = box->edge[0];
    struct separation *with = calloc(1, sizeof *with);
    double *longest = malloc((n / THREADS_RANGE + 1) * sizeof *longest);
    bool apart = false;
    bool usable = with && longest;
    if (usable) {
        with->position = box->position;
        with->n = n;
        with->edge = edge;
        with->diameter = diameter;
        with->most = cap * diameter;
        with->longest = longest;
        usable = step_apart(with, least, threads, &apart, error);
        neighbours_free(&with->list);
    } else {
        (void)fail_out_of_memory(error, "the moves of a box being made");
    }
    free(with);
    free(longest);
    if (usable && !apart) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%zu particles in a cell of edge %.6g did not come apart to a distance of %.6g; "
            "a lower density would",
            n, edge, least);
    }
    return usable;
}
