/* Evaluates: checks what the program asks for, computes it, and writes it to the arrays of the
 * program. */
#include "library/work.h"

#include "core/embedded.h"
#include "kernels/header/read_variant.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results of kernels in the program's own array ---- */

/* Whether kernels can write to the program's array directly: the numbers that they leave are those
 * that it wants. */
static bool is_direct(const struct library_work *work, const struct pm_arrays *arrays) {
    const struct kernel_plan *plan = work->plan;
    return arrays->place == PM_DEVICE && arrays->forces && arrays->width == 4 && !work->groups &&
           !work->long_range && !work->rotation.rotates && work->n == work->box.n &&
           kernel_plan_accum_is_double(plan) == (arrays->number == PM_DOUBLE) &&
           kernel_plan_sign(plan) > 0 && !kernel_plan_set(plan, 0)->fixed_force &&
           device_describe(work->device)->kind == DEVICE_CUDA;
}

/* Binds kernels to the program's array of forces, or to their own. */
static bool bind_results(struct library_work *work, const struct pm_arrays *arrays,
                         struct brought *brought, struct error *error) {
    void *const wanted = is_direct(work, arrays) ? arrays->forces : NULL;
    struct buffer *theirs = NULL;
    if (wanted == work->direct) {
        return true;
    }
    if (wanted) {
        theirs = brought->force;
        brought->force = NULL;
    }
    work->direct = wanted;
    return kernel_plan_redirect_results(work->plan, theirs, error);
}

/* Adds up each particle's results over its places in the groups. */
static bool give_members(struct library_work *work, const struct pm_arrays *arrays,
                         const struct brought *brought, struct error *error) {
    const struct kernel_plan *plan = work->plan;
    const struct argument arguments[] = {
        argument_int((int32_t)work->n),
        argument_int(width_of(arrays)),
        argument_int((int)kernel_plan_sign(plan)),
        work_rotation_argument(work),
        argument_int((int32_t)work->groups->n_a),
        argument_buffer(work->notes),
        argument_int(work->call),
        argument_buffer(work->place_begin),
        argument_buffer(work->place_of),
        argument_buffer(kernel_plan_set(plan, 0)->result),
        argument_buffer(kernel_plan_set(plan, work->groups->b ? 1 : 0)->result),
        argument_buffer(brought->force),
    };
    return LAUNCH(work->give_members[arrays->number], work->n, arguments, error);
}

/* Sets forces that kernels wrote directly to NaN where a position was not finite. Where the host
 * waits for the notes it knows whether that is needed. */
static bool invalidate_forces(struct library_work *work, const struct pm_arrays *arrays,
                              struct error *error) {
    const struct argument arguments[] = { argument_int((int32_t)(4 * work->n)),
                                          argument_buffer(work->notes), argument_int(work->call),
                                          argument_buffer(kernel_plan_set(work->plan, 0)->result) };
    return LAUNCH(work->spoil[arrays->number], GROUP, arguments, error);
}

static bool give_vectors(struct library_work *work, const struct pm_arrays *arrays,
                         const struct brought *brought, bool adds, struct error *error) {
    const struct argument arguments[] = { argument_int((int32_t)work->n),
                                          argument_int(width_of(arrays)),
                                          argument_int((int)kernel_plan_sign(work->plan)),
                                          argument_int(adds),
                                          work_rotation_argument(work),
                                          argument_buffer(work->notes),
                                          argument_int(work->call),
                                          argument_buffer(kernel_plan_set(work->plan, 0)->result),
                                          argument_buffer(brought->force) };
    return !brought->force || LAUNCH(work->give_vectors[arrays->number], work->n, arguments, error);
}

static bool give_forces(struct library_work *work, const struct pm_arrays *arrays,
                        const struct brought *brought, struct error *error) {
    if (work->direct) {
        return work->asked || invalidate_forces(work, arrays, error);
    }
    return work->groups && brought->force ? give_members(work, arrays, brought, error)
                                          : give_vectors(work, arrays, brought, false, error);
}

