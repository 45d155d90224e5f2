/* Which rows become points of figures, and how: repetitions, tunables, failed cases, cutoffs. */
#include "answers/plot/plot.h"
#include "campaign/rows/rows.h"

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
    struct row *row = &fixture->rows[fixture->table.count];
    assert_true(fixture->table.count < MAX_ROWS);
    row_create(row);
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
    for (size_t i = 0; i < fixture->table.count; i++) {
        row_complete_older(&fixture->table.rows[i]); /* as reading does */
    }
    plot_points_collect(&fixture->table, NULL, 1, NULL, &fixture->data);
}

/* Of SQL that answers one number; NaN: NULL, or no row. */
static double ask(struct fixture *fixture, const char *sql) {
    return analysis_ask_number(&fixture->data.analysis, "%s", sql);
}

/* The rows of SQL that answers one text, with a comma behind each. */
static void asks(struct fixture *fixture, const char *sql, const char *expected) {
    char words[256] = "";
    struct answer answer = analysis_ask(&fixture->data.analysis, "%s", sql);
    for (size_t i = 0; i < answer.rows; i++) {
        const size_t length = strlen(words);
        (void)snprintf(words + length, sizeof words - length, "%s,", answer_text(&answer, i, 0));
    }
    answer_free(&answer);
    assert_string_equal(words, expected);
}

/* The points of a view, of the first set. */
static void show(struct fixture *fixture, const char *view) {
    struct plot_sheet sheet = { .data = &fixture->data };
    struct plot_figure figure = { 0 };
    (void)plot_show(&sheet, view, 1, NULL, &figure);
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

TEST_WITH(repetitions_become_their_median, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 3);
    add_row(fixture, "loop", "", "ok", 1000, 1);
    add_row(fixture, "loop", "", "ok", 1000, 8);
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_close(ask(fixture, "SELECT count(*) FROM points"), 1, 0);
    assert_close(ask(fixture, "SELECT time_s FROM points"), 3, 1e-9);
    assert_close(ask(fixture, "SELECT p95_s FROM points"), 3.6, 1e-9);
    assert_close(ask(fixture, "SELECT pairs / time_s FROM points"), 1.0 / 3, 1e-9);
    assert_close(ask(fixture, "SELECT error FROM points"), 3e-7, 1e-9); /* the worst of them */
    assert_close(ask(fixture, "SELECT repetitions FROM points"), 3, 0);
    assert_true(fixture->data.sets[0].averaged);
    assert_false(fixture->data.sets[0].tuned);
}

TEST_WITH(an_even_count_takes_the_middle_two, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 4);
    add_row(fixture, "loop", "", "ok", 1000, 2);
    collect(fixture);
    assert_close(ask(fixture, "SELECT time_s FROM points"), 3, 1e-9);
}

/* By the median of its repetitions, not by its luckiest one. */
TEST_WITH(the_fastest_tunables_stand, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 5);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 6);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 1);
    add_row(fixture, "loop", "GROUP_SIZE=128", "ok", 1000, 4);
    add_row(fixture, "loop", "GROUP_SIZE=32", "wrong", 1000, 0.5);
    collect(fixture);
    asks(fixture, "SELECT tunables FROM points", "GROUP_SIZE=128,");
    assert_true(fixture->data.sets[0].tuned);
}

TEST_WITH(failed_cases_are_no_points, set_up, tear_down) {
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

TEST_WITH(points_are_sorted_by_precision_variant_and_n, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "b", "", "ok", 4000, 1);
    row_set(last_row(fixture), COLUMN_PRECISION, "double");
    add_row(fixture, "b", "", "ok", 16000, 1);
    add_row(fixture, "b", "", "ok", 4000, 1);
    add_row(fixture, "a", "", "ok", 16000, 1);
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_PRECISION, "mixed");
    collect(fixture);
    asks(fixture,
         "SELECT precision || ' ' || variant || ' ' || CAST(n AS INTEGER) FROM points"
         " WHERE part = 1 ORDER BY point",
         "float a 16000,float b 4000,float b 16000,mixed a 1000,double b 4000,");
}

