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

struct of_molecule {
    int32_t molecule, particle;
};

static int by_molecule(const void *left, const void *right) {
    const struct of_molecule *a = left;
    const struct of_molecule *b = right;
    return a->molecule != b->molecule ? (a->molecule < b->molecule ? -1 : 1)
                                      : (a->particle > b->particle) - (a->particle < b->particle);
}

/* Where the molecule ends of which the member at `first` is the first. */
static size_t end_of_molecule(const struct of_molecule *sorted, size_t n, size_t first) {
    size_t end = first;
    while (end < n && sorted[end].molecule == sorted[first].molecule) {
        end++;
    }
    return end;
}

/* All others of its molecule, of each particle. */
static bool list_sorted(const struct of_molecule *sorted, size_t n,
                        struct excluded_partners *partners, struct error *error) {
    size_t end;
    for (size_t first = 0; first < n; first = end) {
        end = end_of_molecule(sorted, n, first);
        for (size_t a = first; a < end; a++) {
            partners->start[sorted[a].particle + 1] = (int32_t)(end - first - 1);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (partners->start[i + 1] > INT32_MAX - partners->start[i]) {
            return fail(error, STATUS_UNSUPPORTED,
                        "--long-range: more than 2^31 - 1 excluded pairs");
        }
        partners->start[i + 1] += partners->start[i];
    }
    partners->partner = calloc((size_t)partners->start[n] + 1, sizeof *partners->partner);
    if (!partners->partner) {
        return fail_out_of_memory(error, "the excluded pairs");
    }
    for (size_t first = 0; first < n; first = end) {
        end = end_of_molecule(sorted, n, first);
        for (size_t a = first; a < end; a++) {
            int32_t *to = partners->partner + partners->start[sorted[a].particle];
            for (size_t b = first; b < end; b++) {
                if (b != a) {
                    *to++ = sorted[b].particle;
                }
            }
        }
    }
    return true;
}

static bool list_molecules(const struct box *box, struct excluded_partners *partners,
                           struct error *error) {
    struct of_molecule *sorted = malloc((box->n + 1) * sizeof *sorted);
    partners->start = calloc(box->n + 1, sizeof *partners->start);
    if (!sorted || !partners->start) {
        free(sorted);
        return fail_out_of_memory(error, "the excluded pairs");
    }
    for (size_t i = 0; i < box->n; i++) {
        sorted[i] = (struct of_molecule){ box->molecule[i], (int32_t)i };
    }
    qsort(sorted, box->n, sizeof *sorted, by_molecule);
    const bool listed = list_sorted(sorted, box->n, partners, error);
    free(sorted);
    return listed;
}

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
           (exclusions_by_molecule(exclusions)
                ? list_molecules(plan->box, partners, error)
                : exclusions_list(exclusions, plan->box->n, partners, error));
}

/* By the places that particles have now. */
static bool write_partners(const struct plan_reciprocal *reciprocal, const struct particle_set *set,
                           int32_t *start, int32_t *excluded, struct error *error) {
    const struct excluded_partners *partners = &reciprocal->partners;
    int32_t count = 0;
    for (size_t place = 0; place < set->n; place++) {
        const size_t member = set_member(set, place);
        start[place] = count;
        for (int32_t k = partners->start[member]; k < partners->start[member + 1]; k++) {
            excluded[count++] =
                (int32_t)place_of_member(&set->order, set->n, (size_t)partners->partner[k]);
        }
    }
    start[set->n] = count;
    return buffer_write(reciprocal->excluded_start, 0, start, (set->n + 1) * sizeof *start,
                        error) &&
           (count == 0 || buffer_write(reciprocal->excluded, 0, excluded,
                                       (size_t)count * sizeof *excluded, error));
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
    const size_t pairs = (size_t)reciprocal->partners.start[set->n];
    int32_t *start = calloc(set->n + 1, sizeof *start);
    int32_t *excluded = calloc(pairs + 1, sizeof *excluded);
    const bool written = start && excluded ? write_partners(reciprocal, set, start, excluded, error)
                                           : fail_out_of_memory(error, "the excluded pairs");
    free(start);
    free(excluded);
    reciprocal->order = set->order;
    reciprocal->is_placed = written;
    return written;
}

/* ---- making ---- */

/* Of the case of workload pme, the particles are those of the steps, and where these have halted,
 * it does nothing, either. */
static bool take_particles(struct kernel_plan *plan, struct kernel_plan *of, struct error *error) {
    buffer_free(of->sets[0].position);
    of->sets[0].position = plan->sets[0].position;
    of->halted = plan->steps->runs.expired;
    return bind_all(of, error);
}

