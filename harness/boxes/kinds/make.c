/* The kinds of boxes that can be made; boxes without images. */
#include "boxes/box.h"

#include "boxes/kinds/makers.h"
#include "core/error.h"
#include "core/strings.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What others ask of a kind. */
enum kind_trait {
    PLAIN = 0,
    TYPES = 1,     /* several types */
    MOLECULES = 2, /* they are small and keep their lengths */
    CENTRED = 4,   /* there to be checked: where there are no images, the origin is in the middle */
    OVERLAPS = 8   /* particles lie in one place */
};

struct maker {
    const char *words;  /* for help */
    double density;     /* unless another is asked for */
    double max_density; /* that the kind can be made at */
    box_maker *fill;
    int traits;
};

/* KIND(name, words, density, max_density, fill, traits). Why the most: beyond 1.2 a Lennard-Jones
 * melt is no liquid; random insertion with a least distance of 0.8 jams at 1.43 and becomes slow
 * well before; droplets of MELT_DENSITY must find room beside each other by random placement; a
 * brick and a plate do not take apart what comes too near; a molecule of water is two angstrom
 * wide, a cluster of hydrogens as well, and so are the turns of a zigzag. */
/* clang-format off */
#define KINDS(KIND) \
    KIND("lattice", "face-centred cubic sites, jittered", MELT_DENSITY, 10.0, make_lattice, PLAIN) \
    KIND("uniform", "random points at least 0.8 apart", 0.3, 0.9, make_uniform, PLAIN) \
    KIND("fluid", "a Lennard-Jones melt without overlap", MELT_DENSITY, 1.2, make_fluid, PLAIN) \
    KIND("gas", "as uniform, thin", 0.01, 0.9, make_uniform, PLAIN) \
    KIND("droplets", "dense clusters in an empty cell: the load-imbalance case", 0.05, 0.15, make_droplets, PLAIN) \
    KIND("salt", "charges +1 (Na) and -1 (Cl) on a jittered cubic lattice", 0.8, 10.0, make_salt, TYPES) \
    KIND("cubic", "simple-cubic sites, each up to a tenth of the spacing off", 1.0, 10.0, make_cubic, PLAIN) \
    KIND("brick", "three edges, types and charges, molecules, particles on the faces", 0.4, 0.5, make_brick, TYPES) \
    KIND("plate", "a flat cell, edges 4.4 : 2.1 : 1, with pairs as near as 0.3", 0.4, 0.5, make_plate, CENTRED) \
    KIND("water", "SPC/E molecules of random orientation on a lattice, with bonded terms", 0.1007, 0.2, make_water, TYPES | MOLECULES) \
    KIND("warm-water", "the same, whose molecules move and turn at temperature 1", 0.1007, 0.2, make_warm_water, TYPES | MOLECULES) \
    KIND("melt", "fcc sites and velocities of temperature 1.44: what LAMMPS, miniMD run", MELT_DENSITY, 10.0, make_melt, PLAIN) \
    KIND("chains", "molecules of up to 50 particles in a row, with bonded terms", 0.4, 10.0, make_chains, TYPES) \
    KIND("proteins", "backbones of up to 300 particles with side groups, with bonded terms", 0.4, 10.0, make_proteins, TYPES) \
    KIND("hydrogens", "carbons with one, two, three hydrogens in turn, for constraints", 0.03, 0.05, make_hydrogens, TYPES | MOLECULES) \
    KIND("oligomers", "zigzags of 11 particles with bonds of 1, for constraints", 0.1, 0.4, make_oligomers, MOLECULES) \
    KIND("polymers", "the same of 1501 particles", 0.1, 0.4, make_polymers, PLAIN) \
    KIND("triangles", "rigid molecules of three of drawn species, whose lengths differ", 0.005, 0.01, make_triangles, TYPES | MOLECULES) \
    KIND("stars", "the same of a centre with one, two, three others in turn", 0.005, 0.01, make_stars, TYPES | MOLECULES) \
    KIND("complexes", "the same with four, five, six", 0.005, 0.01, make_complexes, TYPES | MOLECULES) \
    KIND("diamond", "sites of a diamond lattice, jittered: silicon at 5.431 angstrom", SILICON_DENSITY, 10.0, make_diamond, PLAIN) \
    KIND("copper", "face-centred cubic sites, jittered: copper at 3.61 angstrom", COPPER_DENSITY, 10.0, make_lattice, PLAIN) \
    KIND("degenerate", "molecules of 4 with straight, folded and zero-length bonded terms", 0.1, 0.1, make_degenerate, MOLECULES | OVERLAPS) \
    KIND("mixture", "17 types on cubic sites, each up to a tenth of the spacing off", 1.0, 10.0, make_mixture, TYPES | CENTRED) \
    KIND("alloy", "the same of 5 types", 1.0, 10.0, make_alloy, TYPES | CENTRED) \
    KIND("borders", "particles exactly on faces, edges, planes, lines, a corner, a cutoff apart", 0.2, 0.5, make_borders, TYPES | CENTRED)
