#include "answers/summary/summary_points.h"

#include "core/strings.h"
#include "kernels/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum column summary_setting_columns[] = { COLUMN_HOST,        COLUMN_DEVICE,  COLUMN_WORKLOAD,
                                                COLUMN_INTERACTION, COLUMN_OUTPUTS, COLUMN_BOX_KIND,
                                                COLUMN_PERIODIC,    COLUMN_DENSITY, COLUMN_CUTOFF,
                                                COLUMN_PRECISION,   COLUMN_GROUPS,  COLUMN_COUNT };

/* A point is what a setting has of one N, variant and its knobs, and of one file, since
 * boxes that are read differ though kind and density may not; seed and repetition distinguish
 * no points. `id` is its first row that is no repeat's, `failed` its first that is not ok or has no
 * time. It mixes kernels where rows of one repetition are of two cases and two kernels: their times
 * belong to neither. Only a folder of before kernels were kept has such rows. */
static const char points_sql[] =
    "CREATE TABLE points AS WITH"
    " keyed AS (SELECT rowid AS id, *, %s AS knobs,"
    "   CASE box_kind WHEN 'file' THEN box_hash END AS file,"
    "   dense_rank() OVER (ORDER BY %s) AS setting,"
    "   CASE WHEN kernel_hash IS NOT NULL THEN case_id END AS known_case,"
    "   CASE WHEN case_id IS NOT NULL THEN kernel_hash END AS kernel FROM rows),"
    " marked AS (SELECT *, min(known_case) OVER same <> max(known_case) OVER same"
    "   AND min(kernel) OVER same <> max(kernel) OVER same AS mixes FROM keyed"
    "   WINDOW same AS (PARTITION BY setting, n, n_a, n_b, variant, knobs, file, seed,"
    "     repetition, twin)),"
    " gathered AS (SELECT setting, n, n_a, n_b, variant, knobs, file,"
    "   min(id) FILTER (WHERE twin IS NOT 1) AS id, max(mixes) AS mixes,"
    "   min(id) FILTER (WHERE (status = 'ok' AND force_s_median > 0) IS NOT TRUE) AS failed,"
    "   median(force_s_median) FILTER (WHERE twin IS NOT 1) AS force_s,"
    "   median(force_s_p05) FILTER (WHERE twin IS NOT 1) AS p05_s,"
    "   median(force_s_p95) FILTER (WHERE twin IS NOT 1) AS p95_s,"
    "   median(build_s_median) FILTER (WHERE twin IS NOT 1) AS build_s,"
    "   median(end_to_end_s_median) FILTER (WHERE twin IS NOT 1) AS end_to_end_s,"
    "   median(pairs_per_s) FILTER (WHERE twin IS NOT 1) AS pairs_per_s,"
    "   median(percent_of_peak) FILTER (WHERE twin IS NOT 1) AS percent_of_peak"
    "   FROM marked GROUP BY 1, 2, 3, 4, 5, 6, 7)"
    " SELECT *, failed IS NULL AND mixes IS NOT 1 AS passed FROM gathered WHERE id IS NOT NULL"
    " ORDER BY setting, n, file, variant, force_s NULLS LAST, n_a, n_b, knobs";

/* For summary_cells_make(). */
static const char settings_sql[] =
    "CREATE VIEW settings AS SELECT rowid AS place, setting AS part FROM points";

static bool make_table(struct analysis *analysis, struct error *error) {
    struct strbuf columns = { 0 };
    struct strbuf knobs = { 0 };
    struct strbuf sql = { 0 };
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        strbuf_append(&columns, "%s%s", c > 0 ? ", " : "",
                      column_names[summary_setting_columns[c]]);
    }
    analysis_append_key(ROLE_KNOB, &knobs);
    strbuf_append(&sql, points_sql, knobs.data, columns.data);
    bool made = !columns.failed && !knobs.failed && !sql.failed
                    ? analysis_execute(analysis, sql.data, error)
                    : fail_out_of_memory(error, "the summary");
    strbuf_free(&columns);
    strbuf_free(&knobs);
    strbuf_free(&sql);
    return made;
}

