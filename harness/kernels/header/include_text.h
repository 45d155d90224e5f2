/*
 * include_text — a text in CUDA C++ with what it includes of the user's own put in its place.
 *
 * So one text is all that there is to hash, to keep with a run and to hand to a compiler. A file in
 * quotes is looked for beside the one that includes it, then in the folders; one in <> in the
 * folders alone. What is in none of them, such as the toolkit's headers, is left to the compiler,
 * as is what a macro names.
 */
#ifndef PAIRMARK_KERNELS_HEADER_INCLUDE_TEXT_H
#define PAIRMARK_KERNELS_HEADER_INCLUDE_TEXT_H

#include "core/error.h"

#include <stdbool.h>

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
