#include "answers/summary/summary_variants.h"

#include "answers/summary/summary_cells.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

/* A cell is two blanks, the time, a mark, a blank and the ratio. */
enum { LINE = 100, INDENT = 2, TIME = 7, RATIO = 6, CELL = 2 + TIME + 1 + 1 + RATIO };

/* One table: what of each point it shows. */
struct table {
    const struct summary_cells *cells;
    const char *baseline; /* NULL: the fastest */
    bool end_to_end;
    int name; /* characters of the longest name */
};

static double seconds_of(const struct table *table, const struct summary_point *point) {
    return table->end_to_end ? point->end_to_end_s : point->force_s;
}

/* What times at the n-th N are set against; NULL: it did not pass there. */
static const struct summary_point *baseline_at(const struct table *table, size_t n) {
    const struct summary_cell *cell =
        table->baseline ? summary_cell_of(table->cells, table->baseline, n) : NULL;
    return !table->baseline ? summary_cells_ranked(table->cells, n, 1)
           : cell           ? cell->fastest
                            : NULL;
}

/* ---- cells ---- */

static void write_ratio(double ratio, struct strbuf *text) {
    char words[QUANTITY_SIZE];
    quantity_ratio(ratio, words, sizeof words);
    if (isfinite(ratio)) {
        strbuf_append(text, " %*sx", RATIO - 1, words);
    } else {
        strbuf_append(text, " %*s", RATIO, words);
    }
}

static void write_cell(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const struct summary_cell *cell = &table->cells->cells[variant * table->cells->n_count + n];
    const struct summary_point *point = cell->fastest;
    const struct summary_point *baseline = baseline_at(table, n);
    char time[32];
    if (!point) {
        strbuf_append(text, "%*s", CELL, cell->failed ? cell->failed->status : "not run");
        return;
    }
    const bool others_failed = cell->failed && strcmp(cell->failed->status, "unsupported") != 0;
    quantity_even_seconds(seconds_of(table, point), time, sizeof time);
    strbuf_append(text, "  %*s%s", TIME, time, others_failed ? "!" : point->is_short ? "*" : " ");
    write_ratio(baseline ? seconds_of(table, point) / seconds_of(table, baseline) : NAN, text);
}

static void write_built(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const struct summary_cell *cell = &table->cells->cells[variant * table->cells->n_count + n];
    char time[32] = "";
    if (cell->fastest && cell->fastest->build_s > 0) {
        quantity_even_seconds(cell->fastest->build_s, time, sizeof time);
    }
    strbuf_append(text, "  %*s%*s", TIME, time, CELL - TIME - 2, "");
}

static void write_n(const struct table *table, size_t variant, size_t n, struct strbuf *text) {
    const double number = table->cells->n[n];
    char words[32];
    (void)variant;
    (void)snprintf(words, sizeof words, isnan(number) ? "N not known" : "N = %.0f", number);
    strbuf_append(text, "%*s", CELL, words);
}

/* ---- lines ---- */

/* Takes the blanks off the end of the last line, and ends it. */
static void end_line(struct strbuf *text) {
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ') {
        text->data[--text->length] = '\0';
    }
    strbuf_append(text, "\n");
}

typedef void cell_writer(const struct table *table, size_t variant, size_t n, struct strbuf *text);

/* A cell for each N from `first` to `end`. */
static void write_cells(const struct table *table, size_t first, size_t end, cell_writer *write,
                        size_t variant, struct strbuf *text) {
    for (size_t n = first; n < end; n++) {
        write(table, variant, n, text);
    }
    end_line(text);
}

/* The columns of N from `first` to `end`. */
static void write_block(const struct table *table, size_t first, size_t end, struct strbuf *text) {
    strbuf_append(text, "  %-*s", table->name, "variant");
    write_cells(table, first, end, write_n, 0, text);
    for (size_t v = 0; v < table->cells->variant_count; v++) {
        strbuf_append(text, "  %-*s", table->name, table->cells->variants[v]);
        write_cells(table, first, end, write_cell, v, text);
        if (!table->end_to_end && table->cells->is_built[v]) {
            strbuf_append(text, "  %-*s", table->name, "  built in");
            write_cells(table, first, end, write_built, v, text);
        }
    }
}

static void write_table(const struct table *table, struct strbuf *text) {
    const int fitting = (LINE - INDENT - table->name) / CELL;
    const size_t columns = fitting > 1 ? (size_t)fitting : 1;
    const size_t count = table->cells->n_count;
    strbuf_append(text, "\n  %s of every variant, and its ratio to that of %s\n",
                  table->end_to_end ? "time end to end" : "time",
                  table->baseline ? table->baseline : "the fastest at the same N");
    for (size_t first = 0; first < count; first += columns) {
        write_block(table, first, first + columns < count ? first + columns : count, text);
    }
}

static bool write_times(struct summary_points *points, size_t setting, enum summary_time time,
                        const char *baseline, struct strbuf *text, struct error *error) {
    struct summary_cells cells;
    struct table table = { &cells, baseline, time == SUMMARY_END_TO_END,
                           (int)strlen("  built in") };
    if (!summary_cells_make(points, "settings", setting, time, &cells, error)) {
        return false;
    }
    for (size_t v = 0; v < cells.variant_count; v++) {
        const int length = (int)strlen(cells.variants[v]);
        table.name = length > table.name ? length : table.name;
    }
    if (cells.variant_count > 1) {
        write_table(&table, text);
    }
    summary_cells_free(&cells);
    return true;
}

bool summary_variants(struct summary_points *points, size_t first, size_t end, const char *baseline,
                      struct strbuf *text, struct error *error) {
    const size_t setting = points->points[first].setting;
    bool transfers = false;
    for (size_t i = first; i < end; i++) {
        transfers = transfers || points->points[i].end_to_end_s > 0;
    }
    return write_times(points, setting, SUMMARY_FORCE, baseline, text, error) &&
           (!transfers || write_times(points, setting, SUMMARY_END_TO_END, baseline, text, error));
}
