#include "box/neighbours.h"

#include "box/make.h"

#include <stdlib.h>
#include <string.h>

/* The particles sorted by cell: those of cell c are the rows start[c] to start[c + 1] - 1. */
struct cells {
    int per_edge; /* at least 3, or the walk would meet a neighbour cell twice */
    size_t count;
    uint32_t *start;
    uint32_t *cell;    /* per particle */
    double *sorted[3]; /* coordinates per row */
};

/* What the tasks of a build share. */
struct build {
    struct neighbours *list;
    struct cells *cells;
    const double *position;
    double edge, reach;
    bool *failed; /* per slab */
};

enum { CHUNK = 16384 /* particles a task */, SPAN = 64 };

static size_t chunks(size_t n) {
    return (n + CHUNK - 1) / CHUNK;
}

static size_t chunk_end(size_t task, size_t n) {
    return (task + 1) * CHUNK < n ? (task + 1) * CHUNK : n;
}

/* ---- cells ---- */

/* Cells no narrower than the reach, and about as many as particles at most. */
static int cells_per_edge(size_t n, double edge, double reach) {
    double by_reach = edge / reach;
    double by_count = cube_root((double)n) + 1.0;
    return (int)(by_reach < by_count ? by_reach : by_count);
}

static void find_cells(void *context, size_t task) {
    const struct build *build = context;
    const int per_edge = build->cells->per_edge;
    const double per_length = (double)per_edge / build->edge;
    const size_t end = chunk_end(task, build->list->n);
    for (size_t i = task * CHUNK; i < end; i++) {
        size_t index = 0;
        for (int axis = 2; axis >= 0; axis--) {
            int along = (int)(build->position[3 * i + (size_t)axis] * per_length);
            along = along < per_edge ? along : per_edge - 1;
            index = index * (size_t)per_edge + (size_t)along;
        }
        build->cells->cell[i] = (uint32_t)index;
    }
}

static void sort_coordinates(void *context, size_t task) {
    const struct build *build = context;
    const size_t end = chunk_end(task, build->list->n);
    for (size_t row = task * CHUNK; row < end; row++) {
        const double *x = build->position + 3 * (size_t)build->list->particle[row];
        for (int axis = 0; axis < 3; axis++) {
            build->cells->sorted[axis][row] = x[axis];
        }
    }
}

static bool cells_allocate(struct cells *cells, size_t n) {
    cells->count = (size_t)cells->per_edge * (size_t)cells->per_edge * (size_t)cells->per_edge;
    cells->start = calloc(cells->count + 2, sizeof *cells->start);
    cells->cell = malloc(n * sizeof *cells->cell);
    bool allocated = cells->start && cells->cell;
    for (int axis = 0; axis < 3; axis++) {
        cells->sorted[axis] = malloc(n * sizeof *cells->sorted[axis]);
        allocated = allocated && cells->sorted[axis];
    }
    return allocated;
}

static void cells_free(struct cells *cells) {
    free(cells->start);
    free(cells->cell);
    for (int axis = 0; axis < 3; axis++) {
        free(cells->sorted[axis]);
    }
}

static void sort_into_cells(struct build *build, struct threads *threads) {
    struct neighbours *list = build->list;
    struct cells *cells = build->cells;
    threads_run(threads, chunks(list->n), find_cells, build);
    /* Counted two places on, so that after the scan start[c + 1] is where cell c begins, and after
     * the scatter, which moves it, where the cell ends. */
    for (size_t i = 0; i < list->n; i++) {
        cells->start[cells->cell[i] + 2]++;
    }
    for (size_t c = 2; c < cells->count + 2; c++) {
        cells->start[c] += cells->start[c - 1];
    }
    for (size_t i = 0; i < list->n; i++) {
        list->particle[cells->start[cells->cell[i] + 1]++] = (int32_t)i;
    }
    threads_run(threads, chunks(list->n), sort_coordinates, build);
}

/* ---- pairs ---- */

static bool reserve_pairs(struct neighbours_slab *slab, size_t more) {
    const size_t needed = slab->count + more;
    if (needed <= slab->capacity) {
        return true;
    }
    size_t capacity = needed + needed / 2;
    int32_t *other = realloc(slab->other, capacity * sizeof *other);
    if (!other) {
        return false;
    }
    slab->other = other;
    slab->capacity = capacity;
    return true;
}

