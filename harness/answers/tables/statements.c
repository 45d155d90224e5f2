#include "answers/tables/analysis.h"

#include "core/statistics.h"

#include <math.h>
#include <stdbool.h>

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

bool analysis_each(struct analysis *analysis, const char *sql, sqlite3_int64 parameter,
                   analysis_take *take, void *context, struct error *error) {
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_ROW;
    bool walked = analysis_prepare(analysis, sql, &statement, error);
    if (walked && sqlite3_bind_parameter_count(statement) > 0) {
        walked = sqlite3_bind_int64(statement, 1, parameter) == SQLITE_OK ||
                 analysis_fail(analysis, error);
    }
    while (walked && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        walked = take(context, statement, error);
    }
    if (walked && code != SQLITE_DONE) {
        walked = analysis_fail(analysis, error);
    }
    (void)sqlite3_finalize(statement);
    return walked;
}

static bool take_number(void *context, sqlite3_stmt *row, struct error *error) {
    (void)error;
    *(double *)context = analysis_number(row, 0);
    return true;
}

bool analysis_ask_number(struct analysis *analysis, const char *sql, double *number,
                         struct error *error) {
    *number = NAN;
    return analysis_each(analysis, sql, 0, take_number, number, error);
}

/* ---- functions ---- */

/* The numbers of a group. SQLite zeroes it when the group begins. */
struct numbers {
    double *values; /* SQLite's memory, which its limit counts */
    size_t count, capacity;
    double percent;
};

static void numbers_add(sqlite3_context *context, struct numbers *numbers, double value) {
    if (numbers->count == numbers->capacity) {
        const size_t capacity = numbers->capacity ? 2 * numbers->capacity : 16;
        double *values = sqlite3_realloc64(numbers->values, capacity * sizeof *values);
        if (!values) {
            sqlite3_result_error_nomem(context);
            return;
        }
        numbers->values = values;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
}

static bool is_number(sqlite3_value *value) {
    const int type = sqlite3_value_type(value);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void take_value(sqlite3_context *context, int count, sqlite3_value **arguments) {
    struct numbers *numbers = sqlite3_aggregate_context(context, sizeof *numbers);
    if (!numbers) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (count == 2) {
        numbers->percent = is_number(arguments[1]) ? sqlite3_value_double(arguments[1]) : -1;
        if (!(numbers->percent >= 0 && numbers->percent <= 100)) {
            sqlite3_result_error(context, "percentile(x, p): p is a number from 0 to 100", -1);
            return;
        }
    }
    if (is_number(arguments[0])) {
        numbers_add(context, numbers, sqlite3_value_double(arguments[0]));
    }
}

static void give_median(sqlite3_context *context) {
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (numbers && numbers->count > 0) {
        const size_t count = numbers->count;
        sort_numbers(numbers->values, count);
        sqlite3_result_double(
            context, 0.5 * (numbers->values[(count - 1) / 2] + numbers->values[count / 2]));
    }
    sqlite3_free(numbers ? numbers->values : NULL);
}

static void give_percentile(sqlite3_context *context) {
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (numbers && numbers->count > 0) {
        sort_numbers(numbers->values, numbers->count);
        sqlite3_result_double(
            context, quantile_of_sorted(numbers->values, numbers->count, numbers->percent / 100));
    }
    sqlite3_free(numbers ? numbers->values : NULL);
}

int analysis_add_functions(sqlite3 *database) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    const int code =
        sqlite3_create_function(database, "median", 1, flags, NULL, NULL, take_value, give_median);
    return code != SQLITE_OK ? code
                             : sqlite3_create_function(database, "percentile", 2, flags, NULL, NULL,
                                                       take_value, give_percentile);
}