static bool take_point(void *context, sqlite3_stmt *statement, struct error *error) {
    struct summary_points *points = context;
    const struct analysis *analysis = &points->analysis;
    const struct row *row = analysis_row(analysis, statement, 0);
    const struct row *failed = analysis_row(analysis, statement, 1);
    const bool mixes = sqlite3_column_int(statement, 2) == 1;
    const char *status = failed ? row_text(failed, COLUMN_STATUS) : "ok";
    (void)error;
    points->points[points->count++] = (struct summary_point){
        .row = row,
        .n = row_number(row, COLUMN_N),
        .setting = (size_t)sqlite3_column_int64(statement, 3),
        .force_s = analysis_number(statement, 4),
        .build_s = analysis_number(statement, 5),
        .end_to_end_s = analysis_number(statement, 6),
        .pairs_per_s = analysis_number(statement, 7),
        .percent_of_peak = analysis_number(statement, 8),
        .p05_s = analysis_number(statement, 9),
        .p95_s = analysis_number(statement, 10),
        .passed = !failed && !mixes,
        .status = mixes                                 ? "two kernels"
                  : failed && strcmp(status, "ok") == 0 ? "no time"
                                                        : status,
        .is_short = row_number(row, COLUMN_SHORT_KERNEL) == 1,
    };
    return true;
}

bool summary_points_make(const struct row_table *table, struct summary_points *points,
                         struct error *error) {
    static const char sql[] =
        "SELECT id, failed, mixes, setting, force_s, build_s, end_to_end_s,"
        " pairs_per_s, percent_of_peak, p05_s, p95_s FROM points ORDER BY rowid";
    struct analysis *analysis = &points->analysis;
    *points = (struct summary_points){ .points = calloc(table->count + 1, sizeof *points->points) };
    bool made = (points->points || fail_out_of_memory(error, "the summary")) &&
                analysis_open(analysis, error) && analysis_add_table(analysis, table, error) &&
                make_table(analysis, error) && analysis_execute(analysis, settings_sql, error) &&
                analysis_each(analysis, sql, 0, take_point, points, error);
    if (!made) {
        summary_points_free(points);
    }
    return made;
}

void summary_points_free(struct summary_points *points) {
    free(points->points);
    analysis_close(&points->analysis);
    *points = (struct summary_points){ 0 };
}

const char *summary_plainest(const struct row *row) {
    const struct workload *workload = workload_find(row_text(row, COLUMN_WORKLOAD));
    return (workload ? workload : workload_default())
        ->words.all_pairs[row_number(row, COLUMN_N_B) > 0];
}

/* ---- points ranked ---- */

/* The column of times and the table of parts are to be filled in. */
static const char cells_sql[] =
    "WITH of AS (SELECT place, n, coalesce(variant, '') AS variant, passed, build_s, %s AS time_s,"
    "   coalesce((SELECT status FROM rows WHERE rows.rowid = failed) = 'unsupported'"
    "     AND mixes IS NOT 1, 0) AS unsupported"
    "   FROM points JOIN %s ON place = points.rowid WHERE part = ?1),"
    " of_variant AS (SELECT *, row_number() OVER (PARTITION BY n, variant ORDER BY time_s, place)"
    "   AS rank FROM of WHERE passed AND time_s > 0),"
    " fastest AS (SELECT place, n, variant, row_number() OVER (PARTITION BY n"
    "   ORDER BY time_s, place) AS rank FROM of_variant WHERE rank = 1),"
    " failed AS (SELECT *, row_number() OVER (PARTITION BY n, variant"
    "   ORDER BY unsupported, place) AS rank FROM of WHERE NOT passed),"
    " down AS (SELECT variant, min(place) AS place, max(build_s > 0) AS built FROM of"
    "   GROUP BY variant),"
    " across AS (SELECT DISTINCT n FROM of)"
    " SELECT down.place, built, across.n, fastest.place, fastest.rank, failed.place"
    " FROM down CROSS JOIN across"
    " LEFT JOIN fastest ON fastest.variant = down.variant AND fastest.n IS across.n"
    " LEFT JOIN failed ON failed.variant = down.variant AND failed.n IS across.n"
    "   AND failed.rank = 1"
    " ORDER BY down.variant, across.n";

