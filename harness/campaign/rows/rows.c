/* Reads rows.csv: drops what was tried again, tests what a hand may have changed, and completes
 * rows of older formats. Finds the noise floor of a run from its twins. */
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"

#include "boxes/box.h"
#include "core/error.h"
#include "core/files.h"
#include "core/statistics.h"
#include "core/strings.h"
#include "measure/program.h"

#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rows_locate(const char *path, char *file, size_t size, struct error *error) {
    struct stat status;
    if (!*path) {
        return fail(error, STATUS_BAD_INPUT,
                    "an empty name; expected the folder of a run, or its rows.csv");
    }
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    int length = snprintf(file, size, is_folder ? "%s/rows.csv" : "%s", path);
    return (length >= 0 && (size_t)length < size) ||
           fail(error, STATUS_BAD_INPUT, "%.200s...: the path is too long", path);
}

void rows_beside(const char *rows_file, const char *name, char path[PATH_MAX]) {
    const char *slash = strrchr(rows_file, '/');
    (void)snprintf(path, PATH_MAX, "%.*s%s", slash ? (int)(slash + 1 - rows_file) : 0, rows_file,
                   name);
}

bool run_path(const char *folder, const char *file, char path[PATH_MAX], struct error *error) {
    const int length = snprintf(path, PATH_MAX, "%s/%s", folder, file);
    return (length >= 0 && length < PATH_MAX) ||
           fail(error, STATUS_BAD_INPUT, "%.200s...: the path is too long", folder);
}

bool run_holds(const char *folder, const char *file) {
    char path[PATH_MAX];
    struct error ignored;
    return run_path(folder, file, path, &ignored) && access(path, F_OK) == 0;
}

bool input_read_json(const char *path, struct json_object **object, struct error *error) {
    enum json_tokener_error reason = json_tokener_success;
    char *data = NULL;
    if (!input_read(path, INPUT_TABLE_BYTES, &data, NULL, error)) {
        return false;
    }
    struct json_object *parsed = json_tokener_parse_verbose(data, &reason);
    free(data);
    if (!json_object_is_type(parsed, json_type_object)) {
        json_object_put(parsed);
        return fail(error, STATUS_BAD_INPUT, "%s: cannot be read as JSON: %s", path,
                    reason == json_tokener_success ? "a JSON object is expected"
                                                   : json_tokener_error_desc(reason));
    }
    *object = parsed;
    return true;
}

/* kernels.csv has the hashes of the texts beside it. */
const struct run_file run_files[] = {
    { "rows.csv", true, false },
    { "visits.csv", true, false },
    { "samples.csv", true, true },
    { "stages.csv", true, false },
    { "environment.json", true, false },
    { "benchmark.json", true, true },
    { "kernels/kernels.csv", true, true },
    { "summary.txt", false, true },
    { NULL, false, false },
};

bool rows_spare(const char *path, const char *output, struct error *error) {
    char file[PATH_MAX], other[PATH_MAX];
    if (!rows_locate(path, file, sizeof file, error)) {
        return false;
    }
    bool spared = !fs_same_file(file, output);
    for (const struct run_file *beside = run_files; spared && beside->name; beside++) {
        rows_beside(file, beside->name, other);
        spared = !fs_same_file(other, output);
    }
    return spared || fail(error, STATUS_BAD_INPUT,
                          "-o: %s is what a run recorded; name another file", output);
}

struct table_reader {
    const char *path;
    FILE *log;
    struct row_table *table;
    size_t capacity;
    int *columns; /* of each field of a line, its enum column; -1: unknown */
    size_t column_count;
};

static void warn(struct table_reader *reader, size_t line, const char *what) {
    reader->table->warnings++;
    log_warning(reader->log, "%s:%zu: %s", reader->path, line, what);
}

/* The name is cut: a file that is no rows.csv may have names of any length. */
static void warn_unknown(struct table_reader *reader, size_t line, const char *name) {
    char what[128];
    (void)snprintf(what, sizeof what, "unknown column skipped: %.60s%s", name,
                   strlen(name) > 60 ? "..." : "");
    warn(reader, line, what);
}

/* Warns of missing columns without which rows are of no use. This counts as no skipped part of the
 * file. Columns that older versions did not write may be missing. */
