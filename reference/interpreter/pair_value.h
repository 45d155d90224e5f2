/*
 * pair_value — a pair of particles, and what a function of their distance comes to. Private to
 * reference/.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_PAIR_VALUE_H
#define PAIRMARK_REFERENCE_INTERPRETER_PAIR_VALUE_H

#include "kernels/potentials/interaction.h"

#include <stdbool.h>
#include <stdint.h>

struct pair {
    double r2, r; /* squared distance and distance */
    int32_t type[2];
    double charge[2];
    uint32_t particle[2]; /* where the model is of_particles */
    bool excluded;        /* likewise: the interaction leaves it out, and it is told so */
};

struct pair_value {
    double energy;           /* u(r) */
    double over_r;           /* f(r)/r, f = -du/dr: positive pushes the particles apart */
    double slope;            /* df/dr */
    double energy_condition; /* how far u moves, at most, per relative change of what is in an
                    exponent, or of a constant that cancels in it; 0: |u| and r |f| tell */
    double force_condition;  /* how far f moves, at most, per relative change of what is in an
                     exponent; 0: |f| and r times the slope tell */
    double jump; /* the nearest distance where u or f jumps, as one sees from here; 0: none */
};

enum {
    PAIR_MAX_PARAMETERS = INTERACTION_MAX_PARAMETERS + 1
}; /* of one function, and what follows from them */

/* What a parameter of two unlike types follows from, given each type's own. */
enum pair_mixing {
    PAIR_UNMIXED,   /* nothing: there are no values for single types */
    PAIR_LORENTZ,   /* the mean, of lengths: H. A. Lorentz, Ann. Phys. 248 (1881) 127 */
    PAIR_BERTHELOT, /* the geometric mean, of energies: D. Berthelot, C. R. 126 (1898) 1703 */
};

#endif
