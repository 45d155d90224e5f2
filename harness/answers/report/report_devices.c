/* report --devices: all cards on one page, as HTML or, by the ending of the file, as Markdown. */
#include "answers/report/report.h"
#include "answers/report/report_sections.h"
#include "campaign/memory.h"
#include "core/embedded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!-- pairmark report --devices -->";

struct page {
    struct strbuf text;
    bool is_html;
};

/* ---- both formats ---- */

static void put(struct page *page, const char *words) {
    if (page->is_html) {
        html_text(&page->text, words);
        return;
    }
    for (; *words; words++) { /* a bar would end a cell */
        strbuf_append(&page->text, strchr("|<\\", *words) ? "\\%c" : "%c", *words);
    }
}

static void put_heading(struct page *page, int level, const char *words) {
    if (page->is_html) {
        strbuf_append(&page->text, "<h%d>", level);
        put(page, words);
        strbuf_append(&page->text, "</h%d>\n", level);
    } else {
        strbuf_append(&page->text, "\n%.*s %s\n\n", level, "###", words);
    }
}

static void put_paragraph(struct page *page, const char *words) {
    strbuf_append(&page->text, page->is_html ? "<p>" : "");
    put(page, words);
    strbuf_append(&page->text, page->is_html ? "</p>\n" : "\n");
}

static void begin_table(struct page *page) {
    strbuf_append(&page->text, page->is_html ? "<div class=scroll><table class=numbers>\n" : "");
}

static void end_table(struct page *page) {
    strbuf_append(&page->text, page->is_html ? "</table></div>\n" : "");
}

static void put_cell(struct page *page, const char *words, bool is_head) {
    strbuf_append(&page->text, !page->is_html ? "| " : is_head ? "<th>" : "<td>");
    put(page, words);
    strbuf_append(&page->text, !page->is_html ? " " : is_head ? "</th>" : "</td>");
}

/* After the first line of a table Markdown has a rule. */
static void end_row(struct page *page, size_t columns, bool is_head) {
    strbuf_append(&page->text, page->is_html ? "</tr>\n" : "|\n");
    for (size_t c = 0; is_head && !page->is_html && c < columns; c++) {
        strbuf_append(&page->text, "| --- %s", c + 1 < columns ? "" : "|\n");
    }
}

static void begin_row(struct page *page) {
    strbuf_append(&page->text, page->is_html ? "<tr>" : "");
}

/* ---- what each card is ---- */

static void put_quantity(struct page *page, double value, double unit, const char *format) {
    char words[32] = "";
    if (!isnan(value)) {
        (void)snprintf(words, sizeof words, format, value / unit);
    }
    put_cell(page, words, false);
}

static void put_cards(struct page *page, struct analysis *analysis) {
    static const char *const heads[] = { "card",        "compute units", "MHz",
                                         "copied TB/s", "float Top/s",   "double Top/s" };
    struct answer known = analysis_ask(analysis, "SELECT model, units, clock_mhz, copied, fp32,"
                                                 " fp64 FROM known WHERE model IN"
                                                 " (SELECT model FROM shared) ORDER BY fp32 DESC");
    put_heading(page, 2, "What each card does at best");
    begin_table(page);
    begin_row(page);
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        put_cell(page, heads[h], true);
    }
    end_row(page, sizeof heads / sizeof heads[0], true);
    for (size_t i = 0; i < known.rows; i++) {
        begin_row(page);
        put_cell(page, answer_text(&known, i, 0), false);
        put_quantity(page, answer_number(&known, i, 1), 1, "%.0f");
        put_quantity(page, answer_number(&known, i, 2), 1, "%.0f");
        put_quantity(page, answer_number(&known, i, 3), 1e12, "%.3g");
        put_quantity(page, answer_number(&known, i, 4), 1e12, "%.3g");
        put_quantity(page, answer_number(&known, i, 5), 1e12, "%.3g");
        end_row(page, 0, false);
    }
    end_table(page);
    answer_free(&known);
}

/* ---- which kernel wins where ---- */

enum { NAME, SECONDS, LEAST_S, NEXT, NEXT_S };

static void append_ratio(struct strbuf *words, double ratio) {
    strbuf_append(words, ratio < 100 ? "%.3g" : "%.0f", ratio);
}

/* "list_blocks 15.6 us (1.06), blocks_32 1.21": the time over that of the fastest card, and that of
 * the card's next variant over this. */
