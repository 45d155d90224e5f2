/* The reciprocal part of an Ewald sum in the forces of steps: a prepared case of workload pme,
 * which finds the particles where steps have them, and the kernels that add what it computes. */
#include "prepare/steps_parts.h"
#include "workloads/pme/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work-groups that add up excluded pairs, and sums of each: see reciprocal_tools.cl. */
enum { EXCLUDED_GROUPS = 64, EXCLUDED_SUMS = 7 };

static struct plan_reciprocal *reciprocal_of(const struct kernel_plan *plan) {
    return plan->steps->reciprocal;
}

/* ---- excluded pairs ---- */

static bool find_partners(const struct kernel_plan *plan, struct excluded_partners *partners,
                          struct error *error) {
    const struct exclusions *exclusions = plan->spec->interaction.exclusions;
    if (!exclusions) {
        partners->start = calloc(plan->box->n + 1, sizeof *partners->start);
        partners->partner = calloc(1, sizeof *partners->partner);
        return (partners->start && partners->partner) ||
               fail_out_of_memory(error, "the excluded pairs");
    }
    return exclusions_fit(exclusions, plan->box, error) &&
           exclusions_list(exclusions, plan->box, partners, error);
}

static bool is_same_order(const struct member_order *a, const struct member_order *b) {
    return a->shift == b->shift && order_stride(a) == order_stride(b);
}

/* Identical molecules that change places leave the places of excluded pairs as they are. */
bool reciprocal_place(struct kernel_plan *plan, struct error *error) {
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    const struct particle_set *set = &plan->sets[0];
    if (!reciprocal || (reciprocal->is_placed && is_same_order(&reciprocal->order, &set->order))) {
        return true;
    }
    const bool written =
        excluded_partners_place(&reciprocal->partners, set->n, &set->order,
                                reciprocal->excluded_start, reciprocal->excluded, error);
    reciprocal->order = set->order;
    reciprocal->is_placed = written;
    return written;
}

/* ---- making ---- */

/* The case of workload pme computes with the particles of the steps: where these have halted, too,
 * it computes what they will go on with. */
static bool take_particles(struct kernel_plan *plan, struct kernel_plan *part,
                           struct error *error) {
    buffer_free(part->sets[0].position);
    part->sets[0].position = plan->sets[0].position;
    return bind_all(part, error);
}

static bool make_plan(struct kernel_plan *plan, enum outputs outputs, struct case_spec *spec,
                      struct kernel_plan **made, struct error *error) {
    const struct long_range *long_range = &plan->spec->long_range;
    *spec = *plan->spec;
    spec->variant = long_range->variant;
    spec->precision = long_range_precision(long_range, spec->precision);
    spec->interaction = long_range->interaction;
    spec->tunings = long_range->tunings;
    spec->outputs = outputs;
    spec->long_range = (struct long_range){ .variant = NULL };
    const struct plan_input input = { plan->device, spec, BUILD_PLAIN, plan->box, NULL, INFINITY };
    return plan->steps->make_part(&input, made, error) && take_particles(plan, *made, error);
}

/* The pass of the forces whose sums get those of the reciprocal part. */
static bool find_sums(const struct kernel_plan *plan, int *pass, struct error *error) {
    const struct variant *variant = plan->spec->variant;
    *pass = -1;
    for (int p = variant->forces.first; p < variant->forces.first + variant->forces.count; p++) {
        *pass = plan->passes[p].has_sums ? p : *pass;
    }
    return *pass >= 0 || fail(error, STATUS_UNSUPPORTED,
                              "long range: no kernel of %s adds up energies", variant->name);
}

static struct pme_problem problem_of(const struct kernel_plan *plan,
                                     const struct plan_reciprocal *reciprocal) {
    return (struct pme_problem){ .box = plan->box,
                                 .alpha = reciprocal->alpha,
                                 .coulomb = reciprocal->coulomb };
}

