#include "boxes/box.h"

#include "boxes/random.h"
#include "core/strings.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool box_allocate(size_t n, struct box *box, struct error *error) {
    memset(box, 0, sizeof *box);
    if (n < 1 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected 1 to %d", n,
                    BOX_MAX_PARTICLES);
    }
    box->n = n;
    box->types = 1;
    box->density = NAN;
    box->position = calloc(3 * n, sizeof *box->position);
    box->charge = calloc(n, sizeof *box->charge);
    box->type = calloc(n, sizeof *box->type);
    box->species = calloc(1, sizeof *box->species);
    if (!box->position || !box->charge || !box->type || !box->species) {
        box_free(box);
        return fail_out_of_memory(error, "the particles of a box");
    }
    strcpy(box->species[0], "A");
    return true;
}

void box_free(struct box *box) {
    free(box->position);
    free(box->charge);
    free(box->velocity);
    free(box->mass);
    free(box->type);
    free(box->species);
    free(box->molecule);
    free(box->begin);
    free(box->cells);
    memset(box, 0, sizeof *box);
}

bool box_add_velocities(struct box *box, struct error *error) {
    if (!box->velocity) {
        box->velocity = calloc(3 * box->n, sizeof *box->velocity);
    }
    return box->velocity || fail_out_of_memory(error, "the velocities of a box");
}

bool box_add_masses(struct box *box, struct error *error) {
    if (box->mass) {
        return true;
    }
    box->mass = malloc(box->n * sizeof *box->mass);
    for (size_t i = 0; box->mass && i < box->n; i++) {
        box->mass[i] = 1.0;
    }
    return box->mass || fail_out_of_memory(error, "the masses of a box");
}

void box_open(struct box *box) {
    box->periodic = false;
    box->cell = (struct cell){ { 0.0 }, { 0.0 } };
    for (size_t b = 0; box->cells && b < box->batch; b++) {
        box->cells[b] = box->cell;
    }
    memset(box->open_along, 0, sizeof box->open_along);
    memset(box->reversed, 0, sizeof box->reversed);
}

/* What few boxes have. */
static bool copy_motion(const struct box *box, struct box *copy, struct error *error) {
    if ((box->velocity && !box_add_velocities(copy, error)) ||
        (box->mass && !box_add_masses(copy, error))) {
        box_free(copy);
        return false;
    }
    if (box->velocity) {
        memcpy(copy->velocity, box->velocity, 3 * box->n * sizeof *copy->velocity);
    }
    if (box->mass) {
        memcpy(copy->mass, box->mass, box->n * sizeof *copy->mass);
    }
    return true;
}

/* What every box has per particle, by threads: a large one is copied for each launch that is
 * judged. */
struct copying {
    const struct box *from;
    struct box *to;
};

static void copy_some(void *context, size_t first, size_t end) {
    const struct copying *copying = context;
    const struct box *from = copying->from;
    struct box *to = copying->to;
    const size_t count = end - first;
    memcpy(to->position + 3 * first, from->position + 3 * first, 3 * count * sizeof *to->position);
    memcpy(to->charge + first, from->charge + first, count * sizeof *to->charge);
    memcpy(to->type + first, from->type + first, count * sizeof *to->type);
}

/* Where each box of a batch begins, and its cell. False: no memory. */
static bool copy_batch(const struct box *box, struct box *copy) {
    copy->batch = box->batch;
    if (!box->begin) {
        return true;
    }
    copy->begin = malloc((box->batch + 1) * sizeof *copy->begin);
    copy->cells = malloc(box->batch * sizeof *copy->cells);
    if (copy->begin && copy->cells) {
        memcpy(copy->begin, box->begin, (box->batch + 1) * sizeof *copy->begin);
        memcpy(copy->cells, box->cells, box->batch * sizeof *copy->cells);
    }
    return copy->begin && copy->cells;
}

