#include "summary/summary_variants.h"

#include "base/quantity.h"
#include "base/strbuf.h"

#include <math.h>
#include <string.h>

/* A cell is two blanks, the time, a mark, a blank and the ratio. */
enum { LINE = 100, INDENT = 2, TIME = 7, RATIO = 6, CELL = 2 + TIME + 1 + 1 + RATIO };

/* One table: what of each point it shows. */
struct table {
    const struct summary_points *points;
    size_t first, end; /* of one setting */
    const char *baseline;
    bool end_to_end;
    int name; /* characters of the longest name */
};

/* ---- points ---- */

static double seconds_of(const struct table *table, const struct summary_point *point) {
    return table->end_to_end ? point->end_to_end_s : point->force_s;
}

static const char *variant_of(const struct summary_point *point) {
    return row_text(point->row, COLUMN_VARIANT);
}

/* Behind the points of the same N. Of cases that failed before there was a box it is not known. */
static size_t next_n(const struct table *table, size_t first) {
    const struct summary_point *points = table->points->points;
    size_t next = first + 1;
    while (next < table->end && (points[next].n == points[first].n ||
                                 (isnan(points[next].n) && isnan(points[first].n)))) {
        next++;
    }
    return next;
}

/* The fastest that passed among the points of one N that begin at `first`, of a variant (NULL:
 * any); NULL where none did. */
static const struct summary_point *fastest_at(const struct table *table, size_t first,
                                              const char *variant) {
    const struct summary_point *best = NULL;
    const size_t last = next_n(table, first);
    for (size_t i = first; i < last; i++) {
        const struct summary_point *point = &table->points->points[i];
        const double seconds = seconds_of(table, point);
        if (point->passed && seconds > 0 && (!best || seconds < seconds_of(table, best)) &&
            (!variant || strcmp(variant_of(point), variant) == 0)) {
            best = point;
        }
    }
    return best;
}

/* A point of the variant at that N that failed, rather one that is not merely unsupported; NULL
 * where there is none. */
static const struct summary_point *failed_at(const struct table *table, size_t first,
                                             const char *variant) {
    const struct summary_point *failed = NULL;
    const size_t last = next_n(table, first);
    for (size_t i = first; i < last; i++) {
        const struct summary_point *point = &table->points->points[i];
        if (!point->passed && strcmp(variant_of(point), variant) == 0 &&
            (!failed || strcmp(failed->status, "unsupported") == 0)) {
            failed = point;
        }
    }
    return failed;
}

/* ---- cells ---- */

static void write_ratio(double ratio, struct strbuf *text) {
    char words[32];
    if (!isfinite(ratio)) {
        strbuf_append(text, " %*s", RATIO, "-");
        return;
    }
    if (ratio < 0.00995 || ratio >= 99999.5) {
        (void)snprintf(words, sizeof words, "%.0e", ratio);
    } else {
        (void)snprintf(words, sizeof words, ratio < 99.95 ? "%.2f" : "%.0f", ratio);
    }
    strbuf_append(text, " %*sx", RATIO - 1, words);
}

static void write_cell(const struct table *table, size_t first, const char *variant,
                       struct strbuf *text) {
    const struct summary_point *point = fastest_at(table, first, variant);
    const struct summary_point *failed = failed_at(table, first, variant);
    const struct summary_point *baseline = fastest_at(table, first, table->baseline);
    char time[32];
    if (!point) {
        strbuf_append(text, "%*s", CELL, failed ? failed->status : "not run");
        return;
    }
    const bool others_failed = failed && strcmp(failed->status, "unsupported") != 0;
    quantity_even_seconds(seconds_of(table, point), time, sizeof time);
    strbuf_append(text, "  %*s%s", TIME, time, others_failed ? "!" : point->is_short ? "*" : " ");
    write_ratio(baseline ? seconds_of(table, point) / seconds_of(table, baseline) : NAN, text);
}