static bool find_kernels(struct kernel_plan *plan, struct plan_reciprocal *made,
                         struct error *error) {
    return program_kernel(plan->program, "step_add_reciprocal", &made->add_forces, error) &&
           program_kernel(plan->program, "step_sum_excluded", &made->sum_excluded, error) &&
           program_kernel(plan->program, "step_add_reciprocal_sums", &made->add_sums, error);
}

static bool fill(struct kernel_plan *plan, struct plan_reciprocal *made, struct error *error) {
    const enum outputs outputs = plan->spec->outputs;
    const size_t sum = device_describe(plan->device)->fp64 ? sizeof(double) : sizeof(float);
    struct pme_settings settings;
    if (!pme_settings_resolve(&plan->spec->long_range.interaction, plan->box, &settings, error) ||
        !find_partners(plan, &made->partners, error)) {
        return false;
    }
    made->alpha = settings.alpha;
    made->coulomb = settings.coulomb;
    const struct pme_problem problem = problem_of(plan, made);
    made->background = ewald_background_energy(&problem);
    made->constant = ewald_self_energy(&problem) + made->background;
    return make_plan(plan, OUTPUTS_FORCES, &made->specs[0], &made->plans[0], error) &&
           (outputs == OUTPUTS_FORCES ||
            make_plan(plan, outputs, &made->specs[1], &made->plans[1], error)) &&
           excluded_partners_upload(plan->device, &made->partners, plan->box->n,
                                    &made->excluded_start, &made->excluded, error) &&
           buffer_allocate(plan->device, EXCLUDED_GROUPS * EXCLUDED_SUMS * sum,
                           &made->excluded_sums, error) &&
           find_kernels(plan, made, error);
}

/* Kernels beside each other have to leave as much local memory one as the other. Many particles are
 * better off with more cache: on an H200 a step of 24,000 sites of water then takes 98 us, not 106,
 * of 98,304 201, not 210, of 331,776 596, not 590. */
void reciprocal_share(const struct kernel_plan *plan, struct kernel *kernel) {
    enum { FEW = 1 << 17 };
    if (plan->spec->long_range.streams > 1 && plan->box->n <= FEW) {
        kernel_divide(kernel, 100);
    }
}

static void share_own_kernels(struct kernel_plan *plan) {
    const struct plan_reciprocal *made = reciprocal_of(plan);
    const struct kernel_plan *part = made->plans[0];
    for (int p = 0; p < part->spec->variant->pass_count; p++) {
        if (part->spec->variant->passes[p].transform == TRANSFORM_NONE) {
            reciprocal_share(plan, part->passes[p].kernel);
        }
    }
    reciprocal_share(plan, made->add_forces);
}

bool reciprocal_create(struct kernel_plan *plan, struct error *error) {
    if (!plan->spec->long_range.variant || plan->build != BUILD_PLAIN) {
        return true;
    }
    plan->steps->reciprocal = calloc(1, sizeof *plan->steps->reciprocal);
    if (!plan->steps->reciprocal) {
        return fail_out_of_memory(error, "the reciprocal part");
    }
    if (!fill(plan, plan->steps->reciprocal, error)) {
        return false;
    }
    share_own_kernels(plan);
    return true;
}

void reciprocal_free(struct kernel_plan *plan) {
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        struct kernel_plan *part = reciprocal->plans[k];
        if (part && part->sets[0].position == plan->sets[0].position) {
            part->sets[0].position = NULL;
        }
        plan->steps->free_part(part);
    }
    excluded_partners_free(&reciprocal->partners);
    buffer_free(reciprocal->excluded_start);
    buffer_free(reciprocal->excluded);
    buffer_free(reciprocal->excluded_sums);
    free(reciprocal);
}

/* ---- a launch ---- */

/* What an earlier launch has left could be taken for what this one is to compute. */
bool reciprocal_invalidate(struct kernel_plan *plan, struct error *error) {
    static const unsigned char nan_byte = 0xFF;
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    bool cleared = true;
    if (reciprocal) {
        reciprocal->is_begun = false;
    }
    for (int k = 0; reciprocal && cleared && k < 2; k++) {
        cleared =
            !reciprocal->plans[k] || fill_outputs_with_byte(reciprocal->plans[k], nan_byte, error);
    }
    return cleared;
}

