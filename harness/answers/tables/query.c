/* Answers a user's SQL statement, as a table, CSV or JSON. */
#include "answers/tables/analysis.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "measure/program.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_CHARACTERS = 60 };

/* Initialise format and text, the rest zero; release with query_writer_free. */
struct query_writer {
    enum query_format format;
    struct strbuf *text;
    struct text_table table; /* the names, then a line per row */
    bool *is_number;         /* of each column: no cell of the table is a text */
    size_t rows;
    char *doubts; /* of CSV and JSON a further column, of a table a line; NULL: nothing */
};
#define DOUBTS "doubts"

/* ---- values ---- */

/* A number of a table: with six digits, or all of them if it is whole or large. */
static void append_number(struct strbuf *text, double value, bool is_table) {
    const bool is_whole = value == floor(value) || fabs(value) >= 99999.5;
    if (!is_table) {
        strbuf_append(text, "%s", quantity_exact(value).text);
    } else {
        strbuf_append(text, is_whole && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
    }
}

static void append_blob(struct strbuf *text, const unsigned char *bytes, int length) {
    strbuf_append(text, "x'");
    for (int i = 0; i < length; i++) {
        strbuf_append(text, "%02x", bytes[i]);
    }
    strbuf_append(text, "'");
}

/* Appends a value as text; of NULL nothing. */
static void append_value(struct strbuf *text, sqlite3_stmt *statement, int column, bool is_table) {
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        strbuf_append(text, "%lld", (long long)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        append_number(text, sqlite3_column_double(statement, column), is_table);
        break;
    case SQLITE_TEXT: {
        const char *words = (const char *)sqlite3_column_text(statement, column);
        text->failed = text->failed || !words;
        strbuf_append(text, "%s", words ? words : "");
        break;
    }
    case SQLITE_BLOB:
        append_blob(text, sqlite3_column_blob(statement, column),
                    sqlite3_column_bytes(statement, column));
        break;
    default:
        break;
    }
}

/* A printable copy, allocated. */
static char *value_of(sqlite3_stmt *statement, int column, bool is_table) {
    struct strbuf words = { 0 };
    append_value(&words, statement, column, is_table);
    char *data = words.data ? words.data : memory_copy("");
    make_printable(data, PRINTABLE_LINES);
    return data;
}

/* ---- a table ---- */

/* One line, cut where it would be too wide. */
static void make_cell(char *words) {
    size_t count = 0;
    for (char *at = words; *at; count++) {
        const size_t bytes = utf8_length(at);
        if (strchr("\n\r\t", *at)) {
            *at = ' ';
        }
        if (count == CELL_CHARACTERS - 3 && characters_of(at) > 3) {
            (void)memcpy(at, "...", 4); /* what is left has as many bytes */
            return;
        }
        at += bytes ? bytes : 1;
    }
}

/* Adds a cell and frees its text. */
static void add_cell(struct query_writer *writer, char *words) {
    make_cell(words);
    text_table_add(&writer->table, "%s", words);
    free(words);
}

/* ---- CSV ---- */

static void write_record(struct query_writer *writer, sqlite3_stmt *statement, bool names) {
    const int columns = sqlite3_column_count(statement);
    char **fields = memory_zeroed((size_t)columns + 1, sizeof *fields);
    for (int c = 0; c < columns; c++) {
        const char *name = names ? sqlite3_column_name(statement, c) : NULL;
        fields[c] = names ? memory_copy(name ? name : "") : value_of(statement, c, false);
    }
    if (writer->doubts) {
        fields[columns] = memory_copy(names ? DOUBTS : writer->doubts);
    }
    record_format(writer->text, (const char *const *)fields,
                  (size_t)columns + (writer->doubts != NULL));
    for (int c = 0; c <= columns; c++) {
        free(fields[c]);
    }
    free(fields);
}

/* ---- JSON ---- */

static void append_string(struct strbuf *text, const char *words) {
    struct json_object *string = json_object_new_string(words);
    const char *quoted =
        string ? json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
    memory_check(quoted != NULL);
    strbuf_append(text, "%s", quoted);
    json_object_put(string);
}

static void write_member(struct strbuf *text, sqlite3_stmt *statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    const bool is_number =
        type == SQLITE_INTEGER ||
        (type == SQLITE_FLOAT && isfinite(sqlite3_column_double(statement, column)));
    append_string(text, sqlite3_column_name(statement, column));
    strbuf_append(text, ": ");
    if (type == SQLITE_NULL) {
        strbuf_append(text, "null");
    } else if (is_number) {
        append_value(text, statement, column, false);
    } else {
        char *words = value_of(statement, column, false);
        append_string(text, words);
        free(words);
    }
}

static void write_object(struct query_writer *writer, sqlite3_stmt *statement) {
    strbuf_append(writer->text, writer->rows > 0 ? ",\n{" : "\n{");
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        strbuf_append(writer->text, c > 0 ? ", " : "");
        write_member(writer->text, statement, c);
    }
    if (writer->doubts) {
        strbuf_append(writer->text, ", \"" DOUBTS "\": ");
        append_string(writer->text, writer->doubts);
    }
    strbuf_append(writer->text, "}");
}

