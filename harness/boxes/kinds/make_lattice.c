/* lattice, melt, cubic, salt, diamond — lattices at any number of particles, all but melt jittered;
 * brick and plate, jittered lattices in cells that hide less. */
#include "boxes/kinds/makers.h"

#include <math.h>
#include <stdlib.h>

/* Half widths, in units of the mean spacing. */
static const double lattice_jitter = 0.05;
static const double cubic_jitter = 0.1;
static const double diamond_jitter = 0.03;
static const double min_in_spacings = 0.82;

/* Repeats in three directions, `step` apart at most, with repeats^3 * per_cell >= n. */
static size_t choose_repeats(size_t n, size_t per_cell, size_t step, size_t repeats[3]) {
    size_t base = step;
    for (;; base += step) {
        for (size_t longer = 0; longer < 3; longer++) {
            size_t count = per_cell;
            for (size_t axis = 0; axis < 3; axis++) {
                repeats[axis] = base + (axis + longer >= 3 ? step : 0);
                count *= repeats[axis];
            }
            if (count >= n) {
                return count;
            }
        }
    }
}

struct fcc_sites fcc_sites_for(size_t n, double edge) {
    struct fcc_sites sites;
    sites.count = choose_repeats(n, 4, 1, sites.repeats);
    for (int axis = 0; axis < 3; axis++) {
        sites.spacing[axis] = edge / (double)sites.repeats[axis];
    }
    return sites;
}

void fcc_site_of(const struct fcc_sites *sites, size_t index, size_t n, double position[3]) {
    static const double basis[4][3] = {
        { 0.25, 0.25, 0.25 }, { 0.75, 0.75, 0.25 }, { 0.75, 0.25, 0.75 }, { 0.25, 0.75, 0.75 }
    };
    size_t site = index * sites->count / n; /* at most 2^29 * 2^30 */
    size_t cell = site / 4;
    for (int axis = 0; axis < 3; axis++) {
        double corner = (double)(cell % sites->repeats[axis]);
        position[axis] = (corner + basis[site % 4][axis]) * sites->spacing[axis];
        cell /= sites->repeats[axis];
    }
}

/* What the tasks share. */
struct lattice {
    struct box *box;
    struct fcc_sites fcc;
    size_t repeats[3], sites; /* of cubic and salt; of salt, sites of each sign */
};

/* Jitters, and where few particles on a stretched lattice came too near, pushes them apart. The
 * least distance follows the density, so that every density can be had. */
static bool finish_lattice(struct box *box, double jitter, struct random *random,
                           struct threads *threads, struct error *error) {
    double spacing = cube_root(1.0 / box->density);
    double least = min_in_spacings * spacing;
    least = least < FLUID_LEAST_DISTANCE ? least : FLUID_LEAST_DISTANCE;
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->position[k] += jitter * spacing * random_signed(random);
    }
    return separate(box, 1.05 * least, least, threads, error);
}

static void fill_fcc(void *context, size_t first, size_t end) {
    const struct lattice *lattice = context;
    for (size_t i = first; i < end; i++) {
        fcc_site_of(&lattice->fcc, i, lattice->box->n, lattice->box->position + 3 * i);
    }
}

bool make_lattice(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    struct lattice lattice = { .box = box, .fcc = fcc_sites_for(box->n, box->edge[0]) };
    threads_each(box->n, threads, fill_fcc, &lattice);
    return finish_lattice(box, lattice_jitter, random, threads, error);
}

bool make_melt(struct box *box, struct random *random, struct threads *threads,
               struct error *error) {
    struct lattice lattice = { .box = box, .fcc = fcc_sites_for(box->n, box->edge[0]) };
    threads_each(box->n, threads, fill_fcc, &lattice);
    return finish_lattice(box, 0.0, random, threads, error) &&
           box_set_temperature(box, MELT_TEMPERATURE, box->seed, error);
}

