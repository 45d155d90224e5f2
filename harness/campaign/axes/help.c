#include "campaign/axes/help.h"
#include "core/strings.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 23, HELP_WIDTH = 92 };

/* As many letters as fit into the width, to the end of a word; one word where none fits. */
static size_t line_length(const char *words, size_t width) {
    size_t length = strlen(words);
    if (length <= width) {
        return length;
    }
    for (length = width; length > 0 && words[length] != ' ';) {
        length--;
    }
    return length > 0 ? length : strcspn(words, " ");
}

void help_append_lines(struct strbuf *text, const char *words, size_t at, size_t indent) {
    do {
        const size_t length = line_length(words, at < HELP_WIDTH ? HELP_WIDTH - at : 1);
        strbuf_append(text, "%.*s\n", (int)length, words);
        words += length + strspn(words + length, " ");
        at = indent;
        strbuf_append(text, "%*s", *words ? (int)indent : 0, "");
    } while (*words);
}

void help_append_option(struct strbuf *text, const char *option, const char *placeholder,
                        const char *help) {
    char head[80];
    (void)snprintf(head, sizeof head, "  %s%s%s", option, placeholder ? " " : "",
                   placeholder ? placeholder : "");
    strbuf_append(text, "%-*s ", HELP_COLUMN - 1, head);
    const size_t length = strlen(head) + 1;
    help_append_lines(text, help, length > HELP_COLUMN ? length : HELP_COLUMN, HELP_COLUMN);
}
