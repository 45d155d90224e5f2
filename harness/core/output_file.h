/*
 * output_file — files that a command writes: whole ones, and those that grow line by line.
 */
#ifndef PAIRMARK_CORE_OUTPUT_FILE_H
#define PAIRMARK_CORE_OUTPUT_FILE_H

#include "core/error.h"

#include <stddef.h>
#include <stdio.h>

/* ---- written whole ---- */

/* Every file that a command writes, by one rule.
 *
 * A new file appears under its name when it is whole: a full disk, a crash or Ctrl-C leaves
 * nothing, or the old one. A file that is there is replaced only where the command made it (by
 * what it begins with) or it is empty; any other is refused. Symbolic links are followed.
 * Terminals, pipes and other character devices are written to and stay what they are; "-",
 * /dev/stdout, /dev/stderr and /dev/fd/N are the open descriptors. Folders and disks are
 * refused. */

/* What a command writes. */
struct output_kind {
    const char *what; /* "a box that pairmark made" */
    /* Whether a file that begins with `head` (up to OUTPUT_HEAD_BYTES, NUL-terminated) is one.
     * NULL: a file of pairmark's own, in a place of its own, which is replaced whatever it holds,
     * and is never a pipe or a device. */
    bool (*is_ours)(const char *head);
};

enum { OUTPUT_HEAD_BYTES = 4096 };

/* Before the work is done: whether output_open would succeed, as far as can be known.
 * STATUS_BAD_INPUT, naming the path, where it would not. */
bool output_check(const char *path, const struct output_kind *kind, struct error *error);

/* Whether the path is the standard output. */
bool output_is_standard(const char *path);

struct output; /* a file being written */

/* STATUS_BAD_INPUT for a target that is refused or whose folder is missing, STATUS_SYSTEM for one
 * that the system does not let be written. */
bool output_open(const char *path, const struct output_kind *kind, struct output **output,
                 struct error *error);

FILE *output_stream(struct output *output);

/* Puts what was written under its name and releases the output; where `whole` is false or writing
 * failed (STATUS_SYSTEM), drops it, and a file that was there is as it was. Returns whether it was
 * put; where `whole` is false *error stays what it is. */
bool output_close(struct output *output, bool whole, struct error *error);

/* All three at once. */
bool output_write(const char *path, const struct output_kind *kind, const void *data, size_t length,
                  struct error *error);

/* ---- written line by line ---- */

/* Files to which a long run adds line by line: whoever looks reads what there is, and a run that
 * is ended, however it is, leaves all that was written.
 *
 * A file that is there is refused, never replaced. "-" and devices are written to as they are. */

/* Whether growing_file_create() would refuse a file that is there. STATUS_BAD_INPUT, naming the
 * path. */
bool growing_file_check(const char *path, struct error *error);

/* A new file; an empty one is as good. STATUS_BAD_INPUT, naming the path, where there is one or it
 * cannot be made. */
bool growing_file_create(const char *path, FILE **file, struct error *error);

/* Hands on what was written. STATUS_SYSTEM, naming the path, where that fails (a full disk). */
bool growing_file_flush(const char *path, FILE *file, struct error *error);

/* Closes it (NULL: nothing), but for the standard output; as growing_file_flush. */
bool growing_file_close(const char *path, FILE *file, struct error *error);

#endif
