/*
 * The walk over linked cells. Cells are at least as wide as the reach of the tally, so that a
 * particle's partners are in its own cell and the 26 around it; half of those, 13, see each pair of
 * cells once. The walk proposes pairs by coordinates wrapped into the cell; the tally decides by
 * the box's own, so that a pair counts here if and only if it counts in the direct sum.
 */
#include "reference/pairs/spread.h"
#include "reference/pairs/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_PERIODIC = 4 };

struct cells {
    const bool *images; /* of the scene */
    const struct scene
        *layered;        /* a triclinic cell, cut into layers along its vectors; else NULL */
    size_t count[3];     /* cells along each edge */
    double origin[3];    /* lowest corner */
    double length[3];    /* of the region that the cells fill */
    double reach2;       /* squared distance within which pairs are proposed */
    uint32_t *start;     /* first site of each cell; one more at the end */
    uint32_t *order;     /* particle at each site */
    double *coordinate;  /* 3 a site, wrapped */
    size_t sites;        /* the particles that are in a group */
    unsigned char *in;   /* of each particle, in which groups it is; NULL: all in one */
    unsigned char *side; /* of each site the same; NULL where there is but one group */
};

/* Bits of `in` and `side`. */
enum { IN_A = 1, IN_B = 2 };

/* Half of the 26 neighbours of a cell: it is among these of each of the other half. */
static const int half_shell[13][3] = {
    { 1, 0, 0 },  { -1, 1, 0 }, { 0, 1, 0 },  { 1, 1, 0 }, { -1, -1, 1 },
    { 0, -1, 1 }, { 1, -1, 1 }, { -1, 0, 1 }, { 0, 0, 1 }, { 1, 0, 1 },
    { -1, 1, 1 }, { 0, 1, 1 },  { 1, 1, 1 },
};

static void cells_free(struct cells *cells) {
    free(cells->start);
    free(cells->order);
    free(cells->coordinate);
    free(cells->in);
    free(cells->side);
    *cells = (struct cells){ 0 };
}

static size_t cells_total(const struct cells *cells) {
    return cells->count[0] * cells->count[1] * cells->count[2];
}

static void find_region(const struct box *box, struct cells *cells) {
    for (int k = 0; k < 3; k++) {
        double low = box->position[k];
        double high = low;
        for (size_t i = 0; i < box->n; i++) {
            low = fmin(low, box->position[3 * i + (size_t)k]);
            high = fmax(high, box->position[3 * i + (size_t)k]);
        }
        cells->origin[k] = cells->images[k] ? 0.0 : low;
        cells->length[k] = !cells->images[k] ? high - low
                           : cells->layered  ? cells->layered->height[k]
                                             : box->edge[k];
    }
}

/* Chooses the counts; false where the direct sum must do. Not many more cells than particles: an
 * open box may be as long as it likes. */
static bool choose_counts(const struct scene *scene, double reach, struct cells *cells) {
    const struct box *box = scene->box;
    size_t most = 2 * box->n + 64;
    *cells = (struct cells){ .images = scene->images, .layered = scene->triclinic ? scene : NULL };
    if (!isfinite(reach)) {
        return false;
    }
    find_region(box, cells);
    for (int k = 0; k < 3; k++) {
        double fit = floor(cells->length[k] / reach);
        cells->count[k] = fit >= 1.0 ? (size_t)fmin(fit, 1e6) : 1;
        if (!(cells->length[k] < INFINITY) ||
            (cells->images[k] && cells->count[k] < MIN_PERIODIC)) {
            return false;
        }
    }
    while (cells_total(cells) > most) {
        int longest = cells->count[1] > cells->count[0] ? 1 : 0;
        longest = cells->count[2] > cells->count[longest] ? 2 : longest;
        cells->count[longest] = (cells->count[longest] + 1) / 2;
    }
    return true;
}

/* The wrapped coordinate along axis k, and the cell's index along it. */
static size_t locate(const struct cells *cells, int k, double x, double *wrapped) {
    double length = cells->length[k];
    double inside = x - cells->origin[k];
    if (cells->images[k]) {
        inside -= length * floor(inside / length);
    }
    *wrapped = inside;
    double scaled = length > 0.0 ? inside / length * (double)cells->count[k] : 0.0;
    size_t index = scaled > 0.0 ? (size_t)scaled : 0;
    return index < cells->count[k] ? index : cells->count[k] - 1;
}

