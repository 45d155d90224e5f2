/* Formats a comparison as text: its table, its failures, and the cases without a partner. */
#include "answers/compare/compare.h"

#include "campaign/axes/axes.h"
#include "campaign/rows/rows.h"
#include "campaign/visits.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 40, CELL_SIZE = 160 };

/* ---- numbers as people read them ---- */

static void format_time(const struct compared_case *timed, char *cell) {
    const double seconds = timed->timed ? exp(timed->time.value) : NAN;
    (void)snprintf(cell, CELL_SIZE, "%s", quantity_seconds_to(seconds, 4).text);
}

/* Decimals of a ratio: near 1 a ten-thousandth matters. */
static int decimals_of(double ratio) {
    return ratio < 10 ? 4 : ratio < 100 ? 2 : 0;
}

static bool is_from_mad(const struct joined_case *joined) {
    return joined->baseline->from_mad || joined->other->from_mad;
}

/* An interval that reaches beyond a factor of 1000 is printed as "(few samples)". */
static void format_interval(const struct joined_case *joined, char *cell) {
    const struct difference *difference = &joined->difference;
    const char *mark = is_from_mad(joined) ? "*" : "";
    if (difference->high < 1e3 && difference->low > 1e-3) {
        (void)snprintf(cell, CELL_SIZE, "[%.*f, %.*f]%s", decimals_of(difference->ratio),
                       difference->low, decimals_of(difference->ratio), difference->high, mark);
    } else {
        (void)snprintf(cell, CELL_SIZE, "(few samples)%s", mark);
    }
}

/* ---- which words distinguish cases ---- */

static const struct compared_case *one_of(const struct joined_case *joined) {
    return joined->baseline ? joined->baseline : joined->other;
}

/* Only a box from a file is identified by its hash, the others by kind, N and seed. */
static void format_field(const struct row *row, enum column column, char *cell) {
    const double number = row_number(row, column);
    if (column == COLUMN_BOX_HASH && strcmp(row_text(row, COLUMN_BOX_KIND), "file") != 0) {
        cell[0] = '\0';
    } else if (isnan(number)) {
        (void)snprintf(cell, CELL_SIZE, "%s", row_text(row, column));
    } else {
        (void)snprintf(cell, CELL_SIZE, "%.9g", number);
    }
}

/* The structure goes with the variant. */
static bool is_shown(enum compare_by by, enum column column) {
    return !column_is_compared(by, column) && column != COLUMN_STRUCTURE;
}

static bool varies(const struct comparison *comparison, enum column column) {
    char first[CELL_SIZE] = "";
    char cell[CELL_SIZE] = "";
    for (size_t i = 0; i < comparison->joined_count; i++) {
        format_field(one_of(&comparison->joined[i])->row, column, i == 0 ? first : cell);
        if (i > 0 && strcmp(first, cell) != 0) {
            return true;
        }
    }
    return false;
}

/* The columns whose values differ between cases: the size and the variant first, the tunables last.
 * Those that all cases share stand above the table. */
struct words {
    enum column varying[COLUMN_COUNT];
    enum column shared[COLUMN_COUNT];
    size_t varying_count, shared_count;
    size_t first_count; /* of the varying: the size and the variant, where they do */
};

static void words_add(const struct comparison *comparison, enum column column,
                      struct words *words) {
    if (!is_shown(comparison->by, column)) {
        return;
    }
    if (varies(comparison, column)) {
        words->varying[words->varying_count++] = column;
    } else {
        words->shared[words->shared_count++] = column;
    }
}

static void words_find(const struct comparison *comparison, struct words *words) {
    *words = (struct words){ 0 };
    words_add(comparison, COLUMN_N, words);
    words_add(comparison, COLUMN_VARIANT, words);
    words->first_count = words->varying_count;
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        if (column != COLUMN_N && column != COLUMN_VARIANT && column != COLUMN_TUNABLES) {
            words_add(comparison, column, words);
        }
    }
    words_add(comparison, COLUMN_TUNABLES, words);
}