static void warn_missing(const struct table_reader *reader, size_t line,
                         const bool seen[COLUMN_COUNT]) {
    static const enum column needed[] = {
        COLUMN_CASE_ID,  COLUMN_INTERACTION, COLUMN_VARIANT, COLUMN_PRECISION, COLUMN_OUTPUTS,
        COLUMN_BOX_KIND, COLUMN_N,           COLUMN_DEVICE,  COLUMN_STATUS,    COLUMN_FORCE_S_MEDIAN
    };
    char what[256] = "without the column";
    size_t length = strlen(what);
    size_t missing = 0;
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
        if (!seen[needed[k]]) {
            length += (size_t)snprintf(what + length, sizeof what - length, "%s %s",
                                       missing++ > 0 ? "," : "", column_table[needed[k]].name);
        }
    }
    if (missing > 0) {
        log_warning(reader->log, "%s:%zu: %s", reader->path, line, what);
    }
}

static bool read_columns(struct table_reader *reader, size_t line, char **fields, size_t count,
                         struct error *error) {
    bool seen[COLUMN_COUNT] = { false };
    size_t known = 0;
    reader->columns = memory_zeroed(1, count * sizeof *reader->columns);
    reader->column_count = count;
    for (size_t i = 0; i < count; i++) {
        const int column = reader->columns[i] = column_find(fields[i]);
        if (column < 0) {
            warn_unknown(reader, line, fields[i]);
        } else if (seen[column]) {
            return fail(error, STATUS_BAD_INPUT, "line %zu: the column %s stands twice", line,
                        fields[i]);
        } else {
            seen[column] = true;
            known++;
        }
    }
    if (known == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "line %zu: expected the names of the columns of rows.csv", line);
    }
    warn_missing(reader, line, seen);
    return true;
}

static bool read_row(void *context, size_t line, char **fields, size_t count, struct error *error) {
    struct table_reader *reader = context;
    struct row_table *table = reader->table;
    if (!reader->columns) {
        return read_columns(reader, line, fields, count, error);
    }
    if (count != reader->column_count) {
        char what[96];
        (void)snprintf(what, sizeof what, "dropped: %zu fields where %zu were expected", count,
                       reader->column_count);
        warn(reader, line, what);
        return true;
    }
    table->rows = memory_room(table->rows, table->count, &reader->capacity, sizeof *table->rows);
    struct row *row = &table->rows[table->count++];
    row_create(row);
    row->line = line;
    for (size_t i = 0; i < count; i++) {
        const int column = reader->columns[i];
        if (column >= 0) {
            /* Fields end up on terminals and in files of gnuplot; a compiler says several lines. */
            make_printable(fields[i], column == COLUMN_MESSAGE ? PRINTABLE_LINES : PRINTABLE_LINE);
            row_set(row, (enum column)column, fields[i]);
        }
    }
    row_complete_older(row);
    return true;
}