static bool make_plan(struct kernel_plan *plan, enum outputs outputs, struct case_spec *spec,
                      struct kernel_plan **made, struct error *error) {
    const struct long_range *long_range = &plan->spec->long_range;
    *spec = *plan->spec;
    spec->variant = long_range->variant;
    spec->interaction = long_range->interaction;
    spec->tunings = long_range->tunings;
    spec->outputs = outputs;
    spec->long_range = (struct long_range){ .variant = spec->variant }; /* it is the part itself */
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
                              "--long-range: no kernel of %s adds up energies", variant->name);
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
    const size_t pairs = (size_t)made->partners.start[plan->box->n];
    made->background = ewald_background_energy(&problem);
    made->constant = ewald_self_energy(&problem) + made->background;
    return make_plan(plan, OUTPUTS_FORCES, &made->specs[0], &made->plans[0], error) &&
           (outputs == OUTPUTS_FORCES ||
            make_plan(plan, outputs, &made->specs[1], &made->plans[1], error)) &&
           buffer_allocate(plan->device, (plan->box->n + 1) * sizeof(int32_t),
                           &made->excluded_start, error) &&
           buffer_allocate(plan->device, (pairs + 1) * sizeof(int32_t), &made->excluded, error) &&
           buffer_allocate(plan->device, EXCLUDED_GROUPS * EXCLUDED_SUMS * sum,
                           &made->excluded_sums, error) &&
           find_kernels(plan, made, error);
}

bool reciprocal_create(struct kernel_plan *plan, struct error *error) {
    if (!plan->spec->long_range.variant || plan->build != BUILD_PLAIN) {
        return true;
    }
    plan->steps->reciprocal = calloc(1, sizeof *plan->steps->reciprocal);
    return plan->steps->reciprocal ? fill(plan, plan->steps->reciprocal, error)
                                   : fail_out_of_memory(error, "the reciprocal part");
}

void reciprocal_free(struct kernel_plan *plan) {
    struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        struct kernel_plan *of = reciprocal->plans[k];
        if (of && of->sets[0].position == plan->sets[0].position) {
            of->sets[0].position = NULL;
        }
        plan->steps->free_part(of);
    }
    excluded_partners_free(&reciprocal->partners);
    buffer_free(reciprocal->excluded_start);
    buffer_free(reciprocal->excluded);
    buffer_free(reciprocal->excluded_sums);
    free(reciprocal);
}

/* ---- a launch ---- */

/* What an earlier launch has left could be taken for what this one is to compute. */
bool reciprocal_forget(struct kernel_plan *plan, struct error *error) {
    static const unsigned char nan_byte = 0xFF;
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    bool forgotten = true;
    for (int k = 0; reciprocal && forgotten && k < 2; k++) {
        forgotten =
            !reciprocal->plans[k] || fill_outputs_with_byte(reciprocal->plans[k], nan_byte, error);
    }
    return forgotten;
}

/* Sums share memory of the device's with those of pairs, and stages are timed one by one. */
static bool is_beside(const struct kernel_plan *plan, bool asked, const struct stage_watch *watch) {
    return plan->spec->long_range.streams > 1 && !asked && !watch;
}

bool reciprocal_begin(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                      struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal || !is_beside(plan, asked, watch)) {
        return true;
    }
    if (!device_beside_begin(plan->device, error)) {
        return false;
    }
    const bool enqueued = kernel_plan_enqueue_watched(reciprocal->plans[0], NULL, error);
    device_beside_end(plan->device);
    return enqueued;
}

static bool add_forces(struct kernel_plan *plan, const struct kernel_plan *of,
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
            argument_buffer(reciprocal->excluded), argument_buffer(of->sets[0].result),
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
static const struct buffer *sums_of(const struct kernel_plan *of) {
    int p = 0;
    while (p + 1 < of->spec->variant->pass_count && !of->passes[p].has_sums) {
        p++;
    }
    return of->passes[p].sums;
}

static bool add_sums(struct kernel_plan *plan, const struct kernel_plan *of, struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    const bool apart = interaction_energies_apart(&plan->spec->interaction);
    int pass;
    return find_sums(plan, &pass, error) && sum_excluded(plan, error) &&
           kernel_launch(reciprocal->add_sums, 1, (size_t)plan->group_size,
                         ARGUMENTS(argument_int(of->sum_count), argument_int(EXCLUDED_GROUPS),
                                   argument_int(apart ? plan->sum_count - 1 : 0),
                                   argument_real(reciprocal->constant, plan->accum_is_double),
                                   argument_real(reciprocal->background, plan->accum_is_double),
                                   argument_buffer(sums_of(of)),
                                   argument_buffer(reciprocal->excluded_sums),
                                   argument_buffer(plan->passes[pass].sums)),
                         error);
}

bool reciprocal_end(struct kernel_plan *plan, bool asked, const struct stage_watch *watch,
                    struct error *error) {
    const struct plan_reciprocal *reciprocal = reciprocal_of(plan);
    if (!reciprocal) {
        return true;
    }
    struct kernel_plan *of = reciprocal->plans[asked && reciprocal->plans[1]];
    return (is_beside(plan, asked, watch) ? device_beside_join(plan->device, error)
                                          : kernel_plan_enqueue_watched(of, watch, error)) &&
           stage_begins(watch, "add", "reciprocal", error) && add_forces(plan, of, error) &&
           (!asked || plan->sum_count == 0 || add_sums(plan, of, error));
}
