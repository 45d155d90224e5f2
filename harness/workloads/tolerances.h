/*
 * tolerances — how far numbers that are sums over pairs may be from what is expected of them: a
 * bound for each quantity, derived below. A library: it judges nothing (gate.h does).
 *
 * The tolerance follows from the conditioning of each number, not from taste. With u the unit
 * roundoff of the arithmetic (2^-24 for float, mixed and fixed, 2^-53 for double), v that of the
 * sums (2^-24 for float, else 2^-53), w half the unit of fixed point (2^-33, else 0), L the length
 * scale, and S_i, T_i, B_i and m_i the sum of |f_ij|, the sum of max(|df/dr|, |f|/r), what moves
 * the force with what is in exponents (below) and the number of the terms of particle i:
 *
 *   each component of the force on i   c u (S_i + L T_i + B_i) + 1.5 v sqrt(m_i) S_i + Z_i + w m_i
 *   van der Waals and Coulomb energy   c u (sum|u| + L sum|f|) + 1.5 v sqrt(m) sum|u|
 *   energy                             u (C + 2 R + 1.5 L D) + v A sum|u| + Z
 *   each of the nine virials           u (C + 2 R + 1.5 L D) + v A sum r|f| + Z
 *
 * where m, the sum of all m_i, is twice the number of pairs, c = GATE_FACTOR = 4, and the first of
 * the energies are those of the terms of one kind, where there are both. C, R, D, A, Z and Z_i are
 * explained below. Why these:
 *
 * - Subtracting two coordinates and taking the nearest image errs by at most u L for the difference
 *   (which may be as long as the cell) and u L/2 for the image, an axis; along the pair, in three
 *   dimensions, sqrt(3) times that: 2.6 u L. Such an error moves the force by T_i per unit length.
 * - Squaring and adding errs by 3u in r^2, inverting it by 1 to 5u (OpenCL allows 2.5 ulp), a cube
 *   by 3u. However high the power in which they appear, all of these are errors of r of relative
 *   size e/2, e/6: together under 4 u r, mostly far less, and they move the force by u r T_i. As r
 *   <= L/2 in a periodic box, this is the rest of c u L T_i.
 * - What is left moves the pair's force itself, by a few u |f|: the last difference of powers, the
 *   prefactor, the product with the displacement. As T_i L >= S_i, there are 8u for it.
 * - Roots, exponentials and erfc are of r, and so are their arguments' errors: r is good to 3u, a
 *   product such as alpha r or (sigma - r) / rho to 2u of its terms, parameters in float to u. An
 *   error e r of r moves the force by e r T_i however steep the exponential is: it is counted with
 *   the line before. But an error of the exponent alone is no error of r: where the force of
 *   Born-Mayer-Huggins is largest, the slopes of its exponential and of its powers cancel, T_i is
 *   |f|/r, and 2u of (sigma + r) / rho move the exponential by tens of u. B_i is the sum of that
 *   per unit of relative error, (sigma + r) / rho times |f| of the exponential; of what the user
 *   wrote, what is left of a quarter of the worst error of its derivative. The functions themselves
 *   err by up to 2 ulp = 4u (exp on CUDA), 3 ulp (exp in OpenCL) or 4 ulp = 8u (erfc on CUDA) of a
 *   term; of OpenCL's 16 ulp for erfc no more than 2 are met. A term's |f|/r and, in a periodic
 *   box, L >= 2r give 12u |f| and more for them.
 * - In a sum of pair functions S_i, T_i and their like are sums over the terms of each pair, not
 *   over pairs: attraction and repulsion cancel, the errors of computing them do not.
 * - A running sum of k terms errs by at most (k-1) v S, and by about sqrt(k) v |partial sums| when
 *   the roundings are not all of one sign (Higham and Mary, SIAM J. Sci. Comput. 41, A2815, 2019).
 *   The partial sums of a force are mostly far smaller than S, for its terms point everywhere.
 *   Where all are of one sign they grow evenly, and the sum has a standard deviation of 0.25
 *   sqrt(m_i) v S_i: 1.5 sqrt(m_i) is six of them, for a box has thousands of components. A sum
 *   that errs by m_i v S_i is reported as what it is: wrong.
 * - Of a term below half a unit in the last place of the partial sum nothing is left (as numbers
 *   stagnate that are added up in float: Higham, Accuracy and Stability of Numerical Algorithms,
 *   section 4.2), and of far pairs, which pull a particle on the surface of an open box one way, no
 *   error cancels. As |sum of some| + |sum of the others| <= S_i, and their difference is at most
 *   |f_i|, no partial sum is longer than P = (S_i + |f_i|) / 2, in any order. Z_i is, along the
 * worst axis, the sum of all components smaller than 2^floor(log2 P) v: 0 within a cutoff of a few
 *   sigma, for the smallest terms are larger there. Larger terms are rounded up and down. Where
 *   m_i P <= S_i + L T_i, all that can be lost, m_i v P, is within a quarter of the first part, and
 *   Z_i is 0. Of double, whose terms are larger than 2^-53 of the sum, it is not computed.
 *
 * The energy and the virial are sums over all pairs. If the errors of all pairs had one sign, they
 * would add up to c u (sum|u| + L sum|f|), a thousand times what kernels need at N = 4000. Errors
 * of pairs at different distances are independent and add up as the root of their squares; those of
 * pairs at one distance are not, and a lattice has few distances. Hence five parts, of which struct
 * reference_spread has the sums. s is max(|df/dr|, |f|/r).
 *
 * - C is what all pairs share. A parameter in float is off by u, and so is what follows from it.
 *   Epsilon, charges and the like move the energy by u sum|u|. Sigma, and 1/edge in fractional
 *   coordinates, scale all distances, which moves the energy in proportion to the trace W of the
 *   virial: 1.5 u |W|, and u/4 sum r|f| at least, for types have lengths and signs of their own.
 *   What stands in an exponent moves it further than r|f| suggests where repulsion and attraction
 *   cancel: 2 u sum b, b being how far the energy of a pair moves per relative error of the
 *   exponent, (r/rho) A exp(-r/rho) and the like. So C = sum|u| + max(1.5 |W|, sum r|f| / 4) + 2
 *   sum b for the energy, and sum r|f| + 2 sum(r|f| + r^2 s + 2 r B) for the virial, B being what a
 *   pair adds to B_i.
 * - R is what pairs at one distance share: the root of the sum of squares over classes of
 *   distances, each of them the sum of 8|u| + 2 r|f| + 2b, and L |f| for pairs that are nearest
 *   across the cell. Others are subtracted with an error of u times the difference, not of u L. So
 *   2 R allows 4u of r, as above, and 16u of |u|: where u is the difference of a term in r^-12 and
 *   one in r^-6, the first is at most |u| + (r|f| + |u|)/6, and either is good to some 4u;
 *   exponents have b. A class is 2^-12 of r^2 wide: a lattice, rounded to float far from the origin
 *   though it may be, has few of them and is given the sum of all its errors; a liquid has
 *   thousands. For the virial r|f| and r^2 s take the places of |u| and r|f|.
 * - D is what the pairs of one particle share. Wrapping, scaling or shifting a particle moves it by
 *   some u L and the energy by the force on it times that: D is the root of the sum of squares of
 *   the forces, particles of one coordinate (a layer) taken together, for they are moved alike. For
 *   the virial the sums over a particle's pairs of |f| + r s take the place of the force.
 * - A is for the additions. G work-items add m/G terms each, one by one; their sums are added as a
 *   tree. With q = R / (8 sum|u| + 2 sum r|f|), at most 1, how much of the box is alike (0.03 in a
 *   liquid of 4000, near 1 in a lattice), and of energies that are the same number at different
 *   distances, as those of atan(1/r) + atan(r), at least the root of the sum of squares of |u| over
 *   classes of pairs whose |u| is one number in float, over sum|u|,
 *     A = 2 + q log2 G  +  sqrt(m)/G + q sqrt(m/G) + q^2 m/G  +  2 sqrt(t) + q^2 t.
 *   The tree: half of v a level where sums are independent, nearly all of it at the last levels, so
 *   that 2 is several standard deviations; v a level where they are alike. One by one: sqrt(m/G) v
 *   S/G is 2 to 4 standard deviations of one work-item's sum, and G of them err by sqrt(G) times
 *   that where they are independent, by G times that where they are alike; equal terms err alike at
 *   every addition, by less than m/G. Where t groups are added to one number atomically, each
 *   addition has a standard deviation of at most 0.35 v S: 2 sqrt(t), and equal groups as equal
 *   terms. Where nobody says how the sums were made, A = sqrt(m). G is the particles of passes per
 *   particle; of others an eighth of the work-items, for some have no terms; of those that hand out
 *   their work while they run, 1 on a processor and else the work-groups (prepare/bind.c).
 *
 * - Z is for terms that are lost. Of a number below v times what it is added to, nothing is left,
 *   and of many such numbers of one sign no error cancels: energies of boxes without a cutoff,
 *   where most pairs are far apart. Z is the sum of all terms below v times twice what a
 *   work-item's terms come to in the mean; with a cutoff there are next to none.
 *
 * Where the spread is not known, the energy is judged as those of one kind are, and the virial like
 * it. Of a box that is judged by a sample (sampled_reference.h), the edge pairs of the sample stand
 * for all in energy and virial.
 *
 * Whatever else is a sum of such terms, with derivatives in the place of forces, is judged alike.
 *
 * Where float makes no error in any pair (pairs/pair_sums.c), u is that of the sums, and what is
 * left are sums. Kernels may add up to 64 terms in float before they add in double: additions in
 * float err by 0.4 of u in the mean, 64 terms of one sign together by 1.9 u of their sum, and m
 * terms by 15 u S / sqrt(m). Under `mixed` that is allowed, 6 standard deviations of it, which is
 * less than what comes of sums of more terms in float: 0.24 sqrt(m) u S of one particle, as much of
 * the energy of as many particles. Under `fixed` terms that are whole units add up without error: w
 * is 0.
 *
 * Two allowances stand beside these. A pair whose distance is within c u (L + cutoff) of the
 * cutoff, or a term of one as close to the cutoff of its own (L in the place of a cutoff that is
 * infinite), may be counted or not; each particle that has such a pair may be off by that pair's
 * force, and the energy and the virial by its terms. For the energy half that distance is taken,
 * and of many such pairs once the largest and 1.5 times the root of the sum of squares over classes
 * that are as wide as u times the cutoff: others are decided one by one. Where all pairs of a
 * periodic box count at their nearest images, so may the sign be of a component of the force of a
 * pair half an edge apart. And numbers that underflow may be flushed to zero.
 *
 * How small a wrong pair force may be before it hides in the tolerance of its particle follows from
 * the first line: about 4 u L T_i. A Lennard-Jones liquid at density 0.84 has T_i of some 1300, so
 * that is 3e-3 at L = 10 and 3e-2 at L = 100 in float, 6e-12 and 6e-11 in double, where the pair
 * force at a cutoff of 2.5 is 4e-2. Bugs that touch the weakest pairs alone are therefore looked
 * for in small boxes or in double.
 *
 * A reference that kernels in double computed (sampled_reference.h) errs itself, as they do: its
 * unit is added to both u and v.
 */
