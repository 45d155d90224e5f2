#include "core/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_reserve(struct strbuf *text, size_t extra) {
    size_t needed = text->length + extra + 1;
    if (text->failed) {
        return false;
    }
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void strbuf_append_bytes(struct strbuf *text, const void *bytes, size_t length) {
    if (text_reserve(text, length)) {
        memcpy(text->data + text->length, bytes, length);
        text->length += length;
        text->data[text->length] = '\0';
    }
}

void strbuf_append(struct strbuf *text, const char *format, ...) {
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void strbuf_append_quoted(struct strbuf *text, const char *words) {
    strbuf_append_bytes(text, "\"", 1);
    for (; *words; words++) {
        /* A question mark may begin a trigraph, which stands for another character. */
        strbuf_append(text, strchr("\"\\?", *words) ? "\\%c" : "%c", *words);
    }
    strbuf_append_bytes(text, "\"", 1);
}

void strbuf_free(struct strbuf *text) {
    free(text->data);
    *text = (struct strbuf){ 0 };
}
