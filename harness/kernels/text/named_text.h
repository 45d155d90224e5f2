/*
 * named_text — texts of files, put together so that messages of compilers name the files' own
 * lines.
 */
#ifndef PAIRMARK_KERNELS_TEXT_NAMED_TEXT_H
#define PAIRMARK_KERNELS_TEXT_NAMED_TEXT_H

#include "core/strings.h"

/* What follows is the file's first line. */
static inline void append_line_word(struct strbuf *text, const char *path) {
    strbuf_append(text, "#line 1 ");
    strbuf_append_quoted(text, path);
    strbuf_append(text, "\n");
}

static inline void append_file(struct strbuf *text, const char *path, const char *content) {
    append_line_word(text, path);
    strbuf_append(text, "%s\n", content);
}

#endif