/* The point of a place; NULL: NULL. */
static const struct summary_point *point_at(const struct summary_points *points, sqlite3_stmt *row,
                                            int column) {
    const sqlite3_int64 place = sqlite3_column_int64(row, column);
    return place > 0 ? &points->points[place - 1] : NULL;
}

/* What cells_sql answers, row by row. */
struct taking {
    const struct summary_points *points;
    struct summary_cells *cells;
    size_t count; /* of cells */
};

/* The cells come variant by variant, each with every N. */
static bool take_cell(void *context, sqlite3_stmt *row, struct error *error) {
    struct taking *taking = context;
    const struct summary_points *points = taking->points;
    struct summary_cells *cells = taking->cells;
    const struct summary_point *of_variant = point_at(points, row, 0);
    const char *variant = row_text(of_variant->row, COLUMN_VARIANT);
    const size_t count = cells->variant_count;
    if (taking->count % 64 == 0) {
        struct summary_cell *longer =
            realloc(cells->cells, (taking->count + 64) * sizeof *cells->cells);
        if (!longer) {
            return fail_out_of_memory(error, "the summary");
        }
        cells->cells = longer;
    }
    cells->first = cells->first && cells->first < of_variant ? cells->first : of_variant;
    if (count == 0 || strcmp(cells->variants[count - 1], variant) != 0) {
        cells->variants[count] = variant;
        cells->is_built[count] = sqlite3_column_int(row, 1) == 1;
        cells->variant_count++;
    }
    if (cells->variant_count == 1) {
        cells->n[cells->n_count++] = analysis_number(row, 2);
    }
    cells->cells[taking->count++] =
        (struct summary_cell){ .fastest = point_at(points, row, 3),
                               .rank = (size_t)sqlite3_column_int64(row, 4),
                               .failed = point_at(points, row, 5) };
    return true;
}

bool summary_cells_make(struct summary_points *points, const char *table, size_t part,
                        enum summary_time time, struct summary_cells *cells, struct error *error) {
    static const char *const columns[] = {
        [SUMMARY_FORCE] = "force_s", [SUMMARY_END_TO_END] = "end_to_end_s"
    };
    struct taking taking = { .points = points, .cells = cells };
    struct strbuf sql = { 0 };
    *cells = (struct summary_cells){
        .variants = calloc(points->count + 1, sizeof *cells->variants),
        .is_built = calloc(points->count + 1, sizeof *cells->is_built),
        .n = calloc(points->count + 1, sizeof *cells->n),
    };
    strbuf_append(&sql, cells_sql, columns[time], table);
    bool made = (cells->variants && cells->is_built && cells->n && !sql.failed) ||
                fail_out_of_memory(error, "the summary");
    made = made && analysis_each(&points->analysis, sql.data, (sqlite3_int64)part, take_cell,
                                 &taking, error);
    strbuf_free(&sql);
    if (!made) {
        summary_cells_free(cells);
    }
    return made;
}

void summary_cells_free(struct summary_cells *cells) {
    free(cells->variants);
    free(cells->is_built);
    free(cells->n);
    free(cells->cells);
    *cells = (struct summary_cells){ 0 };
}

const struct summary_cell *summary_cell_of(const struct summary_cells *cells, const char *variant,
                                           size_t n) {
    for (size_t v = 0; v < cells->variant_count; v++) {
        if (strcmp(cells->variants[v], variant) == 0) {
            return &cells->cells[v * cells->n_count + n];
        }
    }
    return NULL;
}

const struct summary_point *summary_cells_ranked(const struct summary_cells *cells, size_t n,
                                                 size_t rank) {
    for (size_t v = 0; v < cells->variant_count; v++) {
        const struct summary_cell *cell = &cells->cells[v * cells->n_count + n];
        if (cell->fastest && cell->rank == rank) {
            return cell->fastest;
        }
    }
    return NULL;
}

size_t summary_cells_find(const struct summary_cells *cells, double n) {
    size_t i = 0;
    while (i < cells->n_count && cells->n[i] != n) {
        i++;
    }
    return i;
}
