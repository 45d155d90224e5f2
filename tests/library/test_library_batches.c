/* libpairmark: boxes of a batch, each as if it were alone: forces, energies and virials, in cells
 * of their own, of any sizes, wherever particles are; what is no batch is refused. */
#include <math.h>
#include <string.h>

#include "library_calls.h"

#include "support.h"

enum { BOXES = 4, MOST = 200 };
static const size_t begin[BOXES + 1] = { 0, 64, 64, 65, 190 };
static const double cells[9 * BOXES] = { 6, 0, 0, 0,    6, 0, 0,   0,    6,   /* cubic */
                                         6, 0, 0, 0,    6, 0, 0,   0,    6,   /* of nobody */
                                         7, 0, 0, 0,    5, 0, 0,   0,    5,   /* of one */
                                         8, 0, 0, -1.5, 7, 0, 0.8, -1.0, 9 }; /* leans */

/* Particles of each box, some of them outside of its cell. */
static void place_particles(bool periodic, double *x) {
    for (size_t b = 0; b < BOXES; b++) {
        const double *v = cells + 9 * b;
        for (size_t i = begin[b]; i < begin[b + 1]; i++) {
            const size_t k = i - begin[b];
            const size_t sites[3] = { k % 5, k / 5 % 5, k / 25 };
            for (size_t d = 0; d < 3; d++) {
                x[3 * i + d] = 0.07 * sin(1.3 * (double)(3 * i + d));
                for (size_t l = 0; l < 3; l++) {
                    const double more = periodic && k % 7 == l ? 2.0 : 0.0;
                    x[3 * i + d] += v[3 * l + d] * (0.2 * (double)sites[l] + more);
                }
            }
        }
    }
}

static pm_system *system_of(size_t n, const double *cell) {
    pm_error e;
    pm_system *system = NULL;
    assert_ok(pm_system_create(n, cell, &system, &e), &e);
    assert_ok(pm_system_potential(system, "lj", NULL, 2.4, &e), &e);
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const pm_system *system, const char *variant) {
    const pm_choice choice = PM_CHOICE(.variant = variant, .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_VIRIAL);
    pm_error e;
    pm_kernel *kernel = NULL;
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    return kernel;
}

struct results {
    double force[3 * MOST], energy[BOXES], virial[9 * BOXES];
};

/* Box by box, by a kernel of one box. */
static void evaluate_alone(pm_context *context, bool periodic, const double *x,
                           struct results *results) {
    memset(results, 0, sizeof *results);
    for (size_t b = 0; b < BOXES; b++) {
        const size_t n = begin[b + 1] - begin[b];
        const pm_arrays arrays =
            PM_ARRAYS(.positions = x + 3 * begin[b], .forces = results->force + 3 * begin[b],
                      .energy = &results->energy[b], .virial = &results->virial[9 * b]);
        pm_system *system = system_of(n, periodic ? cells + 9 * b : NULL);
        pm_kernel *kernel = kernel_of(context, system, "all_pairs_loop");
        pm_error e;
        assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
}

static void assert_all_near(const double *got, const double *expected, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(got[k] - expected[k]) <= 1e-9 * (1 + fabs(expected[k])))) {
            fail_msg("number %zu: %.17g, expected %.17g", k, got[k], expected[k]);
        }
    }
}

static void boxes_are_as_if_alone(void **state) {
    (void)state;
    static const char *const variants[] = { "boxes_tile", "boxes_half", "list_boxes" };
    pm_context *context = open_context();
    for (int k = 0; k < 6; k++) {
        const bool periodic = k % 2 == 0;
        double x[3 * MOST];
        struct results alone;
        struct results together;
        pm_error e;
        place_particles(periodic, x);
        evaluate_alone(context, periodic, x, &alone);
        pm_system *system = system_of(begin[BOXES], NULL);
        assert_ok(pm_system_boxes(system, begin, BOXES, periodic ? cells : NULL, &e), &e);
        pm_kernel *kernel = kernel_of(context, system, variants[k / 2]);
        const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = together.force,
                                           .energy = together.energy, .virial = together.virial);
        for (int again = 0; again < 2; again++) {
            memset(&together, 0xff, sizeof together);
            assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
            assert_all_near(together.force, alone.force, 3 * begin[BOXES]);
            assert_all_near(together.energy, alone.energy, BOXES);
            assert_all_near(together.virial, alone.virial, (size_t)9 * BOXES);
        }
        assert_true(alone.energy[0] != 0 && alone.energy[3] != 0 && together.energy[1] == 0);
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
    pm_close(context);
}

/* A kernel of lists for two boxes of two particles, which evaluates where they are now. */
struct two_boxes {
    double x[12], force[12];
    pm_context *context;
    pm_system *system;
    pm_kernel *kernel;
};

static void evaluate(struct two_boxes *two) {
    const pm_arrays arrays = PM_ARRAYS(.positions = two->x, .forces = two->force);
    pm_error e;
    assert_ok(pm_evaluate(two->kernel, &arrays, &e), &e);
}