/* Two face-centred cubic lattices, a quarter of the cell's diagonal apart. */
static void fill_diamond(void *context, size_t first, size_t end) {
    static const double basis[8][3] = { { 0.125, 0.125, 0.125 }, { 0.625, 0.625, 0.125 },
                                        { 0.625, 0.125, 0.625 }, { 0.125, 0.625, 0.625 },
                                        { 0.375, 0.375, 0.375 }, { 0.875, 0.875, 0.375 },
                                        { 0.875, 0.375, 0.875 }, { 0.375, 0.875, 0.875 } };
    const struct lattice *lattice = context;
    const struct box *box = lattice->box;
    for (size_t i = first; i < end; i++) {
        const size_t site = i * lattice->sites / box->n;
        size_t cell = site / 8;
        for (size_t axis = 0; axis < 3; axis++) {
            const double corner = (double)(cell % lattice->repeats[axis]);
            box->position[3 * i + axis] =
                (corner + basis[site % 8][axis]) * box->edge[0] / (double)lattice->repeats[axis];
            cell /= lattice->repeats[axis];
        }
    }
}

bool make_diamond(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    struct lattice lattice = { .box = box };
    lattice.sites = choose_repeats(box->n, 8, 1, lattice.repeats);
    threads_each(box->n, threads, fill_diamond, &lattice);
    return finish_lattice(box, diamond_jitter, random, threads, error);
}

/* In the order of the sites, x fastest. */
static void fill_cubic(void *context, size_t first, size_t end) {
    const struct lattice *lattice = context;
    const struct box *box = lattice->box;
    for (size_t i = first; i < end; i++) {
        size_t site = i * lattice->sites / box->n;
        for (int axis = 0; axis < 3; axis++) {
            double along = (double)(site % lattice->repeats[axis]) + 0.5;
            box->position[3 * i + (size_t)axis] =
                along * box->edge[0] / (double)lattice->repeats[axis];
            site /= lattice->repeats[axis];
        }
    }
}

bool make_cubic(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    struct lattice lattice = { .box = box };
    lattice.sites = choose_repeats(box->n, 1, 1, lattice.repeats);
    threads_each(box->n, threads, fill_cubic, &lattice);
    return finish_lattice(box, cubic_jitter, random, threads, error);
}

/* ---- mixture, alloy: more types than a kernel may expect: beyond 2, 3 and 4 bits. As cubic, of
 * types and charges that are drawn. */

static bool mix_cubic(struct box *box, int types, struct random *random, struct threads *threads,
                      struct error *error) {
    if (!make_cubic(box, random, threads, error) || !box_room_for_types(box, types, error)) {
        return false;
    }
    const int middle = types / 2;
    for (size_t i = 0; i < box->n; i++) {
        const int drawn = (int)(random_unit(random) * types);
        box->molecule[i] = (int32_t)i;
        box->type[i] = box_type_of(box, (char)('A' + drawn));
        const double charge = i + 1 < box->n ? (drawn - middle) / 8.0 : 0;
        box->charge[i] = i % 2 == 1 ? -box->charge[i - 1] : charge; /* together none */
    }
    return true;
}

bool make_mixture(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    return mix_cubic(box, BOX_MIXTURE_TYPES, random, threads, error);
}

bool make_alloy(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    return mix_cubic(box, BOX_ALLOY_TYPES, random, threads, error);
}

/* Site `index` of the sites of one sign of a rock-salt lattice with an even number of sites in each
 * direction. */
static void salt_site(const size_t repeats[3], double edge, size_t index, size_t sign,
                      double position[3]) {
    size_t half_row = repeats[0] / 2;
    size_t row = index / half_row;
    size_t y = row % repeats[1];
    size_t z = row / repeats[1];
    size_t x = 2 * (index % half_row) + (y + z + sign) % 2;
    const size_t site[3] = { x, y, z };
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = ((double)site[axis] + 0.5) * edge / (double)repeats[axis];
    }
}

/* Particles alternate Na, Cl, Na, ...: an odd one is left over as Na. */
static void fill_salt(void *context, size_t first, size_t end) {
    const struct lattice *lattice = context;
    const struct box *box = lattice->box;
    const size_t of_sign[2] = { (box->n + 1) / 2, box->n / 2 };
    for (size_t i = first; i < end; i++) {
        size_t sign = i % 2;
        /* vacancies of both signs out of step */
        size_t half = sign == 0 ? 0 : lattice->sites / 2;
        size_t index = (2 * (i / 2) * lattice->sites + half) / (2 * of_sign[sign]);
        salt_site(lattice->repeats, box->edge[0], index, sign, box->position + 3 * i);
        box->charge[i] = sign == 0 ? 1.0 : -1.0;
        box->type[i] = (int32_t)sign;
    }
}

