/* Which rows become points of figures, and how: repetitions, tunables, failed cases, cutoffs. */
#include "answers/plot/plot.h"
#include "answers/plot/plot_figures.h"
#include "answers/plot/plot_points.h"
#include "answers/plot/plot_sheet.h"
#include "campaign/rows/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#include "core/files.h"

enum { MAX_ROWS = 32 };

struct fixture {
    struct row rows[MAX_ROWS];
    struct row_table table;
    struct plot_data data;
};

static void add_row(struct fixture *fixture, const char *variant, const char *tunables,
                    const char *status, double n, double time) {
    struct error error;
    struct row *row = &fixture->rows[fixture->table.count];
    assert_true(fixture->table.count < MAX_ROWS);
    assert_true(row_create(row, &error));
    fixture->table.rows = fixture->rows;
    fixture->table.count++;
    row_set(row, COLUMN_WORKLOAD, "forces");
    row_set(row, COLUMN_INTERACTION, "lj");
    row_set(row, COLUMN_OUTPUTS, "forces");
    row_set(row, COLUMN_BACKEND, "opencl");
    row_set(row, COLUMN_DEVICE, "opencl:0:0");
    row_set(row, COLUMN_DEVICE_MODEL, "a processor");
    row_set(row, COLUMN_BOX_KIND, "fluid");
    row_set(row, COLUMN_PRECISION, "float");
    row_set(row, COLUMN_VARIANT, variant);
    row_set(row, COLUMN_TUNABLES, tunables);
    row_set(row, COLUMN_STATUS, status);
    row_set_number(row, COLUMN_N, n);
    row_set_number(row, COLUMN_DENSITY, 0.5);
    row_set_number(row, COLUMN_CUTOFF, 2.5);
    row_set_number(row, COLUMN_FORCE_S_MEDIAN, time);
    row_set_number(row, COLUMN_FORCE_S_P05, 0.9 * time);
    row_set_number(row, COLUMN_FORCE_S_P95, 1.2 * time);
    row_set_number(row, COLUMN_PAIRS_PER_S, 1 / time);
    row_set_number(row, COLUMN_MAX_REL_FORCE_ERROR, 1e-7 * (double)fixture->table.count);
}

static struct row *last_row(struct fixture *fixture) {
    return &fixture->rows[fixture->table.count - 1];
}

static void collect(struct fixture *fixture) {
    struct error error;
    for (size_t i = 0; i < fixture->table.count; i++) {
        row_complete_older(&fixture->table.rows[i]); /* as reading does */
    }
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
    assert_close(point->time_s, 3, 1e-9);
    assert_close(point->p95_s, 3.6, 1e-9);
    assert_close(point->pairs_per_s, 1.0 / 3, 1e-9);
    assert_close(point->error, 3e-7, 1e-9); /* the worst of them */
    assert_int_equal(point->repetitions, 3);
    assert_true(fixture->data.sets[0].averaged);
    assert_false(fixture->data.sets[0].tuned);
}

static void an_even_count_takes_the_middle_two(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 4);
    add_row(fixture, "loop", "", "ok", 1000, 2);
    collect(fixture);
    assert_close(fixture->data.sets[0].point[0].time_s, 3, 1e-9);
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
    row_set(last_row(fixture), COLUMN_PRECISION, "double");
    add_row(fixture, "b", "", "ok", 16000, 1);
    add_row(fixture, "b", "", "ok", 4000, 1);
    add_row(fixture, "a", "", "ok", 16000, 1);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_PRECISION, "mixed");
    collect(fixture);
    const struct plot_point *point = fixture->data.sets[0].point;
    assert_int_equal(fixture->data.sets[0].count, 5);
    assert_string_equal(point[0].variant, "a");
    assert_close(point[1].n, 4000, 1e-9);
    assert_close(point[2].n, 16000, 1e-9);
    assert_string_equal(point[3].precision, "mixed");
    assert_string_equal(point[4].precision, "double");
    assert_int_equal(fixture->data.variant_count, 2);
}

/* A built-in variant's colour does not depend on which others a run has. */
static void colours_are_stable(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "sorted_cells", "", "ok", 4000, 1);
    add_row(fixture, "zz_mine", "", "ok", 4000, 1);
    add_row(fixture, "mine", "", "ok", 4000, 1);
    collect(fixture);
    size_t cells = plot_variant_index(&fixture->data, "sorted_cells");
    size_t mine = plot_variant_index(&fixture->data, "mine");
    assert_true(mine > cells);
    assert_int_equal(plot_variant_index(&fixture->data, "zz_mine"), mine + 1);
    plot_points_free(&fixture->data);
    add_row(fixture, "all_pairs_loop", "", "ok", 4000, 1);
    collect(fixture);
    assert_int_equal(plot_variant_index(&fixture->data, "sorted_cells"), cells);
    assert_true(plot_variant_index(&fixture->data, "all_pairs_loop") != cells);
    assert_true(plot_variant_index(&fixture->data, "all_pairs_loop") < mine);
}

