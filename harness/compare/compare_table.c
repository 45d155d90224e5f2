#include "compare/compare_table.h"

#include "base/strbuf.h"
#include "machine/machine_load.h"
#include "rows/records.h"
#include "run/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 40, CELL_SIZE = 160 };

/* ---- numbers as people read them ---- */

static void format_time(const struct compared_case *timed, char *cell) {
    static const char *const units[] = { "s", "ms", "us", "ns" };
    double value = timed->timed ? exp(timed->time.value) : NAN;
    int unit = 0;
    if (!isfinite(value)) {
        (void)snprintf(cell, CELL_SIZE, "-");
        return;
    }
    for (; unit < 3 && value < 0.9995; unit++) {
        value *= 1000;
    }
    (void)snprintf(cell, CELL_SIZE, "%.4g %s", value, units[unit]);
}

static void format_share(double share, const char *format, char *cell) {
    if (share < 10) {
        (void)snprintf(cell, CELL_SIZE, format, 100 * share);
    } else {
        (void)snprintf(cell, CELL_SIZE, "over 999 %%");
    }
}

/* One that allows ratios beyond a thousand says nothing, at a length of up to 300 digits. */
static void format_interval(const struct difference *difference, char *cell) {
    if (difference->high < 1e3 && difference->low > 1e-3) {
        (void)snprintf(cell, CELL_SIZE, "[%.4f, %.4f]", difference->low, difference->high);
    } else {
        (void)snprintf(cell, CELL_SIZE, "(few samples)");
    }
}

static bool is_from_mad(const struct joined_case *joined) {
    return joined->baseline->from_mad || joined->other->from_mad;
}

/* ---- which words tell cases apart ---- */

static const struct compared_case *one_of(const struct joined_case *joined) {
    return joined->baseline ? joined->baseline : joined->other;
}

/* The hash of a box says nothing that its kind, N and seed do not, but for one from a file. */
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

/* The columns whose values differ between cases; those that all share are told above the table. */
struct words {
    enum column varying[COLUMN_COUNT];
    enum column shared[COLUMN_COUNT];
    size_t varying_count, shared_count;
};

static void words_find(const struct comparison *comparison, struct words *words) {
    *words = (struct words){ 0 };
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        if (!is_shown(comparison->by, column)) {
            continue;
        }
        if (varies(comparison, column)) {
            words->varying[words->varying_count++] = column;
        } else {
            words->shared[words->shared_count++] = column;
        }
    }
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
        const struct compared_case *told = one_of(joined);
        strbuf_append(text, markdown ? "- " : "  ");
        append_words(told->row, words->varying, words->varying_count, text);
        if (comparison->side_count > 2) {
            strbuf_append(text, " [%s]", comparison->sides[joined->side].name);
        }
        if (joined->baseline && joined->other) {
            told = joined->baseline->status != STATUS_OK ? joined->baseline : joined->other;
            const char *message = row_text(told->row, COLUMN_MESSAGE);
            strbuf_append(text, ": %s -> %s%s%.*s", status_name(joined->baseline->status),
                          status_name(joined->other->status), *message ? ": " : "",
                          (int)strcspn(message, "\n"), message);
        }
        strbuf_append(text, "\n");
    }
    strbuf_append(text, "\n");
}

/* ---- the table ---- */

struct grid {
    char (*cells)[CELL_SIZE]; /* rows of `columns` cells; the first are the names */
    size_t columns, rows;
    bool right[MAX_COLUMNS]; /* numbers stand to the right */
};

static char *grid_cell(const struct grid *grid, size_t row, size_t column) {
    return grid->cells[row * grid->columns + column];
}

static bool is_in_table(const struct joined_case *joined) {
    return joined->timed || joined->change == CHANGE_UNTIMED;
}

static const char *const first_columns[] = { "verdict", "ratio",    "interval",
                                             "within",  "baseline", "other" };
