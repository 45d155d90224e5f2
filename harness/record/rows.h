/*
 * rows — rows.csv: one row a case and repetition, appended and flushed as each ends.
 *
 * The columns are the contract of design section 9, in the order of row_columns[]. A number that is
 * not known is an empty field. Reading is by column name: unknown columns are kept aside and
 * counted, missing ones read as unknown, a line cut short is dropped with a warning that names the
 * line. What is read is printable: '?' stands for control characters and what is no UTF-8.
 */
#ifndef PAIRMARK_RECORD_ROWS_H
#define PAIRMARK_RECORD_ROWS_H

#include "base/error.h"
#include "record/records.h"

#include <stdint.h>
#include <stdio.h>

/* After the columns of design section 9, in this order: `case_name` (as Google Benchmark calls it),
 * `repetition` (0, 1, ...), `device_model` ("NVIDIA H200"), `periodic` (1, 0), `net_force`,
 * `worst_ratio` (as in struct verdict), `wall_s` (what the case cost in all); `groups` (which
 * particles are paired with which, in words; empty: all), `n_a`, `n_b` (particles of the groups; of
 * pairs, how many), `reduction` (how sums besides the forces are added up), `end_to_end_s_median`
 * (positions to the device, structure, kernels, sums, results back); `samples_dropped` (taken while
 * the device was throttled), `short_kernel` (1: shorter than 3 launch overheads), `twin` (1: the
 * second timing of a case, by which the run measures its own noise: no result of its own; its
 * case_id is another than the case's),
 * `machine_load` (on a CPU device: the share of the processors that others took, 0..1),
 * `nj_per_pair` (nanojoules an interacting pair), `tuned` (1: tunables were those that `tune`
 * stored); `judged_particles` (how many the serial reference computed), `judge_seed` (of the random
 * sample that they are; empty: they are all), `judged_rest` (what computed the others);
 * `visits` (how often the case was timed in the run: visits.h), `visit_s_sd` (the standard
 * deviation of the medians of its visits in seconds; empty for one);
 * `fresh_force_s_median` (an evaluation over particles where the kernel has never seen them). */
extern const char *const row_columns[]; /* NULL-terminated */
enum { ROW_COLUMNS = 78 };

/* A row as text fields, one for each of row_columns; NULL: empty. */
struct row {
    char **fields;
    bool failed; /* a field could not be kept: memory ran out */
    size_t line; /* of the file that it was read from, where it begins; 0: not read */
};

struct row_table {
    const char *label; /* what figures call the run, of whoever read it; NULL: its number */
    struct row *rows;
    size_t count;
    size_t warnings; /* lines dropped or columns unknown, each told to `log` */
};

/* The file of a path that is a run's folder or the file itself, into `file`. STATUS_BAD_INPUT: it
 * does not fit. That the file is there is not looked at. */
bool rows_locate(const char *path, char *file, size_t size, struct error *error);

/* Whether what is made of the rows of `path` can be written to `output`: STATUS_BAD_INPUT, naming
 * -o, where that is one of the files that the run recorded. */
bool rows_spare(const char *path, const char *output, struct error *error);

/* A row that crashed or timed out is left out where a later one tells what came of trying again
 * (the same case_id, device and repetition). `log` may be NULL. STATUS_BAD_INPUT: no such file, or
 * its first line names no column of ours, or one twice. */
bool rows_read(const char *path, FILE *log, struct row_table *table, struct error *error);
void rows_free(struct row_table *table);

/* The field of a column; "" where empty or unknown to the format. The number of a column; NaN where
 * empty. A cutoff of none is inf. */
const char *row_text(const struct row *row, const char *column);
double row_number(const struct row *row, const char *column);

/* Whether it is the second timing of a case, which tells of noise and is no result. */
bool row_is_twin(const struct row *row);

/* A row being made, all fields empty. */
bool row_create(struct row *row, struct error *error);
void row_free(struct row *row);
bool row_copy(const struct row *row, struct row *copy, struct error *error); /* caller frees */
void row_set(struct row *row, const char *column, const char *value);
void row_set_number(struct row *row, const char *column, double value); /* NaN: empty */
void row_set_count(struct row *row, const char *column, int64_t value); /* negative: empty */

/* Appends the row to a file of row_columns, flushed. */
bool row_append(struct record_file *file, const struct row *row, struct error *error);

#endif
