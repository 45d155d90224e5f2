#include "answers/tables/text_table.h"

#include "measure/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_table_add(struct text_table *table, const char *format, ...) {
    va_list numbers, again;
    va_start(numbers, format);
    va_copy(again, numbers);
    const int length = vsnprintf(NULL, 0, format, numbers);
    char *words = memory_zeroed((size_t)length + 1, 1);
    (void)vsnprintf(words, (size_t)length + 1, format, again);
    va_end(again);
    va_end(numbers);
    table->cells = memory_room(table->cells, table->count, &table->capacity, sizeof *table->cells);
    table->cells[table->count++] = words;
}

size_t characters_of(const char *words) {
    size_t count = 0;
    for (; *words; count++) {
        const size_t bytes = utf8_length(words);
        words += bytes ? bytes : 1;
    }
    return count;
}

static void append_cell(struct strbuf *text, const char *words, size_t width, bool right,
                        bool is_last) {
    const int blanks = (int)(width - characters_of(words));
    if (right) {
        strbuf_append(text, "%*s%s", blanks, "", words);
    } else {
        strbuf_append(text, "%s%*s", words, is_last ? 0 : blanks, "");
    }
    strbuf_append(text, is_last ? "\n" : "  ");
}

void text_table_write(const struct text_table *table, const bool *right, struct strbuf *text) {
    const size_t columns = table->columns;
    size_t *widths = memory_zeroed(columns + 1, sizeof *widths);
    for (size_t i = 0; i < table->count; i++) {
        const size_t width = characters_of(table->cells[i]);
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    for (size_t i = 0; i < table->count; i++) {
        const size_t column = i % columns;
        append_cell(text, table->cells[i], widths[column], right[column], column + 1 == columns);
    }
    free(widths);
}

void text_table_print(struct text_table *table, const bool *right) {
    struct strbuf text = { 0 };
    text_table_write(table, right, &text);
    memory_check(!text.failed);
    (void)fputs(strbuf_text(&text), stdout);
    strbuf_free(&text);
    text_table_free(table);
}

void text_table_free(struct text_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        free(table->cells[i]);
    }
    free(table->cells);
    *table = (struct text_table){ 0 };
}