/* clang-format on */

#define KIND_NAME(name, words, density, max_density, fill, traits) name,
#define KIND_MAKER(name, words, density, max_density, fill, traits)                                \
    { words, density, max_density, fill, traits },
const char *const box_kinds[] = { KINDS(KIND_NAME) NULL };
static const struct maker makers[] = { KINDS(KIND_MAKER) }; /* in the same order */
#undef KIND_NAME
#undef KIND_MAKER

static const double min_density = 1e-9;

bool box_is_of_kind(const char *kind, const char *name) {
    return is_spelt(kind, strcspn(kind, "@"), name);
}

bool box_is_of_waters(const char *kind) {
    return box_is_of_kind(kind, "water") || box_is_of_kind(kind, "warm-water");
}

static const struct maker *find_maker(const char *kind) {
    for (size_t i = 0; box_kinds[i]; i++) {
        if (box_is_of_kind(kind, box_kinds[i])) {
            return &makers[i];
        }
    }
    return NULL;
}

const char *box_kind_words(const char *kind) {
    const struct maker *maker = find_maker(kind);
    return maker ? maker->words : "";
}

double box_default_density(const char *kind) {
    const struct maker *maker = find_maker(kind);
    return maker ? maker->density : NAN;
}

/* Where all angles are right, with edges in the proportions of a brick. */
static struct cell sheared_cell(const double edge[3], const double angle[3]) {
    struct cell cell = { { edge[0], edge[1], edge[2] }, { 0.0 } };
    if (!cell_angles_are_right(angle)) {
        return cell_from_angles(edge, angle);
    }
    brick_stretch(cell.edge);
    return cell;
}

double box_least_height(const char *kind, size_t n, double density, const char *axes) {
    const struct maker *maker = find_maker(kind);
    const char *angles = strchr(kind, '@');
    struct error ignored;
    if (!maker) {
        return NAN;
    }
    const double cubic = cube_root((double)n / (density > 0.0 ? density : maker->density));
    double edge[3] = { cubic, cubic, cubic };
    double angle[3];
    if (maker->fill == make_plate) {
        plate_stretch(edge);
    } else if (maker->fill == make_brick) {
        brick_stretch(edge);
    }
    struct box box = { .periodic = true, .cell = { { edge[0], edge[1], edge[2] }, { 0.0 } } };
    if (angles && cell_angles_parse(angles + 1, angle, &ignored)) {
        box.cell = sheared_cell(edge, angle);
    }
    return !*axes || box_keep_axes(&box, axes, &ignored) ? box_least_repeat(&box) : NAN;
}

/* ---- a box ---- */

bool box_fail_kind(const char *kind, struct error *error) {
    struct strbuf kinds = { 0 };
    for (size_t i = 0; box_kinds[i]; i++) {
        strbuf_append(&kinds, "%s%s", i == 0 ? "" : box_kinds[i + 1] ? ", " : " or ", box_kinds[i]);
    }
    if (kinds.failed) {
        (void)fail_out_of_memory(error, "the kinds of boxes");
    } else if (kind) {
        (void)fail(error, STATUS_BAD_INPUT, "unknown kind of box '%s'; expected %s", kind,
                   kinds.data);
    } else {
        (void)fail(error, STATUS_BAD_INPUT, "no kind of box; expected %s", kinds.data);
    }
    strbuf_free(&kinds);
    return false;
}

