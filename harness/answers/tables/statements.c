#include "answers/tables/statements.h"

#include <math.h>

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

void analysis_append_key(unsigned roles, struct strbuf *sql) {
    const char *between = "";
    for (enum column column = column_next(roles, -1); column < COLUMN_COUNT;
         column = column_next(roles, column)) {
        strbuf_append(sql, "%scoalesce(%s, '')", between, column_names[column]);
        between = " || ' ' || ";
    }
}

bool analysis_prepare(struct analysis *analysis, const char *sql, sqlite3_stmt **statement,
                      struct error *error) {
    return sqlite3_prepare_v2(analysis->database, sql, -1, statement, NULL) == SQLITE_OK ||
           analysis_fail(analysis, error);
}

bool analysis_ask_number(struct analysis *analysis, const char *sql, double *number,
                         struct error *error) {
    sqlite3_stmt *statement = NULL;
    bool found = false;
    const bool asked = analysis_prepare(analysis, sql, &statement, error) &&
                       analysis_next(analysis, statement, &found, error);
    *number = found ? analysis_number(statement, 0) : NAN;
    (void)sqlite3_finalize(statement);
    return asked;
}
