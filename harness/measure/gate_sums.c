/* Evaluations that show how sums are added up: `mixed` in double, `fixed` in the units that it
 * promises. */
#include "boxes/random.h"
#include "core/host.h"
#include "measure/one_case.h"

#include <math.h>
#include <stdlib.h>

/* ---- the same pairs in several orders ----
 *
 * Where float makes the same error in a pair whatever the order, results differ by the errors of
 * sums alone, and these are small where sums are in double. */

/* Where all coordinates are fewer than 2^22 multiples of a power of two, their differences are
 * exact in float, and the differences of these, too. */
static const int steps_of_float = 22;

/* Rounds coordinates to such a grid, within the bounds that they have. */
static void round_to_grid(struct box *box) {
    double least[3];
    double most[3];
    double largest = 0;
    int exponent;
    box_bounds(box, least, most);
    for (size_t k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs(least[k]), fabs(most[k])));
    }
    (void)frexp(largest, &exponent);
    const double step = ldexp(1, exponent - steps_of_float);
    for (size_t k = 0; k < 3 * box->n; k++) {
        const double place = step * rint(box->position[k] / step);
        box->position[k] =
            fmin(fmax(place, step * ceil(least[k % 3] / step)), step * floor(most[k % 3] / step));
    }
}

/* Rotates the box by half a turn about an axis. Distances keep their bits, but kernels that go
 * through the box cell by cell meet the cells in another order, which reordering the particles
 * would not do. */
static void rotate_box(struct box *box, size_t axis) {
    double least[3];
    double most[3];
    box_bounds(box, least, most);
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (k % 3 != axis) {
            box->position[k] = least[k % 3] + most[k % 3] - box->position[k];
        }
    }
}

static void rotate_tensor(double virial[9], size_t axis) {
    for (size_t k = 0; k < 9; k++) {
        virial[k] *= (k / 3 == axis) == (k % 3 == axis) ? 1 : -1;
    }
}

static void rotate_results(struct evaluation *evaluation, size_t axis) {
    for (size_t k = 0; k < 3 * evaluation->n; k++) {
        evaluation->force[k] *= k % 3 == axis ? 1 : -1;
    }
    rotate_tensor(evaluation->virial, axis);
    for (size_t b = 0; b < evaluation->boxes; b++) {
        rotate_tensor(evaluation->of_box[b].virial, axis);
    }
}

static bool evaluate_scattered(const struct one_case *one, const struct box *box,
                               struct evaluation *evaluation, struct error *error) {
    return kernel_plan_reorder(one->plan, one->tools, draw_seed(), true, error) &&
           kernel_plan_move(one->plan, box, error) && gate_evaluate(one->plan, evaluation, error);
}

static bool compare_rotated(const struct one_case *one, struct box *box, size_t axis,
                            const struct evaluation *first, struct verdict *verdict,
                            struct error *error) {
    const struct expected *expected = one->expected;
    const struct judge_question question = { one->spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    struct evaluation rotated = { 0 };
    struct verdict of_orders;
    rotate_box(box, axis);
    const bool ran = evaluate_scattered(one, box, &rotated, error);
    rotate_box(box, axis);
    if (ran) {
        rotate_results(&rotated, axis);
        judge_compare_orders(&question, expected->reference, first, &rotated, &of_orders);
        verdict_take_over(verdict, &of_orders, "summed in another order: ");
    }
    evaluation_free(&rotated);
    return ran;
}

static bool sums_have_more_digits(const struct one_case *one) {
    const struct numeric numeric = precision_numeric(one->spec->precision);
    return one->expected->reference && numeric.accumulation != numeric.arithmetic &&
           !numeric_sums_are_fixed(numeric);
}

/* Compares orders in an open box alone: in a periodic one, coordinates are wrapped and images are
 * found by numbers that are on no grid. */
static bool compare_orders(const struct one_case *one, struct verdict *verdict,
                           struct error *error) {
    struct evaluation first = { 0 };
    struct box box;
    if (one->expected->box.periodic || one->expected->box.n < 2) {
        return true;
    }
    if (!box_as_device(&one->expected->box, one->spec->precision, &box, error)) {
        return false;
    }
    round_to_grid(&box);
    bool ran = evaluate_scattered(one, &box, &first, error);
    for (size_t axis = 0; ran && axis < 3 && verdict->status == STATUS_OK; axis++) {
        ran = compare_rotated(one, &box, axis, &first, verdict, error);
    }
    evaluation_free(&first);
    box_free(&box);
    return ran;
}

/* ---- the same particles with several charges ----
 *
 * Charges of 0, 1 and 2 of either sign scale without rounding, and float makes the same errors by
 * where a particle is. So what two sets of charges do adds up to what their sum does, but for the
 * errors of sums. */

static void draw_charges(size_t n, double *const charge[SUPERPOSED]) {
    struct random random = random_from_seed(draw_seed());
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random_next(&random);
        charge[0][i] = bits & 1 ? 1 : -1;
        charge[1][i] = bits & 2 ? 1 : -1;
        charge[2][i] = charge[0][i] + charge[1][i];
        charge[3][i] = charge[0][i] - charge[1][i];
    }
}

