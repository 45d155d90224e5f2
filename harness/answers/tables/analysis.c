/* Makes tables of runs in an SQLite database: rows, visits, samples, stages, environment. */
#include "answers/tables/analysis.h"

#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/program.h"

#include <json-c/json.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tables and their columns ---- */

/* The SQL type of a column of rows.csv. Counts are REAL, so that SQL does not divide them as
 * integers; seeds and flags are INTEGER, so that they keep all their digits. */
static const char *sql_type(enum column column) {
    const enum column_type type = column_table[column].type;
    const bool is_integer = type == COLUMN_TYPE_FLAG || column == COLUMN_REPETITION ||
                            column == COLUMN_SEED || column == COLUMN_JUDGE_SEED;
    return type == COLUMN_TYPE_TEXT ? "TEXT" : is_integer ? "INTEGER" : "REAL";
}

/* Where a record begins in its file. Only rows have `line`, by which limits join them: nothing else
 * is joined to rows by the lines of two files. */
static const char *line_column(const char *table) {
    return strcmp(table, "rows") == 0 ? "line" : "file_line";
}

static void append_rows_table(const char *name, const char *more, struct strbuf *sql) {
    strbuf_append(sql, "CREATE TABLE %s(run INTEGER, run_name TEXT, %s INTEGER%s", name,
                  line_column(name), more);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        strbuf_append(sql, ", \"%s\" %s", column_names[c], sql_type((enum column)c));
    }
    strbuf_append(sql, ");");
}

void analysis_describe(struct analysis *analysis) {
    analysis_run(
        analysis,
        "CREATE TABLE IF NOT EXISTS columns AS SELECT t.name AS table_name, c.name AS name,"
        " c.type AS type, NULL AS unit, NULL AS meaning FROM sqlite_master AS t,"
        " pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.rowid, c.cid");
    for (int c = 0; c < COLUMN_COUNT; c++) {
        analysis_run(analysis,
                     "UPDATE columns SET unit = nullif(%Q, ''), meaning = %Q WHERE name = %Q AND"
                     " table_name IN ('rows', 'visits')",
                     column_unit((enum column)c), column_table[c].meaning, column_names[c]);
    }
}

static bool is_knob(enum column column) {
    return column_table[column].role & ROLE_KNOB;
}

/* An SQL expression over a row of `rows` that is equal where all these columns are. */
static void append_key(bool (*is_part)(enum column column), struct strbuf *sql) {
    strbuf_append(sql, "''");
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (is_part((enum column)c)) {
            strbuf_append(sql, " || coalesce(%s, '') || ' '", column_names[c]);
        }
    }
}

static void make_tables(struct analysis *analysis) {
    struct strbuf sql = { 0 };
    analysis_run_file(analysis, "harness/answers/tables/tables.sql");
    append_rows_table("rows", "", &sql);
    append_rows_table("visits", ", visit INTEGER", &sql);
    strbuf_append(&sql, "CREATE VIEW keyed AS SELECT rowid AS id, *, ");
    append_key(is_knob, &sql);
    strbuf_append(&sql, " AS knobs, ");
    append_key(column_is_setting, &sql);
    strbuf_append(&sql, " AS setting FROM rows;");
    analysis_run(analysis, "%s", sql.data);
    strbuf_free(&sql);
}

/* ---- records ---- */

/* A statement that adds records to a table: the run, the line, then what the columns hold. */
struct insertion {
    struct analysis *analysis;
    sqlite3_stmt *insert;
    const struct long_table *table; /* of a long table */
};

/* `first`, unless NULL, is a column before the others, which end with NULL. */
static struct insertion insertion_begin(struct analysis *analysis, const char *into,
                                        const char *first, const char *const *columns) {
    struct insertion insertion = { .analysis = analysis };
    struct strbuf names = { 0 };
    struct strbuf places = { 0 };
    strbuf_append(&names, "%s%s", first ? ", " : "", first ? first : "");
    strbuf_append(&places, "%s", first ? ", ?" : "");
    for (size_t c = 0; columns[c]; c++) {
        strbuf_append(&names, ", \"%s\"", columns[c]);
        strbuf_append(&places, ", ?");
    }
    insertion.insert =
        analysis_prepare(analysis, "INSERT INTO %s(run, %s%s) VALUES(%lld, ?%s)", into,
                         line_column(into), names.data, analysis->runs, places.data);
    strbuf_free(&names);
    strbuf_free(&places);
    return insertion;
}

static void insert(const struct insertion *insertion, bool bound) {
    analysis_check(insertion->analysis, bound && sqlite3_step(insertion->insert) == SQLITE_DONE &&
                                            sqlite3_reset(insertion->insert) == SQLITE_OK);
}

/* ---- rows ---- */

/* Fields that should be numbers and are none. */
struct misfits {
    size_t count;
    size_t line; /* of the first */
    const char *column, *word;
};

