/*
 * step — the integrator in double precision that kernels' time steps are compared with.
 *
 * What a step is stands in kernels/motion/step_rules.h. Forces are the reference's own, over the
 * pairs within the cutoff of a list with a skin, which is built anew before any pair could be
 * missing, or of more than 4096 particles by rows, shared out among threads (reference.h). All is
 * in a fixed order whatever the number of threads, so that the same request gives the same bits,
 * and steps done in two goes are those done in one.
 *
 * Trajectories of two arithmetics part exponentially, so that a comparison holds for some ten steps
 * alone, and needs to know how far they may be apart. To first order in the errors, with e_i of a
 * position, d_i of a velocity (lengths of vectors), X the largest e of all, F_i of a force:
 *
 *   F_i = p_i + T_i (e_i + X) + E_i       p_i = 4 u (S_i + L T_i) + 1.5 v sqrt(m_i) S_i + Z_i
 *   kick by h    d_i += h/m_i F_i + 4 w (|v_i| + h/m_i |f_i|)
 *   drift by h   e_i += h d_i + 4 w h |v_i| + 4 q L
 *   v *= s       d_i = s d_i + |v_i| (error of s) + 4 w |v_i|
 *
 * S, T, m, Z and L are those of struct reference, p_i being the tolerance that
 * workloads/tolerances.h derives (here of a vector: sqrt(3) times that); E_i is the sum of
 * |f_ij| over the pairs so near to a cutoff that they may be decided otherwise, which is when they
 * are within 4 u (L + cutoff) + 2 X. A force between i and j moves by at most its slope times e_i +
 * e_j, and e_j <= X. The 4 w are the roundings of the factors (h, 1 / m), the product and the sum;
 * 4 q L those of adding to three coordinates and of taking them back into the cell. A thermostat's
 * factor moves by what the kinetic energy may be off by: sum of m |v| d, and K (4 w + v sqrt(3n))
 * for adding it up. Gaussian draws are good to 16 roundings of their length. A wall adds its
 * strength times e_i to F_i. The reciprocal part of an Ewald sum adds its own rounding (pme.h), and
 * to T_i the charge times the most that the field at a place changes if all charges move by a
 * length. Of many bodies T_i is twice the slope and what the error of a density makes of a length
 * (`condition` over L), for a particle moves with two others. What is carried through a face moves
 * by m d_i, and by all that a particle carries in steps where it is within e_i of the face, and in
 * the next: who decides otherwise counts it in one of them. All are bounds, not estimates: errors
 * that add up are taken to have one sign.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_H
#define PAIRMARK_REFERENCE_STEPS_STEP_H

#include "boxes/box.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/interaction.h"
#include "reference/pairs/reference.h"
#include "reference/pme/pme.h"

/* The unit roundoffs of the arithmetic that is to be compared; all zero: exact, without errors. */
struct step_units {
    double arithmetic; /* u, of pairs */
    double sum;        /* v, of sums of forces */
    double velocity;   /* w, of velocities, and of what is added to positions */
    double position;   /* q, of positions as they are kept */
    double
        coordinate; /* of positions as pairs see them, where these are kept in more; 0: as kept */
};

/* The reciprocal part of an Ewald sum by smooth particle mesh Ewald, of which the pair function has
 * the real part: see reference/pme/pme.h. */
struct step_long_range {
    double alpha, coulomb;
    size_t grid[3];
    int order;
    struct pme_rounding rounding, adding; /* of whom is compared; of adding it to other forces */
};

/* What it has of the sums below: with self energy, background and excluded pairs. The errors are
 * those of rounding. */
struct step_long_sums {
    double energy, virial[9];
    double energy_error, virial_error;
};

/* What forces are sums over. */
enum step_bodies { STEP_PAIRS, STEP_EMBEDDED, STEP_TRIPLETS };
enum step_bodies step_bodies_of(const struct interaction *interaction);

/* One state of particles whose forces are no sums over pairs. */
struct step_state {
    const struct box *box;
    const struct interaction *interaction;
    double cutoff;
    double wider; /* edge pairs are within this of the cutoff, and their own width */
    double unit;  /* roundoff of the arithmetic that is to be compared */
};
bool step_bodies_compute(const struct step_state *state, struct reference *now,
                         struct error *error);

