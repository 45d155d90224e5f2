/*
 * step_rules — how particles are moved from one time step to the next, as the user said it: what
 * the kernels of a step and the reference's own integrator are both given.
 *
 * Units are the caller's: lengths, masses and energies fix that of time, length sqrt(mass /
 * energy). A temperature is k_B T, an energy.
 *
 * The state at step k is: positions x(k), velocities v(k), one mass m per particle, and of the
 * thermostat what struct thermostat_state holds. a is the force on a particle over its mass: of the
 * pairs and of the field. One step of
 *
 *   verlet     v += dt/2 a(x);  x += dt v;  v += dt/2 a(x)
 *              (W. C. Swope et al., J. Chem. Phys. 76, 637 (1982))
 *   leapfrog   v += dt a(x);  x += dt v.  The state has v(k - 1/2), the velocity half a step
 *              before; v(k) = v(k - 1/2) + dt/2 a(x), from which energies and temperature are
 *   langevin   v += dt/2 a(x);  x += dt/2 v;  v = c v + sqrt((1 - c^2) T / m) g;  x += dt/2 v;
 *              v += dt/2 a(x), with c = exp(-friction dt): BAOAB of B. Leimkuhler and C. Matthews,
 *              Appl. Math. Res. Express 2013, 34. The three g of particle i in the step from k are
 *              the Gaussian draws 4i, 4i + 1 and 4i + 2 of the stream (seed, step k, use
 *              STEP_NOISE_USE), the steps counted from `first`, the particles of a batch
 *              throughout; see reference/random/random.h
 *   settle     verlet of rigid waters (below): v += dt/2 a(x);  d = dt v, to which forces along the
 *              sides before the drift are added until the sides behind it have their lengths;
 *              v = d / dt;  x += d;  v += dt/2 a(x), from which what changes sides is taken
 *              (S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13, 952 (1992);
 *              H. C. Andersen, J. Comput. Phys. 52, 24 (1983))
 *
 * and of a thermostat, g being the degrees of freedom, K the kinetic energy of the velocities that
 * are scaled, T the temperature asked for:
 *
 *   rescale      behind every `interval`-th step (k + 1 is a multiple): v *= sqrt(g T / 2K)
 *   berendsen    behind each step: v *= sqrt(1 + dt/time (g T / 2K - 1)), nothing below the root
 *                being less than 0 (H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984))
 *   nose-hoover  half a step of the thermostat before the first half kick and behind the last: a
 *                chain of M links of masses Q_1 = g T time^2, Q_j = T time^2 and velocities w_j,
 *                G_1 = 2K - g T, G_j = Q_(j-1) w_(j-1)^2 - T, h = dt/2:
 *                  w_M += h/2 G_M/Q_M;  for j = M-1 .. 1: w_j = (w_j e_j + h/2 G_j/Q_j) e_j
 *                  with e_j = exp(-h/4 w_(j+1));  v *= exp(-h w_1);  every position += h w_j;
 *                  for j = 1 .. M-1: w_j = (w_j e_j + h/2 G_j/Q_j) e_j;  w_M += h/2 G_M/Q_M
 *                each G being of what K and w are then (G. J. Martyna et al., Mol. Phys. 87, 1117
 *                (1996)). M = 1 is Nose's and Hoover's own.
 *
 *   langevin     of settle: its drift is cut in two halves, each made rigid as the whole is, and
 *                between them v = c v + sqrt((1 - c^2) T / m) g, as the integrator langevin has it:
 *                g-BAOAB of B. Leimkuhler and C. Matthews, Proc. R. Soc. A 472, 20160138 (2016).
 *                Its projections of velocities before a drift are left out: what they would take,
 *                that drift takes, along the same sides
 *
 * Before the forces of each step a position outside a periodic cell is moved into it by whole
 * vectors, and counted at the faces that it went through. Degrees of freedom are 3n - 3 where the
 * total momentum stays (without noise and field, n > 1), else 3n; 3 less for each rigid water.
 */
#ifndef PAIRMARK_KERNELS_MOTION_STEP_RULES_H
#define PAIRMARK_KERNELS_MOTION_STEP_RULES_H

#include "boxes/box.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stdint.h>

enum { STEP_MAX_CHAIN = 10, STEP_FACES = 6, STEP_NOISE_USE = 0x62616f62 };

enum integrator { INTEGRATOR_VERLET, INTEGRATOR_LEAPFROG, INTEGRATOR_LANGEVIN, INTEGRATOR_SETTLE };
enum thermostat {
    THERMOSTAT_NONE,
    THERMOSTAT_RESCALE,
    THERMOSTAT_BERENDSEN,
    THERMOSTAT_NOSE_HOOVER,
    THERMOSTAT_LANGEVIN
};

/* A wall along one axis: of the coordinate x in the cell, 1/2 strength (x - high)^2 beyond high and
 * as much below low. */
struct step_wall {
    bool present;
    double low, high, strength; /* strength: energy per length squared, > 0 */
};