enum { FIRST_COLUMNS = sizeof first_columns / sizeof first_columns[0] };

static void fill_row(const struct comparison *comparison, const struct joined_case *joined,
                     const struct words *words, struct grid *grid, size_t row) {
    const struct difference *difference = &joined->difference;
    size_t column = FIRST_COLUMNS;
    (void)snprintf(grid_cell(grid, row, 0), CELL_SIZE, "%s", change_name(joined->change));
    if (joined->timed) {
        (void)snprintf(grid_cell(grid, row, 1), CELL_SIZE, "%.4f", difference->ratio);
        format_interval(difference, grid_cell(grid, row, 2));
        format_share(difference->within, is_from_mad(joined) ? "%.1f %% *" : "%.1f %%",
                     grid_cell(grid, row, 3));
    }
    format_time(joined->baseline, grid_cell(grid, row, 4));
    format_time(joined->other, grid_cell(grid, row, 5));
    for (size_t w = 0; w < words->varying_count; w++) {
        format_field(joined->baseline->row, words->varying[w], grid_cell(grid, row, column++));
    }
    if (comparison->by == BY_VARIANT) {
        format_field(joined->baseline->row, COLUMN_TUNABLES, grid_cell(grid, row, column++));
        format_field(joined->other->row, COLUMN_TUNABLES, grid_cell(grid, row, column++));
    }
}

static bool grid_make(const struct comparison *comparison, size_t side, const struct words *words,
                      struct grid *grid, struct error *error) {
    size_t rows = 1;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        rows += comparison->joined[i].side == side && is_in_table(&comparison->joined[i]);
    }
    const size_t columns =
        FIRST_COLUMNS + words->varying_count + (comparison->by == BY_VARIANT ? 2 : 0);
    *grid =
        (struct grid){ .cells = calloc(rows * columns, sizeof *grid->cells), .columns = columns };
    if (!grid->cells) {
        return fail_out_of_memory(error, "the table");
    }
    for (size_t c = 0; c < columns; c++) {
        const size_t w = c - FIRST_COLUMNS;
        const char *name = c < FIRST_COLUMNS           ? first_columns[c]
                           : w < words->varying_count  ? column_names[words->varying[w]]
                           : w == words->varying_count ? "baseline tunables"
                                                       : "other tunables";
        (void)snprintf(grid->cells[c], CELL_SIZE, "%s", name);
        grid->right[c] = (c > 0 && c < FIRST_COLUMNS) || strcmp(name, "n") == 0;
    }
    grid->rows = 1;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->side == side && is_in_table(joined)) {
            fill_row(comparison, joined, words, grid, grid->rows++);
        }
    }
    return true;
}

static void grid_write_aligned(const struct grid *grid, struct strbuf *text) {
    size_t widths[MAX_COLUMNS] = { 0 };
    for (size_t r = 0; r < grid->rows; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            const size_t length = strlen(grid_cell(grid, r, c));
            widths[c] = length > widths[c] ? length : widths[c];
        }
    }
    for (size_t r = 0; r < grid->rows; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            const bool last = c + 1 == grid->columns;
            strbuf_append(text, grid->right[c] ? "%*s" : "%-*s",
                          last && !grid->right[c] ? 0 : (int)widths[c], grid_cell(grid, r, c));
            strbuf_append(text, last ? "\n" : "  ");
        }
    }
}

static void grid_write_markdown(const struct grid *grid, struct strbuf *text) {
    for (size_t r = 0; r < grid->rows; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            strbuf_append(text, "| %s ", grid_cell(grid, r, c));
        }
        strbuf_append(text, "|\n");
        for (size_t c = 0; r == 0 && c < grid->columns; c++) {
            strbuf_append(text, grid->right[c] ? "| ---: " : "| --- ");
        }
        strbuf_append(text, r == 0 ? "|\n" : "");
    }
}

/* ---- all of it ---- */

