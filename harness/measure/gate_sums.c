/* The same pairs in several orders. Where float makes the same error in a pair whatever the order,
 * results differ by the errors of sums alone, and these are small where sums are in double. */
#include "core/host.h"
#include "measure/one_case.h"

#include <math.h>

/* Differences of coordinates are exact in float, also of those that are relative to one of them, if
 * all are whole multiples of one power of two and few. */
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

/* By half a turn about an axis: distances keep their bits, but kernels that go through the box cell
 * by cell meet its cells in another order, which the order of the particles does not change. */
static void turn_box(struct box *box, size_t axis) {
    double least[3];
    double most[3];
    box_bounds(box, least, most);
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (k % 3 != axis) {
            box->position[k] = least[k % 3] + most[k % 3] - box->position[k];
        }
    }
}

static void turn_tensor(double virial[9], size_t axis) {
    for (size_t k = 0; k < 9; k++) {
        virial[k] *= (k / 3 == axis) == (k % 3 == axis) ? 1 : -1;
    }
}

static void turn_results(struct evaluation *evaluation, size_t axis) {
    for (size_t k = 0; k < 3 * evaluation->n; k++) {
        evaluation->force[k] *= k % 3 == axis ? 1 : -1;
    }
    turn_tensor(evaluation->virial, axis);
    for (size_t b = 0; b < evaluation->boxes; b++) {
        turn_tensor(evaluation->of_box[b].virial, axis);
    }
}

static bool evaluate_scattered(const struct one_case *one, const struct box *box,
                               struct evaluation *evaluation, struct error *error) {
    return kernel_plan_reorder(one->plan, one->tools, draw_seed(), true, error) &&
           kernel_plan_move(one->plan, box, error) && gate_evaluate(one->plan, evaluation, error);
}

static bool compare_turned(const struct one_case *one, struct box *box, size_t axis,
                           const struct evaluation *first, struct verdict *verdict,
                           struct error *error) {
    const struct expected *expected = one->expected;
    const struct judge_question question = { one->spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    struct evaluation turned = { 0 };
    struct verdict of_orders;
    turn_box(box, axis);
    const bool ran = evaluate_scattered(one, box, &turned, error);
    turn_box(box, axis);
    if (ran) {
        turn_results(&turned, axis);
        judge_of(one->spec)->compare_orders(&question, expected->reference, first, &turned,
                                            &of_orders);
        verdict_take_over(verdict, &of_orders, "summed in another order: ");
    }
    evaluation_free(&turned);
    return ran;
}

/* In a periodic box, coordinates are wrapped and images are found by numbers that are on no grid.
 */
static bool tells_sums(const struct one_case *one) {
    const struct numeric numeric = precision_numeric(one->spec->precision);
    const struct box *box = &one->expected->box;
    return judge_of(one->spec)->compare_orders && one->expected->reference && !box->periodic &&
           box->n > 1 && numeric.accumulation != numeric.arithmetic &&
           !numeric_sums_are_fixed(numeric);
}

bool gate_sums(const struct one_case *one, struct verdict *verdict, struct error *error) {
    struct evaluation first = { 0 };
    struct box box;
    if (verdict->status != STATUS_OK || !tells_sums(one)) {
        return true;
    }
    if (!box_as_device(&one->expected->box, one->spec->precision, &box, error)) {
        return false;
    }
    round_to_grid(&box);
    bool ran = evaluate_scattered(one, &box, &first, error);
    for (size_t axis = 0; ran && axis < 3 && verdict->status == STATUS_OK; axis++) {
        ran = compare_turned(one, &box, axis, &first, verdict, error);
    }
    evaluation_free(&first);
    box_free(&box);
    return ran;
}
