/*
 * compare_table — a comparison as text: aligned for a terminal, Markdown, or CSV.
 */
#ifndef PAIRMARK_ANSWERS_COMPARE_COMPARE_TABLE_H
#define PAIRMARK_ANSWERS_COMPARE_COMPARE_TABLE_H

#include "answers/compare/compare.h"

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

enum compare_format { COMPARE_TABLE, COMPARE_CSV, COMPARE_MARKDOWN };

struct compare_view {
    enum compare_format format;
    bool list_unmatched; /* cases without a partner, too */
    bool verbose;        /* all tunables; else those that differ between lines of a variant */
    int columns;         /* tunables go below lines that would be longer */
};

/* Correctness differences first, then the cases by verdict. An append that failed is left to the
 * caller: text->failed. STATUS_OUT_OF_MEMORY. */
bool compare_format(const struct comparison *comparison, const struct compare_view *view,
                    struct strbuf *text, struct error *error);

/* Who was compared, with whose noise floor; and a line of counts for each side. */
void compare_describe_sides(const struct comparison *comparison, struct strbuf *text);
void compare_summarise(const struct comparison *comparison, struct strbuf *text);

#endif
