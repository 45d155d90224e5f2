#include "answers/plot/plot_points.h"

#include "campaign/rows/rows.h"
#include "kernels/header/read_variant.h"
#include "kernels/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a row is about ---- */

bool plot_is_half_edge(const struct row *row) {
    const double edge = cbrt(row_number(row, COLUMN_N) / row_number(row, COLUMN_DENSITY));
    return fabs(2.0 * row_number(row, COLUMN_CUTOFF) / edge - 1.0) < 1e-6;
}

/* A number that can stand on a logarithmic axis; NaN for what no measurement comes to, which only a
 * hand or a torn file writes. */
static double number_between(const struct row *row, enum column column, double least, double most) {
    double value = row_number(row, column);
    return value >= least && value <= most ? value : NAN;
}

/* After the point: two of a ratio such as 1.58 that is no whole number, none of a large one. */
static int ratio_digits(double ratio) {
    return ratio >= 100 || ratio == floor(ratio) ? 0 : 2;
}

void plot_groups_in_words(const struct row *row, char *words, size_t size) {
    const char *groups = row_text(row, COLUMN_GROUPS);
    size_t length = strlen(groups);
    double n_a = number_between(row, COLUMN_N_A, 1, 1e12);
    double n_b = number_between(row, COLUMN_N_B, 1, 1e12);
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
    struct plot_set set = { .workload = row_text(row, COLUMN_WORKLOAD),
                            .interaction = row_text(row, COLUMN_INTERACTION),
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

/* ---- order ---- */

static int precision_rank(const char *precision) {
    static const char *const ranks[] = { "float", "mixed", "double" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(precision, ranks[i]) == 0) {
            return i;
        }
    }
    return 3;
}

int plot_compare_precisions(const char *a, const char *b) {
    int order = precision_rank(a) - precision_rank(b);
    return order != 0 ? order : strcmp(a, b);
}

/* What a set is about, in three parts. */
enum { KEY_DEVICE = 1, KEY_BOX = 2, KEY_GROUPS = 4 };

/* Runs that are apart in the order in which they were given. */
static int compare_runs(const struct plot_set *a, const struct plot_set *b) {
    const int order = (a->table > b->table) - (a->table < b->table);
    return *a->run && *b->run && order != 0 ? order : strcmp(a->run, b->run);
}

/* Compares all but the parts in `but`. */
static int compare_keys(const struct plot_set *a, const struct plot_set *b, unsigned but) {
    const struct {
        unsigned part;
        const char *left, *right;
    } keys[] = {
        { 0, a->workload, b->workload },      { 0, a->interaction, b->interaction },
        { KEY_DEVICE, a->device, b->device }, { KEY_DEVICE, a->backend, b->backend },
        { KEY_BOX, a->kind, b->kind },        { KEY_BOX, a->density, b->density },
        { KEY_BOX, a->cutoff, b->cutoff },    { 0, a->outputs, b->outputs },
        { KEY_GROUPS, a->groups, b->groups },
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        int order = keys[i].part & but ? 0 : strcmp(keys[i].left, keys[i].right);
        if (order != 0) {
            return order;
        }
    }
    return KEY_DEVICE & but ? 0 : compare_runs(a, b);
}

void plot_device_in_words(const struct plot_set *set, char *words, size_t size) {
    (void)snprintf(words, size, "%s (%s)%s%s", set->device, set->backend, *set->run ? ", " : "",
                   set->run);
}

bool plot_same_but_device(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_DEVICE) == 0;
}

bool plot_same_but_box(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_BOX) == 0;
}

bool plot_same_but_groups(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_GROUPS) == 0;
}

/* By precision, variant and N: what one point of a figure stands for. */
static int compare_places(const struct plot_point *a, const struct plot_point *b) {
    int order = plot_compare_precisions(a->precision, b->precision);
    if (order == 0) {
        order = strcmp(a->variant, b->variant);
    }
    if (order == 0) {
        order = (a->n > b->n) - (a->n < b->n);
    }
    return order;
}

