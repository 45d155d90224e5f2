/*
 * cuda_text — what is looked for in a text of CUDA C++ before it is compiled.
 */
#ifndef PAIRMARK_KERNELS_CUDA_TEXT_H
#define PAIRMARK_KERNELS_CUDA_TEXT_H

#include "core/error.h"

#include <stdbool.h>

/* The line of the first `#include <header>` (or "header") that no comment holds, as the file's
 * lines are counted; 0 when there is none. It lies from *begin to *end, its line break included. */
int cuda_text_find_include(const char *text, const char *header, const char **begin,
                           const char **end);

/* Whether a comment is open at `end`, where the line ends; `open`: one that began earlier is. */
bool cuda_text_leaves_comment_open(const char *line, const char *end, bool open);

#endif
