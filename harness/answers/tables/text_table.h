/* text_table — cells in columns, each as wide as its widest cell. */
#ifndef PAIRMARK_ANSWERS_TABLES_TEXT_TABLE_H
#define PAIRMARK_ANSWERS_TABLES_TEXT_TABLE_H

#include "core/strings.h"

/* Initialise the number of columns, the rest zero; release with text_table_free. */
struct text_table {
    size_t columns;
    char **cells; /* line by line */
    size_t count, capacity;
};

/* The next cell. */
void text_table_add(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The lines. Columns of numbers are aligned to the right: `right` has a flag each. */
void text_table_write(const struct text_table *table, const bool *right, struct strbuf *text);

/* The lines on standard output; releases the table. */
void text_table_print(struct text_table *table, const bool *right);

void text_table_free(struct text_table *table);

/* Characters of UTF-8. */
size_t characters_of(const char *words);

#endif
