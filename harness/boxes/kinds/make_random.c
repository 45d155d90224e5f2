/* uniform, gas — random points with a least distance, inserted one after another. */
#include "boxes/kinds/makers.h"

#include <math.h>
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

/* ---- droplets: dense clusters at random places of an otherwise empty cell: the load-imbalance
 * case.
 *
 * Each droplet is a ball cut out of one periodic tile of melt, around a random centre. Sizes differ
 * by up to a factor of 3. Particles come droplet by droplet, in the order of the tile. */

enum {
    PARTICLES_PER_DROPLET = 1000,
    DROPLETS_OF_SMALL_BOX = 8,
    MIN_FOR_SEVERAL = 64, /* particles; fewer make one droplet */
    MAX_PLACINGS = 1000   /* tries of one droplet before there are to be fewer, larger ones */
};

struct droplet {
    size_t first, size; /* its particles */
    double radius;      /* of the farthest from the centre */
    double centre[3];
};

struct member {
    double square; /* squared distance from the droplet's centre */
    size_t index;  /* in the tile */
};

static int by_distance(const void *left, const void *right) {
    const struct member *a = left;
    const struct member *b = right;
    if (a->square != b->square) {
        return a->square < b->square ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *left, const void *right) {
    const struct member *a = left;
    const struct member *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static int largest_first(const void *left, const void *right) {
    const struct droplet *a = left;
    const struct droplet *b = right;
    if (a->radius != b->radius) {
        return a->radius > b->radius ? -1 : 1;
    }
    return (a->first > b->first) - (a->first < b->first);
}

/* Divides n particles among droplets; returns the size of the largest. */
static size_t share_out(size_t n, struct droplet *droplets, size_t count, struct random *random) {
    double total = 0.0;
    for (size_t k = 0; k < count; k++) {
        droplets[k].radius = 0.5 + random_unit(random); /* a weight for now */
        total += droplets[k].radius;
    }
    size_t given = 0;
    size_t largest = 0;
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        sum += droplets[k].radius;
        size_t until = k + 1 == count ? n : (size_t)((double)n * (sum / total));
        droplets[k].first = given;
        droplets[k].size = until - given;
        given = until;
        largest = droplets[k].size > largest ? droplets[k].size : largest;
    }
    return largest;
}

/* The tile's particles within `radius` of the centre. */
static size_t gather_ball(const struct box *tile, const double centre[3], double radius,
                          struct member *members) {
    size_t found = 0;
    for (size_t i = 0; i < tile->n; i++) {
        double square = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            double d = nearest_image(tile->position[3 * i + axis] - centre[axis], tile->edge[0]);
            square += d * d;
        }
        members[found] = (struct member){ square, i };
        found += square < radius * radius;
    }
    return found;
}

/* Fills in the droplet's particles, relative to its centre, and its radius. */
static void cut_droplet(const struct box *tile, struct droplet *droplet, struct member *members,
                        double *position, struct random *random) {
    double centre[3];
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = random_unit(random) * tile->edge[0];
    }
    /* 4 pi / 3 = 4.19; some more than needed, then sorted. */
    double radius = 1.1 * cube_root((double)droplet->size / (4.19 * MELT_DENSITY));
    size_t found = gather_ball(tile, centre, radius, members);
    while (found < droplet->size) {
        radius *= 1.1;
        found = gather_ball(tile, centre, radius, members);
    }
    qsort(members, found, sizeof *members, by_distance);
    droplet->radius = sqrt(members[droplet->size - 1].square);
    qsort(members, droplet->size, sizeof *members, by_index);
    for (size_t k = 0; k < droplet->size; k++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double d = tile->position[3 * members[k].index + axis] - centre[axis];
            position[3 * (droplet->first + k) + axis] = nearest_image(d, tile->edge[0]);
        }
    }
}

static bool clear_of_others(const struct droplet *droplets, size_t k, double edge) {
    for (size_t other = 0; other < k; other++) {
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double d = droplets[k].centre[axis] - droplets[other].centre[axis];
            d = nearest_image(d, edge);
            square += d * d;
        }
        double gap = droplets[k].radius + droplets[other].radius + FLUID_LEAST_DISTANCE;
        if (square < gap * gap) {
            return false;
        }
    }
    return true;
}

/* Random places that keep the droplets apart, the largest first; false when there is no room. */
static bool place_droplets(struct droplet *droplets, size_t count, double edge,
                           struct random *random) {
    qsort(droplets, count, sizeof *droplets, largest_first);
    for (size_t k = 0; k < count; k++) {
        bool placed = false;
        for (int attempt = 0; !placed && attempt < MAX_PLACINGS; attempt++) {
            for (int axis = 0; axis < 3; axis++) {
                droplets[k].centre[axis] = random_unit(random) * edge;
            }
            placed = clear_of_others(droplets, k, edge);
        }
        if (!placed) {
            return false;
        }
    }
    return true;
}

/* One try at a box of `count` droplets; *placed says whether they found room. */
static bool make_with(struct box *box, size_t count, struct random *random, struct threads *threads,
                      bool *placed, struct error *error) {
    struct droplet *droplets = calloc(count, sizeof *droplets);
    if (!droplets) {
        return fail_out_of_memory(error, "the droplets of a box being made");
    }
    /* A ball of half the tile's edge holds 0.52 of it: a droplet never meets its own image. */
    size_t tile_size = 4 * share_out(box->n, droplets, count, random) + 64;
    struct box tile = { 0 };
    struct member *members = malloc((tile_size + 1) * sizeof *members);
    bool made = members != NULL || fail_out_of_memory(error, "the droplets of a box being made");
    made = made && make_begin(tile_size, MELT_DENSITY, &tile, error) &&
           make_fluid(&tile, random, threads, error);
    for (size_t k = 0; made && k < count; k++) {
        if (droplets[k].size > 0) {
            cut_droplet(&tile, &droplets[k], members, box->position, random);
        }
    }
    *placed = made && place_droplets(droplets, count, box->edge[0], random);
    for (size_t k = 0; *placed && k < count; k++) {
        for (size_t i = 3 * droplets[k].first; i < 3 * (droplets[k].first + droplets[k].size);
             i++) {
            box->position[i] += droplets[k].centre[i % 3];
        }
    }
    free(droplets);
    free(members);
    box_free(&tile);
    return made;
}

bool make_droplets(struct box *box, struct random *random, struct threads *threads,
                   struct error *error) {
    size_t count = box->n / PARTICLES_PER_DROPLET;
    count = count > DROPLETS_OF_SMALL_BOX ? count : DROPLETS_OF_SMALL_BOX;
    count = box->n < MIN_FOR_SEVERAL ? 1 : count;
    bool placed = false;
    while (!placed) { /* a single droplet always finds a place */
        if (!make_with(box, count, random, threads, &placed, error)) {
            return false;
        }
        count = count > 1 ? count / 2 : 1;
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    /* Across the cell's border a single droplet of a small box may touch its own image. */
    return separate(box, 1.02 * FLUID_LEAST_DISTANCE, FLUID_LEAST_DISTANCE, threads, error);
}
