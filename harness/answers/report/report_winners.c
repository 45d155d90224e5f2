/*
 * For each run, the crossover map as a table (settings down, N across, the fastest correct
 * variant in each cell), and what stands behind each line of it.
 *
 * Runs are kept apart: two runs of one device may be of two commits, and their medians are not to
 * be mixed.
 */
#include "answers/report/report_sections.h"
#include "answers/summary/summary.h"
#include "campaign/memory.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_WORDS = 48, MAX_SETTING_COLUMNS = 32 };

/* Of one run. What the map has a line for is a setting of the summary, of which half the edge and
 * the numbers of groups grow with N, though the user asked for one thing. */
struct winners {
    struct report_data *data;
    struct report_run *run;
    struct answer settings;           /* one of the rows of each */
    struct answer n;                  /* all that occur, ascending */
    struct answer races;              /* of each setting and N, as ask_races() has them */
    bool varies[MAX_SETTING_COLUMNS]; /* for each of summary_setting_columns: whether settings
                                         differ in it */
};

/* ---- gathering ---- */

/* What is the same in rows of one line, as SQL over `points` and `rows`; of rows that say the same,
 * what the first of them means. */
static void append_value(enum column column, struct strbuf *sql) {
    const char *name = column_names[column];
    if (column == COLUMN_CUTOFF) {
        strbuf_append(sql,
                      "first_value(iif(row_words(id, 3) = 'half', 'half', coalesce(%s, '')))"
                      " OVER (PARTITION BY %s ORDER BY points.rowid)",
                      name, name);
    } else if (column == COLUMN_GROUPS) {
        strbuf_append(sql,
                      "first_value(coalesce(nullif(row_words(id, 2), ''), %s, ''))"
                      " OVER (PARTITION BY %s ORDER BY points.rowid)",
                      name, name);
    } else {
        strbuf_append(sql, "coalesce(rows.%s, '')", name);
    }
}

/* The table `lines`: of each place in `points` the part, the line of the map that it belongs to, in
 * the order in which they first occur; and value_0, value_1, ..., what is the same in a line. */
static void make_lines(struct analysis *analysis) {
    struct strbuf values = { 0 };
    struct strbuf names = { 0 };
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        append_value(summary_setting_columns[c], &values);
        strbuf_append(&values, " AS value_%zu, ", c);
        strbuf_append(&names, "%svalue_%zu", c > 0 ? ", " : "", c);
    }
    analysis_run(analysis,
                 "CREATE TABLE lines AS WITH"
                 " of AS (SELECT %s points.rowid AS place FROM points"
                 "   JOIN rows ON rows.rowid = points.id),"
                 " firsts AS (SELECT *, min(place) OVER (PARTITION BY %s) AS first FROM of)"
                 " SELECT *, dense_rank() OVER (ORDER BY first) AS part FROM firsts",
                 values.data, names.data);
    strbuf_free(&values);
    strbuf_free(&names);
}

/* Of each setting and N: the fastest; the next and the plainest variant as they stand against it.
 */
enum {
    PART,
    N,
    BEST,
    BEST_S,
    IS_SHORT,
    BUILD_S,
    PAIRS,
    PEAK,
    NEXT, /* a row, its time, and whether it is as fast, as the crossover map hatches its cells */
    PLAINEST = NEXT + 3
};
enum { OTHER_S = 1, OTHER_IS_ALIKE = 2 }; /* behind NEXT and PLAINEST */

/* plainest(id): the name of the plainest variant for what a row computes. */
static void give_plainest(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const struct analysis *analysis = sqlite3_user_data(context);
    const sqlite3_int64 id = sqlite3_value_int64(arguments[count - 1]);
    if (id > 0) {
        sqlite3_result_text(context, summary_plainest(analysis->row_of[id - 1]), -1, SQLITE_STATIC);
    }
}