static bool check_names(sqlite3_stmt *statement, struct error *error) {
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        const char *name = sqlite3_column_name(statement, c);
        for (int before = 0; before < c; before++) {
            const char *other = sqlite3_column_name(statement, before);
            if (name && other && strcmp(name, other) == 0) {
                return fail(error, STATUS_BAD_INPUT,
                            "--json: two columns are called %.60s: name one of them by AS", name);
            }
        }
    }
    return true;
}

/* ---- any of them ---- */

/* A statement that asks for the column has it. */
static void leave_own_column(struct query_writer *writer, sqlite3_stmt *statement) {
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        const char *name = sqlite3_column_name(statement, c);
        if (writer->format != QUERY_TABLE && name && strcmp(name, DOUBTS) == 0) {
            free(writer->doubts);
            writer->doubts = NULL;
        }
    }
}

static bool query_write_names(struct query_writer *writer, sqlite3_stmt *statement,
                              struct error *error) {
    const size_t columns = (size_t)sqlite3_column_count(statement);
    leave_own_column(writer, statement);
    if (writer->format == QUERY_JSON) {
        strbuf_append(writer->text, "[");
        return check_names(statement, error);
    }
    if (writer->format == QUERY_CSV) {
        write_record(writer, statement, true);
    } else {
        writer->table.columns = columns;
        writer->is_number = memory_zeroed(columns + 1, sizeof *writer->is_number);
        for (size_t c = 0; c < columns; c++) {
            writer->is_number[c] = true;
            const char *name = sqlite3_column_name(statement, (int)c);
            char *words = memory_copy(name ? name : "");
            make_printable(words, PRINTABLE_LINES);
            add_cell(writer, words);
        }
    }
    return true;
}

static void query_write_row(struct query_writer *writer, sqlite3_stmt *statement) {
    if (writer->format == QUERY_JSON) {
        write_object(writer, statement);
    } else if (writer->format == QUERY_CSV) {
        write_record(writer, statement, false);
    } else {
        for (size_t c = 0; c < writer->table.columns; c++) {
            const int type = sqlite3_column_type(statement, (int)c);
            writer->is_number[c] =
                writer->is_number[c] && type != SQLITE_TEXT && type != SQLITE_BLOB;
            add_cell(writer, value_of(statement, (int)c, true));
        }
    }
    writer->rows++;
}

static void query_write_end(struct query_writer *writer) {
    if (writer->format == QUERY_JSON) {
        strbuf_append(writer->text, writer->rows > 0 ? "\n]\n" : "]\n");
    }
    if (writer->format == QUERY_TABLE) {
        text_table_write(&writer->table, writer->is_number, writer->text);
    }
    if (writer->format == QUERY_TABLE && writer->doubts) {
        strbuf_append(writer->text, "doubtful: %s\n", writer->doubts);
    }
}

static void query_writer_free(struct query_writer *writer) {
    text_table_free(&writer->table);
    free(writer->is_number);
    free(writer->doubts);
}

