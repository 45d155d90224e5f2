/*
 * reference — the double-precision truth that every variant is compared with.
 *
 * Shares no code with variants/, nor with what feeds the kernels: it is given the box and what was
 * parsed of the user's words (names and parameters of the functions, values for single types,
 * records of a table, pairs of a list of exclusions) and works out by itself what follows: mixing,
 * defaults, cutoffs, which pairs are left out and which are paired. tests/measure/test_faults.sh
 * breaks what the kernels are fed and looks whether the gate sees it.
 *
 * All is in double and in a fixed order: plain loops over pairs i < j, or every particle's row of
 * partners by itself, shared out among threads. Sums are compensated and displacements are rounded
 * once however far apart the images lie, so that the reference is better than the double-precision
 * kernels it judges.
 *
 * Besides the result it gives the condition numbers from which the gate derives its tolerance:
 * S_i = sum over pairs of |f_ij| and T_i = sum over pairs of max(|df/dr|, |f|/r), the norm of the
 * derivative of the force vector (along the pair and across it), so that an input or arithmetic
 * error of relative size eps changes f_i by no more than about eps (S_i + L T_i), L being the
 * length scale of the coordinates. Where an exponential and powers of r cancel in the slope, the
 * errors of the exponent do not: B_i, the sum over pairs of how far f_ij moves per relative change
 * of what is in an exponent, comes to S_i + L T_i. In a sum of pair functions each term of a pair
 * counts by itself, since their errors do not cancel where their values do.
 *
 * Pairs that the interaction leaves out (exclusions) have no terms, but are counted among the pairs
 * within the cutoff, which are the box's.
 *
 * Only the nearest image of each pair is looked at, so in a periodic box the cutoff must be one
 * that box_accepts_cutoff() takes, or INFINITY where every pair is to count at its nearest image,
 * which a triclinic cell refuses: there, the cutoff is at most half the least height of the cell.
 * Coincident particles (r = 0) make the results of both, the energy and the virial non-finite: that
 * is let through, for the gate to explain. A pair function that has no force there gives them none.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_REFERENCE_H
#define PAIRMARK_REFERENCE_PAIRS_REFERENCE_H

#include "boxes/box.h"
#include "boxes/groups.h"
#include "kernels/potentials/interaction.h"

/* A pair so close to the cutoff, or to the own cutoff of one of its terms, that arithmetic in lower
 * precision may decide otherwise about it. Its terms are given whether or not it was counted. A
 * pair may stand here once for each cutoff. Without a cutoff in a periodic box: a pair so close to
 * half an edge that either image may be taken, with `gap` from there and no energy. */
struct reference_edge_pair {
    uint32_t i, j;   /* i < j; of some particles see reference_compute_some() */
    double gap;      /* |r - cutoff| */
    double force[3]; /* how far |components of the force on i or j| may move: |f_ij|, or twice that
                        where the pair is as close to half an edge, so that either image is nearest
                      */
    double energy[TERM_KINDS]; /* |u_ij|, by kind of term */
    double virial;             /* r |f_ij|, or twice that, as for the force */
};

/* A pair is an edge pair when |r - cutoff| <= REFERENCE_EDGE_WIDTH 2^-24 (length_scale + cutoff).
 */
enum { REFERENCE_EDGE_WIDTH = 4 };

/* In the place of a particle that is not among those asked for. */
#define REFERENCE_ELSEWHERE UINT32_MAX

/* Unit roundoff of a float, of which sums have `lost` below. */
#define REFERENCE_FLOAT_UNIT 0x1p-24

/* The energy of the terms of one kind. */
struct reference_energy {
    double value;
    double scale; /* sum over pairs |u_ij| */
    double slope; /* sum over pairs |f_ij| */
};

/* Terms from 2^-48 of a particle's sum to all of it. */
enum { REFERENCE_SMALL_BINS = 48 };

/* What independent errors of pairs and of particles amount to in the energy and the virial, as
 * roots of sums of squares; workloads/tolerances.h says how they are used. Errors are independent
 * only where what is rounded differs: the pairs of a lattice err alike. So pairs fall into classes
 * by their distance, 2^-12 of its square wide, and each axis of a particle into one by its
 * coordinate; what a class amounts to is added up before it is squared. A class may hold others by
 * chance: then the root is somewhat larger. Of more than two million pairs a sample stands for all.
 * With s_ij = max(|df/dr|, |f|/r), L_ij = L for a pair that is nearest across the cell, else 0, and
 * b how far u moves per relative change of what is in an exponent (or of a constant that cancels),
 * all summed over the terms of the pair: */
