/*
 * engine — who moves the particles of a simulation: the serial reference, or kernels on a device.
 */
#ifndef PAIRMARK_COMMANDS_SIMULATION_ENGINE_H
#define PAIRMARK_COMMANDS_SIMULATION_ENGINE_H

#include "commands/simulation/state.h"
#include "kernels/case.h"
#include "kernels/potentials/interaction.h"
#include "motion/step.h"

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

/* What is pointed to must outlive it. STATUS_OUT_OF_MEMORY. */
bool engine_of_reference(const struct interaction *interaction, double cutoff,
                         const struct step_rules *rules, struct engine **engine,
                         struct error *error);

/* Kernels: those of a case of workload step, which asks for the virial; its number of steps counts
 * for nothing. The cell of states is one that the precision holds (box_as_device). The same state
 * and number of steps give the same bits where the variant is deterministic. Where the variant is
 * not tuned to count faces (COUNT_CROSSINGS=2), those through a face and back in one go are not
 * counted, nor is what was carried; of Langevin dynamics,
 * what is conserved is NaN. `device`: NULL: the best. `faces`: they are counted where the variant
 * and the device can, whatever the case says. Errors: of device_open(). */
bool engine_of_device(const char *device, const struct case_spec *spec, double cutoff, bool faces,
                      struct engine **engine, struct error *error);

#endif