static bool copy_box(const struct box *box, struct box *copy, struct error *error) {
    if (!box_allocate(box->n, copy, error)) {
        return false;
    }
    char(*species)[SPECIES_SIZE] = calloc((size_t)box->types, sizeof *species);
    copy->molecule = box->molecule ? malloc(box->n * sizeof *copy->molecule) : NULL;
    if (!species || (box->molecule && !copy->molecule) || !copy_batch(box, copy)) {
        free(species);
        box_free(copy);
        return fail_out_of_memory(error, "the species and molecules of a box");
    }
    if (box->molecule) {
        memcpy(copy->molecule, box->molecule, box->n * sizeof *copy->molecule);
    }
    free(copy->species);
    copy->species = memcpy(species, box->species, (size_t)box->types * sizeof *species);
    copy->types = box->types;
    copy->periodic = box->periodic;
    memcpy(copy->open_along, box->open_along, sizeof copy->open_along);
    copy->density = box->density;
    copy->seed = box->seed;
    copy->temperature = box->temperature;
    memcpy(copy->kind, box->kind, sizeof copy->kind);
    copy->rotated = box->rotated;
    copy->uncharged = box->uncharged;
    copy->in_double = box->in_double;
    memcpy(copy->reversed, box->reversed, sizeof copy->reversed);
    copy->margin = box->margin;
    copy->cell = box->cell;
    threads_share(box->n, copy_some, &(struct copying){ box, copy });
    return copy_motion(box, copy, error);
}

/* Rounds numbers to the nearest float. False, with a message that names the particle, where a
 * number is beyond the range of float, or must be positive and becomes 0. */
static bool round_numbers(double *numbers, size_t count, size_t per_particle, bool positive,
                          const char *what, struct error *error) {
    for (size_t k = 0; numbers && k < count; k++) {
        numbers[k] = (float)numbers[k];
        if (!isfinite(numbers[k]) || (positive && !(numbers[k] > 0.0))) {
            return fail(error, STATUS_BAD_INPUT,
                        "the %s of particle %zu is beyond the range of float", what,
                        k / per_particle + 1);
        }
    }
    return true;
}

struct rounding {
    struct box *box; /* whose edges are rounded */
    bool orthorhombic;
    atomic_size_t beyond; /* the first particle that float does not hold; n: none */
};

static void note_beyond(struct rounding *rounding, size_t particle) {
    size_t first = atomic_load(&rounding->beyond);
    while (particle < first && !atomic_compare_exchange_weak(&rounding->beyond, &first, particle)) {
    }
}

static void round_some(void *context, size_t first, size_t end) {
    struct rounding *rounding = context;
    struct box *box = rounding->box;
    /* Read and written through one pointer, they are left as they are by GCC 12 at -O3. */
    for (size_t i = first; i < end; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double rounded = (float)box->position[3 * i + axis];
            /* A coordinate below the edge is rounded to the edge at most, and there it is the image
             * of 0. */
            const bool at_edge = rounding->orthorhombic && rounded >= box->edge[axis];
            rounded = at_edge && !box->open_along[axis] ? 0.0 : rounded;
            box->position[3 * i + axis] = rounded;
        }
        box->charge[i] = (float)box->charge[i];
        const double *x = box->position + 3 * i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]) || !isfinite(box->charge[i])) {
            note_beyond(rounding, i);
        }
    }
}

/* False where a finite number is beyond the range of float, or an edge becomes 0. */
static bool round_to_float(struct box *box, struct error *error) {
    const bool orthorhombic = box->periodic && !cell_is_triclinic(&box->cell);
    for (size_t axis = 0; axis < 3; axis++) {
        box->edge[axis] = (float)box->edge[axis];
        box->tilt[axis] = (float)box->tilt[axis];
        if (box->periodic &&
            !(box->edge[axis] > 0.0 && isfinite(box->edge[axis]) && isfinite(box->tilt[axis]))) {
            return fail(error, STATUS_BAD_INPUT,
                        "an edge of the cell is beyond the range of float");
        }
    }
    struct rounding rounding = { .box = box, .orthorhombic = orthorhombic, .beyond = box->n };
    threads_share(box->n, round_some, &rounding);
    if (rounding.beyond < box->n) {
        return fail(error, STATUS_BAD_INPUT,
                    "the position or charge of particle %zu is beyond the range of float",
                    (size_t)rounding.beyond + 1);
    }
    return round_numbers(box->mass, box->n, 1, true, "mass", error);
}

/* Wraps particles into the cell. */
static void wrap_some(void *context, size_t first, size_t end) {
    const struct box *box = context;
    const bool triclinic = cell_is_triclinic(&box->cell);
    const bool partly = box_is_partly_periodic(box);
    for (size_t i = first; (triclinic || partly) && i < end; i++) {
        double *x = box->position + 3 * i;
        const double from[3] = { x[0], x[1], x[2] };
        if (triclinic) {
            cell_wrap(&box->cell, x);
        }
        for (size_t axis = 0; axis < 3; axis++) { /* such a vector is along its axis alone */
            x[axis] = box->open_along[axis] ? from[axis]
                      : triclinic           ? x[axis]
                                            : wrap_coordinate(x[axis], box->edge[axis]);
        }
    }
    if (!triclinic && !partly) {
        wrap_positions(box->position + 3 * first, end - first, box->edge, NULL);
    }
}