static void write_built(const struct table *table, size_t first, const char *variant,
                        struct strbuf *text) {
    const struct summary_point *point = fastest_at(table, first, variant);
    char time[32] = "";
    if (point && point->build_s > 0) {
        quantity_even_seconds(point->build_s, time, sizeof time);
    }
    strbuf_append(text, "  %*s%*s", TIME, time, CELL - TIME - 2, "");
}

/* Whether some point of the variant builds a structure. */
static bool is_built(const struct table *table, const char *variant) {
    for (size_t i = table->first; i < table->end; i++) {
        const struct summary_point *point = &table->points->points[i];
        if (point->build_s > 0 && strcmp(variant_of(point), variant) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

/* Takes the blanks off the end of the last line, and ends it. */
static void end_line(struct strbuf *text) {
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ') {
        text->data[--text->length] = '\0';
    }
    strbuf_append(text, "\n");
}

typedef void cell_writer(const struct table *table, size_t first, const char *variant,
                         struct strbuf *text);

/* A cell for each of `columns` N, the first of which begins at `from`. */
static void write_cells(const struct table *table, size_t from, int columns, cell_writer *write,
                        const char *variant, struct strbuf *text) {
    for (int c = 0; c < columns && from < table->end; c++) {
        write(table, from, variant, text);
        from = next_n(table, from);
    }
    end_line(text);
}

static void write_n(const struct table *table, size_t first, const char *variant,
                    struct strbuf *text) {
    const double n = table->points->points[first].n;
    char words[32];
    (void)variant;
    (void)snprintf(words, sizeof words, isnan(n) ? "N not known" : "N = %.0f", n);
    strbuf_append(text, "%*s", CELL, words);
}

/* The variants of the setting in the order of their names, each once: the first of them behind
 * `name`; NULL behind the last. */
static const char *next_variant(const struct table *table, const char *name) {
    const char *next = NULL;
    for (size_t i = table->first; i < table->end; i++) {
        const char *candidate = variant_of(&table->points->points[i]);
        if ((!name || strcmp(candidate, name) > 0) && (!next || strcmp(candidate, next) < 0)) {
            next = candidate;
        }
    }
    return next;
}

/* The columns from one N on. */
static void write_block(const struct table *table, size_t from, int columns, struct strbuf *text) {
    strbuf_append(text, "  %-*s", table->name, "variant");
    write_cells(table, from, columns, write_n, NULL, text);
    for (const char *name = next_variant(table, NULL); name; name = next_variant(table, name)) {
        strbuf_append(text, "  %-*s", table->name, name);
        write_cells(table, from, columns, write_cell, name, text);
        if (!table->end_to_end && is_built(table, name)) {
            strbuf_append(text, "  %-*s", table->name, "  built in");
            write_cells(table, from, columns, write_built, name, text);
        }
    }
}

static void write_table(const struct table *table, struct strbuf *text) {
    const int fitting = (LINE - INDENT - table->name) / CELL;
    const int columns = fitting > 1 ? fitting : 1;
    strbuf_append(text, "\n  %s of every variant, and its ratio to that of %s\n",
                  table->end_to_end ? "time end to end" : "time",
                  table->baseline ? table->baseline : "the fastest at the same N");
    for (size_t from = table->first; from < table->end;) {
        write_block(table, from, columns, text);
        for (int c = 0; c < columns && from < table->end; c++) {
            from = next_n(table, from);
        }
    }
}

void summary_variants(const struct summary_points *points, size_t first, size_t end,
                      const char *baseline, struct strbuf *text) {
    struct table table = { points, first, end, baseline, false, (int)strlen("  built in") };
    size_t variants = 0;
    bool transfers = false;
    for (const char *name = next_variant(&table, NULL); name; name = next_variant(&table, name)) {
        table.name = (int)strlen(name) > table.name ? (int)strlen(name) : table.name;
        variants++;
    }
    for (size_t i = first; i < end; i++) {
        transfers = transfers || points->points[i].end_to_end_s > 0;
    }
    if (variants < 2) {
        return;
    }
    write_table(&table, text);
    if (transfers) {
        table.end_to_end = true;
        write_table(&table, text);
    }
}