/* Ways of adding up are one point, as tunables are: the fastest. A row of before there were several
 * is of the only one. */
static void knobs_compete(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 9);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_REDUCTION, "tree");
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 3);
    row_set(last_row(fixture), COLUMN_REDUCTION, "atomic");
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    assert_int_equal(set->count, 1);
    assert_true(set->tuned);
    assert_close(set->point[0].time_s, 3, 1e-9); /* tree: 5 */
    assert_int_equal(set->point[0].repetitions, 1);
}

static void second_timings_are_no_points(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 3);
    add_row(fixture, "loop", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_TWIN, "1");
    collect(fixture);
    assert_int_equal(fixture->data.repeats, 1);
    assert_close(fixture->data.sets[0].point[0].time_s, 3, 1e-9);
}

static void energy_comes_from_either_column(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), COLUMN_ENERGY_J, 2);
    row_set_number(last_row(fixture), COLUMN_PAIRS_IN_CUTOFF, 1e6);
    add_row(fixture, "b", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), COLUMN_ENERGY_J, 2);
    row_set_number(last_row(fixture), COLUMN_PAIRS_IN_CUTOFF, 1e6);
    row_set_number(last_row(fixture), COLUMN_NJ_PER_PAIR, 7);
    add_row(fixture, "c", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), COLUMN_ENERGY_J, 2); /* over how many pairs nobody knows */
    row_set_number(last_row(fixture), COLUMN_PAIRS_IN_CUTOFF, 0);
    collect(fixture);
    assert_close(fixture->data.sets[0].point[0].nj_per_pair, 2000, 1e-9);
    assert_close(fixture->data.sets[0].point[1].nj_per_pair, 7, 1e-9);
    assert_true(isnan(fixture->data.sets[0].point[2].nj_per_pair));
}

/* ---- who wins, who is on the front ---- */

static void the_winner_leads_by_the_next_ones_time(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 6);
    add_row(fixture, "b", "", "ok", 1000, 2);
    row_set_number(last_row(fixture), COLUMN_BUILD_S_MEDIAN, 10);
    add_row(fixture, "c", "", "ok", 1000, 9);
    add_row(fixture, "d", "", "wrong", 1000, 1);
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    struct plot_winner winner = plot_winner_of(set, "float", 1000, false);
    assert_string_equal(winner.point->variant, "b");
    assert_close(winner.lead, 3, 1e-9);
    assert_false(winner.is_close);
    winner = plot_winner_of(set, "float", 1000, true); /* 12 with the structure */
    assert_string_equal(winner.point->variant, "a");
    assert_close(winner.lead, 1.5, 1e-9);
    assert_null(plot_winner_of(set, "double", 1000, false).point);
    assert_null(plot_winner_of(set, "float", 2000, false).point);
}

/* 5th to 95th percentiles are 0.9 to 1.2 times the median here. */
static void overlapping_percentiles_are_close(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 10);
    add_row(fixture, "b", "", "ok", 1000, 13);
    add_row(fixture, "a", "", "ok", 2000, 10);
    add_row(fixture, "b", "", "ok", 2000, 14);
    add_row(fixture, "a", "", "ok", 4000, 10);
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    assert_true(plot_winner_of(set, "float", 1000, false).is_close);
    assert_false(plot_winner_of(set, "float", 2000, false).is_close);
    assert_true(isnan(plot_winner_of(set, "float", 4000, false).lead));
}

/* The visits of each case deviate by 0.15: two times of 2 visits each by sqrt(2) 0.15 / sqrt(2). */
static void leads_within_the_noise_are_close(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 10);
    add_row(fixture, "b", "", "ok", 1000, 14);
    for (size_t i = 0; i < fixture->table.count; i++) {
        struct row *row = &fixture->table.rows[i];
        row_set_number(row, COLUMN_VISITS, 2);
        row_set_number(row, COLUMN_VISIT_S_SD, 0.15 * row_number(row, COLUMN_FORCE_S_MEDIAN));
    }
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    assert_close(set->noise, exp(2.576 * 0.15) - 1, 1e-9);
    assert_true(plot_winner_of(set, "float", 1000, false).is_close);
}

static void set_error(struct fixture *fixture, double value) {
    row_set_number(last_row(fixture), COLUMN_MAX_REL_FORCE_ERROR, value);
}

