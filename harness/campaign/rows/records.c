/* Reads and appends records of CSV files, by libcsv. */
#include "campaign/rows/rows.h"

#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/program.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The record that is being read. */
struct record_reader {
    struct strbuf bytes; /* its fields, each with its NUL */
    size_t *starts;      /* where each field begins in bytes */
    char **fields;       /* the same as pointers, valid while a visit lasts */
    size_t count, capacity;
    size_t line;     /* where the record begins */
    bool ended;      /* a record ended within the line being read */
    bool at_the_end; /* libcsv hands out what the end of the file cut short */
    bool stopped;    /* a visit said stop: *error says why */
    records_visit *visit;
    void *context;
    struct error *error;
};

static void reader_grow(struct record_reader *reader) {
    reader->capacity = reader->capacity ? 2 * reader->capacity : 64;
    reader->starts = memory_grown(reader->starts, reader->capacity, sizeof *reader->starts);
    reader->fields = memory_grown(reader->fields, reader->capacity, sizeof *reader->fields);
}

static void take_field(void *bytes, size_t length, void *context) {
    struct record_reader *reader = context;
    if (reader->stopped) {
        return;
    }
    if (reader->count == reader->capacity) {
        reader_grow(reader);
    }
    size_t start = reader->bytes.length;
    strbuf_append_bytes(&reader->bytes, bytes ? bytes : "", length);
    strbuf_append_bytes(&reader->bytes, "", 1);
    reader->starts[reader->count++] = start;
}

static void take_record(int terminator, void *context) {
    struct record_reader *reader = context;
    (void)terminator;
    if (!reader->stopped && !reader->at_the_end) {
        for (size_t i = 0; i < reader->count; i++) {
            reader->fields[i] = reader->bytes.data + reader->starts[i];
        }
        reader->stopped = !reader->visit(reader->context, reader->line, reader->fields,
                                         reader->count, reader->error);
    }
    reader->count = 0;
    reader->bytes.length = 0;
    reader->ended = true;
}

/* Hands the file to libcsv line by line, so that it is known where each record begins and ends. */
static bool read_lines(struct csv_parser *parser, struct record_reader *reader, const char *data,
                       size_t length, struct records_extent *extent) {
    size_t line = 1;
    bool within = false; /* a record has begun and not ended */
    for (size_t at = byte_order_mark(data); at < length; line++) {
        const char *newline = memchr(data + at, '\n', length - at);
        size_t next = newline ? (size_t)(newline - data) + 1 : length;
        if (!within) {
            reader->line = line;
        }
        reader->ended = false;
        /* What a crash of the machine left unwritten can be zeros, to the end of the file: such a
         * line is cut short. */
        if (newline && memchr(data + at, '\0', next - at)) {
            return fail(reader->error, STATUS_BAD_INPUT, "line %zu: a zero byte; expected text",
                        line);
        }
        size_t taken = csv_parse(parser, data + at, next - at, take_field, take_record, reader);
        if (taken != next - at) {
            return fail(reader->error, STATUS_BAD_INPUT, "line %zu: %s", line,
                        csv_strerror(csv_error(parser)));
        }
        if (reader->stopped) {
            return false;
        }
        bool blank = !within && newline && strspn(data + at, " \t\r\n") >= next - at;
        if (reader->ended || blank) {
            extent->whole_bytes = next;
        }
        within = !reader->ended && !blank;
        at = next;
    }
    extent->cut_line = within ? reader->line : 0;
    return true;
}

bool records_read(const char *path, records_visit *visit, void *context,
                  struct records_extent *extent, struct error *error) {
    struct csv_parser parser;
    struct record_reader reader = { .visit = visit, .context = context, .error = error };
    char *data = NULL;
    size_t length = 0;
    *extent = (struct records_extent){ 0 };
    if (!input_read(path, INPUT_RECORD_BYTES, &data, &length, error)) {
        return false;
    }
    memory_check(csv_init(&parser, 0) == 0);
    bool read = read_lines(&parser, &reader, data, length, extent);
    reader.at_the_end = true;
    (void)csv_fini(&parser, take_field, take_record, &reader);
    csv_free(&parser);
    strbuf_free(&reader.bytes);
    free(reader.starts);
    free(reader.fields);
    free(data);
    return read || fail_within(error, "%s", path);
}

/* ---- appending ---- */

struct record_file {
    int descriptor;
    char *path;
};