static bool is_superseded(const struct row_table *table, size_t index) {
    const struct row *row = &table->rows[index];
    if (row_is_final(row)) {
        return false;
    }
    for (size_t i = index + 1; i < table->count; i++) {
        if (row_compare_results(row, &table->rows[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Leaves out crashes and timeouts that were tried again. */
static void drop_superseded(struct row_table *table) {
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct row row = table->rows[i];
        if (is_superseded(table, i)) {
            row_free(&row);
        } else {
            table->rows[kept++] = row;
        }
    }
    table->count = kept;
}

/* ---- what a hand may have changed ---- */

/* Why a column cannot hold the number; NULL: it can. No recorded number is below 0, and an unknown
 * one is an empty field. */
static const char *misfit(enum column_type type, double value) {
    switch (type) {
    case COLUMN_TYPE_TEXT:
        return NULL;
    case COLUMN_TYPE_FLAG:
        return value == 0 || value == 1 ? NULL : "expected 0 or 1";
    case COLUMN_TYPE_NUMBER:
    case COLUMN_TYPE_PERCENT:
        return value >= 0 ? NULL : "expected a number, 0 or more";
    default:
        return value >= 0 && isfinite(value) ? NULL : "expected a finite number, 0 or more";
    }
}

/* The first column from `column` on with a number that it cannot hold; COLUMN_COUNT: none. */
static int find_misfit(const struct row *row, int column, const char **why) {
    for (; column < COLUMN_COUNT; column++) {
        const enum column own = (enum column)column;
        *why = row->fields[column] ? misfit(column_table[column].type, row_number(row, own)) : NULL;
        if (*why) {
            break;
        }
    }
    return column;
}

/* Empties fields with numbers that their columns cannot hold. Fields that are no numbers stay: they
 * read as unknown anyway. */
static void drop_misfits(struct table_reader *reader, struct row *row) {
    const char *why;
    for (int column = 0; (column = find_misfit(row, column, &why)) < COLUMN_COUNT; column++) {
        char *end;
        char what[256];
        (void)strtod(row->fields[column], &end);
        if (*end == '\0') {
            (void)snprintf(what, sizeof what, "%s '%.100s': %s; it counts as unknown",
                           column_table[column].name, row->fields[column], why);
            warn(reader, row->line, what);
            row_set(row, (enum column)column, "");
        }
    }
}

/* Whether each result has one final row. Rows without case_id cannot be told apart and are skipped.
 */
static bool check_single(const char *path, const struct row_table *table, struct error *error) {
    const struct row **rows = memory_zeroed(1, (table->count + 1) * sizeof *rows);
    size_t count = 0;
    bool single = true;
    for (size_t i = 0; i < table->count; i++) {
        if (row_is_final(&table->rows[i]) && *row_text(&table->rows[i], COLUMN_CASE_ID)) {
            rows[count++] = &table->rows[i];
        }
    }
    qsort(rows, count, sizeof *rows, row_compare_places);
    for (size_t i = 1; single && i < count; i++) {
        if (row_compare_results(rows[i - 1], rows[i]) == 0) {
            single =
                fail(error, STATUS_BAD_INPUT,
                     "%s:%zu: the result of line %zu once more (case_id %.64s): take one of the "
                     "two lines away",
                     path, rows[i]->line, rows[i - 1]->line, row_text(rows[i], COLUMN_CASE_ID));
        }
    }
    free(rows);
    return single;
}

static bool check_numbers(const char *path, const struct row_table *table, struct error *error) {
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const char *why;
        const int column = find_misfit(row, 0, &why);
        if (column < COLUMN_COUNT) {
            return fail(error, STATUS_BAD_INPUT, "%s:%zu: %s '%.100s': %s", path, row->line,
                        column_table[column].name, row->fields[column], why);
        }
    }
    return true;
}

static bool read_table(const char *path, bool is_strict, FILE *log, struct row_table *table,
                       struct error *error) {
    struct table_reader reader = { .path = path, .log = log, .table = table };
    struct records_extent extent;
    *table = (struct row_table){ 0 };
    bool read = records_read(path, read_row, &reader, &extent, error);
    if (read && !reader.columns) {
        read = fail(error, STATUS_BAD_INPUT, "%s: %s: expected the columns of rows.csv", path,
                    extent.cut_line > 0 ? "its first line is cut short" : "empty");
    }
    if (read && extent.cut_line > 0) {
        warn(&reader, extent.cut_line, "dropped: the line is cut short");
    }
    free(reader.columns);
    if (!read || (is_strict && !check_numbers(path, table, error))) {
        rows_free(table);
        return false;
    }
    for (size_t i = 0; i < table->count; i++) {
        drop_misfits(&reader, &table->rows[i]);
    }
    return true;
}

bool rows_read(const char *path, FILE *log, struct row_table *table, struct error *error) {
    static const char file[] = "/rows.csv";
    if (ends_with(path, file) && access(path, F_OK) != 0 && errno == ENOENT) {
        *table = (struct row_table){ 0 };
        return fail(error, STATUS_BAD_INPUT, "%.*s: holds no run: no rows.csv in it",
                    (int)(strlen(path) - strlen(file)), path);
    }
    const bool read = read_table(path, false, log, table, error);
    if (read) {
        drop_superseded(table);
    }
    return read;
}

bool rows_read_strictly(const char *path, bool is_of_visits, FILE *log, struct row_table *table,
                        struct error *error) {
    if (!read_table(path, true, log, table, error)) {
        return false;
    }
    if (!is_of_visits && !check_single(path, table, error)) {
        rows_free(table);
        return false;
    }
    drop_superseded(table);
    return true;
}

void rows_free(struct row_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        row_free(&table->rows[i]);
    }
    free(table->rows);
    *table = (struct row_table){ 0 };
}

/* ---- rows of older formats ---- */

static void complete_cutoff(struct row *row) {
    const double n = row_number(row, COLUMN_N);
    const double density = row_number(row, COLUMN_DENSITY);
    const char *kind = row_text(row, COLUMN_BOX_KIND);
    if (isnan(row_number(row, COLUMN_CUTOFF)) && row_number(row, COLUMN_PERIODIC) == 1 && n >= 1 &&
        n <= BOX_MAX_PARTICLES && strcmp(kind, "file") != 0) {
        row_set_number(row, COLUMN_CUTOFF, 0.5 * box_least_height(kind, (size_t)n, density, ""));
    }
}

/* Rows of made boxes said that they were periodic where they were open. */
static void complete_open(struct row *row) {
    if (*row_text(row, COLUMN_SEED) && strstr(row_text(row, COLUMN_CASE_NAME), "/open/")) {
        row_set(row, COLUMN_PERIODIC, "0");
    }
}

/* Only of workloads with pairs. */
static void complete_energy(struct row *row) {
    const double pairs = row_number(row, COLUMN_PAIRS_IN_CUTOFF);
    if (isnan(row_number(row, COLUMN_NJ_PER_PAIR)) && pairs >= 1) {
        row_set_number(row, COLUMN_NJ_PER_PAIR, 1e9 * row_number(row, COLUMN_ENERGY_J) / pairs);
    }
}

void row_complete_older(struct row *row) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (column_table[i].absent && !row->fields[i]) {
            row_set(row, (enum column)i, column_table[i].absent);
        }
    }
    complete_open(row);
    complete_cutoff(row);
    complete_energy(row);
}