static void the_front_is_what_no_other_beats(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        double time, error;
        bool on_front;
    } cases[] = {
        { 1, 1e-3, true },  { 2, 1e-3, false }, { 3, 0.95e-3, false }, { 4, 1e-7, true },
        { 5, 1e-6, false }, { 6, 1e-13, true }, { 6, 2e-13, false },   { 0.5, NAN, false }
    };
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    for (size_t i = 0; i < 8; i++) {
        add_row(fixture, names[i], "", "ok", 1000, cases[i].time);
        set_error(fixture, cases[i].error);
    }
    add_row(fixture, "a", "", "ok", 500, 0.1); /* another N beats nobody */
    set_error(fixture, 0);
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    for (size_t i = 0; i < 8; i++) {
        const struct plot_point *point = &set->point[i + 1];
        assert_string_equal(point->variant, names[i]);
        assert_int_equal(plot_on_front(set, point), cases[i].on_front);
    }
}

/* ---- which lines are named ---- */

static void add_walk(struct fixture *fixture, const char *variant, const char *structure, double n,
                     double time) {
    add_row(fixture, variant, "", "ok", n, time);
    row_set(last_row(fixture), COLUMN_STRUCTURE, structure);
}

/* Ten variants: two are the fastest at some N, one is the slowest, and of two structures that
 * several walk there is a fastest one at the last N that any of them reaches. */
static void winners_and_landmarks_are_named(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *variant, *structure;
        double small, large; /* times; 0: did not run */
    } cases[] = { { "wins_small", "one", 1, 90 }, { "wins_large", "two", 2, 10 },
                  { "pairs_a", "none", 5, 500 },  { "pairs_b", "none", 4, 400 },
                  { "pairs_c", "none", 6, 900 },  { "pairs_d", "none", 3, 0 },
                  { "cells_a", "cells", 7, 30 },  { "cells_b", "cells", 3, 40 },
                  { "alone_a", "three", 4, 20 },  { "alone_b", "four", 4, 21 } };
    static const char *const expected[] = { "wins_large", "wins_small", "pairs_c", "pairs_b",
                                            "cells_a" };
    struct plot_lines lines;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        add_walk(fixture, cases[i].variant, cases[i].structure, 1000, cases[i].small);
        if (cases[i].large > 0) {
            add_walk(fixture, cases[i].variant, cases[i].structure, 64000, cases[i].large);
        }
    }
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    assert_true(plot_lines_choose(set->point, set->count, plot_place_n, &lines));
    assert_int_equal(lines.named_count, 5);
    assert_int_equal(lines.rest_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(lines.named[i], expected[i]);
    }
    assert_non_null(strstr(plot_lines_rule(&lines), "Grey: the others"));
    plot_lines_free(&lines);
}

static void eight_are_all_named(void **state) {
    struct fixture *fixture = *state;
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    struct plot_lines lines;
    for (size_t i = 0; i < 8; i++) {
        add_walk(fixture, names[i], "none", 1000, 1 + (double)i);
    }
    collect(fixture);
    const struct plot_set *set = &fixture->data.sets[0];
    assert_true(plot_lines_choose(set->point, set->count, plot_place_n, &lines));
    assert_int_equal(lines.named_count, 8);
    assert_int_equal(lines.rest_count, 0);
    assert_string_equal(plot_lines_rule(&lines), "");
    plot_lines_free(&lines);
}

/* ---- groups ---- */

static void add_groups(struct fixture *fixture, const char *words, double n_a, double n_b) {
    add_row(fixture, "a", "", "ok", 100000, 1);
    row_set(last_row(fixture), COLUMN_WORKLOAD, "coordination");
    row_set(last_row(fixture), COLUMN_GROUPS, words);
    row_set_number(last_row(fixture), COLUMN_N_A, n_a);
    row_set_number(last_row(fixture), COLUMN_N_B, n_b);
}

static void ratios_are_sets_of_one_balance(void **state) {
    struct fixture *fixture = *state;
    add_groups(fixture, "ratio=1000:1000", 1000, 1000);
    add_groups(fixture, "ratio=4000:250", 4000, 250);
    add_groups(fixture, "a=1-50 b=51-100 pairs", 50, 50);
    add_groups(fixture, "", NAN, NAN);
    add_groups(fixture, "a=1-100", 100, 0);
    collect(fixture);
    assert_int_equal(fixture->data.count, 5);
    size_t covered = 0;
    for (size_t s = 0; s < fixture->data.count; s++) {
        const struct plot_set *set = &fixture->data.sets[s];
        assert_true(plot_same_but_groups(set, &fixture->data.sets[0]));
        covered += plot_balance_covers(&fixture->data, set);
    }
    assert_int_equal(covered, 2);
}

/* ---- peaks ---- */

