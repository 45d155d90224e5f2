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
static const double most_filled = 0.955; /* diameter^3 x density: a packing fraction of 0.5 */

static void scatter_from_sites(struct box *box, struct random *random) {
    struct fcc_sites sites = fcc_sites_for(box->n, box->edge[0]);
    for (size_t i = 0; i < box->n; i++) {
        double *position = box->position + 3 * i;
        fcc_site_of(&sites, i, box->n, position);
        for (int axis = 0; axis < 3; axis++) {
            position[axis] += 0.5 * sites.spacing[axis] * random_signed(random);
        }
    }
    wrap_positions(box->position, box->n, box->edge);
}

/* Adds the repulsive Lennard-Jones forces, times the time step, to the velocities. */
static void kick(const struct neighbours *list, const double *position, double edge,
                 double *velocity) {
    for (size_t row = 0; row < list->n; row++) {
        size_t i = (size_t)list->particle[row];
        const double *here = position + 3 * i;
        double sum[3] = { 0.0, 0.0, 0.0 };
        for (size_t k = list->first[row]; k < list->first[row + 1]; k++) {
            const size_t j = (size_t)list->other[k];
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
            velocity[3 * j] -= push * x;
            velocity[3 * j + 1] -= push * y;
            velocity[3 * j + 2] -= push * z;
        }
        velocity[3 * i] += sum[0];
        velocity[3 * i + 1] += sum[1];
        velocity[3 * i + 2] += sum[2];
    }
}

/* Rescales to temperature 1 and moves; returns the longest move. */
static double move_at_temperature_one(double *position, double *velocity, size_t n) {
    double sum = 0.0;
    double fastest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *v = velocity + 3 * i;
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        sum += square;
        fastest = square > fastest ? square : fastest;
    }
    double scale = sum > 0.0 ? sqrt(3.0 * (double)n / sum) : 1.0;
    for (size_t k = 0; k < 3 * n; k++) {
        velocity[k] *= scale;
        position[k] += time_step * velocity[k];
    }
    return time_step * scale * sqrt(fastest);
}

static bool run_dynamics(struct box *box, struct random *random, struct error *error) {
    struct neighbours list = { 0 };
    double *velocity = calloc(3 * box->n, sizeof *velocity);
    if (!velocity) {
        return fail_out_of_memory(error, "the velocities of a box being made");
    }
    for (size_t k = 0; k < 3 * box->n; k++) { /* nearly Gaussian, of unit variance */
        velocity[k] = random_signed(random) + random_signed(random) + random_signed(random);
    }
    bool usable = true;
    double drift = box->edge[0];
    for (int step = 0; usable && step < DYNAMICS_STEPS; step++) {
        if (2.0 * drift > dynamics_skin) {
            wrap_positions(box->position, box->n, box->edge);
            usable = neighbours_build(&list, box->position, box->n, box->edge[0],
                                      reach + dynamics_skin, error);
            drift = 0.0;
        }
        if (usable) {
            kick(&list, box->position, box->edge[0], velocity);
            drift += move_at_temperature_one(box->position, velocity, box->n);
        }
    }
    free(velocity);
    neighbours_free(&list);
    return usable;
}

bool make_fluid(struct box *box, struct random *random, struct error *error) {
    double edge = box->edge[0];
    double diameter = cube_root(most_filled / box->density);
    diameter = diameter < 1.0 ? diameter : 1.0;
    scatter_from_sites(box, random);
    /* Where a particle would meet two images of another, the melt has no structure to find. */
    if (edge > 2.0 * (reach + dynamics_skin)) {
        double target = 0.97 * diameter;
        target = target > FLUID_LEAST_DISTANCE ? target : FLUID_LEAST_DISTANCE;
        if (!separate(box->position, box->n, edge, diameter, target, error) ||
            !run_dynamics(box, random, error)) {
            return false;
        }
    }
    return separate(box->position, box->n, edge, 1.02 * FLUID_LEAST_DISTANCE, FLUID_LEAST_DISTANCE,
                    error);
}