static double style_of(struct fixture *fixture, const char *variant) {
    return analysis_ask_number(&fixture->data.analysis,
                               "SELECT style FROM styles WHERE variant = %Q", variant);
}

/* A built-in variant's colour does not depend on which others a run has. */
TEST_WITH(colours_are_stable, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "sorted_cells", "", "ok", 4000, 1);
    add_row(fixture, "zz_mine", "", "ok", 4000, 1);
    add_row(fixture, "mine", "", "ok", 4000, 1);
    collect(fixture);
    const double cells = style_of(fixture, "sorted_cells");
    const double mine = style_of(fixture, "mine");
    assert_true(mine > cells);
    assert_true(style_of(fixture, "zz_mine") == mine + 1);
    plot_points_free(&fixture->data);
    add_row(fixture, "all_pairs_loop", "", "ok", 4000, 1);
    collect(fixture);
    assert_true(style_of(fixture, "sorted_cells") == cells);
    assert_true(style_of(fixture, "all_pairs_loop") != cells);
    assert_true(style_of(fixture, "all_pairs_loop") < mine);
}

/* Ways of adding up are one point, as tunables are: the fastest. A row of before there were several
 * is of the only one. */
TEST_WITH(knobs_compete, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 9);
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_REDUCTION, "tree");
    add_row(fixture, "loop", "GROUP_SIZE=64", "ok", 1000, 3);
    row_set(last_row(fixture), COLUMN_REDUCTION, "atomic");
    collect(fixture);
    assert_close(ask(fixture, "SELECT count(*) FROM points"), 1, 0);
    assert_true(fixture->data.sets[0].tuned);
    assert_close(ask(fixture, "SELECT time_s FROM points"), 3, 1e-9); /* tree: 5 */
    assert_close(ask(fixture, "SELECT repetitions FROM points"), 1, 0);
}

TEST_WITH(second_timings_are_no_points, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "loop", "", "ok", 1000, 3);
    add_row(fixture, "loop", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_TWIN, "1");
    collect(fixture);
    assert_int_equal(fixture->data.twins, 1);
    assert_close(ask(fixture, "SELECT time_s FROM points"), 3, 1e-9);
}

TEST_WITH(energy_comes_from_either_column, set_up, tear_down) {
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
    assert_close(ask(fixture, "SELECT nj_per_pair FROM points WHERE variant = 'a'"), 2000, 1e-9);
    assert_close(ask(fixture, "SELECT nj_per_pair FROM points WHERE variant = 'b'"), 7, 1e-9);
    assert_true(isnan(ask(fixture, "SELECT nj_per_pair FROM points WHERE variant = 'c'")));
}

/* ---- who wins, who is on the front ---- */

TEST_WITH(the_winner_leads_by_the_next_ones_time, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 6);
    add_row(fixture, "b", "", "ok", 1000, 2);
    row_set_number(last_row(fixture), COLUMN_BUILD_S_MEDIAN, 10);
    add_row(fixture, "c", "", "ok", 1000, 9);
    add_row(fixture, "d", "", "wrong", 1000, 1);
    collect(fixture);
    asks(fixture, "SELECT variant FROM winners ORDER BY with_build", "b,a,"); /* 12 with it */
    assert_close(ask(fixture, "SELECT next_s / seconds FROM winners WHERE NOT with_build"), 3,
                 1e-9);
    assert_close(ask(fixture, "SELECT is_close FROM winners WHERE NOT with_build"), 0, 0);
    assert_close(ask(fixture, "SELECT next_s / seconds FROM winners WHERE with_build"), 1.5, 1e-9);
    assert_close(
        ask(fixture, "SELECT count(*) FROM winners WHERE precision = 'float' AND n = 1000"), 2, 0);
    assert_close(ask(fixture, "SELECT count(*) FROM winners"), 2, 0);
}

