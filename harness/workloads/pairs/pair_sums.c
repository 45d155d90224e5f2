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

/* ---- pairs without rounding errors ---- */

/* Pairs are exact in float where particles of one kind lie on a coarse grid in an open box and do
 * to each other what the square of their distance does, times a number of few digits: differences,
 * squares, energies, forces and virials are whole multiples of what belongs to the grid, and no
 * larger than float holds. */
enum { MOST_GRID_STEPS = 64 };

/* The coarsest grid of powers of two on which all differences to the first particle lie, and how
 * many steps apart along an axis particles are at most; 0: there is none. */
static int find_grid(const struct box *box, double *step) {
    double least[3] = { 0 };
    double most[3] = { 0 };
    double extent = 0;
    *step = 1;
    for (size_t k = 3; k < 3 * box->n; k++) {
        const double difference = box->position[k] - box->position[k % 3];
        least[k % 3] = fmin(least[k % 3], difference);
        most[k % 3] = fmax(most[k % 3], difference);
        extent = fmax(extent, most[k % 3] - least[k % 3]);
        while (difference != *step * floor(difference / *step)) {
            *step *= 0.5;
            if (extent > MOST_GRID_STEPS * *step) {
                return 0;
            }
        }
    }
    return extent <= MOST_GRID_STEPS * *step ? (int)(extent / *step) : 0;
}

/* Whether the energy of a pair is `of_step` times the square of its distance in steps. */
static bool is_harmonic(const struct interaction *interaction, double step, int steps,
                        double *of_step) {
    const double rounding = 1e-14;
    double energy;
    double force;
    double slope;
    struct error ignored;
    if (!reference_pair(interaction, step, of_step, &force, &slope, &ignored) || *of_step == 0) {
        return false;
    }
    bool harmonic = true;
    for (int square = 2; harmonic && square <= 3 * steps * steps; square++) {
        const double r = step * sqrt(square);
        const double expected = *of_step * square;
        harmonic = reference_pair(interaction, r, &energy, &force, &slope, &ignored) &&
                   fabs(energy - expected) <= rounding * fabs(expected) &&
                   fabs(force * r + 2 * expected) <= 2 * rounding * fabs(expected);
    }
    return harmonic;
}

/* An odd number that comes to it by a power of two. */
static double odd_part(double number) {
    int exponent;
    double odd = frexp(fabs(number), &exponent);
    while (odd != floor(odd)) {
        odd *= 2;
    }
    return odd;
}

/* Whether all squares of distances are even numbers of steps: face-centred cubic sites. */
static bool squares_are_even(const struct box *box, double step) {
    bool even = true;
    for (size_t i = 1; i < box->n && even; i++) {
        double steps = 0;
        for (size_t k = 0; k < 3; k++) {
            steps += (box->position[3 * i + k] - box->position[k]) / step;
        }
        even = fmod(steps, 2) == 0;
    }
    return even;
}

static void note_exact_pairs(const struct judge_question *question, struct reference *expected) {
    const struct box *box = question->box;
    const struct interaction *interaction = &question->spec->interaction;
    const double unit_of_fixed = 0x1p-32;
    double step;
    double of_step;
    if (box->periodic || box->types > 1 || !interaction->expression || interaction->table ||
        interaction->value_count > 0 || interaction_has_charges(interaction)) {
        return;
    }
    const int steps = find_grid(box, &step);
    if (steps == 0 || !is_harmonic(interaction, step, steps, &of_step)) {
        return;
    }
    expected->is_exact = odd_part(of_step) * 3 * steps * steps <= 0x1p24;
    const double least = (squares_are_even(box, step) ? 2 : 1) * of_step / unit_of_fixed;
    const double of_force = 2 * of_step / step / unit_of_fixed;
    expected->is_whole = least == floor(least) && of_force == floor(of_force);
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
        note_exact_pairs(question, &made->reference);
    }
    return sums_take(made, computed, expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct expectation *made = sums_allocate(error);
    const bool computed =
        made && reference_compute_some(
                    &(struct reference_case){ question->box, &question->spec->interaction,
                                              question->cutoff, question->groups },
                    particle, count, &made->reference, error);
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
        sampled_reference_make(runner, question, &judges, &made->reference, judged, error);
    return sums_take(made, computed, expected);
}

/* ---- comparing ---- */

/* Says so where the interaction itself has no value. */
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
    gate_compare_in_words(&(struct gate_expected){ &question->spec->variant->workload->words,
                                                   &expected->reference,
                                                   box_length_scale(question->box),
                                                   question->spec->precision, OUTPUTS_FORCES },
                          &got, &verdict);
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
                                       .compare = compare,
                                       .totals_are_small = sums_totals_are_small,
                                       SUMS_JUDGE_MEMBERS,
                                       .counts_pairs = true };
/* The same between groups of particles, of which there is no sample. */
const struct judge judge_group_sums = { .name = "group_sums",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .compare = compare,
                                        .totals_are_small = sums_totals_are_small,
                                        SUMS_JUDGE_MEMBERS,
                                        .counts_pairs = true };