/* In room, into the cell, rounded: one cell. */
static bool place(struct box *box, double margin, struct numeric numeric, double moved[3],
                  struct error *error) {
    if (!isnan(margin) && box->n > 0) {
        box_make_room(box, margin, moved);
    }
    if (box->periodic) {
        threads_share(box->n, wrap_some, box);
    }
    return numeric.position != FORMAT_FLOAT || round_to_float(box, error);
}

/* The boxes of a batch, each in its own cell. */
static bool place_batch(struct box *box, double margin, struct numeric numeric,
                        struct error *error) {
    bool placed = true;
    for (size_t b = 0; b < box->batch && placed; b++) {
        struct box part = box_of_batch(box, b);
        placed = place(&part, margin, numeric, NULL, error) || fail_within(error, "box %zu", b + 1);
        box->cells[b] = part.cell;
    }
    box_choose_cell(box);
    return placed;
}

bool box_as_device(const struct box *box, enum precision precision, struct box *rounded,
                   struct error *error) {
    return box_as_device_in_room(box, NAN, precision, rounded, NULL, error);
}

bool box_as_device_in_room(const struct box *box, double margin, enum precision precision,
                           struct box *rounded, double moved[3], struct error *error) {
    if (!copy_box(box, rounded, error)) {
        return false;
    }
    const struct numeric numeric = precision_numeric(precision);
    rounded->in_double = numeric.arithmetic == FORMAT_DOUBLE;
    const bool placed = rounded->cells ? place_batch(rounded, margin, numeric, error)
                                       : place(rounded, margin, numeric, moved, error);
    if (!placed ||
        (numeric.accumulation == FORMAT_FLOAT &&
         !round_numbers(rounded->velocity, 3 * rounded->n, 3, false, "velocity", error))) {
        box_free(rounded);
        return false;
    }
    return true;
}

/* Boxes without velocities, and with masses of 1, keep the hash that they had before there were
 * any. */
static void hash_motion(struct hash_state *hash, const struct box *box) {
    bool unlike = false;
    for (size_t i = 0; box->mass && i < box->n && !unlike; i++) {
        unlike = box->mass[i] != 1.0;
    }
    if (unlike) {
        hash_add_string(hash, "mass");
        hash_add(hash, box->mass, box->n * sizeof *box->mass);
    }
    if (box->velocity) {
        hash_add_string(hash, "velocity");
        hash_add(hash, box->velocity, 3 * box->n * sizeof *box->velocity);
    }
}

void box_hash(const struct box *box, char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    const uint64_t sizes[3] = { box->n, (uint64_t)box->periodic, (uint64_t)box->types };
    hash_add(hash, sizes, sizeof sizes);
    hash_add(hash, box->edge, sizeof box->edge);
    if (cell_is_triclinic(&box->cell)) {
        hash_add_string(hash, "triclinic");
        hash_add(hash, box->tilt, sizeof box->tilt);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (box->open_along[axis]) {
            hash_add_string(hash, (const char *[]){ "open x", "open y", "open z" }[axis]);
        }
    }
    if (box_count(box) > 1) {
        const uint64_t batch = box->batch;
        hash_add_string(hash, "batch");
        hash_add(hash, &batch, sizeof batch);
    }
    if (box->begin) {
        hash_add_string(hash, "sizes");
        hash_add(hash, box->begin, (box->batch + 1) * sizeof *box->begin);
        hash_add(hash, box->cells, box->batch * sizeof *box->cells);
    }
    if (box->position) { /* else a number of draws */
        hash_add(hash, box->position, 3 * box->n * sizeof *box->position);
        hash_add(hash, box->charge, box->n * sizeof *box->charge);
        hash_add(hash, box->type, box->n * sizeof *box->type);
    }
    if (box->molecule) {
        hash_add_string(hash, "molecule");
        hash_add(hash, box->molecule, box->n * sizeof *box->molecule);
    }
    hash_motion(hash, box);
    for (int32_t t = 0; t < box->types; t++) {
        hash_add_string(hash, box->species[t]); /* parameters may go by name */
    }
    hash_end(hash, text);
}

