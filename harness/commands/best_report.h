/*
 * best_report — what the files of `pairmark best` share: how long lists last in its box, short
 * simulations that measure that, and the answer as a table of 80 columns or as JSON.
 */
#ifndef PAIRMARK_COMMANDS_BEST_REPORT_H
#define PAIRMARK_COMMANDS_BEST_REPORT_H

#include "commands/command_parts.h"
#include "commands/search/search.h"
#include "commands/simulation/simulation.h"
#include "devices/device.h"

#include <json.h>

/* What a time is of. */
enum best_time {
    BEST_EVALUATION, /* nothing that is built counts */
    BEST_STATED,     /* a list lasts for so many steps as the user says */
    BEST_MEASURED,   /* as many as were measured */
    BEST_WHOLE_STEP  /* workload step: integrator, forces and lists as they come */
};

struct best_report {
    const struct tuning_request *request;
    enum best_time time;
    const struct best_life *life; /* of the box; BEST_MEASURED, BEST_WHOLE_STEP */
    const double *steps_per_list; /* of each case of the sweep, NaN: none; BEST_WHOLE_STEP */
    double steps_per_build;       /* BEST_STATED */
    bool verbose;                 /* the tunables of each line, and how long each skin lasts */
};

void best_report_print(const struct best_report *report, const struct best_answer *answer);

struct json_object *best_report_json(const struct best_report *report,
                                     const struct best_answer *answer);

/* How long lists last in the box that `best` is asked about: the box at a temperature,
 * who moves it, and the record of how far particles come. */

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

/* Up to half of a skin, for about `cap_s` seconds, a trial of at most `deadline_s`. */
struct best_life_wanted {
    double widest_skin, cap_s, deadline_s;
};

/* Leaves the box where the record began. Small boxes on processors are moved by the reference,
 * others by kernels; by the reference where these cannot. A simulation that fails (particles
 * overlap, the time step is too long) is reported on stderr, and speeds alone give the lives. */
bool best_life_measure(const struct case_spec *spec, const struct device_info *device,
                       const struct best_life_wanted *wanted, struct best_life *life,
                       struct error *error);

/* A short simulation in a process of its own: how long lists last, how long a step
 * takes.
 *
 * The caller's process opens no device, so that workers can still be forked from it. The other one
 * is confined as a worker is, and ends with the caller, at a signal, or at the deadline. */

struct trial {
    const char *device;
    const struct case_spec
        *spec; /* of workload step; of `by_reference` step and interaction alone */
    double cutoff;
    bool by_reference; /* the serial integrator takes the steps, no kernel */
    double deadline_s;
};

struct trial_time {
    double step_s;         /* of a step, lists included */
    double steps_per_list; /* NaN: nothing lasts for several steps */
    double machine_load;   /* NaN: not known */
};

/* Some steps from the box on, then so many as take about `cap_s` seconds. Errors likewise. */
bool trial_steps(const struct trial *trial, const struct box *box, double cap_s,
                 struct trial_time *time, struct error *error);

#endif
