/* The constraints of a case on the device, as kernels of workload `constraints` are given them.
 *
 * Molecules stand in the order of their first particles; particles and constraints in that of their
 * molecules. Places are where kernels find particles in the arrays over all of them; slots number
 * the particles in the order of molecules. */
#include "workloads/workload_buffers.h"

#include "kernels/kernel_parameters.h"
#include "kernels/potentials/bonded.h"
#include "workloads/constraints/constraint_molecules.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct listed_constraints {
    struct constraints_arguments arguments;
    struct constraint_host *host; /* what the buffers hold, by particle of the box */
    bool accum_is_double;
};

/* ---- to the device ---- */

static size_t accum_size(const struct listed_constraints *buffers) {
    return buffers->accum_is_double ? sizeof(double) : sizeof(float);
}

static bool upload_ints(struct device *device, const char *label, const int32_t *numbers,
                        size_t count, struct buffer **buffer, struct error *error) {
    return buffer_upload(device, label, numbers, count * sizeof *numbers, buffer, error);
}

/* Uploads what does not depend on the order of particles. */
static bool upload_fixed(struct device *device, struct listed_constraints *buffers,
                         struct error *error) {
    const struct constraint_host *host = buffers->host;
    struct constraints_arguments *arguments = &buffers->arguments;
    return upload_ints(device, "molecule_start", host->molecule_start, host->molecules + 1,
                       &arguments->molecule_start, error) &&
           upload_ints(device, "constraint_start", host->constraint_start, host->molecules + 1,
                       &arguments->constraint_start, error) &&
           buffer_upload_reals(
               device, "constraint_length",
               &(struct reals){ host->length, host->count, buffers->accum_is_double },
               &arguments->constraint_length, error) &&
           upload_ints(device, "block_constraints", host->block_constraint, host->blocks + 1,
                       &arguments->block_constraints, error) &&
           upload_ints(device, "block_particles", host->block_particle, host->blocks + 1,
                       &arguments->block_particles, error) &&
           upload_ints(device, "joint_start", host->joint_start, host->n + 1,
                       &arguments->joint_start, error) &&
           upload_ints(device, "joints", host->joint, 2 * host->count, &arguments->joints, error);
}

static bool upload_waters(struct device *device, const char *variant,
                          struct listed_constraints *buffers, struct error *error) {
    struct constraint_host *host = buffers->host;
    return constraint_host_find_waters(variant, host, error) &&
           buffer_upload_reals(
               device, "water_shape",
               &(struct reals){ host->lengths, 4 * host->molecules, buffers->accum_is_double },
               &buffers->arguments.water_shape, error) &&
           buffer_allocate_labelled(device, "water_atoms", 4 * host->molecules * sizeof(int32_t),
                                    &buffers->arguments.water_atoms, error);
}

static bool upload_stars(struct device *device, const char *variant,
                         struct listed_constraints *buffers, struct error *error) {
    struct constraint_host *host = buffers->host;
    return constraint_host_find_stars(variant, host, error) &&
           buffer_upload_reals(
               device, "star_lengths",
               &(struct reals){ host->lengths, 4 * host->molecules, buffers->accum_is_double },
               &buffers->arguments.star_lengths, error) &&
           buffer_allocate_labelled(device, "star_atoms", 4 * host->molecules * sizeof(int32_t),
                                    &buffers->arguments.star_atoms, error);
}

/* What a variant that takes molecules of one shape alone is given. */
static bool upload_shapes(struct device *device, const struct variant *variant,
                          const struct requested_names *requested,
                          struct listed_constraints *buffers, struct error *error) {
    const bool waters = requested_names_have(requested, "water_atoms") ||
                        requested_names_have(requested, "water_shape");
    const bool stars = requested_names_have(requested, "star_atoms") ||
                       requested_names_have(requested, "star_lengths");
    if (waters && stars) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s asks for waters and for clusters: molecules are one or the other",
                    variant->name);
    }
    return (!waters || upload_waters(device, variant->name, buffers, error)) &&
           (!stars || upload_stars(device, variant->name, buffers, error));
}

/* ---- the inverse ---- */

/* Finds the unit vector from b to the nearest image of a. */
static void find_unit_vector(const struct box *box, size_t a, size_t b, double unit[3]) {
    box_vector(box, &box->position[3 * b], &box->position[3 * a], unit);
    const double size = sqrt(vector_dot(unit, unit));
    for (int d = 0; d < 3; d++) {
        unit[d] /= size;
    }
}

