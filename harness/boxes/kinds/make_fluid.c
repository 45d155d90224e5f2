/* fluid — a Lennard-Jones melt without overlap.
 *
 * Lattice sites are displaced by up to half a conventional cell in each direction, a distribution
 * whose Fourier transform vanishes at every reciprocal vector of the lattice, so that no Bragg peak
 * is left; the density stays even over long distances. Overlaps are pushed apart, and a short
 * molecular dynamics run at temperature 1 with the repulsive part of the potential (J. D. Weeks,
 * D. Chandler, H. C. Andersen, J. Chem. Phys. 54, 5237 (1971): it alone shapes a dense liquid)
 * gives the shells of neighbours that a melt has. Particles stay in the order of their sites.
 */
#include "boxes/kinds/makers.h"
#include "boxes/kinds/neighbours.h"
#include "core/host.h"

#include <math.h>
#include <stdlib.h>

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
    double *square;         /* of the velocities, per particle */
    double scale;           /* of the velocities, to temperature 1 */
    struct neighbours list; /* whose rows have positions, and velocities as targets */
};

/* Displaces lattice sites by the random numbers that positions hold so far. */
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
    threads_each(box->n, threads, scatter_some, melt);
}

/* The repulsive Lennard-Jones forces, times the time step, per length. */
WIDEST static void kick(const double *restrict square, size_t count, double *restrict push) {
    for (size_t k = 0; k < count; k++) {
        const double inverse2 = 1.0 / square[k];
        const double inverse6 = inverse2 * inverse2 * inverse2;
        push[k] = time_step * 24.0 * inverse2 * inverse6 * (2.0 * inverse6 - 1.0);
    }
}

/* A neighbours_push. */
static void kick_near(void *context, int slab, struct neighbours_near *near) {
    (void)context;
    (void)slab;
    kick(near->square, near->count, near->push);
}

static void square_some(void *context, size_t first, size_t end) {
    const struct melt *melt = context;
    for (size_t row = first; row < end; row++) {
        const double *v = melt->list.target[row].at;
        melt->square[melt->list.particle[row]] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
}

static void move_some(void *context, size_t first, size_t end) {
    const struct melt *melt = context;
    for (size_t row = first; row < end; row++) {
        double *v = melt->list.target[row].at;
        double *x = melt->list.position[row].at;
        for (size_t axis = 0; axis < 3; axis++) {
            v[axis] *= melt->scale;
            x[axis] += time_step * v[axis];
        }
    }
}

/* Rescales to temperature 1 and moves; returns the longest move. The sum is in the order of the
 * particles. */
static double move_at_temperature_one(struct melt *melt, struct threads *threads) {
    const size_t n = melt->box->n;
    double sum = 0.0;
    double fastest = 0.0;
    threads_each(n, threads, square_some, melt);
    for (size_t i = 0; i < n; i++) {
        sum += melt->square[i];
        fastest = melt->square[i] > fastest ? melt->square[i] : fastest;
    }
    melt->scale = sum > 0.0 ? sqrt(3.0 * (double)n / sum) : 1.0;
    threads_each(n, threads, move_some, melt);
    return time_step * melt->scale * sqrt(fastest);
}

/* Positions and velocities in the order of the particles, from rows. */
static void leave_rows(struct melt *melt, struct threads *threads) {
    neighbours_from_rows(&melt->list, melt->list.position, melt->box->position, threads);
    neighbours_from_rows(&melt->list, melt->list.target, melt->velocity, threads);
}

static bool list_neighbours(struct melt *melt, struct threads *threads, struct error *error) {
    struct box *box = melt->box;
    if (melt->list.n > 0) {
        leave_rows(melt, threads);
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    const struct points_in_cube points = { box->position, box->n, box->edge[0] };
    if (!neighbours_build(&melt->list, &points, reach + dynamics_skin, threads, error)) {
        return false;
    }
    neighbours_to_rows(&melt->list, melt->velocity, melt->list.target, threads);
    return true;
}

static bool take_steps(struct melt *melt, struct threads *threads, struct error *error) {
    double drift = melt->box->edge[0]; /* no list yet: as if everything had moved far */
    for (int step = 0; step < DYNAMICS_STEPS; step++) {
        if (2.0 * drift > dynamics_skin) {
            if (!list_neighbours(melt, threads, error)) {
                return false;
            }
            drift = 0.0;
        }
        neighbours_sweep(&melt->list, threads, reach, kick_near, melt, false);
        drift += move_at_temperature_one(melt, threads);
    }
    leave_rows(melt, threads);
    return true;
}

static bool run_dynamics(struct melt *melt, struct random *random, struct threads *threads,
                         struct error *error) {
    const size_t n = melt->box->n;
    melt->velocity = malloc(3 * n * sizeof *melt->velocity);
    melt->square = malloc(n * sizeof *melt->square);
    bool usable = melt->velocity && melt->square;
    if (usable) {
        for (size_t k = 0; k < 3 * n; k++) { /* nearly Gaussian, of unit variance */
            melt->velocity[k] =
                random_signed(random) + random_signed(random) + random_signed(random);
        }
        usable = take_steps(melt, threads, error);
    } else {
        (void)fail_out_of_memory(error, "the velocities of a box being made");
    }
    free(melt->velocity);
    free(melt->square);
    neighbours_free(&melt->list);
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
        if (!separate(box, diameter, target, threads, error) ||
            !run_dynamics(&melt, random, threads, error)) {
            return false;
        }
    }
    return separate(box, 1.02 * FLUID_LEAST_DISTANCE, FLUID_LEAST_DISTANCE, threads, error);
}
