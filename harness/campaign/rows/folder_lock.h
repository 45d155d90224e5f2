/*
 * folder_lock — a run's folder belongs to one process at a time, so that two never append to its
 * rows at once.
 *
 * The lock is a POSIX record lock on FOLDER/.lock. The system lets it go when the process ends,
 * however it ends, and children do not hold it. The file stays: taking it away could part two
 * processes that wait for it. On NFS the lock reaches other hosts where both run the lock service;
 * a process number is then one of the other host. A file system without locks keeps nobody out:
 * that is logged.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_FOLDER_LOCK_H
#define PAIRMARK_CAMPAIGN_ROWS_FOLDER_LOCK_H

#include "core/error.h"

#include <stdio.h>

/* The folder is there. *lock is for folder_unlock. `log` may be NULL. STATUS_BAD_INPUT: another
 * process has the folder, named by its number where the system knows it; or the file cannot be
 * made. A process that has the lock already gets it again. */
bool folder_lock(const char *folder, FILE *log, int *lock, struct error *error);
void folder_unlock(int lock); /* -1 is fine */

#endif