/* Whether row and the rows begin..begin+count-1 are nearer than the reach, in squared distances.
 * `images`: not all of them are nearest as they stand. */
static void find_squares(const struct cells *cells, size_t row, size_t begin, size_t count,
                         double edge, bool images, double *restrict square) {
    const double *restrict x = cells->sorted[0];
    const double *restrict y = cells->sorted[1];
    const double *restrict z = cells->sorted[2];
    const double here[3] = { x[row], y[row], z[row] };
    for (size_t k = 0; k < count && !images; k++) {
        const double dx = here[0] - x[begin + k];
        const double dy = here[1] - y[begin + k];
        const double dz = here[2] - z[begin + k];
        square[k] = dx * dx + dy * dy + dz * dz;
    }
    for (size_t k = 0; k < count && images; k++) {
        const double dx = nearest_image(here[0] - x[begin + k], edge);
        const double dy = nearest_image(here[1] - y[begin + k], edge);
        const double dz = nearest_image(here[2] - z[begin + k], edge);
        square[k] = dx * dx + dy * dy + dz * dz;
    }
}

/* Rows that stand beside each other, of neighbouring cells. */
struct range {
    size_t begin, end;
    bool images;
};

/* Appends the partners of the particle at `row` among those of a range; room was reserved, for one
 * more than there are: each is written before it is known whether it is kept. */
static void append_near(const struct build *build, size_t row, struct range range,
                        struct neighbours_slab *slab) {
    const int32_t *particle = build->list->particle;
    const double reach2 = build->reach * build->reach;
    double square[SPAN];
    size_t count = slab->count;
    while (range.begin < range.end) {
        const size_t left = range.end - range.begin;
        const size_t span = left < SPAN ? left : SPAN;
        find_squares(build->cells, row, range.begin, span, build->edge, range.images, square);
        for (size_t k = 0; k < span; k++) {
            slab->other[count] = particle[range.begin + k];
            count += square[k] < reach2;
        }
        range.begin += span;
    }
    slab->count = count;
}

static size_t wrapped(int index, int per_edge) {
    return (size_t)((index + per_edge) % per_edge);
}

/* The cells x + from..x + to of the row of cells (y, z), in that order: one range, or several where
 * they reach over the border. Adds them to `ranges`, returns how many there are then. */
static int add_ranges(const struct cells *cells, const int cell[3], int dy, int dz, int from,
                      int to, struct range *ranges, int count) {
    const int per_edge = cells->per_edge;
    const int y = cell[1] + dy;
    const int z = cell[2] + dz;
    /* Of three cells an edge, the second next is nearer the other way round. */
    const bool images = per_edge < 4 || y < 0 || y >= per_edge || z >= per_edge;
    const size_t row =
        (wrapped(z, per_edge) * (size_t)per_edge + wrapped(y, per_edge)) * (size_t)per_edge;
    for (int dx = from; dx <= to; dx++) {
        const int x = cell[0] + dx;
        const bool outside = x < 0 || x >= per_edge;
        const size_t index = row + wrapped(x, per_edge);
        const struct range range = { cells->start[index], cells->start[index + 1],
                                     images || outside };
        if (dx > from && ranges[count - 1].end == range.begin &&
            ranges[count - 1].images == range.images) {
            ranges[count - 1].end = range.end;
        } else {
            ranges[count++] = range;
        }
    }
    return count;
}

/* The pairs of one cell with itself and with half of the 26 around it, one of each opposite pair:
 * those of its own layer first. */