void box_bounds(const struct box *box, double least[3], double most[3]) {
    for (size_t d = 0; d < 3; d++) {
        least[d] = box->periodic ? 0 : box->position[d];
        most[d] = box->periodic ? box->edge[d] : box->position[d];
        for (size_t i = 1; !box->periodic && i < box->n; i++) {
            least[d] = fmin(least[d], box->position[3 * i + d]);
            most[d] = fmax(most[d], box->position[3 * i + d]);
        }
        least[d] -= box->periodic ? 0 : box->margin;
        most[d] += box->periodic ? 0 : box->margin;
    }
}

void box_vector(const struct box *box, const double *from, const double *to, double vector[3]) {
    double times[3];
    for (int d = 0; d < 3; d++) {
        vector[d] = to[d] - from[d];
    }
    if (box->periodic) {
        cell_nearest(&box->cell, box->open_along, vector, times);
    }
}

double box_length_scale(const struct box *box) {
    double longest = 0.0;
    for (size_t b = 0; box->cells && b < box->batch; b++) {
        const struct box part = box_of_batch(box, b);
        longest = part.n > 0 ? fmax(longest, box_length_scale(&part)) : longest;
    }
    if (box->cells) {
        return longest;
    }
    double least[3];
    double most[3];
    if (cell_is_triclinic(&box->cell)) {
        const double x = box->edge[0] + fabs(box->tilt[0]) + fabs(box->tilt[1]);
        const double y = box->edge[1] + fabs(box->tilt[2]);
        return 2.0 * fmax(x, fmax(y, box->edge[2]));
    }
    box_bounds(box, least, most);
    for (size_t axis = 0; axis < 3; axis++) {
        longest = fmax(longest, most[axis] - least[axis]);
    }
    return longest;
}

bool box_accepts_cutoff(const struct box *box, double cutoff, struct error *error) {
    if (!(cutoff > 0.0)) {
        return fail(error, STATUS_BAD_INPUT, "cutoff %g; expected a positive length", cutoff);
    }
    if (!box->periodic) {
        return true;
    }
    const double least = box_least_repeat(box);
    if (!(cutoff <= 0.5 * least)) {
        return fail(error, STATUS_BAD_INPUT,
                    "cutoff %.9g is beyond half the %s of the periodic cell (%.9g / 2 = %.9g): a "
                    "particle would meet more than one image of another",
                    cutoff, cell_is_triclinic(&box->cell) ? "least height" : "shortest edge", least,
                    0.5 * least);
    }
    return true;
}

/* ---- velocities ---- */

/* velocities — Maxwell's, the same on every machine. */
static const uint64_t stream = 0x76656c6f63697479u; /* other numbers than those of positions */

/* ---- normal draws, by comparisons of uniform ones alone: C. F. F. Karney, "Sampling exactly from
 * the normal distribution", ACM TOMS 42, 3 (2016), algorithm N. Logarithms differ between C
 * libraries. ---- */

/* True with probability exp(-1/2): how long a run of draws below 1/2 falls, after von Neumann. */
static bool by_half(struct random *random) {
    double last = 0.5;
    for (bool even = true;; even = !even) {
        const double drawn = random_unit(random);
        if (!(drawn < last)) {
            return even;
        }
        last = drawn;
    }
}

/* True with probability exp(-x (2k + x) / (2k + 2)). */
static bool by_excess(struct random *random, double k, double x) {
    const double share = (2.0 * k + x) / (2.0 * k + 2.0);
    double last = x;
    for (bool even = true;; even = !even) {
        const double drawn = random_unit(random);
        if (!(drawn < last) || !(random_unit(random) < share)) {
            return even;
        }
        last = drawn;
    }
}

/* True with probability exp(-k (k - 1) / 2). */
static bool keeps_whole(struct random *random, int k) {
    for (int times = k * (k - 1); times > 0; times--) {
        if (!by_half(random)) {
            return false;
        }
    }
    return true;
}

static bool keeps_rest(struct random *random, int k, double x) {
    for (int times = k + 1; times > 0; times--) {
        if (!by_excess(random, k, x)) {
            return false;
        }
    }
    return true;
}

static double draw_normal(struct random *random) {
    for (;;) {
        int k = 0;
        while (by_half(random)) {
            k++;
        }
        if (!keeps_whole(random, k)) {
            continue;
        }
        const double x = random_unit(random);
        if (keeps_rest(random, k, x)) {
            return random_unit(random) < 0.5 ? -(k + x) : k + x;
        }
    }
}

/* ---- temperature ---- */