static void peaks_are_read_from_any_environment(void **state) {
    (void)state;
    static const char *const files[] = {
        "{\"devices\":[{\"backend\":\"cuda\",\"model\":\"M\",\"peak_operations_per_s\":"
        "{\"float\":5e13,\"double\":null}}]}",
        "{\"devices\":[{\"backend\":\"cuda\",\"model\":\"M\",\"peaks\":"
        "{\"fp32_operations_per_s\":6e13,\"fp64_operations_per_s\":3e13,\"copy_bytes_per_s\":4e12}}"
        ","
        "7,{\"peaks\":[]}]}",
        "{\"devices\":", "[]", "{\"devices\":{\"peaks\":\"x\"}}"
    };
    struct plot_peaks peaks = { 0 };
    struct error error;
    char folder[TEST_FOLDER_SIZE];
    char rows[TEST_FOLDER_SIZE + 16];
    char path[TEST_FOLDER_SIZE + 24];
    make_test_folder(folder);
    (void)snprintf(rows, sizeof rows, "%s/rows.csv", folder);
    (void)snprintf(path, sizeof path, "%s/environment.json", folder);
    assert_true(plot_peaks_read(rows, NULL, &peaks, &error)); /* no such file */
    assert_int_equal(peaks.count, 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_true(fs_write(path, files[i], strlen(files[i]), &error));
        assert_true(plot_peaks_read(rows, NULL, &peaks, &error));
    }
    const struct plot_device_peaks *own = plot_peaks_of(&peaks, "M", "cuda");
    assert_non_null(own);
    assert_null(plot_peaks_of(&peaks, "M", "opencl"));
    assert_close(plot_peaks_operations(own, "mixed"), 5e13, 1e-9); /* the first that knows */
    assert_close(plot_peaks_operations(own, "double"), 3e13, 1e-9);
    assert_close(own->copy_bytes_per_s, 4e12, 1e-9);
    assert_true(isnan(plot_peaks_operations(own, "quadruple")));
    plot_peaks_free(&peaks);
    assert_int_equal(remove_test_folder(folder), 0);
}

static void min_traffic_counts_positions_and_forces(void **state) {
    (void)state;
    assert_close(plot_least_bytes("float"), 28, 1e-9);
    assert_close(plot_least_bytes("mixed"), 40, 1e-9);
    assert_close(plot_least_bytes("double"), 56, 1e-9);
    assert_true(isnan(plot_least_bytes("")));
}

static void devices_outputs_and_cutoffs_are_kept_apart(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 1);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_DEVICE_MODEL, "another");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_BACKEND, "cuda");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_OUTPUTS, "virial");
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 3);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, INFINITY);
    collect(fixture);
    assert_int_equal(fixture->data.count, 6);
}

/* Half an edge is another number at every N, yet one question. */
static void half_the_edge_is_one_cutoff(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10); /* edge 20 */
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 20); /* edge 40 */
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_string_equal(fixture->data.sets[0].cutoff, "half the edge");
}

static void a_cutoff_that_happens_to_be_half_an_edge_is_a_number(void **state) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10);
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10);
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
    assert_false(plot_paths(NULL, NULL, 0, NULL, NULL, PLOT_SVG, NULL, NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
}

static void groups_in_words(void **state) {
    static const struct {
        double n_a, n_b;
        const char *words;
    } cases[] = {
        { 1000000, 10, "|A|:|B| = 100000:1" }, { 30, 480, "|A|:|B| = 1:16" },
        { 300, 300, "|A|:|B| = 1:1" },         { 158, 100, "|A|:|B| = 1.58:1" },
        { 1, 1000000, "|A|:|B| = 1:1000000" }, { 1000, 3, "|A|:|B| = 333:1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct row row;
        struct error error;
        char words[32];
        assert_true(row_create(&row, &error));
        row_set(&row, COLUMN_GROUPS, "ratio=A:B");
        row_set_number(&row, COLUMN_N_A, cases[i].n_a);
        row_set_number(&row, COLUMN_N_B, cases[i].n_b);
        plot_groups_in_words(&row, words, sizeof words);
        assert_string_equal(words, cases[i].words);
        row_free(&row);
    }
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
        cmocka_unit_test_setup_teardown(colours_are_stable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(knobs_compete, set_up, tear_down),
        cmocka_unit_test_setup_teardown(second_timings_are_no_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(energy_comes_from_either_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_winner_leads_by_the_next_ones_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(overlapping_percentiles_are_close, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leads_within_the_noise_are_close, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_front_is_what_no_other_beats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(winners_and_landmarks_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(eight_are_all_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ratios_are_sets_of_one_balance, set_up, tear_down),
        cmocka_unit_test(peaks_are_read_from_any_environment),
        cmocka_unit_test(min_traffic_counts_positions_and_forces),
        cmocka_unit_test(paths_that_hold_no_rows_are_refused),
        cmocka_unit_test(groups_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