static void open_two_boxes(struct two_boxes *two, const double *two_cells) {
    static const size_t of_two[] = { 0, 2, 4 };
    const pm_choice choice = PM_CHOICE(.variant = "list_boxes", .precision = PM_PRECISION_DOUBLE);
    pm_error e;
    two->context = open_context();
    two->system = system_of(4, NULL);
    assert_ok(pm_system_boxes(two->system, of_two, 2, two_cells, &e), &e);
    assert_ok(pm_kernel_create(two->context, two->system, &choice, &two->kernel, &e), &e);
    evaluate(two);
}

static void close_two_boxes(struct two_boxes *two) {
    pm_kernel_free(two->kernel);
    pm_system_free(two->system);
    pm_close(two->context);
}

/* Through a face of the second box, by as much as the edges differ: seen in the first box's cell
 * the particle is where it was, and a list that reaches 2.69 would still serve. */
static void lists_see_who_crosses_a_face(void **state) {
    (void)state;
    static const double edges[18] = {
        10, 0, 0, 0, 10, 0, 0, 0, 10, 10.4, 0, 0, 0, 10, 0, 0, 0, 10
    };
    struct two_boxes two = { .x = { 1, 1, 1, 2, 1, 1, 0.1, 5, 5, 10.4 - 2.6, 5, 5 } };
    open_two_boxes(&two, edges);
    assert_true(two.force[0] != 0 && two.force[6] == 0); /* 2.7 apart */
    two.x[6] += 10.4 - 0.4;
    evaluate(&two);
    assert_true(two.force[6] != 0 && two.force[6] == -two.force[9]); /* 2.3 */
    close_two_boxes(&two);
}

/* Half a height and more apart along the third vector, the nearest image is not the one that
 * rounding finds; as they come nearer, it is the only one within the cutoff. */
static void lists_have_the_nearest_image(void **state) {
    (void)state;
    static const double leaning[18] = { 8, 0, 0, 0, 7, 0, 2, 0, 4.8, 8, 0, 0, 0, 7, 0, 2, 0, 4.8 };
    struct two_boxes two = { .x = { 1, 1, 1, 1, 1, 3.64, 4, 3, 0.5, 4, 3, 3.14 } };
    open_two_boxes(&two, leaning);
    assert_true(two.force[2] == 0 && two.force[8] == 0); /* 2.64 apart */
    for (size_t d = 2; d < 12; d += 6) {
        two.x[d] += 0.13;
        two.x[d + 3] -= 0.13;
    }
    evaluate(&two);
    assert_true(two.force[2] > 0 && two.force[5] == -two.force[2] && two.force[8] > 0); /* 2.38 */
    close_two_boxes(&two);
}

static void best_kernel_of_boxes(void **state) {
    (void)state;
    double x[3 * MOST];
    struct results results;
    const pm_choice choice = PM_CHOICE(.outputs = PM_OUTPUTS_ENERGY);
    const pm_arrays arrays =
        PM_ARRAYS(.positions = x, .forces = results.force, .energy = results.energy);
    pm_context *context = open_context();
    pm_kernel *kernel = NULL;
    pm_error e;
    place_particles(true, x);
    pm_system *system = system_of(begin[BOXES], NULL);
    assert_ok(pm_system_boxes(system, begin, BOXES, cells, &e), &e);
    assert_ok(pm_kernel_best(context, system, &choice, &arrays, 10, 1, &kernel, &e), &e);
    assert_non_null(strstr(pm_kernel_words(kernel), "boxes"));
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

static void refused(pm_context *context, const pm_system *system, const char *variant,
                    const char *words) {
    const bool steps = strchr(variant, '+') != NULL;
    const pm_choice choice = PM_CHOICE(.variant = variant, .dt = steps ? 0.001 : 0);
    pm_kernel *kernel = NULL;
    pm_error e;
    assert_int_equal(pm_kernel_create(context, system, &choice, &kernel, &e), PM_UNSUPPORTED);
    assert_says(e.message, words);
}

static void what_is_no_batch(void **state) {
    (void)state;
    static const size_t falls[] = { 0, 4, 2, 190 };
    static const double turned[18] = { 0, 6, 0, 6, 0, 0, 0, 0, 6, 6, 0, 0, 0, 6, 0, 0, 0, 6 };
    static const size_t two[] = { 0, 64, 190 };
    pm_context *context = open_context();
    pm_error e;
    pm_system *system = system_of(begin[BOXES], NULL);
    assert_int_equal(pm_system_boxes(system, falls, 3, NULL, &e), PM_BAD_INPUT);
    assert_says(e.message, "begin: expected 0");
    assert_int_equal(pm_system_boxes(system, two, 2, turned, &e), PM_BAD_INPUT);
    assert_string_equal(e.message, "box 0: cell: expected a along x and b in the plane of x and y");
    assert_ok(pm_system_boxes(system, two, 2, NULL, &e), &e); /* it is as it was */
    refused(context, system, "list_lanes", "computes one box: a batch takes");
    refused(context, system, "neighbours_tile", "lists boxes of one size");
    refused(context, system, "verlet_inside+boxes_tile", "is of one box, not of boxes");
    pm_system_free(system);
    pm_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_as_if_alone),
        cmocka_unit_test(lists_see_who_crosses_a_face),
        cmocka_unit_test(lists_have_the_nearest_image),
        cmocka_unit_test(best_kernel_of_boxes),
        cmocka_unit_test(what_is_no_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