/* ---- rows to points ---- */

/* See plot_words_add(). */
static void row_words(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const struct analysis *analysis = sqlite3_user_data(context);
    const struct row *row = analysis->row_of[sqlite3_value_int64(arguments[0]) - 1];
    const struct plot_set set = set_of(row);
    const char *const words[] = { set.density, set.cutoff, set.groups,
                                  plot_is_half_edge(row) ? "half" : "" };
    (void)count;
    sqlite3_result_text(context, words[sqlite3_value_int(arguments[1])], -1, SQLITE_TRANSIENT);
}

/* The rows that are drawn: those that passed, with numbers that can stand on a logarithmic axis; a
 * number out of its bounds, which only a hand or a torn file writes, is not known. Half the edge
 * grows with N, so that its numbers differ from row to row though the user asked for one thing; a
 * number that rows of another N share is a number, even if it is half an edge by chance. */
static const char drawn_sql[] =
    "CREATE TABLE drawn AS SELECT rowid AS id, run, run_name, coalesce(host, '') AS host,"
    " coalesce(device, '') AS unit, coalesce(device_model, device, '') AS model,"
    " coalesce(backend, '') AS backend, workload, interaction, outputs, box_kind, precision,"
    " variant, n, %s AS knobs,"
    " row_words(rowid, 0) AS box_density, row_words(rowid, 2) AS box_groups,"
    " CASE WHEN row_words(rowid, 3) = 'half' AND min(n) OVER same = max(n) OVER same"
    "   THEN 'half the edge' ELSE row_words(rowid, 1) END AS box_cutoff,"
    " dense_rank() OVER (ORDER BY run, host, device, device_model, backend) AS source,"
    " CASE precision WHEN 'float' THEN 0 WHEN 'mixed' THEN 1 WHEN 'double' THEN 2 ELSE 3 END"
    "   AS precision_rank, force_s_median AS time_s,"
    " CASE WHEN force_s_p05 BETWEEN 1e-12 AND 1e9 THEN force_s_p05 END AS p05_s,"
    " CASE WHEN force_s_p95 BETWEEN 1e-12 AND 1e9 THEN force_s_p95 END AS p95_s,"
    " CASE WHEN build_s_median BETWEEN 1e-12 AND 1e9 THEN build_s_median END AS build_s,"
    " CASE WHEN pairs_per_s BETWEEN 1e-9 AND 1e24 THEN pairs_per_s END AS pairs_per_s,"
    " CASE WHEN max_rel_force_error BETWEEN 0 AND 1e18 THEN max_rel_force_error END AS error,"
    " CASE WHEN nj_per_pair BETWEEN 1e-12 AND 1e18 THEN nj_per_pair END AS nj_per_pair,"
    " CASE WHEN coalesce(counted_percent_of_peak, percent_of_peak) BETWEEN 1e-12 AND 1e6"
    "   THEN coalesce(counted_percent_of_peak, percent_of_peak) END AS percent_of_peak"
    " FROM rows WHERE status = 'ok' AND twin IS NOT 1 AND n BETWEEN 1 AND 1e12"
    " AND force_s_median BETWEEN 1e-12 AND 1e9"
    " WINDOW same AS (PARTITION BY row_words(rowid, 1))";

/* Where several sources (run, host, device) of a model share a line of a figure, all of that model
 * are drawn apart, each by no more words than distinguish it from the others: the run, the host
 * within a run, the device within a host. */