static void append_words(const struct row *row, const enum column *columns, size_t count,
                         struct strbuf *text) {
    const char *separator = "";
    char cell[CELL_SIZE];
    for (size_t c = 0; c < count; c++) {
        format_field(row, columns[c], cell);
        if (*cell) {
            strbuf_append(text, "%s%s %s", separator, column_names[columns[c]], cell);
            separator = ", ";
        }
    }
}

/* ---- failures and what has no partner: a line each ---- */

static void list_change(const struct comparison *comparison, enum change change,
                        const struct words *words, bool markdown, struct strbuf *text) {
    const size_t count = comparison_count(comparison, SIZE_MAX, change);
    if (count == 0) {
        return;
    }
    strbuf_append(text, markdown ? "**%s: %zu**\n\n" : "%s: %zu\n", change_name(change), count);
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->change != change) {
            continue;
        }
        const struct compared_case *shown = one_of(joined);
        strbuf_append(text, markdown ? "- " : "  ");
        append_words(shown->row, words->varying, words->varying_count, text);
        if (comparison->side_count > 2) {
            strbuf_append(text, " [%s]", comparison->sides[joined->side].name);
        }
        if (joined->baseline && joined->other) {
            shown = joined->baseline->status != STATUS_OK ? joined->baseline : joined->other;
            const char *message = row_text(shown->row, COLUMN_MESSAGE);
            strbuf_append(text, ": %s -> %s%s%.*s", status_name(joined->baseline->status),
                          status_name(joined->other->status), *message ? ": " : "",
                          (int)strcspn(message, "\n"), message);
        }
        strbuf_append(text, "\n");
    }
    strbuf_append(text, "\n");
}

/* ---- the table ---- */

enum cell_kind {
    CELL_VERDICT,
    CELL_RATIO,
    CELL_INTERVAL,
    CELL_WITHIN,
    CELL_BASELINE,
    CELL_OTHER,
    CELL_FIELD,
    CELL_TUNABLES, /* the baseline's; the other's are the same unless variants are compared */
    CELL_OTHER_TUNABLES
};

struct heading {
    enum cell_kind kind;
    enum column column; /* of CELL_FIELD */
    const char *name;
    bool right; /* numbers stand to the right */
};

struct grid {
    struct heading headings[MAX_COLUMNS];
    char (*cells)[CELL_SIZE]; /* rows of `columns` cells; the first are the names */
    size_t columns, rows;
    const struct row **all; /* of both sides: tunables that all of a variant share are not shown */
    size_t all_count;
    bool all_tunables; /* are shown all the same */
};

static char *grid_cell(const struct grid *grid, size_t row, size_t column) {
    return grid->cells[row * grid->columns + column];
}

static bool is_in_table(const struct joined_case *joined, size_t side) {
    return joined->side == side && (joined->timed || joined->change == CHANGE_UNTIMED);
}

/* The bound under which differences count for nothing, where all lines have the same, which then
 * stands above the table; NaN where they differ. */
static double common_bound(const struct comparison *comparison) {
    double bound = comparison->threshold;
    size_t timed = 0;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->timed) {
            bound = timed++ == 0 || joined->difference.within == bound ? joined->difference.within
                                                                       : NAN;
        }
    }
    return bound;
}

static void add_heading(struct grid *grid, enum cell_kind kind, enum column column) {
    static const char *const names[] = { "verdict", "ratio",    "interval",
                                         "within",  "baseline", "other",
                                         "",        "tunables", "other tunables" };
    const bool is_field = kind == CELL_FIELD;
    grid->headings[grid->columns++] =
        (struct heading){ .kind = kind,
                          .column = column,
                          .name = is_field ? column_names[column] : names[kind],
                          .right = is_field ? column == COLUMN_N
                                            : kind > CELL_VERDICT && kind < CELL_FIELD };
}