bool make_salt(struct box *box, struct random *random, struct threads *threads,
               struct error *error) {
    struct lattice lattice = { .box = box };
    lattice.sites = choose_repeats(box->n, 1, 2, lattice.repeats) / 2; /* of each sign */
    threads_each(box->n, threads, fill_salt, &lattice);
    return finish_lattice(box, lattice_jitter, random, threads, error);
}

/* ---- brick: what a cubic box of like particles hides: edges of three lengths, particles on the
 * faces of the cell, three types with charges that differ in size, molecules, no order of the
 * particles.
 *
 * A jittered lattice whose first layers lie exactly at coordinate 0. Kernels that take one axis for
 * another, lose what lies on an edge, or hand the pair function the wrong particle, are right in
 * every other kind. */

enum { SPECIES = 3 }; /* and as many particles a molecule */

static const double brick_proportion[3] = { 0.8, 1.0, 1.25 }; /* their product is one */
static const double brick_jitter = 0.05;                      /* of the spacing along each axis */

void brick_stretch(double edge[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        edge[axis] *= brick_proportion[axis];
    }
}

/* The fewest sites that suffice, about as far apart along each axis. */
static void choose_sites(size_t n, const double edge[3], size_t repeats[3]) {
    repeats[0] = repeats[1] = repeats[2] = 1;
    while (repeats[0] * repeats[1] * repeats[2] < n) {
        int widest = 0;
        for (int axis = 1; axis < 3; axis++) {
            if (edge[axis] / (double)repeats[axis] > edge[widest] / (double)repeats[widest]) {
                widest = axis;
            }
        }
        repeats[widest]++;
    }
}

/* Puts the particle of a rank on its site; x runs fastest. */
static void place_on_brick(const struct box *box, const size_t repeats[3], size_t rank, size_t i,
                           struct random *random) {
    size_t site = rank * (repeats[0] * repeats[1] * repeats[2]) / box->n;
    for (size_t axis = 0; axis < 3; axis++) {
        const double spacing = box->edge[axis] / (double)repeats[axis];
        const size_t along = site % repeats[axis];
        const double off = brick_jitter * random_signed(random);
        box->position[3 * i + axis] = along == 0 ? 0.0 : ((double)along + off) * spacing;
        site /= repeats[axis];
    }
}

/* Particles of successive sites make a molecule, and have the species in turn; which of them comes
 * first, second, ... among the particles is drawn. */
bool make_brick(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    (void)threads; /* it is all drawing and walking through memory */
    static const double charges[SPECIES] = { -1.0, 0.25, 0.75 };
    size_t repeats[3];
    int32_t *rank = malloc(box->n * sizeof *rank);
    if (!rank || !box_room_for_types(box, SPECIES, error)) {
        free(rank);
        return fail_out_of_memory(error, "a box being made");
    }
    brick_stretch(box->edge);
    choose_sites(box->n, box->edge, repeats);
    draw_order(rank, box->n, random);
    for (size_t i = 0; i < box->n; i++) {
        place_on_brick(box, repeats, (size_t)rank[i], i, random);
        box->molecule[i] = rank[i] / SPECIES;
        box->type[i] = box_type_of(box, "ABC"[rank[i] % SPECIES]);
        box->charge[i] = charges[rank[i] % SPECIES];
    }
    free(rank);
    return true;
}

/* ---- plate: what compact boxes of particles that keep apart hide: a cell four times as long as
 * high, whose edges are no multiples of each other, and pairs much closer than a liquid's.
 *
 * A jittered lattice; every ninth particle is put beside another, at 0.3 to 0.6. Kernels that take
 * the image of one axis by the edge of another, count on as many cells along each axis, or keep
 * distances and forces within bounds, are right in every other kind. */