struct reference_spread {
    double energy;           /* of 8 |u| + 2 (r |f| + b) + L_ij |f| */
    double virial;           /* of 8 r |f| + 2 r^2 s_ij + 4 r B_ij + L_ij (|f| + r s_ij) */
    double energy_shift;     /* of the components of the forces on particles */
    double virial_shift;     /* of sums over the pairs of a particle of |f| + r s_ij */
    double energy_equal;     /* of |u|, by classes of pairs whose |u| is the same number in float */
    double energy_condition; /* no root: sum over pairs b */
    double virial_coherent;  /* no root: sum over pairs r |f| + r^2 s_ij + 2 r B_ij */
    /* No roots: sums of the terms that are small beside those of a particle together, |u| of
     * energies and r |f| of virials. Relative to what the pairs of a particle come to in the mean,
     * those of bin b lie between 2^(b - REFERENCE_SMALL_BINS) and twice that; the first bin has
     * smaller ones, too. */
    double energy_small[REFERENCE_SMALL_BINS];
    double virial_small[REFERENCE_SMALL_BINS];
};

/* Of time steps: the numbers above are those of the end, `force` is how far each particle has come,
 * and here is the rest. All zero of what has no steps. See step.h. */
struct reference_motion {
    double *velocity;                     /* 3n, at the end */
    double *displacement_error;           /* n: how far rounding may lead astray */
    double *velocity_error;               /* n */
    double kinetic, kinetic_error;        /* energy, at the end */
    double thermostat, thermostat_error;  /* the energy that a thermostat has taken out */
    double potential_error, virial_error; /* by the errors of positions */
    /* 6 per type, as in struct step_end */
    int32_t types;
    uint64_t *crossing, *doubt;
    double *carried, *carried_error;
};

struct reference {
    size_t n;
    double unit; /* unit roundoff of what the numbers below were computed in, where that matters
                    beside the results that they judge: those of a kernel. 0 of all that is
                    computed here, which is compensated */
    uint64_t
        pairs_in_cutoff; /* unordered pairs with r <= cutoff, those that are left out included */
    double cutoff;
    double energy;
    bool energies_apart;                       /* the interaction has terms of both kinds */
    struct reference_energy kinds[TERM_KINDS]; /* their energies: parts of `energy` */
    double virial[9];                          /* sum over pairs r_ij (outer) f_ij, row-major */
    double *force;                             /* 3n */
    double *scale;                             /* S_i, n */
    double *largest;                           /* the largest term of S_i, n; 0, NULL: not known */
    double *slope;                             /* T_i, n */
    double *condition;                         /* B_i, n; NULL: not known, or none */
    double *lost; /* Z_i, n: what a sum in float may lose, the largest of the three axes: the sizes
                     of components of terms below half a unit in the last place of a partial sum.
                     0 where that is little (sum_lost_below()); NULL: none */
    uint32_t *neighbours; /* particles within the cutoff of i: terms in the sums above, n */
    double *share; /* 2n, of some particles alone, else NULL: sum of u_ij and of r f_ij over the
                      partners j of i. Over all particles they come to twice the energy and the
                      trace of the virial */
    double energy_scale; /* sum over pairs |u_ij| */
    double energy_slope; /* sum over pairs |f_ij| */
    double virial_scale; /* sum over pairs r |f_ij| */
    double virial_slope; /* sum over pairs |f_ij| + r max(|df/dr|, |f|/r) */
    /* The same sums over terms as they come out, where the scales weigh what is rounded within a
     * term by what it does to it; 0: the scales are these. */
    double energy_size, virial_size;
    struct reference_spread spread; /* all 0: not known */
    /* Whether arithmetic in float makes no error in any pair, which the caller of
     * reference_compute() may know, and whether all terms are whole units of fixed point. */
    bool is_exact, is_whole;
    /* Whether forces, energy and virial are those that a kernel found for the same pairs in another
     * order, with the errors that it makes in each. */
    bool is_of_other_order;
    double length_scale; /* L: no difference of coordinates, nor wrapping of one into the cell, sees
                            a longer length. Periodic: the longest edge, or the largest |coordinate|
                            if that is longer. Triclinic: twice how far the cell reaches along an
                            axis, if that is longer. Open: the diagonal of the extent. */
    struct reference_motion motion;
    struct reference_edge_pair *edge_pairs;
    size_t edge_pair_count;
    /* Where the edge pairs are those of a sample: of how many each is one, for energy and virial
     * (else 0, which stands for 1), and how many there are in all. What they do to forces is then
     * part of `slope`. */
    double edge_weight;
    uint64_t edge_total;
};

/* Whether groups that were resolved for a box of n particles are those that were asked for: the
 * runs of the lists walked once more, or of drawn ones sizes, no particle twice or in both. Says
 * with STATUS_WRONG which are not. */
bool reference_checks_groups(const struct group_spec *spec, size_t n, const struct groups *groups,
                             struct error *error);

