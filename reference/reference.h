/*
 * reference — the serial double-precision truth that every variant is compared with.
 *
 * Shares no code with variants/: plain loops over pairs i < j, in double, in a fixed order. Sums
 * are compensated and displacements are rounded once however far apart the images lie, so that the
 * reference is better than the double-precision kernels it judges.
 *
 * Besides the result it gives the condition numbers from which the gate derives its tolerance:
 * S_i = sum over pairs of |f_ij| and T_i = sum over pairs of max(|df/dr|, |f|/r), the norm of the
 * derivative of the force vector (along the pair and across it), so that an input or arithmetic
 * error of relative size eps changes f_i by no more than about eps (S_i + L T_i), L being the
 * length scale of the coordinates. In a sum of pair functions each term of a pair counts by itself,
 * since their errors do not cancel where their values do.
 *
 * Pairs that the interaction leaves out (exclusions) have no terms, but are counted among the pairs
 * within the cutoff, which are the box's.
 *
 * Only the nearest image of each pair is looked at, so in a periodic box the cutoff must be one
 * that box_accepts_cutoff() takes, or INFINITY where every pair is to count at its nearest image.
 * Coincident particles (r = 0) make the results of both, the energy and the virial non-finite: that
 * is let through, for the gate to explain. A pair function that has no force there gives them none.
 */
#ifndef PAIRMARK_REFERENCE_REFERENCE_H
#define PAIRMARK_REFERENCE_REFERENCE_H

#include "box/box.h"
#include "box/groups.h"
#include "variant/interaction.h"

/* A pair so close to the cutoff, or to the own cutoff of one of its terms, that arithmetic in lower
 * precision may decide otherwise about it. Its terms are given whether or not it was counted. A
 * pair may stand here once for each cutoff. Without a cutoff in a periodic box: a pair so close to
 * half an edge that either image may be taken, with `gap` from there and no energy. */
struct reference_edge_pair {
    uint32_t i, j;   /* i < j */
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

/* The energy of the terms of one kind. */
struct reference_energy {
    double value;
    double scale; /* sum over pairs |u_ij| */
    double slope; /* sum over pairs |f_ij| */
};

struct reference {
    size_t n;
    uint64_t
        pairs_in_cutoff; /* unordered pairs with r <= cutoff, those that are left out included */
    double cutoff;
    bool coordination; /* never of what is computed here: whoever turns the forces of a coordination
                          into its derivatives says so, and messages about it then do, too */
    double energy;
    bool energies_apart;                       /* the interaction has terms of both kinds */
    struct reference_energy kinds[TERM_KINDS]; /* their energies: parts of `energy` */
    double virial[9];                          /* sum over pairs r_ij (outer) f_ij, row-major */
    double *force;                             /* 3n */
    double *scale;                             /* S_i, n */
    double *slope;                             /* T_i, n */
    uint32_t *neighbours; /* particles within the cutoff of i: terms in the sums above, n */
    double energy_scale;  /* sum over pairs |u_ij| */
    double energy_slope;  /* sum over pairs |f_ij| */
    double virial_scale;  /* sum over pairs r |f_ij| */
    double virial_slope;  /* sum over pairs |f_ij| + r max(|df/dr|, |f|/r) */
    double length_scale; /* L: no difference of coordinates, nor wrapping of one into the cell, sees
                            a longer length. Periodic: the longest edge, or the largest |coordinate|
                            if that is longer. Open: the diagonal of the extent. */
    struct reference_edge_pair *edge_pairs;
    size_t edge_pair_count;
};

/* Direct sum over all N(N-1)/2 pairs. A pair at r <= cutoff counts; cutoff may be INFINITY. Errors:
 * STATUS_OUT_OF_MEMORY; STATUS_UNSUPPORTED for an interaction that has no reference;
 * STATUS_BAD_INPUT for a cutoff that is not positive, a coordinate that is not finite, or an
 * interaction that does not fit the box (interaction_fits).
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

/* The one to use: direct up to 4096 particles, else cells; kept in the on-disk cache by a hash of
 * box, interaction and cutoff when it took longer than reading it back would. What comes from the
 * cache is bit for bit what was computed. */
bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error);

/* The same for pairs of groups: a pair counts as often as the groups have it (twice in GROUPS_TWO
 * when both its particles are in both groups, as often as it stands in the list of GROUPS_PAIRS),
 * and so do its sums and pairs_in_cutoff; particles outside have zeros. NULL groups:
 * reference_compute(). Forces are forces, minus the gradient of the energy: for a coordination
 * their negative is wanted. */
bool reference_compute_groups(const struct box *box, const struct interaction *interaction,
                              double cutoff, const struct groups *groups,
                              struct reference *reference, struct error *error);

void reference_free(struct reference *reference); /* also of a zeroed one; zeroes it */

/* The pair function by itself, for tests, of two particles of unit charge and without regard to
 * types: u(r), f(r) = -du/dr, df/dr. STATUS_UNSUPPORTED as above. */
bool reference_pair(const struct interaction *interaction, double r, double *energy, double *force,
                    double *slope, struct error *error);

#endif
