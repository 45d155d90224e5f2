#include "reference/neighbours/neighbours.h"

#include "core/threads.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Particles sorted into cells along the vectors of the cell; along an axis without images, between
 * the least and the most coordinate. */
struct sorted {
    const struct neighbours_asked *asked;
    bool wraps[3];    /* the axis has images */
    double vector[9]; /* of the cell, by rows; of an axis without images as long as the particles
                         reach */
    double inverse[9];
    double origin[3];
    int32_t cells[3], reach[3];
    size_t share;            /* particles of each box of a batch, which has cells of its own */
    int32_t *start, *member; /* of each cell, and one more; particles by cells */
    double *place;           /* where these are, 3 numbers each */
    const int32_t *molecule; /* NULL: none are left out by molecule */
    double *within;          /* cutoffs by pairs of types; NULL: one for all */
    size_t *left_start;      /* of each particle, and one more; NULL: none are listed */
    int32_t *left;
};

/* ---- the cell ---- */

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of the cell, by rows. */
static void take_vectors(const struct box *box, double vector[9]) {
    const double vectors[9] = {
        box->edge[0], 0, 0, box->tilt[0], box->edge[1], 0, box->tilt[1], box->tilt[2], box->edge[2]
    };
    memcpy(vector, vectors, sizeof vectors);
}

static void name_vectors(const struct box *box, struct sorted *sorted) {
    take_vectors(box, sorted->vector);
    for (int k = 0; k < 3; k++) {
        sorted->wraps[k] = box->periodic && !box->open_along[k];
    }
}

/* Axes without images get the extent of the particles as their vector. */
static void close_axes(const struct box *box, struct sorted *sorted) {
    for (size_t k = 0; k < 3; k++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (size_t i = 0; i < box->n && !sorted->wraps[k]; i++) {
            least = fmin(least, box->position[3 * i + k]);
            most = fmax(most, box->position[3 * i + k]);
        }
        if (!sorted->wraps[k]) {
            memset(&sorted->vector[3 * k], 0, 3 * sizeof(double));
            sorted->vector[3 * k + k] = most > least ? most - least : 1;
            sorted->origin[k] = least;
        }
    }
}

/* Rows of `inverse` are normal to two vectors each: their product with a point is how much of the
 * third vector it is. The height along it is one over their length. */
static void invert(struct sorted *sorted, double height[3]) {
    const double *v = sorted->vector;
    for (size_t k = 0; k < 3; k++) {
        double *normal = &sorted->inverse[3 * k];
        cross(&v[3 * ((k + 1) % 3)], &v[3 * ((k + 2) % 3)], normal);
        const double volume = dot(normal, &v[3 * k]);
        for (int d = 0; d < 3; d++) {
            normal[d] /= volume;
        }
        height[k] = 1 / sqrt(dot(normal, normal));
    }
}

/* About one particle a cell, no narrower than half a cutoff. Where there are no images, no more
 * than all cells are in reach, however flat the particles lie. */
static bool choose_cells(struct sorted *sorted, const double height[3], struct error *error) {
    const struct neighbours_asked *asked = sorted->asked;
    const double radius = (asked->cutoff + asked->width) * (1 + 1e-9);
    const double most = ceil(cbrt((double)sorted->share)) + 1;
    for (int k = 0; k < 3; k++) {
        const double cells = fmin(floor(2 * height[k] / radius), most);
        sorted->cells[k] = cells >= 1 ? (int32_t)cells : 1;
        double reach = ceil(radius * sorted->cells[k] / height[k] + 1e-9);
        reach = sorted->wraps[k] ? reach : fmin(reach, sorted->cells[k]);
        if (reach > (double)NEIGHBOUR_MAX_SHIFT * sorted->cells[k]) {
            return fail(error, STATUS_BAD_INPUT,
                        "cutoff %g: reaches more than %d images of a cell that is %g high",
                        asked->cutoff, NEIGHBOUR_MAX_SHIFT, height[k]);
        }
        sorted->reach[k] = (int32_t)reach;
    }
    return true;
}

static void cell_of(const struct sorted *sorted, size_t i, int32_t cell[3]) {
    const double *at = &sorted->asked->box->position[3 * i];
    const double from[3] = { at[0] - sorted->origin[0], at[1] - sorted->origin[1],
                             at[2] - sorted->origin[2] };
    for (int k = 0; k < 3; k++) {
        const double along = floor(dot(&sorted->inverse[3 * k], from) * sorted->cells[k]);
        cell[k] = (int32_t)fmin(fmax(along, 0), sorted->cells[k] - 1); /* rounding, at the faces */
    }
}

