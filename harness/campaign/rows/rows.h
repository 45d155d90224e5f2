/*
 * rows — rows.csv: one row per case and repetition, appended and flushed as each ends.
 *
 * The columns are those of campaign/axes/axes.h, in that order. A number that is not known is an
 * empty field. Reading is by column name: unknown columns are kept aside and counted, missing ones
 * read as unknown, a line cut short is dropped with a warning that names the line. What is read is
 * printable: '?' stands for control characters and what is no UTF-8. Rows of older formats say what
 * a row of today says.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_ROWS_H
#define PAIRMARK_CAMPAIGN_ROWS_ROWS_H

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- records ---- */

/* CSV files (libcsv): read record by record, appended to by whole records.
 *
 * A record may span lines, since a quoted field may hold newlines. What is appended is written by
 * one call and taken back when it does not fit, so that a full disk or a killed process leaves at
 * most one record cut short, at the end of the file, which reading drops. */

/* Called with each whole record; `line` is where it begins (the first is 1). The fields are the
 * callee's until it returns. False stops the reading with *error. */
typedef bool records_visit(void *context, size_t line, char **fields, size_t count,
                           struct error *error);

/* What reading found besides the records. */
struct records_extent {
    size_t whole_bytes; /* up to the end of the last whole record */
    size_t cut_line;    /* where a record begins that the file's end cuts short; 0: none */
};

/* STATUS_BAD_INPUT when the file cannot be read, or has a zero byte before its last line break. */
bool records_read(const char *path, records_visit *visit, void *context,
                  struct records_extent *extent, struct error *error);

struct record_file; /* a file that is appended to */

/* A new file that begins with the names of the columns (NULL-terminated). STATUS_BAD_INPUT when
 * there is such a file already or it cannot be made. */
bool record_file_create(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error);

/* Goes on with a file after its last whole record; one cut short is taken away. An empty file gets
 * its columns. STATUS_BAD_INPUT when the file cannot be opened or has other columns than these. */
bool record_file_resume(const char *path, const char *const *columns, struct record_file **file,
                        struct error *error);

/* Adds one record to `text`, quoting what needs it; NULL fields are empty. */
void record_format(struct strbuf *text, const char *const *fields, size_t count);

/* Appends whole records. STATUS_SYSTEM when they cannot be written; the file is then as before. */
bool record_file_append(struct record_file *file, const struct strbuf *records,
                        struct error *error);

/* NULL is fine. */
void record_file_close(struct record_file *file);

/* ---- samples.csv and stages.csv: one number per record ---- */

/* A file with one number per record, and words that say what it is of. */

enum { LONG_TABLE_MAX_WORDS = 8 };

struct long_table {
    const char *const *words;     /* columns of words, NULL-terminated; case_id is the first */
    const char *number;           /* the column of the number */
    bool may_be_zero;             /* the number is at least 0; else above 0 */
    const char *record, *records; /* what one is, and several are, in messages: "sample" */
};

/* One record. Words are printable; "" where the field is empty, NULL where the file has no such
 * column. They are the callee's until it returns. */
struct long_record {
    size_t line; /* where it begins in the file */
    const char *words[LONG_TABLE_MAX_WORDS];
    double number;
};

/* False stops the reading with *error. */
typedef bool long_table_visit(void *context, const struct long_record *record, struct error *error);

/* Visits the records of a file in their order. Malformed lines are skipped and logged to `log`,
 * which may be NULL. STATUS_BAD_INPUT for a file that cannot be read or lacks the first column of
 * words or that of the number. */
bool long_table_read(const char *path, const struct long_table *table, long_table_visit *visit,
                     void *context, FILE *log, struct error *error);

extern const struct long_table samples_table, stages_table;

/* ---- one row ---- */

/* A row as text fields, one per column; NULL: empty. */
struct row {
    char **fields;
    size_t line; /* of the file that it was read from, where it begins; 0: not read */
};

/* The field of a column; "" where empty. The number of a column; NaN where it is empty or none. A
 * cutoff of none is inf. */
const char *row_text(const struct row *row, enum column column);
double row_number(const struct row *row, enum column column);

/* Whether the field is what rows say that do not name it (schema: .absent). */
bool row_is_default(const struct row *row, enum column column);

/* Appends the columns of ROLE_KNOB that are not at their defaults, separated by blanks. */
void row_append_knobs(const struct row *row, struct strbuf *words);

/* The same, but only words, as "A=1" of "A=1 B=2", that some of the rows of the same variant lack:
 * what distinguishes it from them. */
void row_append_varied(const struct row *row, const struct row *const *rows, size_t count,
                       struct strbuf *words);

/* Whether it is the second timing of a case, which measures noise and is no result. */
bool row_is_twin(const struct row *row);

bool row_passed(const struct row *row);

/* Whether that is what the case came to: a crash or a timeout may be a chance or somebody's kill,
 * and is tried again. */
bool row_is_final(const struct row *row);

/* What a row is the result of. Words are the row's own. */
struct row_key {
    const char *case_id, *device, *repetition;
};
struct row_key row_key_of(const struct row *row);
int row_key_compare(const struct row_key *one, const struct row_key *other);

/* The order by which rows of one result (the same key) are equal. */
int row_compare_results(const struct row *one, const struct row *other);
/* For qsort() of pointers to rows: by result, and within one as the file has them. */
int row_compare_places(const void *one, const void *other);

