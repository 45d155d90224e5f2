/* One evaluation, as a program asks for it: what it may ask, what is computed, and what it gets. */
#include "library/work.h"

#include <math.h>

static bool read_result(const struct buffer *buffer, void *to, size_t bytes, struct error *error) {
    return !buffer || buffer_read_enqueued(buffer, 0, to, bytes, error);
}

/* Of results that say so: NaN, as those are of an evaluation with a particle that was nowhere. */
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
    if (arrays->energies && work->n > 0 && !work_find_energies(work, arrays, error)) {
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