#ifndef PAIRMARK_WORKLOADS_TOLERANCES_H
#define PAIRMARK_WORKLOADS_TOLERANCES_H

#include "kernels/results.h"
#include "reference/pairs/reference.h"

enum {
    GATE_FACTOR = REFERENCE_EDGE_WIDTH /* c: no wider than the reference lists edge pairs */
};

/* Whether a float of this size, or smaller, holds half a unit of fixed point, 2^-33. */
static inline bool is_finer_than_fixed(double size) {
    return size <= 0x1p-9;
}

/* The precision as tolerances need it. */
struct arithmetic {
    double unit;     /* unit roundoff of the arithmetic */
    double sum_unit; /* unit roundoff of the sums */
    double quantum;  /* by how much each term is off that is rounded to fixed point */
    double few_unit; /* unit roundoff of sums of a few terms, where pairs are exact; else 0 */
    double largest;  /* largest finite number */
    double smallest; /* numbers below this may be flushed to zero */
};

enum { GAP_CLASSES = 64 };

/* Energies of pairs of which some may be decided otherwise than by the reference: by how far they
 * are from their cutoff, in roundings of it, for those as far may all be decided alike. */
struct edge_sums {
    double of_class[GAP_CLASSES];
    double all, largest;
};

/* What bounds are made of, for one reference and precision. */
struct tolerances {
    const struct reference *reference;
    struct arithmetic arithmetic;   /* the reference's own unit included */
    double length;                  /* L */
    double *edge_components;        /* 3n: forces of pairs at the edge of the cutoff; NULL: none */
    double edge_energy[TERM_KINDS]; /* the same for the energy */
    double edge_virial;             /* and for each virial */
    struct edge_sums near;          /* of the energy, of those so near that totals may show them */
};

