/* The kinds of boxes that can be made, and what their makers share. */
#include "box/make.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    double density;      /* unless another is asked for */
    double most_density; /* that the kind can be made at */
    bool (*fill)(struct box *box, struct random *random, struct threads *threads,
                 struct error *error);
};

const char *const box_kinds[] = { "lattice", "uniform", "fluid", "gas",   "droplets",
                                  "salt",    "cubic",   "brick", "plate", NULL };

/* In the order of box_kinds. Why the most: beyond 1.2 a Lennard-Jones melt is no liquid; random
 * insertion with a least distance of 0.8 jams at 1.43 and becomes slow well before; droplets of
 * MELT_DENSITY must find room beside each other by random placement; a brick and a plate do not
 * take apart what comes too near. */
static const struct maker makers[] = {
    { MELT_DENSITY, 10.0, make_lattice },
    { 0.3, 0.9, make_uniform },
    { MELT_DENSITY, 1.2, make_fluid },
    { 0.01, 0.9, make_uniform },
    { 0.05, 0.15, make_droplets },
    { 0.8, 10.0, make_salt },
    { 1.0, 10.0, make_cubic },
    { 0.4, 0.5, make_brick },
    { 0.4, 0.5, make_plate },
};

static const double least_density = 1e-9;

static const struct maker *find_maker(const char *kind) {
    for (size_t i = 0; box_kinds[i]; i++) {
        if (strcmp(kind, box_kinds[i]) == 0) {
            return &makers[i];
        }
    }
    return NULL;
}

double box_default_density(const char *kind) {
    const struct maker *maker = find_maker(kind);
    return maker ? maker->density : NAN;
}

double box_shortest_edge(const char *kind, size_t n, double density) {
    const struct maker *maker = find_maker(kind);
    if (!maker) {
        return NAN;
    }
    const double edge = cube_root((double)n / (density > 0.0 ? density : maker->density));
    if (maker->fill == make_plate) {
        return plate_shortest_edge(edge);
    }
    return maker->fill == make_brick ? brick_shortest_edge(edge) : edge;
}

double cube_root(double value) {
    double root = 1.0;
    while (root * root * root < value) {
        root *= 2.0;
    }
    while (root * root * root > 8.0 * value) {
        root *= 0.5;
    }
    /* From above, Newton's iteration falls until rounding stops it. */
    for (;;) {
        double next = (2.0 * root + value / (root * root)) / 3.0;
        if (!(next < root)) {
            return root;
        }
        root = next;
    }
}

double wrap_coordinate(double x, double edge) {
    if (!(x >= 0.0 && x < edge)) {
        x = fmod(x, edge); /* exact */
        x = x < 0.0 ? x + edge : x;
        x = x < edge ? x : 0.0; /* -tiny + edge may round to edge */
    }
    return x + 0.0; /* -0 becomes 0 */
}

/* ---- by ranges ---- */

struct ranges {
    size_t n;
    make_some *some;
    void *context;
};

static void do_range(void *context, size_t task) {
    const struct ranges *ranges = context;
    const size_t end = (task + 1) * MAKE_RANGE;
    ranges->some(ranges->context, task * MAKE_RANGE, end < ranges->n ? end : ranges->n);
}

void make_each(size_t n, struct threads *threads, make_some *some, void *context) {
    struct ranges ranges = { n, some, context };
    threads_run(threads, (n + MAKE_RANGE - 1) / MAKE_RANGE, do_range, &ranges);
}

struct wrapping {
    double *position;
    const double *edge;
};

static void wrap_some(void *context, size_t first, size_t end) {
    const struct wrapping *wrapping = context;
    for (size_t i = first; i < end; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double *x = &wrapping->position[3 * i + axis];
            *x = wrap_coordinate(*x, wrapping->edge[axis]);
        }
    }
}

void wrap_positions(double *position, size_t n, const double edge[3], struct threads *threads) {
    struct wrapping wrapping = { position, edge };
    make_each(n, threads, wrap_some, &wrapping);
}

/* ---- a box ---- */

bool make_begin(size_t n, double density, struct box *box, struct error *error) {
    if (!box_allocate(n, box, error)) {
        return false;
    }
    double edge = cube_root((double)n / density);
    box->periodic = true;
    box->density = density;
    for (int axis = 0; axis < 3; axis++) {
        box->edge[axis] = edge;
    }
    return true;
}

bool box_fail_kind(const char *kind, struct error *error) {
    struct text kinds = { 0 };
    for (size_t i = 0; box_kinds[i]; i++) {
        text_append(&kinds, "%s%s", i == 0 ? "" : box_kinds[i + 1] ? ", " : " or ", box_kinds[i]);
    }
    if (kinds.failed) {
        (void)fail_out_of_memory(error, "the kinds of boxes");
    } else if (kind) {
        (void)fail(error, STATUS_BAD_INPUT, "unknown kind of box '%s'; expected %s", kind,
                   kinds.data);
    } else {
        (void)fail(error, STATUS_BAD_INPUT, "no kind of box; expected %s", kinds.data);
    }
    text_free(&kinds);
    return false;
}

static bool check_request(const char *kind, size_t n, double density, struct error *error) {
    const struct maker *maker = find_maker(kind);
    if (!maker) {
        return box_fail_kind(kind, error);
    }
    if (n < 1 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected 1 to %d", n,
                    BOX_MAX_PARTICLES);
    }
    if (!(density <= 0.0) && !(density >= least_density && density <= maker->most_density)) {
        return fail(error, STATUS_BAD_INPUT,
                    "density %g: a box of kind %s can be made at %g to %g (its default is %g)",
                    density, kind, least_density, maker->most_density, maker->density);
    }
    return true;
}

/* The species of a salt, as many as occur: a single particle is a Na. */
static bool name_salt(struct box *box, struct error *error) {
    char(*species)[SPECIES_SIZE] = calloc(2, sizeof *species);
    if (!species) {
        return fail_out_of_memory(error, "the species of a box");
    }
    strcpy(species[0], "Na");
    strcpy(species[1], "Cl");
    free(box->species);
    box->species = species;
    box->types = box->n > 1 ? 2 : 1;
    return true;
}

bool box_make(const char *kind, size_t n, double density, uint64_t seed, struct box *box,
              struct error *error) {
    memset(box, 0, sizeof *box);
    if (!check_request(kind, n, density, error)) {
        return false;
    }
    const struct maker *maker = find_maker(kind);
    if (!make_begin(n, density <= 0.0 ? maker->density : density, box, error)) {
        return false;
    }
    struct random random = random_from_seed(seed);
    box->seed = seed;
    memcpy(box->kind, kind, strlen(kind) + 1); /* fits: it is one of box_kinds */
    struct threads *threads = threads_open(n / MAKE_RANGE + 1);
    const bool filled = maker->fill(box, &random, threads, error);
    threads_close(threads);
    if (!filled || (maker->fill == make_salt && !name_salt(box, error))) {
        box_free(box);
        return fail_within(error, "box of kind %s", kind);
    }
    return true;
}
