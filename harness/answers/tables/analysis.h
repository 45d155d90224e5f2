/*
 * analysis — recorded runs as tables of an SQLite database in memory.
 *
 * Tables: `runs` (one row per run: its number, name, path, and what environment.json has),
 * `devices` (of environment.json), `rows` and `visits` (a column per column of rows.csv and
 * visits.csv), `samples` and `stages` (samples.csv, stages.csv). Every table has `run`, by which
 * they are joined; rows have `line`, the others `file_line`, where a record begins. An unknown
 * number and an empty text are NULL. docs/querying.md has all columns.
 */
#ifndef PAIRMARK_ANSWERS_TABLES_ANALYSIS_H
#define PAIRMARK_ANSWERS_TABLES_ANALYSIS_H

#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/strings.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct analysis {
    sqlite3 *database;
    sqlite3_int64 runs;        /* how many were added */
    const struct row **row_of; /* of each rowid of `rows`, where they are in memory */
    size_t row_count;
};

/* Makes empty tables, and the functions of analysis_add_aggregates. */
void analysis_open(struct analysis *analysis);
void analysis_close(struct analysis *analysis);

/* Adds the run of a path, a folder or its rows.csv, called `name`, and the files beside the rows.
 * `log` (may be NULL) gets a line for each thing that is skipped. STATUS_BAD_INPUT when there are
 * no rows to read; what is wrong with the other files is a warning. */
bool analysis_add_run(struct analysis *analysis, const char *path, const char *name, FILE *log,
                      struct error *error);

/* What checksums_doubt says of all runs; caller frees. NULL: nothing. */
char *analysis_doubts(struct analysis *analysis);

/* The runs of folders: those that are one, and all in folders below the others. Zeroed before the
 * first. STATUS_BAD_INPUT: a folder cannot be read, or there is no run in it or below. */
struct run_folders {
    char **paths;
    size_t count;
};
bool run_folders_find(struct run_folders *folders, const char *folder, struct error *error);
void run_folders_free(struct run_folders *folders);

/* What commands check before they answer from runs, of paths as analysis_add_run takes them:
 * STATUS_BAD_INPUT, in the words of checksums_doubt, where one is not as it was recorded. If
 * `despite_checksums`, the log says so instead. */
bool runs_verify(const char *const *paths, size_t count, bool despite_checksums, FILE *log,
                 struct error *error);
/* The same of the runs in folders below. */
bool runs_verify_below(const char *const *folders, size_t count, bool despite_checksums, FILE *log,
                       struct error *error);

/* Whether recorded runs can be believed: whole, of a released commit, unedited, judged, with the
 * state of the device. A reason is an error or a warning. A warning says what cannot be known, as
 * of runs that are older than checksums.txt, or what the reader should know, as a throttled device.
 */
struct rows_check {
    FILE *results; /* a line per reason, and one per run that passes */
    size_t runs, failed, errors, warnings;
};

/* Checks the run of a folder, or all runs of the folders below it: those that hold rows.csv or
 * environment.json. STATUS_BAD_INPUT: no such folder, or it holds no run. */
bool rows_check(struct rows_check *check, const char *folder, struct error *error);

/* analysis_add_run of all of them, by their paths. */
bool analysis_add_runs_below(struct analysis *analysis, const char *const *folders, size_t count,
                             FILE *log, struct error *error);

/* Makes the table `columns`: what the columns of the tables mean. */
void analysis_describe(struct analysis *analysis);

/* Adds rows that are in memory, as one run, without the files beside them. They must outlive the
 * analysis. Do not mix with analysis_add_run in one analysis. */
void analysis_add_table(struct analysis *analysis, const struct row_table *rows);

/* Adds the records of a samples.csv to the run that was added last. Malformed lines are skipped and
 * logged. STATUS_BAD_INPUT for a file that cannot be read or lacks a column. */
bool analysis_add_samples(struct analysis *analysis, const char *path, FILE *log,
                          struct error *error);

/* What environment.json beside a run's rows says, into `runs` and `devices`; a file that is not
 * there says nothing. One that cannot be read is a warning, which ends in `consequence`. */
void analysis_add_environment(struct analysis *analysis, const char *rows_file,
                              const char *consequence, FILE *log);

