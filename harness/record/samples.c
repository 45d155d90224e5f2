#include "record/samples.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/printable.h"

#include <string.h>

enum { CASE_ID, REPETITION, VISIT, SAMPLE, CACHE, DEVICE, RUN_ID, SECONDS, COLUMNS };

static const char *const columns[COLUMNS] = { "case_id", "repetition", "visit",  "sample",
                                              "cache",   "device",     "run_id", "seconds" };

struct reader {
    samples_visit *visit;
    void *context;
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

static bool take_record(void *context, size_t line, char **fields, size_t count,
                        struct error *error) {
    struct reader *reader = context;
    const char *words[COLUMNS] = { NULL };
    double seconds;
    if (reader->fields == 0) {
        return read_columns(reader, fields, count, error);
    }
    if (count != reader->fields || !parse_double(fields[reader->places[SECONDS]], &seconds) ||
        !(seconds > 0)) {
        reader->first_left_out = reader->left_out++ ? reader->first_left_out : line;
        return true;
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (reader->places[c] >= 0) {
            make_printable(fields[reader->places[c]], PRINTABLE_LINE);
            words[c] = fields[reader->places[c]];
        }
    }
    const struct sample sample = { .line = line,
                                   .case_id = words[CASE_ID],
                                   .repetition = words[REPETITION],
                                   .visit = words[VISIT],
                                   .sample = words[SAMPLE],
                                   .cache = words[CACHE],
                                   .device = words[DEVICE],
                                   .run_id = words[RUN_ID],
                                   .seconds = seconds };
    return reader->visit(reader->context, &sample, error);
}

bool samples_read(const char *path, samples_visit *visit, void *context, FILE *log,
                  struct error *error) {
    struct reader reader = { .visit = visit, .context = context };
    struct records_extent extent;
    if (!records_read(path, take_record, &reader, &extent, error)) {
        return false;
    }
    if (extent.cut_line > 0) {
        log_warning(log, "%s:%zu: dropped: the line is cut short", path, extent.cut_line);
    }
    if (reader.left_out == 1) {
        log_warning(log, "%s:%zu: dropped: the line is no sample", path, reader.first_left_out);
    } else if (reader.left_out > 1) {
        log_warning(log, "%s:%zu: dropped: this and %zu more lines are no samples", path,
                    reader.first_left_out, reader.left_out - 1);
    }
    return true;
}
