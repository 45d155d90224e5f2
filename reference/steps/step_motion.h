/*
 * step_motion — particles on their way through time steps, with what another arithmetic may be off
 * by: kicks, drifts, faces, thermostats. Private to reference/. The formulas stand in
 * kernels/motion/step_rules.h and reference/steps/step.h.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_MOTION_H
#define PAIRMARK_REFERENCE_STEPS_STEP_MOTION_H

#include "reference/steps/step.h"
#include "reference/steps/step_forces.h"

/* Rigid waters, see step_rigid.h. */
struct rigid_water {
    size_t atom[3];                      /* the tip first */
    double position_norm, velocity_norm; /* X and V when they were last constrained */
};

struct step_rigid {
    size_t count; /* 0: nothing is rigid */
    struct rigid_water *waters;
    double *before; /* 3n: positions before the drift */
};

struct motion {
    struct box box; /* the caller's, with positions of its own, in the cell where periodic */
    const struct step_rules *rules;
    struct step_cone *cone; /* NULL: all particles take all steps */
    struct step_units units;
    struct step_end *end; /* images, velocities, crossings, errors and the thermostat are there */
    struct step_forces forces;
    struct step_rigid rigid;
    double *start;       /* 3n: the first positions, in the cell */
    double *way;         /* 3n: displacements since */
    double *pull;        /* 3n: forces of the field */
    double *force_error; /* n: F_i of the forces that are known */
    uint8_t *was_near; /* n: a bit per vector: errors could have decided otherwise a step before */
    double degrees;    /* of freedom */
    bool triclinic;
    double inverse[3][3]; /* of the cell's vectors: x times it are the fractions. Row by row */
    double normal[3][3];  /* of the faces along each vector: of unit length */
    double height[3];     /* of the cell, along them */
    double largest_error; /* X */
    double kinetic, kinetic_error;     /* by motion_add_kinetic() */
    double link_error[STEP_MAX_CHAIN]; /* of the velocities of the links */
};

/* The cell's own numbers, and the positions into it without a count. */
bool motion_enter_cell(struct motion *motion, struct error *error);

/* Forces of the pairs and the field where the particles are. */
bool motion_compute_forces(struct motion *motion, struct error *error);

void motion_kick(struct motion *motion, double h);
void motion_drift(struct motion *motion, double h);
/* Into the cell, counted. False: a position is beyond all bounds; STATUS_BAD_INPUT. */
bool motion_cross(struct motion *motion, struct error *error);

/* Whether velocities get noise, between two halves of the drift. */
bool motion_has_noise(const struct step_rules *rules);
/* Sums up what the velocities carry. */
void motion_add_kinetic(struct motion *motion);
/* The middle of langevin's step, from state `step`. */
void motion_randomize(struct motion *motion, uint64_t step);
/* Half a step of nose-hoover. STATUS_UNSUPPORTED where it is too long for the chain. */
bool motion_half_thermostat(struct motion *motion, struct error *error);
/* What rescale and berendsen do after step `step`. */
void motion_rescale(struct motion *motion, uint64_t step);
/* The energy that the links hold. */
double motion_thermostat_energy(const struct motion *motion);

#endif
