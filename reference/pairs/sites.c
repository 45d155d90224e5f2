#include "reference/pairs/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_PERIODIC = 4, /* cells an edge: fewer, and a cell might meet another twice */
    MIN_FOR_CELLS = 256,
    CHUNK = 16384 /* particles a task */
};

void sites_free(struct sites *sites) {
    free(sites->particle);
    for (int k = 0; k < 3; k++) {
        free(sites->position[k]);
    }
    free(sites->side);
    free(sites->cell);
    free(sites->start);
    free(sites->first);
    free(sites->partner);
    *sites = (struct sites){ 0 };
}

static bool fail_memory(struct error *error) {
    return fail_out_of_memory(error, "the sites of the reference");
}

/* What one pass over the particles needs. */
struct placing {
    const struct scene *scene;
    const unsigned char *in; /* per particle, in which groups it is; NULL: in one */
    struct sites *sites;
    double origin[3], length[3]; /* of the region that the cells fill */
    uint32_t *cell;              /* per particle; UINT32_MAX: in no group */
};

/* ---- cells ---- */

static void find_region(const struct box *box, struct placing *placing) {
    double low[3], high[3];
    memcpy(low, box->position, sizeof low);
    memcpy(high, box->position, sizeof high);
    const bool *images = placing->scene->images;
    const bool all = images[0] && images[1] && images[2];
    for (size_t i = 0; i < box->n && !all; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = box->position[3 * i + (size_t)k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        placing->origin[k] = images[k] ? 0.0 : low[k];
        placing->length[k] = !images[k]                  ? high[k] - low[k]
                             : placing->scene->triclinic ? placing->scene->height[k]
                                                         : box->edge[k];
    }
}

/* Cells at least as wide as the reach, so that partners are in a cell and the 26 around it; not
 * many more than particles, for an open box may be as long as it likes. False: no cells. */
static bool choose_cells(const struct scene *scene, struct placing *placing) {
    /* Wrapping and the edges of cells are rounded; a second edge width is far more than they err.
     */
    const double reach = scene->reach + scene->edge_width;
    size_t *count = placing->sites->cells;
    placing->sites->images = scene->images;
    if (!isfinite(reach) || scene->box->n < MIN_FOR_CELLS) {
        return false;
    }
    find_region(scene->box, placing);
    for (int k = 0; k < 3; k++) {
        const double fit = floor(placing->length[k] / reach);
        count[k] = fit >= 1.0 ? (size_t)fmin(fit, 1e6) : 1;
        if (!(placing->length[k] < INFINITY) || (scene->images[k] && count[k] < MIN_PERIODIC)) {
            return false;
        }
    }
    while (count[0] * count[1] * count[2] > 2 * scene->box->n + 64) {
        int longest = count[1] > count[0] ? 1 : 0;
        longest = count[2] > count[longest] ? 2 : longest;
        count[longest] = (count[longest] + 1) / 2;
    }
    return true;
}

/* The cell's index along axis k. */
static size_t locate(const struct placing *placing, int k, double x) {
    const size_t count = placing->sites->cells[k];
    const double length = placing->length[k];
    double inside = x - placing->origin[k];
    if (placing->scene->images[k] && !placing->scene->inside) {
        inside -= length * floor(inside / length);
    }
    const double scaled = length > 0.0 ? inside / length * (double)count : 0.0;
    const size_t index = scaled > 0.0 ? (size_t)scaled : 0;
    return index < count ? index : count - 1;
}

/* The same of a point in a triclinic cell, which is cut into layers along its vectors: each is as
 * wide as its part of the height. */
static size_t locate_in_layers(const struct placing *placing, const double x[3]) {
    const size_t *count = placing->sites->cells;
    size_t index[3];
    double fraction[3];
    scene_fractions(placing->scene, x, fraction);
    for (int k = 0; k < 3; k++) {
        if (!placing->scene->images[k]) { /* along its axis alone */
            index[k] = locate(placing, k, x[k]);
            continue;
        }
        const size_t layer = (size_t)((fraction[k] - floor(fraction[k])) * (double)count[k]);
        index[k] = layer < count[k] ? layer : count[k] - 1;
    }
    return (index[2] * count[1] + index[1]) * count[0] + index[0];
}

static void locate_chunk(void *context, size_t task) {
    const struct placing *placing = context;
    const struct box *box = placing->scene->box;
    const size_t *count = placing->sites->cells;
    const size_t end = (task + 1) * CHUNK < box->n ? (task + 1) * CHUNK : box->n;
    for (size_t i = task * CHUNK; i < end; i++) {
        const double *x = box->position + 3 * i;
        const size_t cell =
            placing->scene->triclinic
                ? locate_in_layers(placing, x)
                : (locate(placing, 2, x[2]) * count[1] + locate(placing, 1, x[1])) * count[0] +
                      locate(placing, 0, x[0]);
        placing->cell[i] = placing->in && !placing->in[i] ? UINT32_MAX : (uint32_t)cell;
    }
}

/* Counts, scans and fills: within a cell the particles keep the order of the box. */
static bool sort_by_cell(struct placing *placing, struct threads *threads, struct error *error) {
    struct sites *sites = placing->sites;
    const size_t n = placing->scene->box->n;
    const size_t total = sites->cells[0] * sites->cells[1] * sites->cells[2];
    placing->cell = malloc(n * sizeof *placing->cell);
    sites->start = calloc(total + 2, sizeof *sites->start);
    if (!placing->cell || !sites->start) {
        return fail_memory(error);
    }
    threads_run(threads, (n + CHUNK - 1) / CHUNK, locate_chunk, placing);
    for (size_t i = 0; i < n; i++) {
        if (placing->cell[i] != UINT32_MAX) {
            sites->start[placing->cell[i] + 2]++;
        }
    }
    for (size_t c = 2; c < total + 2; c++) {
        sites->start[c] += sites->start[c - 1];
    }
    for (size_t i = 0; i < n; i++) {
        if (placing->cell[i] != UINT32_MAX) {
            const uint32_t site = sites->start[placing->cell[i] + 1]++;
            sites->particle[site] = (uint32_t)i;
            sites->cell[site] = placing->cell[i];
        }
    }
    return true;
}

/* ---- groups ---- */

static bool mark_groups(const struct groups *groups, size_t n, unsigned char **in,
                        struct sites *sites, struct error *error) {
    sites->count = n;
    if (!groups) {
        return true;
    }
    *in = calloc(n, sizeof **in);
    if (!*in) {
        return fail_memory(error);
    }
    for (size_t k = 0; k < groups->n_a; k++) {
        (*in)[groups->a[k]] |= IN_A;
    }
    for (size_t k = 0; groups->mode != GROUPS_ONE && k < groups->n_b; k++) {
        (*in)[groups->b[k]] |= IN_B;
    }
    sites->count = 0;
    for (size_t i = 0; i < n; i++) {
        sites->count += (*in)[i] != 0;
    }
    return true;
}

/* Without cells: in the order of the box, of two groups those in A alone first, those in B alone
 * last. */
static void sort_by_side(const struct placing *placing) {
    struct sites *sites = placing->sites;
    size_t site = 0;
    for (int side = IN_A; side <= (IN_A | IN_B); side++) {
        static const unsigned char in_order[4] = { 0, IN_A, IN_A | IN_B, IN_B };
        for (size_t i = 0; i < placing->scene->box->n; i++) {
            if (placing->in ? placing->in[i] == in_order[side] : side == IN_A) {
                sites->particle[site++] = (uint32_t)i;
            }
        }
        sites->end_of_side[side - 1] = site;
    }
}

/* ---- listed pairs ---- */

static int by_site(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Notes every listed pair with both its sites. */
static void fill_partners(const struct groups *groups, const uint32_t *site_of, size_t *next,
                          struct sites *sites) {
    for (size_t k = 0; k < groups->n_a; k++) {
        sites->first[site_of[groups->a[k]] + 1]++;
        sites->first[site_of[groups->b[k]] + 1]++;
    }
    for (size_t s = 0; s < sites->count; s++) {
        sites->first[s + 1] += sites->first[s];
        next[s] = sites->first[s];
    }
    for (size_t k = 0; k < groups->n_a; k++) {
        const uint32_t a = site_of[groups->a[k]];
        const uint32_t b = site_of[groups->b[k]];
        sites->partner[next[a]++] = b;
        sites->partner[next[b]++] = a;
    }
    for (size_t s = 0; s < sites->count; s++) {
        qsort(sites->partner + sites->first[s], sites->first[s + 1] - sites->first[s],
              sizeof *sites->partner, by_site);
    }
}

static bool list_partners(const struct groups *groups, size_t n, struct sites *sites,
                          struct error *error) {
    uint32_t *site_of = calloc(n, sizeof *site_of);
    size_t *next = malloc((sites->count + 1) * sizeof *next);
    sites->first = calloc(sites->count + 1, sizeof *sites->first);
    sites->partner = malloc((2 * groups->n_a + 1) * sizeof *sites->partner);
    const bool allocated = site_of && next && sites->first && sites->partner;
    if (allocated) {
        for (size_t s = 0; s < sites->count; s++) {
            site_of[sites->particle[s]] = (uint32_t)s;
        }
        fill_partners(groups, site_of, next, sites);
    }
    free(site_of);
    free(next);
    return allocated || fail_memory(error);
}

/* ---- the whole ---- */

static void copy_chunk(void *context, size_t task) {
    const struct placing *placing = context;
    const struct sites *sites = placing->sites;
    const size_t end = (task + 1) * CHUNK < sites->count ? (task + 1) * CHUNK : sites->count;
    for (size_t s = task * CHUNK; s < end; s++) {
        const double *x = placing->scene->box->position + 3 * (size_t)sites->particle[s];
        for (int k = 0; k < 3; k++) {
            sites->position[k][s] = x[k];
        }
        if (sites->side) {
            sites->side[s] = placing->in[sites->particle[s]];
        }
    }
}

static bool allocate(bool sides, struct sites *sites, struct error *error) {
    const size_t count = sites->count ? sites->count : 1;
    sites->particle = malloc(count * sizeof *sites->particle);
    sites->cell = malloc(count * sizeof *sites->cell);
    sites->side = sides ? malloc(count * sizeof *sites->side) : NULL;
    bool allocated = sites->particle && sites->cell && (!sides || sites->side);
    for (int k = 0; k < 3; k++) {
        sites->position[k] = malloc(count * sizeof *sites->position[k]);
        allocated = allocated && sites->position[k];
    }
    return allocated || fail_memory(error);
}

static bool sort_sites(const struct groups *groups, struct placing *placing,
                       struct threads *threads, struct error *error) {
    const bool listed = groups && groups->mode == GROUPS_PAIRS;
    if (!listed && choose_cells(placing->scene, placing)) {
        return sort_by_cell(placing, threads, error);
    }
    memset(placing->sites->cells, 0, sizeof placing->sites->cells);
    sort_by_side(placing);
    return !listed || list_partners(groups, placing->scene->box->n, placing->sites, error);
}

bool sites_begin(const struct scene *scene, const struct groups *groups, struct threads *threads,
                 struct sites *sites, struct error *error) {
    unsigned char *in = NULL;
    *sites = (struct sites){ 0 };
    struct placing placing = { .scene = scene, .sites = sites };
    bool made = mark_groups(groups, scene->box->n, &in, sites, error) &&
                allocate(groups && groups->mode == GROUPS_TWO, sites, error);
    placing.in = in;
    made = made && sort_sites(groups, &placing, threads, error);
    if (made) {
        threads_run(threads, (sites->count + CHUNK - 1) / CHUNK, copy_chunk, &placing);
    } else {
        sites_free(sites);
    }
    free(in);
    free(placing.cell);
    return made;
}

/* ---- runs ---- */

/* The runs that are found so far. */
struct found_runs {
    struct run *runs;
    int count;
};

/* Cells begin..end-1 of a row, which stand beside each other. */
static void add_run(const struct sites *sites, size_t row, size_t begin, size_t end, bool images,
                    struct found_runs *found) {
    const struct run run = { sites->start[row * sites->cells[0] + begin],
                             sites->start[row * sites->cells[0] + end], images };
    if (run.first < run.last) {
        found->runs[found->count++] = run;
    }
}

/* The cells around x in one row. Across the border they are two runs. */
static void add_row(const struct sites *sites, size_t row, size_t x, bool images,
                    struct found_runs *found) {
    const size_t last = sites->cells[0] - 1;
    const bool wraps = sites->images[0] && (x == 0 || x == last);
    if (wraps && x == 0) {
        add_run(sites, row, 0, 2, images, found);
        add_run(sites, row, last, last + 1, true, found);
    } else if (wraps) {
        add_run(sites, row, 0, 1, true, found);
        add_run(sites, row, last - 1, last + 1, images, found);
    } else {
        add_run(sites, row, x > 0 ? x - 1 : 0, (x < last ? x + 1 : last) + 1, images, found);
    }
}

/* Index i-1, i, i+1 along one axis, ascending; those that are there. */
struct around {
    size_t index[3];
    bool images[3];
    int count;
};

static struct around around(const struct sites *sites, int k, size_t i) {
    const size_t last = sites->cells[k] - 1;
    struct around found = { .count = 0 };
    if (sites->images[k] && i == last) {
        found = (struct around){ { 0 }, { true }, 1 };
    }
    for (size_t at = i > 0 ? i - 1 : 0; at <= i + 1 && at <= last; at++) {
        found.images[found.count] = false;
        found.index[found.count++] = at;
    }
    if (sites->images[k] && i == 0) {
        found.images[found.count] = true;
        found.index[found.count++] = last;
    }
    return found;
}

static int runs_of_cells(const struct sites *sites, size_t site, struct run runs[MAX_RUNS]) {
    const size_t cell = sites->cell[site];
    const size_t x = cell % sites->cells[0];
    const struct around y = around(sites, 1, cell / sites->cells[0] % sites->cells[1]);
    const struct around z = around(sites, 2, cell / sites->cells[0] / sites->cells[1]);
    struct found_runs found = { runs, 0 };
    for (int c = 0; c < z.count; c++) {
        for (int b = 0; b < y.count; b++) {
            const size_t row = z.index[c] * sites->cells[1] + y.index[b];
            add_row(sites, row, x, z.images[c] || y.images[b], &found);
        }
    }
    return found.count;
}

int sites_runs(const struct sites *sites, size_t site, struct run runs[MAX_RUNS]) {
    if (sites->partner) {
        return 0;
    }
    if (sites->start) {
        return runs_of_cells(sites, site, runs);
    }
    runs[0] = (struct run){ 0, sites->count, true };
    if (sites->side && sites->side[site] == IN_A) {
        runs[0].first = sites->end_of_side[0];
    } else if (sites->side && sites->side[site] == IN_B) {
        runs[0].last = sites->end_of_side[1];
    }
    return 1;
}
