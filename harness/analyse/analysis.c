#include "analyse/analysis.h"

#include "analyse/run_tables.h"
#include "analyse/sql_functions.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool analysis_fail(const struct analysis *analysis, struct error *error) {
    if (sqlite3_errcode(analysis->database) == SQLITE_NOMEM) {
        return fail_out_of_memory(error, "the tables");
    }
    return fail(error, STATUS_SYSTEM, "SQLite: %s", sqlite3_errmsg(analysis->database));
}

bool analysis_execute(struct analysis *analysis, const char *sql, struct error *error) {
    return sqlite3_exec(analysis->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
           analysis_fail(analysis, error);
}

bool analysis_next(struct analysis *analysis, sqlite3_stmt *statement, bool *found,
                   struct error *error) {
    const int code = sqlite3_step(statement);
    *found = code == SQLITE_ROW;
    return *found || code == SQLITE_DONE || analysis_fail(analysis, error);
}

double analysis_number(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

const struct row *analysis_row(const struct analysis *analysis, sqlite3_stmt *statement,
                               int column) {
    const sqlite3_int64 rowid = sqlite3_column_int64(statement, column);
    return rowid > 0 ? analysis->row_of[rowid - 1] : NULL;
}

bool analysis_prepare(struct analysis *analysis, const char *sql, sqlite3_stmt **statement,
                      struct error *error) {
    return sqlite3_prepare_v2(analysis->database, sql, -1, statement, NULL) == SQLITE_OK ||
           analysis_fail(analysis, error);
}

bool analysis_open(struct analysis *analysis, struct error *error) {
    *analysis = (struct analysis){ 0 };
    /* Nothing is written to files: not even what a large sort puts aside. */
    bool opened = (sqlite3_open(":memory:", &analysis->database) == SQLITE_OK &&
                   sql_functions_add(analysis->database) == SQLITE_OK) ||
                  analysis_fail(analysis, error);
    opened = opened && analysis_execute(analysis, "PRAGMA temp_store = MEMORY", error) &&
             run_tables_create(analysis, error);
    if (!opened) {
        analysis_close(analysis);
    }
    return opened;
}

void analysis_close(struct analysis *analysis) {
    (void)sqlite3_close(analysis->database);
    free(analysis->row_of);
    *analysis = (struct analysis){ 0 };
}

bool analysis_add_run(struct analysis *analysis, const char *path, const char *name, FILE *log,
                      struct error *error) {
    char file[PATH_MAX];
    struct row_table rows;
    if (!rows_locate(path, file, sizeof file, error) || !rows_read(file, log, &rows, error)) {
        return false;
    }
    analysis->runs++;
    bool added = analysis_execute(analysis, "BEGIN", error) &&
                 run_tables_add_run(analysis, name, path, error) &&
                 run_tables_add_rows(analysis, "rows", file, &rows, log, error) &&
                 run_tables_add_beside(analysis, file, log, error) &&
                 analysis_execute(analysis, "COMMIT", error);
    rows_free(&rows);
    return added;
}

bool analysis_add_table(struct analysis *analysis, const struct row_table *rows,
                        struct error *error) {
    const struct row **row_of =
        realloc(analysis->row_of, (analysis->row_count + rows->count + 1) * sizeof(*row_of));
    if (!row_of) {
        return fail_out_of_memory(error, "the rows");
    }
    analysis->row_of = row_of;
    for (size_t i = 0; i < rows->count; i++) {
        row_of[analysis->row_count++] = &rows->rows[i];
    }
    analysis->runs++;
    return analysis_execute(analysis, "BEGIN", error) &&
           run_tables_add_run(analysis, rows->label, NULL, error) &&
           run_tables_add_rows(analysis, "rows", "", rows, NULL, error) &&
           analysis_execute(analysis, "COMMIT", error);
}
