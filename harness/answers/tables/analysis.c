#include "answers/tables/analysis.h"

#include "answers/tables/run_tables.h"
#include "answers/tables/sql_functions.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool analysis_open(struct analysis *analysis, struct error *error) {
    *analysis = (struct analysis){ 0 };
    /* Nothing is written to files: not even what a large sort puts aside. */
    bool opened = (sqlite3_open(":memory:", &analysis->database) == SQLITE_OK &&
                   sql_functions_add(analysis->database) == SQLITE_OK) ||
                  analysis_fail(analysis, error);
    opened = opened && analysis_execute(analysis, "PRAGMA temp_store = MEMORY", error) &&
             run_tables_create(analysis, error);
    if (!opened) {
        analysis_close(analysis);
    }
    return opened;
}

void analysis_close(struct analysis *analysis) {
    (void)sqlite3_close(analysis->database);
    free(analysis->row_of);
    *analysis = (struct analysis){ 0 };
}

bool analysis_add_run(struct analysis *analysis, const char *path, const char *name, FILE *log,
                      struct error *error) {
    char file[PATH_MAX];
    struct row_table rows;
    if (!rows_locate(path, file, sizeof file, error) || !rows_read(file, log, &rows, error)) {
        return false;
    }
    analysis->runs++;
    bool added = analysis_execute(analysis, "BEGIN", error) &&
                 run_tables_add_run(analysis, name, path, error) &&
                 run_tables_add_rows(analysis, "rows", file, &rows, log, error) &&
                 run_tables_add_beside(analysis, file, log, error) &&
                 analysis_execute(analysis, "COMMIT", error);
    rows_free(&rows);
    return added;
}

bool analysis_add_table(struct analysis *analysis, const struct row_table *rows,
                        struct error *error) {
    const struct row **row_of =
        realloc(analysis->row_of, (analysis->row_count + rows->count + 1) * sizeof(*row_of));
    if (!row_of) {
        return fail_out_of_memory(error, "the rows");
    }
    analysis->row_of = row_of;
    for (size_t i = 0; i < rows->count; i++) {
        row_of[analysis->row_count++] = &rows->rows[i];
    }
    analysis->runs++;
    return analysis_execute(analysis, "BEGIN", error) &&
           run_tables_add_run(analysis, rows->label, NULL, error) &&
           run_tables_add_rows(analysis, "rows", "", rows, NULL, error) &&
           analysis_execute(analysis, "COMMIT", error);
}