enum { PARTICLES_PER_PAIR = 9 };

static const double plate_proportion[3] = { 2.1, 1.0, 1.0 / 2.1 }; /* their product is one */
static const size_t sites_along[3] = { 4, 2, 1 };  /* as many of each, or a multiple */
static const double plate_jitter = 0.05;           /* of the spacing along each axis */
static const double nearest = 0.3, farthest = 0.6; /* of a pair, sites 1.2 apart or more */
static const double default_spacing = 1.2;

void plate_stretch(double edge[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        edge[axis] *= plate_proportion[axis];
    }
}

/* The position of the site of a rank; x runs fastest, and free sites are spread evenly. */
static void place_on_site(const struct box *box, size_t multiple, size_t rank, size_t used,
                          struct random *random, double position[3]) {
    size_t site = rank * (8 * multiple * multiple * multiple) / used;
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t repeats = sites_along[axis] * multiple;
        const double spacing = box->edge[axis] / (double)repeats;
        const double off = 0.5 + plate_jitter * random_signed(random);
        position[axis] = ((double)(site % repeats) + off) * spacing;
        site /= repeats;
    }
}

/* Places a particle beside another, at a distance between the two bounds and in a direction between
 * the axes, so that two such particles stay apart. */
static void place_beside(const double other[3], double scale, struct random *random,
                         double position[3]) {
    double direction[3] = { 0.0, 0.0, 0.0 };
    double length2;
    do {
        length2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            direction[axis] = random_unit(random);
            length2 += direction[axis] * direction[axis];
        }
    } while (!(length2 > 0.25 && length2 < 1.0));
    const double distance = scale * (nearest + (farthest - nearest) * random_unit(random));
    for (size_t axis = 0; axis < 3; axis++) {
        position[axis] = other[axis] + distance * direction[axis] / sqrt(length2);
    }
}

/* `at_rank` are the particles in the order of their ranks; ranks from `used` on go beside others.
 */
static void place_all(struct box *box, const int32_t *at_rank, struct random *random) {
    const size_t pairs = box->n / PARTICLES_PER_PAIR;
    const size_t used = box->n - pairs;
    const size_t stride = pairs > 0 ? used / pairs : 0;
    size_t multiple = 1;
    while (8 * multiple * multiple * multiple < used) {
        multiple++;
    }
    const double spacing = box->edge[2] / (double)multiple;
    const double scale = spacing < default_spacing ? spacing / default_spacing : 1.0;
    for (size_t rank = 0; rank < box->n; rank++) {
        double *position = &box->position[3 * (size_t)at_rank[rank]];
        if (rank < used) {
            place_on_site(box, multiple, rank, used, random, position);
        } else {
            const size_t beside = (rank - used) * stride;
            place_beside(&box->position[3 * (size_t)at_rank[beside]], scale, random, position);
        }
    }
}

bool make_plate(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    int32_t *at_rank = malloc(box->n * sizeof *at_rank);
    if (!at_rank) {
        return fail_out_of_memory(error, "a box being made");
    }
    plate_stretch(box->edge);
    draw_order(at_rank, box->n, random);
    place_all(box, at_rank, random);
    free(at_rank);
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

/* ---- borders ---- */

/* borders — particles where a cell, a grid of cells or a cutoff ends: on faces, edges and corners,
 * on planes, on lines, around one corner, or whole cutoffs apart. Which of these, the seed and n
 * say. Some places are a rounding of float off, to either side. */

static const double closest = 0.9;      /* of sites, but in the smallest boxes */
static const double usual_cutoff = 2.5; /* cells of a grid are this wide, or a little more */
static const double rounding = 0x1p-23; /* of an edge: one or two of float */

enum border_style { ON_GRID, WHOLE_CUTOFFS, ON_PLANES, ON_LINES, AT_CORNER, BORDER_STYLES };

/* Sites at `spacing` times whole numbers, from `first` on. */
struct border_sites {
    size_t along[3];
    double spacing[3];
    double first;
};

static size_t sites_on(double edge) {
    const double most = floor(edge / closest);
    return most > 1 ? (size_t)most : 1;
}

static size_t ceil_divide(size_t a, size_t b) {
    return (a + b - 1) / b;
}

static size_t cube_that_holds(size_t n) {
    size_t along = 1;
    while (along * along * along < n) {
        along++;
    }
    return along;
}

/* Whole fractions of a cell that is as wide as a cutoff, if there are not too many. */
static size_t sites_on_grid(size_t n, double edge) {
    const size_t least = cube_that_holds(n);
    const size_t cells = edge > usual_cutoff ? (size_t)(edge / usual_cutoff) : 1;
    const size_t along = cells * ceil_divide(least, cells);
    return edge >= closest * (double)along ? along : least;
}

/* No longer than there is room for: whole fractions of usual cutoffs, and exact in float. */
static double fraction_of_cutoff(double spacing) {
    static const double exact[] = { 2.5, 1.75, 1.25, 1.0, 0.875 };
    for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++) {
        if (exact[k] <= spacing) {
            return exact[k];
        }
    }
    return spacing;
}

