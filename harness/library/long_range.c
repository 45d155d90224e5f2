/* Adds charges beyond the cutoff to the forces of pairs: the reciprocal part, less that of excluded
 * pairs, the self energy, and a uniform background where there is a net charge. */
#include "library/work.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { SUMS = 7, MOST_GROUPS = 64 };

static void append_reciprocal(const struct interaction *interaction, struct strbuf *words) {
    strbuf_append(words, "pme");
    for (int p = 0; p < interaction->parameter_count; p++) {
        strbuf_append(words, "%s%s=%.17g", p == 0 ? ":" : ",", interaction->parameters[p].name,
                      interaction->parameters[p].value);
    }
}

/* ---- excluded pairs ---- */

static bool place_exclusions(struct library_long_range *range, const struct exclusions *exclusions,
                             const struct box *box, struct error *error) {
    struct excluded_partners partners;
    if (!exclusions || !exclusions_fit(exclusions, box, error)) {
        return !exclusions;
    }
    if (!exclusions_list(exclusions, box, &partners, error)) {
        return false;
    }
    const bool placed = partners.start[box->n] == 0 ||
                        excluded_partners_upload(range->work->device, &partners, box->n,
                                                 &range->start, &range->partner, error);
    excluded_partners_free(&partners);
    return placed;
}

/* ---- making ---- */

static void sum_charges(struct library_long_range *range, const struct box *box) {
    for (size_t i = 0; i < box->n; i++) {
        range->squares += box->charge[i] * box->charge[i];
        range->charge += box->charge[i];
    }
}

/* Chooses how charges are spread: by tiles on a GPU, without atomics; by a few lanes a particle on
 * a processor. */
static bool make_case(const struct pm_context *context, const struct pm_system *system,
                      const struct case_spec *pairs, struct pm_system *charges,
                      struct library_case *made, struct error *error) {
    struct interaction interaction;
    struct strbuf words = { 0 };
    if (!library_long_range_resolve(system, &interaction, error)) {
        return false;
    }
    append_reciprocal(&interaction, &words);
    const struct pm_choice choice = {
        .variant = device_describe(context->device)->is_cpu ? "pme_atomic" : "pme_tiles",
        .precision = (enum pm_precision)pairs->precision,
        .outputs = (enum pm_outputs)pairs->outputs,
    };
    *charges = *system; /* its arrays, too */
    charges->interaction = words.data;
    charges->table = charges->exclude = charges->long_range = NULL;
    charges->pairs = NULL;
    charges->pair_count = 0;
    const bool good = words.failed ? fail_out_of_memory(error, "long_range")
                                   : library_case_make(charges, &choice, made, error);
    charges->interaction = NULL;
    strbuf_free(&words);
    return good;
}

bool library_steps_add_long_range(const struct pm_context *context, const struct pm_system *system,
                                  struct case_spec *spec, struct error *error) {
    struct library_case library_case = { 0 };
    struct pm_system charges;
    const bool made = make_case(context, system, spec, &charges, &library_case, error) ||
                      fail_within(error, "long_range");
    if (made) {
        spec->long_range = (struct long_range){ .variant = library_case.spec.variant,
                                                .interaction = library_case.spec.interaction,
                                                .tunings = library_case.spec.tunings,
                                                .streams = 1 };
    }
    library_case_free(&library_case);
    return made;
}

bool library_work_add_long_range(struct library_work *work, const struct pm_system *system,
                                 struct error *error) {
    struct library_long_range *range = calloc(1, sizeof *range);
    struct pm_system charges;
    if (!range) {
        return fail_out_of_memory(error, "long_range");
    }
    work->long_range = range;
    if (!make_case(work->context, system, work->spec, &charges, &range->library_case, error) ||
        !library_work_create(work->context, &range->library_case, &charges, &range->work, error) ||
        (system->box.n > 0 &&
         !place_exclusions(range, work->spec->interaction.exclusions, &system->box, error))) {
        work_drop_long_range(work);
        return fail_within(error, "long_range");
    }
    range->alpha = interaction_value(&range->library_case.spec.interaction, "alpha");
    range->coulomb = interaction_value(&range->library_case.spec.interaction, "coulomb");
    sum_charges(range, &system->box);
    return true;
}

/* ---- an evaluation ---- */

static struct argument pair_of_reals(const struct library_work *work, double one, double other) {
    const double wide[2] = { one, other };
    const float narrow[2] = { (float)one, (float)other };
    return device_describe(work->device)->fp64 ? argument_value(wide, sizeof wide)
                                               : argument_value(narrow, sizeof narrow);
}

bool long_range_correct(struct library_long_range *range, size_t *groups, struct error *error) {
    struct library_work *own = range->work;
    const struct particle_set *set = kernel_plan_set(own->plan, 0);
    const size_t needed = (own->n + GROUP - 1) / GROUP;
    *groups = !range->start ? 0 : needed < MOST_GROUPS ? needed : MOST_GROUPS;
    if (!buffer_reserve(own->device, MOST_GROUPS * SUMS * sizeof(double), &range->partial, error)) {
        return false;
    }
    const struct argument arguments[] = { argument_int((int32_t)own->n),
                                          work_frame_argument(own, 0),
                                          pair_of_reals(own, range->alpha, range->coulomb),
                                          argument_buffer(set->position),
                                          argument_buffer(range->start),
                                          argument_buffer(range->partner),
                                          argument_buffer(set->result),
                                          argument_buffer(range->partial) };
    return *groups == 0 || LAUNCH(own->correct_excluded, *groups * GROUP, arguments, error);
}

bool long_range_add_constants(const struct library_long_range *range, size_t groups,
                              struct error *error) {
    struct library_work *own = range->work;
    const double *edge = own->box.cell.edge;
    const double volume = edge[0] * edge[1] * edge[2];
    const double alpha = range->alpha;
    const double self = -range->coulomb * alpha / sqrt(pi) * range->squares;
    const double background =
        -range->coulomb * pi / (2 * volume * alpha * alpha) * range->charge * range->charge;
    const struct argument arguments[] = { argument_int(kernel_plan_sum_count(own->plan)),
                                          argument_int((int32_t)groups),
                                          pair_of_reals(own, self + background, background),
                                          argument_buffer(range->partial),
                                          argument_buffer(own->totals) };
    return LAUNCH(own->add_corrections, 1, arguments, error);
}
