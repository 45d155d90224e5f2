#include "answers/summary/summary_points.h"

#include "core/strings.h"
#include "kernels/workload.h"

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
    " told AS (SELECT *, min(known_case) OVER same <> max(known_case) OVER same"
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
    "   FROM told GROUP BY 1, 2, 3, 4, 5, 6, 7)"
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

static struct summary_point read_point(const struct analysis *analysis, sqlite3_stmt *statement) {
    const struct row *row = analysis_row(analysis, statement, 0);
    const struct row *failed = analysis_row(analysis, statement, 1);
    const bool mixes = sqlite3_column_int(statement, 2) == 1;
    const char *status = failed ? row_text(failed, COLUMN_STATUS) : "ok";
    return (struct summary_point){
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
}

bool summary_points_make(const struct row_table *table, struct summary_points *points,
                         struct error *error) {
    static const char sql[] =
        "SELECT id, failed, mixes, setting, force_s, build_s, end_to_end_s,"
        " pairs_per_s, percent_of_peak, p05_s, p95_s FROM points ORDER BY rowid";
    struct analysis *analysis = &points->analysis;
    sqlite3_stmt *statement = NULL;
    bool found = true;
    *points = (struct summary_points){ .points = calloc(table->count + 1, sizeof *points->points) };
    bool made = (points->points || fail_out_of_memory(error, "the summary")) &&
                analysis_open(analysis, error) && analysis_add_table(analysis, table, error) &&
                make_table(analysis, error) && analysis_execute(analysis, settings_sql, error) &&
                analysis_prepare(analysis, sql, &statement, error);
    while (made && found) {
        made = analysis_next(analysis, statement, &found, error);
        if (made && found) {
            points->points[points->count++] = read_point(analysis, statement);
        }
    }
    (void)sqlite3_finalize(statement);
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