/* The angles after the kind; right ones where there are none. */
static bool take_angles(const char *kind, double angle[3], struct error *error) {
    const char *text = strchr(kind, '@');
    angle[0] = angle[1] = angle[2] = 90.0;
    if (strlen(kind) >= BOX_KIND_SIZE) {
        return fail(error, STATUS_BAD_INPUT, "kind of box '%s'; expected %d characters at most",
                    kind, BOX_KIND_SIZE - 1);
    }
    return !text || cell_angles_parse(text + 1, angle, error) ||
           fail_within(error, "box of kind %s", kind);
}

/* Shears or stretches an orthorhombic box: the fractions of the cell stay where they are; of
 * molecules that keep their lengths, those of the first particle, from which the others are as far
 * as before. */
static void shear(struct box *box, const double angle[3], const struct maker *maker) {
    const struct cell before = box->cell;
    const bool is_coarse = maker->fill == make_degenerate;
    double last[3] = { 0 }; /* where the particle before this one was */
    box->cell = sheared_cell(before.edge, angle);
    for (size_t d = 0; d < 3 && is_coarse; d++) {
        box->edge[d] = make_coarse(box->edge[d]);
        box->tilt[d] = make_coarse(box->tilt[d]);
    }
    for (size_t i = 0; i < box->n; i++) {
        double *x = box->position + 3 * i;
        const double was[3] = { x[0], x[1], x[2] };
        if ((maker->traits & MOLECULES) && i > 0 && box->molecule[i] == box->molecule[i - 1]) {
            for (size_t d = 0; d < 3; d++) {
                x[d] = box->position[3 * (i - 1) + d] +
                       nearest_image(was[d] - last[d], before.edge[d]);
            }
        } else {
            const double a = x[0] / before.edge[0];
            const double b = x[1] / before.edge[1];
            const double c = x[2] / before.edge[2];
            x[0] = a * box->edge[0] + b * box->tilt[0] + c * box->tilt[1];
            x[1] = b * box->edge[1] + c * box->tilt[2];
            x[2] = c * box->edge[2];
            for (size_t d = 0; d < 3 && is_coarse; d++) {
                x[d] = make_coarse(x[d]);
            }
        }
        memcpy(last, was, sizeof last);
    }
}

static bool has_trait(const char *kind, enum kind_trait trait) {
    const struct maker *maker = find_maker(kind);
    return maker && (maker->traits & (int)trait) != 0;
}

bool box_kind_overlaps(const char *kind) {
    return has_trait(kind, OVERLAPS);
}

bool box_kind_has_types(const char *kind) {
    return has_trait(kind, TYPES);
}

bool box_kind_is_centred(const char *kind) {
    return has_trait(kind, CENTRED);
}

bool box_check_made(const char *kind, size_t n, double density, struct error *error) {
    const struct maker *maker = find_maker(kind);
    if (!maker) {
        return box_fail_kind(kind, error);
    }
    if (n < 1 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected 1 to %d", n,
                    BOX_MAX_PARTICLES);
    }
    if (!(density <= 0.0) && !(density >= min_density && density <= maker->max_density)) {
        return fail(error, STATUS_BAD_INPUT,
                    "density %g: a box of kind %s can be made at %g to %g (its default is %g)",
                    density, kind, min_density, maker->max_density, maker->density);
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
    double angle[3];
    memset(box, 0, sizeof *box);
    if (!box_check_made(kind, n, density, error) || !take_angles(kind, angle, error)) {
        return false;
    }
    const struct maker *maker = find_maker(kind);
    if (!make_begin(n, density <= 0.0 ? maker->density : density, box, error)) {
        return false;
    }
    struct random random = random_from_seed(seed);
    box->seed = seed;
    memcpy(box->kind, kind, strlen(kind) + 1); /* fits: take_angles() looked */
    struct threads *threads = threads_open(n / THREADS_RANGE + 1);
    const bool filled = maker->fill(box, &random, threads, error);
    threads_close(threads);
    if (!filled || (maker->fill == make_salt && !name_salt(box, error))) {
        box_free(box);
        return fail_within(error, "box of kind %s", kind);
    }
    if (strchr(kind, '@')) {
        shear(box, angle, maker);
    }
    return true;
}

