/*
 * strbuf — a string that grows.
 */
#ifndef PAIRMARK_CORE_STRBUF_H
#define PAIRMARK_CORE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

/* A string that grows. Zero-initialise; release with strbuf_free. After a failed append `failed`
 * stays set. */
struct strbuf {
    char *data; /* NUL-terminated, NULL while empty */
    size_t length;
    size_t capacity;
    bool failed; /* an append ran out of memory */
};

void strbuf_append(struct strbuf *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void strbuf_append_bytes(struct strbuf *text, const void *bytes, size_t length);

/* Between quotes, as C wants it: quotes and backslashes escaped. For one line: `words` has no
 * control characters. */
void strbuf_append_quoted(struct strbuf *text, const char *words);

void strbuf_free(struct strbuf *text);

#endif
