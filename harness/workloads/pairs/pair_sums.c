/* The judge of workloads that are sums over pairs of terms along the line between two particles:
 * forces, and what has their negative as its result. */
#include "workloads/gate.h"
#include "workloads/pairs/sampled_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is expected ---- */

/* The reference computes forces. What a workload has in their place is theirs by the sign with
 * which it takes a parameter of that name. */
static double sign_of_forces(const struct workload *workload) {
    const struct workload_field *result = workload_result(workload);
    for (int p = 0; p < WORKLOAD_MAX_PARAMETERS; p++) {
        if (result->parameters[p].name && strcmp(result->parameters[p].name, "force") == 0) {
            return result->parameters[p].sign;
        }
    }
    return 1;
}

static void turn_forces(const struct judge_question *question, struct reference *expected) {
    const double sign = sign_of_forces(question->spec->variant->workload);
    for (size_t k = 0; sign != 1 && k < 3 * expected->n; k++) {
        expected->force[k] *= sign;
    }
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct expectation *made = sums_allocate(error);
    const bool computed =
        made && (use == EXPECT_KEPT ? reference_compute_groups : reference_cells_groups)(
                    question->box, &question->spec->interaction, question->cutoff, question->groups,
                    &made->reference, error);
    if (computed) {
        turn_forces(question, &made->reference);
    }
    return sums_take(made, computed, expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct expectation *made = sums_allocate(error);
    const bool computed = made && reference_compute_some(
                                      question->box, &question->spec->interaction, question->cutoff,
                                      question->groups, particle, count, &made->reference, error);
    if (computed) {
        turn_forces(question, &made->reference);
    }
    return sums_take(made, computed, expected);
}

static bool expect_by_kernels(const struct judge_question *question,
                              const struct kernel_runner *runner, struct expectation **expected,
                              struct judged *judged, struct error *error) {
    struct sampled_judges judges;
    struct expectation *made = sums_allocate(error);
    const bool computed =
        made && sampled_judges_usual(runner, &judges, error) &&
        sampled_reference_make(runner, question->spec, question->box, question->cutoff, &judges,
                               &made->reference, judged, error);
    return sums_take(made, computed, expected);
}

/* ---- comparing ---- */

/* Where the interaction itself has no value, that is why. */
static void say_where_valueless(const struct judge_question *question, struct verdict *verdict) {
    struct reference_valueless at;
    struct error ignored;
    const char *precision = precision_name(question->spec->precision);
    const bool is_wide = precision_numeric(question->spec->precision).arithmetic == FORMAT_DOUBLE;
    if (verdict->status != STATUS_UNSUPPORTED ||
        !reference_find_valueless(question->box, &question->spec->interaction, question->cutoff,
                                  is_wide ? DBL_MAX : FLT_MAX, &at, &ignored)) {
        return;
    }
    if (isfinite(at.energy) && isfinite(at.force)) {
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "the interaction overflows %s at r = %.9g, the distance of particles %u and "
                       "%u: energy %g, force %g, or how fast it changes",
                       precision, at.r, (unsigned)at.i + 1, (unsigned)at.j + 1, at.energy,
                       at.force);
    } else {
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "the interaction has no finite value at r = %.9g, the distance of particles "
                       "%u and %u: energy %g, force %g",
                       at.r, (unsigned)at.i + 1, (unsigned)at.j + 1,
                       isnan(at.energy) ? NAN : at.energy, isnan(at.force) ? NAN : at.force);
    }
}

/* ---- a kernel without the nearest image ---- */

enum { LOOKED_AT = 16 };

/* Some particles whose forces are wrong, and these forces. */
struct wrong_forces {
    uint32_t particle[LOOKED_AT];
    double force[3 * LOOKED_AT];
    size_t count;
};

