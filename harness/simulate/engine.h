/*
 * engine — who moves the particles of a simulation: the serial reference, or kernels on a device.
 */
#ifndef PAIRMARK_SIMULATE_ENGINE_H
#define PAIRMARK_SIMULATE_ENGINE_H

#include "case/case.h"
#include "interaction/interaction.h"
#include "reference/step.h"
#include "simulate/state.h"

struct engine {
    char name[256]; /* "the serial reference", "verlet+sorted_cells, float, on NVIDIA H200" */
    bool carries;   /* whether what particles carry through faces is added up */
    uint64_t lists; /* built until now and served for steps, where lists serve several; else 0 */
    /* Moves the state by so many steps and says what is summed over it then: of no steps, the sums
     * alone. Fields' energies are by unwrapped positions: those of the cell and the images. On
     * failure the state is as it was. */
    bool (*advance)(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error);
    void (*free)(struct engine *engine); /* of all that it has, itself included */
};

/* What is pointed to must outlive it. STATUS_OUT_OF_MEMORY. */
bool engine_of_reference(const struct interaction *interaction, double cutoff,
                         const struct step_rules *rules, struct engine **engine,
                         struct error *error);

/* Kernels: those of a case of workload step, which asks for the virial; its number of steps counts
 * for nothing. The cell of states is one that the precision holds (box_as_device). The same state
 * and number of steps give the same bits where the variant is deterministic. Of crossings, those
 * through a face and back in one go are not counted, nor what they carried; of Langevin dynamics,
 * what is conserved is NaN. `device`: NULL: the best. Errors: of session_open(). */
bool engine_of_device(const char *device, const struct case_spec *spec, double cutoff,
                      struct engine **engine, struct error *error);

#endif
