/* Prepares and runs SQL statements, and adds functions of statistics to them. */
#include "answers/tables/analysis.h"

#include "core/embedded.h"
#include "core/statistics.h"
#include "kernels/potentials/interaction.h"
#include "measure/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- queries of the program itself ---- */

struct answer_cell {
    char *text;    /* NULL: no text */
    double number; /* NaN: no number */
};

void analysis_check(const struct analysis *analysis, bool done) {
    if (!done) {
        memory_check(sqlite3_errcode(analysis->database) != SQLITE_NOMEM);
        (void)fprintf(stderr, "pairmark: SQLite: %s\n", sqlite3_errmsg(analysis->database));
        exit(status_exit_code(STATUS_SYSTEM));
    }
}

/* The statement's words, released by sqlite3_free. */
static char *make_sql(const char *format, va_list words) {
    char *sql = sqlite3_vmprintf(format, words);
    memory_check(sql != NULL);
    return sql;
}

static sqlite3_stmt *prepare(struct analysis *analysis, const char *format, va_list words) {
    sqlite3_stmt *statement = NULL;
    char *sql = make_sql(format, words);
    analysis_check(analysis,
                   sqlite3_prepare_v2(analysis->database, sql, -1, &statement, NULL) == SQLITE_OK);
    sqlite3_free(sql);
    return statement;
}

sqlite3_stmt *analysis_prepare(struct analysis *analysis, const char *format, ...) {
    va_list words;
    va_start(words, format);
    sqlite3_stmt *statement = prepare(analysis, format, words);
    va_end(words);
    return statement;
}

static bool next(struct analysis *analysis, sqlite3_stmt *statement) {
    const int code = sqlite3_step(statement);
    analysis_check(analysis, code == SQLITE_ROW || code == SQLITE_DONE);
    return code == SQLITE_ROW;
}

static void execute(struct analysis *analysis, const char *sql) {
    analysis_check(analysis, sqlite3_exec(analysis->database, sql, NULL, NULL, NULL) == SQLITE_OK);
}

void analysis_run(struct analysis *analysis, const char *format, ...) {
    va_list words;
    va_start(words, format);
    char *sql = make_sql(format, words);
    va_end(words);
    execute(analysis, sql);
    sqlite3_free(sql);
}

void analysis_run_file(struct analysis *analysis, const char *path) {
    execute(analysis, embedded_text(path));
}

void analysis_add_function(struct analysis *analysis, const char *name, int arguments,
                           void *context, analysis_function *give) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    analysis_check(analysis, sqlite3_create_function(analysis->database, name, arguments, flags,
                                                     context, give, NULL, NULL) == SQLITE_OK);
}

static void take_cells(struct answer *answer, sqlite3_stmt *row) {
    struct answer_cell *cells =
        memory_grown(answer->cells, (answer->rows + 1) * answer->columns, sizeof *cells);
    answer->cells = cells;
    cells += answer->rows++ * answer->columns;
    for (size_t c = 0; c < answer->columns; c++) {
        const int type = sqlite3_column_type(row, (int)c);
        const bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        cells[c].number = is_number ? sqlite3_column_double(row, (int)c) : NAN;
        cells[c].text = NULL;
    }
    for (size_t c = 0; c < answer->columns; c++) {
        if (sqlite3_column_type(row, (int)c) == SQLITE_TEXT) {
            const char *text = (const char *)sqlite3_column_text(row, (int)c);
            memory_check(text != NULL);
            cells[c].text = memory_copy(text);
        }
    }
}

struct answer analysis_ask(struct analysis *analysis, const char *format, ...) {
    struct answer answer = { 0 };
    va_list words;
    va_start(words, format);
    sqlite3_stmt *statement = prepare(analysis, format, words);
    va_end(words);
    answer.columns = (size_t)sqlite3_column_count(statement);
    while (next(analysis, statement)) {
        take_cells(&answer, statement);
    }
    (void)sqlite3_finalize(statement);
    return answer;
}

void answer_free(struct answer *answer) {
    for (size_t i = 0; i < answer->rows * answer->columns; i++) {
        free(answer->cells[i].text);
    }
    free(answer->cells);
    *answer = (struct answer){ 0 };
}