static void add_headings(const struct comparison *comparison, const struct words *words,
                         struct grid *grid) {
    const bool within = isnan(common_bound(comparison));
    bool tunables = comparison->by == BY_VARIANT;
    for (size_t w = 0; w < words->first_count; w++) {
        add_heading(grid, CELL_FIELD, words->varying[w]);
    }
    for (enum cell_kind kind = CELL_VERDICT; kind < CELL_FIELD; kind++) {
        if (kind != CELL_WITHIN || within) {
            add_heading(grid, kind, COLUMN_COUNT);
        }
    }
    for (size_t w = words->first_count; w < words->varying_count; w++) {
        if (words->varying[w] == COLUMN_TUNABLES) {
            tunables = true;
        } else {
            add_heading(grid, CELL_FIELD, words->varying[w]);
        }
    }
    if (tunables) {
        add_heading(grid, CELL_TUNABLES, COLUMN_COUNT);
    }
    if (comparison->by == BY_VARIANT) {
        grid->headings[grid->columns - 1].name = "baseline tunables";
        add_heading(grid, CELL_OTHER_TUNABLES, COLUMN_COUNT);
    }
}

static void format_tunables(const struct grid *grid, const struct row *row, char *cell) {
    struct strbuf words = { 0 };
    if (grid->all_tunables) {
        format_field(row, COLUMN_TUNABLES, cell);
        return;
    }
    row_append_varied(row, grid->all, grid->all_count, &words);
    (void)snprintf(cell, CELL_SIZE, "%s", strbuf_text(&words));
    strbuf_free(&words);
}

static void fill_cell(const struct grid *grid, const struct heading *heading,
                      const struct joined_case *joined, char *cell) {
    switch (heading->kind) {
    case CELL_VERDICT:
        (void)snprintf(cell, CELL_SIZE, "%s", change_name(joined->change));
        break;
    case CELL_RATIO:
        if (joined->timed) {
            const double ratio = joined->difference.ratio;
            (void)snprintf(cell, CELL_SIZE, "%.*f", decimals_of(ratio), ratio);
        }
        break;
    case CELL_INTERVAL:
        if (joined->timed) {
            format_interval(joined, cell);
        }
        break;
    case CELL_WITHIN:
        if (joined->timed) {
            (void)snprintf(cell, CELL_SIZE, "%s", quantity_percent(joined->difference.within).text);
        }
        break;
    case CELL_BASELINE:
        format_time(joined->baseline, cell);
        break;
    case CELL_OTHER:
        format_time(joined->other, cell);
        break;
    case CELL_FIELD:
        format_field(joined->baseline->row, heading->column, cell);
        break;
    case CELL_TUNABLES:
        format_tunables(grid, joined->baseline->row, cell);
        break;
    case CELL_OTHER_TUNABLES:
        format_tunables(grid, joined->other->row, cell);
        break;
    }
}

static void grid_free(struct grid *grid) {
    free(grid->cells);
    free(grid->all);
}

/* The cases of a side that were timed. Where variants are compared, which tunables are the best of
 * each is part of the answer. */
static void grid_make(const struct comparison *comparison, size_t side, const struct words *words,
                      bool verbose, struct grid *grid) {
    *grid = (struct grid){ .all_tunables = verbose || comparison->by == BY_VARIANT, .rows = 1 };
    grid->all = memory_zeroed(2 * comparison->joined_count, sizeof *grid->all);
    add_headings(comparison, words, grid);
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (is_in_table(joined, side)) {
            grid->all[grid->all_count++] = joined->baseline->row;
            grid->all[grid->all_count++] = joined->other->row;
        }
    }
    grid->cells = memory_zeroed((grid->all_count / 2 + 1) * grid->columns, sizeof *grid->cells);
    for (size_t c = 0; c < grid->columns; c++) {
        (void)snprintf(grid_cell(grid, 0, c), CELL_SIZE, "%s", grid->headings[c].name);
    }
    for (size_t i = 0; i < comparison->joined_count; i++) {
        if (is_in_table(&comparison->joined[i], side)) {
            for (size_t c = 0; c < grid->columns; c++) {
                fill_cell(grid, &grid->headings[c], &comparison->joined[i],
                          grid_cell(grid, grid->rows, c));
            }
            grid->rows++;
        }
    }
}