static bool needs_quotes(const char *field) {
    size_t length = strlen(field);
    return length > 0 && (strpbrk(field, ",\"\r\n") || field[0] == ' ' || field[0] == '\t' ||
                          field[length - 1] == ' ' || field[length - 1] == '\t');
}

static void format_quoted(struct strbuf *text, const char *field) {
    size_t length = strlen(field);
    size_t room = csv_write(NULL, 0, field, length);
    char *quoted = memory_zeroed(1, room + 1);
    strbuf_append_bytes(text, quoted, csv_write(quoted, room, field, length));
    free(quoted);
}

void record_format(struct strbuf *text, const char *const *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *field = fields[i] ? fields[i] : "";
        if (i > 0) {
            strbuf_append_bytes(text, ",", 1);
        }
        if (needs_quotes(field)) {
            format_quoted(text, field);
        } else {
            strbuf_append_bytes(text, field, strlen(field));
        }
    }
    strbuf_append_bytes(text, "\n", 1);
}

static bool append_columns(struct record_file *file, const char *const *columns,
                           struct error *error) {
    struct strbuf header = { 0 };
    record_format(&header, columns, words_count(columns));
    bool appended = record_file_append(file, &header, error);
    strbuf_free(&header);
    return appended;
}

static struct record_file *file_open(const char *path, int flags, struct error *error) {
    struct record_file *file = memory_zeroed(1, sizeof *file);
    file->path = memory_copy(path);
    file->descriptor = open(path, flags | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        (void)fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        record_file_close(file);
        return NULL;
    }
    return file;
}

bool record_file_create(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error) {
    struct record_file *made = file_open(path, O_CREAT | O_EXCL, error);
    if (!made) {
        return false;
    }
    if (!append_columns(made, columns, error)) {
        (void)unlink(path);
        record_file_close(made);
        return false;
    }
    *file = made;
    return true;
}

/* Whether the first record names just these columns; later ones do not matter. */
struct column_check {
    const char *const *columns;
    bool seen;
};

static bool check_columns(void *context, size_t line, char **fields, size_t count,
                          struct error *error) {
    struct column_check *check = context;
    if (check->seen) {
        return true;
    }
    check->seen = true;
    for (size_t i = 0; i < count || check->columns[i]; i++) {
        if (i == count || !check->columns[i] || strcmp(fields[i], check->columns[i]) != 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "line %zu: column %zu is %s where this pairmark writes %s: rows cannot be "
                        "added to this file; start a new folder",
                        line, i + 1, i < count ? fields[i] : "missing",
                        check->columns[i] ? check->columns[i] : "none");
        }
    }
    return true;
}

bool record_file_resume(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error) {
    struct column_check check = { .columns = columns };
    struct records_extent extent;
    if (!records_read(path, check_columns, &check, &extent, error)) {
        return false;
    }
    struct record_file *opened = file_open(path, 0, error);
    if (!opened) {
        return false;
    }
    if (ftruncate(opened->descriptor, (off_t)extent.whole_bytes) != 0) {
        record_file_close(opened);
        return fail(error, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
    }
    if (!check.seen && !append_columns(opened, columns, error)) {
        record_file_close(opened);
        return false;
    }
    *file = opened;
    return true;
}

bool record_file_append(struct record_file *file, const struct strbuf *records,
                        struct error *error) {
    struct stat before;
    if (fstat(file->descriptor, &before) != 0) {
        return fail(error, STATUS_SYSTEM, "%s: %s", file->path, strerror(errno));
    }
    for (size_t done = 0; done < records->length;) {
        ssize_t wrote = write(file->descriptor, records->data + done, records->length - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            int reason = wrote < 0 ? errno : ENOSPC;
            /* Best effort: what stays behind is cut short, and reading drops it. */
            bool restored = ftruncate(file->descriptor, before.st_size) == 0;
            return fail(error, STATUS_SYSTEM, "%s: %s%s", file->path, strerror(reason),
                        restored ? "" : " (the last record is cut short)");
        }
        done += (size_t)wrote;
    }
    return true;
}

void record_file_close(struct record_file *file) {
    if (file) {
        if (file->descriptor >= 0) {
            (void)close(file->descriptor);
        }
        free(file->path);
        free(file);
    }
}

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

static bool take_long_record(void *context, size_t line, char **fields, size_t count,
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
    if (!records_read(path, take_long_record, &reader, &extent, error)) {
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