/* Direct sum over all N(N-1)/2 pairs. A pair at r <= cutoff counts; cutoff may be INFINITY. Errors:
 * STATUS_OUT_OF_MEMORY; STATUS_UNSUPPORTED for an interaction that has no reference;
 * STATUS_BAD_INPUT for a cutoff that is not positive, a coordinate that is not finite, or an
 * interaction that does not fit the box or the cutoff (pair_model_bind).
 */
bool reference_direct(const struct box *box, const struct interaction *interaction, double cutoff,
                      struct reference *reference, struct error *error);

/* The same by a walk over linked cells: for large N. Needs a finite cutoff (falls back to the
 * direct sum when the cells would be fewer than 4 an edge in a periodic box, or the cutoff is
 * infinite). Counts exactly the pairs that the direct sum counts. */
bool reference_cells(const struct box *box, const struct interaction *interaction, double cutoff,
                     struct reference *reference, struct error *error);

/* The same two for pairs of groups, see reference_compute_groups(). */
bool reference_direct_groups(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct groups *groups,
                             struct reference *reference, struct error *error);
bool reference_cells_groups(const struct box *box, const struct interaction *interaction,
                            double cutoff, const struct groups *groups, struct reference *reference,
                            struct error *error);

/* A pair at r > 0 where the interaction has no energy or force, or one beyond what a precision
 * holds. */
struct reference_valueless {
    uint32_t i, j;
    double r, energy, force;
};

/* The first such pair, `largest` being the largest number, in the order of the particles, of those
 * within the cutoff that are not left out; false where there is none, among 2^28 pairs at most, or
 * on an error of reference_direct(). For messages: takes its time. */
bool reference_find_valueless(const struct box *box, const struct interaction *interaction,
                              double cutoff, double largest, struct reference_valueless *found,
                              struct error *error);

/* How reference_compute() and its like go about it: every particle's sum by itself, shared out
 * among threads, or the plain serial sums above (direct up to 4096 particles, else cells). Both
 * count the same pairs by the same arithmetic and differ in the order of adding up: forces,
 * energies and virials, which are compensated, in their last bit; their scales and slopes, which
 * are not, by a rounding error a term; edge pairs in their order. Without a cutoff the forces are
 * the same to the bit. The bits of either do not depend on the number of threads. For the whole
 * process, those that it forks included; the first unless chosen otherwise. */
enum reference_way { REFERENCE_THREADS, REFERENCE_SERIAL };
void reference_choose_way(enum reference_way chosen);
bool reference_is_serial(void);

/* What is summed over. */
struct reference_case {
    const struct box *box;
    const struct interaction *interaction;
    double cutoff;               /* INFINITY: none */
    const struct groups *groups; /* NULL: all pairs of all particles */
};

/* The one to use; kept in the on-disk cache by a hash of
 * box, interaction and cutoff when it took longer than reading it back would. What comes from the
 * cache is bit for bit what was computed. */
bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error);

/* The same of a box that nobody will ask for again: nothing is read from disk, nor kept there. */
bool reference_compute_once(const struct box *box, const struct interaction *interaction,
                            double cutoff, struct reference *reference, struct error *error);

/* The same for pairs of groups: a pair counts as often as the groups have it (twice in GROUPS_TWO
 * when both its particles are in both groups, as often as it stands in the list of GROUPS_PAIRS),
 * and so do its sums and pairs_in_cutoff; particles outside have zeros. NULL groups:
 * reference_compute(). Forces are minus the gradient of the energy,
 * whoever may want its negative. */
bool reference_compute_groups(const struct box *box, const struct interaction *interaction,
                              double cutoff, const struct groups *groups,
                              struct reference *reference, struct error *error);

/* The same for some particles alone, which may be few of many: n is `count`, and place k of force,
 * scale, slope and neighbours is that of particle[k], bit for bit what reference_compute_groups()
 * has for it. `share` is there. The list may be in any order and name a particle again. An edge
 * pair stands once for every place whose particle it touches: i is the place, j
 * REFERENCE_ELSEWHERE. What is summed over the box is not known: energies, virials and their scales
 * are NaN, pairs_in_cutoff is 0. Nothing is kept on disk. Errors as above, and STATUS_BAD_INPUT for
 * a particle that the box lacks. */
bool reference_compute_some(const struct reference_case *asked, const uint32_t *particle,
                            size_t count, struct reference *reference, struct error *error);

/* Fills in `spread` of a reference that came about elsewhere, from its forces, scales, slopes and
 * neighbours. STATUS_OUT_OF_MEMORY. */
bool reference_fill_spread(const struct box *box, const struct interaction *interaction,
                           double cutoff, struct reference *reference, struct error *error);

void reference_free(struct reference *reference); /* also of a zeroed one; zeroes it */

/* The pair function by itself, for tests, of two particles of unit charge and without regard to
 * types: u(r), f(r) = -du/dr, df/dr. STATUS_UNSUPPORTED as above. */
bool reference_pair(const struct interaction *interaction, double r, double *energy, double *force,
                    double *slope, struct error *error);

#endif
