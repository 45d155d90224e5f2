/*
 * embedded — texts that the build puts into the binary (kernels, SQL, what pages are styled
 * by, examples of interactions), and the comment that begins a kernel file.
 *
 * A run that is resumed puts the kernel texts that its folder keeps in their place.
 */
#ifndef PAIRMARK_CORE_EMBEDDED_H
#define PAIRMARK_CORE_EMBEDDED_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

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
/* The text of a path, allocated: what is built in, or a file of at most `most` bytes. Errors: those
 * of input_read_text(). */
bool embedded_or_file_text(const char *path, uint64_t most, char **text, struct error *error);

/* Puts a copy of `text` in the place of a built-in one, for the rest of the program and its
 * workers: to be called before variants and interactions are read from them. False: there is no
 * such file, or memory ran out (*known says which). */
bool embedded_replace(const char *path, const char *text, bool *known);

/* ---- the comment that begins a kernel file: its name line and its @words ---- */

enum { HEADER_LINE_SIZE = 512 };

/* Walks the lines of the comment that begins a kernel file. */
struct header_reader {
    const char *path; /* for messages */
    const char *next; /* the rest of the text */
    struct error *error;
    int line;   /* number of the line last returned, from 1 */
    bool ended; /* the comment is over */
    bool cut;   /* the line last returned is longer than what was returned of it */
};

/* Places the reader at the comment's first line of content. STATUS_BAD_INPUT when the text does not
 * begin with a block comment. */
bool header_begin(const char *path, const char *text, struct header_reader *reader,
                  struct error *error);

/* The next line of the comment without its decoration (leading " * ", trailing blanks), printable;
 * false at the end. */
bool header_next(struct header_reader *reader, char line[HEADER_LINE_SIZE]);

/* Fills in the reader's error, "path:line: ..." as STATUS_BAD_INPUT; returns false. */
bool header_fail(const struct header_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Splits "name — summary" (an em dash, or a hyphen with blanks around it). False when there is no
 * dash or no name. */
bool header_split_name(const char *line, char *name, size_t name_size, char *summary,
                       size_t summary_size);

/* Whether the line is "@word rest" and if so, where the rest begins. */
bool header_word(const char *line, const char *word, const char **rest);

#endif