static bool evaluate_charges(const struct one_case *one, double *const charge[SUPERPOSED],
                             struct evaluation *evaluations, struct error *error) {
    struct box box = one->expected->box; /* its other arrays are shared */
    bool ran = true;
    for (int k = 0; ran && k < SUPERPOSED; k++) {
        box.charge = charge[k];
        ran = evaluate_scattered(one, &box, &evaluations[k], error);
    }
    return ran;
}

static bool compare_charges(const struct one_case *one, struct verdict *verdict,
                            struct error *error) {
    const struct expected *expected = one->expected;
    const size_t n = expected->box.n;
    const struct judge_question question = { one->spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    struct evaluation evaluations[SUPERPOSED] = { 0 };
    struct verdict of_charges;
    double *charges = malloc((SUPERPOSED * n + 1) * sizeof *charges);
    if (!charges) {
        return fail_out_of_memory(error, "charges");
    }
    double *const charge[SUPERPOSED] = { charges, charges + n, charges + 2 * n, charges + 3 * n };
    draw_charges(n, charge);
    const bool ran =
        evaluate_charges(one, charge, evaluations, error) &&
        judge_of(one->spec)->compare_superposed(&question, charge, evaluations, &of_charges, error);
    if (ran) {
        verdict_take_over(verdict, &of_charges, "charges that are added up: ");
    }
    for (int k = 0; k < SUPERPOSED; k++) {
        evaluation_free(&evaluations[k]);
    }
    free(charges);
    return ran;
}

bool gate_sums(const struct one_case *one, struct verdict *verdict, struct error *error) {
    const struct judge *judge = judge_of(one->spec);
    if (verdict->status != STATUS_OK || !sums_have_more_digits(one)) {
        return true;
    }
    return judge->compare_superposed
               ? compare_charges(one, verdict, error)
               : !judge->compare_orders || compare_orders(one, verdict, error);
}

/* ---- units ----
 *
 * Totals of small terms are whole numbers of units, and as often odd as even. */

enum { MOST_UNITS = 24 };

/* Distinct totals in units of fixed point; no more are needed once one is odd. */
struct unit_counts {
    double number[MOST_UNITS];
    int count;
    bool odd;
};

static void count_units(struct unit_counts *counts, double total) {
    const double units = fabs(total) * 0x1p32;
    bool is_new = units >= 1;
    for (int k = 0; k < counts->count; k++) {
        is_new = is_new && counts->number[k] != units;
    }
    if (is_new && counts->count < MOST_UNITS) {
        counts->number[counts->count++] = units;
        counts->odd = counts->odd || fmod(units, 2) != 0;
    }
}

/* Evaluates over slightly moved particles, so that totals differ. */
static bool count_moved(const struct one_case *one, struct unit_counts *counts,
                        struct error *error) {
    const struct expected *expected = one->expected;
    const struct judge_question question = { one->spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    struct moved_box moved = { 0 };
    struct evaluation evaluation = { 0 };
    const bool ran = moved_box_make(&question, &(struct moves){ 0 }, &moved, error) &&
                     evaluate_scattered(one, &moved.box, &evaluation, error);
    if (ran) {
        count_units(counts, evaluation.energy);
        for (int k = 0; k < 9 && one->spec->outputs >= OUTPUTS_VIRIAL; k++) {
            count_units(counts, evaluation.virial[k]);
        }
    }
    evaluation_free(&evaluation);
    moved_box_free(&moved);
    return ran;
}

bool gate_units(const struct one_case *one, struct verdict *verdict, struct error *error) {
    const struct judge *judge = judge_of(one->spec);
    struct unit_counts counts = { .count = 0 };
    if (verdict->status != STATUS_OK || one->spec->precision != PRECISION_FIXED ||
        one->spec->outputs < OUTPUTS_ENERGY || !one->expected->reference ||
        !judge->totals_are_small ||
        !judge->totals_are_small(one->expected->reference, one->spec->outputs)) {
        return true;
    }
    bool ran = true;
    for (int k = 0; ran && k < MOST_UNITS && !counts.odd; k++) {
        ran = count_moved(one, &counts, error);
    }
    if (ran && !counts.odd && counts.count == MOST_UNITS) {
        verdict_say(verdict, STATUS_WRONG,
                    "energies and virials of particles that were moved a little, %d numbers, are "
                    "multiples of twice the unit, 2^-32: under fixed each term is to be rounded to "
                    "that",
                    counts.count);
    }
    return ran;
}
