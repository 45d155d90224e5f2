/*
 * fs — files and folders of pairmark's own.
 */
#ifndef PAIRMARK_CORE_FS_H
#define PAIRMARK_CORE_FS_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* input_read of core/input_file.h, for files of at most INPUT_TABLE_BYTES. */
bool fs_read(const char *path, char **data, size_t *length, struct error *error);

/* output_write of core/output_file.h, for files of pairmark's own: what is there is replaced. */
bool fs_write(const char *path, const void *data, size_t length, struct error *error);

/* Whether both paths name one file that is there. */
bool fs_same_file(const char *a, const char *b);

/* Whether what is written to both paths would come into one file: it is there, or both would make
 * it. Devices, pipes and terminals are no such file; "-" is, beside another "-". */
bool fs_same_target(const char *a, const char *b);

/* What stands after the last slash of a path; points into it. */
const char *fs_last_name(const char *path);

/* mkdir -p. STATUS_SYSTEM on failure. */
bool fs_make_directories(const char *path, struct error *error);

/* "DIRECTORY/NAME", allocated; NULL when memory ran out. */
char *fs_join(const char *directory, const char *name, struct error *error);

#endif
