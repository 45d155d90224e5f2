/*
 * The table of all rows. A column whose rows all say the same is named above the table instead,
 * and one that is empty throughout is left out; what is left is shown in two measures: the columns
 * that most readers look for, and, where the reader asks for them, all.
 */
#include "answers/report/report_sections.h"
#include "campaign/memory.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where readers look for them: of a narrow page the first three are seen. Those that are not named
 * follow in the order of rows.csv; the message, which is long, is the last. */
static const enum column first_columns[] = {
    COLUMN_VARIANT,
    COLUMN_N,
    COLUMN_FORCE_S_MEDIAN,
    COLUMN_STATUS,
    COLUMN_DEVICE_MODEL,
    COLUMN_BACKEND,
    COLUMN_DEVICE,
    COLUMN_HOST,
    COLUMN_GIT_COMMIT,
    COLUMN_WORKLOAD,
    COLUMN_INTERACTION,
    COLUMN_STRUCTURE,
    COLUMN_TUNABLES,
    COLUMN_TUNED,
    COLUMN_PRECISION,
    COLUMN_OUTPUTS,
    COLUMN_REDUCTION,
    COLUMN_GROUPS,
    COLUMN_N_A,
    COLUMN_N_B,
    COLUMN_BOX_KIND,
    COLUMN_DENSITY,
    COLUMN_CUTOFF,
    COLUMN_PERIODIC,
    COLUMN_SEED,
    COLUMN_REPETITION,
    COLUMN_TWIN,
    COLUMN_FORCE_S_MAD,
    COLUMN_FORCE_S_MIN,
    COLUMN_FORCE_S_P05,
    COLUMN_FORCE_S_P95,
    COLUMN_BUILD_S_MEDIAN,
};

enum { FIRST_COLUMNS = sizeof first_columns / sizeof first_columns[0] };

struct rows_table {
    const struct report_data *data;
    enum column order[COLUMN_COUNT]; /* each once */
    bool is_shown[COLUMN_COUNT];
    const char *common[COLUMN_COUNT]; /* what all rows say; NULL where they differ */
};

static void order_columns(struct rows_table *table) {
    bool placed[COLUMN_COUNT] = { [COLUMN_MESSAGE] = true };
    size_t count = 0;
    for (; count < FIRST_COLUMNS; count++) {
        table->order[count] = first_columns[count];
        placed[first_columns[count]] = true;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!placed[c]) {
            table->order[count++] = (enum column)c;
        }
    }
    table->order[count] = COLUMN_MESSAGE;
}

static void find_common(struct rows_table *table, enum column c) {
    const struct report_data *data = table->data;
    const char *common = NULL;
    for (size_t r = 0; r < data->count; r++) {
        for (size_t i = 0; i < data->runs[r].rows->count; i++) {
            const char *words = row_text(&data->runs[r].rows->rows[i], c);
            if (common && strcmp(common, words) != 0) {
                table->is_shown[c] = true;
                return;
            }
            common = words;
        }
    }
    table->common[c] = common;
    table->is_shown[c] = column_table[c].shown & SHOWN_ALWAYS;
}

/* ---- what is common ---- */

static const char *flag_in_words(const char *flag) {
    if (strcmp(flag, "1") == 0) {
        return "yes";
    }
    return strcmp(flag, "0") == 0 ? "no" : flag;
}

static void write_common(const struct rows_table *table, struct strbuf *html) {
    strbuf_append(html, "<details><summary>The same in all rows</summary><dl class=common>");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const enum column c = table->order[i];
        if (table->common[c] && *table->common[c] && !table->is_shown[c]) {
            strbuf_append(html, "<dt>%s</dt><dd>", column_table[c].heading);
            html_name(html, column_table[c].type == COLUMN_TYPE_FLAG
                                ? flag_in_words(table->common[c])
                                : table->common[c]);
            strbuf_append(html, "</dd>");
        }
    }
    strbuf_append(html, "</dl></details>\n");
}

/* ---- the head ---- */

static bool is_words(const struct column_entry *column) {
    return column->type == COLUMN_TYPE_TEXT || column->type == COLUMN_TYPE_FLAG;
}

static void write_heading(const struct column_entry *column, struct strbuf *html) {
    strbuf_append(html, "<th scope=col data-column=%s%s%s%s title=\"%s\">%s</th>", column->name,
                  is_words(column) ? "" : " data-number",
                  column->shown & SHOWN_CHOICE ? " data-choice" : "",
                  column->shown & SHOWN_MORE ? " class=more" : "", column->name, column->heading);
}

static void write_head(const struct rows_table *table, struct strbuf *html) {
    strbuf_append(html, "<thead><tr>");
    if (table->data->count > 1) {
        strbuf_append(html, "<th scope=col data-column=run data-choice>Run</th>");
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (table->is_shown[table->order[i]]) {
            write_heading(&column_table[table->order[i]], html);
        }
    }
    strbuf_append(html, "</tr></thead>\n");
}

/* ---- rows ---- */