static void describe_load(const struct noise *noise, struct strbuf *text) {
    if (noise->machine_load > machine_load_bound) {
        strbuf_append(text, "; others took up to %.0f %% of the processors",
                      100 * noise->machine_load);
    }
}

static void describe_noise(const struct noise *noise, double risk, struct strbuf *text) {
    char floor[CELL_SIZE];
    const bool known = noise_is_known(noise);
    if (noise->visited > 0) {
        strbuf_append(text,
                      "%zu case%s visited several times: visits differ by %.2g %% in the median%s",
                      noise->visited, noise->visited == 1 ? "" : "s", 100 * noise->visit_sd,
                      noise->visited < noise->timed ? "; of the others: " : "");
    }
    if (noise->visited > 0 && noise->visited == noise->timed) {
        describe_load(noise, text);
        return;
    }
    format_share(noise_floor(noise, risk), known ? "%.2f %%" : "%.0f %%", floor);
    if (known) {
        strbuf_append(text, "noise floor %s (%zu A/A pairs)", floor, noise->pairs);
    } else {
        strbuf_append(text, "noise floor unknown: %s is taken", floor);
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

void compare_describe_sides(const struct comparison *comparison, struct strbuf *text) {
    for (size_t s = 0; s < comparison->side_count; s++) {
        strbuf_append(text, s == 0 ? "baseline   %s, " : "other      %s, ",
                      comparison->sides[s].name);
        describe_noise(&comparison->sides[s].noise, risk_of(comparison), text);
        strbuf_append(text, "\n");
    }
    strbuf_append(text,
                  "threshold  %.3g %%; the intervals of %zu ratios hold together with %.0f %%\n",
                  100 * comparison->threshold, comparison->timed, 100 * (1 - compare_risk));
    strbuf_append(
        text,
        "           ratio: time of the other / time of the baseline; within: the larger of "
        "threshold and noise floor,\n           under which nothing is called slower or "
        "faster; same: the ratio's own interval of %.0f %% lies within",
        100 * (1 - verdict_own_risk));
    strbuf_append(text, has_mad(comparison) ? "; *: from median and MAD, for samples are missing\n"
                                            : "\n");
}

static bool format_text(const struct comparison *comparison, bool markdown, bool list_unmatched,
                        struct strbuf *text, struct error *error) {
    struct words words;
    words_find(comparison, &words);
    strbuf_append(text, markdown ? "```\n" : "");
    compare_describe_sides(comparison, text);
    if (comparison->joined_count > 0) {
        strbuf_append(text, "all cases  ");
        append_words(one_of(&comparison->joined[0])->row, words.shared, words.shared_count, text);
        strbuf_append(text, "\n");
    }
    strbuf_append(text, markdown ? "```\n\n" : "\n");
    list_change(comparison, CHANGE_NEWLY_WRONG, &words, markdown, text);
    list_change(comparison, CHANGE_NEWLY_OK, &words, markdown, text);
    for (size_t s = 1; s < comparison->side_count; s++) {
        struct grid grid;
        if (!grid_make(comparison, s, &words, &grid, error)) {
            return false;
        }
        if (comparison->side_count > 2) {
            strbuf_append(text, "%s%s against %s:\n\n", markdown ? "### " : "",
                          comparison->sides[s].name, comparison->sides[0].name);
        }
        if (grid.rows > 1) {
            (markdown ? grid_write_markdown : grid_write_aligned)(&grid, text);
            strbuf_append(text, "\n");
        }
        free(grid.cells);
    }
    if (list_unmatched) {
        list_change(comparison, CHANGE_ONLY_BASELINE, &words, markdown, text);
        list_change(comparison, CHANGE_ONLY_OTHER, &words, markdown, text);
    }
    return true;
}

static const char *const csv_first_columns[] = {
    "baseline_side",     "other_side",      "verdict",       "ratio",
    "ratio_low",         "ratio_high",      "noise_floor",   "within",
    "baseline_s",        "other_s",         "interval_from", "baseline_repetitions",
    "other_repetitions", "baseline_status", "other_status",  "message",
    "baseline_tunables", "other_tunables",  "own_low",       "own_high"
};
enum { CSV_FIRST_COLUMNS = sizeof csv_first_columns / sizeof csv_first_columns[0] };

static void csv_number(double value, char *cell) {
    (void)snprintf(cell, CELL_SIZE, "%.9g", value);
    cell[isfinite(value) ? strlen(cell) : 0] = '\0';
}

/* What is least sure of what went into the interval. */
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
}

static void csv_case(const struct compared_case *told, char (*cells)[CELL_SIZE], int other) {
    csv_number(told->timed ? exp(told->time.value) : NAN, cells[8 + other]);
    (void)snprintf(cells[11 + other], CELL_SIZE, "%zu", told->repetitions);
    (void)snprintf(cells[13 + other], CELL_SIZE, "%s", status_name(told->status));
    (void)snprintf(cells[16 + other], CELL_SIZE, "%s", row_text(told->row, COLUMN_TUNABLES));
    if (told->status != STATUS_OK) {
        (void)snprintf(cells[15], CELL_SIZE, "%s", row_text(told->row, COLUMN_MESSAGE));
    }
}

static void csv_row(const struct comparison *comparison, const struct joined_case *joined,
                    struct strbuf *text) {
    char cells[CSV_FIRST_COLUMNS][CELL_SIZE] = { 0 };
    char fields[MAX_COLUMNS][CELL_SIZE];
    const char *record[CSV_FIRST_COLUMNS + MAX_COLUMNS] = { comparison->sides[0].name,
                                                            comparison->sides[joined->side].name,
                                                            change_name(joined->change) };
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
    record_format(text, record, count);
}

static void format_csv(const struct comparison *comparison, bool list_unmatched,
                       struct strbuf *text) {
    const char *names[CSV_FIRST_COLUMNS + MAX_COLUMNS];
    size_t count = 0;
    for (; count < CSV_FIRST_COLUMNS; count++) {
        names[count] = csv_first_columns[count];
    }
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        names[count++] = column_names[column];
    }
    record_format(text, names, count);
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (list_unmatched || (joined->baseline && joined->other)) {
            csv_row(comparison, joined, text);
        }
    }
}