static struct border_sites sites_of(const struct box *box, enum border_style style) {
    const size_t n = box->n, most = sites_on(box->edge[0]), least = cube_that_holds(n);
    struct border_sites sites = { { least, least, least }, { 0 }, 0 };
    if (style == ON_GRID) {
        sites.along[0] = sites.along[1] = sites.along[2] = sites_on_grid(n, box->edge[0]);
    } else if (style == ON_PLANES || style == ON_LINES) {
        sites.along[0] = most;
        sites.along[1] = style == ON_PLANES ? most : 1;
        while (style == ON_LINES && sites.along[1] * sites.along[1] * most < n) {
            sites.along[1]++;
        }
        sites.along[2] = ceil_divide(n, sites.along[0] * sites.along[1]);
    }
    for (size_t k = 0; k < 3; k++) {
        sites.spacing[k] = box->edge[k] / (double)sites.along[k];
        if (style == WHOLE_CUTOFFS) {
            sites.spacing[k] = fraction_of_cutoff(sites.spacing[k]);
        } else if (style == AT_CORNER) {
            sites.spacing[k] = fmin(sites.spacing[k], 1.0);
            const size_t below = least / 2;
            sites.first = -(double)below;
        }
    }
    return sites;
}

/* One in four is off its site by a rounding; below 0 is just inside of the other face. */
static double off_by_rounding(double place, double edge, struct random *random) {
    const uint64_t drawn = random_next(random) % 8;
    const double off = drawn == 0 ? rounding : drawn == 1 ? -rounding : 0;
    const double moved = place + off * edge;
    return moved < 0 ? moved + edge : moved >= edge ? moved - edge : moved;
}

/* Where there are more sites than particles, the free sites are spread evenly. */
static void place_on_sites(struct box *box, const struct border_sites *sites, size_t first_axis,
                           struct random *random) {
    const size_t count = sites->along[0] * sites->along[1] * sites->along[2];
    for (size_t i = 0; i < box->n; i++) {
        size_t rest = i * count / box->n;
        for (size_t k = 0; k < 3; k++) {
            const size_t axis = (k + first_axis) % 3;
            const double site = (double)(rest % sites->along[k]) + sites->first;
            double place = site * sites->spacing[k];
            place = place < 0 ? place + box->edge[axis] : place;
            box->position[3 * i + axis] = off_by_rounding(place, box->edge[axis], random);
            rest /= sites->along[k];
        }
    }
}

bool make_borders(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    (void)threads;
    if (!box_room_for_types(box, 3, error)) {
        return false;
    }
    const uint64_t drawn = random_next(random);
    const struct border_sites sites =
        sites_of(box, (enum border_style)((drawn + box->n) % BORDER_STYLES));
    place_on_sites(box, &sites, drawn / BORDER_STYLES % 3, random);
    for (size_t i = 0; i < box->n; i++) {
        box->molecule[i] = (int32_t)(i / 3);
        box->type[i] = box_type_of(box, (char)('A' + i % 3));
        box->charge[i] = i % 2 == 1 ? -0.5 : i + 1 < box->n ? 0.5 : 0;
    }
    return true;
}