static struct answer ask_races(struct analysis *analysis, double noise) {
    char known[32];
    (void)snprintf(known, sizeof known, isnan(noise) ? "NULL" : "%.17g", noise);
    return analysis_ask(
        analysis,
        "SELECT part, races.n, a.id, a.force_s, a.is_short, a.build_s, a.pairs_per_s,"
        " a.percent_of_peak,"
        " b.id, b.force_s, alike(%s, a.force_s, a.p95_s, b.force_s, b.p05_s),"
        " c.id, c.force_s, alike(%s, a.force_s, a.p95_s, c.force_s, c.p05_s)"
        " FROM (SELECT part, n, max(place) FILTER (WHERE rank = 1) AS best,"
        "   max(place) FILTER (WHERE rank = 2) AS second FROM cells GROUP BY part, n) AS races"
        " LEFT JOIN points AS a ON a.rowid = best LEFT JOIN points AS b ON b.rowid = second"
        " LEFT JOIN points AS c ON c.rowid = (SELECT place FROM cells WHERE cells.part = races.part"
        "   AND cells.n = races.n AND cells.variant = plainest(a.id))"
        " WHERE races.n BETWEEN -1e300 AND 1e300 ORDER BY part, races.n",
        known, known);
}

static void free_winners(struct winners *winners) {
    answer_free(&winners->settings);
    answer_free(&winners->n);
    answer_free(&winners->races);
}

static void gather(struct winners *winners) {
    struct analysis *analysis = &winners->run->analysis;
    plot_words_add(analysis);
    make_lines(analysis);
    summary_rank(analysis, "lines", "force_s");
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        winners->varies[c] =
            analysis_ask_number(analysis, "SELECT count(DISTINCT value_%d) FROM lines", (int)c) > 1;
    }
    winners->settings = analysis_ask(
        analysis, "SELECT id, min(place) FROM lines JOIN points ON points.rowid = place"
                  " GROUP BY part ORDER BY part");
    winners->n = analysis_ask(
        analysis, "SELECT DISTINCT n FROM points WHERE n BETWEEN -1e300 AND 1e300 ORDER BY n");
    analysis_add_function(analysis, "plainest", 1, analysis, give_plainest);
    winners->races = ask_races(analysis, winners->run->noise);
}

/* ---- the best of one N ---- */

/* The row that stands in a column of a race; NULL: there is none. */
static const struct row *row_at(const struct winners *winners, size_t race, size_t column) {
    const double id = answer_number(&winners->races, race, column);
    return id > 0 ? winners->run->analysis.row_of[(size_t)id - 1] : NULL;
}

/* The place of a setting and an N among the races; their count: nothing ran there. */
static size_t find_race(const struct winners *winners, size_t setting, double n) {
    const struct answer *races = &winners->races;
    size_t race = 0;
    while (race < races->rows && ((size_t)answer_number(races, race, PART) != setting + 1 ||
                                  answer_number(races, race, N) != n)) {
        race++;
    }
    return race;
}

static const struct row *setting_row(const struct winners *winners, size_t setting) {
    const size_t id = (size_t)answer_number(&winners->settings, setting, 0);
    return winners->run->analysis.row_of[id - 1];
}

/* ---- words ---- */

/* Whether a value of the column would not be understood by itself. */
static bool needs_name(enum column column) {
    return column == COLUMN_OUTPUTS || column == COLUMN_WORKLOAD || column == COLUMN_HOST ||
           column == COLUMN_DENSITY || column == COLUMN_STEPS || column == COLUMN_BATCH;
}

/* What a value of a setting's column reads as. */
static void write_value(const struct row *row, enum column column, struct strbuf *html) {
    const char *value = row_text(row, column);
    char groups[GROUP_WORDS];
    if (needs_name(column)) {
        strbuf_append(html, "%s ", column_names[column]);
    }
    if (column == COLUMN_PERIODIC) {
        strbuf_append(html, strcmp(value, "0") == 0 ? "open box" : "periodic");
    } else if (column == COLUMN_AXES) {
        strbuf_append(html, "along ");
        html_text(html, value);
    } else if (column == COLUMN_CUTOFF && plot_is_half_edge(row)) {
        strbuf_append(html, "cutoff half the edge");
    } else if (column == COLUMN_CUTOFF) {
        strbuf_append(html, isinf(row_number(row, column)) ? "no cutoff" : "cutoff ");
        html_text(html, isinf(row_number(row, column)) ? "" : value);
    } else if (column == COLUMN_GROUPS) {
        plot_groups_in_words(row, groups, sizeof groups);
        html_text(html, *groups ? groups : value);
    } else if (column == COLUMN_DEVICE) {
        html_name(html,
                  *row_text(row, COLUMN_DEVICE_MODEL) ? row_text(row, COLUMN_DEVICE_MODEL) : value);
        strbuf_append(html, " (");
        html_text(html, value);
        strbuf_append(html, ")");
    } else {
        html_name(html, value);
    }
}

