/*
 * pme — the truth of the reciprocal part of an Ewald sum: by smooth particle mesh Ewald on a grid,
 * which is what kernels of workload `pme` are compared with, and directly, which says how large the
 * error of the grid is.
 *
 * With m a vector of the reciprocal lattice (no factor 2 pi), V the volume, S(m) the sum of
 * q_i exp(2 pi i m r_i):
 *
 *     E = coulomb / (2 pi V)  sum over m != 0 of exp(-(pi m / alpha)^2) / m^2  |S(m)|^2
 *
 * On a grid of K points along each vector S(m) is b(m) times the discrete transform of charges
 * that are spread by cardinal B-splines M_p of order p, with
 *
 *     1 / |b(k)|^2 = |sum over j = 0..p-2 of M_p(j + 1) exp(2 pi i k j / K)|^2   along each vector,
 *
 * where this vanishes (p odd, k = K / 2), the mean of its neighbours. k stands for the frequency
 * k or k - K of least size; K / 2 stands for half of either, so that grid and potential are real in
 * every cell. Forces are minus the gradient of that energy; they need not sum to zero. The virial
 * is minus its derivative by a strain that takes the particles with it.
 *
 * Source: U. Essmann et al., J. Chem. Phys. 103 (1995) 8577.
 */
#ifndef PAIRMARK_REFERENCE_PME_PME_H
#define PAIRMARK_REFERENCE_PME_PME_H

#include "boxes/box.h"
#include "core/error.h"
#include "kernels/potentials/exclusions.h"

struct pme_problem {
    const struct box *box; /* periodic along all vectors */
    double alpha;          /* > 0, 1 / length */
    double coulomb;        /* energy times length / charge^2 */
    size_t grid[3];        /* points along each vector, at least `order` each */
    int order;             /* of the splines: 4, 5 or 6 */
};

/* What kernels compute in; NULL in its place: nobody asks how far they may be off. */
struct pme_rounding {
    double unit;     /* unit roundoff of splines and of single products */
    double sum_unit; /* of sums: on the grid, in the transforms, over the grid */
    double quantum;  /* by how much each term is off that is rounded to fixed point; else 0 */
};

/* The bounds take errors of different places for independent and allow five standard deviations.
 * With u and v the units, e the error of a scaled coordinate, w_i and D_i the spline of particle i
 * and its derivative, C(k) the influence function, N grid points, and <> a mean over the grid:
 *
 * - splines: p u / 2 of each w, relative; as all of a particle's may err alike, S(k) errs by
 *   p u q_i / 2; a coordinate by e, S(k) by 2 pi k / K e q_i
 * - sums on the grid: v sqrt(m) times the sum of the sizes of the m terms of a point
 * - each transform: u_t log2 N in the norm, spread evenly over its results
 * - the influence function: (8 + 8 x) u, x the size of its exponent
 *
 * Together they are the standard deviation s of the potential at a grid point, by which the force
 * errs by 5 s q_i |D_i|_1; its own spline, its products and its sum add what they are. The energy
 * errs by the same errors of S(k), each times C(k) |S(k)|. How energy and virial are added up is
 * left to who knows it. To u and v comes the unit of the reference itself, which computes in
 * double. */
struct pme_result {
    size_t n;
    double energy, virial[9];
    double *force; /* 3n */
    /* how far off by rounding; zeros and NULL where nobody asked */
    double *force_error; /* 3n */
    double energy_error, virial_error;
    double virial_scale; /* sum over m of the sizes of the virial's terms */
};

void pme_result_free(struct pme_result *result); /* also a zeroed one; zeroes it */

/* By the grid. Errors: STATUS_OUT_OF_MEMORY; STATUS_BAD_INPUT for a box that is not periodic along
 * all vectors, an alpha, an order or a grid that is none, a coordinate that is not finite. */
bool reference_pme(const struct pme_problem *problem, const struct pme_rounding *rounding,
                   struct pme_result *result, struct error *error);

/* Which vectors of the reciprocal lattice a direct sum has. */
struct ewald_reach {
    int most;   /* no component beyond it; 0: as many as change the sum in double precision */
    int square; /* the sum of squares of the components below it; 0: any */
};

/* Directly; the grid and the order of the problem are not looked at. The same errors. */
bool reference_ewald(const struct pme_problem *problem, struct ewald_reach reach,
                     struct pme_result *result, struct error *error);

/* ---- what else an Ewald sum has besides its real part ---- */

/* -coulomb alpha / sqrt(pi) sum q^2 */
double ewald_self_energy(const struct pme_problem *problem);
/* Of a uniform background that makes the cell neutral: -coulomb pi / (2 V alpha^2) (sum q)^2. Its
 * virial is this times the unit matrix. */
double ewald_background_energy(const struct pme_problem *problem);

/* What the reciprocal part has of pairs that are left out: minus the sum of
 * coulomb q_i q_j erf(alpha r) / r over them, at their nearest images. */
struct ewald_excluded {
    double energy, virial[9];
    double energy_scale, virial_scale; /* sums of the sizes of their terms */
    double virial_turn; /* by how much it may differ where other images are all but as near */
    /* Of particles, added to what is there; NULL: not asked for. */
    double *force; /* 3n */
    double *scale; /* n: sizes of the forces */
    double *slope; /* n: how far the force may move per length that both particles move */
    double *turn;  /* n: by how much it may differ where other images are all but as near */
};

/* STATUS_BAD_INPUT where the exclusions do not fit the box. */
bool ewald_find_excluded(const struct pme_problem *problem, const struct exclusions *exclusions,
                         struct ewald_excluded *found, struct error *error);

/* The norm of the second derivatives of erf(alpha r) / r is at most this, and its force, times r,
 * at most that times r^2. */
double ewald_slope(double alpha, double r);

#endif
