/*
 * files — files read whole, and names of files and folders.
 */
#ifndef PAIRMARK_CORE_FILES_H
#define PAIRMARK_CORE_FILES_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- files from outside ---- */

/* Files from outside, read whole: regular ones of a bounded size.
 *
 * A pipe, a device or a file that grows without end would be read for ever, and what is no
 * regular file cannot be read a second time by the worker. So all reading of whole files goes
 * through here. */

/* The most bytes of a file of each kind. */
#define INPUT_KERNEL_BYTES ((uint64_t)16 << 20) /* a kernel file */
#define INPUT_TABLE_BYTES ((uint64_t)1 << 30)   /* parameters, exclusions, JSON, stored tunables */
#define INPUT_RECORD_BYTES ((uint64_t)8 << 30)  /* rows.csv, samples.csv */
#define INPUT_BOX_BYTES ((uint64_t)64 << 30)    /* a box, an entry of the cache */

/* The whole file, NUL-terminated (the NUL is not counted in *length; length may be NULL). Caller
 * frees. STATUS_BAD_INPUT, naming the path and the reason, for what cannot be opened or read, is no
 * regular file, or has more than `most` bytes; STATUS_OUT_OF_MEMORY for what has more than the
 * machine has memory. Nothing is waited for: not even opening a pipe. */
bool input_read(const char *path, uint64_t most, char **data, size_t *length, struct error *error);

/* The same of a text, without the mark of UTF-8 that it may begin with, its lines ended by \n or
 * \r\n: also STATUS_BAD_INPUT where it holds a NUL byte. */
bool input_read_text(const char *path, uint64_t most, char **text, struct error *error);

/* Up to `size` - 1 bytes that a regular file begins with, and a NUL; how many bytes. 0 where there
 * is no such file: whoever reads it whole says why. */
size_t input_read_beginning(const char *path, char *text, size_t size);

/* ---- pairmark's own files, and names ---- */

/* input_read for files of at most INPUT_TABLE_BYTES. */
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

/* The name of a file, `length` characters of `name`, that is meant to lie beside the one at `path`
 * (NULL: where the program runs) unless it begins with a slash. False where it has no room. */
bool fs_beside(const char *path, const char *name, size_t length, char *beside, size_t size);

/* Whether it is a regular file, or a link to one. */
bool fs_is_file(const char *path);

/* mkdir -p. STATUS_SYSTEM on failure. */
bool fs_make_directories(const char *path, struct error *error);
/* The same of the folder that a file is to lie in. */
bool fs_make_folder_of(const char *path, struct error *error);

/* Makes a folder in TMPDIR, else in /tmp: pairmark-NAME-XXXXXX, where X are chosen so that it is
 * new. STATUS_SYSTEM on failure, STATUS_BAD_INPUT where its path has no room in `size`. */
bool fs_make_temporary(const char *name, char *path, size_t size, struct error *error);

/* rm -r, of what can be removed. */
void fs_remove_folder(const char *path);

/* "DIRECTORY/NAME", allocated; NULL when memory ran out. */
char *fs_join(const char *directory, const char *name, struct error *error);

#endif
