/* Makes one file of all runs in some folders: the page of report --devices, or rows as T4. */
#include "answers/report/report.h"
#include "core/quantity.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!-- pairmark report --devices -->";

/* ---- Markdown ---- */

/* Escapes '|', which would end a cell of Markdown, '<', which would begin a tag, and '\\'. */
static void put(struct strbuf *page, const char *words) {
    for (; *words; words++) {
        strbuf_append(page, strchr("|<\\", *words) ? "\\%c" : "%c", *words);
    }
}

static void put_heading(struct strbuf *page, int level, const char *words) {
    strbuf_append(page, "\n%.*s %s\n\n", level, "###", words);
}

static void put_cell(struct strbuf *page, const char *words) {
    strbuf_append(page, "| ");
    put(page, words);
    strbuf_append(page, " ");
}

static void end_row(struct strbuf *page) {
    strbuf_append(page, "|\n");
}

/* Appends the rule after the first line of a table. */
static void end_head(struct strbuf *page, size_t columns) {
    end_row(page);
    for (size_t c = 0; c < columns; c++) {
        strbuf_append(page, "| --- ");
    }
    end_row(page);
}

/* ---- what each card is ---- */

static void put_quantity(struct strbuf *page, double value, double unit, const char *format) {
    char words[32] = "";
    if (!isnan(value)) {
        (void)snprintf(words, sizeof words, format, value / unit);
    }
    put_cell(page, words);
}

static void put_cards(struct strbuf *page, struct analysis *analysis) {
    static const char *const heads[] = { "card",        "compute units", "MHz",
                                         "copied TB/s", "float Top/s",   "double Top/s" };
    struct answer known = analysis_ask(analysis, "SELECT model, units, clock_mhz, copied, fp32,"
                                                 " fp64 FROM known WHERE model IN"
                                                 " (SELECT model FROM shared) ORDER BY fp32 DESC");
    put_heading(page, 2, "What each card does at best");
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        put_cell(page, heads[h]);
    }
    end_head(page, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < known.rows; i++) {
        put_cell(page, answer_text(&known, i, 0));
        put_quantity(page, answer_number(&known, i, 1), 1, "%.0f");
        put_quantity(page, answer_number(&known, i, 2), 1, "%.0f");
        put_quantity(page, answer_number(&known, i, 3), 1e12, "%.3g");
        put_quantity(page, answer_number(&known, i, 4), 1e12, "%.3g");
        put_quantity(page, answer_number(&known, i, 5), 1e12, "%.3g");
        end_row(page);
    }
    answer_free(&known);
}

/* ---- which kernel wins where ---- */

enum { NAME, SECONDS, LEAST_S, NEXT, NEXT_S };

/* As quantity_seconds, with the letter µ. */
static void append_seconds(struct strbuf *words, double seconds) {
    const struct quantity quantity = quantity_seconds(seconds);
    const char *unit = strstr(quantity.text, " us");
    strbuf_append(words, "%.*s%s", unit ? (int)(unit - quantity.text) : -1, quantity.text,
                  unit ? " \u00b5s" : "");
}

static void append_ratio(struct strbuf *words, double ratio) {
    strbuf_append(words, ratio < 100 ? "%.3g" : "%.0f", ratio);
}

/* "list_blocks 15.6 us (1.06), blocks_32 1.21": the time over that of the fastest card, and that of
 * the card's next variant over this. */
static void put_winner(struct strbuf *page, const struct answer *races, size_t row, size_t first) {
    struct strbuf words = { 0 };
    const double seconds = answer_number(races, row, first + SECONDS);
    strbuf_append(&words, "%s ", answer_text(races, row, first + NAME));
    append_seconds(&words, seconds);
    strbuf_append(&words, " (");
    append_ratio(&words, seconds / answer_number(races, row, first + LEAST_S));
    strbuf_append(&words, ")");
    if (*answer_text(races, row, first + NEXT)) {
        strbuf_append(&words, ", %s ", answer_text(races, row, first + NEXT));
        append_ratio(&words, answer_number(races, row, first + NEXT_S) / seconds);
    }
    put_cell(page, strbuf_text(&words));
    strbuf_free(&words);
}