static size_t cells_of_box(const struct sorted *sorted) {
    return (size_t)sorted->cells[0] * (size_t)sorted->cells[1] * (size_t)sorted->cells[2];
}

/* Of a cell in the box of particle i. */
static size_t number_of(const struct sorted *sorted, size_t i, const int32_t cell[3]) {
    return i / sorted->share * cells_of_box(sorted) +
           ((size_t)cell[2] * (size_t)sorted->cells[1] + (size_t)cell[1]) *
               (size_t)sorted->cells[0] +
           (size_t)cell[0];
}

static bool sort(struct sorted *sorted, struct error *error) {
    const size_t n = sorted->asked->box->n;
    const size_t cells = n / sorted->share * cells_of_box(sorted);
    int32_t cell[3];
    sorted->start = calloc(cells + 2, sizeof *sorted->start);
    sorted->member = malloc(n * sizeof *sorted->member);
    sorted->place = malloc(3 * n * sizeof *sorted->place);
    if (!sorted->start || !sorted->member || !sorted->place) {
        return fail_out_of_memory(error, "the neighbours");
    }
    for (size_t i = 0; i < n; i++) {
        cell_of(sorted, i, cell);
        sorted->start[number_of(sorted, i, cell) + 2]++;
    }
    for (size_t c = 0; c < cells; c++) {
        sorted->start[c + 2] += sorted->start[c + 1];
    }
    for (size_t i = 0; i < n; i++) {
        cell_of(sorted, i, cell);
        const int32_t at = sorted->start[number_of(sorted, i, cell) + 1]++;
        sorted->member[at] = (int32_t)i;
        memcpy(&sorted->place[3 * (size_t)at], &sorted->asked->box->position[3 * i],
               3 * sizeof(double));
    }
    return true;
}

/* ---- what is left out ---- */

/* Each listed pair in the rows of both. */
static void fill_left_out(const struct exclusions *exclusions, size_t n, size_t pairs,
                          struct sorted *sorted) {
    int32_t pair[2];
    for (size_t k = 0; k < pairs; k++) {
        exclusions_pair(exclusions, n, k, pair);
        sorted->left_start[pair[0] + 2]++;
        sorted->left_start[pair[1] + 2]++;
    }
    for (size_t i = 0; i < n; i++) {
        sorted->left_start[i + 2] += sorted->left_start[i + 1];
    }
    for (size_t k = 0; k < pairs; k++) {
        exclusions_pair(exclusions, n, k, pair);
        sorted->left[sorted->left_start[pair[0] + 1]++] = pair[1];
        sorted->left[sorted->left_start[pair[1] + 1]++] = pair[0];
    }
}

static bool leave_out(struct sorted *sorted, struct error *error) {
    const struct exclusions *exclusions = sorted->asked->interaction->exclusions;
    const struct box *box = sorted->asked->box;
    if (!exclusions) {
        return true;
    }
    if (exclusions_by_molecule(exclusions)) {
        sorted->molecule = box->molecule;
        return true;
    }
    const size_t pairs = exclusions_pair_count(exclusions, box->n);
    sorted->left_start = calloc(box->n + 2, sizeof *sorted->left_start);
    sorted->left = malloc((2 * pairs + 1) * sizeof *sorted->left);
    if (!sorted->left_start || !sorted->left) {
        return fail_out_of_memory(error, "the neighbours");
    }
    fill_left_out(exclusions, box->n, pairs, sorted);
    return true;
}

static bool is_left_out(const struct sorted *sorted, size_t i, int32_t j) {
    bool left = sorted->molecule && sorted->molecule[i] == sorted->molecule[j];
    for (size_t k = sorted->left_start ? sorted->left_start[i] : 0;
         sorted->left_start && k < sorted->left_start[i + 1]; k++) {
        left = left || sorted->left[k] == j;
    }
    return left && i != (size_t)j;
}

/* ---- cutoffs of types ---- */

static bool is_pair(const struct table_entry *entry, const char *a, const char *b) {
    return strncmp(entry->type[0], a, SPECIES_SIZE) == 0 &&
           strncmp(entry->type[1], b, SPECIES_SIZE) == 0;
}

