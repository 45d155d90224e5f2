#include "answers/summary/summary_points.h"

#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

/* A cell is two blanks, the time, a mark, a blank and the ratio. */
enum { LINE = 100, INDENT = 2, TIME = 7, RATIO = 6, CELL = 2 + TIME + 1 + 1 + RATIO };

/* One table: what of each point it shows. */
struct table {
    const struct summary_cells *cells;
    const char *baseline; /* NULL: the fastest */
    bool end_to_end;
    int name; /* characters of the longest name */
};

static double seconds_of(const struct table *table, const struct summary_point *point) {
    return table->end_to_end ? point->end_to_end_s : point->force_s;
}

/* What times at the n-th N are set against; NULL: it did not pass there. */
static const struct summary_point *baseline_at(const struct table *table, size_t n) {
    const struct summary_cell *cell =
        table->baseline ? summary_cell_of(table->cells, table->baseline, n) : NULL;
    return !table->baseline ? summary_cells_ranked(table->cells, n, 1)
           : cell           ? cell->fastest
                            : NULL;
}

/* ---- cells ---- */

static void write_ratio(double ratio, struct strbuf *text) {
    char words[QUANTITY_SIZE];
    quantity_ratio(ratio, words, sizeof words);
    if (isfinite(ratio)) {
        strbuf_append(text, " %*sx", RATIO - 1, words);
    } else {
        strbuf_append(text, " %*s", RATIO, words);
    }
}

static void write_cell(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const struct summary_cell *cell = &table->cells->cells[variant * table->cells->n_count + n];
    const struct summary_point *point = cell->fastest;
    const struct summary_point *baseline = baseline_at(table, n);
    char time[32];
    if (!point) {
        strbuf_append(text, "%*s", CELL, cell->failed ? cell->failed->status : "not run");
        return;
    }
    const bool others_failed = cell->failed && strcmp(cell->failed->status, "unsupported") != 0;
    quantity_even_seconds(seconds_of(table, point), time, sizeof time);
    strbuf_append(text, "  %*s%s", TIME, time, others_failed ? "!" : point->is_short ? "*" : " ");
    write_ratio(baseline ? seconds_of(table, point) / seconds_of(table, baseline) : NAN, text);
}

static void write_built(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const struct summary_cell *cell = &table->cells->cells[variant * table->cells->n_count + n];
    char time[32] = "";
    if (cell->fastest && cell->fastest->build_s > 0) {
        quantity_even_seconds(cell->fastest->build_s, time, sizeof time);
    }
    strbuf_append(text, "  %*s%*s", TIME, time, CELL - TIME - 2, "");
}

static void write_n(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const double number = table->cells->n[n];
    char words[32];
    (void)variant;
    (void)snprintf(words, sizeof words, isnan(number) ? "N not known" : "N = %.0f", number);
    strbuf_append(text, "%*s", CELL, words);
}

/* ---- lines ---- */

/* Takes the blanks off the end of the last line, and ends it. */
static void end_line(struct strbuf *text) {
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ') {
        text->data[--text->length] = '\0';
    }
    strbuf_append(text, "\n");
}

typedef void cell_writer(const struct table *table, size_t variant, size_t n, struct strbuf *text);

/* A cell for each N from `first` to `end`. */
static void write_cells(const struct table *table, size_t first, size_t end, cell_writer *write,
                        size_t variant, struct strbuf *text) {
    for (size_t n = first; n < end; n++) {
        write(table, variant, n, text);
    }
    end_line(text);
}

/* The columns of N from `first` to `end`. */
static void write_block(const struct table *table, size_t first, size_t end, struct strbuf *text) {
    strbuf_append(text, "  %-*s", table->name, "variant");
    write_cells(table, first, end, write_n, 0, text);
    for (size_t v = 0; v < table->cells->variant_count; v++) {
        strbuf_append(text, "  %-*s", table->name, table->cells->variants[v]);
        write_cells(table, first, end, write_cell, v, text);
        if (!table->end_to_end && table->cells->is_built[v]) {
            strbuf_append(text, "  %-*s", table->name, "  built in");
            write_cells(table, first, end, write_built, v, text);
        }
    }
}

