#include "core/printable.h"

#include <string.h>

size_t utf8_length(const char *words) {
    const unsigned char *bytes = (const unsigned char *)words;
    const size_t length = *bytes < 0x80                      ? 1
                          : *bytes >= 0xc2 && *bytes <= 0xdf ? 2
                          : *bytes >= 0xe0 && *bytes <= 0xef ? 3
                          : *bytes >= 0xf0 && *bytes <= 0xf4 ? 4
                                                             : 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Spelt longer than need be, a surrogate, or beyond the last character. */
    const bool wrong = (*bytes == 0xe0 && bytes[1] < 0xa0) || (*bytes == 0xed && bytes[1] > 0x9f) ||
                       (*bytes == 0xf0 && bytes[1] < 0x90) || (*bytes == 0xf4 && bytes[1] > 0x8f);
    return wrong ? 0 : length;
}

/* Control characters of one byte, and those of two: U+0080 to U+009F. */
static bool is_control(const char *character, size_t length) {
    const unsigned char *bytes = (const unsigned char *)character;
    return length == 1 ? *bytes < ' ' || *bytes == 127
                       : length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

bool has_control_characters(const char *words) {
    for (size_t length; *words; words += length > 0 ? length : 1) {
        length = utf8_length(words);
        if (length > 0 && is_control(words, length)) {
            return true;
        }
    }
    return false;
}

void make_printable(char *words, enum printable lines) {
    char *to = words;
    for (const char *from = words; *from;) {
        const size_t length = utf8_length(from);
        const bool is_break = lines == PRINTABLE_LINES && (*from == '\n' || *from == '\t' ||
                                                           (from[0] == '\r' && from[1] == '\n'));
        if (length > 0 && (is_break || !is_control(from, length))) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}

size_t byte_order_mark(const char *text) {
    static const char mark[] = "\xEF\xBB\xBF";
    return strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}
