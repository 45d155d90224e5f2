#include "boxes/kinds/neighbours.h"

#include "boxes/kinds/makers.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* What the tasks of a build share. */
struct build {
    struct neighbours *list;
    struct neighbours_cells *cells;
    const double *position;
    double edge;
    float reach2; /* squared, with a margin */
    bool *failed; /* per slab */
};

enum { CHUNK = 16384 /* particles a task */ };

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

static size_t cells_per_layer(const struct neighbours_cells *cells) {
    return (size_t)cells->per_edge * (size_t)cells->per_edge;
}

static uint32_t *places_of(const struct build *build, size_t chunk) {
    return build->cells->place + chunk * (size_t)build->cells->per_edge;
}

static void find_cells(void *context, size_t task) {
    const struct build *build = context;
    const int per_edge = build->cells->per_edge;
    uint32_t *count = places_of(build, task);
    const double per_length = (double)per_edge / build->edge;
    const size_t end = chunk_end(task, build->list->n);
    for (size_t i = task * CHUNK; i < end; i++) {
        size_t index = 0;
        for (int axis = 2; axis >= 0; axis--) {
            int along = (int)(build->position[3 * i + (size_t)axis] * per_length);
            along = along < per_edge ? along : per_edge - 1;
            count[along] += axis == 2;
            index = index * (size_t)per_edge + (size_t)along;
        }
        build->cells->cell[i] = (uint32_t)index;
    }
}

/* Turns counts into places: by layers, and in each by chunks. */
static void find_places(const struct build *build) {
    const size_t layers = (size_t)build->cells->per_edge;
    uint32_t next = 0;
    for (size_t layer = 0; layer < layers; layer++) {
        build->cells->start[layer * cells_per_layer(build->cells)] = next;
        for (size_t chunk = 0; chunk < chunks(build->list->n); chunk++) {
            uint32_t *place = &places_of(build, chunk)[layer];
            const uint32_t count = *place;
            *place = next;
            next += count;
        }
    }
    build->cells->start[build->cells->count] = next;
}

static void sort_by_layer(void *context, size_t task) {
    const struct build *build = context;
    const struct neighbours_cells *cells = build->cells;
    const size_t end = chunk_end(task, build->list->n);
    uint32_t *place = places_of(build, task);
    for (size_t i = task * CHUNK; i < end; i++) {
        cells->by_layer[place[cells->cell[i] / cells_per_layer(cells)]++] = (int32_t)i;
    }
}

/* The particles of a layer by cell, as they came: their cells are no other layer's. */
static void sort_layer(void *context, size_t task) {
    const struct build *build = context;
    const struct neighbours_cells *cells = build->cells;
    const size_t per_layer = cells_per_layer(cells);
    uint32_t *start = cells->start + task * per_layer;
    const uint32_t first = start[0];
    const uint32_t end = (uint32_t)places_of(build, chunks(build->list->n) - 1)[task];
    memset(start, 0, per_layer * sizeof *start);
    for (uint32_t row = first; row < end; row++) {
        cells->start[cells->cell[cells->by_layer[row]]]++;
    }
    uint32_t next = first;
    for (size_t c = 0; c < per_layer; c++) {
        const uint32_t count = start[c];
        start[c] = next;
        next += count;
    }
    for (uint32_t row = first; row < end; row++) {
        const int32_t i = cells->by_layer[row];
        build->list->particle[cells->start[cells->cell[i]]++] = i;
    }
    for (size_t c = per_layer - 1; c > 0; c--) { /* each has moved on to the next one's */
        start[c] = start[c - 1];
    }
    start[0] = first;
}

static void sort_coordinates(void *context, size_t task) {
    const struct build *build = context;
    const size_t end = chunk_end(task, build->list->n);
    for (size_t row = task * CHUNK; row < end; row++) {
        const double *x = build->position + 3 * (size_t)build->list->particle[row];
        for (int axis = 0; axis < 3; axis++) {
            build->cells->sorted[axis][row] = (float)x[axis];
        }
    }
}

static void cells_free(struct neighbours_cells *cells) {
    free(cells->start);
    free(cells->cell);
    free(cells->place);
    free(cells->by_layer);
    for (int axis = 0; axis < 3; axis++) {
        free(cells->sorted[axis]);
    }
    *cells = (struct neighbours_cells){ 0 };
}

/* The memory of the last build, where this one has as many cells. */
static bool cells_allocate(struct neighbours_cells *cells, int per_edge, size_t n) {
    const size_t places = chunks(n) * (size_t)per_edge + 1;
    const size_t count = (size_t)per_edge * (size_t)per_edge * (size_t)per_edge;
    if (cells->per_edge != per_edge) {
        cells_free(cells);
        cells->per_edge = per_edge;
        cells->count = count;
        cells->start = malloc((count + 2) * sizeof *cells->start);
        cells->cell = malloc(n * sizeof *cells->cell);
        cells->place = malloc(places * sizeof *cells->place);
        cells->by_layer = malloc(n * sizeof *cells->by_layer);
        for (int axis = 0; axis < 3; axis++) {
            cells->sorted[axis] = calloc(n + NEIGHBOUR_LANES, sizeof *cells->sorted[axis]);
        }
    }
    if (!cells->start || !cells->cell || !cells->place || !cells->by_layer || !cells->sorted[0] ||
        !cells->sorted[1] || !cells->sorted[2]) {
        return false;
    }
    memset(cells->place, 0, places * sizeof *cells->place);
    return true;
}