static double twice_kinetic(const struct box *box) {
    double sum = 0.0;
    for (size_t i = 0; i < box->n; i++) {
        const double *v = box->velocity + 3 * i;
        sum += box_mass(box, i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

double box_temperature(const struct box *box) {
    if (!box->velocity) {
        return NAN;
    }
    return twice_kinetic(box) / (3.0 * (double)box->n - (box->n > 1 ? 3.0 : 0.0));
}

void box_momentum(const struct box *box, double momentum[3]) {
    momentum[0] = momentum[1] = momentum[2] = 0.0;
    for (size_t k = 0; box->velocity && k < 3 * box->n; k++) {
        momentum[k % 3] += box_mass(box, k / 3) * box->velocity[k];
    }
}

static void stop_drifting(struct box *box) {
    double momentum[3];
    double mass = 0.0;
    box_momentum(box, momentum);
    for (size_t i = 0; i < box->n; i++) {
        mass += box_mass(box, i);
    }
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] -= momentum[k % 3] / mass;
    }
}

bool box_set_temperature(struct box *box, double temperature, uint64_t seed, struct error *error) {
    struct random random = random_from_seed(seed ^ stream);
    const double wanted = (3.0 * (double)box->n - 3.0) * temperature;
    if (!(temperature >= 0.0) || !isfinite(wanted)) {
        return fail(error, STATUS_BAD_INPUT,
                    "temperature %g; expected an energy, 0 or more, that all particles can have",
                    temperature);
    }
    if (!box_add_velocities(box, error)) {
        return false;
    }
    for (size_t i = 0; i < box->n; i++) {
        const double width = 1.0 / sqrt(box_mass(box, i));
        for (size_t k = 0; k < 3; k++) {
            box->velocity[3 * i + k] = width * draw_normal(&random);
        }
    }
    stop_drifting(box);
    const double drawn = twice_kinetic(box);
    const double factor = box->n > 1 && drawn > 0.0 ? sqrt(wanted / drawn) : 0.0;
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] *= factor;
    }
    box->temperature = temperature;
    return true;
}

/* ---- charges ---- */

/* Charges by species, for boxes whose source gave none. */
/* Every type of that name. */
static bool set_charge(struct box *box, const char *species, double charge) {
    bool found = false;
    for (size_t i = 0; i < box->n; i++) {
        if (strcmp(box->species[box->type[i]], species) == 0) {
            box->charge[i] = charge;
            found = true;
        }
    }
    for (int32_t t = 0; t < box->types && !found; t++) {
        found = strcmp(box->species[t], species) == 0;
    }
    return found;
}

static bool fail_species(const struct box *box, const char *species, struct error *error) {
    enum { SHOWN = 12 };
    struct strbuf known = { 0 };
    for (int32_t t = 0; t < box->types && t < SHOWN; t++) {
        strbuf_append(&known, "%s%s", t > 0 ? ", " : "", box->species[t]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "no species '%s' in the box; expected %s%s", species,
               known.data ? known.data : "another", box->types > SHOWN ? ", ..." : "");
    strbuf_free(&known);
    return false;
}

/* "O=-0.8476" */
static bool take_charge(struct box *box, char *item, struct error *error) {
    char *equals = strchr(item, '=');
    double charge;
    if (!equals || equals == item || !parse_double(equals + 1, &charge)) {
        return fail(error, STATUS_BAD_INPUT,
                    "'%s'; expected SPECIES=CHARGE, as in O=-0.8476,H=0.4238", item);
    }
    *equals = '\0';
    return set_charge(box, item, charge) || fail_species(box, item, error);
}

bool box_says_charges(const struct box *box, const char *what, struct error *error) {
    return !box->uncharged ||
           fail(error, STATUS_BAD_INPUT,
                "%s is of charges, and the file of the box says none; expected --charges S=Q,..., "
                "or of extended XYZ a column charge:R:1 (or initial_charges, charges, q)",
                what);
}

bool box_set_charges(struct box *box, const char *words, struct error *error) {
    char **items = split_list(words, ',');
    if (!items) {
        return fail_out_of_memory(error, "charges");
    }
    bool good = items[0] || fail(error, STATUS_BAD_INPUT, "nothing; expected SPECIES=CHARGE");
    for (size_t i = 0; good && items[i]; i++) {
        for (size_t j = 0; good && j < i; j++) { /* those before end in the place of their '=' */
            const size_t length = strlen(items[j]);
            good = strncmp(items[i], items[j], length) != 0 || items[i][length] != '=' ||
                   fail(error, STATUS_BAD_INPUT, "%s has two charges; expected one", items[j]);
        }
        good = good && take_charge(box, items[i], error);
    }
    free(items);
    box->uncharged = box->uncharged && !good;
    return good || fail_within(error, "--charges");
}