/* A line per N, a column per card of the setting. */
static void put_setting(struct strbuf *page, struct analysis *analysis, const char *setting,
                        double place) {
    struct answer cards = analysis_ask(
        analysis,
        "SELECT DISTINCT card FROM shared JOIN places USING (setting, others) JOIN cards"
        " USING (card) WHERE places.place = %g ORDER BY cards.place",
        place);
    struct answer races =
        analysis_ask(analysis,
                     "SELECT n, card, variant, s, least_s, next, next_s FROM shared JOIN places"
                     " USING (setting, others) JOIN cards USING (card) WHERE places.place = %g"
                     " ORDER BY n, cards.place",
                     place);
    put_heading(page, 3, setting);
    put_cell(page, "N");
    for (size_t c = 0; c < cards.rows; c++) {
        put_cell(page, answer_text(&cards, c, 0));
    }
    end_head(page, cards.rows + 1);
    for (size_t r = 0; r < races.rows;) {
        char n[32];
        const double at = answer_number(&races, r, 0);
        (void)snprintf(n, sizeof n, "%.0f", at);
        put_cell(page, n);
        for (size_t c = 0; c < cards.rows; c++) {
            const bool is_there = r < races.rows && answer_number(&races, r, 0) == at &&
                                  strcmp(answer_text(&races, r, 1), answer_text(&cards, c, 0)) == 0;
            if (is_there) {
                put_winner(page, &races, r++, 2);
            } else {
                put_cell(page, "");
            }
        }
        end_row(page);
    }
    answer_free(&races);
    answer_free(&cards);
}

static void put_winners(struct strbuf *page, struct analysis *analysis) {
    struct answer settings =
        analysis_ask(analysis, "SELECT setting, place FROM places ORDER BY place");
    put_heading(page, 2, "Which kernel wins where");
    strbuf_append(page,
                  "The fastest correct kernel of each card and its time without building, of all "
                  "variants, tunables and commits that were measured there. In brackets its time "
                  "over that of the fastest card; then the card's next kernel, and its time over "
                  "that of the first. Settings that two cards have in common, or all "
                  "where there are none.\n");
    for (size_t i = 0; i < settings.rows; i++) {
        put_setting(page, analysis, answer_text(&settings, i, 0), answer_number(&settings, i, 1));
    }
    answer_free(&settings);
}

/* ---- the page ---- */

static void print_page(struct analysis *analysis, struct strbuf *text) {
    char *doubts = analysis_doubts(analysis);
    strbuf_append(text, "%s\n", mark);
    if (doubts) {
        strbuf_append(text, "\nThe rows are doubtful:\n");
        put(text, doubts);
        strbuf_append(text, "\n");
        free(doubts);
    }
    put_cards(text, analysis);
    put_winners(text, analysis);
}

static bool is_ours(const char *text) {
    return begins_with(text, mark);
}

const struct report_of_all report_devices = { { "a page of pairmark's", is_ours },
                                              "harness/answers/report/devices.sql",
                                              print_page };

/* ---- --kernel-tuner: rows as Kernel Tuner and other auto-tuners read them ---- */

static const char t4_head[] = "{\"schema_version\": \"1.0.0\",\n \"results\": [";

static bool is_t4(const char *text) {
    return begins_with(text, t4_head);
}

static void print_t4(struct analysis *analysis, struct strbuf *text) {
    struct answer results = analysis_ask(analysis, "SELECT result FROM t4");
    strbuf_append(text, "%s", t4_head);
    for (size_t i = 0; i < results.rows; i++) {
        strbuf_append(text, "%s\n  %s", i > 0 ? "," : "", answer_text(&results, i, 0));
    }
    strbuf_append(text, "]");
    struct answer doubts = analysis_ask(analysis, "SELECT json_quote(doubts) FROM"
                                                  " (SELECT group_concat(doubts, '; ') AS"
                                                  " doubts FROM runs)"
                                                  " WHERE doubts IS NOT NULL");
    if (doubts.rows > 0) {
        strbuf_append(text, ",\n \"doubts\": %s", answer_text(&doubts, 0, 0));
    }
    answer_free(&doubts);
    strbuf_append(text, "}\n");
    answer_free(&results);
}

const struct report_of_all report_t4 = { { "such a file of pairmark's", is_t4 },
                                         "harness/answers/report/t4.sql",
                                         print_t4 };

/* ---- files of all runs ---- */

bool report_of_all_write(const struct report_of_all *report, const char *const *folders,
                         size_t count, const char *output, FILE *log, struct error *error) {
    struct analysis analysis;
    struct strbuf text = { 0 };
    if (!output_check(output, &report->kind, error)) {
        return fail_within(error, "-o");
    }
    analysis_open(&analysis);
    bool done = analysis_add_runs_below(&analysis, folders, count, log, error);
    if (done) {
        analysis_run_file(&analysis, report->sql);
        report->print(&analysis, &text);
        done = output_write(output, &report->kind, text.data, text.length, error);
    }
    strbuf_free(&text);
    analysis_close(&analysis);
    return done;
}
