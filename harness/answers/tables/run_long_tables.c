#include "answers/tables/run_long_tables.h"

#include "campaign/rows/samples.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdio.h>

struct insertion {
    struct analysis *analysis;
    const struct long_table *table;
    sqlite3_stmt *insert;
};

/* Counts become numbers by the type of their column. */
static bool insert_record(void *context, const struct long_record *record, struct error *error) {
    const struct insertion *insertion = context;
    sqlite3_stmt *insert = insertion->insert;
    bool bound = sqlite3_bind_int64(insert, 2, (sqlite3_int64)record->line) == SQLITE_OK &&
                 sqlite3_bind_double(insert, 3, record->number) == SQLITE_OK;
    for (int w = 0; bound && insertion->table->words[w]; w++) {
        const char *word = record->words[w];
        bound = word && *word
                    ? sqlite3_bind_text(insert, w + 4, word, -1, SQLITE_STATIC) == SQLITE_OK
                    : sqlite3_bind_null(insert, w + 4) == SQLITE_OK;
    }
    return (bound && sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK) ||
           analysis_fail(insertion->analysis, error);
}

static bool prepare(struct insertion *insertion, const char *into, struct error *error) {
    struct strbuf sql = { 0 };
    const char *const *words = insertion->table->words;
    strbuf_append(&sql, "INSERT INTO %s(run, line, %s", into, insertion->table->number);
    for (int w = 0; words[w]; w++) {
        strbuf_append(&sql, ", %s", words[w]);
    }
    strbuf_append(&sql, ") VALUES(?, ?, ?");
    for (int w = 0; words[w]; w++) {
        strbuf_append(&sql, ", ?");
    }
    strbuf_append(&sql, ")");
    bool prepared =
        sql.failed ? fail_out_of_memory(error, "the tables")
                   : analysis_prepare(insertion->analysis, sql.data, &insertion->insert, error);
    strbuf_free(&sql);
    return prepared &&
           (sqlite3_bind_int64(insertion->insert, 1, insertion->analysis->runs) == SQLITE_OK ||
            analysis_fail(insertion->analysis, error));
}

static bool add(struct analysis *analysis, const char *path, const struct long_table *table,
                const char *into, FILE *log, struct error *error) {
    struct insertion insertion = { .analysis = analysis, .table = table };
    bool read = prepare(&insertion, into, error) &&
                analysis_execute(analysis, "SAVEPOINT records", error) &&
                long_table_read(path, table, insert_record, &insertion, log, error);
    (void)sqlite3_finalize(insertion.insert);
    if (!read) {
        (void)sqlite3_exec(analysis->database, "ROLLBACK TO records", NULL, NULL, NULL);
    }
    return read && analysis_execute(analysis, "RELEASE records", error);
}

bool run_samples_add(struct analysis *analysis, const char *path, FILE *log, struct error *error) {
    return add(analysis, path, &samples_table, "samples", log, error);
}

bool run_stages_add(struct analysis *analysis, const char *path, FILE *log, struct error *error) {
    return add(analysis, path, &stages_table, "stages", log, error);
}