static bool upload_inverse(struct device *device, const struct constraint_inverse *inverse,
                           struct listed_constraints *buffers, struct error *error) {
    const size_t count = buffers->host->count;
    const size_t elements = (size_t)inverse->start[count];
    struct constraints_arguments *arguments = &buffers->arguments;
    return upload_ints(device, "inverse_start", inverse->start, count + 1,
                       &arguments->inverse_start, error) &&
           upload_ints(device, "inverse_column", inverse->column, elements,
                       &arguments->inverse_column, error) &&
           buffer_upload_reals(
               device, "inverse_value",
               &(struct reals){ inverse->value, elements, buffers->accum_is_double },
               &arguments->inverse_value, error);
}

static bool make_inverse(struct device *device, const struct box *box,
                         struct listed_constraints *buffers, struct error *error) {
    const struct constraint_host *host = buffers->host;
    struct constraint_inverse inverse = { 0 };
    double *vector = malloc((3 * host->count + 1) * sizeof *vector);
    double *inverse_mass = malloc((host->n + 1) * sizeof *inverse_mass);
    int32_t *slot = malloc((2 * host->count + 1) * sizeof *slot);
    bool made =
        vector && inverse_mass && slot ? true : fail_out_of_memory(error, "the constraints");
    for (size_t c = 0; made && c < host->count; c++) {
        find_unit_vector(box, (size_t)host->pair[2 * c], (size_t)host->pair[2 * c + 1],
                         &vector[3 * c]);
        slot[2 * c] = host->slot[host->pair[2 * c]];
        slot[2 * c + 1] = host->slot[host->pair[2 * c + 1]];
    }
    for (size_t k = 0; made && k < host->n; k++) {
        inverse_mass[k] = host->moved[4 * (size_t)host->particle[k] + 3];
    }
    const struct constraint_joints joints = { .count = host->count,
                                              .slots = host->n,
                                              .slot = slot,
                                              .vector = vector,
                                              .inverse_mass = inverse_mass,
                                              .start = host->joint_start,
                                              .joint = host->joint };
    made = made && constraint_inverse_make(&joints, &inverse, error) &&
           upload_inverse(device, &inverse, buffers, error);
    constraint_inverse_free(&inverse);
    free(vector);
    free(inverse_mass);
    free(slot);
    return made;
}

/* ---- what depends on the order ---- */

/* Places of particles, -1 where there is none. */
static void find_places(const struct constraint_host *host, const struct member_order *order,
                        const int32_t *particle, size_t count, int32_t *place) {
    for (size_t k = 0; k < count; k++) {
        place[k] =
            particle[k] < 0 ? -1 : (int32_t)place_of_member(order, host->n, (size_t)particle[k]);
    }
}

static bool write_ints(struct buffer *buffer, const int32_t *numbers, size_t count,
                       struct error *error) {
    return !buffer || buffer_write(buffer, 0, numbers, count * sizeof *numbers, error);
}

static bool write_atoms(struct listed_constraints *buffers, const struct member_order *order,
                        int32_t *room, struct error *error) {
    const struct constraint_host *host = buffers->host;
    for (size_t c = 0; c < host->count; c++) {
        find_places(host, order, &host->pair[2 * c], 2, &room[4 * c]);
        room[4 * c + 2] = host->slot[host->pair[2 * c]];
        room[4 * c + 3] = host->slot[host->pair[2 * c + 1]];
    }
    return write_ints(buffers->arguments.constraint_atoms, room, 4 * host->count, error);
}

static bool write_displacement(struct listed_constraints *buffers, const struct member_order *order,
                               struct error *error) {
    const struct constraint_host *host = buffers->host;
    double *placed = malloc((4 * host->n + 1) * sizeof *placed);
    for (size_t i = 0; placed && i < host->n; i++) {
        memcpy(&placed[4 * place_of_member(order, host->n, i)], &host->moved[4 * i],
               4 * sizeof *placed);
    }
    const bool written = placed ? buffer_write_reals(buffers->arguments.displacement, placed,
                                                     4 * host->n, buffers->accum_is_double, error)
                                : fail_out_of_memory(error, "the displacements");
    free(placed);
    return written;
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    struct listed_constraints *buffers = context;
    const struct constraint_host *host = buffers->host;
    const size_t most = 4 * (host->n > host->count ? host->n : host->count);
    int32_t *room = malloc((most + 1) * sizeof *room);
    if (!room) {
        return fail_out_of_memory(error, "the constraints");
    }
    bool written = write_atoms(buffers, order, room, error);
    find_places(host, order, host->particle, host->n, room);
    written = written && write_ints(buffers->arguments.molecule_particles, room, host->n, error);
    find_places(host, order, host->shaped, 4 * host->molecules, room);
    written = written &&
              write_ints(buffers->arguments.water_atoms, room, 4 * host->molecules, error) &&
              write_ints(buffers->arguments.star_atoms, room, 4 * host->molecules, error) &&
              write_displacement(buffers, order, error);
    free(room);
    return written;
}

