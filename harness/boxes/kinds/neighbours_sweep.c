/* Sweeps over the pairs of a list. Positions and targets are in the order of the rows, where
 * partners are near in memory; pairs go through each step by batches, so that the steps become
 * vectors; and each particle's sum is in the order of its pairs, whatever the batches. */
#include "boxes/kinds/neighbours.h"

#include "boxes/kinds/makers.h"
#include "core/host.h"

#include <string.h>

/* ---- partners of a cell ---- */

/* Copies up to NEIGHBOUR_LANES - 1 more than there are, so that the end of a vector is no case of
 * its own. */
static inline void copy_coordinates(const float *restrict from, size_t count, float shift,
                                    float *restrict to) {
    for (size_t k = 0; k < count; k += NEIGHBOUR_LANES) {
        for (size_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            to[k + lane] = from[k + lane] + shift;
        }
    }
}

static inline void copy_rows(size_t begin, size_t count, int32_t *restrict to) {
    for (size_t k = 0; k < count; k += NEIGHBOUR_LANES) {
        for (size_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            to[k + lane] = (int32_t)(begin + k + lane);
        }
    }
}

/* The rows of some ranges, after those that the block has; returns how many it has then. */
static inline size_t gather(float *const sorted[3], const struct neighbour_range *range, int ranges,
                            const struct neighbours_block *block, size_t count) {
    for (int r = 0; r < ranges; r++) {
        const size_t begin = range[r].begin;
        const size_t rows = range[r].end - begin;
        copy_coordinates(sorted[0] + begin, rows, range[r].shift[0], block->x + count);
        copy_coordinates(sorted[1] + begin, rows, range[r].shift[1], block->y + count);
        copy_coordinates(sorted[2] + begin, rows, range[r].shift[2], block->z + count);
        copy_rows(begin, rows, block->row + count);
        count += rows;
    }
    return count;
}

static inline void find_near(const struct neighbours_block *block, size_t own, size_t count,
                             float reach2) {
    const float *restrict x = block->x;
    const float *restrict y = block->y;
    const float *restrict z = block->z;
    int32_t *restrict near = block->near;
    const float at[3] = { x[own], y[own], z[own] };
    for (size_t k = 0; k < count; k += NEIGHBOUR_LANES) {
        for (size_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            const float dx = at[0] - x[k + lane];
            const float dy = at[1] - y[k + lane];
            const float dz = at[2] - z[k + lane];
            near[k + lane] = dx * dx + dy * dy + dz * dz < reach2;
        }
    }
}

/* Each is written before it is known whether it stays. */
static inline size_t append_near(const struct neighbours_block *block, size_t first, size_t end,
                                 int32_t *restrict other) {
    size_t count = 0;
    for (size_t k = first; k < end; k++) {
        other[count] = block->row[k];
        count += (size_t)block->near[k];
    }
    return count;
}

WIDEST size_t neighbour_lanes_append(float *const sorted[3],
                                     const struct neighbour_surroundings *around,
                                     const struct neighbours_block *block, int32_t *other,
                                     uint32_t *in_layer, uint32_t *next) {
    const size_t layer = gather(sorted, around->range, around->layer, block, 0);
    const size_t all =
        gather(sorted, around->range + around->layer, around->count - around->layer, block, layer);
    size_t count = 0;
    for (size_t own = 0; own < around->own; own++) {
        find_near(block, own, all, around->reach2);
        const size_t beside = append_near(block, own + 1, layer, other + count);
        const size_t above = append_near(block, layer, all, other + count + beside);
        in_layer[own] = (uint32_t)beside;
        next[own] = (uint32_t)above;
        count += beside + above;
    }
    return count;
}

/* ---- sweeps ---- */

enum { BATCH = 512 /* pairs */ };

/* x, y, z in one vector of the machine, or in two. */
typedef double vector __attribute__((vector_size(32)));

/* Pairs of a row that a batch holds. */
struct segment {
    size_t row;
    uint16_t end;    /* among the batch's pairs */
    bool give, last; /* to the partners; of its row's */
};