static int bind_number(sqlite3_stmt *insert, int place, const char *word, bool *is_number) {
    char *end = NULL;
    errno = 0;
    const long long whole = strtoll(word, &end, 10);
    if (*end == '\0' && errno == 0) {
        *is_number = true;
        return sqlite3_bind_int64(insert, place, whole);
    }
    const double value = strtod(word, &end);
    *is_number = *end == '\0';
    return *is_number ? sqlite3_bind_double(insert, place, value)
                      : sqlite3_bind_null(insert, place);
}

static void insert_row(const struct insertion *insertion, const struct row *row,
                       struct misfits *misfits) {
    sqlite3_stmt *statement = insertion->insert;
    bool bound = sqlite3_bind_int64(statement, 1, (sqlite3_int64)row->line) == SQLITE_OK;
    for (int c = 0; bound && c < COLUMN_COUNT; c++) {
        const char *word = row->fields[c];
        const int place = c + 2;
        bool fits = true;
        if (!word || column_table[c].type == COLUMN_TYPE_TEXT) { /* NULL for NULL */
            bound = sqlite3_bind_text(statement, place, word, -1, SQLITE_STATIC) == SQLITE_OK;
        } else {
            bound = bind_number(statement, place, word, &fits) == SQLITE_OK;
        }
        if (!fits && misfits->count++ == 0) {
            *misfits = (struct misfits){ 1, row->line, column_names[c], word };
        }
    }
    insert(insertion, bound);
}

static void log_misfits(const struct misfits *misfits, const char *file, FILE *log) {
    char others[64] = "";
    if (misfits->count > 1) {
        (void)snprintf(others, sizeof others, ", nor are %zu more fields", misfits->count - 1);
    }
    if (misfits->count > 0) {
        log_warning(log, "%s:%zu: %s: '%.60s' is no number%s: NULL", file, misfits->line,
                    misfits->column, misfits->word, others);
    }
}

static void add_rows(struct analysis *analysis, const char *table, const char *file,
                     const struct row_table *rows, FILE *log) {
    struct misfits misfits = { 0 };
    const struct insertion insertion = insertion_begin(analysis, table, NULL, column_names);
    for (size_t i = 0; i < rows->count; i++) {
        insert_row(&insertion, &rows->rows[i], &misfits);
    }
    (void)sqlite3_finalize(insertion.insert);
    analysis_run(analysis,
                 "UPDATE %s SET run_name = (SELECT name FROM runs WHERE run = %lld)"
                 " WHERE run = %lld",
                 table, analysis->runs, analysis->runs);
    log_misfits(&misfits, file, log);
}

/* ---- samples.csv and stages.csv ---- */

/* Counts become numbers by the type of their column. */
static bool insert_record(void *context, const struct long_record *record, struct error *error) {
    const struct insertion *insertion = context;
    sqlite3_stmt *statement = insertion->insert;
    bool bound = sqlite3_bind_int64(statement, 1, (sqlite3_int64)record->line) == SQLITE_OK &&
                 sqlite3_bind_double(statement, 2, record->number) == SQLITE_OK;
    for (int w = 0; bound && insertion->table->words[w]; w++) {
        const char *word = record->words[w];
        bound = sqlite3_bind_text(statement, w + 3, word && *word ? word : NULL, -1,
                                  SQLITE_STATIC) == SQLITE_OK;
    }
    (void)error;
    insert(insertion, bound);
    return true;
}

/* All of the file's records, or none. */
static bool add_records(struct analysis *analysis, const char *path, const struct long_table *table,
                        const char *into, FILE *log, struct error *error) {
    struct insertion insertion = insertion_begin(analysis, into, table->number, table->words);
    insertion.table = table;
    analysis_run(analysis, "SAVEPOINT records");
    const bool read = long_table_read(path, table, insert_record, &insertion, log, error);
    (void)sqlite3_finalize(insertion.insert);
    analysis_run(analysis, "%s RELEASE records", read ? "" : "ROLLBACK TO records;");
    return read;
}

bool analysis_add_samples(struct analysis *analysis, const char *path, FILE *log,
                          struct error *error) {
    return add_records(analysis, path, &samples_table, "samples", log, error);
}

/* ---- the other files beside the rows ---- */

static void add_visits(struct analysis *analysis, const char *path, FILE *log) {
    struct row_table visits;
    struct error error;
    if (!rows_read(path, log, &visits, &error)) {
        log_warning(log, "%s: skipped", error.message);
        return;
    }
    add_rows(analysis, "visits", path, &visits, log);
    rows_free(&visits);
    /* The k-th row of a case, device and repetition is its k-th visit. */
    analysis_run(analysis,
                 "UPDATE visits SET visit = k FROM (SELECT rowid AS place, row_number() OVER"
                 " (PARTITION BY run, case_id, device, repetition ORDER BY file_line) - 1 AS k"
                 " FROM visits) WHERE place = visits.rowid");
}