/* ---- queries of our own, in the words of sqlite3_mprintf (%Q: a text in quotes) ----
 *
 * One that fails is a mistake of the program, which ends with SQLite's message. */

/* Runs statements that have no answer: of a text, of an embedded file (core/embedded.h). */
void analysis_run(struct analysis *analysis, const char *format, ...);
void analysis_run_file(struct analysis *analysis, const char *path);

/* The rows that a query answers. Release with answer_free. */
struct answer {
    struct answer_cell *cells;
    size_t rows, columns;
};
struct answer analysis_ask(struct analysis *analysis, const char *format, ...);
void answer_free(struct answer *answer);

/* The first cell of an answer as a number. */
double analysis_ask_number(struct analysis *analysis, const char *format, ...);

/* A cell by its row and column, from 0: "" for NULL and numbers; NaN for NULL and texts. */
const char *answer_text(const struct answer *answer, size_t row, size_t column);
double answer_number(const struct answer *answer, size_t row, size_t column);

/* Appends an answer as gnuplot reads it: after '#' the names of its columns, then a line a row,
 * fields divided by tabs. */
void analysis_append_table(struct analysis *analysis, struct strbuf *table, const char *format,
                           ...);

/* A statement to be bound and stepped by the caller, and released by sqlite3_finalize. What SQLite
 * does not do for the caller ends the program, too. */
sqlite3_stmt *analysis_prepare(struct analysis *analysis, const char *format, ...);
void analysis_check(const struct analysis *analysis, bool done);

/* ---- functions of SQL ---- */

/* Gives SQL a function of so many arguments; `context` is sqlite3_user_data(). */
typedef void analysis_function(sqlite3_context *context, int count, sqlite3_value **arguments);
void analysis_add_function(struct analysis *analysis, const char *name, int arguments,
                           void *context, analysis_function *give);

/* Gives SQL pair_operations(interaction) and sol_score(seconds, baseline, limit), of which
 * docs/querying.md says more, and two aggregates over numbers: median(x), the middle value or the
 * mean of the two in the middle, and percentile(x, p), the value below which p percent lie (0 to
 * 100), interpolated between neighbours. NULL and words are skipped; of no number the answer is
 * NULL. */
void analysis_add_aggregates(struct analysis *analysis);

/* ---- names of runs ---- */

enum { RUN_NAME_SIZE = 160 };

/* Different names for the runs of `paths` (folders or rows.csv): those of their folders, else the
 * paths as given, else with a number. */
void name_runs(const char *const *paths, size_t count, char (*names)[RUN_NAME_SIZE]);

/* ---- a statement of the user's, and its answer as text ----
 *
 * It only reads the tables: what would write, attach a file, change a setting or load code is
 * refused. It ends after a time, a number of rows and an amount of memory. */

enum query_format {
    QUERY_TABLE, /* aligned; cells of one line each, cut after 60 characters; six digits of a number
                  */
    QUERY_CSV,   /* a line of names first; NULL is an empty field */
    QUERY_JSON   /* an array of objects; infinities are the words "inf" and "-inf" */
};

struct query {
    const char *sql;
    enum query_format format;
    size_t max_rows;
    double max_seconds;
};

/* Appends the whole answer to `text`, or nothing. Of a table the rows after `max_rows` are left
 * out, and *cut says so; of the other formats, which programs read, they are an error.
 * STATUS_BAD_INPUT, with SQLite's message and the place: what is no single statement that reads,
 * and one that outruns a limit. STATUS_OUT_OF_MEMORY. */
bool query_answer(struct analysis *analysis, const struct query *query, struct strbuf *text,
                  bool *cut, struct error *error);

/* ---- tables as text: cells in columns, each as wide as its widest cell ---- */

/* Initialise the number of columns, the rest zero; release with text_table_free. */
struct text_table {
    size_t columns;
    char **cells; /* line by line */
    size_t count, capacity;
};

/* The next cell. */
void text_table_add(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The lines. Columns of numbers are aligned to the right: `right` has a flag each. */
void text_table_write(const struct text_table *table, const bool *right, struct strbuf *text);

/* The lines on standard output; releases the table. */
void text_table_print(struct text_table *table, const bool *right);

void text_table_free(struct text_table *table);

/* Characters of UTF-8. */
size_t characters_of(const char *words);

#endif
