/*
 * reference — the serial double-precision truth that every variant is compared with.
 *
 * Shares no code with variants/: plain loops over pairs i < j, in double, in a fixed order. Besides
 * the result it gives the condition numbers from which the gate derives its tolerance: S_i = sum
 * over pairs of |f_ij|, T_i = sum over pairs of |df/dr| so that an input or arithmetic error of
 * relative size eps changes f_i by no more than about eps (S_i + L T_i), L being the length scale
 * of the coordinates.
 */
#ifndef PAIRMARK_REFERENCE_REFERENCE_H
#define PAIRMARK_REFERENCE_REFERENCE_H

#include "box/box.h"
#include "variant/interaction.h"

struct reference {
    size_t n;
    uint64_t pairs_in_cutoff; /* unordered pairs with r <= cutoff */
    double energy;
    double virial[9];    /* sum over pairs r_ij (outer) f_ij, row-major */
    double *force;       /* 3n */
    double *scale;       /* S_i, n */
    double *slope;       /* T_i, n */
    double energy_scale; /* sum over pairs |u_ij| */
    double energy_slope; /* sum over pairs |f_ij| */
    double virial_scale; /* sum over pairs r |f_ij| */
    double virial_slope; /* sum over pairs |f_ij| + r |df/dr| */
};

/* Direct sum over all N(N-1)/2 pairs. cutoff may be INFINITY in an open box. A pair at r <= cutoff
 * counts. Errors: STATUS_OUT_OF_MEMORY; STATUS_UNSUPPORTED for an interaction that has no
 * reference. */
bool reference_direct(const struct box *box, const struct interaction *interaction, double cutoff,
                      struct reference *reference, struct error *error);

/* The same by a walk over linked cells: for large N. Needs a finite cutoff (falls back to the
 * direct sum when the cells would be fewer than 4 an edge in a periodic box, or the cutoff is
 * infinite). */
bool reference_cells(const struct box *box, const struct interaction *interaction, double cutoff,
                     struct reference *reference, struct error *error);

/* The one to use: direct up to 4096 particles, else cells; kept in the on-disk cache by a hash of
 * box, interaction and cutoff when it took longer than reading it back would. */
bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error);

void reference_free(struct reference *reference);

/* The pair function by itself, for tests: u(r), f(r) = -du/dr, df/dr. STATUS_UNSUPPORTED as above.
 */
bool reference_pair(const struct interaction *interaction, double r, double *energy, double *force,
                    double *slope, struct error *error);

#endif
