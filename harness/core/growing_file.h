/*
 * growing_file — files to which a long run adds line by line: whoever looks reads what there is,
 * and a run that is ended, however it is, leaves all that was written.
 *
 * A file that is there is never replaced: it is refused, unless a run that goes on adds to it. "-"
 * and devices are written to as they are.
 */
#ifndef PAIRMARK_CORE_GROWING_FILE_H
#define PAIRMARK_CORE_GROWING_FILE_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How many bytes of what is there a run that goes on keeps: all up to the state from which it does.
 * STATUS_BAD_INPUT where the text (of `length` bytes, NUL-terminated) is no such file. */
typedef bool growing_file_keep(void *context, const char *text, size_t length, size_t *kept,
                               struct error *error);

/* A new file; an empty one is as good. STATUS_BAD_INPUT, naming the path, where there is one or it
 * cannot be made. */
bool growing_file_create(const char *path, FILE **file, struct error *error);

/* One that is there, or a new one. Nothing is cut off yet: *kept is how many bytes `keep` says, or
 * GROWING_FILE_ALL where there is nothing to cut. */
#define GROWING_FILE_ALL SIZE_MAX
bool growing_file_continue(const char *path, growing_file_keep *keep, void *context, FILE **file,
                           size_t *kept, struct error *error);

/* Cuts a file that goes on (NULL: nothing) to what is kept, before anything is written to it.
 * STATUS_SYSTEM, naming the path, where that fails. */
bool growing_file_cut(const char *path, FILE *file, size_t kept, struct error *error);

/* Hands on what was written. STATUS_SYSTEM, naming the path, where that fails (a full disk). */
bool growing_file_flush(const char *path, FILE *file, struct error *error);

/* Closes it (NULL: nothing), but for the standard output; as growing_file_flush. */
bool growing_file_close(const char *path, FILE *file, struct error *error);

#endif
