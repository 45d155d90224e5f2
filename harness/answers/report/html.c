#include "answers/report/html.h"

#include "core/quantity.h"
#include "core/strings.h"

#include <string.h>

static const char *reference_of(unsigned char character) {
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (character < ' ' && character != '\n' && character != '\t') || character == 127
                   ? "&#xFFFD;"
                   : NULL;
    }
}

/* A <wbr> follows each of the characters of `breaks`. */
static void append(struct strbuf *html, const char *words, const char *breaks) {
    for (; *words; words++) {
        const char *reference = reference_of((unsigned char)*words);
        if (reference) {
            strbuf_append_bytes(html, reference, strlen(reference));
        } else {
            strbuf_append_bytes(html, words, 1);
        }
        if (strchr(breaks, *words)) {
            strbuf_append_bytes(html, "<wbr>", 5);
        }
    }
}

void html_text(struct strbuf *html, const char *words) {
    append(html, words, "");
}

void html_name(struct strbuf *html, const char *name) {
    append(html, name, "_=,/:;");
}

void html_count(struct strbuf *html, size_t count, const char *noun) {
    strbuf_append(html, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void html_seconds(struct strbuf *html, double seconds) {
    char words[24];
    quantity_seconds(seconds, words, sizeof words);
    char *unit = strchr(words, ' ');
    if (unit && strcmp(unit, " us") == 0) {
        *unit = '\0';
        strbuf_append(html, "%s \u00b5s", words);
    } else {
        strbuf_append(html, "%s", words);
    }
}
