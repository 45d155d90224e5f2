#include "answers/summary/summary_cells.h"

#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static const struct summary_point *point_at(const struct summary_points *points,
                                            sqlite3_stmt *statement, int column) {
    const sqlite3_int64 place = sqlite3_column_int64(statement, column);
    return place > 0 ? &points->points[place - 1] : NULL;
}

/* The cells come variant by variant, each with every N. */
static void take_cell(const struct summary_points *points, sqlite3_stmt *statement, size_t index,
                      struct summary_cells *cells) {
    const struct summary_point *of_variant = point_at(points, statement, 0);
    const char *variant = row_text(of_variant->row, COLUMN_VARIANT);
    const size_t count = cells->variant_count;
    cells->first = cells->first && cells->first < of_variant ? cells->first : of_variant;
    if (count == 0 || strcmp(cells->variants[count - 1], variant) != 0) {
        cells->variants[count] = variant;
        cells->is_built[count] = sqlite3_column_int(statement, 1) == 1;
        cells->variant_count++;
    }
    if (cells->variant_count == 1) {
        cells->n[cells->n_count++] = analysis_number(statement, 2);
    }
    cells->cells[index] = (struct summary_cell){ .fastest = point_at(points, statement, 3),
                                                 .rank = (size_t)sqlite3_column_int64(statement, 4),
                                                 .failed = point_at(points, statement, 5) };
}

static bool take_cells(struct summary_points *points, sqlite3_stmt *statement,
                       struct summary_cells *cells, struct error *error) {
    size_t index = 0;
    for (bool found = true; found;) {
        if (!analysis_next(&points->analysis, statement, &found, error)) {
            return false;
        }
        if (found && index % 64 == 0) {
            struct summary_cell *longer =
                realloc(cells->cells, (index + 64) * sizeof *cells->cells);
            if (!longer) {
                return fail_out_of_memory(error, "the summary");
            }
            cells->cells = longer;
        }
        if (found) {
            take_cell(points, statement, index++, cells);
        }
    }
    return true;
}

bool summary_cells_make(struct summary_points *points, const char *table, size_t part,
                        enum summary_time time, struct summary_cells *cells, struct error *error) {
    static const char *const columns[] = {
        [SUMMARY_FORCE] = "force_s", [SUMMARY_END_TO_END] = "end_to_end_s"
    };
    struct strbuf sql = { 0 };
    sqlite3_stmt *statement = NULL;
    *cells = (struct summary_cells){
        .variants = calloc(points->count + 1, sizeof *cells->variants),
        .is_built = calloc(points->count + 1, sizeof *cells->is_built),
        .n = calloc(points->count + 1, sizeof *cells->n),
    };
    strbuf_append(&sql, cells_sql, columns[time], table);
    bool made = (cells->variants && cells->is_built && cells->n && !sql.failed) ||
                fail_out_of_memory(error, "the summary");
    made = made && analysis_prepare(&points->analysis, sql.data, &statement, error) &&
           (sqlite3_bind_int64(statement, 1, (sqlite3_int64)part) == SQLITE_OK ||
            analysis_fail(&points->analysis, error)) &&
           take_cells(points, statement, cells, error);
    (void)sqlite3_finalize(statement);
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