/* ---- twins: a run measures its own noise ---- */

enum { CASES_PER_TWIN = 4 };

static const double golden_ratio = 0.6180339887498949;

size_t twins_wanted(size_t cases, size_t most) {
    const size_t wanted = (cases + CASES_PER_TWIN - 1) / CASES_PER_TWIN;
    return wanted < most ? wanted : most;
}

void twins_choose(size_t cases, size_t wanted, size_t *places) {
    for (size_t k = 0; k < wanted; k++) {
        const size_t first = k * cases / wanted;
        const size_t next = (k + 1) * cases / wanted;
        const double share = fmod(golden_ratio * (double)(k + 1), 1);
        places[k] = first + (size_t)(share * (double)(next - first));
    }
}

void twin_id(const char *case_id, char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, case_id);
    hash_add_string(hash, TWIN_SUFFIX);
    hash_end(hash, text);
}

static bool same_column(const struct row *a, const struct row *b, enum column column) {
    return strcmp(row_text(a, column), row_text(b, column)) == 0;
}

/* The time of a row that passed; NaN otherwise. */
static double time_of(const struct row *row) {
    const double seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
    return strcmp(row_text(row, COLUMN_STATUS), "ok") == 0 && seconds > 0 ? seconds : NAN;
}

/* The row that a twin's is the second of; NULL when there is none. */
static const struct row *first_of(const struct row_table *table, const struct row *twin) {
    const char *name = row_text(twin, COLUMN_CASE_NAME);
    const size_t whole = strlen(name);
    const size_t suffix = strlen(TWIN_SUFFIX);
    const size_t length = whole > suffix ? whole - suffix : 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const char *other = row_text(row, COLUMN_CASE_NAME);
        if (!row_is_twin(row) && is_spelt(name, length, other) &&
            same_column(row, twin, COLUMN_DEVICE) && same_column(row, twin, COLUMN_HOST) &&
            same_column(row, twin, COLUMN_REPETITION)) {
            return row;
        }
    }
    return NULL;
}

void noise_floor_find(const struct row_table *table, struct noise_floor *floor) {
    double *log_ratios = memory_zeroed(table->count + 1, sizeof *log_ratios);
    *floor = (struct noise_floor){ .ratio_spread = NAN };
    for (size_t i = 0; i < table->count; i++) {
        const struct row *twin = &table->rows[i];
        const struct row *first = row_is_twin(twin) ? first_of(table, twin) : NULL;
        const double log_ratio = first ? log(time_of(twin) / time_of(first)) : NAN;
        if (!isnan(log_ratio)) {
            log_ratios[floor->pairs++] = log_ratio;
        }
    }
    floor->ratio_spread = ratio_spread_of(log_ratios, floor->pairs);
    free(log_ratios);
}