/* As few digits as identify it; data-v is the number itself, which sorting goes by. */
static void write_number(const struct column_entry *column, const char *words, double value,
                         struct strbuf *html) {
    char shown[40];
    if (column->type == COLUMN_TYPE_SECONDS) {
        strbuf_append(html, " data-v=%.9g>", value);
        html_seconds(html, value);
        return;
    }
    if (column->type == COLUMN_TYPE_PERCENT) {
        quantity_percent(0.01 * value, shown, sizeof shown);
    } else if (column->type == COLUMN_TYPE_COUNT && value < 1e15 && value == floor(value)) {
        (void)snprintf(shown, sizeof shown, "%.0f", value);
    } else if (isinf(value)) {
        strbuf_append(html, " data-v=Infinity>none");
        return;
    } else {
        (void)snprintf(shown, sizeof shown, "%.4g", value);
    }
    if (strcmp(shown, words) == 0) {
        strbuf_append(html, ">%s", words);
    } else {
        strbuf_append(html, " data-v=%.9g>%s", value, shown);
    }
}

/* The variant is what a row is called by. */
static void write_cell(enum column index, const struct row *row, struct strbuf *html) {
    const struct column_entry *column = &column_table[index];
    const char *words = row_text(row, index);
    double value = row_number(row, index);
    if (index == COLUMN_VARIANT) {
        strbuf_append(html, "<th scope=row>");
        html_text(html, words);
        strbuf_append(html, "</th>");
        return;
    }
    if (is_words(column) || isnan(value)) {
        strbuf_append(html, column->shown & SHOWN_MORE ? "<td class=more>" : "<td>");
        html_text(html, column->type == COLUMN_TYPE_FLAG ? flag_in_words(words) : words);
    } else {
        strbuf_append(html, column->shown & SHOWN_MORE ? "<td class=\"more r\"" : "<td class=r");
        write_number(column, words, value, html);
    }
    strbuf_append(html, "</td>");
}

static void write_row(const struct rows_table *table, const struct report_run *run,
                      const struct row *row, struct strbuf *html) {
    const bool passed = strcmp(row_text(row, COLUMN_STATUS), "ok") == 0;
    strbuf_append(html, passed ? "<tr" : "<tr class=failed");
    strbuf_append(html, passed && row_is_repeat(row) ? " class=twin>" : ">");
    if (table->data->count > 1) {
        strbuf_append(html, "<td>%s</td>", run->label);
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (table->is_shown[table->order[i]]) {
            write_cell(table->order[i], row, html);
        }
    }
    strbuf_append(html, "</tr>\n");
}

struct timed_row {
    const struct report_run *run;
    const struct row *row;
    double seconds; /* infinite: it has no time */
    size_t place;
};

static int compare_times(const void *a, const void *b) {
    const struct timed_row *left = a;
    const struct timed_row *right = b;
    const int order = (left->seconds > right->seconds) - (left->seconds < right->seconds);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* The rows of all runs, the fastest first. */
static void write_by_time(const struct rows_table *table, struct strbuf *html) {
    const struct report_data *data = table->data;
    size_t count = 0;
    for (size_t r = 0; r < data->count; r++) {
        count += data->runs[r].rows->count;
    }
    struct timed_row *rows = memory_zeroed(count + 1, sizeof *rows);
    count = 0;
    for (size_t r = 0; r < data->count; r++) {
        for (size_t i = 0; i < data->runs[r].rows->count; i++) {
            const struct row *row = &data->runs[r].rows->rows[i];
            const double seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
            rows[count] = (struct timed_row){ &data->runs[r], row,
                                              isnan(seconds) ? INFINITY : seconds, count };
            count++;
        }
    }
    qsort(rows, count, sizeof *rows, compare_times);
    for (size_t i = 0; i < count; i++) {
        write_row(table, rows[i].run, rows[i].row, html);
    }
    free(rows);
}

/* The script fills the controls in and shows them. */
static void write_controls(struct strbuf *html) {
    strbuf_append(html,
                  "<form id=controls hidden><p><label for=filter>Words that a row holds</label> "
                  "<input id=filter type=search autocomplete=off spellcheck=false> "
                  "<label><input id=all type=checkbox> all columns</label> "
                  "<button type=reset>Show all rows</button> "
                  "<output id=shown aria-live=polite></output></p>"
                  "<fieldset id=choices><legend>Only</legend></fieldset></form>\n");
}

void report_rows(const struct report_data *data, struct strbuf *html) {
    struct rows_table table = { .data = data };
    order_columns(&table);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!(column_table[c].shown & SHOWN_NOWHERE)) {
            find_common(&table, (enum column)c);
        }
    }
    strbuf_append(html, "<section id=rows>\n<h2>Rows</h2>\n");
    write_common(&table, html);
    write_controls(html);
    strbuf_append(
        html, "<div class=\"scroll tall\" role=region aria-label=\"Rows\" tabindex=0>"
              "<table id=table class=numbers><caption>All rows: medians; building the structure "
              "is not in the time; the titles of columns name them in rows.csv</caption>\n");
    write_head(&table, html);
    strbuf_append(html, "<tbody>\n");
    write_by_time(&table, html);
    strbuf_append(html, "</tbody></table></div>\n<p><button id=rest type=button "
                        "hidden></button></p>\n</section>\n");
}