/* Of the last record that names both, in either order. */
static double cutoff_of_types(const struct neighbours_asked *asked, int32_t a, int32_t b) {
    const struct type_table *table = asked->interaction->table;
    const char *one = asked->box->species[a];
    const char *other = asked->box->species[b];
    double cutoff = -1;
    for (size_t e = 0; e < table->count; e++) {
        if (is_pair(&table->entries[e], one, other) || is_pair(&table->entries[e], other, one)) {
            cutoff = fmin(table->entries[e].cutoff, asked->cutoff); /* infinite: that of all */
        }
    }
    return cutoff;
}

double neighbours_cutoff(const struct neighbours_asked *asked, size_t i, size_t j) {
    return asked->interaction->table
               ? cutoff_of_types(asked, asked->box->type[i], asked->box->type[j])
               : asked->cutoff;
}

static bool find_cutoffs(struct sorted *sorted, struct error *error) {
    const struct box *box = sorted->asked->box;
    if (!sorted->asked->interaction->table) {
        return true;
    }
    sorted->within = malloc((size_t)box->types * (size_t)box->types * sizeof *sorted->within);
    if (!sorted->within) {
        return fail_out_of_memory(error, "the cutoffs of types");
    }
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; b < box->types; b++) {
            sorted->within[a * box->types + b] = cutoff_of_types(sorted->asked, a, b);
        }
    }
    return true;
}

static double cutoff_between(const struct sorted *sorted, size_t i, int32_t j) {
    const struct box *box = sorted->asked->box;
    return sorted->within ? sorted->within[box->type[i] * box->types + box->type[j]]
                          : sorted->asked->cutoff;
}

/* ---- making ---- */

static void sorted_free(struct sorted *sorted) {
    free(sorted->start);
    free(sorted->member);
    free(sorted->place);
    free(sorted->within);
    free(sorted->left_start);
    free(sorted->left);
}

static bool sorted_make(const struct neighbours_asked *asked, struct sorted *sorted,
                        struct error *error) {
    double height[3];
    *sorted = (struct sorted){ .asked = asked, .share = box_share(asked->box) };
    name_vectors(asked->box, sorted);
    close_axes(asked->box, sorted);
    invert(sorted, height);
    if (choose_cells(sorted, height, error) && sort(sorted, error) && find_cutoffs(sorted, error) &&
        leave_out(sorted, error)) {
        return true;
    }
    sorted_free(sorted);
    return false;
}

/* ---- a row ---- */

typedef void take_entry(void *context, const struct neighbour *entry);

static void look_in_cell(const struct sorted *sorted, size_t i, const int32_t cell[3],
                         const int32_t shift[3], take_entry *take, void *context) {
    const struct neighbours_asked *asked = sorted->asked;
    const double *position = asked->box->position;
    const size_t c = number_of(sorted, i, cell);
    double to[3];
    for (int d = 0; d < 3; d++) {
        to[d] = shift[0] * sorted->vector[d] + shift[1] * sorted->vector[3 + d] +
                shift[2] * sorted->vector[6 + d] - position[3 * i + (size_t)d];
    }
    const double reach = asked->cutoff + asked->width;
    for (int32_t m = sorted->start[c]; m < sorted->start[c + 1]; m++) {
        if (asked->once && (size_t)sorted->member[m] <= i) {
            continue;
        }
        const double *other = &sorted->place[3 * (size_t)m];
        const double x[3] = { other[0] + to[0], other[1] + to[1], other[2] + to[2] };
        const double r2 = dot(x, x);
        if (r2 > reach * reach * (1 + 1e-12)) {
            continue;
        }
        const double r = sqrt(r2);
        const int32_t j = sorted->member[m];
        const bool own = (size_t)j == i && !(shift[0] || shift[1] || shift[2]);
        const double cutoff = cutoff_between(sorted, i, j);
        const bool near = cutoff >= 0 && r <= cutoff + asked->width;
        if (near && !own && !is_left_out(sorted, i, j)) {
            const struct neighbour entry = {
                j, { shift[0], shift[1], shift[2] }, r, r < cutoff - asked->width, r <= cutoff
            };
            take(context, &entry);
        }
    }
}

/* The cell `by` cells further along an axis, and its image; false: there is none. */
static bool step_along(const struct sorted *sorted, int k, int32_t from, int32_t by, int32_t *cell,
                       int32_t *shift) {
    const int32_t cells = sorted->cells[k];
    const int32_t to = from + by;
    *shift = to >= 0 ? to / cells : -((cells - 1 - to) / cells);
    *cell = to - *shift * cells;
    return *shift == 0 || sorted->wraps[k];
}