static bool walk_cell(const struct build *build, const int cell[3], struct neighbours_slab *slab) {
    enum { MAX_RANGES = 13 };
    struct neighbours *list = build->list;
    const struct cells *cells = build->cells;
    struct range near[MAX_RANGES] = { { 0, 0, false } };
    const size_t own =
        ((size_t)cell[2] * (size_t)cells->per_edge + (size_t)cell[1]) * (size_t)cells->per_edge +
        (size_t)cell[0];
    const size_t begin = cells->start[own];
    const size_t end = cells->start[own + 1];
    int layer = add_ranges(cells, cell, 0, 0, 1, 1, near, 0);
    layer = add_ranges(cells, cell, 1, 0, -1, 1, near, layer);
    int all = layer;
    for (int dy = -1; dy <= 1; dy++) {
        all = add_ranges(cells, cell, dy, 1, -1, 1, near, all);
    }
    size_t candidates = end - begin;
    for (int k = 0; k < all; k++) {
        candidates += near[k].end - near[k].begin;
    }
    if (!reserve_pairs(slab, (end - begin) * candidates + 1)) {
        return false;
    }
    for (size_t row = begin; row < end; row++) {
        list->first[row] = slab->count;
        append_near(build, row, (struct range){ row + 1, end, false }, slab);
        for (int k = 0; k < all; k++) {
            list->next[row] = k <= layer ? slab->count : list->next[row];
            append_near(build, row, near[k], slab);
        }
        list->end[row] = slab->count;
    }
    return true;
}

static void walk_slab(void *context, size_t task) {
    const struct build *build = context;
    struct neighbours_slab *slab = &build->list->slabs[task];
    const int per_edge = build->cells->per_edge;
    bool walked = true;
    int cell[3];
    slab->count = 0;
    for (cell[2] = (int)slab->first_layer; walked && cell[2] < (int)slab->end_layer; cell[2]++) {
        for (cell[1] = 0; walked && cell[1] < per_edge; cell[1]++) {
            for (cell[0] = 0; walked && cell[0] < per_edge; cell[0]++) {
                walked = walk_cell(build, cell, slab);
            }
        }
    }
    build->failed[task] = !walked;
}

/* ---- slabs ---- */

static void free_slabs(struct neighbours *list) {
    for (int s = 0; s < list->slab_count; s++) {
        free(list->slabs[s].other);
    }
    free(list->slabs);
    list->slabs = NULL;
    list->slab_count = 0;
}

/* As many as there are threads, of as many layers each as can be; their memory is kept. */
static bool cut_slabs(struct neighbours *list, size_t layers, int threads) {
    int count = (size_t)threads < layers ? threads : (int)layers;
    count = count < NEIGHBOURS_MAX_SLABS ? count : NEIGHBOURS_MAX_SLABS;
    if (list->slab_count != count) {
        free_slabs(list);
        list->slabs = calloc((size_t)count, sizeof *list->slabs);
        if (!list->slabs) {
            return false;
        }
        list->slab_count = count;
    }
    if (list->layers != layers) {
        size_t *layer_row = realloc(list->layer_row, (layers + 1) * sizeof *layer_row);
        if (!layer_row) {
            return false;
        }
        list->layer_row = layer_row;
        list->layers = layers;
    }
    for (int s = 0; s < count; s++) {
        list->slabs[s].first_layer = layers * (size_t)s / (size_t)count;
        list->slabs[s].end_layer = layers * ((size_t)s + 1) / (size_t)count;
    }
    return true;
}

static bool walk_cells(struct build *build, struct threads *threads) {
    struct neighbours *list = build->list;
    struct cells *cells = build->cells;
    const size_t layers = (size_t)cells->per_edge;
    bool failed[NEIGHBOURS_MAX_SLABS] = { false };
    if (!cells_allocate(cells, list->n) || !cut_slabs(list, layers, threads_count(threads))) {
        return false;
    }
    sort_into_cells(build, threads);
    for (size_t layer = 0; layer <= layers; layer++) {
        list->layer_row[layer] = cells->start[layer * layers * layers];
    }
    build->failed = failed;
    threads_run(threads, (size_t)list->slab_count, walk_slab, build);
    for (int s = 0; s < list->slab_count; s++) {
        if (failed[s]) {
            return false;
        }
    }
    return true;
}

/* A box of fewer than three cells an edge holds few particles: all pairs, in one layer. */
static bool walk_all(struct build *build) {
    struct neighbours *list = build->list;
    const size_t n = list->n;
    if (!cut_slabs(list, 1, 1) || !cells_allocate(build->cells, n)) {
        return false;
    }
    struct neighbours_slab *slab = &list->slabs[0];
    list->layer_row[0] = 0;
    list->layer_row[1] = n;
    slab->count = 0;
    for (size_t i = 0; i < n; i++) {
        list->particle[i] = (int32_t)i;
    }
    sort_coordinates(build, 0);
    for (size_t task = 1; task < chunks(n); task++) {
        sort_coordinates(build, task);
    }
    for (size_t i = 0; i < n; i++) {
        list->first[i] = slab->count;
        if (!reserve_pairs(slab, n - i)) {
            return false;
        }
        append_near(build, i, (struct range){ i + 1, n, true }, slab);
        list->next[i] = list->end[i] = slab->count;
    }
    return true;
}