static bool sum_up(struct library_work *work, struct error *error) {
    const int count = kernel_plan_sum_count(work->plan);
    const int32_t boxes = (int32_t)boxes_of(work);
    struct plan_sums sums;
    bool is_first = true;
    bool given = true;
    for (int p = 0; given && p < work->spec->variant->pass_count; p++) {
        if (kernel_plan_sums(work->plan, p, &sums)) {
            const struct argument arguments[] = { argument_int(count), argument_int(boxes),
                                                  argument_int(is_first),
                                                  argument_buffer(sums.sums),
                                                  argument_buffer(work->totals) };
            given = LAUNCH(work->add_sums, (size_t)(boxes * count), arguments, error);
            is_first = false;
        }
    }
    return given;
}

static bool give_sums(struct library_work *work, const struct pm_arrays *arrays,
                      const struct brought *brought, bool adds, struct error *error) {
    struct buffer *energy = brought->energy ? brought->energy : brought->virial;
    struct buffer *virial = brought->virial ? brought->virial : brought->energy;
    const bool apart = interaction_energies_apart(&work->spec->interaction);
    if (!energy) {
        return true;
    }
    const struct argument arguments[] = { argument_int(kernel_plan_sum_count(work->plan)),
                                          argument_int((int32_t)boxes_of(work)),
                                          argument_int(apart),
                                          argument_int(brought->energy != NULL),
                                          argument_int(brought->virial != NULL),
                                          argument_int(
                                              (int)library_product(work->library_case->copies)),
                                          argument_int(adds),
                                          work_rotation_argument(work),
                                          argument_buffer(work->notes),
                                          argument_int(work->call),
                                          argument_buffer(work->totals),
                                          argument_buffer(energy),
                                          argument_buffer(virial) };
    return LAUNCH(work->give_sums[arrays->number], boxes_of(work), arguments, error);
}

static bool give_more(struct library_work *work, const struct pm_arrays *arrays,
                      const struct brought *brought, struct error *error) {
    return give_vectors(work, arrays, brought, true, error) &&
           give_sums(work, arrays, brought, true, error);
}

/* ---- the structure ---- */

double library_work_reach(const struct library_work *work) {
    if (!work->plan) {
        return 0;
    }
    const double reach = kernel_plan_reach(work->plan);
    return !kernel_plan_has_rebuild(work->plan) ? INFINITY : reach > 0 ? reach : 0;
}

/* Distances add up until an evaluation takes place: one that was refused does not count. */
void library_work_moved(struct library_work *work, double distance) {
    work->announced = isnan(work->announced) ? distance : work->announced + distance;
}

static bool build(struct library_work *work, struct error *error) {
    work->moved = 0;
    work->built = kernel_plan_build(work->plan, error);
    return work->built;
}

/* Asks the device whether the structure is valid, and rebuilds it if not. After a valid answer
 * particles may already be nearly as far as it allows. */
static bool ask_and_renew(struct library_work *work, struct error *error) {
    bool rebuilt = false;
    const bool renewed = kernel_plan_renew(work->plan, &rebuilt, error);
    work->moved = rebuilt ? 0 : library_work_reach(work);
    return renewed;
}

/* Whether to evaluate before the answer is there: with so few particles that takes less time than
 * waiting. It is repeated if the list has expired. */
static bool is_guessed(const struct library_work *work) {
    const size_t most = device_describe(work->device)->is_cpu ? 4096 : 1 << 20;
    return work->asked && work->n <= most;
}

/* Rebuilds the structure if the kernel that took the positions noted that one has moved too far. */
static bool replace_if_moved(struct library_work *work, bool *moved, struct error *error) {
    *moved = false;
    if (!work_wait_for_notes(work, error)) {
        return false;
    }
    *moved = work_is_noted(work, NOTE_MOVED);
    work->moved = *moved ? 0 : library_work_reach(work);
    return !*moved || kernel_plan_replace(work->plan, error);
}

static bool renew(struct library_work *work, struct error *error) {
    const double rounding = 1e-6; /* of positions and of the distances that were added up */
    const double announced = work->announced;
    work->announced = NAN;
    if (!work->built) {
        return build(work, error);
    }
    if (!kernel_plan_has_rebuild(work->plan)) {
        return true;
    }
    if (isnan(announced)) {
        bool moved;
        return work->asked ? replace_if_moved(work, &moved, error) : ask_and_renew(work, error);
    }
    work->moved += announced;
    return announced <= 0 || work->moved < (1 - rounding) * library_work_reach(work) ||
           build(work, error);
}