static void write_table(const struct table *table, struct strbuf *text) {
    const int fitting = (LINE - INDENT - table->name) / CELL;
    const size_t columns = fitting > 1 ? (size_t)fitting : 1;
    const size_t count = table->cells->n_count;
    strbuf_append(text, "\n  %s of every variant, and its ratio to that of %s\n",
                  table->end_to_end ? "time end to end" : "time",
                  table->baseline ? table->baseline : "the fastest at the same N");
    for (size_t first = 0; first < count; first += columns) {
        write_block(table, first, first + columns < count ? first + columns : count, text);
    }
}

static bool write_times(struct summary_points *points, size_t setting, enum summary_time time,
                        const char *baseline, struct strbuf *text, struct error *error) {
    struct summary_cells cells;
    struct table table = { &cells, baseline, time == SUMMARY_END_TO_END,
                           (int)strlen("  built in") };
    if (!summary_cells_make(points, "settings", setting, time, &cells, error)) {
        return false;
    }
    for (size_t v = 0; v < cells.variant_count; v++) {
        const int length = (int)strlen(cells.variants[v]);
        table.name = length > table.name ? length : table.name;
    }
    if (cells.variant_count > 1) {
        write_table(&table, text);
    }
    summary_cells_free(&cells);
    return true;
}

bool summary_variants(struct summary_points *points, size_t first, size_t end, const char *baseline,
                      struct strbuf *text, struct error *error) {
    const size_t setting = points->points[first].setting;
    bool transfers = false;
    for (size_t i = first; i < end; i++) {
        transfers = transfers || points->points[i].end_to_end_s > 0;
    }
    return write_times(points, setting, SUMMARY_FORCE, baseline, text, error) &&
           (!transfers || write_times(points, setting, SUMMARY_END_TO_END, baseline, text, error));
}

/* ---- ratios of two groups ---- */

/* The points of two groups that passed. `sweep` numbers what stays the same along a sweep of the
 * ratio: all of a setting but the groups, which vary; within it, products that are close belong
 * together. */
static const char swept_sql[] =
    "CREATE TABLE swept AS SELECT points.rowid AS place, points.id, points.variant, points.n_a,"
    " points.n_b, points.n_a * points.n_b AS product, points.force_s,"
    " dense_rank() OVER (ORDER BY %s) AS sweep"
    " FROM points JOIN rows ON rows.rowid = points.id"
    " WHERE passed AND points.n_b > 0 AND coalesce(groups, '') NOT LIKE '%%pairs%%'";

/* The first point of 1:1 stands for its sweep; a sweep of one ratio is none. */
static const char sweeps_sql[] =
    "CREATE TABLE sweeps AS SELECT even.*, (SELECT count(DISTINCT n_a || ':' || n_b) FROM swept AS "
    "s"
    "   WHERE s.sweep = even.sweep AND abs(s.product - even.product) <= 0.05 * even.product)"
    "   AS ratios FROM swept AS even WHERE n_a = n_b AND NOT EXISTS (SELECT 1 FROM swept AS before"
    "   WHERE before.place < even.place AND before.n_a = before.n_b AND before.sweep = even.sweep"
    "   AND abs(even.product - before.product) <= 0.05 * before.product)";

/* Each sweep's ratios, one per row. */
static const char ratios_sql[] =
    "SELECT s.n_a, s.n_b FROM sweeps AS even JOIN swept AS s ON s.sweep = even.sweep"
    " AND abs(s.product - even.product) <= 0.05 * even.product"
    " WHERE even.place = ?1 GROUP BY s.n_a, s.n_b ORDER BY s.n_a / s.n_b, min(s.place)";

/* The fastest of each variant at each ratio, with its own at 1:1 and the longest of its line. */
static const char times_sql[] =
    "WITH near AS (SELECT s.*, even.n_a AS at FROM sweeps AS even JOIN swept AS s"
    "   ON s.sweep = even.sweep AND abs(s.product - even.product) <= 0.05 * even.product"
    "   WHERE even.place = ?1),"
    " lines AS (SELECT variant, min(place) AS first, min(force_s) FILTER (WHERE n_a = at AND"
    "   n_b = at) AS own FROM near GROUP BY variant),"
    " ratios AS (SELECT n_a, n_b, min(place) AS first FROM near GROUP BY 1, 2),"
    " times AS (SELECT variant, n_a, n_b, min(force_s) AS s FROM near GROUP BY 1, 2, 3)"
    " SELECT lines.variant, own, s, s = max(s) OVER (PARTITION BY lines.variant)"
    " FROM lines CROSS JOIN ratios LEFT JOIN times USING (variant, n_a, n_b)"
    " ORDER BY lines.first, ratios.n_a / ratios.n_b, ratios.first";