/* 5th to 95th percentiles are 0.9 to 1.2 times the median here. */
TEST_WITH(overlapping_percentiles_are_close, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 10);
    add_row(fixture, "b", "", "ok", 1000, 13);
    add_row(fixture, "a", "", "ok", 2000, 10);
    add_row(fixture, "b", "", "ok", 2000, 14);
    add_row(fixture, "a", "", "ok", 4000, 10);
    collect(fixture);
    assert_close(ask(fixture, "SELECT is_close FROM winners WHERE n = 1000"), 1, 0);
    assert_close(ask(fixture, "SELECT is_close FROM winners WHERE n = 2000"), 0, 0);
    assert_true(isnan(ask(fixture, "SELECT next_s FROM winners WHERE n = 4000")));
}

/* The visits of each case deviate by 0.15: two times of 2 visits each by sqrt(2) 0.15 / sqrt(2). */
TEST_WITH(leads_within_the_noise_are_close, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 1000, 10);
    add_row(fixture, "b", "", "ok", 1000, 14);
    for (size_t i = 0; i < fixture->table.count; i++) {
        struct row *row = &fixture->table.rows[i];
        row_set_number(row, COLUMN_VISITS, 2);
        row_set_number(row, COLUMN_VISIT_S_SD, 0.15 * row_number(row, COLUMN_FORCE_S_MEDIAN));
    }
    collect(fixture);
    assert_close(fixture->data.sets[0].noise, exp(2.576 * 0.15) - 1, 1e-9);
    assert_close(ask(fixture, "SELECT is_close FROM winners"), 1, 0);
}

static void set_error(struct fixture *fixture, double value) {
    row_set_number(last_row(fixture), COLUMN_MAX_REL_FORCE_ERROR, value);
}

TEST_WITH(the_front_is_what_no_other_beats, set_up, tear_down) {
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
    show(fixture, "error");
    for (size_t i = 0; i < 8; i++) {
        char sql[96];
        (void)snprintf(sql, sizeof sql,
                       "SELECT count(*) FROM fronts WHERE variant = '%s' AND on_front", names[i]);
        assert_close(ask(fixture, sql), cases[i].on_front ? 1 : 0, 0);
    }
    assert_close(ask(fixture, "SELECT count(*) FROM fronts WHERE n = 1000"), 7, 0);
    assert_close(ask(fixture, "SELECT count(*) FROM fronts"), 7, 0);
}

/* ---- which lines are named ---- */

static void add_walk(struct fixture *fixture, const char *variant, const char *structure, double n,
                     double time) {
    add_row(fixture, variant, "", "ok", n, time);
    row_set(last_row(fixture), COLUMN_STRUCTURE, structure);
}

/* Ten variants: two are the fastest at some N, one is the slowest, and of two structures that
 * several walk there is a fastest one at the last N that any of them reaches. */
