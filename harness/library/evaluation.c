/* One evaluation, as a program asks for it: what it may ask, what is computed, and what it gets. */
#include "library/work.h"

#include "core/embedded.h"
#include "kernels/header/read_variant.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the energy of each particle: a case of its own, whose kernel leaves energies in the place of
 * forces, for the particles and the potential of another ---- */

struct library_energies {
    struct library_case library_case; /* the spec's pointers are those of the other case */
    struct variant variant;
    struct library_work *work;
};

static void free_energies(struct library_energies *energies) {
    library_work_free(energies->work);
    variant_free(&energies->variant);
    free(energies);
}

/* Kernels that add up in fixed point leave no numbers for one particle. */
static enum precision precision_of(const struct library_work *work) {
    const bool has_doubles = device_describe(work->device)->fp64;
    return work->spec->precision != PRECISION_FIXED ? work->spec->precision
           : has_doubles                            ? PRECISION_MIXED
                                                    : PRECISION_FLOAT;
}

static bool make_energies(struct library_work *work, struct error *error) {
    const char *path = work_energies_path(work);
    struct library_energies *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "energies");
    }
    if (!variant_parse(path, embedded_text(path), &made->variant, error)) {
        free(made);
        return false;
    }
    work->energies = made;
    work->free_energies = free_energies;
    made->library_case.spec = *work->spec;
    made->library_case.spec.variant = &made->variant;
    made->library_case.spec.precision = precision_of(work);
    made->library_case.spec.outputs = OUTPUTS_ENERGY;
    memcpy(made->library_case.copies, work->library_case->copies, sizeof made->library_case.copies);
    return case_set_tunings(&made->library_case.spec, NULL, error) &&
           work_create_beside(work, &made->library_case, &made->work, error);
}

static bool give_energies(struct library_work *work, const struct pm_arrays *arrays,
                          struct buffer *to, struct error *error) {
    const struct argument arguments[] = { argument_int((int32_t)work->n),
                                          argument_buffer(work->notes), argument_int(work->call),
                                          argument_buffer(kernel_plan_set(work->plan, 0)->result),
                                          argument_buffer(to) };
    return LAUNCH(work->give_energies[arrays->number], work->n, arguments, error);
}

static bool to_host(struct library_work *work, const struct pm_arrays *arrays,
                    struct brought *brought, struct error *error) {
    const size_t bytes = work->n * number_bytes(arrays);
    return work_compute(work, arrays, brought, error) &&
           buffer_reserve(work->device, bytes, &work->energy, error) &&
           give_energies(work, arrays, work->energy, error) &&
           buffer_read_enqueued(work->energy, 0, arrays->energies, bytes, error) &&
           device_finish(work->device, error) && work_check_places(work, error);
}

static bool to_device(struct library_work *work, const struct pm_arrays *arrays,
                      struct brought *brought, struct error *error) {
    struct buffer *to = NULL;
    const bool given =
        work_wrap(work, "energies", arrays->energies, work->n * number_bytes(arrays), &to, error) &&
        work_compute(work, arrays, brought, error) && give_energies(work, arrays, to, error);
    buffer_free(to);
    return given;
}

static bool find_energies(struct library_work *work, const struct pm_arrays *arrays,
                          struct error *error) {
    const struct pm_arrays bare = { .place = arrays->place,
                                    .number = arrays->number,
                                    .width = arrays->width,
                                    .positions = arrays->positions,
                                    .energies = arrays->energies,
                                    .queue = arrays->queue };
    struct brought brought = { 0 };
    if (!work->energies && !make_energies(work, error)) {
        work_drop_energies(work);
        return fail_within(error, "energies");
    }
    struct library_work *own = work->energies->work;
    bool done = work_bring(own, &bare, &brought, error);
    if (done) {
        done = (bare.place == PM_HOST ? to_host : to_device)(own, &bare, &brought, error);
        done = work_leave(own, &bare, done, error);
    }
    work_release(&brought);
    return done;
}

/* ---- an evaluation ---- */

static bool read_result(const struct buffer *buffer, void *to, size_t bytes, struct error *error) {
    return !buffer || buffer_read_enqueued(buffer, 0, to, bytes, error);
}

/* Whether the results may be spoilt: they are NaN where a position was no number. Without results
 * nothing is known. */
static bool may_be_spoilt(const struct pm_arrays *arrays) {
    const void *some = arrays->energy   ? arrays->energy
                       : arrays->forces ? arrays->forces
                                        : arrays->virial;
    return !some ||
           isnan(arrays->number == PM_FLOAT ? (double)*(const float *)some : *(const double *)some);
}

/* To host memory, waiting; or the program's queue goes on behind it. */
static bool give_back(struct library_work *work, const struct pm_arrays *arrays,
                      const struct brought *brought, struct error *error) {
    const size_t number = boxes_of(work) * number_bytes(arrays);
    if (arrays->place == PM_DEVICE) {
        return true;
    }
    return read_result(brought->force, arrays->forces, vector_bytes(work, arrays), error) &&
           read_result(brought->energy, arrays->energy, number, error) &&
           read_result(brought->virial, arrays->virial, VIRIAL_NUMBERS * number, error) &&
           device_finish(work->device, error) &&
           (!may_be_spoilt(arrays) || work_check_places(work, error));
}

bool library_work_evaluate(struct library_work *work, const struct pm_arrays *arrays,
                           struct error *error) {
    struct brought brought = { 0 };
    if (!work_check_arrays(work, arrays, error)) {
        return false;
    }
    const bool steps = work->spec->variant->forces.variant != NULL;
    if (work_is_of_lists(work) || !work_has_particles(work) || steps) {
        return fail(error, STATUS_BAD_INPUT, "%s is of workload %s, which evaluates nothing",
                    work->spec->variant->name, work->spec->variant->workload->name);
    }
    if (arrays->energies && work->n > 0 && !find_energies(work, arrays, error)) {
        return false;
    }
    if (arrays->energies && !arrays->forces && !arrays->energy && !arrays->virial) {
        return true;
    }
    if (work->box.n == 0) {
        const size_t number = boxes_of(work) * number_bytes(arrays);
        const struct zeros sums[] = { { arrays->energy, number },
                                      { arrays->virial, VIRIAL_NUMBERS * number } };
        return work_give_nothing(work, arrays, sums, 2, error);
    }
    bool done = work_bring(work, arrays, &brought, error);
    if (done) {
        done =
            work_compute(work, arrays, &brought, error) && give_back(work, arrays, &brought, error);
        done = work_leave(work, arrays, done, error);
    }
    work_release(&brought);
    return done;
}