/* A row being made, all fields empty. */
void row_create(struct row *row);
void row_free(struct row *row);
void row_copy(const struct row *row, struct row *copy); /* caller frees */
void row_set(struct row *row, enum column column, const char *value);
void row_set_number(struct row *row, enum column column, double value); /* NaN: empty */
void row_set_count(struct row *row, enum column column, int64_t value); /* negative: empty */

/* Appends the row to a file of column_names, flushed. */
bool row_append(struct record_file *file, const struct row *row, struct error *error);

/* ---- the table ---- */

struct row_table {
    const char *label; /* what figures call the run, of whoever read it; NULL: its number */
    struct row *rows;
    size_t count;
    size_t warnings; /* lines dropped or columns unknown, each logged */
};

/* The file of a path that is a run's folder or the file itself, into `file`. STATUS_BAD_INPUT: it
 * does not fit. That the file is there is not looked at. */
bool rows_locate(const char *path, char *file, size_t size, struct error *error);

/* The path of a file beside a rows.csv. */
void rows_beside(const char *rows_file, const char *name, char path[PATH_MAX]);

/* A file of a run's folder. STATUS_BAD_INPUT: it does not fit. */
bool run_path(const char *folder, const char *file, char path[PATH_MAX], struct error *error);
/* Whether it is there. */
bool run_holds(const char *folder, const char *file);

/* Whether what is made of the rows of `path` can be written to `output`: STATUS_BAD_INPUT, naming
 * -o, where that is one of the files that the run recorded. */
bool rows_spare(const char *path, const char *output, struct error *error);

/* The files of a run's folder: rows.csv first, those without a hash last. Figures and a report are
 * made from them. */
struct run_file {
    const char *name;
    bool is_hashed;   /* has a line in checksums.txt */
    bool is_optional; /* can be large, and may be left out later */
};
extern const struct run_file run_files[]; /* ended by NULL */

/* A row that crashed or timed out is skipped where a later one has the result of a retry
 * (row_compare_results). A number below 0, NaN and one without end count as unknown and are warned
 * of, but for columns that may hold them. `log` may be NULL. STATUS_BAD_INPUT: no such file, or its
 * first line names no column of ours, or one twice. */
bool rows_read(const char *path, FILE *log, struct row_table *table, struct error *error);

/* Likewise for a run that continues or is merged, but STATUS_BAD_INPUT, naming the line, for a
 * field without a number where its column has numbers, for one that counts as unknown above, and
 * for a second row of one result. `is_of_visits`: a result has as many rows as visits. */
bool rows_read_strictly(const char *path, bool is_of_visits, FILE *log, struct row_table *table,
                        struct error *error);
void rows_free(struct row_table *table);

/* What rows of older formats left unsaid. This is the one place that knows: once a row
 * is read, it says what a row of today says. */

/* Fills in the fields of a row that was read: what a column's entry in the schema says of rows
 * without it; half the shortest edge where a case ended before its periodic box was made and its
 * cutoff was left empty; the energy of a pair where only that of an evaluation is known. */
void row_complete_older(struct row *row);

/* The rows of a run that the words of the command line choose: the axes by which cases
 * are planned, over what was recorded.
 *
 * How rows are chosen by an axis stands in its entry (campaign/axes/axes.def): names by lists of
 * globs, an interaction by its name or all of it, a device as `pairmark devices` names it, by its
 * model or its backend; numbers by lists and ranges, a cutoff also by `none`; groups by `ratio`,
 * lists of A:B in particles, and `pairs`. */

/* Drops the rows that the axes do not choose; those that are NULL choose all. STATUS_BAD_INPUT for
 * numbers that are none, and for axes that rows do not record: files, particles by their number,
 * tunables, judging. */
bool row_filter_apply(const struct axes *axes, struct row_table *table, struct error *error);

/* A run measures its own noise: a few cases are timed twice, under two names,
 * and how far the two times differ is what a difference between two cases has to exceed.
 *
 * A twin is another entry of the campaign with the same case: it takes a place of its own in the
 * shuffled order, is prepared, gated and sampled anew, and has a row whose column `twin` is 1,
 * whose case_name ends in TWIN_SUFFIX and whose case_id is another. Twins are no results:
 * whatever ranks, draws or compares times leaves them out (row_is_twin). */

#define TWIN_SUFFIX "/again"

enum { DEFAULT_TWINS = 8 };

/* How many of `cases` get a twin: one in four, at least one, at most `most`. */
size_t twins_wanted(size_t cases, size_t most);

/* Which ones: the places of `wanted` of `cases` in an order of all cases that puts what is alike
 * together. One place in each of as many equal spans, and within the spans at places that differ
 * from span to span (steps of the golden ratio), so that variants and sizes both vary. Ascending,
 * each once; wanted <= cases. */
void twins_choose(size_t cases, size_t wanted, size_t *places);

/* The case_id of a twin. */
void twin_id(const char *case_id, char text[HASH_TEXT_SIZE]);

/* What differences mean nothing. */
struct noise_floor {
    double ratio_spread; /* of two times of one case |ratio - 1| is at most this, with 95 %
                            confidence in 99 % of cases: ratio_spread_of(); NaN: not known */
    size_t pairs;        /* of rows that it was computed from */
};

/* Finds the noise floor of a folder's rows: from every twin that passed and the row of its case
 * that has the same device and repetition and passed, too. */
void noise_floor_find(const struct row_table *table, struct noise_floor *floor);

#endif