TEST_WITH(winners_and_landmarks_are_named, set_up, tear_down) {
    struct fixture *fixture = *state;
    static const struct {
        const char *variant, *structure;
        double small, large; /* times; 0: did not run */
    } cases[] = { { "wins_small", "one", 1, 90 }, { "wins_large", "two", 2, 10 },
                  { "pairs_a", "none", 5, 500 },  { "pairs_b", "none", 4, 400 },
                  { "pairs_c", "none", 6, 900 },  { "pairs_d", "none", 3, 0 },
                  { "cells_a", "cells", 7, 30 },  { "cells_b", "cells", 3, 40 },
                  { "alone_a", "three", 4, 20 },  { "alone_b", "four", 4, 21 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        add_walk(fixture, cases[i].variant, cases[i].structure, 1000, cases[i].small);
        if (cases[i].large > 0) {
            add_walk(fixture, cases[i].variant, cases[i].structure, 64000, cases[i].large);
        }
    }
    collect(fixture);
    show(fixture, "time");
    asks(fixture, "SELECT variant FROM lines WHERE is_named ORDER BY ordinal",
         "wins_large,wins_small,pairs_c,pairs_b,cells_a,");
    assert_close(ask(fixture, "SELECT count(*) FROM lines WHERE NOT is_named"), 5, 0);
}

TEST_WITH(eight_are_all_named, set_up, tear_down) {
    struct fixture *fixture = *state;
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    for (size_t i = 0; i < 8; i++) {
        add_walk(fixture, names[i], "none", 1000, 1 + (double)i);
    }
    collect(fixture);
    show(fixture, "time");
    assert_close(ask(fixture, "SELECT count(*) FROM lines WHERE is_named"), 8, 0);
    assert_close(ask(fixture, "SELECT count(*) FROM lines"), 8, 0);
}

/* ---- groups ---- */

static void add_groups(struct fixture *fixture, const char *words, double n_a, double n_b) {
    add_row(fixture, "a", "", "ok", 100000, 1);
    row_set(last_row(fixture), COLUMN_WORKLOAD, "coordination");
    row_set(last_row(fixture), COLUMN_GROUPS, words);
    row_set_number(last_row(fixture), COLUMN_N_A, n_a);
    row_set_number(last_row(fixture), COLUMN_N_B, n_b);
}

TEST_WITH(ratios_are_sets_of_their_own, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_groups(fixture, "ratio=1000:1000", 1000, 1000);
    add_groups(fixture, "ratio=4000:250", 4000, 250);
    add_groups(fixture, "a=1-50 b=51-100 pairs", 50, 50);
    add_groups(fixture, "", NAN, NAN);
    add_groups(fixture, "a=1-100", 100, 0);
    collect(fixture);
    assert_int_equal(fixture->data.count, 5);
}

/* ---- peaks ---- */

static void add_device(struct fixture *fixture, const char *backend) {
    add_row(fixture, "a", "", "ok", 1000, 1);
    row_set(last_row(fixture), COLUMN_DEVICE_MODEL, "M");
    row_set(last_row(fixture), COLUMN_BACKEND, backend);
}

/* A run for each environment.json, and one without; the first that knows a peak is believed. */
TEST_WITH(peaks_are_read_from_any_environment, set_up, tear_down) {
    struct fixture *fixture = *state;
    static const char *const files[] = {
        NULL,
        "{\"devices\":[{\"backend\":\"cuda\",\"model\":\"M\",\"peak_operations_per_s\":"
        "{\"float\":5e13,\"double\":null}}]}",
        "{\"devices\":[{\"backend\":\"cuda\",\"model\":\"M\",\"peaks\":"
        "{\"fp32_operations_per_s\":6e13,\"fp64_operations_per_s\":3e13,\"copy_bytes_per_s\":4e12}}"
        ","
        "7,{\"peaks\":[]}]}",
        "{\"devices\":",
        "[]",
        "{\"devices\":{\"peaks\":\"x\"}}"
    };
    enum { FILES = sizeof files / sizeof files[0] };
    struct row_table tables[FILES] = { 0 };
    char folder[TEST_FOLDER_SIZE];
    char rows[FILES][TEST_FOLDER_SIZE + 32];
    const char *names[FILES];
    struct error error;
    add_device(fixture, "cuda");
    add_device(fixture, "opencl");
    make_test_folder(folder);
    for (size_t i = 0; i < FILES; i++) {
        char path[TEST_FOLDER_SIZE + 32];
        (void)snprintf(path, sizeof path, "%s/%zu", folder, i);
        assert_true(fs_make_directories(path, &error));
        (void)snprintf(path, sizeof path, "%s/%zu/environment.json", folder, i);
        assert_true(!files[i] || fs_write(path, files[i], strlen(files[i]), &error));
        (void)snprintf(rows[i], sizeof rows[i], "%s/%zu/rows.csv", folder, i);
        names[i] = rows[i];
    }
    tables[0] = fixture->table;
    plot_points_collect(tables, names, FILES, NULL, &fixture->data);
    assert_close(
        ask(fixture, "SELECT count(DISTINCT backend) FROM peaks_of_sets JOIN sets USING (part)"), 1,
        0);
    const struct {
        const char *kind;
        double rate;
    } cases[] = { { "float", 5e13 }, { "double", 3e13 }, { "copy", 4e12 } };
    for (size_t i = 0; i < 3; i++) {
        char sql[128];
        (void)snprintf(sql, sizeof sql,
                       "SELECT rate FROM peaks_of_sets JOIN sets USING (part)"
                       " WHERE backend = 'cuda' AND kind = '%s'",
                       cases[i].kind);
        assert_close(ask(fixture, sql), cases[i].rate, 1e-9);
    }
    asks(fixture, "SELECT kind FROM arithmetic WHERE precision = 'mixed'", "float,");
    asks(fixture, "SELECT kind FROM arithmetic WHERE precision = 'quadruple'", "");
    assert_int_equal(remove_test_folder(folder), 0);
}

TEST_WITH(min_traffic_counts_positions_and_forces, set_up, tear_down) {
    struct fixture *fixture = *state;
    collect(fixture);
    assert_close(ask(fixture, "SELECT bytes FROM arithmetic WHERE precision = 'float'"), 28, 1e-9);
    assert_close(ask(fixture, "SELECT bytes FROM arithmetic WHERE precision = 'mixed'"), 40, 1e-9);
    assert_close(ask(fixture, "SELECT bytes FROM arithmetic WHERE precision = 'double'"), 56, 1e-9);
    assert_true(isnan(ask(fixture, "SELECT bytes FROM arithmetic WHERE precision = ''")));
}

TEST_WITH(devices_outputs_and_cutoffs_are_kept_apart, set_up, tear_down) {
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
TEST_WITH(half_the_edge_is_one_cutoff, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10); /* edge 20 */
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 20); /* edge 40 */
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_string_equal(fixture->data.sets[0].cutoff, "half the edge");
}

