/*
 * error — how every fallible function of pairmark reports what went wrong; lines of a log.
 *
 * A fallible function returns true on success. On failure it returns false and leaves a status and
 * one line of text in the caller's struct error; whatever it had begun to build has been released.
 */
#ifndef PAIRMARK_CORE_ERROR_H
#define PAIRMARK_CORE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- errors ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* The first nine are the verdicts a row can carry; the last two end a command. */
enum status {
    STATUS_OK,
    STATUS_WRONG,         /* the result disagrees with the reference */
    STATUS_STALE,         /* faster where a launch could make use of what an earlier one left */
    STATUS_UNSUPPORTED,   /* this device or variant cannot run the case */
    STATUS_OUT_OF_MEMORY, /* host or device */
    STATUS_COMPILE_ERROR, /* the kernel text was refused by the device's compiler */
    STATUS_LAUNCH_ERROR,  /* a kernel or copy failed on the device */
    STATUS_CRASHED,       /* the worker process died */
    STATUS_TIMEOUT,       /* the worker process passed its deadline */
    STATUS_BAD_INPUT,     /* unusable argument or file: exit status 2 */
    STATUS_SYSTEM         /* the device or the system failed: exit status 3 */
};

struct error {
    enum status status;
    char message[2048]; /* one line (of a compiler or gnuplot: several), no trailing newline; '?'
                           stands for control characters and what is no UTF-8 */
};

/* Fills *error and returns false, so that a caller can write `return fail(error, ...)`. */
bool fail(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As fail(), for the one error that needs no explanation: `what` could not be allocated. */
bool fail_out_of_memory(struct error *error, const char *what);

/* An array of `count` items of `size` bytes with room for one more: as it is, or moved, with
 * *capacity doubled. NULL where memory ran out, as *error then says of `what`; the array stays. */
void *with_room(void *array, size_t count, size_t *capacity, size_t size, const char *what,
                struct error *error);

/* Puts "prefix: " before the message of *error and returns false. */
bool fail_within(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The word for a status in rows.csv: ok, wrong, unsupported, ... */
const char *status_name(enum status status);

/* The status whose word is `name`; false when there is none. */
bool status_from_name(const char *name, enum status *status);

/* Whether it is neither ok nor unsupported. */
bool status_failed(enum status status);

/* The exit status of a command that ended with this status: 0, 1 (a case failed), 2 (bad input), 3
 * (system). */
int status_exit_code(enum status status);

#ifdef __cplusplus
}
#endif

/* ---- lines of a log ---- */

/* A line of a log, made printable, and a line break. Nothing where the log is NULL. */
void log_warning(FILE *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
