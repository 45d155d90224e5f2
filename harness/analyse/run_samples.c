#include "analyse/run_samples.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { CASE_ID, REPETITION, VISIT, SAMPLE, CACHE, SECONDS, DEVICE, RUN_ID, COLUMNS };

static const char *const columns[COLUMNS] = { "case_id", "repetition", "visit",  "sample",
                                              "cache",   "seconds",    "device", "run_id" };

struct reader {
    struct analysis *analysis;
    sqlite3_stmt *insert;
    int places[COLUMNS]; /* of the columns within a record; -1: not there */
    size_t fields;       /* of a record; 0: the first line was not read yet */
    size_t left_out, first_left_out;
};

static bool read_columns(struct reader *reader, char **fields, size_t count, struct error *error) {
    for (int c = 0; c < COLUMNS; c++) {
        reader->places[c] = -1;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(fields[i], columns[c]) != 0) {
                continue;
            }
            if (reader->places[c] >= 0) {
                return fail(error, STATUS_BAD_INPUT, "line 1: the column %s stands twice",
                            columns[c]);
            }
            reader->places[c] = (int)i;
        }
    }
    reader->fields = count;
    return (reader->places[CASE_ID] >= 0 && reader->places[SECONDS] >= 0) ||
           fail(error, STATUS_BAD_INPUT,
                "the first line names no column case_id or no column seconds");
}

static int bind_field(sqlite3_stmt *insert, int column, char *word) {
    const int place = column + 3;
    uint64_t whole;
    double seconds;
    if (!word || *word == '\0') {
        return sqlite3_bind_null(insert, place);
    }
    if (column == SECONDS && text_to_double(word, &seconds)) {
        return sqlite3_bind_double(insert, place, seconds);
    }
    if ((column == REPETITION || column == VISIT || column == SAMPLE) &&
        text_to_count(word, &whole)) {
        return sqlite3_bind_int64(insert, place, (sqlite3_int64)whole);
    }
    text_make_printable(word, TEXT_ONE_LINE);
    return sqlite3_bind_text(insert, place, word, -1, SQLITE_STATIC);
}

static bool take_record(void *context, size_t line, char **fields, size_t count,
                        struct error *error) {
    struct reader *reader = context;
    double seconds;
    if (reader->fields == 0) {
        return read_columns(reader, fields, count, error);
    }
    if (count != reader->fields || !text_to_double(fields[reader->places[SECONDS]], &seconds) ||
        !(seconds > 0)) {
        reader->first_left_out = reader->left_out++ ? reader->first_left_out : line;
        return true;
    }
    bool bound = sqlite3_bind_int64(reader->insert, 2, (sqlite3_int64)line) == SQLITE_OK;
    for (int c = 0; bound && c < COLUMNS; c++) {
        char *word = reader->places[c] >= 0 ? fields[reader->places[c]] : NULL;
        bound = bind_field(reader->insert, c, word) == SQLITE_OK;
    }
    return (bound && sqlite3_step(reader->insert) == SQLITE_DONE &&
            sqlite3_reset(reader->insert) == SQLITE_OK) ||
           analysis_fail(reader->analysis, error);
}

bool run_samples_add(struct analysis *analysis, const char *path, FILE *log, struct error *error) {
    static const char sql[] =
        "INSERT INTO samples(run, line, case_id, repetition, visit, sample, cache, seconds, device,"
        " run_id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    struct reader reader = { .analysis = analysis };
    struct records_extent extent = { 0 };
    bool read = analysis_prepare(analysis, sql, &reader.insert, error) &&
                (sqlite3_bind_int64(reader.insert, 1, analysis->runs) == SQLITE_OK ||
                 analysis_fail(analysis, error)) &&
                analysis_execute(analysis, "SAVEPOINT samples", error) &&
                records_read(path, take_record, &reader, &extent, error);
    (void)sqlite3_finalize(reader.insert);
    if (!read) {
        (void)sqlite3_exec(analysis->database, "ROLLBACK TO samples", NULL, NULL, NULL);
    }
    read = read && analysis_execute(analysis, "RELEASE samples", error);
    if (extent.cut_line > 0) {
        text_tell(log, "%s:%zu: dropped: the line is cut short", path, extent.cut_line);
    }
    if (reader.left_out > 0) {
        text_tell(log, "%s:%zu: dropped: %zu line%s from here on, no sample", path,
                  reader.first_left_out, reader.left_out, reader.left_out == 1 ? "" : "s");
    }
    return read;
}