/* How wide each column is, 0 where no line has anything in it; returns the width of a line. */
static size_t grid_widths(const struct grid *grid, size_t widths[MAX_COLUMNS]) {
    size_t total = 0;
    for (size_t c = 0; c < grid->columns; c++) {
        size_t most = 0;
        for (size_t r = 1; r < grid->rows; r++) {
            const size_t length = strlen(grid_cell(grid, r, c));
            most = length > most ? length : most;
        }
        const size_t name = strlen(grid->headings[c].name);
        widths[c] = most > 0 && most < name ? name : most;
        total += most > 0 ? widths[c] + 2 : 0;
    }
    return total > 2 ? total - 2 : 0;
}

/* Writes a line in so many columns. Tunables that do not fit (`below`) stand on a line of their own
 * under it. */
static void write_line(const struct grid *grid, size_t row, const size_t *widths, bool below,
                       int columns, struct strbuf *text) {
    enum { INDENT = 4 };
    const size_t from = text->length;
    for (size_t c = 0; c < grid->columns; c++) {
        if (widths[c] > 0 && !(below && grid->headings[c].kind >= CELL_TUNABLES)) {
            strbuf_append(text, grid->headings[c].right ? "%*s  " : "%-*s  ", (int)widths[c],
                          grid_cell(grid, row, c));
        }
    }
    strbuf_end_line(text, from);
    for (size_t c = 0; below && c < grid->columns; c++) {
        if (grid->headings[c].kind >= CELL_TUNABLES && *grid_cell(grid, row, c)) {
            strbuf_append(text, "%*s", INDENT, "");
            help_append_lines(text, grid_cell(grid, row, c), INDENT, INDENT, (size_t)columns);
        }
    }
}

static void grid_write_aligned(const struct grid *grid, int columns, struct strbuf *text) {
    size_t widths[MAX_COLUMNS] = { 0 };
    const bool below = grid_widths(grid, widths) > (size_t)columns;
    for (size_t r = 0; r < grid->rows; r++) {
        write_line(grid, r, widths, below, columns, text);
    }
}

static void grid_write_markdown(const struct grid *grid, struct strbuf *text) {
    size_t widths[MAX_COLUMNS] = { 0 };
    (void)grid_widths(grid, widths);
    for (size_t r = 0; r < grid->rows; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            if (widths[c] > 0) {
                strbuf_append(text, "| %s ", grid_cell(grid, r, c));
            }
        }
        strbuf_append(text, "|\n");
        for (size_t c = 0; r == 0 && c < grid->columns; c++) {
            if (widths[c] > 0) {
                strbuf_append(text, grid->headings[c].right ? "| ---: " : "| --- ");
            }
        }
        strbuf_append(text, r == 0 ? "|\n" : "");
    }
}

/* ---- all of it ---- */

static void describe_load(const struct noise *noise, struct strbuf *text) {
    if (noise->machine_load > machine_load_bound) {
        strbuf_append(text, "; other processes took up to %s of the processors",
                      quantity_percent(noise->machine_load).text);
    }
}

static void describe_noise(const struct noise *noise, double risk, struct strbuf *text) {
    if (noise->visited > 0) {
        strbuf_append(text, "%zu case%s visited several times: visits differ by %s in the median%s",
                      noise->visited, noise->visited == 1 ? "" : "s",
                      quantity_percent(noise->visit_sd).text,
                      noise->visited < noise->timed ? "; of the others: " : "");
    }
    if (noise->visited > 0 && noise->visited == noise->timed) {
        describe_load(noise, text);
        return;
    }
    if (noise_is_known(noise)) {
        strbuf_append(text, "noise floor %s (%zu A/A pairs)",
                      quantity_percent(noise_floor(noise, risk)).text, noise->pairs);
    } else {
        strbuf_append(text, "noise floor unknown: %s is assumed",
                      quantity_percent(noise_floor(noise, risk)).text);
    }
    describe_load(noise, text);
}