/* The cell in a triclinic box, and the point moved into it by whole vectors. */
static size_t layered_cell_of(const struct cells *cells, const double *position,
                              double wrapped[3]) {
    size_t index[3];
    double fraction[3];
    memcpy(wrapped, position, 3 * sizeof *wrapped);
    scene_fractions(cells->layered, position, fraction);
    for (int k = 0; k < 3; k++) {
        if (!cells->images[k]) { /* along its axis alone */
            double unused;
            index[k] = locate(cells, k, position[k], &unused);
            continue;
        }
        const double image = floor(fraction[k]);
        const size_t layer = (size_t)((fraction[k] - image) * (double)cells->count[k]);
        index[k] = layer < cells->count[k] ? layer : cells->count[k] - 1;
        for (int l = 0; l < 3; l++) {
            wrapped[l] -= image * cells->layered->vectors[k][l];
        }
    }
    return (index[2] * cells->count[1] + index[1]) * cells->count[0] + index[0];
}

static size_t cell_of(const struct cells *cells, const double *position, double wrapped[3]) {
    if (cells->layered) {
        return layered_cell_of(cells, position, wrapped);
    }
    size_t x = locate(cells, 0, position[0], &wrapped[0]);
    size_t y = locate(cells, 1, position[1], &wrapped[1]);
    size_t z = locate(cells, 2, position[2], &wrapped[2]);
    return (z * cells->count[1] + y) * cells->count[0] + x;
}

/* Which particles are in a group. Those that are in none have no site. */
static bool mark_groups(const struct groups *groups, size_t n, struct cells *cells,
                        struct error *error) {
    cells->sites = n;
    if (!groups) {
        return true;
    }
    cells->in = calloc(n, sizeof *cells->in);
    cells->side = malloc(n * sizeof *cells->side);
    if (!cells->in || !cells->side) {
        return fail_out_of_memory(error, "the cells of the reference");
    }
    for (size_t k = 0; k < groups->n_a; k++) {
        cells->in[groups->a[k]] |= IN_A;
    }
    for (size_t k = 0; k < groups->n_b; k++) {
        cells->in[groups->b[k]] |= IN_B;
    }
    cells->sites = 0;
    for (size_t i = 0; i < n; i++) {
        cells->sites += cells->in[i] != 0;
    }
    if (groups->mode == GROUPS_ONE) {
        free(cells->side);
        cells->side = NULL;
    }
    return true;
}

static bool has_site(const struct cells *cells, size_t particle) {
    return !cells->in || cells->in[particle];
}

/* Counts, scans and fills: within a cell the particles keep the order of the box. */
static bool sort_particles(const struct box *box, struct cells *cells, struct error *error) {
    size_t n = box->n;
    size_t total = cells_total(cells);
    double wrapped[3];
    cells->start = calloc(total + 2, sizeof *cells->start);
    cells->order = malloc(n * sizeof *cells->order);
    cells->coordinate = malloc(3 * n * sizeof *cells->coordinate);
    if (!cells->start || !cells->order || !cells->coordinate) {
        return fail_out_of_memory(error, "the cells of the reference");
    }
    for (size_t i = 0; i < n; i++) {
        if (has_site(cells, i)) {
            cells->start[cell_of(cells, box->position + 3 * i, wrapped) + 2]++;
        }
    }
    for (size_t c = 2; c < total + 2; c++) {
        cells->start[c] += cells->start[c - 1];
    }
    for (size_t i = 0; i < n; i++) {
        if (!has_site(cells, i)) {
            continue;
        }
        size_t site = cells->start[cell_of(cells, box->position + 3 * i, wrapped) + 1]++;
        cells->order[site] = (uint32_t)i;
        memcpy(cells->coordinate + 3 * site, wrapped, sizeof wrapped);
        if (cells->side) {
            cells->side[site] = cells->in[i];
        }
    }
    return true;
}

/* How often a pair of sites counts: in two groups once for each way round. */
static int times_paired(const struct cells *cells, size_t a, size_t b) {
    if (!cells->side) {
        return 1;
    }
    return ((cells->side[a] & IN_A) && (cells->side[b] & IN_B)) +
           ((cells->side[b] & IN_A) && (cells->side[a] & IN_B));
}

