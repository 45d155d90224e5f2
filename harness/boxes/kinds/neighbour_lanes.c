#include "boxes/kinds/neighbour_lanes.h"

#include "core/host.h"

/* Up to NEIGHBOUR_LANES - 1 more than there are: no end of a vector is a case of its own. */
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

/* The rows of some ranges, behind those that the block has; returns how many it has then. */
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