static void add_samples(struct analysis *analysis, const char *path, FILE *log) {
    struct error error;
    if (!analysis_add_samples(analysis, path, log, &error)) {
        log_warning(log, "%s: skipped", error.message);
    }
}

static void add_stages(struct analysis *analysis, const char *path, FILE *log) {
    struct error error;
    if (!add_records(analysis, path, &stages_table, "stages", log, &error)) {
        log_warning(log, "%s: skipped", error.message);
    }
}

/* What the file says is anybody's: SQLite and json-c need not agree on what JSON is. */
static void add_facts(struct analysis *analysis, const char *path, const char *consequence,
                      FILE *log) {
    struct json_object *object = NULL;
    struct error error;
    if (!input_read_json(path, &object, &error)) {
        log_warning(log, "%s: %s", error.message, consequence);
        return;
    }
    const char *json = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
    if (analysis_ask_number(analysis, "SELECT json_valid(%Q)", json) == 1) {
        analysis_run(analysis, "UPDATE runs SET environment = %Q WHERE run = %lld", json,
                     analysis->runs);
    } else {
        log_warning(log, "%s: malformed JSON: %s", path, consequence);
    }
    json_object_put(object);
}

void analysis_add_environment(struct analysis *analysis, const char *rows_file,
                              const char *consequence, FILE *log) {
    char path[PATH_MAX];
    rows_beside(rows_file, "environment.json", path);
    if (access(path, F_OK) == 0) {
        add_facts(analysis, path, consequence, log);
    }
}

static void add_beside(struct analysis *analysis, const char *rows_file, FILE *log) {
    static const struct {
        const char *name;
        void (*add)(struct analysis *analysis, const char *path, FILE *log);
    } files[] = { { "visits.csv", add_visits },
                  { "samples.csv", add_samples },
                  { "stages.csv", add_stages } };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[PATH_MAX];
        rows_beside(rows_file, files[i].name, path);
        if (access(path, F_OK) == 0) {
            files[i].add(analysis, path, log);
        }
    }
    analysis_add_environment(analysis, rows_file, "skipped", log);
}

/* ---- a database of runs ---- */

void analysis_open(struct analysis *analysis) {
    *analysis = (struct analysis){ 0 };
    analysis_check(analysis, sqlite3_open(":memory:", &analysis->database) == SQLITE_OK);
    analysis_add_aggregates(analysis);
    /* Nothing is written to files: not even what a large sort puts aside. */
    analysis_run(analysis, "PRAGMA temp_store = MEMORY");
    make_tables(analysis);
}

void analysis_close(struct analysis *analysis) {
    (void)sqlite3_close(analysis->database);
    free(analysis->row_of);
    *analysis = (struct analysis){ 0 };
}

char *analysis_doubts(struct analysis *analysis) {
    struct answer doubts = analysis_ask(analysis, "SELECT group_concat(doubts, '; ') FROM runs");
    const char *words = answer_text(&doubts, 0, 0);
    char *copy = *words ? memory_copy(words) : NULL;
    answer_free(&doubts);
    return copy;
}

static void begin_run(struct analysis *analysis, const char *name, const char *path) {
    analysis->runs++;
    analysis_run(analysis, "BEGIN; INSERT INTO runs(run, name, path) VALUES(%lld, %Q, %Q)",
                 analysis->runs, name, path);
}

bool analysis_add_run(struct analysis *analysis, const char *path, const char *name, FILE *log,
                      struct error *error) {
    char file[PATH_MAX];
    struct row_table rows;
    struct strbuf doubts = { 0 };
    if (!rows_locate(path, file, sizeof file, error) || !rows_read(file, log, &rows, error)) {
        return false;
    }
    begin_run(analysis, name, path);
    add_rows(analysis, "rows", file, &rows, log);
    add_beside(analysis, file, log);
    const bool added = checksums_doubt(path, &doubts, error);
    analysis_run(analysis, "UPDATE runs SET doubts = %Q WHERE run = %lld; COMMIT", doubts.data,
                 analysis->runs);
    strbuf_free(&doubts);
    rows_free(&rows);
    return added;
}

void analysis_add_table(struct analysis *analysis, const struct row_table *rows) {
    analysis->row_of = memory_grown(analysis->row_of, analysis->row_count + rows->count + 1,
                                    sizeof(*analysis->row_of));
    for (size_t i = 0; i < rows->count; i++) {
        analysis->row_of[analysis->row_count++] = &rows->rows[i];
    }
    begin_run(analysis, rows->label, NULL);
    add_rows(analysis, "rows", "", rows, NULL);
    analysis_run(analysis, "COMMIT");
}