static bool make_tables(struct analysis *analysis, struct error *error) {
    struct strbuf columns = { 0 };
    struct strbuf sql = { 0 };
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        if (summary_setting_columns[c] != COLUMN_GROUPS) {
            strbuf_append(&columns, "%srows.%s", columns.length > 0 ? ", " : "",
                          column_names[summary_setting_columns[c]]);
        }
    }
    strbuf_append(&sql, swept_sql, columns.data);
    bool made = !columns.failed && !sql.failed ? analysis_execute(analysis, sql.data, error) &&
                                                     analysis_execute(analysis, sweeps_sql, error)
                                               : fail_out_of_memory(error, "the summary");
    strbuf_free(&columns);
    strbuf_free(&sql);
    return made;
}

/* The text that a walk over rows appends to. */
struct written {
    struct summary_points *points;
    struct strbuf *text;
    size_t ratios, cells; /* in a line; written so far */
};

static bool write_ratio_heading(void *context, sqlite3_stmt *row, struct error *error) {
    const struct written *written = context;
    char ratio[32];
    (void)error;
    (void)snprintf(ratio, sizeof ratio, "%.0f:%.0f", analysis_number(row, 0),
                   analysis_number(row, 1));
    strbuf_append(written->text, " %9s", ratio);
    return true;
}

/* A line per variant, a cell per ratio. */
static bool write_balance_cell(void *context, sqlite3_stmt *row, struct error *error) {
    struct written *written = context;
    const double own = analysis_number(row, 1);
    const double share = analysis_number(row, 2) / own;
    char cell[24] = "-";
    (void)error;
    if (written->cells++ % written->ratios == 0) {
        char seconds[24];
        quantity_seconds(own, seconds, sizeof seconds);
        strbuf_append(written->text, "\n  %-24s %9s", (const char *)sqlite3_column_text(row, 0),
                      seconds);
    }
    if (isfinite(share)) {
        (void)snprintf(cell, sizeof cell, "%.2f", share);
    }
    strbuf_append(written->text, " %8s%c", cell, sqlite3_column_int(row, 3) == 1 ? '*' : ' ');
    return true;
}

static bool write_sweep(void *context, sqlite3_stmt *sweep, struct error *error) {
    const struct written *all = context;
    struct analysis *analysis = &all->points->analysis;
    const struct row *row = analysis_row(analysis, sweep, 0);
    const sqlite3_int64 place = sqlite3_column_int64(sweep, 2);
    struct written written = { .text = all->text,
                               .ratios = (size_t)sqlite3_column_int64(sweep, 3) };
    strbuf_append(all->text,
                  "\n%s of A:B particles, %.10g pairs, %s on %s: time over the own at 1:1; *: the "
                  "longest\n  %-24s %9s",
                  row_text(row, COLUMN_WORKLOAD), analysis_number(sweep, 1),
                  row_text(row, COLUMN_PRECISION), row_text(row, COLUMN_DEVICE), "variant",
                  "at 1:1");
    const bool done =
        analysis_each(analysis, ratios_sql, place, write_ratio_heading, &written, error) &&
        analysis_each(analysis, times_sql, place, write_balance_cell, &written, error);
    strbuf_append(all->text, "\n");
    return done;
}

bool summary_balance(struct summary_points *points, struct strbuf *text, struct error *error) {
    static const char sql[] = "SELECT id, product, place, ratios FROM sweeps WHERE ratios > 1"
                              " ORDER BY place";
    struct written written = { .points = points, .text = text };
    return make_tables(&points->analysis, error) &&
           analysis_each(&points->analysis, sql, 0, write_sweep, &written, error);
}
