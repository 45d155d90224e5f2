/*
 * step_some — where some particles come to in a number of steps, without moving all of them.
 *
 * Where a particle is after k steps depends on who was within the cutoff of it at one of k states,
 * on who was within the cutoff of those at one before, and so on: on nobody who was farther from it
 * at the start than k cutoffs and what anybody moves meanwhile. So particles that lie together are
 * integrated with those around them, ever fewer from step to step. It is the arithmetic of
 * reference_integrate() in another order of adding up. The bounds of errors are those of the
 * particles that took part.
 *
 * What anybody moves is taken to be one and a half times the way at the highest speed of the start,
 * and a tenth of a cutoff. Where one of those that took part moves farther, all are integrated.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_SOME_H
#define PAIRMARK_REFERENCE_STEPS_STEP_SOME_H

#include "reference/steps/step.h"

struct step_some {
    double *displacement; /* 3 a particle */
    double *error;        /* of it, see step.h */
    size_t integrated;    /* how many particles took the first step */
};

/* From how many places, of a cutoff's width, particles may be taken such that few others matter to
 * them: 1 to 8. 0: from anywhere, since all matter; so it is of thermostats, noise, rigid waters,
 * exclusions, many bodies, values of particles, of boxes that are no orthorhombic cells, and of
 * small ones. */
size_t reference_step_places(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct step_rules *rules);

/* Of `count` particles, of which some dozens are meant, those that lie together after one that has
 * them within a cutoff: displacement and error of particle[k] at place k. From state 0, without a
 * thermostat's state. Errors as reference_integrate(). */
bool reference_integrate_some(const struct step_case *step_case, const uint32_t *particle,
                              size_t count, struct step_some *some, struct error *error);
void step_some_free(struct step_some *some); /* also of a zeroed one */

#endif
