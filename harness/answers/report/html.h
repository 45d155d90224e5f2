/*
 * html — text from outside put into a page so that it stays text.
 *
 * What is appended is safe between tags and within a quoted attribute: < > & " ' become
 * references, and control characters, which HTML does not allow, the replacement character.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_HTML_H
#define PAIRMARK_ANSWERS_REPORT_HTML_H

#include "core/strings.h"

void html_text(struct strbuf *html, const char *words);

/* As html_text, for long names between tags: a line may be broken after _ = , / : and ;. */
void html_name(struct strbuf *html, const char *name);

/* `count` and a noun, plural where it is: "1 row", "2 rows". */
void html_count(struct strbuf *html, size_t count, const char *noun);

/* As quantity_seconds, with the letter that microseconds are due. */
void html_seconds(struct strbuf *html, double seconds);

#endif