struct sweep {
    struct neighbours *list;
    neighbours_push *push;
    void *context;
    double range2;
    bool clear;
};

/* One slab's pairs on their way. */
struct batch {
    vector displacement[BATCH];
    vector sum; /* of the row that is under way */
    const struct sweep *sweep;
    const vector *position;
    vector *target;
    struct segment segment[BATCH];
    double square[BATCH], near_square[BATCH + 1], push[BATCH + 1];
    int32_t partner[BATCH];
    int slab;
    uint16_t count, segments;
    uint16_t near[BATCH + 1], before[BATCH + 1];
    bool takes; /* rows get their sums */
};

/* ---- a batch ---- */

/* nearest_image() along each axis, without a branch. */
static inline void find_images(double *restrict d, size_t count, double edge) {
    const double half = 0.5 * edge;
    for (size_t k = 0; k < count; k++) {
        const double once = d[k] - (d[k] > half ? edge : 0.0);
        d[k] = once + (once < -half ? edge : 0.0);
    }
}

static inline void find_squares(const double *restrict d, size_t count, double *restrict square) {
    for (size_t k = 0; k < count; k++) {
        const double *at = d + 4 * k;
        square[k] = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    }
}

/* The pairs nearer than the range, in their order. Each is written before it is known whether it
 * stays. */
static inline size_t select_near(struct batch *batch, double range2) {
    size_t found = 0;
    for (size_t k = 0; k < batch->count; k++) {
        batch->near_square[found] = batch->square[k];
        batch->near[found] = (uint16_t)k;
        batch->before[k] = (uint16_t)found;
        found += batch->square[k] < range2;
    }
    batch->before[batch->count] = (uint16_t)found;
    return found;
}

static inline void add_segment(struct batch *batch, const struct segment *segment, size_t first,
                               size_t end) {
    vector sum = batch->sum;
    for (size_t k = first; k < end; k++) {
        const size_t at = batch->near[k];
        const vector take = batch->push[k] * batch->displacement[at];
        sum += take;
        if (segment->give) {
            batch->target[batch->partner[at]] -= take;
        }
    }
    if (segment->last) {
        if (batch->takes) {
            batch->target[segment->row] += sum;
        }
        sum = (vector){ 0.0 };
    }
    batch->sum = sum;
}

static inline void finish_batch(struct batch *batch) {
    const struct sweep *sweep = batch->sweep;
    find_images((double *)batch->displacement, 4 * (size_t)batch->count, sweep->list->edge);
    find_squares((const double *)batch->displacement, batch->count, batch->square);
    struct neighbours_near near = { .count = select_near(batch, sweep->range2),
                                    .square = batch->near_square,
                                    .push = batch->push,
                                    .displacement = (struct neighbours_vector *)batch->displacement,
                                    .position = batch->near };
    sweep->push(sweep->context, batch->slab, &near);
    size_t first = 0;
    for (size_t s = 0; s < batch->segments; s++) {
        const size_t end = batch->before[batch->segment[s].end];
        add_segment(batch, &batch->segment[s], first, end);
        first = end;
    }
    batch->count = batch->segments = 0;
}

/* Pairs of a row, the last ones or not. */
static inline void add_pairs(struct batch *batch, size_t row, const int32_t *other, size_t count,
                             bool give, bool last) {
    const vector at = batch->position[row];
    for (;;) {
        const size_t room = (size_t)(BATCH - batch->count);
        const size_t fit = count < room ? count : room;
        for (size_t k = 0; k < fit; k++) {
            batch->partner[batch->count + k] = other[k];
            batch->displacement[batch->count + k] = at - batch->position[other[k]];
        }
        other += fit;
        count -= fit;
        batch->count = (uint16_t)(batch->count + fit);
        batch->segment[batch->segments++] =
            (struct segment){ row, batch->count, give, last && count == 0 };
        if (batch->count == BATCH || batch->segments == BATCH) {
            finish_batch(batch);
        }
        if (count == 0) {
            return;
        }
    }
}

/* ---- slabs ---- */