/* What acts on each particle by itself. */
struct step_field {
    double per_charge[3]; /* force per charge: an electric field */
    double per_mass[3];   /* acceleration */
    struct step_wall wall[3];
};

struct step_rules {
    enum integrator integrator;
    enum thermostat thermostat; /* of langevin: none; of settle: that, nose-hoover or langevin,
                                   which nothing else has; of leapfrog: not nose-hoover */
    double dt;                  /* > 0 */
    uint64_t steps;
    double temperature;   /* of a thermostat: > 0; of langevin: >= 0. NaN: none was said */
    double time_constant; /* >= dt of berendsen, >= 2 dt of nose-hoover */
    double friction;      /* of langevin, per time, >= 0 */
    uint64_t interval;    /* of rescale, >= 1 */
    int chain;            /* links of nose-hoover, 1 to STEP_MAX_CHAIN */
    uint64_t seed, first; /* of langevin; the first step's number, for the noise alone */
    bool float_noise;     /* the draws are those of float, else of double */
    double oh, hh; /* sides of rigid waters: from the tip to either, and between these; hh < 2 oh */
    struct step_field field;
};

/* What a thermostat carries from one step to the next; zeros at the start. */
struct thermostat_state {
    double position[STEP_MAX_CHAIN], velocity[STEP_MAX_CHAIN]; /* of the links of nose-hoover */
    double heat; /* of all others and langevin: kinetic energy that they have put in */
};

/* verlet, dt 0.005, no steps, no thermostat, no field; a thermostat's numbers: no temperature, time
 * 0.5, friction 1, interval 10, one link, seed 1. */
struct step_rules step_rules_default(void);

/* The words of a user into rules:
 *
 *   integrator   verlet, leapfrog, langevin[:friction=,temperature=,seed=], settle[:oh=,hh=]
 *   thermostat   none, rescale[:temperature=,interval=], berendsen[:temperature=,time=],
 *                nose-hoover[:temperature=,time=,chain=], langevin[:friction=,temperature=,seed=]
 *   field        charge=X:Y:Z, mass=X:Y:Z, wall-x=LOW:HIGH:STRENGTH, wall-y=, wall-z=, by commas
 *
 * What is not said stays. STATUS_BAD_INPUT naming the word that is wrong and the choices. */
bool step_integrator_parse(const char *words, struct step_rules *rules, struct error *error);
bool step_thermostat_parse(const char *words, struct step_rules *rules, struct error *error);
bool step_field_parse(const char *words, struct step_field *field, struct error *error);

/* Whether all that the rules need was said, and goes together. STATUS_BAD_INPUT. */
bool step_rules_check(const struct step_rules *rules, struct error *error);

bool step_field_is_there(const struct step_field *field);

/* Whether velocities get noise: of the integrator langevin, and of that thermostat. */
bool step_rules_have_noise(const struct step_rules *rules);
/* Whether a thermostat acts on all particles alike, and its energy is added up on the device. */
bool step_rules_have_bath(const struct step_rules *rules);
/* How long a particle drifts at once: dt, or half of it around noise. */
double step_rules_drift(const struct step_rules *rules);
/* Degrees of freedom of n particles, of which `rigid` threes are rigid waters. */
double step_rules_freedom(const struct step_rules *rules, size_t n, size_t rigid);

/* The full spelling of what is moved how: "verlet:dt=0.005 thermostat=none". Without the number of
 * steps; 17 digits where needed. Identity in rows. */
void step_rules_describe(const struct step_rules *rules, struct strbuf *text);

const char *integrator_name(enum integrator integrator);
const char *thermostat_name(enum thermostat thermostat);

/* ---- rigid molecules ---- */

/* Molecules that keep their shape along time steps: rigid waters.
 *
 * A molecule is all particles that share a number in the box's `molecule`. One of three is rigid: a
 * tip, and two particles of like type and mass that are `oh` from it and `hh` from each other. One
 * of a single particle moves by itself; there are no others. */

struct rigid_molecules {
    size_t count;  /* molecules, the single particles among them */
    size_t rigid;  /* of three */
    int32_t *atom; /* 4 per molecule: tip, left, right, 0; a single particle has -1 behind it */
};

/* Free in any case. STATUS_UNSUPPORTED where the box has no molecules, or one that is of another
 * number of particles, has no tip, or whose sides are more than 1 % off at the box's positions. */
bool rigid_molecules_find(const struct box *box, const struct step_rules *rules,
                          struct rigid_molecules *molecules, struct error *error);
void rigid_molecules_free(struct rigid_molecules *molecules); /* also of zeroed ones */

/* Takes from the velocities of rigid molecules what would change their sides, and scales what is
 * left to the temperature: 2 K = T (3n - 3 - 3 per rigid molecule). A temperature below 0 leaves
 * the scale. STATUS_OUT_OF_MEMORY, and what rigid_molecules_find() refuses. */
bool rigid_set_velocities(struct box *box, const struct step_rules *rules, double temperature,
                          struct error *error);

#endif
