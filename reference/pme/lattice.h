/*
 * lattice — the reciprocal lattice of a box, and what both sums over it share. Private to
 * reference/.
 */
#ifndef PAIRMARK_REFERENCE_PME_LATTICE_H
#define PAIRMARK_REFERENCE_PME_LATTICE_H

#include "reference/pme/pme.h"

struct lattice {
    double rows[3][3]; /* a*, b*, c*: the product of a vector and its own is 1, of others 0 */
    double volume;
    double scale; /* coulomb / (pi V) */
    double decay; /* (pi / alpha)^2 */
};

/* Whether there is a lattice, and charges at places. STATUS_BAD_INPUT. */
bool lattice_make(const struct pme_problem *problem, struct lattice *lattice, struct error *error);

/* A vector of the lattice, and what it has of the sum. */
struct mode {
    double m[3], square, exponent; /* exponent: (pi m / alpha)^2 */
    double influence;              /* scale exp(-exponent) / m^2; 0 for m = 0 */
};
struct mode lattice_mode(const struct lattice *lattice, const double frequency[3]);

/* What modes come to. */
struct mode_sums {
    long double energy, virial[9];
    double virial_scale;
};

/* Adds `energy`, that of a mode, to the energy and what it is to the virial. */
void mode_add(const struct lattice *lattice, const struct mode *mode, double energy,
              struct mode_sums *sums);
void mode_sums_store(const struct mode_sums *sums, struct pme_result *result);
/* How large a term of the virial can be beside that energy. */
double mode_virial_scale(const struct mode *mode);

/* Empties the result and allocates its forces, and bounds where `bounded`. */
bool result_begin(size_t n, bool bounded, struct pme_result *result, struct error *error);

#endif