/* ---- batches: boxes one after the other in the same arrays ---- */

static size_t size_of(const struct box_batch *batch, size_t b) {
    return batch->sizes.most > 0 ? batch_box_size(&batch->sizes, batch->seed, b)
                                 : batch->n / batch->batch;
}

/* A box like the first of the batch, with room for all of them. */
static bool begin_batch(const struct box *part, const struct box_batch *batch, struct box *box,
                        struct error *error) {
    struct box whole;
    const bool drawn = batch->sizes.most > 0;
    if (!box_allocate(batch->n, &whole, error)) {
        return false;
    }
    whole.molecule = part->molecule ? malloc(whole.n * sizeof *whole.molecule) : NULL;
    whole.begin = drawn ? calloc(batch->batch + 1, sizeof *whole.begin) : NULL;
    whole.cells = drawn ? calloc(batch->batch, sizeof *whole.cells) : NULL;
    if ((part->molecule && !whole.molecule) || (drawn && (!whole.begin || !whole.cells)) ||
        (part->velocity && !box_add_velocities(&whole, error)) ||
        (part->mass && !box_add_masses(&whole, error))) {
        box_free(&whole);
        return fail_out_of_memory(error, "a batch of boxes");
    }
    whole.types = 0; /* until boxes bring theirs */
    whole.batch = batch->batch;
    whole.periodic = part->periodic;
    whole.cell = part->cell;
    whole.density = part->density;
    whole.temperature = part->temperature;
    whole.seed = part->seed;
    memcpy(whole.kind, part->kind, sizeof whole.kind);
    *box = whole;
    return true;
}

/* The number in the batch of a species of one of its boxes, which may be new; -1: no memory. */
static int32_t species_in(struct box *box, const char *name) {
    int32_t type = 0;
    while (type < box->types && strcmp(box->species[type], name) != 0) {
        type++;
    }
    if (type == box->types) {
        char(*more)[SPECIES_SIZE] =
            realloc(box->species, ((size_t)box->types + 1) * sizeof *box->species);
        if (!more) {
            return -1;
        }
        box->species = more;
        memcpy(box->species[box->types++], name, SPECIES_SIZE);
    }
    return type;
}

/* Types as the batch numbers them: boxes number theirs as they meet them. */
static bool put_types(const struct box *part, size_t first, struct box *box, struct error *error) {
    bool put = true;
    for (int32_t t = 0; t < part->types && put; t++) {
        const int32_t type = species_in(box, part->species[t]);
        put = type >= 0;
        for (size_t i = 0; i < part->n && put; i++) {
            if (part->type[i] == t) {
                box->type[first + i] = type;
            }
        }
    }
    return put || fail_out_of_memory(error, "the species of a batch");
}

/* Box b; `molecules` are those of the boxes before it, and then of this one, too. */
static void put_box(const struct box *part, size_t first, int32_t *molecules, struct box *box) {
    const size_t n = part->n;
    int32_t most = *molecules;
    memcpy(box->position + 3 * first, part->position, 3 * n * sizeof *part->position);
    memcpy(box->charge + first, part->charge, n * sizeof *part->charge);
    if (part->velocity) {
        memcpy(box->velocity + 3 * first, part->velocity, 3 * n * sizeof *part->velocity);
    }
    if (part->mass) {
        memcpy(box->mass + first, part->mass, n * sizeof *part->mass);
    }
    for (size_t i = 0; part->molecule && i < n; i++) {
        const int32_t molecule = *molecules + part->molecule[i];
        box->molecule[first + i] = molecule;
        most = molecule >= most ? molecule + 1 : most;
    }
    *molecules = most;
}