static void sort_into_cells(struct build *build, struct threads *threads) {
    struct neighbours *list = build->list;
    struct neighbours_cells *cells = build->cells;
    threads_run(threads, chunks(list->n), find_cells, build);
    find_places(build);
    threads_run(threads, chunks(list->n), sort_by_layer, build);
    threads_run(threads, (size_t)cells->per_edge, sort_layer, build);
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

static void free_candidates(struct neighbours_block *block) {
    free(block->x);
    free(block->row);
    *block = (struct neighbours_block){ 0 };
}

static bool reserve_candidates(struct neighbours_block *block, size_t count) {
    const size_t room = count + NEIGHBOUR_LANES;
    if (room <= block->room) {
        return true;
    }
    free_candidates(block);
    block->x = malloc(2 * room * 3 * sizeof *block->x);
    block->row = malloc(2 * room * 2 * sizeof *block->row);
    if (!block->x || !block->row) {
        return false;
    }
    block->room = 2 * room;
    block->y = block->x + block->room;
    block->z = block->y + block->room;
    block->near = block->row + block->room;
    return true;
}

/* Squared, with what rounding may do to two coordinates and their difference. */
static float reach_with_margin(double reach, double edge) {
    const double reach_here = reach + 8.0 * edge * (double)FLT_EPSILON;
    return (float)(reach_here * reach_here * (1.0 + 1e-5));
}

/* A line of cells along x, moved by whole edges. */
struct line {
    const uint32_t *start;
    float shift[3];
};

/* The lines that half of the 26 cells around those of line (y, z) are in: one of each opposite
 * pair. Its own, and the next one in its layer of cells, come first. */
enum { LINES = 5, LINES_IN_LAYER = 2 };

static void find_lines(const struct build *build, int y, int z, struct line lines[LINES]) {
    static const int steps[LINES][2] = { { 0, 0 }, { 1, 0 }, { -1, 1 }, { 0, 1 }, { 1, 1 } };
    const int per_edge = build->cells->per_edge;
    for (int k = 0; k < LINES; k++) {
        const int along[2] = { y + steps[k][0], z + steps[k][1] };
        size_t place[2];
        lines[k].shift[0] = 0.0F;
        for (int axis = 0; axis < 2; axis++) {
            const int images = along[axis] < 0 ? -1 : along[axis] >= per_edge ? 1 : 0;
            place[axis] = (size_t)(along[axis] - images * per_edge);
            lines[k].shift[axis + 1] = (float)(images * build->edge);
        }
        lines[k].start =
            build->cells->start + (place[1] * (size_t)per_edge + place[0]) * (size_t)per_edge;
    }
}

static void add_range(const struct line *line, size_t from, size_t to, float shift,
                      struct neighbour_surroundings *around) {
    around->range[around->count++] = (struct neighbour_range){
        line->start[from], line->start[to], { shift, line->shift[1], line->shift[2] }
    };
}

/* Adds the cells of a line beside cell x, from the one before it (or from itself) to the one after
 * it, in that order; in parts where they reach over the border. */
static void add_ranges(const struct build *build, const struct line *line, size_t x, bool from_own,
                       struct neighbour_surroundings *around) {
    const size_t per_edge = (size_t)build->cells->per_edge;
    const float edge = (float)build->edge;
    if (x == 0 && !from_own) {
        add_range(line, per_edge - 1, per_edge, -edge, around);
    }
    add_range(line, from_own || x == 0 ? x : x - 1, x + 1 < per_edge ? x + 2 : per_edge, 0.0F,
              around);
    if (x + 1 == per_edge) {
        add_range(line, 0, 1, edge, around);
    }
}

static void find_surroundings(const struct build *build, const struct line lines[LINES], size_t x,
                              struct neighbour_surroundings *around) {
    around->count = around->layer = 0;
    for (int k = 0; k < LINES; k++) {
        around->layer = k == LINES_IN_LAYER ? around->count : around->layer;
        add_ranges(build, &lines[k], x, k == 0, around);
    }
}

/* The pairs of one cell with itself and with half of the 26 around it. */
static bool walk_cell(const struct build *build, const struct line lines[LINES], size_t x,
                      struct neighbours_slab *slab) {
    struct neighbours *list = build->list;
    const size_t begin = lines[0].start[x];
    struct neighbour_surroundings around;
    around.own = lines[0].start[x + 1] - begin;
    around.reach2 = build->reach2;
    if (around.own == 0) {
        return true;
    }
    find_surroundings(build, lines, x, &around);
    size_t candidates = 0;
    for (int k = 0; k < around.count; k++) {
        candidates += around.range[k].end - around.range[k].begin;
    }
    if (!reserve_candidates(&slab->block, candidates) ||
        !reserve_pairs(slab, around.own * candidates + 1)) {
        return false;
    }
    slab->count += neighbour_lanes_append(build->cells->sorted, &around, &slab->block,
                                          slab->other + slab->count, list->in_layer + begin,
                                          list->next + begin);
    return true;
}

static void walk_slab(void *context, size_t task) {
    const struct build *build = context;
    struct neighbours_slab *slab = &build->list->slabs[task];
    const int per_edge = build->cells->per_edge;
    bool walked = true;
    slab->count = 0;
    for (size_t z = slab->first_layer; walked && z < slab->end_layer; z++) {
        build->list->layer_pair[z] = slab->count;
        for (int y = 0; walked && y < per_edge; y++) {
            struct line lines[LINES];
            find_lines(build, y, (int)z, lines);
            for (size_t x = 0; walked && x < (size_t)per_edge; x++) {
                walked = walk_cell(build, lines, x, slab);
            }
        }
    }
    build->failed[task] = !walked;
}

/* ---- slabs ---- */

static void free_slabs(struct neighbours *list) {
    for (int s = 0; s < list->slab_count; s++) {
        free(list->slabs[s].other);
        free_candidates(&list->slabs[s].block);
    }
    free(list->slabs);
    list->slabs = NULL;
    list->slab_count = 0;
}

/* Cuts a slab per thread, all of about as many layers; keeps their memory. */
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
        free(list->layer_row);
        free(list->layer_pair);
        list->layers = layers;
        list->layer_row = malloc((layers + 1) * sizeof *list->layer_row);
        list->layer_pair = malloc(layers * sizeof *list->layer_pair);
        if (!list->layer_row || !list->layer_pair) {
            return false;
        }
    }
    for (int s = 0; s < count; s++) {
        list->slabs[s].first_layer = layers * (size_t)s / (size_t)count;
        list->slabs[s].end_layer = layers * ((size_t)s + 1) / (size_t)count;
    }
    return true;
}

