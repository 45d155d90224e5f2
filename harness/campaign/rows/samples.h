/*
 * samples — samples.csv and stages.csv, as whoever wants their numbers reads them.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_SAMPLES_H
#define PAIRMARK_CAMPAIGN_ROWS_SAMPLES_H

#include "campaign/rows/records.h"

#include <stdio.h>

/* The two files. */
extern const struct long_table samples_table, stages_table;

/* One sample. Words are printable; "" where the field is empty, NULL where the file has no such
 * column. They are the callee's until it returns. */
struct sample {
    size_t line; /* where it begins in the file */
    const char *case_id, *repetition, *visit, *sample, *cache, *device, *run_id;
    double seconds; /* above 0 */
};

/* False stops the reading with *error. */
typedef bool samples_visit(void *context, const struct sample *sample, struct error *error);

/* Visits the samples of a file in their order. Malformed lines are skipped and logged to `log`,
 * which may be NULL. STATUS_BAD_INPUT for a file that cannot be read or lacks the columns `case_id`
 * and `seconds`. */
bool samples_read(const char *path, samples_visit *visit, void *context, FILE *log,
                  struct error *error);

/* A file with one number per record, and words that say what it is of: samples.csv,
 * stages.csv. */

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

#endif