bool compare_format(const struct comparison *comparison, enum compare_format format,
                    bool list_unmatched, struct strbuf *text, struct error *error) {
    if (format == COMPARE_CSV) {
        format_csv(comparison, list_unmatched, text);
        return true;
    }
    return format_text(comparison, format == COMPARE_MARKDOWN, list_unmatched, text, error);
}

void compare_summarise(const struct comparison *comparison, struct strbuf *text) {
    for (size_t s = 1; s < comparison->side_count; s++) {
        size_t counts[CHANGES];
        size_t both = 0;
        for (int c = 0; c < CHANGES; c++) {
            counts[c] = comparison_count(comparison, s, (enum change)c);
            both += c < CHANGE_ONLY_BASELINE ? counts[c] : 0;
        }
        strbuf_append(text,
                      "%s against %s: %zu cases in both: %zu slower, %zu faster, %zu same, %zu "
                      "unclear; %zu newly wrong, %zu newly ok",
                      comparison->sides[s].name, comparison->sides[0].name, both,
                      counts[CHANGE_SLOWER], counts[CHANGE_FASTER], counts[CHANGE_SAME],
                      counts[CHANGE_UNCLEAR], counts[CHANGE_NEWLY_WRONG], counts[CHANGE_NEWLY_OK]);
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
        strbuf_append(text,
                      "about %.0f s more per run would decide %zu of the %zu unclear cases: bench "
                      "them with --visits %d..%zu\n",
                      fmax(effort.seconds, 1), effort.decidable, effort.unclear, DEFAULT_VISITS,
                      effort.most_visits);
    }
}