/* The columns that vary in the run, or those that do not, separated by commas. */
static void write_setting(const struct winners *winners, size_t setting, bool varying,
                          struct strbuf *html) {
    const struct row *row = setting_row(winners, setting);
    bool first = true;
    for (size_t c = 0; summary_setting_columns[c] != COLUMN_COUNT; c++) {
        enum column column = summary_setting_columns[c];
        if (winners->varies[c] == varying && *row_text(row, column)) {
            strbuf_append(html, first ? "" : ", ");
            write_value(row, column, html);
            first = false;
        }
    }
    strbuf_append(html, first && varying ? "all" : "");
}

/* What tables of the run are headed by. */
static void write_common(const struct winners *winners, struct strbuf *html) {
    strbuf_append(html, "Run %s: ", winners->run->label);
    write_setting(winners, 0, false, html);
}

/* ---- the map ---- */

/* The cell of the fastest, begun. */
static void write_variant(const struct winners *winners, size_t race, struct strbuf *html) {
    const char *variant = row_text(row_at(winners, race, BEST), COLUMN_VARIANT);
    strbuf_append(html, "<td class=v%zu><b>", report_colour(winners->data, variant));
    html_name(html, variant);
}

static void write_map_cell(const struct winners *winners, size_t race, struct strbuf *html) {
    if (race >= winners->races.rows) {
        strbuf_append(html, "<td class=none><span aria-label=\"not run\">&middot;</span></td>");
        return;
    }
    const struct row *next = row_at(winners, race, NEXT);
    if (!row_at(winners, race, BEST)) {
        strbuf_append(html, "<td class=none>none passed</td>");
        return;
    }
    write_variant(winners, race, html);
    strbuf_append(html, "</b> ");
    html_seconds(html, answer_number(&winners->races, race, BEST_S));
    strbuf_append(html, answer_number(&winners->races, race, IS_SHORT) == 1 ? "*" : "");
    if (next && answer_number(&winners->races, race, NEXT + OTHER_IS_ALIKE) == 1) {
        strbuf_append(html, " <i>and ");
        html_name(html, row_text(next, COLUMN_VARIANT));
        strbuf_append(html, "</i>");
    }
    strbuf_append(html, "</td>");
}

static void write_map(const struct winners *winners, struct strbuf *html) {
    strbuf_append(html,
                  "<div class=scroll role=region aria-label=\"Crossover map of run %s\" tabindex=0>"
                  "<table class=map><caption>",
                  winners->run->label);
    write_common(winners, html);
    strbuf_append(html, "</caption><thead><tr><th scope=col>Setting \\ N</th>");
    for (size_t i = 0; i < winners->n.rows; i++) {
        strbuf_append(html, "<th scope=col>%.0f</th>", answer_number(&winners->n, i, 0));
    }
    strbuf_append(html, "</tr></thead><tbody>\n");
    for (size_t s = 0; s < winners->settings.rows; s++) {
        strbuf_append(html, "<tr><th scope=row>");
        write_setting(winners, s, true, html);
        strbuf_append(html, "</th>");
        for (size_t i = 0; i < winners->n.rows; i++) {
            const double n = answer_number(&winners->n, i, 0);
            write_map_cell(winners, find_race(winners, s, n), html);
        }
        strbuf_append(html, "</tr>\n");
    }
    strbuf_append(html, "</tbody></table></div>\n");
}

/* ---- what stands behind it ---- */

/* How many times as long another takes than the best. */
static void write_other(const struct winners *winners, size_t race, size_t other,
                        struct strbuf *html) {
    const struct answer *races = &winners->races;
    const struct row *row = row_at(winners, race, other);
    const bool is_alike = row != row_at(winners, race, BEST) &&
                          answer_number(races, race, other + OTHER_IS_ALIKE) == 1;
    char gain[QUANTITY_SIZE];
    strbuf_append(html, "<td>");
    if (row) {
        quantity_ratio(answer_number(races, race, other + OTHER_S) /
                           answer_number(races, race, BEST_S),
                       gain, sizeof gain);
        strbuf_append(html, "%s&times; ", gain);
        html_name(html, row_text(row, COLUMN_VARIANT));
        strbuf_append(html, is_alike ? ": the same, within the noise" : "");
    }
    strbuf_append(html, "</td>");
}

