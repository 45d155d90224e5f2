/*
 * campaign_recorded — what a folder's rows record of an earlier run: which repetitions of which
 * cases are done, and whether they are of the kernels and boxes that there are now.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_RECORDED_H
#define PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_RECORDED_H

#include "campaign/rows/rows.h"
#include "core/error.h"

#include <stdio.h>

struct recorded {
    struct row_table table;
    const struct row **sorted; /* by case, device and repetition; those that are final */
    size_t sorted_count;
    const struct row **by_names; /* by device and name of the case */
};

/* A row of a hand or of another program is no result that a run may go on with. STATUS_BAD_INPUT,
 * naming the line: it has no verdict, or passed and has no time. */
bool recorded_check_row(const char *path, const struct row *row, struct error *error);

/* Of rows.csv, or of visits.csv. STATUS_BAD_INPUT as rows_read() and recorded_check_row(). */
bool recorded_read(const char *path, bool is_of_visits, FILE *log, struct recorded *recorded,
                   struct error *error);
void recorded_free(struct recorded *recorded); /* also of a zeroed one */

/* NULL where there is none, or only one that is not final: a case that crashed or passed its
 * deadline is tried again. */
const struct row *recorded_find(const struct recorded *recorded, const char *case_id,
                                const char *device, size_t repetition);

/* Of a file with several rows of a repetition, as visits.csv: all of them, in their order; NULL and
 * 0 where there are none. */
const struct row *const *recorded_find_all(const struct recorded *recorded, const char *case_id,
                                           const char *device, size_t repetition, size_t *count);

/* Whether rows of the case on the device are of this very case: one of the same name and another
 * identity was measured with another kernel or box, or when words meant something else. `name` is
 * the case's without its device. STATUS_BAD_INPUT, naming the row. */
bool recorded_check_case(const struct recorded *recorded, const char *path, const char *case_id,
                         const char *device, const char *name, struct error *error);

/* Whether there are rows of the variant on the device. */
bool recorded_has_variant(const struct recorded *recorded, const char *variant, const char *device);

/* Whether the case's rows that passed were compiled from the program of this hash ("": not known).
 * STATUS_BAD_INPUT, naming the row that was not. */
bool recorded_check_program(const struct recorded *recorded, const char *path, const char *case_id,
                            const char *device, const char *kernel_hash, struct error *error);

/* Logs in what the last row of a device differs from what is to be recorded now: a column
 * and its words. `device` NULL: the last row of all. */
void recorded_report_difference(const struct recorded *recorded, const char *path,
                                const char *device, enum column column, const char *now, FILE *log);

/* A run's folder belongs to one process at a time, so that two never append to its
 * rows at once.
 *
 * The lock is a POSIX record lock on FOLDER/.lock. The system lets it go when the process ends,
 * however it ends, and children do not hold it. The file stays: taking it away could part two
 * processes that wait for it. On NFS the lock reaches other hosts where both run the lock service;
 * a process number is then one of the other host. A file system without locks keeps nobody out:
 * that is logged. */

/* The folder is there. *lock is for folder_unlock. `log` may be NULL. STATUS_BAD_INPUT: another
 * process has the folder, named by its number where the system knows it; or the file cannot be
 * made. A process that has the lock already gets it again. */
bool folder_lock(const char *folder, FILE *log, int *lock, struct error *error);
void folder_unlock(int lock); /* -1 is fine */

#endif