/* The rows of a layer, of which the partners in the next layer are this slab's or not. */
WIDEST static void sweep_layer(struct batch *batch, size_t layer, bool owns_next) {
    const struct neighbours *list = batch->sweep->list;
    const int32_t *other = list->slabs[batch->slab].other + list->layer_pair[layer];
    batch->takes = true;
    for (size_t row = list->layer_row[layer]; row < list->layer_row[layer + 1]; row++) {
        const size_t beside = list->in_layer[row];
        const size_t above = list->next[row];
        add_pairs(batch, row, other, owns_next ? beside + above : beside, true, owns_next);
        if (!owns_next) {
            add_pairs(batch, row, other + beside, above, false, true);
        }
        other += beside + above;
    }
    finish_batch(batch);
}

/* What the rows of a layer that is another slab's take from this slab's particles. */
WIDEST static void take_from_next(struct batch *batch, int owner, size_t layer) {
    const struct neighbours *list = batch->sweep->list;
    const int32_t *other = list->slabs[owner].other + list->layer_pair[layer];
    batch->takes = false;
    for (size_t row = list->layer_row[layer]; row < list->layer_row[layer + 1]; row++) {
        other += list->in_layer[row];
        add_pairs(batch, row, other, list->next[row], true, true);
        other += list->next[row];
    }
    finish_batch(batch);
}

/* The particles of a layer meet the rows of the layer before and then their own; those of the first
 * layer their own and then those of the last. */
static void sweep_slab(void *context, size_t task) {
    const struct sweep *sweep = context;
    struct neighbours *list = sweep->list;
    const struct neighbours_slab *own = &list->slabs[task];
    const bool alone = list->slab_count == 1;
    struct batch batch;
    batch.sweep = sweep;
    batch.position = (const vector *)list->position;
    batch.target = (vector *)list->target;
    batch.slab = (int)task;
    batch.count = batch.segments = 0;
    memset(&batch.sum, 0, sizeof batch.sum);
    if (sweep->clear) {
        const size_t first = list->layer_row[own->first_layer];
        memset(list->target + first, 0,
               (list->layer_row[own->end_layer] - first) * sizeof *list->target);
    }
    if (task > 0) {
        take_from_next(&batch, (int)task - 1, own->first_layer - 1);
    }
    for (size_t layer = own->first_layer; layer < own->end_layer; layer++) {
        sweep_layer(&batch, layer, alone || layer + 1 < own->end_layer);
    }
    if (task == 0 && !alone) {
        take_from_next(&batch, list->slab_count - 1, list->layers - 1);
    }
}

void neighbours_sweep(struct neighbours *list, struct threads *threads, double range,
                      neighbours_push *push, void *context, bool clear) {
    struct sweep sweep = { list, push, context, range * range, clear };
    threads_run(threads, (size_t)list->slab_count, sweep_slab, &sweep);
}

/* ---- rows ---- */

struct copying {
    const struct neighbours *list;
    const double *from;
    struct neighbours_vector *to_rows;
    const struct neighbours_vector *from_rows;
    double *to;
};

static void copy_to_rows(void *context, size_t first, size_t end) {
    const struct copying *copying = context;
    for (size_t row = first; row < end; row++) {
        memcpy(copying->to_rows[row].at, copying->from + 3 * (size_t)copying->list->particle[row],
               3 * sizeof *copying->from);
    }
}

static void copy_from_rows(void *context, size_t first, size_t end) {
    const struct copying *copying = context;
    for (size_t row = first; row < end; row++) {
        memcpy(copying->to + 3 * (size_t)copying->list->particle[row], copying->from_rows[row].at,
               3 * sizeof *copying->to);
    }
}

void neighbours_to_rows(const struct neighbours *list, const double *values,
                        struct neighbours_vector *rows, struct threads *threads) {
    struct copying copying = { .list = list, .from = values, .to_rows = rows };
    threads_each(list->n, threads, copy_to_rows, &copying);
}

void neighbours_from_rows(const struct neighbours *list, const struct neighbours_vector *rows,
                          double *values, struct threads *threads) {
    struct copying copying = { .list = list, .from_rows = rows, .to = values };
    threads_each(list->n, threads, copy_from_rows, &copying);
}
