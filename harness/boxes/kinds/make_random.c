/* uniform, gas — random points with a least distance, inserted one after another. */
#include "boxes/kinds/makers.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ATTEMPTS = 100000, MAX_RESTARTS = 1000 };

/* Linked cells that are filled as particles are inserted. */
struct insertion_cells {
    int per_edge; /* below 3: one cell, searched whole */
    double per_length;
    int32_t *first; /* -1: empty */
    int32_t *next;  /* of each particle; -1: last */
};

static size_t cell_count(const struct insertion_cells *cells) {
    size_t per_edge = (size_t)cells->per_edge;
    return per_edge * per_edge * per_edge;
}

static bool cells_open(struct insertion_cells *cells, const struct box *box, struct error *error) {
    double by_distance = box->edge[0] / UNIFORM_LEAST_DISTANCE;
    double by_count = cube_root((double)box->n) + 1.0;
    int per_edge = (int)(by_distance < by_count ? by_distance : by_count);
    cells->per_edge = per_edge < 3 ? 1 : per_edge;
    cells->per_length = cells->per_edge / box->edge[0];
    cells->first = malloc(cell_count(cells) * sizeof *cells->first);
    cells->next = malloc(box->n * sizeof *cells->next);
    if (!cells->first || !cells->next) {
        free(cells->first);
        free(cells->next);
        return fail_out_of_memory(error, "the cells of a box being made");
    }
    return true;
}

static void cell_of(const struct insertion_cells *cells, const double *position, int cell[3]) {
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = (int)(position[axis] * cells->per_length);
        cell[axis] = cell[axis] < cells->per_edge ? cell[axis] : cells->per_edge - 1;
    }
}

static size_t cell_index(const struct insertion_cells *cells, int x, int y, int z) {
    const int cell[3] = { x, y, z };
    size_t index = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int wrapped = (cell[axis] + cells->per_edge) % cells->per_edge;
        index = index * (size_t)cells->per_edge + (size_t)wrapped;
    }
    return index;
}

static bool cell_has_room(const struct insertion_cells *cells, const struct box *box, size_t index,
                          const double *point) {
    for (int32_t j = cells->first[index]; j >= 0; j = cells->next[j]) {
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double d = nearest_image(point[axis] - box->position[3 * j + axis], box->edge[0]);
            square += d * d;
        }
        if (square < UNIFORM_LEAST_DISTANCE * UNIFORM_LEAST_DISTANCE) {
            return false;
        }
    }
    return true;
}

static bool has_room(const struct insertion_cells *cells, const struct box *box,
                     const double *point) {
    int cell[3];
    cell_of(cells, point, cell);
    int span = cells->per_edge > 1 ? 1 : 0;
    for (int z = cell[2] - span; z <= cell[2] + span; z++) {
        for (int y = cell[1] - span; y <= cell[1] + span; y++) {
            for (int x = cell[0] - span; x <= cell[0] + span; x++) {
                if (!cell_has_room(cells, box, cell_index(cells, x, y, z), point)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* False when a particle finds no place: a small box can jam below the density that a large one
 * reaches. */
static bool insert_all(struct insertion_cells *cells, struct box *box, struct random *random) {
    memset(cells->first, 0xff, cell_count(cells) * sizeof *cells->first);
    for (size_t i = 0; i < box->n; i++) {
        double *point = box->position + 3 * i;
        bool placed = false;
        for (int attempt = 0; !placed && attempt < MAX_ATTEMPTS; attempt++) {
            for (int axis = 0; axis < 3; axis++) {
                point[axis] =
                    wrap_coordinate(random_unit(random) * box->edge[axis], box->edge[axis]);
            }
            placed = has_room(cells, box, point);
        }
        if (!placed) {
            return false;
        }
        int cell[3];
        cell_of(cells, point, cell);
        size_t index = cell_index(cells, cell[0], cell[1], cell[2]);
        cells->next[i] = cells->first[index];
        cells->first[index] = (int32_t)i;
    }
    return true;
}

/* Each place depends on all before it: one thread. */
bool make_uniform(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    (void)threads;
    struct insertion_cells cells = { 0 };
    if (!cells_open(&cells, box, error)) {
        return false;
    }
    bool made = false;
    for (int restart = 0; !made && restart < MAX_RESTARTS; restart++) {
        made = insert_all(&cells, box, random);
    }
    free(cells.first);
    free(cells.next);
    if (!made) {
        return fail(error, STATUS_BAD_INPUT,
                    "random insertion does not reach density %g with %zu particles; a lower "
                    "density or another seed would",
                    box->density, box->n);
    }
    return true;
}