/* Proposes site a with the sites first..last-1, whose coordinates are to be moved by `shift`. */
static void walk_sites(struct tally *tally, const struct cells *cells, size_t a, size_t first,
                       size_t last, const double shift[3]) {
    const double reach2 = cells->reach2;
    const double *coordinate = cells->coordinate;
    double x = coordinate[3 * a] - shift[0];
    double y = coordinate[3 * a + 1] - shift[1];
    double z = coordinate[3 * a + 2] - shift[2];
    for (size_t b = first; b < last; b++) {
        double dx = x - coordinate[3 * b];
        double dy = y - coordinate[3 * b + 1];
        double dz = z - coordinate[3 * b + 2];
        if (dx * dx + dy * dy + dz * dz <= reach2) {
            for (int times = times_paired(cells, a, b); times > 0; times--) {
                tally_pair(tally, a, b);
            }
        }
    }
}

/* The neighbour of a cell, and how far its particles are to be moved; false outside an open box. */
static bool neighbour_cell(const struct cells *cells, const size_t at[3], const int offset[3],
                           size_t *cell, double shift[3]) {
    size_t place[3];
    double image[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < 3; k++) {
        ptrdiff_t count = (ptrdiff_t)cells->count[k];
        ptrdiff_t index = (ptrdiff_t)at[k] + offset[k];
        shift[k] = 0.0;
        if (index < 0 || index >= count) {
            if (!cells->images[k]) {
                return false;
            }
            image[k] = index < 0 ? -1.0 : 1.0;
            shift[k] = image[k] * cells->length[k];
            index += index < 0 ? count : -count;
        }
        place[k] = (size_t)index;
    }
    for (int k = 0; k < 3 && cells->layered; k++) {
        shift[k] = image[0] * cells->layered->vectors[0][k] +
                   image[1] * cells->layered->vectors[1][k] +
                   image[2] * cells->layered->vectors[2][k];
    }
    *cell = (place[2] * cells->count[1] + place[1]) * cells->count[0] + place[0];
    return true;
}

static void walk_cell(struct tally *tally, const struct cells *cells, const size_t at[3]) {
    static const double nowhere[3] = { 0.0, 0.0, 0.0 };
    size_t cell = (at[2] * cells->count[1] + at[1]) * cells->count[0] + at[0];
    size_t first = cells->start[cell];
    size_t last = cells->start[cell + 1];
    for (size_t a = first; a < last; a++) {
        walk_sites(tally, cells, a, a + 1, last, nowhere);
    }
    for (int s = 0; s < 13 && first < last; s++) {
        size_t other;
        double shift[3];
        if (neighbour_cell(cells, at, half_shell[s], &other, shift)) {
            for (size_t a = first; a < last; a++) {
                walk_sites(tally, cells, a, cells->start[other], cells->start[other + 1], shift);
            }
        }
    }
}

static void walk(struct tally *tally, const struct cells *cells) {
    size_t at[3];
    for (at[2] = 0; at[2] < cells->count[2]; at[2]++) {
        for (at[1] = 0; at[1] < cells->count[1]; at[1]++) {
            for (at[0] = 0; at[0] < cells->count[0]; at[0]++) {
                walk_cell(tally, cells, at);
            }
        }
    }
}

bool reference_cells_groups(const struct box *box, const struct interaction *interaction,
                            double cutoff, const struct groups *groups, struct reference *reference,
                            struct error *error) {
    struct tally tally;
    struct cells cells = { 0 };
    *reference = (struct reference){ 0 };
    if (!tally_begin(box, interaction, cutoff, &tally, error)) {
        tally_free(&tally);
        return false;
    }
    /* Wrapping and the edges of cells are rounded; a second edge width is far more than they err.
     */
    double reach = tally.scene.reach + tally.scene.edge_width;
    if ((groups && groups->mode == GROUPS_PAIRS) || !choose_counts(&tally.scene, reach, &cells)) {
        tally_free(&tally);
        return reference_direct_groups(box, interaction, cutoff, groups, reference, error);
    }
    if (!mark_groups(groups, box->n, &cells, error) || !sort_particles(box, &cells, error)) {
        cells_free(&cells);
        tally_free(&tally);
        return false;
    }
    tally_reorder(&tally, cells.order, cells.sites);
    cells.reach2 = reach * reach;
    walk(&tally, &cells);
    if (tally_walk_again(&tally)) {
        walk(&tally, &cells);
    }
    cells_free(&cells);
    return tally_end(&tally, reference, error) &&
           spread_fill_box(box, interaction, cutoff, groups, reference, error);
}

bool reference_cells(const struct box *box, const struct interaction *interaction, double cutoff,
                     struct reference *reference, struct error *error) {
    return reference_cells_groups(box, interaction, cutoff, NULL, reference, error);
}