/* ---- names of runs ---- */

/* The last part of a path that leads to a run's folder, or to the rows in it; of what names none,
 * such as "." or "rows.csv", that of the folder it leads to. */
static void name_folder(const char *path, char name[RUN_NAME_SIZE]) {
    char resolved[PATH_MAX];
    char file[PATH_MAX];
    struct error ignored;
    if (!rows_locate(path, file, sizeof file, &ignored) || !realpath(file, resolved)) {
        (void)snprintf(name, RUN_NAME_SIZE, "%.120s", path);
        return;
    }
    char *slash = strrchr(resolved, '/');
    *slash = '\0';
    slash = strrchr(resolved, '/');
    (void)snprintf(name, RUN_NAME_SIZE, "%.120s", slash ? slash + 1 : resolved);
}

void name_runs(const char *const *paths, size_t count, char (*names)[RUN_NAME_SIZE]) {
    for (size_t i = 0; i < count; i++) {
        name_folder(paths[i], names[i]);
    }
    for (size_t i = 0; i < count; i++) {
        bool met = false;
        for (size_t j = i + 1; j < count; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                met = true;
                (void)snprintf(names[j], RUN_NAME_SIZE, "%.120s (%zu)", paths[j], j + 1);
            }
        }
        if (met) {
            (void)snprintf(names[i], RUN_NAME_SIZE, "%.120s (%zu)", paths[i], i + 1);
        }
    }
}

/* ---- runs in folders below a folder ---- */

static void keep_folder(struct run_folders *folders, char *path) {
    folders->paths = memory_grown(folders->paths, folders->count + 1, sizeof *folders->paths);
    folders->paths[folders->count++] = path;
}

static int is_folder_entry(const struct dirent *entry) {
    return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

/* Takes over the path. */
static bool find_below(struct run_folders *folders, char *path, struct error *error) {
    struct dirent **entries = NULL;
    if (run_holds(path, "rows.csv") || run_holds(path, "environment.json")) {
        keep_folder(folders, path);
        return true;
    }
    const int count = scandir(path, &entries, is_folder_entry, alphasort);
    bool found =
        count >= 0 || fail(error, STATUS_BAD_INPUT, "%s: no folder that can be read", path);
    for (int i = 0; i < count; i++) {
        char *below = found ? fs_join(path, entries[i]->d_name, error) : NULL;
        found = found && below && find_below(folders, below, error);
        free(entries[i]);
    }
    free(entries);
    free(path);
    return found;
}

bool run_folders_find(struct run_folders *folders, const char *folder, struct error *error) {
    const size_t before = folders->count;
    char *path = memory_copy(folder);
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--) {
        path[end - 1] = '\0';
    }
    return find_below(folders, path, error) &&
           (folders->count > before ||
            fail(error, STATUS_BAD_INPUT, "%s: holds no run: no rows.csv in it or below", folder));
}

void run_folders_free(struct run_folders *folders) {
    for (size_t i = 0; i < folders->count; i++) {
        free(folders->paths[i]);
    }
    free(folders->paths);
    *folders = (struct run_folders){ 0 };
}

bool analysis_add_runs_below(struct analysis *analysis, const char *const *paths, size_t count,
                             FILE *log, struct error *error) {
    struct run_folders folders = { 0 };
    bool added = true;
    for (size_t i = 0; added && i < count; i++) {
        added = run_folders_find(&folders, paths[i], error);
    }
    for (size_t i = 0; added && i < folders.count; i++) {
        added = analysis_add_run(analysis, folders.paths[i], folders.paths[i], log, error);
    }
    run_folders_free(&folders);
    return added;
}

/* ---- whether runs are as they were recorded ---- */

bool runs_verify(const char *const *paths, size_t count, bool despite_checksums, FILE *log,
                 struct error *error) {
    bool verified = true;
    for (size_t i = 0; verified && i < count; i++) {
        struct strbuf doubts = { 0 };
        verified = checksums_doubt(paths[i], &doubts, error);
        if (verified && doubts.data && despite_checksums) {
            log_warning(log, "doubtful: %s", doubts.data);
        } else if (verified && doubts.data) {
            verified = fail(error, STATUS_BAD_INPUT,
                            "%s: --despite-checksums goes on, `pairmark rows check` says more",
                            doubts.data);
        }
        strbuf_free(&doubts);
    }
    return verified;
}

bool runs_verify_below(const char *const *folders, size_t count, bool despite_checksums, FILE *log,
                       struct error *error) {
    struct run_folders found = { 0 };
    bool verified = true;
    for (size_t i = 0; verified && i < count; i++) {
        verified = run_folders_find(&found, folders[i], error);
    }
    verified = verified && runs_verify((const char *const *)found.paths, found.count,
                                       despite_checksums, log, error);
    run_folders_free(&found);
    return verified;
}