/* Sums share memory of the device's with those of pairs, and stages are timed one by one. */
static bool is_beside(const struct kernel_plan *plan, bool asked, const struct stage_watch *watch) {
    return plan->spec->long_range.streams > 1 && !asked && !watch;
}

bool reciprocal_begin(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                      struct error *error) {
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal || reciprocal->is_begun || !is_beside(plan, asked, watch)) {
        return true;
    }
    reciprocal->is_begun = true;
    if (!device_beside_begin(plan->device, error)) {
        return false;
    }
    const bool enqueued = kernel_plan_enqueue_watched(reciprocal->plans[0], NULL, error);
    device_beside_end(plan->device);
    return enqueued;
}

static bool add_forces(struct kernel_plan *plan, const struct kernel_plan *part,
                       struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    const bool is_double = plan->real_is_double;
    return steps_launch(
        plan, reciprocal->add_forces,
        ARGUMENTS(
            argument_int((int32_t)plan->sets[0].n), argument_real(reciprocal->alpha, is_double),
            argument_real(reciprocal->coulomb, is_double),
            bindings_box(&plan->box->cell, plan->box->periodic, is_double),
            argument_buffer(plan->sets[0].position), argument_buffer(reciprocal->excluded_start),
            argument_buffer(reciprocal->excluded), argument_buffer(part->sets[0].result),
            argument_buffer(plan->steps->runs.expired), argument_buffer(plan->steps->force)),
        error);
}

static bool sum_excluded(struct kernel_plan *plan, struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    const bool is_double = plan->real_is_double;
    return kernel_launch(
        reciprocal->sum_excluded, EXCLUDED_GROUPS, (size_t)plan->group_size,
        ARGUMENTS(
            argument_int((int32_t)plan->sets[0].n), argument_real(reciprocal->alpha, is_double),
            argument_real(reciprocal->coulomb, is_double),
            bindings_box(&plan->box->cell, plan->box->periodic, is_double),
            argument_buffer(plan->sets[0].position), argument_buffer(reciprocal->excluded_start),
            argument_buffer(reciprocal->excluded), argument_buffer(reciprocal->excluded_sums)),
        error);
}

/* The sums of kernels of workload pme, which one of its passes has. */
static struct buffer *sums_of(const struct kernel_plan *part) {
    int p = 0;
    while (p + 1 < part->spec->variant->pass_count && !part->passes[p].has_sums) {
        p++;
    }
    return part->passes[p].sums;
}

static bool add_sums(struct kernel_plan *plan, const struct kernel_plan *part,
                     struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    const bool apart = interaction_energies_apart(&plan->spec->interaction);
    int pass;
    return find_sums(plan, &pass, error) && sum_excluded(plan, error) &&
           kernel_launch(reciprocal->add_sums, 1, (size_t)plan->group_size,
                         ARGUMENTS(argument_int(part->sum_count), argument_int(EXCLUDED_GROUPS),
                                   argument_int(apart ? plan->sum_count - 1 : 0),
                                   argument_real(reciprocal->constant, plan->accum_is_double),
                                   argument_real(reciprocal->background, plan->accum_is_double),
                                   argument_buffer(sums_of(part)),
                                   argument_buffer(reciprocal->excluded_sums),
                                   argument_buffer(plan->passes[pass].sums)),
                         error);
}

bool reciprocal_end(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                    struct error *error) {
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal) {
        return true;
    }
    struct kernel_plan *part = reciprocal->plans[asked && reciprocal->plans[1]];
    const bool is_begun = reciprocal->is_begun;
    reciprocal->is_begun = false;
    return (is_begun ? device_beside_join(plan->device, error)
                     : kernel_plan_enqueue_watched(part, watch, error)) &&
           stage_begins(watch, "add", "reciprocal", error) && add_forces(plan, part, error) &&
           (!asked || plan->sum_count == 0 || add_sums(plan, part, error));
}
