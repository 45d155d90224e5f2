#include "campaign/rows/samples.h"

#include "core/error.h"
#include "core/strings.h"

#include <string.h>

/* ---- a file with one number per record ---- */

struct reader {
    const struct long_table *table;
    long_table_visit *visit;
    void *context;
    int places[LONG_TABLE_MAX_WORDS]; /* of the words within a record; -1: not there */
    int number_place;
    size_t fields; /* of a record; 0: the first line was not read yet */
    size_t left_out, first_left_out;
};

static bool find_column(const char *name, char **fields, size_t count, int *place,
                        struct error *error) {
    *place = -1;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i], name) != 0) {
            continue;
        }
        if (*place >= 0) {
            return fail(error, STATUS_BAD_INPUT, "line 1: the column %s stands twice", name);
        }
        *place = (int)i;
    }
    return true;
}

static bool read_columns(struct reader *reader, char **fields, size_t count, struct error *error) {
    const struct long_table *table = reader->table;
    bool found = find_column(table->number, fields, count, &reader->number_place, error);
    for (int w = 0; found && table->words[w]; w++) {
        found = find_column(table->words[w], fields, count, &reader->places[w], error);
    }
    reader->fields = count;
    return found &&
           ((reader->places[0] >= 0 && reader->number_place >= 0) ||
            fail(error, STATUS_BAD_INPUT, "the first line names no column %s or no column %s",
                 table->words[0], table->number));
}

static bool take_record(void *context, size_t line, char **fields, size_t count,
                        struct error *error) {
    struct reader *reader = context;
    const struct long_table *table = reader->table;
    struct long_record record = { .line = line };
    if (reader->fields == 0) {
        return read_columns(reader, fields, count, error);
    }
    if (count != reader->fields || !parse_double(fields[reader->number_place], &record.number) ||
        !(table->may_be_zero ? record.number >= 0 : record.number > 0)) {
        reader->first_left_out = reader->left_out++ ? reader->first_left_out : line;
        return true;
    }
    for (int w = 0; table->words[w]; w++) {
        if (reader->places[w] >= 0) {
            make_printable(fields[reader->places[w]], PRINTABLE_LINE);
            record.words[w] = fields[reader->places[w]];
        }
    }
    return reader->visit(reader->context, &record, error);
}

bool long_table_read(const char *path, const struct long_table *table, long_table_visit *visit,
                     void *context, FILE *log, struct error *error) {
    struct reader reader = { .table = table, .visit = visit, .context = context };
    struct records_extent extent;
    if (!records_read(path, take_record, &reader, &extent, error)) {
        return false;
    }
    if (extent.cut_line > 0) {
        log_warning(log, "%s:%zu: dropped: the line is cut short", path, extent.cut_line);
    }
    if (reader.left_out == 1) {
        log_warning(log, "%s:%zu: dropped: the line is no %s", path, reader.first_left_out,
                    table->record);
    } else if (reader.left_out > 1) {
        log_warning(log, "%s:%zu: dropped: this and %zu more lines are no %s", path,
                    reader.first_left_out, reader.left_out - 1, table->records);
    }
    return true;
}

/* ---- samples.csv and stages.csv ---- */

enum { CASE_ID, REPETITION, VISIT, SAMPLE, CACHE, DEVICE, RUN_ID };

static const char *const sample_words[] = { "case_id", "repetition", "visit",  "sample",
                                            "cache",   "device",     "run_id", NULL };
static const char *const stage_words[] = { "case_id",   "repetition", "visit",  "stage",
                                           "statistic", "device",     "run_id", NULL };

const struct long_table samples_table = {
    .words = sample_words, .number = "seconds", .record = "sample", .records = "samples"
};
const struct long_table stages_table = { .words = stage_words,
                                         .number = "value",
                                         .may_be_zero = true,
                                         .record = "number of a stage",
                                         .records = "numbers of stages" };

struct sample_reader {
    samples_visit *visit;
    void *context;
};

static bool take_sample(void *context, const struct long_record *record, struct error *error) {
    const struct sample_reader *reader = context;
    const char *const *words = record->words;
    const struct sample sample = { .line = record->line,
                                   .case_id = words[CASE_ID],
                                   .repetition = words[REPETITION],
                                   .visit = words[VISIT],
                                   .sample = words[SAMPLE],
                                   .cache = words[CACHE],
                                   .device = words[DEVICE],
                                   .run_id = words[RUN_ID],
                                   .seconds = record->number };
    return reader->visit(reader->context, &sample, error);
}

bool samples_read(const char *path, samples_visit *visit, void *context, FILE *log,
                  struct error *error) {
    struct sample_reader reader = { visit, context };
    return long_table_read(path, &samples_table, take_sample, &reader, log, error);
}