/* ---- an evaluation ---- */

static bool run(struct library_work *work, struct error *error) {
    return renew(work, error) && kernel_plan_enqueue(work->plan, error);
}

static bool give_all(struct library_work *work, const struct pm_arrays *arrays,
                     struct brought *brought, struct error *error) {
    const bool sums = brought->energy || brought->virial;
    return give_forces(work, arrays, brought, error) && (!sums || sum_up(work, error)) &&
           give_sums(work, arrays, brought, false, error);
}

/* Evaluates with the structure as it is, and again if that has expired. */
static bool guess(struct library_work *work, const struct pm_arrays *arrays,
                  struct brought *brought, struct error *error) {
    bool moved = false;
    return kernel_plan_enqueue(work->plan, error) && give_all(work, arrays, brought, error) &&
           replace_if_moved(work, &moved, error) &&
           (!moved ||
            (kernel_plan_enqueue(work->plan, error) && give_all(work, arrays, brought, error)));
}

static bool compute(struct library_work *work, const struct pm_arrays *arrays,
                    struct brought *brought, struct error *error) {
    kernel_plan_skip_sums(work->plan, brought->force && !brought->energy && !brought->virial);
    const bool computed = is_guessed(work)
                              ? guess(work, arrays, brought, error)
                              : run(work, error) && give_all(work, arrays, brought, error);
    const bool invalid = work->direct && work->asked && work_is_noted(work, NOTE_NOWHERE);
    return computed && (!invalid || invalidate_forces(work, arrays, error));
}

static bool add_long_range(struct library_long_range *range, const struct pm_arrays *arrays,
                           struct brought *brought, struct error *error) {
    size_t groups = 0;
    return work_place(range->work, arrays, brought, error) && run(range->work, error) &&
           long_range_correct(range, &groups, error) && sum_up(range->work, error) &&
           long_range_add_constants(range, groups, error) &&
           give_more(range->work, arrays, brought, error);
}

bool work_compute(struct library_work *work, const struct pm_arrays *arrays,
                  struct brought *brought, struct error *error) {
    return work_place(work, arrays, brought, error) && bind_results(work, arrays, brought, error) &&
           compute(work, arrays, brought, error) &&
           (!work->long_range || add_long_range(work->long_range, arrays, brought, error));
}

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

/* Kernels that add up in fixed point have no results for single particles. */
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

static bool energies_to_host(struct library_work *work, const struct pm_arrays *arrays,
                             struct brought *brought, struct error *error) {
    const size_t bytes = work->n * number_bytes(arrays);
    return work_compute(work, arrays, brought, error) &&
           buffer_reserve(work->device, bytes, &work->energy, error) &&
           give_energies(work, arrays, work->energy, error) &&
           buffer_read_enqueued(work->energy, 0, arrays->energies, bytes, error) &&
           device_finish(work->device, error) && work_check_places(work, error);
}

static bool energies_to_device(struct library_work *work, const struct pm_arrays *arrays,
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
        done = (bare.place == PM_HOST ? energies_to_host : energies_to_device)(own, &bare, &brought,
                                                                               error);
        done = work_leave(own, &bare, done, error);
    }
    work_release(&brought);
    return done;
}

/* ---- an evaluation ---- */

static bool read_result(const struct buffer *buffer, void *to, size_t bytes, struct error *error) {
    return !buffer || buffer_read_enqueued(buffer, 0, to, bytes, error);
}

/* Whether results may be NaN since a position was not finite; without any result that is not
 * known. */
static bool may_be_invalid(const struct pm_arrays *arrays) {
    const void *some = arrays->energy   ? arrays->energy
                       : arrays->forces ? arrays->forces
                                        : arrays->virial;
    return !some ||
           isnan(arrays->number == PM_FLOAT ? (double)*(const float *)some : *(const double *)some);
}

/* Copies results to host memory and waits. On the device they are where the program wants them: its
 * queue runs after them. */
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
           (!may_be_invalid(arrays) || work_check_places(work, error));
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