static bool walk_cells(struct build *build, int per_edge, struct threads *threads) {
    struct neighbours *list = build->list;
    const size_t layers = (size_t)per_edge;
    bool failed[NEIGHBOURS_MAX_SLABS] = { false };
    if (!cells_allocate(build->cells, per_edge, list->n) ||
        !cut_slabs(list, layers, threads_count(threads))) {
        return false;
    }
    sort_into_cells(build, threads);
    for (size_t layer = 0; layer <= layers; layer++) {
        list->layer_row[layer] = build->cells->start[layer * layers * layers];
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
static bool list_all_pairs(struct neighbours *list) {
    const size_t n = list->n;
    if (!cut_slabs(list, 1, 1)) {
        return false;
    }
    struct neighbours_slab *slab = &list->slabs[0];
    list->layer_row[0] = 0;
    list->layer_row[1] = n;
    list->layer_pair[0] = 0;
    slab->count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!reserve_pairs(slab, n)) {
            return false;
        }
        list->particle[i] = (int32_t)i;
        list->in_layer[i] = (uint32_t)(n - 1 - i);
        list->next[i] = 0;
        for (size_t j = i + 1; j < n; j++) {
            slab->other[slab->count++] = (int32_t)j;
        }
    }
    return true;
}

/* ---- the list ---- */

static struct neighbours_vector *make_vectors(size_t n) {
    struct neighbours_vector *vectors = aligned_alloc(sizeof *vectors, n * sizeof *vectors);
    if (vectors) {
        memset(vectors, 0, n * sizeof *vectors);
    }
    return vectors;
}

bool neighbours_build(struct neighbours *list, const struct points_in_cube *points, double reach,
                      struct threads *threads, struct error *error) {
    const size_t n = points->n;
    const double edge = points->edge;
    struct build build = { .list = list,
                           .cells = &list->cells,
                           .position = points->position,
                           .edge = edge,
                           .reach2 = reach_with_margin(reach, edge) };
    if (list->n != n) {
        neighbours_free(list);
        list->n = n;
        list->particle = malloc(n * sizeof *list->particle);
        list->in_layer = malloc(n * sizeof *list->in_layer);
        list->next = malloc(n * sizeof *list->next);
        list->position = make_vectors(n);
        list->target = make_vectors(n);
    }
    list->edge = edge;
    const int per_edge = cells_per_edge(n, edge, reach);
    bool built = list->particle && list->in_layer && list->next && list->position && list->target;
    if (built) {
        built = per_edge < 3 ? list_all_pairs(list) : walk_cells(&build, per_edge, threads);
    }
    if (!built) {
        neighbours_free(list);
        return fail_out_of_memory(error, "the neighbours of a box being made");
    }
    neighbours_to_rows(list, points->position, list->position, threads);
    return true;
}

void neighbours_free(struct neighbours *list) {
    free_slabs(list);
    cells_free(&list->cells);
    free(list->particle);
    free(list->in_layer);
    free(list->next);
    free(list->layer_row);
    free(list->layer_pair);
    free(list->position);
    free(list->target);
    *list = (struct neighbours){ 0 };
}
