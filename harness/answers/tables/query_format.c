#include "answers/tables/query_format.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <json-c/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_CHARACTERS = 60 };

/* ---- values ---- */

/* Of a table six digits, of whole numbers and large ones all. */
static void append_number(struct strbuf *text, double value, bool is_table) {
    char word[QUANTITY_SIZE];
    if (!is_table) {
        quantity_exact(value, word, sizeof word);
    } else {
        const bool whole = value == floor(value) || fabs(value) >= 99999.5;
        (void)snprintf(word, sizeof word, whole && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
    }
    strbuf_append(text, "%s", word);
}

static void append_blob(struct strbuf *text, const unsigned char *bytes, int length) {
    strbuf_append(text, "x'");
    for (int i = 0; i < length; i++) {
        strbuf_append(text, "%02x", bytes[i]);
    }
    strbuf_append(text, "'");
}

/* The value as words; NULL is none. */
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

/* Allocated, printable; NULL: memory ran out. */
static char *value_of(sqlite3_stmt *statement, int column, bool is_table) {
    struct strbuf words = { 0 };
    append_value(&words, statement, column, is_table);
    if (words.failed) {
        strbuf_free(&words);
        return NULL;
    }
    char *data = words.data ? words.data : strdup("");
    if (data) {
        make_printable(data, PRINTABLE_LINES);
    }
    return data;
}

/* ---- a table ---- */

static size_t characters_of(const char *words) {
    size_t count = 0;
    for (; *words; count++) {
        const size_t bytes = utf8_length(words);
        words += bytes ? bytes : 1;
    }
    return count;
}

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

/* Takes the words over. */
static bool add_cell(struct query_writer *writer, char *words) {
    if (words && writer->count == writer->capacity) {
        const size_t capacity = writer->capacity ? 2 * writer->capacity : 64;
        char **cells = realloc(writer->cells, capacity * sizeof *cells);
        if (!cells) {
            free(words);
            return false;
        }
        writer->cells = cells;
        writer->capacity = capacity;
    }
    if (words) {
        make_cell(words);
        writer->cells[writer->count++] = words;
    }
    return words != NULL;
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

static bool write_table(struct query_writer *writer) {
    const size_t columns = writer->columns;
    size_t *widths = calloc(columns + 1, sizeof *widths);
    for (size_t i = 0; widths && i < writer->count; i++) {
        const size_t width = characters_of(writer->cells[i]);
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    for (size_t i = 0; widths && i < writer->count; i++) {
        const size_t column = i % columns;
        append_cell(writer->text, writer->cells[i], widths[column], !writer->is_text[column],
                    column + 1 == columns);
    }
    free(widths);
    return widths && !writer->text->failed;
}

/* ---- CSV ---- */

static bool write_record(struct query_writer *writer, sqlite3_stmt *statement, bool names) {
    const int columns = sqlite3_column_count(statement);
    char **fields = calloc((size_t)columns, sizeof *fields);
    bool made = fields != NULL;
    for (int c = 0; made && c < columns; c++) {
        const char *name = names ? sqlite3_column_name(statement, c) : NULL;
        fields[c] = names ? strdup(name ? name : "") : value_of(statement, c, false);
        made = fields[c] != NULL;
    }
    if (made) {
        record_format(writer->text, (const char *const *)fields, (size_t)columns);
    }
    for (int c = 0; fields && c < columns; c++) {
        free(fields[c]);
    }
    free(fields);
    return made && !writer->text->failed;
}

/* ---- JSON ---- */

static bool append_string(struct strbuf *text, const char *words) {
    struct json_object *string = words ? json_object_new_string(words) : NULL;
    const char *quoted =
        string ? json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
    if (quoted) {
        strbuf_append(text, "%s", quoted);
    }
    json_object_put(string);
    return quoted && !text->failed;
}

static bool write_member(struct strbuf *text, sqlite3_stmt *statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    const bool is_number =
        type == SQLITE_INTEGER ||
        (type == SQLITE_FLOAT && isfinite(sqlite3_column_double(statement, column)));
    bool written = append_string(text, sqlite3_column_name(statement, column));
    strbuf_append(text, ": ");
    if (type == SQLITE_NULL) {
        strbuf_append(text, "null");
    } else if (is_number) {
        append_value(text, statement, column, false);
    } else {
        char *words = value_of(statement, column, false);
        written = append_string(text, words) && written;
        free(words);
    }
    return written && !text->failed;
}

static bool write_object(struct query_writer *writer, sqlite3_stmt *statement) {
    bool written = true;
    strbuf_append(writer->text, writer->rows > 0 ? ",\n{" : "\n{");
    for (int c = 0; written && c < sqlite3_column_count(statement); c++) {
        strbuf_append(writer->text, c > 0 ? ", " : "");
        written = write_member(writer->text, statement, c);
    }
    strbuf_append(writer->text, "}");
    return written && !writer->text->failed;
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

bool query_write_names(struct query_writer *writer, sqlite3_stmt *statement, struct error *error) {
    bool written = true;
    writer->columns = (size_t)sqlite3_column_count(statement);
    if (writer->format == QUERY_JSON) {
        strbuf_append(writer->text, "[");
        return check_names(statement, error);
    }
    if (writer->format == QUERY_CSV) {
        written = write_record(writer, statement, true);
    } else {
        writer->is_text = calloc(writer->columns + 1, sizeof *writer->is_text);
        written = writer->is_text != NULL;
        for (size_t c = 0; written && c < writer->columns; c++) {
            const char *name = sqlite3_column_name(statement, (int)c);
            char *words = strdup(name ? name : "");
            if (words) {
                make_printable(words, PRINTABLE_LINES);
            }
            written = add_cell(writer, words);
        }
    }
    return written || fail_out_of_memory(error, "the answer");
}

bool query_write_row(struct query_writer *writer, sqlite3_stmt *statement) {
    bool written = true;
    if (writer->format == QUERY_JSON) {
        written = write_object(writer, statement);
    } else if (writer->format == QUERY_CSV) {
        written = write_record(writer, statement, false);
    } else {
        for (size_t c = 0; written && c < writer->columns; c++) {
            const int type = sqlite3_column_type(statement, (int)c);
            writer->is_text[c] = writer->is_text[c] || type == SQLITE_TEXT || type == SQLITE_BLOB;
            written = add_cell(writer, value_of(statement, (int)c, true));
        }
    }
    writer->rows++;
    return written;
}

bool query_write_end(struct query_writer *writer) {
    if (writer->format == QUERY_JSON) {
        strbuf_append(writer->text, writer->rows > 0 ? "\n]\n" : "]\n");
    }
    return writer->format == QUERY_TABLE ? write_table(writer) : !writer->text->failed;
}

void query_writer_free(struct query_writer *writer) {
    for (size_t i = 0; i < writer->count; i++) {
        free(writer->cells[i]);
    }
    free(writer->cells);
    free(writer->is_text);
}