static const char apart_sql[] =
    "CREATE TABLE apart AS WITH"
    " shared AS (SELECT DISTINCT model, backend FROM drawn GROUP BY workload, interaction, model,"
    "   backend, box_kind, box_density, box_cutoff, outputs, box_groups, precision, variant"
    "   HAVING count(DISTINCT source) > 1),"
    " hosts AS (SELECT model, backend, run, host, count(DISTINCT unit) AS units,"
    "   count(*) OVER (PARTITION BY model, backend, run) AS hosts FROM drawn GROUP BY 1, 2, 3, 4),"
    " differ AS (SELECT model, backend, count(DISTINCT run) > 1 AS run, max(hosts) > 1 AS host,"
    "   max(units) > 1 AS unit FROM hosts GROUP BY 1, 2)"
    " SELECT DISTINCT d.source, d.run AS place,"
    "   iif(differ.run, substr(coalesce(d.run_name, 'run ' || d.run), 1, 80), '')"
    "   || iif(differ.run AND differ.host, ', ', '') || iif(differ.host, substr(d.host, 1, 40), '')"
    "   || iif(differ.unit AND (differ.run OR differ.host), ', ', '')"
    "   || iif(differ.unit, substr(d.unit, 1, 30), '') AS label"
    " FROM drawn AS d JOIN differ USING (model, backend) JOIN shared USING (model, backend)";

/* Repetitions become one point. Points of one set follow one another. */
static const char points_sql[] =
    "SELECT min(id), count(*), median(time_s), median(p05_s), median(p95_s), median(build_s),"
    " median(pairs_per_s), median(nj_per_pair), median(percent_of_peak), max(error), run,"
    " coalesce(label, ''), box_cutoff FROM drawn LEFT JOIN apart USING (source)"
    " GROUP BY workload, interaction, model, backend, box_kind, box_density, box_cutoff, outputs,"
    " box_groups, place, label, precision_rank, precision, variant, n, knobs"
    " ORDER BY workload, interaction, model, backend, box_kind, box_density, box_cutoff, outputs,"
    " box_groups, place, label, precision_rank, precision, variant, n, knobs";

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

/* What the statement of points_sql stands at: a point, and the set that it belongs to. */
static void read_point(const struct analysis *analysis, sqlite3_stmt *statement,
                       struct plot_set *set, struct plot_point *point) {
    const struct row *row = analysis_row(analysis, statement, 0);
    *set = set_of(row);
    set->table = (size_t)sqlite3_column_int64(statement, 10) - 1;
    (void)snprintf(set->run, sizeof set->run, "%s",
                   (const char *)sqlite3_column_text(statement, 11));
    (void)snprintf(set->cutoff, sizeof set->cutoff, "%s",
                   (const char *)sqlite3_column_text(statement, 12));
    const bool are_two = set->groups[0] == '|';
    *point = (struct plot_point){
        .variant = row_text(row, COLUMN_VARIANT),
        .precision = row_text(row, COLUMN_PRECISION),
        .tunables = row_text(row, COLUMN_TUNABLES),
        .structure = row_text(row, COLUMN_STRUCTURE),
        .n = row_number(row, COLUMN_N),
        .n_a = are_two ? row_number(row, COLUMN_N_A) : NAN,
        .n_b = are_two ? row_number(row, COLUMN_N_B) : NAN,
        .repetitions = (size_t)sqlite3_column_int64(statement, 1),
        .time_s = analysis_number(statement, 2),
        .p05_s = analysis_number(statement, 3),
        .p95_s = analysis_number(statement, 4),
        .build_s = analysis_number(statement, 5),
        .pairs_per_s = analysis_number(statement, 6),
        .nj_per_pair = analysis_number(statement, 7),
        .percent_of_peak = rules_out_pairs(row, set->groups) ? NAN : analysis_number(statement, 8),
        .error = analysis_number(statement, 9),
    };
    if (!(point->p05_s <= point->time_s)) {
        point->p05_s = point->time_s;
    }
    if (!(point->p95_s >= point->time_s)) {
        point->p95_s = point->time_s;
    }
}