static double risk_of(const struct comparison *comparison) {
    return compare_risk / (double)(comparison->timed > 0 ? comparison->timed : 1);
}

static bool has_mad(const struct comparison *comparison) {
    for (size_t i = 0; i < comparison->joined_count; i++) {
        if (comparison->joined[i].timed && is_from_mad(&comparison->joined[i])) {
            return true;
        }
    }
    return false;
}

/* Whether the noise hides whether some case is the same. */
static bool is_noisy(const struct comparison *comparison) {
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->timed && joined->difference.floor > verdict_most_floor) {
            return true;
        }
    }
    return false;
}

/* How many timed cases are judged by clock cycles as well, and how many of these are unclear by
 * that. */
static void describe_clocks(const struct comparison *comparison, struct strbuf *text) {
    size_t known = 0;
    size_t of_clocks = 0;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        known += joined->timed && joined->difference.clock_ratio > 0;
        of_clocks += joined->timed && difference_is_of_clocks(&joined->difference);
    }
    if (known == 0) {
        strbuf_append(text, "cycles     not known: differences are of times alone\n");
        return;
    }
    strbuf_append(text, "cycles     of %zu cases known: a difference holds in clock cycles, too\n",
                  known);
    if (of_clocks > 0) {
        strbuf_append(text, "           %zu unclear: the clock differs, the cycles do not\n",
                      of_clocks);
    }
}

static void describe_bounds(const struct comparison *comparison, struct strbuf *text) {
    const double within = common_bound(comparison);
    strbuf_append(text, "threshold  %s\n", quantity_percent(comparison->threshold).text);
    strbuf_append(text,
                  "within     %s%sthreshold or noise floor, the larger: less is no difference\n",
                  isnan(within) ? "" : quantity_percent(within).text, isnan(within) ? "" : ": ");
    if (is_noisy(comparison)) {
        strbuf_append(text,
                      "           too noisy: above %s nothing is the same, and little differs; "
                      "repeat\n           on a machine that does nothing else\n",
                      quantity_percent(verdict_most_floor).text);
    }
    strbuf_append(
        text,
        "ratio      time of the other / time of the baseline: above 1 is slower\n"
        "interval   of the ratio; the risk that any of %zu leaves out 1 by chance is %.0f %%\n"
        "same       the ratio's own interval of %.0f %% lies inside 1 +/- within\n%s",
        comparison->timed, 100 * compare_risk, 100 * (1 - verdict_own_risk),
        has_mad(comparison) ? "*          from median and MAD: samples are missing\n" : "");
    describe_clocks(comparison, text);
}

/* Names the sides, and the noise floor of each. */
static void describe_sides(const struct comparison *comparison, struct strbuf *text) {
    for (size_t s = 0; s < comparison->side_count; s++) {
        strbuf_append(text, s == 0 ? "baseline   %s, " : "other      %s, ",
                      comparison->sides[s].name);
        describe_noise(&comparison->sides[s].noise, risk_of(comparison), text);
        strbuf_append(text, "\n");
    }
    describe_bounds(comparison, text);
}

static void describe_all(const struct comparison *comparison, const struct compare_view *view,
                         const struct words *words, struct strbuf *text) {
    const bool markdown = view->format == COMPARE_MARKDOWN;
    strbuf_append(text, markdown ? "```\n" : "");
    describe_sides(comparison, text);
    if (comparison->joined_count > 0) {
        struct strbuf shared = { 0 };
        append_words(one_of(&comparison->joined[0])->row, words->shared, words->shared_count,
                     &shared);
        strbuf_append(text, "all cases  ");
        help_append_lines(text, strbuf_text(&shared), 11, 11, (size_t)view->columns);
        strbuf_free(&shared);
    }
    strbuf_append(text, markdown ? "```\n\n" : "\n");
}

