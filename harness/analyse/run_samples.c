#include "analyse/run_samples.h"

#include "base/error.h"
#include "record/samples.h"

#include <stdio.h>

struct insertion {
    struct analysis *analysis;
    sqlite3_stmt *insert;
};

/* Counts become numbers by the type of their column. */
static bool insert_sample(void *context, const struct sample *sample, struct error *error) {
    const struct insertion *insertion = context;
    sqlite3_stmt *insert = insertion->insert;
    const char *const words[] = { sample->case_id, sample->repetition, sample->visit,
                                  sample->sample,  sample->cache,      sample->device,
                                  sample->run_id };
    bool bound = sqlite3_bind_int64(insert, 2, (sqlite3_int64)sample->line) == SQLITE_OK &&
                 sqlite3_bind_double(insert, 3, sample->seconds) == SQLITE_OK;
    for (int w = 0; bound && w < (int)(sizeof words / sizeof words[0]); w++) {
        bound = words[w] && *words[w]
                    ? sqlite3_bind_text(insert, w + 4, words[w], -1, SQLITE_STATIC) == SQLITE_OK
                    : sqlite3_bind_null(insert, w + 4) == SQLITE_OK;
    }
    return (bound && sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK) ||
           analysis_fail(insertion->analysis, error);
}

bool run_samples_add(struct analysis *analysis, const char *path, FILE *log, struct error *error) {
    static const char sql[] =
        "INSERT INTO samples(run, line, seconds, case_id, repetition, visit, sample, cache, device,"
        " run_id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    struct insertion insertion = { .analysis = analysis };
    bool read = analysis_prepare(analysis, sql, &insertion.insert, error) &&
                (sqlite3_bind_int64(insertion.insert, 1, analysis->runs) == SQLITE_OK ||
                 analysis_fail(analysis, error)) &&
                analysis_execute(analysis, "SAVEPOINT samples", error) &&
                samples_read(path, insert_sample, &insertion, log, error);
    (void)sqlite3_finalize(insertion.insert);
    if (!read) {
        (void)sqlite3_exec(analysis->database, "ROLLBACK TO samples", NULL, NULL, NULL);
    }
    return read && analysis_execute(analysis, "RELEASE samples", error);
}
