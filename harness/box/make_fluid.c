/* fluid — a Lennard-Jones melt without overlap.
 *
 * Lattice sites are displaced by up to half a conventional cell in each direction, a distribution
 * whose Fourier transform vanishes at every reciprocal vector of the lattice, so that no Bragg peak
 * is left; the density stays even over long distances. Overlaps are pushed apart, and a short
 * molecular dynamics run at temperature 1 with the repulsive part of the potential (J. D. Weeks,
 * D. Chandler, H. C. Andersen, J. Chem. Phys. 54, 5237 (1971): it alone shapes a dense liquid)
 * gives the shells of neighbours that a melt has. Particles stay in the order of their sites.
 */
#include "box/make.h"
#include "box/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DYNAMICS_STEPS = 40 };

static const double time_step = 0.005;
static const double reach = 1.122462048309373; /* 2^(1/6): where the repulsion ends */
static const double dynamics_skin = 0.35;
static const double max_filled = 0.955; /* diameter^3 x density: a packing fraction of 0.5 */

/* What the tasks share. */
struct melt {
    struct box *box;
    struct fcc_sites sites;
    double *velocity;
    double scale; /* of the velocities, to temperature 1 */
};

/* Of particles whose positions hold random numbers for now. */
static void scatter_some(void *context, size_t first, size_t end) {
    const struct melt *melt = context;
    const struct box *box = melt->box;
    for (size_t i = first; i < end; i++) {
        double site[3];
        fcc_site_of(&melt->sites, i, box->n, site);
        for (size_t axis = 0; axis < 3; axis++) {
            double *x = &box->position[3 * i + axis];
            *x = site[axis] + 0.5 * melt->sites.spacing[axis] * *x;
            *x = wrap_coordinate(*x, box->edge[axis]);
        }
    }
}

static void scatter_from_sites(struct melt *melt, struct random *random, struct threads *threads) {
    struct box *box = melt->box;
    melt->sites = fcc_sites_for(box->n, box->edge[0]);
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->position[k] = random_signed(random);
    }
    make_each(box->n, threads, scatter_some, melt);
}

/* Adds the repulsive Lennard-Jones forces, times the time step, to the velocities. A
 * neighbours_walk. */
static void kick(void *context, int slab, size_t i, const int32_t *other, size_t count,
                 double sum[3], bool give) {
    const struct melt *melt = context;
    const double *position = melt->box->position;
    const double edge = melt->box->edge[0];
    double *velocity = melt->velocity;
    const double *here = position + 3 * i;
    (void)slab;
    for (size_t k = 0; k < count; k++) {
        const size_t j = (size_t)other[k];
        double x = nearest_image(here[0] - position[3 * j], edge);
        double y = nearest_image(here[1] - position[3 * j + 1], edge);
        double z = nearest_image(here[2] - position[3 * j + 2], edge);
        double square = x * x + y * y + z * z;
        if (square >= reach * reach) {
            continue;
        }
        double inverse2 = 1.0 / square;
        double inverse6 = inverse2 * inverse2 * inverse2;
        double push = time_step * 24.0 * inverse2 * inverse6 * (2.0 * inverse6 - 1.0);
        sum[0] += push * x;
        sum[1] += push * y;
        sum[2] += push * z;
        if (give) {
            velocity[3 * j] -= push * x;
            velocity[3 * j + 1] -= push * y;
            velocity[3 * j + 2] -= push * z;
        }
    }
}

static void move_some(void *context, size_t first, size_t end) {
    const struct melt *melt = context;
    for (size_t k = 3 * first; k < 3 * end; k++) {
        melt->velocity[k] *= melt->scale;
        melt->box->position[k] += time_step * melt->velocity[k];
    }
}

/* Rescales to temperature 1 and moves; returns the longest move. The sum is in the order of the
 * particles. */
static double move_at_temperature_one(struct melt *melt, struct threads *threads) {
    const size_t n = melt->box->n;
    double sum = 0.0;
    double fastest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *v = melt->velocity + 3 * i;
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        sum += square;
        fastest = square > fastest ? square : fastest;
    }
    melt->scale = sum > 0.0 ? sqrt(3.0 * (double)n / sum) : 1.0;
    make_each(n, threads, move_some, melt);
    return time_step * melt->scale * sqrt(fastest);
}

static bool run_dynamics(struct melt *melt, struct random *random, struct threads *threads,
                         struct error *error) {
    struct box *box = melt->box;
    struct neighbours list = { 0 };
    melt->velocity = malloc(3 * box->n * sizeof *melt->velocity);
    if (!melt->velocity) {
        return fail_out_of_memory(error, "the velocities of a box being made");
    }
    for (size_t k = 0; k < 3 * box->n; k++) { /* nearly Gaussian, of unit variance */
        melt->velocity[k] = random_signed(random) + random_signed(random) + random_signed(random);
    }
    bool usable = true;
    double drift = box->edge[0];
    for (int step = 0; usable && step < DYNAMICS_STEPS; step++) {
        if (2.0 * drift > dynamics_skin) {
            wrap_positions(box->position, box->n, box->edge, threads);
            usable = neighbours_build(&list, box->position, box->n, box->edge[0],
                                      reach + dynamics_skin, threads, error);
            drift = 0.0;
        }
        if (usable) {
            neighbours_sweep(&list, threads, kick, melt, melt->velocity);
            drift += move_at_temperature_one(melt, threads);
        }
    }
    free(melt->velocity);
    neighbours_free(&list);
    return usable;
}

bool make_fluid(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    struct melt melt = { .box = box };
    double edge = box->edge[0];
    double diameter = cube_root(max_filled / box->density);
    diameter = diameter < 1.0 ? diameter : 1.0;
    scatter_from_sites(&melt, random, threads);
    /* Where a particle would meet two images of another, the melt has no structure to find. */
    if (edge > 2.0 * (reach + dynamics_skin)) {
        double target = 0.97 * diameter;
        target = target > FLUID_LEAST_DISTANCE ? target : FLUID_LEAST_DISTANCE;
        if (!separate(box->position, box->n, edge, diameter, target, threads, error) ||
            !run_dynamics(&melt, random, threads, error)) {
            return false;
        }
    }
    return separate(box->position, box->n, edge, 1.02 * FLUID_LEAST_DISTANCE, FLUID_LEAST_DISTANCE,
                    threads, error);
}
