/*
 * simulation — steps of a box, with a log and a trajectory.
 *
 * The log is CSV, a line at step 0 and after each `log_every` steps: step, time, temperature,
 * potential (of pairs and field), kinetic, pressure (empty in an open box), conserved
 * (empty where the engine does not know it), face_pressure: the kinetic part of the pressure by
 * what particles carried through faces since step 0, mean of three directions (empty at step 0, in
 * an open box and where the engine does not know it). The trajectory is extended XYZ, a frame every
 * `frames_every` steps. Both grow line by line.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_SIMULATION_H
#define PAIRMARK_COMMANDS_SIMULATION_SIMULATION_H

#include "boxes/box.h"
#include "kernels/case.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/interaction.h"
#include "reference/steps/step.h"

/* ---- engine ---- */

/* Who moves the particles of a simulation: the serial reference, or kernels on a device. */

/* Particles between two steps of a simulation, and what was counted since its start. */

struct simulation_state {
    struct box box; /* positions in the cell where periodic; velocities are there; of kind "file" */
    uint64_t step;  /* its number; 0 at the start */
    int32_t *image; /* 3n: whole vectors a, b, c that were taken off positions since the start */
    double *carried; /* 6 types: see struct step_end of reference/steps/step.h */
    struct thermostat_state thermostat;
};

/* Begins with a box, which it takes over, also on failure, and to which it gives velocities (zeros)
 * where it has none. STATUS_OUT_OF_MEMORY. */
bool state_begin(struct box *box, struct simulation_state *state, struct error *error);
void state_free(struct simulation_state *state); /* also of a zeroed one; zeroes it */

struct engine {
    char name[256]; /* "the serial reference", "verlet+sorted_cells, float, on NVIDIA H200" */
    bool carries; /* whether what particles carry through faces is added up; once it has advanced */
    uint64_t lists;    /* built until now and served for steps, where lists serve several; else 0 */
    double seconds;    /* that a device took for steps until now; 0: nothing goes to and from one */
    uint64_t bytes;    /* that went to and from a device until now */
    uint64_t parts;    /* of lists that were renewed besides */
    uint64_t prunings; /* of the lists: from an outer one that still served */
    bool state_changed; /* by the caller, who sets it: advance() takes the particles anew */
    /* Moves the state by so many steps and says what is summed over it then: of no steps, the sums
     * alone. Fields' energies are by unwrapped positions: those of the cell and the images. At
     * once it has the number of the state, the thermostat's and what went through faces;
     * particles and images may be those of before, until fetch(). On failure they are. */
    bool (*advance)(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error);
    /* Has the particles of the state where advance() led to. */
    bool (*fetch)(struct engine *engine, struct simulation_state *state, struct error *error);
    void (*free)(struct engine *engine); /* of all that it has, itself included */
};

/* What is pointed to must outlive it. Of `long_range`, the variant says only whether there is one.
 * STATUS_OUT_OF_MEMORY. */
bool engine_of_reference(const struct interaction *interaction, double cutoff,
                         const struct step_rules *rules, const struct long_range *long_range,
                         struct engine **engine, struct error *error);

/* Kernels: those of a case of workload step, which asks for the virial; its number of steps counts
 * for nothing. The cell of states is one that the precision holds (box_as_device). The same state
 * and number of steps give the same bits where the variant is deterministic. Where the variant is
 * not tuned to count faces (COUNT_CROSSINGS=2), those through a face and back in one go are not
 * counted, nor is what was carried; of Langevin dynamics,
 * what is conserved is NaN. `device`: NULL: the best. `faces`: they are counted where the variant
 * and the device can, whatever the case says. Errors: of device_open(). */
bool engine_of_device(const char *device, const struct case_spec *spec, double cutoff, bool faces,
                      struct engine **engine, struct error *error);

/* What `run` and `best` have in common: a box with velocities, its cutoff, and the kernels
 * that move it where nobody says which. */

/* Makes or reads the box; a temperature of 0 or more gives it velocities. Those of rigid waters
 * lose what would change the sides. Errors: those of box_make(), box_read() and
 * rigid_set_velocities(). */
bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                struct box *box, struct error *error);

/* The box as kernels have it: its cell is then the same in every state. */
bool moving_box_round(enum precision precision, struct box *box, struct error *error);

/* STATUS_BAD_INPUT where the box or the interaction does not accept it. */
bool moving_cutoff(const struct case_spec *spec, const struct box *box, double *cutoff,
                   struct error *error);

/* The variant of the integrator's file by these forces, over cells or a list; over all pairs of an
 * open box, where nothing bounds cells. */
void moving_variant(const struct step_rules *rules, const struct workload *forces, bool open,
                    char *words, size_t size);

struct simulation {
    struct engine *engine;
    double dt;
    uint64_t steps;                   /* the number of the last state */
    const char *log, *trajectory;     /* NULL: none */
    uint64_t log_every, frames_every; /* at least 1 */
    bool (*is_ended)(void);           /* whether it is to end at the next chance; NULL: never */
    /* Is shown each line of the log, and asked nothing. NULL: nobody */
    void (*show)(void *context, const struct simulation_state *state, const struct step_sums *sums);
    void *context;
};

/* Fewer lines of the log have no mean, and no drift. */
enum { SIMULATION_LEAST_LINES = 5 };

/* What came out, over the lines of the log. */
struct simulation_outcome {
    uint64_t lines;
    double temperature, temperature_deviation; /* mean, and root of the mean square about it */
    double pressure;                           /* mean; NaN in an open box */
    double conserved;                          /* at the start */
    double fluctuation; /* root of the mean square about the line that fits it best */
    double drift;       /* slope of that line, per particle and time */
    double start_s;     /* from compiling kernels to the first forces */
    double seconds;     /* that stepping took, without that */
    uint64_t steps;
    bool ended; /* before its last step, for is_ended() said so */
};

/* Steps from the state to the last; what was written until a failure stays. STATUS_BAD_INPUT,
 * before any step, where the log or the trajectory cannot be written. */
bool simulation_run(const struct simulation *simulation, struct simulation_state *state,
                    struct simulation_outcome *outcome, struct error *error);

/* The kinetic part of the pressure along vector k, from what particles carried through its faces
 * since the start; NaN in an open box and at step 0. */
double simulation_crossing_pressure(const struct simulation_state *state, double dt, int k);

#endif
