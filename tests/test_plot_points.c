/* Which rows become points of figures, and how: repetitions, tunables, failed cases, cutoffs. */
#include "campaign/plot.h"
#include "campaign/plot_points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_ROWS = 32 };

struct fixture {
    struct row rows[MOST_ROWS];
    struct row_table table;
    struct plot_data data;
};

static void add_row(struct fixture *fixture, const char *variant, const char *tunables,
                    const char *status, double n, double time) {
    struct error error;
    struct row *row = &fixture->rows[fixture->table.count];
    assert_true(fixture->table.count < MOST_ROWS);
    assert_true(row_create(row, &error));
    fixture->table.rows = fixture->rows;
    fixture->table.count++;
    row_set(row, "workload", "forces");
    row_set(row, "interaction", "lj");
    row_set(row, "outputs", "forces");
    row_set(row, "backend", "opencl");
    row_set(row, "device", "opencl:0:0");
    row_set(row, "device_model", "a processor");
    row_set(row, "box_kind", "fluid");
    row_set(row, "precision", "float");
    row_set(row, "variant", variant);
    row_set(row, "tunables", tunables);
    row_set(row, "status", status);
    row_set_number(row, "n", n);
    row_set_number(row, "density", 0.5);
    row_set_number(row, "cutoff", 2.5);
    row_set_number(row, "force_s_median", time);
    row_set_number(row, "force_s_p05", 0.9 * time);
    row_set_number(row, "force_s_p95", 1.2 * time);
    row_set_number(row, "pairs_per_s", 1 / time);
    row_set_number(row, "max_rel_force_error", 1e-7 * (double)fixture->table.count);
}

static void assert_near(double value, double expected) {
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected)); /* NaN fails */
}

static struct row *last_row(struct fixture *fixture) {
    return &fixture->rows[fixture->table.count - 1];
}

static void collect(struct fixture *fixture) {
    struct error error;
    assert_true(plot_points_collect(&fixture->table, 1, &fixture->data, &error));
}

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    plot_points_free(&fixture->data);
    for (size_t i = 0; i < fixture->table.count; i++) {
        row_free(&fixture->rows[i]);
    }
    free(fixture);
    return 0;
}

static void repetitions_become_their_median(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 3);
    add_row(fixture, "loop", "", "ok", 1000, 1);
    add_row(fixture, "loop", "", "ok", 1000, 8);
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_int_equal(fixture->data.sets[0].count, 1);
    const struct plot_point *point = &fixture->data.sets[0].point[0];
    assert_near(point->time_s, 3);
    assert_near(point->p95_s, 3.6);
    assert_near(point->pairs_per_s, 1.0 / 3);
    assert_near(point->error, 3e-7); /* the worst of them */
    assert_int_equal(point->repetitions, 3);
    assert_true(fixture->data.sets[0].averaged);
    assert_false(fixture->data.sets[0].tuned);
}

static void an_even_count_takes_the_middle_two(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 4);
    add_row(fixture, "loop", "", "ok", 1000, 2);
    collect(fixture);
    assert_near(fixture->data.sets[0].point[0].time_s, 3);
}

/* By the median of its repetitions, not by its luckiest one. */
static void the_fastest_tunables_stand(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 5);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 6);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 1);
    add_row(fixture, "loop", "GROUP_SIZE=128", "ok", 1000, 4);
    add_row(fixture, "loop", "GROUP_SIZE=32", "wrong", 1000, 0.5);
    collect(fixture);
    assert_int_equal(fixture->data.sets[0].count, 1);
    assert_string_equal(fixture->data.sets[0].point[0].tunables, "GROUP_SIZE=128");
    assert_true(fixture->data.sets[0].tuned);
}

static void failed_cases_are_no_points(void **state) {
    struct fixture *fixture = *state;
    static const char *const verdicts[] = {
        "wrong", "unsupported", "out_of_memory", "compile_error", "crashed", "timeout", ""
    };
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        add_row(fixture, "loop", "", verdicts[i], 1000, 1);
    }
    add_row(fixture, "loop", "", "ok", 1000, NAN);
    add_row(fixture, "loop", "", "ok", 1000, 0);
    collect(fixture);
    assert_int_equal(fixture->data.rows, 9);
    assert_int_equal(fixture->data.ok_rows, 0);
    assert_int_equal(fixture->data.count, 0);
}

static void points_are_sorted_by_precision_variant_and_n(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "b", "", "ok", 4000, 1);
    row_set(last_row(fixture), "precision", "double");
    add_row(fixture, "b", "", "ok", 16000, 1);
    add_row(fixture, "b", "", "ok", 4000, 1);
    add_row(fixture, "a", "", "ok", 16000, 1);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), "precision", "mixed");
    collect(fixture);
    const struct plot_point *point = fixture->data.sets[0].point;
    assert_int_equal(fixture->data.sets[0].count, 5);
    assert_string_equal(point[0].variant, "a");
    assert_near(point[1].n, 4000);
    assert_near(point[2].n, 16000);
    assert_string_equal(point[3].precision, "mixed");
    assert_string_equal(point[4].precision, "double");
    assert_int_equal(fixture->data.variant_count, 2);
    assert_int_equal(plot_variant_index(&fixture->data, "b"), 1);
}

static void devices_outputs_and_cutoffs_are_kept_apart(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 1);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), "device_model", "another");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), "backend", "cuda");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), "outputs", "virial");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), "cutoff", 3);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), "cutoff", INFINITY);
    collect(fixture);
    assert_int_equal(fixture->data.count, 6);
}

/* Half an edge is another number at every N, yet one question. */
static void half_the_edge_is_one_cutoff(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), "cutoff", 10); /* edge 20 */
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), "cutoff", 20); /* edge 40 */
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_string_equal(fixture->data.sets[0].cutoff, "half the edge");
}

static void a_cutoff_that_happens_to_be_half_an_edge_is_a_number(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), "cutoff", 10);
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), "cutoff", 10);
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_string_equal(fixture->data.sets[0].cutoff, "10");
}

static void paths_that_hold_no_rows_are_refused(void **state) {
    (void)state;
    struct error error;
    assert_false(plot_directory("/nonexistent/run", NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nonexistent/run"));
    assert_false(plot_paths(NULL, 0, NULL, PLOT_SVG, NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(repetitions_become_their_median, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_even_count_takes_the_middle_two, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_fastest_tunables_stand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_cases_are_no_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(points_are_sorted_by_precision_variant_and_n, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(devices_outputs_and_cutoffs_are_kept_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(half_the_edge_is_one_cutoff, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cutoff_that_happens_to_be_half_an_edge_is_a_number,
                                        set_up, tear_down),
        cmocka_unit_test(paths_that_hold_no_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
