/*
 * best_life — how long lists last in the box that `best` is asked about: the box at a temperature,
 * who moves it, and the record of how far particles come.
 */
#ifndef PAIRMARK_COMMANDS_BEST_LIFE_H
#define PAIRMARK_COMMANDS_BEST_LIFE_H

#include "commands/simulation/list_life.h"
#include "devices/device.h"

/* As the user said it. */
struct life_words {
    const char *integrator; /* NULL: settle for rigid waters, else verlet */
    double temperature;     /* less than 0: that of the box's velocities, else 1 */
    double dt;
};

/* Zero-initialise; release with best_life_free. */
struct best_life {
    struct box box; /* with velocities, as kernels have it */
    struct step_rules rules;
    double cutoff, temperature;
    bool assumed; /* nobody said the temperature: it is 1 */
    bool by_reference;
    bool measured;
    bool straight; /* the simulation failed: as if the fastest particle went straight on */
    struct list_life life;
};

/* Makes or reads the box of the case. Errors: those of moving_box() and moving_cutoff(). */
bool best_life_prepare(const struct life_words *words, const struct case_spec *spec,
                       struct best_life *life, struct error *error);
void best_life_free(struct best_life *life);

/* Measures up to half of a skin, for about `cap_s` seconds, and leaves the box where the record
 * began. Small boxes on processors are moved by the reference, others by kernels; by the reference
 * where these cannot. A simulation that fails (particles overlap, the time step is too long) is
 * reported on stderr, and speeds alone give the lives. */
bool best_life_measure(const struct case_spec *spec, const struct device_info *device,
                       double widest_skin, double cap_s, double deadline_s, struct best_life *life,
                       struct error *error);

/* Whether one of the box's species is a chemical element. */
bool best_life_has_elements(const struct box *box);

#endif
