/*
 * embedded — the texts that the build puts into the binary: kernels, and what pages are styled by.
 */
#ifndef PAIRMARK_VARIANT_EMBEDDED_H
#define PAIRMARK_VARIANT_EMBEDDED_H

struct embedded_file {
    const char *path; /* relative to the repository, as "variants/forces/all_pairs_loop.cl" */
    const char *text;
};

extern const struct embedded_file embedded_files[]; /* ends with a NULL path; sorted by path */

/* The text of one file; NULL when there is none. */
const char *embedded_text(const char *path);

#endif