static void look_around(const struct sorted *sorted, size_t i, take_entry *take, void *context) {
    const int32_t *reach = sorted->reach;
    int32_t own[3];
    int32_t cell[3];
    int32_t shift[3];
    cell_of(sorted, i, own);
    for (int32_t z = -reach[2]; z <= reach[2]; z++) {
        if (!step_along(sorted, 2, own[2], z, &cell[2], &shift[2])) {
            continue;
        }
        for (int32_t y = -reach[1]; y <= reach[1]; y++) {
            if (!step_along(sorted, 1, own[1], y, &cell[1], &shift[1])) {
                continue;
            }
            for (int32_t x = -reach[0]; x <= reach[0]; x++) {
                if (step_along(sorted, 0, own[0], x, &cell[0], &shift[0])) {
                    look_in_cell(sorted, i, cell, shift, take, context);
                }
            }
        }
    }
}

/* ---- sums of hashes ---- */

static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9U;
    h = (h ^ h >> 27) * 0x94d049bb133111ebU;
    return h ^ h >> 31;
}

static void add_hash(const uint64_t key[2], int32_t j, uint32_t w,
                     uint32_t sum[NEIGHBOUR_NUMBERS]) {
    const uint64_t entry = (uint64_t)w << 32 | (uint32_t)j;
    const uint64_t hash = mix(mix(entry ^ key[0]) + key[1]);
    const uint64_t terms[NEIGHBOUR_NUMBERS] = { hash, hash >> 32, mix(hash + key[0]) };
    for (int k = 0; k < NEIGHBOUR_NUMBERS; k++) {
        sum[k] = (sum[k] + (uint32_t)terms[k]) & 0xffffffU;
    }
}

static uint32_t word_of(const int32_t shift[3]) {
    return (uint32_t)(shift[0] + 512) + ((uint32_t)(shift[1] + 512) << 10) +
           ((uint32_t)(shift[2] + 512) << 20);
}

struct row {
    const uint64_t *key;
    uint32_t shifted[NEIGHBOUR_NUMBERS], plain[NEIGHBOUR_NUMBERS];
    int32_t within, edge;
};

static void add_entry(void *context, const struct neighbour *entry) {
    struct row *row = context;
    row->edge += !entry->sure;
    row->within += entry->within;
    if (entry->sure) {
        add_hash(row->key, entry->j, word_of(entry->shift), row->shifted);
        add_hash(row->key, entry->j, 1U << 30, row->plain);
    }
}

struct computing {
    const struct sorted *sorted;
    const uint32_t *particle;
    struct neighbour_rows *rows;
};

static void compute_some(void *context, size_t first, size_t end) {
    const struct computing *computing = context;
    const struct neighbour_rows *rows = computing->rows;
    for (size_t k = first; k < end; k++) {
        struct row row = { .key = computing->sorted->asked->key };
        look_around(computing->sorted, computing->particle ? computing->particle[k] : k, add_entry,
                    &row);
        memcpy(&rows->shifted[NEIGHBOUR_NUMBERS * k], row.shifted, sizeof row.shifted);
        memcpy(&rows->plain[NEIGHBOUR_NUMBERS * k], row.plain, sizeof row.plain);
        rows->within[k] = row.within;
        rows->edge[k] = row.edge;
    }
}

static bool rows_allocate(size_t n, struct neighbour_rows *rows, struct error *error) {
    *rows = (struct neighbour_rows){ .n = n };
    rows->shifted = calloc(NEIGHBOUR_NUMBERS * n + 1, sizeof *rows->shifted);
    rows->plain = calloc(NEIGHBOUR_NUMBERS * n + 1, sizeof *rows->plain);
    rows->within = calloc(n + 1, sizeof *rows->within);
    rows->edge = calloc(n + 1, sizeof *rows->edge);
    if (rows->shifted && rows->plain && rows->within && rows->edge) {
        return true;
    }
    neighbour_rows_free(rows);
    return fail_out_of_memory(error, "the neighbours");
}

bool neighbour_rows_compute(const struct neighbours_asked *asked, const uint32_t *particle,
                            size_t count, struct neighbour_rows *rows, struct error *error) {
    struct sorted sorted;
    struct computing computing = { &sorted, particle, rows };
    *rows = (struct neighbour_rows){ 0 };
    if (!sorted_make(asked, &sorted, error)) {
        return false;
    }
    const bool made = rows_allocate(particle ? count : asked->box->n, rows, error);
    if (made) {
        threads_share(rows->n, compute_some, &computing);
    }
    for (size_t k = 0; k < rows->n; k++) {
        rows->all_within += (uint64_t)rows->within[k];
        rows->all_edge += (uint64_t)rows->edge[k];
    }
    sorted_free(&sorted);
    return made;
}

