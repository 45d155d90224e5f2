#include "box/neighbours.h"

#include "box/make.h"

#include <stdlib.h>
#include <string.h>

/* The particles sorted by cell: those of cell c are sorted[start[c]] to sorted[start[c + 1] - 1].
 */
struct cells {
    int per_edge; /* at least 3, or the walk would meet a neighbour cell twice */
    size_t count;
    size_t *start;
    double *sorted; /* 3n: positions in the order of neighbours.particle */
};

struct range {
    size_t begin, end;
};

/* Half of the 26 neighbour cells: one of each opposite pair. */
static const int forward[13][3] = {
    { 1, 0, 0 },  { -1, 1, 0 }, { 0, 1, 0 },  { 1, 1, 0 }, { -1, -1, 1 },
    { 0, -1, 1 }, { 1, -1, 1 }, { -1, 0, 1 }, { 0, 0, 1 }, { 1, 0, 1 },
    { -1, 1, 1 }, { 0, 1, 1 },  { 1, 1, 1 },
};

static bool reserve_pairs(struct neighbours *list, size_t needed) {
    if (needed <= list->capacity) {
        return true;
    }
    size_t capacity = needed + needed / 2;
    int32_t *other = realloc(list->other, capacity * sizeof *other);
    if (!other) {
        return false;
    }
    list->other = other;
    list->capacity = capacity;
    return true;
}

/* Cells no narrower than the reach, and about as many as particles at most. */
static int cells_per_edge(size_t n, double edge, double reach) {
    double by_reach = edge / reach;
    double by_count = cube_root((double)n) + 1.0;
    return (int)(by_reach < by_count ? by_reach : by_count);
}

static size_t cell_of(const double *position, const struct cells *cells, double per_length) {
    size_t index = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int i = (int)(position[axis] * per_length);
        i = i < cells->per_edge ? i : cells->per_edge - 1;
        index = index * (size_t)cells->per_edge + (size_t)i;
    }
    return index;
}

static bool sort_into_cells(struct neighbours *list, struct cells *cells, const double *position,
                            double edge) {
    cells->count = (size_t)cells->per_edge * (size_t)cells->per_edge * (size_t)cells->per_edge;
    cells->start = calloc(cells->count + 2, sizeof *cells->start);
    cells->sorted = malloc(3 * list->n * sizeof *cells->sorted);
    if (!cells->start || !cells->sorted) {
        return false;
    }
    double per_length = (double)cells->per_edge / edge;
    /* Counted two places on, so that after the scan start[c + 1] is where cell c begins, and after
     * the scatter, which moves it, where the cell ends. */
    for (size_t i = 0; i < list->n; i++) {
        cells->start[cell_of(position + 3 * i, cells, per_length) + 2]++;
    }
    for (size_t c = 2; c < cells->count + 2; c++) {
        cells->start[c] += cells->start[c - 1];
    }
    for (size_t i = 0; i < list->n; i++) {
        size_t place = cells->start[cell_of(position + 3 * i, cells, per_length) + 1]++;
        list->particle[place] = (int32_t)i;
        memcpy(cells->sorted + 3 * place, position + 3 * i, 3 * sizeof *position);
    }
    return true;
}

static struct range range_of(const struct cells *cells, const int cell[3], const int offset[3]) {
    size_t index = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int i = (cell[axis] + offset[axis] + cells->per_edge) % cells->per_edge;
        index = index * (size_t)cells->per_edge + (size_t)i;
    }
    return (struct range){ cells->start[index], cells->start[index + 1] };
}

/* Appends the partners of the particle at `row` among those of a range; room was reserved. */
static size_t append_near(struct neighbours *list, const double *sorted, size_t row,
                          struct range range, double edge, double reach, size_t pairs) {
    const double *here = sorted + 3 * row;
    for (size_t s = range.begin; s < range.end; s++) {
        double x = nearest_image(here[0] - sorted[3 * s], edge);
        double y = nearest_image(here[1] - sorted[3 * s + 1], edge);
        double z = nearest_image(here[2] - sorted[3 * s + 2], edge);
        list->other[pairs] = list->particle[s];
        pairs += x * x + y * y + z * z < reach * reach;
    }
    return pairs;
}

/* The pairs of one cell with itself and with the cells before it. */
static bool walk_cell(struct neighbours *list, const struct cells *cells, const int cell[3],
                      double edge, double reach, size_t *pairs) {
    static const int itself[3] = { 0, 0, 0 };
    struct range own = range_of(cells, cell, itself);
    struct range near[13];
    size_t candidates = own.end - own.begin;
    for (int k = 0; k < 13; k++) {
        near[k] = range_of(cells, cell, forward[k]);
        candidates += near[k].end - near[k].begin;
    }
    /* One more: append_near writes before it knows whether to keep. */
    if (!reserve_pairs(list, *pairs + (own.end - own.begin) * candidates + 1)) {
        return false;
    }
    for (size_t row = own.begin; row < own.end; row++) {
        list->first[row] = *pairs;
        struct range rest = { row + 1, own.end };
        *pairs = append_near(list, cells->sorted, row, rest, edge, reach, *pairs);
        for (int k = 0; k < 13; k++) {
            *pairs = append_near(list, cells->sorted, row, near[k], edge, reach, *pairs);
        }
    }
    return true;
}

static bool walk_cells(struct neighbours *list, const double *position, double edge, double reach,
                       int per_edge) {
    struct cells cells = { .per_edge = per_edge };
    size_t pairs = 0;
    bool walked = sort_into_cells(list, &cells, position, edge);
    int cell[3];
    for (cell[2] = 0; walked && cell[2] < per_edge; cell[2]++) {
        for (cell[1] = 0; walked && cell[1] < per_edge; cell[1]++) {
            for (cell[0] = 0; walked && cell[0] < per_edge; cell[0]++) {
                walked = walk_cell(list, &cells, cell, edge, reach, &pairs);
            }
        }
    }
    list->first[list->n] = pairs;
    free(cells.start);
    free(cells.sorted);
    return walked;
}

/* A box of fewer than three cells an edge holds few particles: all pairs. */
static bool walk_all(struct neighbours *list, const double *position, double edge, double reach) {
    size_t pairs = 0;
    for (size_t i = 0; i < list->n; i++) {
        list->particle[i] = (int32_t)i;
    }
    for (size_t i = 0; i < list->n; i++) {
        list->first[i] = pairs;
        if (!reserve_pairs(list, pairs + list->n - i)) {
            return false;
        }
        struct range rest = { i + 1, list->n };
        pairs = append_near(list, position, i, rest, edge, reach, pairs);
    }
    list->first[list->n] = pairs;
    return true;
}

bool neighbours_build(struct neighbours *list, const double *position, size_t n, double edge,
                      double reach, struct error *error) {
    if (list->n != n) {
        neighbours_free(list);
        list->n = n;
        list->particle = malloc(n * sizeof *list->particle);
        list->first = malloc((n + 1) * sizeof *list->first);
    }
    bool built = list->particle && list->first;
    if (built) {
        int per_edge = cells_per_edge(n, edge, reach);
        built = per_edge < 3 ? walk_all(list, position, edge, reach)
                             : walk_cells(list, position, edge, reach, per_edge);
    }
    if (!built) {
        neighbours_free(list);
        return fail_out_of_memory(error, "the neighbours of a box being made");
    }
    return true;
}

void neighbours_free(struct neighbours *list) {
    free(list->particle);
    free(list->first);
    free(list->other);
    list->n = 0;
    list->capacity = 0;
    list->particle = NULL;
    list->first = NULL;
    list->other = NULL;
}