/* Adds a point to a set, or lets it compete with the one that stands in its place. */
static void set_take(struct plot_set *set, const struct plot_point *point) {
    set->averaged = set->averaged || point->repetitions > 1;
    set->built = set->built || point->build_s > 0;
    if (set->count > 0 && compare_places(&set->point[set->count - 1], point) == 0) {
        set->tuned = true;
        if (point->time_s < set->point[set->count - 1].time_s) {
            set->point[set->count - 1] = *point;
        }
        return;
    }
    set->point[set->count++] = *point;
}

/* Where points go, row by row. */
struct forming {
    const struct analysis *analysis;
    struct plot_data *data;
    struct plot_set *set; /* the last */
    size_t used;          /* of data->points */
};

static bool take_row(void *context, sqlite3_stmt *row, struct error *error) {
    struct forming *forming = context;
    struct plot_data *data = forming->data;
    struct plot_set key;
    struct plot_point point;
    (void)error;
    read_point(forming->analysis, row, &key, &point);
    if (!forming->set || compare_keys(forming->set, &key, 0) != 0) {
        forming->set = &data->sets[data->count++];
        *forming->set = key;
        forming->set->point = data->points + forming->used;
        forming->set->count = 0;
    }
    const size_t before = forming->set->count;
    set_take(forming->set, &point);
    forming->used += forming->set->count - before;
    return true;
}

static bool form_sets(struct analysis *analysis, struct plot_data *data, struct error *error) {
    struct forming forming = { .analysis = analysis, .data = data };
    return analysis_each(analysis, points_sql, 0, take_row, &forming, error);
}

/* Index of a variant in data->variants; their count where it is not among them. */
static size_t index_of(const struct plot_data *data, const char *variant) {
    size_t i = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every point has a variant */
    while (i < data->variant_count && strcmp(data->variants[i], variant) != 0) {
        i++;
    }
    return i;
}

static bool take_variant(void *context, sqlite3_stmt *row, struct error *error) {
    const struct forming *forming = context;
    struct plot_data *data = forming->data;
    (void)error;
    data->variants[data->variant_count++] =
        row_text(analysis_row(forming->analysis, row, 0), COLUMN_VARIANT);
    return true;
}

static bool list_variants(struct analysis *analysis, struct plot_data *data, struct error *error) {
    static const char sql[] = "SELECT min(id) FROM drawn GROUP BY variant ORDER BY variant";
    struct forming forming = { .analysis = analysis, .data = data };
    return analysis_each(analysis, sql, 0, take_variant, &forming, error);
}

static bool take_counts(void *context, sqlite3_stmt *row, struct error *error) {
    struct plot_data *data = context;
    (void)error;
    data->rows = (size_t)sqlite3_column_int64(row, 0);
    data->repeats = (size_t)sqlite3_column_int64(row, 1);
    data->ok_rows = (size_t)sqlite3_column_int64(row, 2);
    return true;
}

static bool count_rows(struct analysis *analysis, struct plot_data *data, struct error *error) {
    static const char sql[] = "SELECT count(*), count(*) FILTER (WHERE twin IS 1),"
                              " (SELECT count(*) FROM drawn) FROM rows";
    const bool counted = analysis_each(analysis, sql, 0, take_counts, data, error);
    data->points = calloc(data->ok_rows + 1, sizeof *data->points);
    data->sets = calloc(data->ok_rows + 1, sizeof *data->sets);
    data->variants = calloc(data->ok_rows + 1, sizeof *data->variants);
    return counted && ((data->points && data->sets && data->variants) ||
                       fail_out_of_memory(error, "the points of the figures"));
}

static bool make_drawn(struct analysis *analysis, struct error *error) {
    struct strbuf knobs = { 0 };
    struct strbuf sql = { 0 };
    analysis_append_key(ROLE_KNOB, &knobs);
    strbuf_append(&sql, drawn_sql, knobs.data);
    bool made = !knobs.failed && !sql.failed ? analysis_execute(analysis, sql.data, error)
                                             : fail_out_of_memory(error, "the rows to draw");
    strbuf_free(&knobs);
    strbuf_free(&sql);
    return made;
}

