/* Makes points of rows: medians of repetitions, the fastest tunables, noise, and the style of each
 * variant. */
#include "answers/plot/plot.h"

#include "campaign/rows/rows.h"
#include "kernels/header/read_variant.h"
#include "kernels/variant.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a row is about ---- */

/* Whether a row's cutoff is half the edge of its box, so that it grows with N. */
static bool is_half_edge(const struct row *row) {
    const double edge = cbrt(row_number(row, COLUMN_N) / row_number(row, COLUMN_DENSITY));
    return fabs(2.0 * row_number(row, COLUMN_CUTOFF) / edge - 1.0) < 1e-6;
}

/* A count of particles; NaN for what no measurement comes to, which only a hand or a torn file
 * writes. */
static double particles_of(const struct row *row, enum column column) {
    double value = row_number(row, column);
    return value >= 1 && value <= 1e12 ? value : NAN;
}

/* Digits after the point: two of a ratio such as 1.58, none of a whole number or a large one. */
static int ratio_digits(double ratio) {
    return ratio >= 100 || ratio == floor(ratio) ? 0 : 2;
}

void plot_groups_in_words(const struct row *row, char *words, size_t size) {
    const char *groups = row_text(row, COLUMN_GROUPS);
    size_t length = strlen(groups);
    double n_a = particles_of(row, COLUMN_N_A);
    double n_b = particles_of(row, COLUMN_N_B);
    if (length > 6 && strcmp(groups + length - 6, " pairs") == 0) {
        (void)snprintf(words, size, "pairs");
    } else if (n_a > 0 && n_b > 0) {
        const double a = fmax(1, n_a / n_b);
        const double b = fmax(1, n_b / n_a);
        (void)snprintf(words, size, "|A|:|B| = %.*f:%.*f", ratio_digits(a), a, ratio_digits(b), b);
    } else {
        (void)snprintf(words, size, "%s",
                       n_a < row_number(row, COLUMN_N) ? "part of the particles" : "");
    }
}

/* All but the run, and `half the edge`, which only all rows together show. */
static struct plot_set set_of(const struct row *row) {
    const double cutoff = row_number(row, COLUMN_CUTOFF);
    const double density = row_number(row, COLUMN_DENSITY);
    const char *model = row_text(row, COLUMN_DEVICE_MODEL);
    const char *interaction = row_text(row, COLUMN_INTERACTION);
    struct plot_set set = { .workload = row_text(row, COLUMN_WORKLOAD),
                            .interaction = strcmp(interaction, "none") == 0 ? "" : interaction,
                            .outputs = row_text(row, COLUMN_OUTPUTS),
                            .backend = row_text(row, COLUMN_BACKEND),
                            .device = *model ? model : row_text(row, COLUMN_DEVICE),
                            .kind = row_text(row, COLUMN_BOX_KIND) };
    if (isfinite(density)) {
        (void)snprintf(set.density, sizeof set.density, "%.4g", density);
    }
    (void)snprintf(set.cutoff, sizeof set.cutoff, isfinite(cutoff) ? "%.6g" : "none", cutoff);
    plot_groups_in_words(row, set.groups, sizeof set.groups);
    return set;
}

void plot_device_in_words(const struct plot_set *set, char *words, size_t size) {
    (void)snprintf(words, size, "%s (%s)%s%s", set->device, set->backend, *set->run ? ", " : "",
                   set->run);
}

/* ---- rows to points ---- */

/* Whether the variant rules out pairs by other means than a distance, so that what it computes is
 * not known by its distances: it walks all pairs and computes fewer, or screens them in words. */
static bool rules_out_pairs(const struct row *row, const char *groups) {
    const double n = row_number(row, COLUMN_N);
    const double n_a = row_number(row, COLUMN_N_A);
    const double n_b = row_number(row, COLUMN_N_B);
    const double all = groups[0] == '|' ? n_a * n_b : 0.5 * n * (n - 1);
    struct error error;
    size_t count = 0;
    const struct variant *known = variants_embedded(&count, &error);
    for (size_t i = 0; known && i < count; i++) {
        if (strcmp(known[i].name, row_text(row, COLUMN_VARIANT)) == 0 &&
            (strstr(known[i].text, "SCREEN_BIT(") || strstr(known[i].text, "screen_32("))) {
            return true;
        }
    }
    return strcmp(row_text(row, COLUMN_STRUCTURE), "none") == 0 && strcmp(groups, "pairs") != 0 &&
           row_number(row, COLUMN_PAIRS_EVALUATED) < 0.5 * all;
}