/* What is summed over the box at one step; of velocities v(k). */
struct step_sums {
    double potential; /* of the pairs, and of the reciprocal part */
    double field;     /* of the field: - charge E x - m a x by unwrapped positions, and the walls */
    double kinetic;
    double temperature;               /* 2 K / degrees of freedom; 0 where there are none */
    double virial[9];                 /* likewise: sum of r_ij (outer) f_ij */
    struct step_long_sums long_range; /* what these have of the reciprocal part */
    double pressure; /* (2 K + trace of the virial) / (3 volume); NaN in an open box, and of
                        rigid waters, whose forces of constraints are not in the virial */
    double momentum[3];
    double conserved; /* what the rules conserve but for the error of dt: potential + field +
                         kinetic, the links' energies (sum of Q w^2 / 2, g T times the first
                         position, T times the others'), less the heat */
    /* Bounds of errors of the numbers above, by those of positions and velocities alone: not what
     * adding up costs. 0 of exact arithmetic. */
    double potential_error, kinetic_error, virial_error; /* of each of the nine */
};

/* Where a number of steps led to. */
struct step_end {
    size_t n;
    int32_t types;
    uint64_t step;         /* the number of the last state: that of the first, and the steps done */
    double *displacement;  /* 3n: x(end) - x(start), of the particle that goes through faces */
    double *position;      /* 3n: in the cell, where periodic */
    int32_t *image;        /* 3n: whole vectors a, b, c taken off: start, moved into the cell +
                              displacement = position + image times the vectors */
    double *velocity;      /* 3n: v(end), of leapfrog v(end - 1/2) */
    double *force;         /* 3n: of the pairs, at the end */
    uint64_t *crossing;    /* 6 types: how often a particle of type t went out of the cell through
                              face f, at [6 t + f]: f = 2k below and 2k + 1 above along vector k */
    double *carried;       /* 6 types: the sum of m |v| over these, v along the normal of the face,
                              the velocity of the drift. Over area and time: the kinetic part of the
                              pressure */
    double *carried_error; /* 6 types: what errors of velocities, and of places near faces, may make
                              of these. 0 of exact arithmetic */
    uint64_t *doubt;       /* 6 types: how many of the particles passing, or nearly, were so near to
                              the face that errors may decide otherwise. 0 of exact arithmetic */
    struct step_sums first, last;
    struct thermostat_state thermostat;
    uint64_t lists;             /* how many lists were built */
    double *displacement_error; /* n: e_i at the end; zeros of exact arithmetic */
    double *velocity_error;     /* n: d_i */
};

/* What is integrated: from the state of `box`, its positions, anywhere, its velocities (zeros where
 * it has none) and masses, rules->steps steps. */
struct step_case {
    const struct box *box;
    const struct interaction *interaction;
    double cutoff;
    const struct step_rules *rules;
    uint64_t state_step;                       /* the number of the state */
    const struct thermostat_state *thermostat; /* in that state; NULL: zeros */
    const struct step_units *units;            /* of whom is compared; NULL: exact */
    const struct step_long_range *long_range;  /* NULL: none */
};

/* No steps give the sums of the state alone.
 * Errors: as reference_direct(), STATUS_BAD_INPUT for rules that do not go together, and for a
 * trajectory that leaves what double can hold (dt too large), saying at which step;
 * STATUS_UNSUPPORTED as soon as errors of `units` are larger than the way that particles may have
 * come by the end. */
bool reference_integrate(const struct step_case *step_case, struct step_end *end,
                         struct error *error);
/* The same of particles that are in the order of how far they are, at the start, from those that
 * are asked for. Before each step, those from which nothing can reach these any more are given up:
 * who is deeper than `way` and a `layer` per step that is left. So sums are of nothing, and at the
 * end there are end->n, of which those asked for are right, if nobody went farther than `way` less
 * the width of their place. Without thermostat, noise and rigid waters. */
struct step_cone {
    const double *depth; /* n, ascending */
    double layer, way;
    double farthest; /* how far any of those that took steps went: filled in */
};
bool reference_integrate_cone(const struct step_case *step_case, struct step_cone *cone,
                              struct step_end *end, struct error *error);
void step_end_free(struct step_end *end); /* also of a zeroed one; zeroes it */

#endif