bool plot_words_add(struct analysis *analysis, struct error *error) {
    return sqlite3_create_function(analysis->database, "row_words", 2,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, analysis, row_words, NULL,
                                   NULL) == SQLITE_OK ||
           analysis_fail(analysis, error);
}

/* ---- noise ---- */

/* What the visits of cases differ by, all cases together, for two times that are each of so many
 * visits; 99 of 100 such differences are smaller. NaN where no case was visited twice. */
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

bool plot_run_noise(const struct row_table *table, double *noise, struct error *error) {
    struct noise_floor floor;
    if (!noise_floor_find(table, &floor, error)) {
        return false;
    }
    *noise = isfinite(floor.ratio_spread) ? floor.ratio_spread : noise_of_visits(table);
    return true;
}

bool plot_times_alike(double noise, struct plot_time fastest, struct plot_time next) {
    return next.median <= fastest.median * (1 + noise) || /* false where that is not known */
           fmin(next.median, next.p05) <= fmax(fastest.median, fastest.p95);
}

/* Of each set that of its run; of one that several runs make together, that of one of them. */
static bool find_noise(const struct row_table *tables, size_t count, struct plot_data *data,
                       struct error *error) {
    for (size_t t = 0; t < count; t++) {
        double noise = NAN;
        if (!plot_run_noise(&tables[t], &noise, error)) {
            return false;
        }
        for (size_t s = 0; s < data->count; s++) {
            if (data->sets[s].table == t) {
                data->sets[s].noise = noise;
            }
        }
    }
    return true;
}

bool plot_points_collect(const struct row_table *tables, size_t count, struct plot_data *data,
                         struct error *error) {
    struct analysis analysis;
    *data = (struct plot_data){ 0 };
    if (!analysis_open(&analysis, error)) {
        return false;
    }
    bool collected = plot_words_add(&analysis, error);
    for (size_t t = 0; collected && t < count; t++) {
        collected = analysis_add_table(&analysis, &tables[t], error);
    }
    collected = collected && make_drawn(&analysis, error) &&
                analysis_execute(&analysis, apart_sql, error) &&
                count_rows(&analysis, data, error) && form_sets(&analysis, data, error) &&
                list_variants(&analysis, data, error) && find_noise(tables, count, data, error);
    analysis_close(&analysis);
    if (!collected) {
        plot_points_free(data);
    }
    return collected;
}

void plot_points_free(struct plot_data *data) {
    free(data->points);
    free(data->sets);
    free(data->variants);
    *data = (struct plot_data){ 0 };
}

/* Those that win or are compared with most, farthest apart. */
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

/* The place of a built-in variant, or -1: of its own, or among those of its workload that have
 * none, behind those that have; `most` is one more than the largest. */
static int built_in_index(const char *variant, size_t *most) {
    struct error error;
    size_t count = 0;
    int found = first_index(variant);
    const struct variant *all = variants_embedded(&count, &error);
    *most = FIRST_INDICES;
    for (size_t i = 0; all && i < count; i++) {
        size_t before = 0;
        bool behind = false;
        for (size_t j = 0; j < count; j++) {
            const bool is_first = first_index(all[j].name) >= 0;
            const bool is_alike = all[j].workload == all[i].workload;
            before += j < i && is_alike && !is_first;
            behind = behind || (is_alike && is_first);
        }
        before += behind ? FIRST_INDICES : 0;
        *most = before + 1 > *most ? before + 1 : *most;
        if (found < 0 && strcmp(all[i].name, variant) == 0) {
            found = (int)before;
        }
    }
    return found;
}

size_t plot_variant_index(const struct plot_data *data, const char *variant) {
    size_t first = 0;
    int own = built_in_index(variant, &first);
    if (own >= 0) {
        return (size_t)own;
    }
    size_t others = 0;
    for (size_t i = 0; i < index_of(data, variant); i++) {
        size_t unused;
        others += built_in_index(data->variants[i], &unused) < 0;
    }
    return first + others;
}