/* row_words(rowid, which): what a set calls the density (0), cutoff (1) and groups (2) of a row of
 * `rows`; "half" where its cutoff is half the edge (3); "yes" where its distances do not measure
 * the work (4): of variants that rule out pairs by other means. */
static void give_words(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const struct analysis *analysis = sqlite3_user_data(context);
    const struct row *row = analysis->row_of[sqlite3_value_int64(arguments[0]) - 1];
    const int which = sqlite3_value_int(arguments[1]);
    const struct plot_set set = set_of(row);
    const char *const words[] = { set.density, set.cutoff, set.groups,
                                  is_half_edge(row) ? "half" : "",
                                  which == 4 && rules_out_pairs(row, set.groups) ? "yes" : "" };
    (void)count;
    sqlite3_result_text(context, words[which], -1, SQLITE_TRANSIENT);
}

/* ---- noise ---- */

/* exp(z sqrt(2 m)) - 1, with z = 2.576 for 99 of 100 and m the mean over the cases of s^2 / v: s is
 * the relative standard deviation of a case's v visits. Two times of the same case differ by less,
 * 99 times in 100. NaN where no case was visited twice. */
static double noise_of_visits(const struct row_table *table) {
    const double z = 2.576;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const double visits = row_number(row, COLUMN_VISITS);
        const double deviation =
            row_number(row, COLUMN_VISIT_S_SD) / row_number(row, COLUMN_FORCE_S_MEDIAN);
        if (visits >= 2 && isfinite(deviation)) {
            sum += deviation * deviation / visits;
            count++;
        }
    }
    return count > 0 ? exp(z * sqrt(2 * sum / (double)count)) - 1 : NAN;
}

/* What second timings of its cases show, or else what visits do. */
static double run_noise(const struct row_table *table) {
    struct noise_floor floor;
    noise_floor_find(table, &floor);
    return isfinite(floor.ratio_spread) ? floor.ratio_spread : noise_of_visits(table);
}

/* alike(noise, seconds, p95, next seconds, next p05): whether the fastest and the next count as
 * equally fast: next <= (1 + noise) seconds (noise NULL: not known), or the ranges from the 5th to
 * the 95th percentile overlap. Figures name both as winners then. */
static void give_alike(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double numbers[5] = { 0 };
    for (int i = 0; i < count; i++) {
        const bool is_known = sqlite3_value_type(arguments[i]) != SQLITE_NULL;
        numbers[i] = is_known ? sqlite3_value_double(arguments[i]) : NAN;
    }
    const bool is_within = numbers[3] <= numbers[1] * (1 + numbers[0]);
    sqlite3_result_int(context,
                       is_within || fmin(numbers[3], numbers[4]) <= fmax(numbers[1], numbers[2]));
}

/* fixed(number, decimals): rounded as C does. */
static void give_fixed(sqlite3_context *context, int count, sqlite3_value **arguments) {
    char words[64];
    (void)count;
    (void)snprintf(words, sizeof words, "%.*f", sqlite3_value_int(arguments[1]),
                   sqlite3_value_double(arguments[0]));
    sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
}

/* Gives each set the noise of its run; a set of several runs gets that of one of them. */
static void find_noise(const struct row_table *tables, size_t count, struct analysis *analysis) {
    sqlite3_stmt *update = analysis_prepare(analysis, "UPDATE sets SET noise = ?1 WHERE run = ?2");
    for (size_t t = 0; t < count; t++) {
        const double noise = run_noise(&tables[t]);
        analysis_check(analysis,
                       sqlite3_bind_double(update, 1, noise) == SQLITE_OK &&
                           sqlite3_bind_int64(update, 2, (sqlite3_int64)t + 1) == SQLITE_OK &&
                           sqlite3_step(update) == SQLITE_DONE &&
                           sqlite3_reset(update) == SQLITE_OK);
    }
    (void)sqlite3_finalize(update);
}

/* ---- styles ---- */

/* The variants that win, or are compared with, most often: their colours are farthest apart. */
static const char *const first_indices[] = {
    "sorted_cells",   "all_pairs_tile",       "list_columns",       "list_blocks",
    "blocks_32",      "list_clusters",        "list_lanes",         "all_pairs_tensor",
    "all_pairs_half", "cell_pairs_two_pass",  "all_pairs_screened", "all_pairs_loop",
    "list_walk",      "sorted_cells_screened"
};
enum { FIRST_INDICES = sizeof first_indices / sizeof first_indices[0] };

static int first_index(const char *variant) {
    int i = 0;
    while (i < FIRST_INDICES && strcmp(first_indices[i], variant) != 0) {
        i++;
    }
    return i < FIRST_INDICES ? i : -1;
}

/* The index of a built-in variant that is not among the first: the number of those of its workload
 * before it, after the first ones if its workload has any of these. */
