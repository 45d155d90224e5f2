/*
 * embedded — the texts that the build puts into the binary: kernels, what pages are styled by, and
 * examples of interactions.
 *
 * A run that is resumed puts the kernel texts that its folder keeps in their place.
 */
#ifndef PAIRMARK_CORE_EMBEDDED_H
#define PAIRMARK_CORE_EMBEDDED_H

#include <stdbool.h>

struct embedded_file {
    const char *path; /* relative to the repository, as "variants/forces/all_pairs_loop.cl" */
    const char *text; /* as it was built in: embedded_text() knows what stands in its place */
};

extern const struct embedded_file embedded_files[]; /* ends with a NULL path; sorted by path */

/* The text of one file, or what replaced it; NULL when there is none. Lives as long as the program.
 */
const char *embedded_text(const char *path);

/* The text as it was built in; NULL when there is none. */
const char *embedded_original(const char *path);

/* A built-in text among files: "built-in:share/interactions/table.dat". */
#define EMBEDDED_PREFIX "built-in:"
/* embedded_text() of a path that begins so; NULL for others, which are those of files. */
const char *embedded_file_text(const char *path);

/* Puts a copy of `text` in the place of a built-in one, for the rest of the program and its
 * workers: to be called before variants and interactions are read from them. False: there is no
 * such file, or memory ran out (*known says which). */
bool embedded_replace(const char *path, const char *text, bool *known);

#endif