/* What a statement takes besides the tables. */
#define QUERY_MEMORY_BYTES ((sqlite3_int64)4 << 30)
enum { STEPS_BETWEEN_LOOKS = 10000, QUERY_VALUE_BYTES = 64 << 20 };

struct guard {
    double deadline;
    bool late;
};

/* Settings, some of which take effect while they are prepared. Nothing else needs a rule: no file
 * can be attached, and the tables are a copy in memory. */
static int refuse_settings(void *context, int action, const char *first, const char *second,
                           const char *database, const char *trigger) {
    (void)context;
    (void)first;
    (void)second;
    (void)database;
    (void)trigger;
    return action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int look_at_clock(void *context) {
    struct guard *guard = context;
    guard->late = clock_s() > guard->deadline;
    return guard->late;
}

/* ---- errors ---- */

/* Where in the statement the error was found, as it goes on from there; "": SQLite does not know.
 */
static const char *error_place(sqlite3 *database, const char *sql) {
    const int offset = sqlite3_error_offset(database);
    return offset >= 0 && (size_t)offset <= strlen(sql) ? sql + offset : "";
}

static bool fail_query(sqlite3 *database, const struct query *query, const struct guard *guard,
                       struct error *error) {
    if (guard->late) {
        return fail(error, STATUS_BAD_INPUT, "the query took more than %g s: --timeout allows more",
                    query->max_seconds);
    }
    if (sqlite3_errcode(database) == SQLITE_NOMEM) {
        return fail_out_of_memory(error, "the query");
    }
    if (sqlite3_errcode(database) == SQLITE_AUTH) {
        return fail(error, STATUS_BAD_INPUT, "a query only reads: PRAGMA is refused");
    }
    const char *place = error_place(database, query->sql);
    const char *said = sqlite3_errmsg(database);
    const char *hint =
        begins_with(said, "no such table") || begins_with(said, "no such column")
            ? "; the table `columns` has all names, `pairmark query --help` the tables"
            : "";
    if (*place == '\0') {
        return fail(error, STATUS_BAD_INPUT, "%s%s", said, hint);
    }
    return fail(error, STATUS_BAD_INPUT, "%s: at character %zu, '%.40s'%s", said,
                (size_t)(place - query->sql) + 1, place, hint);
}

/* ---- the statement ---- */

static bool prepare(sqlite3 *database, const struct query *query, const struct guard *guard,
                    sqlite3_stmt **statement, struct error *error) {
    const char *rest = NULL;
    sqlite3_stmt *second = NULL;
    if (sqlite3_prepare_v2(database, query->sql, -1, statement, &rest) != SQLITE_OK) {
        return fail_query(database, query, guard, error);
    }
    if (!*statement) {
        return fail(error, STATUS_BAD_INPUT, "the query is empty");
    }
    /* Blanks and comments make no statement. */
    const bool one = sqlite3_prepare_v2(database, rest, -1, &second, NULL) == SQLITE_OK && !second;
    (void)sqlite3_finalize(second);
    if (!one) {
        return fail(error, STATUS_BAD_INPUT, "one statement is expected: after it stands '%.40s'",
                    rest);
    }
    /* ATTACH and BEGIN write to no table, and answer nothing. */
    if (!sqlite3_stmt_readonly(*statement) || sqlite3_column_count(*statement) == 0) {
        return fail(error, STATUS_BAD_INPUT, "a query only reads: expected SELECT ...");
    }
    return sqlite3_bind_parameter_count(*statement) == 0 ||
           fail(error, STATUS_BAD_INPUT, "a query has no parameters: put the value in its place");
}

static bool fetch(sqlite3_stmt *statement, const struct query *query, const struct guard *guard,
                  struct query_writer *writer, bool *cut, struct error *error) {
    for (size_t rows = 0;; rows++) {
        const int code = sqlite3_step(statement);
        if (code == SQLITE_DONE) {
            return true;
        }
        if (code != SQLITE_ROW) {
            return fail_query(sqlite3_db_handle(statement), query, guard, error);
        }
        if (rows == query->max_rows) {
            *cut = true;
            return query->format == QUERY_TABLE ||
                   fail(error, STATUS_BAD_INPUT,
                        "the answer has more than %zu rows: --rows N allows more", query->max_rows);
        }
        query_write_row(writer, statement);
    }
}

bool query_answer(struct analysis *analysis, const struct query *query, struct strbuf *text,
                  bool *cut, struct error *error) {
    sqlite3 *database = analysis->database;
    sqlite3_stmt *statement = NULL;
    analysis_describe(analysis);
    struct guard guard = { .deadline = clock_s() + query->max_seconds };
    struct query_writer writer = { .format = query->format,
                                   .text = text,
                                   .doubts = analysis_doubts(analysis) };
    const sqlite3_int64 limit = sqlite3_memory_used() + QUERY_MEMORY_BYTES;
    const sqlite3_int64 limit_before = sqlite3_hard_heap_limit64(limit);
    *cut = false;
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* "okay" is a column, so that a misspelt one is an error and no text. */
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    (void)sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    /* Making and writing one value is not interrupted by the clock. */
    const int length_before = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, QUERY_VALUE_BYTES);
    (void)sqlite3_set_authorizer(database, refuse_settings, NULL);
    sqlite3_progress_handler(database, STEPS_BETWEEN_LOOKS, look_at_clock, &guard);
    bool answered = prepare(database, query, &guard, &statement, error) &&
                    query_write_names(&writer, statement, error) &&
                    fetch(statement, query, &guard, &writer, cut, error);
    if (answered) {
        query_write_end(&writer);
    }
    (void)sqlite3_finalize(statement);
    query_writer_free(&writer);
    (void)sqlite3_set_authorizer(database, NULL, NULL);
    sqlite3_progress_handler(database, 0, NULL, NULL);
    (void)sqlite3_hard_heap_limit64(limit_before);
    (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, length_before);
    return answered;
}