static size_t place_of(const struct variant *all, size_t count, size_t index) {
    size_t before = 0;
    bool is_behind = false;
    for (size_t j = 0; j < count; j++) {
        const bool is_first = first_index(all[j].name) >= 0;
        const bool is_alike = all[j].workload == all[index].workload;
        before += j < index && is_alike && !is_first;
        is_behind = is_behind || (is_alike && is_first);
    }
    return before + (is_behind ? FIRST_INDICES : 0);
}

/* The table `styles`: what decides a variant's colour and marker, the same in every figure. Those
 * that figures show most often have a place of their own; then comes the place among the other
 * built-in variants of the workload; others come after those, by their names. */
static void style_variants(struct analysis *analysis) {
    struct error ignored;
    size_t count = 0;
    size_t most = FIRST_INDICES;
    const struct variant *all = variants_embedded(&count, &ignored);
    analysis_run(analysis, "CREATE TABLE styles(variant TEXT PRIMARY KEY, style INTEGER)");
    for (int i = 0; i < FIRST_INDICES; i++) {
        analysis_run(analysis, "INSERT INTO styles VALUES(%Q, %d)", first_indices[i], i);
    }
    for (size_t i = 0; all && i < count; i++) {
        const size_t place = place_of(all, count, i);
        most = place + 1 > most ? place + 1 : most;
        analysis_run(analysis, "INSERT OR IGNORE INTO styles VALUES(%Q, %d)", all[i].name,
                     (int)place);
    }
    analysis_run(analysis,
                 "INSERT INTO styles SELECT variant, %d + row_number() OVER (ORDER BY variant) - 1"
                 " FROM (SELECT DISTINCT variant FROM drawn)"
                 " WHERE variant NOT IN (SELECT variant FROM styles)",
                 (int)most);
}

/* ---- all of it ---- */

static void count_rows(struct plot_data *data) {
    struct answer counts = analysis_ask(
        &data->analysis, "SELECT count(*), count(*) FILTER (WHERE twin IS 1),"
                         " (SELECT count(*) FROM drawn), (SELECT count(*) FROM sets) FROM rows");
    data->rows = (size_t)answer_number(&counts, 0, 0);
    data->twins = (size_t)answer_number(&counts, 0, 1);
    data->ok_rows = (size_t)answer_number(&counts, 0, 2);
    data->sets = memory_zeroed((size_t)answer_number(&counts, 0, 3), sizeof *data->sets);
    answer_free(&counts);
}

static void read_sets(struct plot_data *data) {
    struct answer sets = analysis_ask(
        &data->analysis, "SELECT id, label, box_cutoff, noise, tuned, averaged, built, but_device"
                         " FROM sets ORDER BY part");
    for (size_t s = 0; s < sets.rows; s++) {
        const size_t rowid = (size_t)answer_number(&sets, s, 0);
        struct plot_set *set = &data->sets[data->count++];
        *set = set_of(data->analysis.row_of[rowid - 1]);
        set->part = data->count;
        (void)snprintf(set->run, sizeof set->run, "%s", answer_text(&sets, s, 1));
        (void)snprintf(set->cutoff, sizeof set->cutoff, "%s", answer_text(&sets, s, 2));
        set->noise = answer_number(&sets, s, 3);
        set->tuned = answer_number(&sets, s, 4) == 1;
        set->averaged = answer_number(&sets, s, 5) == 1;
        set->built = answer_number(&sets, s, 6) == 1;
        set->but_device = (size_t)answer_number(&sets, s, 7);
    }
    answer_free(&sets);
}

void plot_points_collect(const struct row_table *tables, const char *const *files, size_t count,
                         FILE *log, struct plot_data *data) {
    struct analysis *analysis = &data->analysis;
    *data = (struct plot_data){ 0 };
    analysis_open(analysis);
    for (size_t t = 0; t < count; t++) {
        analysis_add_table(analysis, &tables[t]);
        if (files) {
            analysis_add_environment(analysis, files[t], "the peaks of its devices are not known",
                                     log);
        }
    }
    analysis_add_function(analysis, "row_words", 2, analysis, give_words);
    analysis_add_function(analysis, "alike", 5, NULL, give_alike);
    analysis_add_function(analysis, "fixed", 2, NULL, give_fixed);
    analysis_run_file(analysis, "harness/answers/plot/plot.sql");
    style_variants(analysis);
    find_noise(tables, count, analysis);
    count_rows(data);
    read_sets(data);
}

void plot_points_free(struct plot_data *data) {
    analysis_close(&data->analysis);
    free(data->sets);
    *data = (struct plot_data){ 0 };
}