/* Adds a box to the batch, after `first` particles. A box without particles has the cell of one. */
static bool add_box(const struct box_batch *batch, size_t b, size_t first, int32_t *molecules,
                    struct box *box, struct error *error) {
    const size_t n = size_of(batch, b);
    struct box part;
    if (!box_make(batch->kind, n > 0 ? n : 1, batch->density, batch->seed + b, &part, error)) {
        return false;
    }
    const bool added = (b > 0 || begin_batch(&part, batch, box, error)) &&
                       (n == 0 || put_types(&part, first, box, error));
    if (added && n > 0) {
        put_box(&part, first, molecules, box);
    }
    if (added && box->cells) {
        box->begin[b + 1] = first + n;
        box->cells[b] = part.cell;
    }
    box_free(&part);
    return added;
}

bool box_make_batch(const struct box_batch *batch, struct box *box, struct error *error) {
    const size_t n = batch->n;
    const size_t boxes = batch->batch;
    if (boxes <= 1) {
        return box_make(batch->kind, n, batch->density, batch->seed, box, error);
    }
    memset(box, 0, sizeof *box);
    if ((batch->sizes.most == 0 && n % boxes != 0) || n < 1 || n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected a multiple of %zu, to %d", n,
                    boxes, BOX_MAX_PARTICLES);
    }
    int32_t molecules = 0;
    size_t first = 0;
    bool made = true;
    for (size_t b = 0; made && b < boxes; b++) {
        made = add_box(batch, b, first, &molecules, box, error);
        first += size_of(batch, b);
    }
    if (!made) {
        box_free(box);
    }
    return made;
}

/* ---- molecules put together ---- */

/* Puts together the molecules that cross a face, in boxes that were made and are to have no images
 * there. Coordinates may then be below zero. */

/* A particle is bonded to one of so many before it, or to the one that these are bonded to; no
 * molecule comes near its own image so soon. */
enum { BEFORE = 4 };

/* Particle i to the nearest of those before it in its molecule, which begins at `first`; moved
 * along the axes that lose their images alone. */
static void join_particle(struct box *box, size_t first, size_t i, const char *axes) {
    static const bool none[3] = { false, false, false };
    const struct cell *cell = &box->cell;
    double *x = box->position + 3 * i;
    double least2 = INFINITY;
    double best[3] = { 0 };
    for (size_t back = 1; back <= BEFORE && back <= i - first; back++) {
        const double *from = box->position + 3 * (i - back);
        double d[3] = { x[0] - from[0], x[1] - from[1], x[2] - from[2] };
        double times[3];
        cell_nearest(cell, none, d, times);
        const double distance2 = vector_dot(d, d);
        if (distance2 < least2) {
            least2 = distance2;
            memcpy(best, times, sizeof best);
        }
    }
    for (size_t v = 0; v < 3; v++) {
        best[v] = strchr(axes, "xyz"[v]) ? 0 : best[v];
    }
    x[0] -= best[0] * cell->edge[0] + best[1] * cell->tilt[0] + best[2] * cell->tilt[1];
    x[1] -= best[1] * cell->edge[1] + best[2] * cell->tilt[2];
    x[2] -= best[2] * cell->edge[2];
}

static bool has_whole_molecules(const struct box *box) {
    return box->molecule && box->periodic && !box_is_of_kind(box->kind, "brick");
}

static void join_molecules(struct box *box, const char *axes) {
    size_t first = 0;
    for (size_t i = 1; i < box->n; i++) {
        first = box->molecule[i] == box->molecule[i - 1] ? first : i;
        if (first < i) {
            join_particle(box, first, i, axes);
        }
    }
}

static void centre(struct box *box, const char *axes) {
    for (size_t axis = 0; axis < 3; axis++) {
        const double half = strchr(axes, "xyz"[axis]) ? 0 : 0.5 * box->cell.edge[axis];
        for (size_t i = 0; i < box->n; i++) {
            box->position[3 * i + axis] -= half;
        }
    }
}

void box_unwrap(struct box *box, const char *axes) {
    for (size_t b = 0; b < box_count(box); b++) {
        struct box part = box_count(box) > 1 ? box_of_batch(box, b) : *box; /* shares positions */
        if (has_whole_molecules(box)) {
            join_molecules(&part, axes);
        }
        if (box->periodic && box_kind_is_centred(box->kind)) {
            centre(&part, axes);
        }
    }
}