/* ---- the list ---- */

bool neighbours_build(struct neighbours *list, const double *position, size_t n, double edge,
                      double reach, struct threads *threads, struct error *error) {
    struct cells cells = { .per_edge = cells_per_edge(n, edge, reach) };
    struct build build = {
        .list = list, .cells = &cells, .position = position, .edge = edge, .reach = reach
    };
    if (list->n != n) {
        neighbours_free(list);
        list->n = n;
        list->particle = malloc(n * sizeof *list->particle);
        list->first = malloc(n * sizeof *list->first);
        list->next = malloc(n * sizeof *list->next);
        list->end = malloc(n * sizeof *list->end);
    }
    bool built = list->particle && list->first && list->next && list->end;
    if (built && cells.per_edge < 3) {
        cells.per_edge = 1;
        built = walk_all(&build);
    } else if (built) {
        built = walk_cells(&build, threads);
    }
    cells_free(&cells);
    if (!built) {
        neighbours_free(list);
        return fail_out_of_memory(error, "the neighbours of a box being made");
    }
    return true;
}

void neighbours_free(struct neighbours *list) {
    free_slabs(list);
    free(list->particle);
    free(list->first);
    free(list->next);
    free(list->end);
    free(list->layer_row);
    list->particle = NULL;
    list->first = list->next = list->end = list->layer_row = NULL;
    list->n = list->layers = 0;
}

/* ---- sweeps ---- */

struct sweep {
    const struct neighbours *list;
    neighbours_walk *walk;
    void *context;
    double *target;
};

/* What the rows of a layer that is another slab's take from this slab's particles. */
static void take_from_next(const struct sweep *sweep, int slab, int owner, size_t layer) {
    const struct neighbours *list = sweep->list;
    const int32_t *other = list->slabs[owner].other;
    for (size_t row = list->layer_row[layer]; row < list->layer_row[layer + 1]; row++) {
        double nobody[3] = { 0.0, 0.0, 0.0 };
        sweep->walk(sweep->context, slab, (size_t)list->particle[row], other + list->next[row],
                    list->end[row] - list->next[row], nobody, true);
    }
}

static void sweep_layer(const struct sweep *sweep, int slab, size_t layer, bool owns_next) {
    const struct neighbours *list = sweep->list;
    const int32_t *other = list->slabs[slab].other;
    for (size_t row = list->layer_row[layer]; row < list->layer_row[layer + 1]; row++) {
        const size_t i = (size_t)list->particle[row];
        double sum[3] = { 0.0, 0.0, 0.0 };
        sweep->walk(sweep->context, slab, i, other + list->first[row],
                    list->next[row] - list->first[row], sum, true);
        sweep->walk(sweep->context, slab, i, other + list->next[row],
                    list->end[row] - list->next[row], sum, owns_next);
        for (size_t axis = 0; axis < 3; axis++) {
            sweep->target[3 * i + axis] += sum[axis];
        }
    }
}

/* The particles of a layer meet the rows of the layer before and then their own; those of the first
 * layer their own and then those of the last. */
static void sweep_slab(void *context, size_t task) {
    const struct sweep *sweep = context;
    const struct neighbours *list = sweep->list;
    const int slab = (int)task;
    const struct neighbours_slab *own = &list->slabs[slab];
    const bool alone = list->slab_count == 1;
    if (slab > 0) {
        take_from_next(sweep, slab, slab - 1, own->first_layer - 1);
    }
    for (size_t layer = own->first_layer; layer < own->end_layer; layer++) {
        sweep_layer(sweep, slab, layer, alone || layer + 1 < own->end_layer);
    }
    if (slab == 0 && !alone) {
        take_from_next(sweep, slab, list->slab_count - 1, list->layers - 1);
    }
}

void neighbours_sweep(const struct neighbours *list, struct threads *threads, neighbours_walk *walk,
                      void *context, double *target) {
    struct sweep sweep = { list, walk, context, target };
    threads_run(threads, (size_t)list->slab_count, sweep_slab, &sweep);
}