static void format_text(const struct comparison *comparison, const struct compare_view *view,
                        struct strbuf *text) {
    const bool markdown = view->format == COMPARE_MARKDOWN;
    struct words words;
    words_find(comparison, &words);
    describe_all(comparison, view, &words, text);
    list_change(comparison, CHANGE_NEWLY_WRONG, &words, markdown, text);
    list_change(comparison, CHANGE_NEWLY_OK, &words, markdown, text);
    for (size_t s = 1; s < comparison->side_count; s++) {
        struct grid grid;
        grid_make(comparison, s, &words, view->verbose, &grid);
        if (comparison->side_count > 2) {
            strbuf_append(text, "%s%s against %s:\n\n", markdown ? "### " : "",
                          comparison->sides[s].name, comparison->sides[0].name);
        }
        if (grid.rows > 1 && markdown) {
            grid_write_markdown(&grid, text);
        } else if (grid.rows > 1) {
            grid_write_aligned(&grid, view->columns, text);
        }
        strbuf_append(text, grid.rows > 1 ? "\n" : "");
        grid_free(&grid);
    }
    if (view->list_unmatched) {
        list_change(comparison, CHANGE_ONLY_BASELINE, &words, markdown, text);
        list_change(comparison, CHANGE_ONLY_OTHER, &words, markdown, text);
    }
}

static const char *const csv_first_columns[] = {
    "baseline_side",     "other_side",      "verdict",       "ratio",
    "ratio_low",         "ratio_high",      "noise_floor",   "within",
    "baseline_s",        "other_s",         "interval_from", "baseline_repetitions",
    "other_repetitions", "baseline_status", "other_status",  "message",
    "baseline_tunables", "other_tunables",  "own_low",       "own_high",
    "cycles_ratio"
};
enum { CSV_FIRST_COLUMNS = sizeof csv_first_columns / sizeof csv_first_columns[0] };

static void csv_number(double value, char *cell) {
    (void)snprintf(cell, CELL_SIZE, "%.9g", value);
    cell[isfinite(value) ? strlen(cell) : 0] = '\0';
}

/* What the interval was estimated from, on the less certain of the two sides. */
static const char *interval_source(const struct joined_case *joined) {
    if (is_from_mad(joined)) {
        return "mad";
    }
    return joined->baseline->from_visits && joined->other->from_visits ? "visits" : "samples";
}

static void csv_times(const struct joined_case *joined, char (*cells)[CELL_SIZE]) {
    const struct difference *difference = &joined->difference;
    csv_number(difference->ratio, cells[3]);
    if (isfinite(difference->high)) {
        csv_number(difference->low, cells[4]);
        csv_number(difference->high, cells[5]);
        csv_number(difference->own_low, cells[18]);
        csv_number(difference->own_high, cells[19]);
        (void)snprintf(cells[10], CELL_SIZE, "%s", interval_source(joined));
    }
    csv_number(difference->floor, cells[6]);
    csv_number(difference->within, cells[7]);
    csv_number(difference->clock_ratio > 0 ? difference->clock_ratio * difference->ratio : NAN,
               cells[20]);
}

static void csv_case(const struct compared_case *shown, char (*cells)[CELL_SIZE], int other) {
    csv_number(shown->timed ? exp(shown->time.value) : NAN, cells[8 + other]);
    (void)snprintf(cells[11 + other], CELL_SIZE, "%zu", shown->repetitions);
    (void)snprintf(cells[13 + other], CELL_SIZE, "%s", status_name(shown->status));
    (void)snprintf(cells[16 + other], CELL_SIZE, "%s", row_text(shown->row, COLUMN_TUNABLES));
    if (shown->status != STATUS_OK) {
        (void)snprintf(cells[15], CELL_SIZE, "%s", row_text(shown->row, COLUMN_MESSAGE));
    }
}