/* ---- making ---- */

static double least_tolerance(enum precision precision) {
    return precision_numeric(precision).accumulation == FORMAT_DOUBLE ? 1e-12 : 1e-6;
}

static bool check_tolerance(const struct case_spec *spec, struct error *error) {
    const double tolerance = interaction_value(&spec->interaction, "tolerance");
    const double least = least_tolerance(spec->precision);
    return tolerance >= least ||
           fail(error, STATUS_UNSUPPORTED,
                "tolerance=%g: %s arithmetic resolves lengths to %g; take that, or another "
                "precision",
                tolerance, precision_name(spec->precision), least);
}

static bool fill_host(const struct case_spec *spec, const struct box *box,
                      const struct bonded_list *list, struct listed_constraints *buffers,
                      struct error *error) {
    struct constraint_host *host =
        constraint_host_make(box, list, (size_t)tunings_value(&spec->tunings, "GROUP_SIZE", 128));
    buffers->host = host;
    if (!host) {
        return fail_out_of_memory(error, "the constraints");
    }
    buffers->arguments.constraint_count = (int32_t)host->count;
    buffers->arguments.molecule_count = (int32_t)host->molecules;
    return true;
}

static bool create_all(struct device *device, const struct case_spec *spec, const struct box *box,
                       const struct bonded_list *list, struct listed_constraints *buffers,
                       struct error *error) {
    const struct member_order as_they_are = { 0 };
    struct constraints_arguments *arguments = &buffers->arguments;
    struct requested_names *requested = calloc(1, sizeof *requested);
    if (!requested) {
        return fail_out_of_memory(error, "the constraints");
    }
    requested_names_of_variant(spec->variant, requested);
    const bool created =
        fill_host(spec, box, list, buffers, error) && upload_fixed(device, buffers, error) &&
        upload_shapes(device, spec->variant, requested, buffers, error) &&
        (!requested_names_have(requested, "inverse_value") ||
         make_inverse(device, box, buffers, error)) &&
        buffer_allocate_labelled(device, "constraint_atoms", 4 * list->count * sizeof(int32_t),
                                 &arguments->constraint_atoms, error) &&
        buffer_allocate_labelled(device, "molecule_particles", box->n * sizeof(int32_t),
                                 &arguments->molecule_particles, error) &&
        buffer_allocate_labelled(device, "displacement", 4 * box->n * accum_size(buffers),
                                 &arguments->displacement, error) &&
        reorder(buffers, &as_they_are, error);
    free(requested);
    return created;
}

static void free_host(void *context) {
    constraint_host_free(((struct listed_constraints *)context)->host);
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    (void)cutoff; /* terms are listed */
    struct bonded_terms own = { .hash = "" };
    const struct bonded_terms *terms;
    struct listed_constraints *made = buffers;
    made->accum_is_double = numeric_accum_is_double(precision_numeric(spec->precision));
    const bool created =
        check_tolerance(spec, error) &&
        constraints_resolve(spec->interaction.bonded, box, &own, &terms, error) &&
        create_all(device, spec, box, &terms->lists[LISTED_CONSTRAINTS], made, error);
    bonded_free(&own);
    return created;
}

static bool count_unit(const void *context, const char *unit, size_t *count) {
    const struct constraint_host *host = ((const struct listed_constraints *)context)->host;
    if (strcmp(unit, "constraint") == 0) {
        *count = host->count;
    } else if (strcmp(unit, "molecule") == 0) {
        *count = host->molecules;
    } else if (strcmp(unit, "block") == 0) {
        *count = host->blocks;
    } else {
        return false;
    }
    return true;
}

const struct workload_buffers constraint_buffers = {
    .size = sizeof(struct listed_constraints),
    .arguments = { WORKLOAD_ARGUMENTS(listed_constraints, arguments, constraints) },
    .create = create,
    .free = free_host,
    .reorder = reorder,
    .unit = count_unit,
};
