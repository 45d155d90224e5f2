/*
 * read_variant — a variant from a kernel file: its header, its text, and the variant of forces
 * that it names; and the variants that are embedded in the program.
 */
#ifndef PAIRMARK_KERNELS_HEADER_READ_VARIANT_H
#define PAIRMARK_KERNELS_HEADER_READ_VARIANT_H

#include "core/error.h"
#include "kernels/variant.h"

/* Parses a file's text. Of a path that ends in .ptx or .cubin it is a header and the code after it
 * (devices/compiled_code.h): variant_read_kth() joins them from mine.ptx and mine.ptx.header, and
 * takes a file that has both already, as runs keep it. Errors: STATUS_BAD_INPUT as "path:line: what
 * is wrong; expected what". The caller releases it with variant_free(). */
bool variant_parse(const char *path, const char *text, struct variant *variant,
                   struct error *error);
/* A file may serve several workloads (@workload forces coordination): to each of them it is a
 * variant of its own, with a name and tunables of its own where the header says so. An integrator
 * is one with each of those that compute its forces (@forces), verlet+sorted_cells. The above is
 * of the first; these are of the k-th, which is one of variant_count_of_file(). */
bool variant_parse_kth(const char *path, const char *text, int k, struct variant *variant,
                       struct error *error);
bool variant_read_kth(const char *path, int k, struct variant *variant, struct error *error);
/* The same with folders of headers for CUDA C++; they end with NULL, or there are
 * none. What a file includes is part of its text. */
bool variant_read_including(const char *path, char *const *folders, int k, struct variant *variant,
                            struct error *error);

/* The integrator of a variant of time steps with other forces, written in the dialect, whether or
 * not its header names them: verlet+blocks_32. Errors as above, where the two do not go together.
 */
bool variant_join(const struct variant *integrator, const struct variant *forces,
                  struct variant *variant, struct error *error);

/* ---- the variants of the program ---- */

/* The embedded variants, sorted by name, parsed at the first call. NULL with *error set if an
 * embedded file does not parse. They live as long as the program. */
const struct variant *variants_embedded(size_t *count, struct error *error);

/* Whether a path is that of an embedded variant: variants/WORKLOAD/NAME.cl. */
bool variant_is_built_in(const char *path);

/* ---- texts in CUDA C++ ---- */

/* A text in CUDA C++ with what it includes of the user's own put in its place.
 *
 * So one text is all that there is to hash, to keep with a run and to hand to a compiler. A file in
 * quotes is looked for beside the one that includes it, then in the folders; one in <> in the
 * folders alone. What is in none of them, such as the toolkit's headers, is left to the compiler,
 * as is what a macro names. */

/* `folders` ends with NULL, or is NULL. #line directives keep the compiler's messages right. A file
 * with #pragma once or an include guard is put once, and not again. Caller frees *expanded.
 * STATUS_BAD_INPUT, naming file and line, for a file that includes itself or cannot be read, and
 * where the text grows beyond INPUT_KERNEL_BYTES. */
bool include_text_expand(const char *path, const char *text, char *const *folders, char **expanded,
                         struct error *error);

/* The line of the first `#include <header>` (or "header") that no comment holds, as the file's
 * lines are counted; 0 when there is none. It lies from *begin to *end, its line break included. */
int cuda_text_find_include(const char *text, const char *header, const char **begin,
                           const char **end);

/* Whether a comment is open at `end`, where the line ends; `open`: one that began earlier is. */
bool cuda_text_leaves_comment_open(const char *line, const char *end, bool open);

#endif