static void csv_row(const struct comparison *comparison, const struct joined_case *joined,
                    struct strbuf *text) {
    char cells[CSV_FIRST_COLUMNS][CELL_SIZE] = { 0 };
    char fields[MAX_COLUMNS][CELL_SIZE];
    const char *record[CSV_FIRST_COLUMNS + MAX_COLUMNS + 1] = {
        comparison->sides[0].name, comparison->sides[joined->side].name, change_name(joined->change)
    };
    size_t count = 3;
    if (joined->timed) {
        csv_times(joined, cells);
    }
    if (joined->baseline) {
        csv_case(joined->baseline, cells, 0);
    }
    if (joined->other) {
        csv_case(joined->other, cells, 1);
    }
    for (; count < CSV_FIRST_COLUMNS; count++) {
        record[count] = cells[count];
    }
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        char *field = fields[count - CSV_FIRST_COLUMNS];
        format_field(one_of(joined)->row, column, field);
        record[count++] = column_is_compared(comparison->by, column) ? "" : field;
    }
    record[count++] = comparison->doubts.data;
    record_format(text, record, count);
}

static void format_csv(const struct comparison *comparison, bool list_unmatched,
                       struct strbuf *text) {
    const char *names[CSV_FIRST_COLUMNS + MAX_COLUMNS + 1];
    size_t count = 0;
    for (; count < CSV_FIRST_COLUMNS; count++) {
        names[count] = csv_first_columns[count];
    }
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        names[count++] = column_names[column];
    }
    names[count++] = "doubts";
    record_format(text, names, count);
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (list_unmatched || (joined->baseline && joined->other)) {
            csv_row(comparison, joined, text);
        }
    }
}

void compare_format(const struct comparison *comparison, const struct compare_view *view,
                    struct strbuf *text) {
    if (view->format == COMPARE_CSV) {
        format_csv(comparison, view->list_unmatched, text);
    } else {
        format_text(comparison, view, text);
    }
}

void compare_summarise(const struct comparison *comparison, struct strbuf *text) {
    if (comparison->doubts.data) {
        strbuf_append(text, "doubtful: %s\n", comparison->doubts.data);
    }
    for (size_t s = 1; s < comparison->side_count; s++) {
        size_t counts[CHANGES];
        size_t both = 0;
        for (int c = 0; c < CHANGES; c++) {
            counts[c] = comparison_count(comparison, s, (enum change)c);
            both += c < CHANGE_ONLY_BASELINE ? counts[c] : 0;
        }
        strbuf_append(text,
                      "%s against %s: %zu case%s in both: %zu slower, %zu faster, %zu same, %zu "
                      "unclear; %zu newly wrong, %zu newly ok",
                      comparison->sides[s].name, comparison->sides[0].name, both,
                      both == 1 ? "" : "s", counts[CHANGE_SLOWER], counts[CHANGE_FASTER],
                      counts[CHANGE_SAME], counts[CHANGE_UNCLEAR], counts[CHANGE_NEWLY_WRONG],
                      counts[CHANGE_NEWLY_OK]);
        for (int c = CHANGE_UNTIMED; c <= CHANGE_BOTH_FAIL; c++) {
            if (counts[c] > 0) {
                strbuf_append(text, ", %zu %s", counts[c], change_name((enum change)c));
            }
        }
        strbuf_append(text, "; without a partner: %zu of the baseline, %zu of the other\n",
                      counts[CHANGE_ONLY_BASELINE], counts[CHANGE_ONLY_OTHER]);
    }
    const struct comparison_effort effort = comparison_find_effort(comparison);
    if (effort.decidable > 0) {
        char least[16] = ""; /* bench refuses 3..2 */
        if (effort.most_visits > DEFAULT_VISITS) {
            (void)snprintf(least, sizeof least, "%d..", DEFAULT_VISITS);
        }
        strbuf_append(text,
                      "about %.0f s more per run would decide %zu of the %zu unclear cases:\n"
                      "bench them with --visits %s%zu\n",
                      fmax(effort.seconds, 1), effort.decidable, effort.unclear, least,
                      effort.most_visits);
    }
}