/* ---- a table as text ---- */

void text_table_add(struct text_table *table, const char *format, ...) {
    va_list numbers, again;
    va_start(numbers, format);
    va_copy(again, numbers);
    const int length = vsnprintf(NULL, 0, format, numbers);
    char *words = memory_zeroed((size_t)length + 1, 1);
    (void)vsnprintf(words, (size_t)length + 1, format, again);
    va_end(again);
    va_end(numbers);
    table->cells = memory_room(table->cells, table->count, &table->capacity, sizeof *table->cells);
    table->cells[table->count++] = words;
}

size_t characters_of(const char *words) {
    size_t count = 0;
    for (; *words; count++) {
        const size_t bytes = utf8_length(words);
        words += bytes ? bytes : 1;
    }
    return count;
}

static void append_cell(struct strbuf *text, const char *words, size_t width, bool right,
                        bool is_last) {
    const int blanks = (int)(width - characters_of(words));
    if (right) {
        strbuf_append(text, "%*s%s", blanks, "", words);
    } else {
        strbuf_append(text, "%s%*s", words, is_last ? 0 : blanks, "");
    }
    strbuf_append(text, is_last ? "\n" : "  ");
}

void text_table_write(const struct text_table *table, const bool *right, struct strbuf *text) {
    const size_t columns = table->columns;
    size_t *widths = memory_zeroed(columns + 1, sizeof *widths);
    for (size_t i = 0; i < table->count; i++) {
        const size_t width = characters_of(table->cells[i]);
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    for (size_t i = 0; i < table->count; i++) {
        const size_t column = i % columns;
        append_cell(text, table->cells[i], widths[column], right[column], column + 1 == columns);
    }
    free(widths);
}

void text_table_print(struct text_table *table, const bool *right) {
    struct strbuf text = { 0 };
    text_table_write(table, right, &text);
    (void)fputs(strbuf_text(&text), stdout);
    strbuf_free(&text);
    text_table_free(table);
}

void text_table_free(struct text_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        free(table->cells[i]);
    }
    free(table->cells);
    *table = (struct text_table){ 0 };
}
