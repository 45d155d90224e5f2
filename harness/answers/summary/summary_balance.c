#include "answers/summary/summary_balance.h"

#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

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

static bool prepare_of(struct analysis *analysis, const char *sql, sqlite3_int64 place,
                       sqlite3_stmt **statement, struct error *error) {
    return analysis_prepare(analysis, sql, statement, error) &&
           (sqlite3_bind_int64(*statement, 1, place) == SQLITE_OK ||
            analysis_fail(analysis, error));
}

static bool write_heading(struct analysis *analysis, const struct row *row, double product,
                          sqlite3_int64 place, struct strbuf *text, struct error *error) {
    sqlite3_stmt *ratios = NULL;
    bool found = true;
    strbuf_append(text,
                  "\n%s of A:B particles, %.10g pairs, %s on %s: time over the own at 1:1; *: the "
                  "longest\n",
                  row_text(row, COLUMN_WORKLOAD), product, row_text(row, COLUMN_PRECISION),
                  row_text(row, COLUMN_DEVICE));
    strbuf_append(text, "  %-24s %9s", "variant", "at 1:1");
    bool written = prepare_of(analysis, ratios_sql, place, &ratios, error);
    while (written && found) {
        char ratio[32];
        written = analysis_next(analysis, ratios, &found, error);
        if (written && found) {
            (void)snprintf(ratio, sizeof ratio, "%.0f:%.0f", analysis_number(ratios, 0),
                           analysis_number(ratios, 1));
            strbuf_append(text, " %9s", ratio);
        }
    }
    (void)sqlite3_finalize(ratios);
    return written;
}

/* A line per variant, a cell per ratio. */
static bool write_lines(struct analysis *analysis, size_t ratios, sqlite3_int64 place,
                        struct strbuf *text, struct error *error) {
    sqlite3_stmt *times = NULL;
    bool found = true;
    bool written = prepare_of(analysis, times_sql, place, &times, error);
    for (size_t cell_number = 0; written && found; cell_number++) {
        char cell[24] = "-";
        written = analysis_next(analysis, times, &found, error);
        if (!written || !found) {
            break;
        }
        const double own = analysis_number(times, 1);
        const double share = analysis_number(times, 2) / own;
        if (cell_number % ratios == 0) {
            char seconds[24];
            quantity_seconds(own, seconds, sizeof seconds);
            strbuf_append(text, "\n  %-24s %9s", (const char *)sqlite3_column_text(times, 0),
                          seconds);
        }
        if (isfinite(share)) {
            (void)snprintf(cell, sizeof cell, "%.2f", share);
        }
        strbuf_append(text, " %8s%c", cell, sqlite3_column_int(times, 3) == 1 ? '*' : ' ');
    }
    strbuf_append(text, "\n");
    (void)sqlite3_finalize(times);
    return written;
}

bool summary_balance(struct summary_points *points, struct strbuf *text, struct error *error) {
    static const char sql[] = "SELECT id, product, place, ratios FROM sweeps WHERE ratios > 1"
                              " ORDER BY place";
    struct analysis *analysis = &points->analysis;
    sqlite3_stmt *sweeps = NULL;
    bool found = true;
    bool written = make_tables(analysis, error) && analysis_prepare(analysis, sql, &sweeps, error);
    while (written && found) {
        written = analysis_next(analysis, sweeps, &found, error);
        if (written && found) {
            const sqlite3_int64 place = sqlite3_column_int64(sweeps, 2);
            written =
                write_heading(analysis, analysis_row(analysis, sweeps, 0),
                              analysis_number(sweeps, 1), place, text, error) &&
                write_lines(analysis, (size_t)sqlite3_column_int64(sweeps, 3), place, text, error);
        }
    }
    (void)sqlite3_finalize(sweeps);
    return written;
}