/* |got - expected| - edge <= allowed. */
struct bound {
    double allowed; /* by rounding */
    double edge;    /* what pairs at the edge of the cutoff may account for */
};

/* `length_scale` is box_length_scale(); the reference's own is taken where it is longer. The
 * reference outlives the tolerances. STATUS_OUT_OF_MEMORY; free in any case. */
bool tolerances_make(const struct reference *reference, double length_scale,
                     enum precision precision, struct tolerances *tolerances, struct error *error);
void tolerances_free(struct tolerances *tolerances);

/* The bound of one component of the force on a particle. */
struct bound bound_of_force(const struct tolerances *tolerances, size_t particle, int component);
/* The bound of the whole energy, added up as the evaluation says. */
struct bound bound_of_energy(const struct tolerances *tolerances,
                             const struct evaluation *evaluation);
/* The bound of the energy of the terms of one kind. */
struct bound bound_of_kind(const struct tolerances *tolerances, int kind);
/* The bound of each of the nine virials. */
struct bound bound_of_virial(const struct tolerances *tolerances,
                             const struct evaluation *evaluation);

/* error / scale, with 0/0 = 0 and anything unbounded as infinity. */
double relative_error(double error, double scale);

/* How many times pairs stand among the reference's edge pairs that the arithmetic may take for
 * within a cutoff or not. */
size_t tolerances_edge_pairs(const struct reference *reference, double length_scale,
                             enum precision precision);

/* How far each component of each force may be from the reference: 3n numbers. */
bool tolerances_of_forces(const struct reference *reference, double length_scale,
                          enum precision precision, double *numbers, struct error *error);

/* ---- errors of all vectors together ---- */

/* Sums over the components of vectors: of what is expected, and of how far off what was got is. */
struct vector_errors {
    double square, square_error, largest;
    double net[3]; /* of what was got, by x, y, z */
};

/* Adds component k: x, y, z of the first vector, then of the next. */
void vector_errors_add(struct vector_errors *errors, size_t k, double got, double expected);
/* Adds those of other vectors. */
void vector_errors_join(struct vector_errors *errors, const struct vector_errors *others);
/* Fills in the verdict's errors of forces, relative to the root mean square of n vectors. */
void vector_errors_conclude(const struct vector_errors *errors, size_t n, struct verdict *verdict);
/* The length of the sum of what was got, relative to the same. */
double vector_errors_net(const struct vector_errors *errors, size_t n);

#endif