static void put_winner(struct page *page, const struct answer *races, size_t row, size_t first) {
    struct strbuf words = { 0 };
    const double seconds = answer_number(races, row, first + SECONDS);
    strbuf_append(&words, "%s ", answer_text(races, row, first + NAME));
    html_seconds(&words, seconds);
    strbuf_append(&words, " (");
    append_ratio(&words, seconds / answer_number(races, row, first + LEAST_S));
    strbuf_append(&words, ")");
    if (*answer_text(races, row, first + NEXT)) {
        strbuf_append(&words, ", %s ", answer_text(races, row, first + NEXT));
        append_ratio(&words, answer_number(races, row, first + NEXT_S) / seconds);
    }
    put_cell(page, words.data ? words.data : "", false);
    strbuf_free(&words);
}

/* A line per N, a column per card of the setting. */
static void put_setting(struct page *page, struct analysis *analysis, const char *setting,
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
    begin_table(page);
    begin_row(page);
    put_cell(page, "N", true);
    for (size_t c = 0; c < cards.rows; c++) {
        put_cell(page, answer_text(&cards, c, 0), true);
    }
    end_row(page, cards.rows + 1, true);
    for (size_t r = 0; r < races.rows;) {
        char n[32];
        const double at = answer_number(&races, r, 0);
        (void)snprintf(n, sizeof n, "%.0f", at);
        begin_row(page);
        put_cell(page, n, true);
        for (size_t c = 0; c < cards.rows; c++) {
            const bool is_there = r < races.rows && answer_number(&races, r, 0) == at &&
                                  strcmp(answer_text(&races, r, 1), answer_text(&cards, c, 0)) == 0;
            if (is_there) {
                put_winner(page, &races, r++, 2);
            } else {
                put_cell(page, "", false);
            }
        }
        end_row(page, 0, false);
    }
    end_table(page);
    answer_free(&races);
    answer_free(&cards);
}

static void put_winners(struct page *page, struct analysis *analysis) {
    struct answer settings =
        analysis_ask(analysis, "SELECT setting, place FROM places ORDER BY place");
    put_heading(page, 2, "Which kernel wins where");
    put_paragraph(page,
                  "The fastest correct kernel of each card and its time without building, of all "
                  "variants, tunables and commits that were measured there. In brackets its time "
                  "over that of the fastest card; then the card's next kernel, and its time over "
                  "that of the first. Settings that two cards have in common.");
    for (size_t i = 0; i < settings.rows; i++) {
        put_setting(page, analysis, answer_text(&settings, i, 0), answer_number(&settings, i, 1));
    }
    answer_free(&settings);
}

/* ---- the page ---- */

static void put_page(struct page *page, struct analysis *analysis) {
    char *doubts = analysis_doubts(analysis);
    if (page->is_html) {
        strbuf_append(&page->text,
                      "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; img-src data:\">\n"
                      "<meta name=generator content=\"pairmark %s\">\n"
                      "<link rel=icon href=\"data:,\">\n<title>pairmark: devices</title>\n"
                      "<style>\n%s</style>\n</head>\n<body>\n<h1>pairmark: devices</h1>\n",
                      PAIRMARK_VERSION, embedded_text("harness/answers/report/report.css"));
    } else {
        strbuf_append(&page->text, "%s\n", mark);
    }
    if (doubts) {
        strbuf_append(&page->text, page->is_html ? "" : "\n");
        put_paragraph(page, "The rows are unverified:");
        put_paragraph(page, doubts);
        free(doubts);
    }
    put_cards(page, analysis);
    put_winners(page, analysis);
    strbuf_append(&page->text, page->is_html ? "</body>\n</html>\n" : "");
}

static bool is_ours(const char *head) {
    return begins_with(head, mark) || (begins_with(head, "<!DOCTYPE html>") &&
                                       strstr(head, "<meta name=generator content=\"pairmark "));
}

static bool is_markdown(const char *output) {
    const size_t length = strlen(output);
    return length > 3 && strcmp(output + length - 3, ".md") == 0;
}

static void print_page(struct analysis *analysis, const char *output, struct strbuf *text) {
    struct page page = { .is_html = !is_markdown(output) };
    put_page(&page, analysis);
    *text = page.text;
}

const struct report_of_all report_devices = { { "a page of pairmark's", is_ours },
                                              "harness/answers/report/devices.sql",
                                              print_page };

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
        report->print(&analysis, output, &text);
        memory_check(!text.failed);
        done = output_write(output, &report->kind, text.data, text.length, error);
    }
    strbuf_free(&text);
    analysis_close(&analysis);
    return done;
}
