/* Puts together the molecules that cross a face, in boxes that were made and are to have no images
 * there. Coordinates may then be below zero. */
#include "boxes/box.h"
#include "boxes/kinds/makers.h"

#include <math.h>
#include <string.h>

/* A particle is bonded to one of so many before it; no molecule comes near its own image so soon.
 */
enum { BEFORE = 4 };

/* Particle i to the nearest of those before it in its molecule, which begins at `first`; moved
 * along the axes that lose their images alone. */
static void join_particle(struct box *box, size_t first, size_t i, const char *axes) {
    static const bool none[3] = { false, false, false };
    const struct cell *cell = &box->cell;
    double *x = box->position + 3 * i;
    double least2 = INFINITY;
    double best[3] = { 0 };
    for (size_t back = 1; back <= BEFORE && back <= i - first; back++) {
        const double *from = box->position + 3 * (i - back);
        double d[3] = { x[0] - from[0], x[1] - from[1], x[2] - from[2] };
        double times[3];
        cell_nearest(cell, none, d, times);
        const double distance2 = vector_dot(d, d);
        if (distance2 < least2) {
            least2 = distance2;
            memcpy(best, times, sizeof best);
        }
    }
    for (size_t v = 0; v < 3; v++) {
        best[v] = strchr(axes, "xyz"[v]) ? 0 : best[v];
    }
    x[0] -= best[0] * cell->edge[0] + best[1] * cell->tilt[0] + best[2] * cell->tilt[1];
    x[1] -= best[1] * cell->edge[1] + best[2] * cell->tilt[2];
    x[2] -= best[2] * cell->edge[2];
}

static bool has_whole_molecules(const struct box *box) {
    return box->molecule && box->periodic && !box_is_of_kind(box->kind, "brick");
}

static void join_molecules(struct box *box, const char *axes) {
    size_t first = 0;
    for (size_t i = 1; i < box->n; i++) {
        first = box->molecule[i] == box->molecule[i - 1] ? first : i;
        if (first < i) {
            join_particle(box, first, i, axes);
        }
    }
}

static void centre(struct box *box, const char *axes) {
    for (size_t axis = 0; axis < 3; axis++) {
        const double half = strchr(axes, "xyz"[axis]) ? 0 : 0.5 * box->cell.edge[axis];
        for (size_t i = 0; i < box->n; i++) {
            box->position[3 * i + axis] -= half;
        }
    }
}

void box_unwrap(struct box *box, const char *axes) {
    for (size_t b = 0; b < box_count(box); b++) {
        struct box one = box_count(box) > 1 ? box_of_batch(box, b) : *box; /* shares positions */
        if (has_whole_molecules(box)) {
            join_molecules(&one, axes);
        }
        if (box->periodic && box_kind_is_centred(box->kind)) {
            centre(&one, axes);
        }
    }
}