TEST_WITH(a_cutoff_that_happens_to_be_half_an_edge_is_a_number, set_up, tear_down) {
    struct fixture *fixture = *state;
    add_row(fixture, "a", "", "ok", 4000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10);
    add_row(fixture, "a", "", "ok", 32000, 1);
    row_set_number(last_row(fixture), COLUMN_CUTOFF, 10);
    collect(fixture);
    assert_int_equal(fixture->data.count, 1);
    assert_string_equal(fixture->data.sets[0].cutoff, "10");
}

TEST(paths_that_hold_no_rows_are_refused) {
    struct error error;
    assert_false(plot_directory("/nonexistent/run", NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "/nonexistent/run");
    assert_false(plot_paths(&(struct plot_runs){ .formats = PLOT_SVG }, NULL, NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
}

TEST(groups_in_words) {
    static const struct {
        double n_a, n_b;
        const char *words;
    } cases[] = {
        { 1000000, 10, "|A|:|B| = 100000:1" }, { 30, 480, "|A|:|B| = 1:16" },
        { 300, 300, "|A|:|B| = 1:1" },         { 158, 100, "|A|:|B| = 1.58:1" },
        { 1, 1000000, "|A|:|B| = 1:1000000" }, { 1000, 3, "|A|:|B| = 333:1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct row row;
        char words[32];
        row_create(&row);
        row_set(&row, COLUMN_GROUPS, "ratio=A:B");
        row_set_number(&row, COLUMN_N_A, cases[i].n_a);
        row_set_number(&row, COLUMN_N_B, cases[i].n_b);
        plot_groups_in_words(&row, words, sizeof words);
        assert_string_equal(words, cases[i].words);
        row_free(&row);
    }
}