static void write_knobs(const struct row *row, struct strbuf *html) {
    struct strbuf knobs = { 0 };
    row_append_knobs(row, &knobs);
    memory_check(!knobs.failed);
    html_name(html, knobs.data ? knobs.data : "");
    strbuf_free(&knobs);
}

static void write_winner(const struct winners *winners, size_t race, struct strbuf *html) {
    const struct answer *races = &winners->races;
    const struct row *best = row_at(winners, race, BEST);
    char pairs[QUANTITY_SIZE], peak[QUANTITY_SIZE];
    strbuf_append(html, "<tr><th scope=row>%.0f</th>", answer_number(races, race, N));
    if (!best) {
        strbuf_append(html, "<td colspan=8 class=none>none passed</td></tr>\n");
        return;
    }
    quantity_large(answer_number(races, race, PAIRS), pairs, sizeof pairs);
    quantity_percent(0.01 * answer_number(races, race, PEAK), peak, sizeof peak);
    write_variant(winners, race, html);
    strbuf_append(html, "</b></td><td>");
    html_seconds(html, answer_number(races, race, BEST_S));
    strbuf_append(html, answer_number(races, race, IS_SHORT) == 1 ? "*</td><td>" : "</td><td>");
    html_seconds(html, answer_number(races, race, BUILD_S));
    strbuf_append(html, "</td><td>%s</td><td>%s</td>", pairs, peak);
    write_other(winners, race, NEXT, html);
    write_other(winners, race, PLAINEST, html);
    strbuf_append(html, "<td>");
    write_knobs(best, html);
    strbuf_append(html, "</td></tr>\n");
}

static void write_setting_body(const struct winners *winners, size_t setting, struct strbuf *html) {
    strbuf_append(html, "<tbody><tr><th scope=rowgroup colspan=9>");
    write_setting(winners, setting, true, html);
    strbuf_append(html, "</th></tr>\n");
    for (size_t race = 0; race < winners->races.rows; race++) {
        if ((size_t)answer_number(&winners->races, race, PART) == setting + 1) {
            write_winner(winners, race, html);
        }
    }
    strbuf_append(html, "</tbody>\n");
}

static void write_details(const struct winners *winners, struct strbuf *html) {
    const char *label = winners->run->label;
    strbuf_append(html,
                  "<details%s><summary>Run %s: tunables, building and runners-up</summary>\n"
                  "<div class=scroll role=region aria-label=\"Winners of run %s\" tabindex=0>"
                  "<table class=numbers><caption>",
                  winners->data->count == 1 ? " open" : "", label, label);
    write_common(winners, html);
    strbuf_append(html, "</caption><thead><tr><th scope=col>N</th><th scope=col>Fastest</th>"
                        "<th scope=col>Time</th>"
                        "<th scope=col>Building</th><th scope=col>Pairs/s</th>"
                        "<th scope=col>Of peak</th><th scope=col>The next takes</th>"
                        "<th scope=col>The plainest takes</th>"
                        "<th scope=col>Tunables</th></tr></thead>\n");
    for (size_t s = 0; s < winners->settings.rows; s++) {
        write_setting_body(winners, s, html);
    }
    strbuf_append(html, "</table></div></details>\n");
}

static void write_run(struct report_data *data, struct report_run *run, struct strbuf *html) {
    struct winners winners = { .data = data, .run = run };
    gather(&winners);
    if (winners.settings.rows > 0) {
        write_map(&winners, html);
        write_details(&winners, html);
    }
    free_winners(&winners);
}

void report_winners(struct report_data *data, struct strbuf *html) {
    strbuf_append(html,
                  "<section id=winners>\n<h2>Winners by N</h2>\n"
                  "<p>The fastest correct variant of each setting at each N, at its fastest "
                  "tunables. Times are medians of one evaluation; building the structure is not in "
                  "them. Where the next variant is within the noise of the run, or the 5th to 95th "
                  "percentiles of the two overlap, it is named, too; * is shorter than 3 launch "
                  "overheads.</p>\n");
    for (size_t r = 0; r < data->count; r++) {
        write_run(data, &data->runs[r], html);
    }
    strbuf_append(html, "</section>\n");
}