const char *answer_text(const struct answer *answer, size_t row, size_t column) {
    const char *text = answer->cells[row * answer->columns + column].text;
    return text ? text : "";
}

double answer_number(const struct answer *answer, size_t row, size_t column) {
    return answer->cells[row * answer->columns + column].number;
}

double analysis_ask_number(struct analysis *analysis, const char *format, ...) {
    double number = NAN;
    va_list words;
    va_start(words, format);
    sqlite3_stmt *statement = prepare(analysis, format, words);
    va_end(words);
    if (next(analysis, statement)) {
        number = sqlite3_column_type(statement, 0) == SQLITE_NULL
                     ? NAN
                     : sqlite3_column_double(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    return number;
}

/* Tabs and line ends would end the field. */
static void append_field(struct strbuf *table, const char *words) {
    for (; words && *words; words++) {
        const unsigned char character = (unsigned char)*words;
        strbuf_append_bytes(table, character < ' ' || character == 127 ? " " : words, 1);
    }
}

static void append_value(struct strbuf *table, sqlite3_stmt *row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        strbuf_append(table, "%lld", (long long)sqlite3_column_int64(row, column));
        break;
    case SQLITE_FLOAT:
        strbuf_append(table, "%.9g", sqlite3_column_double(row, column));
        break;
    case SQLITE_TEXT:
        append_field(table, (const char *)sqlite3_column_text(row, column));
        break;
    default:
        strbuf_append(table, "nan");
        break;
    }
}

void analysis_append_table(struct analysis *analysis, struct strbuf *table, const char *format,
                           ...) {
    va_list words;
    va_start(words, format);
    sqlite3_stmt *statement = prepare(analysis, format, words);
    va_end(words);
    const int columns = sqlite3_column_count(statement);
    for (int c = 0; c < columns; c++) {
        strbuf_append(table, "%s%s", c == 0 ? "# " : "\t", sqlite3_column_name(statement, c));
    }
    strbuf_append(table, "\n");
    while (next(analysis, statement)) {
        for (int c = 0; c < columns; c++) {
            strbuf_append(table, c == 0 ? "" : "\t");
            append_value(table, statement, c);
        }
        strbuf_append(table, "\n");
    }
    (void)sqlite3_finalize(statement);
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

/* pair_operations(words of an interaction): those of a distance and a pair; NULL: not known, as of
 * an expression, whose text is not in the words. */
static void give_operations(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const unsigned char *words = sqlite3_value_text(arguments[count - 1]);
    struct interaction interaction;
    struct error ignored;
    if (words && interaction_parse((const char *)words, &interaction, &ignored)) {
        sqlite3_result_double(context, interaction.flops_distance + interaction.flops_pair);
    }
}

/* sol_score(seconds, baseline, limit): the score of NVIDIA's SOL-ExecBench (arXiv:2603.19173;
 * src/sol_execbench/sol_score.py of its repository), 1 / (1 + (T_k - T_SOL) / (T_b - T_SOL)): 0.5
 * at the baseline's time, 1 at the limit. A baseline at or below the limit: 1 or 0. */
static void give_score(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const double limit = sqlite3_value_double(arguments[count - 1]);
    const double gap = sqlite3_value_double(arguments[1]) - limit;
    const double left = sqlite3_value_double(arguments[0]) - limit;
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) {
            return;
        }
    }
    sqlite3_result_double(context, gap > 0 ? 1 / (1 + left / gap) : left <= 0);
}

void analysis_add_aggregates(struct analysis *analysis) {
    analysis_add_function(analysis, "pair_operations", 1, NULL, give_operations);
    analysis_add_function(analysis, "sol_score", 3, NULL, give_score);
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    sqlite3 *database = analysis->database;
    analysis_check(analysis, sqlite3_create_function(database, "median", 1, flags, NULL, NULL,
                                                     take_value, give_median) == SQLITE_OK);
    analysis_check(analysis, sqlite3_create_function(database, "percentile", 2, flags, NULL, NULL,
                                                     take_value, give_percentile) == SQLITE_OK);
}