static bool find_wrong(const struct judge_question *question, const struct expectation *expected,
                       const struct evaluation *got, struct wrong_forces *wrong) {
    const size_t n = expected->reference.n;
    double *wanted = calloc(6 * n + 1, sizeof *wanted);
    double *tolerance = wanted ? wanted + 3 * n : NULL;
    struct error ignored;
    wrong->count = 0;
    if (wanted && sums_bounds(question, expected, JUDGED_RESULT, wanted, tolerance, &ignored)) {
        for (size_t i = 0; i < n && wrong->count < LOOKED_AT; i++) {
            bool good = true;
            for (size_t k = 3 * i; k < 3 * i + 3; k++) {
                good = good && fabs(got->force[k] - wanted[k]) <= tolerance[k];
            }
            if (!good) {
                memcpy(&wrong->force[3 * wrong->count], &got->force[3 * i], 3 * sizeof(double));
                wrong->particle[wrong->count++] = (uint32_t)i;
            }
        }
    }
    free(wanted);
    return wrong->count > 0;
}

/* Whether these forces are right in the same box with images along these axes alone. */
static bool fits_axes(const struct judge_question *question, const char *axes,
                      const struct wrong_forces *wrong) {
    struct box box = *question->box; /* its arrays are shared */
    struct judge_question asked = *question;
    struct evaluation got = { .n = wrong->count, .force = (double *)wrong->force };
    struct expectation *expected = NULL;
    struct verdict verdict;
    struct error ignored;
    asked.box = &box;
    if (!*axes) {
        box_open(&box);
    } else if (!box_keep_axes(&box, axes, &ignored)) {
        return false;
    }
    if (!expect_some(&asked, wrong->particle, wrong->count, &expected, &ignored)) {
        return false;
    }
    gate_compare_in_words(&question->spec->variant->workload->words, &expected->reference,
                          box_length_scale(question->box), question->spec->precision,
                          OUTPUTS_FORCES, &got, &verdict);
    sums_free(expected);
    return verdict.status == STATUS_OK;
}

/* Forces that would be right if the cell had no images, along some axes or all: that is why. */
static void say_without_images(const struct judge_question *question,
                               const struct expectation *expected, const struct evaluation *got,
                               struct verdict *verdict) {
    struct wrong_forces wrong;
    char present[AXES_SIZE];
    box_axes(question->box, present);
    if (verdict->status != STATUS_WRONG || !*present || !got->force ||
        got->n != expected->reference.n || !find_wrong(question, expected, got, &wrong)) {
        return;
    }
    for (unsigned without = 7; without > 0; without--) {
        char axes[2][AXES_SIZE] = { "", "" }; /* that keep images, and that lose them */
        const char *kept = axes[0];
        const char *lost = axes[1];
        for (const char *axis = present; *axis; axis++) {
            char *some = axes[without >> (*axis - 'x') & 1];
            some[strlen(some)] = *axis;
        }
        if (*lost && fits_axes(question, kept, &wrong)) {
            const size_t length = strlen(verdict->message);
            (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                           "; differs where pairs cross the border: no nearest image along %s",
                           lost);
            return;
        }
    }
}

static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    sums_compare(question, expected, got, verdict);
    say_where_valueless(question, verdict);
    say_without_images(question, expected, got, verdict);
}

extern const struct judge judge_pair_sums, judge_group_sums;
const struct judge judge_pair_sums = { .name = "pair_sums",
                                       .expect = expect,
                                       .expect_some = expect_some,
                                       .expect_by_kernels = expect_by_kernels,
                                       .free = sums_free,
                                       .hash = sums_hash,
                                       .compare = compare,
                                       .compare_scalars = sums_compare_totals,
                                       .bounds = sums_bounds,
                                       .work = sums_work,
                                       .counts_pairs = true };
/* The same between groups of particles, of which there is no sample. */
const struct judge judge_group_sums = { .name = "group_sums",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .free = sums_free,
                                        .hash = sums_hash,
                                        .compare = compare,
                                        .compare_scalars = sums_compare_totals,
                                        .bounds = sums_bounds,
                                        .work = sums_work,
                                        .counts_pairs = true };
