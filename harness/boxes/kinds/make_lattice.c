/* lattice, melt, cubic, salt — lattices at any number of particles, all but melt jittered. */
#include "boxes/kinds/makers.h"

/* Half widths, in units of the mean spacing. */
static const double lattice_jitter = 0.05;
static const double cubic_jitter = 0.1;
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
    return separate(box->position, box->n, box->edge[0], 1.05 * least, least, threads, error);
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