void neighbour_rows_free(struct neighbour_rows *rows) {
    free(rows->shifted);
    free(rows->plain);
    free(rows->within);
    free(rows->edge);
    *rows = (struct neighbour_rows){ 0 };
}

/* ---- entries of a particle ---- */

struct entries {
    struct neighbour *list;
    size_t count, room;
    bool failed;
};

struct neighbour_finder {
    const struct sorted *sorted; /* its own, or another's */
    struct sorted own;
    struct entries entries;
};

static void keep_entry(void *context, const struct neighbour *entry) {
    struct entries *entries = context;
    if (entries->count == entries->room) {
        const size_t room = entries->room ? 2 * entries->room : 64;
        struct neighbour *grown = realloc(entries->list, room * sizeof *grown);
        if (!grown) {
            entries->failed = true;
            return;
        }
        entries->list = grown;
        entries->room = room;
    }
    entries->list[entries->count++] = *entry;
}

static int compare_entries(const void *one, const void *other) {
    const struct neighbour *a = one;
    const struct neighbour *b = other;
    for (int k = 0; k < 3 && a->j == b->j; k++) {
        if (a->shift[k] != b->shift[k]) {
            return a->shift[k] < b->shift[k] ? -1 : 1;
        }
    }
    return (a->j > b->j) - (a->j < b->j);
}

bool neighbour_finder_make(const struct neighbours_asked *asked, struct neighbour_finder **finder,
                           struct error *error) {
    struct neighbour_finder *made = calloc(1, sizeof *made);
    *finder = NULL;
    if (!made) {
        return fail_out_of_memory(error, "the neighbours");
    }
    if (!sorted_make(asked, &made->own, error)) {
        free(made);
        return false;
    }
    made->sorted = &made->own;
    *finder = made;
    return true;
}

void neighbour_finder_free(struct neighbour_finder *finder) {
    if (finder) {
        sorted_free(&finder->own);
        free(finder->entries.list);
        free(finder);
    }
}

void neighbour_vector(const struct box *box, size_t i, const struct neighbour *entry,
                      long double d[3]) {
    double vector[9];
    take_vectors(box, vector);
    for (size_t k = 0; k < 3; k++) {
        d[k] = (long double)box->position[3 * (size_t)entry->j + k] -
               (long double)box->position[3 * i + k];
        for (size_t v = 0; v < 3; v++) {
            d[k] += (long double)entry->shift[v] * vector[3 * v + k];
        }
    }
}

bool neighbour_finder_list(struct neighbour_finder *finder, size_t particle,
                           const struct neighbour **list, size_t *count, struct error *error) {
    struct entries *entries = &finder->entries;
    entries->count = 0;
    look_around(finder->sorted, particle, keep_entry, entries);
    *list = entries->list;
    *count = entries->count;
    return !entries->failed || fail_out_of_memory(error, "the neighbours of a particle");
}

/* ---- by threads ---- */

struct each {
    const struct neighbour_finder *finder;
    neighbours_some *some;
    void *context;
    pthread_mutex_t lock;
    size_t failed; /* the first range that did */
    struct error *error;
};

static void do_range(void *context, size_t first, size_t end) {
    struct each *each = context;
    struct neighbour_finder finder = { .sorted = each->finder->sorted };
    struct error error;
    if (!each->some(each->context, &finder, first, end, &error)) {
        (void)pthread_mutex_lock(&each->lock);
        if (first <= each->failed) {
            each->failed = first;
            *each->error = error;
        }
        (void)pthread_mutex_unlock(&each->lock);
    }
    free(finder.entries.list);
}

bool neighbour_finder_each(const struct neighbour_finder *finder, size_t n, neighbours_some *some,
                           void *context, struct error *error) {
    struct each each = { finder, some, context, PTHREAD_MUTEX_INITIALIZER, SIZE_MAX, error };
    struct threads *threads = threads_open((n + THREADS_RANGE - 1) / THREADS_RANGE);
    threads_each(n, threads, do_range, &each);
    threads_close(threads);
    return each.failed == SIZE_MAX;
}

/* ---- in order ---- */

bool neighbours_of(struct neighbour_finder *finder, size_t particle,
                   const struct neighbour **entries, size_t *count, struct error *error) {
    const bool listed = neighbour_finder_list(finder, particle, entries, count, error);
    if (listed && *count > 1) {
        qsort(finder->entries.list, *count, sizeof **entries, compare_entries);
    }
    return listed;
}
