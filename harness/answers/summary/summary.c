/* Writes the summary of a run: counts, failures, the fastest variant of each setting, and what
 * limits the times. */
#include "answers/summary/summary.h"
#include "campaign/campaign.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "core/files.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"
#include "kernels/workload.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAILURES_SHOWN = 50, MAX_LINES_SHOWN = 4 };

static const char *const status_words[] = { "ok",           "wrong",         "stale",
                                            "unsupported",  "out_of_memory", "compile_error",
                                            "launch_error", "crashed",       "timeout" };

enum { STATUS_WORDS = sizeof status_words / sizeof status_words[0] };

/* ---- points, and the table of every variant ---- */

const enum column summary_setting_columns[] = {
    COLUMN_DEVICE, COLUMN_INTERACTION, COLUMN_OUTPUTS, COLUMN_BOX_KIND,     COLUMN_PERIODIC,
    COLUMN_AXES,   COLUMN_DENSITY,     COLUMN_CUTOFF,  COLUMN_PRECISION,    COLUMN_GROUPS,
    COLUMN_HOST,   COLUMN_WORKLOAD,    COLUMN_STEPS,   COLUMN_DISTRIBUTION, COLUMN_DYNAMICS,
    COLUMN_BATCH,  COLUMN_BATCH_SIZES, COLUMN_COUNT
};

void summary_points_make(const struct row_table *table, struct analysis *analysis) {
    analysis_open(analysis);
    analysis_add_table(analysis, table);
    analysis_run_file(analysis, "harness/answers/summary/summary.sql");
}

/* The plainest variant for what a row computes, which the fastest is compared with. */
static const char *summary_plainest(const struct row *row) {
    const struct workload *workload = workload_find(row_text(row, COLUMN_WORKLOAD));
    return (workload ? workload : workload_default())
        ->words.all_pairs[row_number(row, COLUMN_N_B) > 0];
}

/* Makes the table `cells`: a row for each part of the table `settings`, variant and N of the part,
 * in this order.
 *
 *   seconds   the column of `points` to rank by
 *   place     the variant's fastest point that passed there; NULL: none did
 *   time_s    its time
 *   rank      its rank among all variants, from 1; of equal times the first place is first
 *   failed    the status of a point that did not pass; one that is unsupported only if all are
 *   is_built  some point of the variant builds a structure */
static void summary_rank(struct analysis *analysis, const char *seconds) {
    analysis_run(analysis,
                 "DROP TABLE IF EXISTS cells; CREATE TABLE cells AS WITH"
                 " of AS (SELECT place, part, n, coalesce(variant, '') AS variant, passed, build_s,"
                 "   status, %s AS time_s FROM points JOIN settings ON place = points.rowid),"
                 " of_variant AS (SELECT *, row_number() OVER (PARTITION BY part, n, variant"
                 "   ORDER BY time_s, place) AS rank FROM of WHERE passed AND time_s > 0),"
                 " fastest AS (SELECT place, part, n, variant, time_s, row_number() OVER"
                 "   (PARTITION BY part, n ORDER BY time_s, place) AS rank FROM of_variant"
                 "   WHERE rank = 1),"
                 " failures AS (SELECT *, row_number() OVER (PARTITION BY part, n, variant"
                 "   ORDER BY status = 'unsupported', place) AS rank FROM of WHERE NOT passed),"
                 " down AS (SELECT part, variant, max(build_s > 0) AS is_built FROM of"
                 "   GROUP BY part, variant),"
                 " across AS (SELECT DISTINCT part, n FROM of)"
                 " SELECT down.part, down.variant, is_built, across.n, fastest.place,"
                 "   fastest.time_s, fastest.rank, failures.status AS failed"
                 " FROM down JOIN across USING (part)"
                 " LEFT JOIN fastest ON fastest.part = down.part"
                 "   AND fastest.variant = down.variant AND fastest.n IS across.n"
                 " LEFT JOIN failures ON failures.part = down.part"
                 "   AND failures.variant = down.variant AND failures.n IS across.n"
                 "   AND failures.rank = 1"
                 " ORDER BY down.part, down.variant, across.n",
                 seconds);
}

/* ---- every variant's times ---- */

/* A cell is two blanks, the time, a mark, a blank and the ratio. */
enum { LINE = 100, MARGIN = 2, TIME = 7, RATIO = 6, CELL = 2 + TIME + 1 + 1 + RATIO };

/* The columns of the answer that a table is of, variant by variant, each with every N. */
enum { VARIANT, IS_BUILT, N, SECONDS, IS_SHORT, BUILD_S, FAILED, BASELINE_S };

static void write_cell(const struct answer *cells, size_t cell, struct strbuf *text) {
    const double seconds = answer_number(cells, cell, SECONDS);
    const double ratio = seconds / answer_number(cells, cell, BASELINE_S);
    const char *failed = answer_text(cells, cell, FAILED);
    if (isnan(seconds)) {
        strbuf_append(text, "%*s", CELL, *failed ? failed : "not run");
        return;
    }
    strbuf_append(text, "  %*s%s", TIME, quantity_even_seconds(seconds).text,
                  *failed && strcmp(failed, "unsupported") != 0 ? "!"
                  : answer_number(cells, cell, IS_SHORT) == 1   ? "*"
                                                                : " ");
    strbuf_append(text, isfinite(ratio) ? " %*sx" : " %*s", isfinite(ratio) ? RATIO - 1 : RATIO,
                  quantity_ratio(ratio).text);
}

static void write_built(const struct answer *cells, size_t cell, struct strbuf *text) {
    const double seconds = answer_number(cells, cell, BUILD_S);
    strbuf_append(text, "  %*s%*s", TIME, seconds > 0 ? quantity_even_seconds(seconds).text : "",
                  CELL - TIME - 2, "");
}

static void write_n(const struct answer *cells, size_t cell, struct strbuf *text) {
    const double number = answer_number(cells, cell, N);
    char words[32];
    (void)snprintf(words, sizeof words, isnan(number) ? "N not known" : "N = %.0f", number);
    strbuf_append(text, "%*s", CELL, words);
}

typedef void cell_writer(const struct answer *cells, size_t cell, struct strbuf *text);

/* Columns of N, [first, end) of `count`, beside names that are so wide. */
struct block {
    const struct answer *cells;
    size_t first, end, count;
    int width;
};

/* What the line is called, and its cells, of the variant whose first cell is at `at`. */
static void write_line(const struct block *block, const char *name, size_t at, cell_writer *write,
                       struct strbuf *text) {
    strbuf_append(text, "  %-*s", block->width, name);
    for (size_t cell = at + block->first; cell < at + block->end; cell++) {
        write(block->cells, cell, text);
    }
    strbuf_end_line(text, 0);
}

static void write_block(const struct block *block, bool built, struct strbuf *text) {
    const struct answer *cells = block->cells;
    write_line(block, "variant", 0, write_n, text);
    for (size_t at = 0; at < cells->rows; at += block->count) {
        write_line(block, answer_text(cells, at, VARIANT), at, write_cell, text);
        if (built && answer_number(cells, at, IS_BUILT) == 1) {
            write_line(block, "  built in", at, write_built, text);
        }
    }
}

static void write_variants(const struct answer *cells, size_t count, const char *baseline,
                           bool end_to_end, struct strbuf *text) {
    int width = (int)strlen("  built in");
    for (size_t at = 0; at < cells->rows; at += count) {
        const int length = (int)strlen(answer_text(cells, at, VARIANT));
        width = length > width ? length : width;
    }
    const int fitting = (LINE - MARGIN - width) / CELL;
    const size_t columns = fitting > 1 ? (size_t)fitting : 1;
    strbuf_append(text, "\n  %s of every variant, and its ratio to that of %s\n",
                  end_to_end ? "time end to end" : "time",
                  baseline ? baseline : "the fastest at the same N");
    for (size_t first = 0; first < count; first += columns) {
        const size_t end = first + columns < count ? first + columns : count;
        const struct block block = { cells, first, end, count, width };
        write_block(&block, !end_to_end, text);
    }
}

/* Every variant's time at every N of a setting, and its ratio to a baseline: a line a variant, a
 * column an N, as many N side by side as fit in 100 characters. `baseline` is a variant's name;
 * NULL: the fastest at each N. A cell has the time of the fastest tunables and sums that passed,
 * and that time over the baseline's ("1.50x": takes half as long again); the status of what failed
 * where nothing passed; "not run" where there is no row; "-" for the ratio where the baseline has
 * no time. '*' is shorter than 3 launch overheads, '!': others of its tunables failed. Under a
 * variant that walks a structure stands the time of building it. Nothing for one variant alone.
 * `end_to_end`: times with transfers. What is ranked are the settings. */
static void summary_variants(struct analysis *analysis, size_t setting, const char *baseline,
                             bool end_to_end, struct strbuf *text) {
    struct answer cells =
        analysis_ask(analysis,
                     "SELECT c.variant, is_built, c.n, time_s, is_short, build_s, c.failed,"
                     " max(time_s) FILTER (WHERE iif(%Q IS NULL, rank = 1, c.variant = %Q))"
                     "   OVER (PARTITION BY c.n)"
                     " FROM cells AS c LEFT JOIN points ON points.rowid = place WHERE part = %d"
                     " ORDER BY c.variant, c.n",
                     baseline, baseline, (int)setting);
    size_t count = 0;
    while (count < cells.rows &&
           strcmp(answer_text(&cells, count, VARIANT), answer_text(&cells, 0, VARIANT)) == 0) {
        count++;
    }
    if (cells.rows > count) {
        write_variants(&cells, count, baseline, end_to_end, text);
    }
    answer_free(&cells);
}

/* ---- heading, counts, failures ---- */

static void write_devices(struct analysis *analysis, struct strbuf *text) {
    struct answer devices =
        analysis_ask(analysis, "SELECT device, device_model, driver, host, min(rowid) FROM rows"
                               " GROUP BY device, host ORDER BY min(rowid)");
    for (size_t i = 0; i < devices.rows; i++) {
        strbuf_append(text, "device   %s  %s, driver %s, on %s\n", answer_text(&devices, i, 0),
                      answer_text(&devices, i, 1), answer_text(&devices, i, 2),
                      answer_text(&devices, i, 3));
    }
    answer_free(&devices);
}

static void write_dates(struct analysis *analysis, struct strbuf *text) {
    struct answer dates = analysis_ask(analysis, "SELECT first, last FROM dates");
    strbuf_append(text, "date     %s to %s\n", answer_text(&dates, 0, 0),
                  answer_text(&dates, 0, 1));
    answer_free(&dates);
}

static void write_heading(struct analysis *analysis, const struct row_table *table,
                          char *const *command_line, struct strbuf *text) {
    write_devices(analysis, text);
    if (table->count > 0) {
        write_dates(analysis, text);
    }
    if (command_line) {
        strbuf_append(text, "command ");
        for (; *command_line; command_line++) {
            bool plain = **command_line && !strpbrk(*command_line, " \t\n'\"*?[]$&;|<>()\\`");
            strbuf_append(text, plain ? " %s" : " '%s'", *command_line);
        }
        strbuf_append(text, "\n");
    }
}

/* Twins are counted separately. */
static void write_counts(struct analysis *analysis, struct strbuf *text) {
    const double twins = analysis_ask_number(analysis, "SELECT count(*) FROM rows WHERE twin IS 1");
    strbuf_append(text, "rows     %.0f",
                  analysis_ask_number(analysis, "SELECT count(*) FROM rows WHERE twin IS NOT 1"));
    for (int s = 0; s < STATUS_WORDS; s++) {
        const double count = analysis_ask_number(
            analysis, "SELECT count(*) FROM rows WHERE twin IS NOT 1 AND status = %Q",
            status_words[s]);
        if (count > 0 || s == 0) {
            strbuf_append(text, "%s%.0f %s", s == 0 ? ": " : ", ", count, status_words[s]);
        }
    }
    if (twins > 0) {
        strbuf_append(text, "; %.0f more timed a second time", twins);
    }
    strbuf_append(text, "\n");
}

/* The first lines of a message; rows.csv has all of it, as of a compiler's log. */
static void write_message(const char *message, struct strbuf *text) {
    strbuf_append(text, "\n");
    for (int line = 0; *message && line < MAX_LINES_SHOWN; line++) {
        int length = (int)strcspn(message, "\n");
        strbuf_append(text, "      %.*s\n", length, message);
        message += length + (message[length] == '\n');
    }
}

/* Each row of an answer: its words, then the message in the last column. */
static void write_messages(const char *heading, const struct answer *rows, struct strbuf *text) {
    strbuf_append(text, "%s", rows->rows > 0 ? heading : "");
    for (size_t i = 0; i < rows->rows && i < MAX_FAILURES_SHOWN; i++) {
        strbuf_append(text, "  %s", answer_text(rows, i, 0));
        write_message(answer_text(rows, i, 1), text);
    }
    if (rows->rows > MAX_FAILURES_SHOWN) {
        strbuf_append(text, "  and %zu more: see rows.csv\n", rows->rows - MAX_FAILURES_SHOWN);
    }
}

/* Lists failures, and unsupported cases once per variant and reason. */
static void write_failures(struct analysis *analysis, struct strbuf *text) {
    struct answer failures = analysis_ask(
        analysis, "SELECT substr(coalesce(status, '') || '             ',"
                  "   1, max(13, length(coalesce(status, '')))) || ' ' || coalesce(case_name, '')"
                  "   || iif(repetition > 0, ' (repetition ' || repetition || ')', ''), message"
                  " FROM rows WHERE status IS NOT 'ok' AND status IS NOT 'unsupported'"
                  " ORDER BY rowid");
    struct answer refusals =
        analysis_ask(analysis, "SELECT variant, message FROM rows WHERE status = 'unsupported'"
                               " GROUP BY variant, message ORDER BY min(rowid)");
    write_messages("\nFAILED\n", &failures, text);
    write_messages("\nunsupported\n", &refusals, text);
    answer_free(&failures);
    answer_free(&refusals);
}

/* ---- the fastest ---- */

/* Whether cases of the workload are also timed with their transfers. */
static bool has_end_to_end(const struct row *row) {
    return column_is_of(COLUMN_END_TO_END_S_MEDIAN, row_text(row, COLUMN_WORKLOAD));
}

/* The box, or the distribution of random numbers. */
static void write_box(const struct row *row, struct strbuf *text) {
    const double density = row_number(row, COLUMN_DENSITY);
    const double cutoff = row_number(row, COLUMN_CUTOFF);
    bool open = strcmp(row_text(row, COLUMN_PERIODIC), "0") == 0;
    if (*row_text(row, COLUMN_DISTRIBUTION)) {
        strbuf_append(text, "random numbers, %s", row_text(row, COLUMN_DISTRIBUTION));
        return;
    }
    const char *kind = row_text(row, COLUMN_BOX_KIND);
    strbuf_append(text, "%s", strcmp(kind, "file") == 0 ? "box of a file" : kind);
    if (!isnan(density)) {
        strbuf_append(text, ", density %.6g", density);
    }
    const char *axes = row_text(row, COLUMN_AXES);
    strbuf_append(text, "%s%s%s, ", open ? ", open box" : "", *axes ? ", periodic along " : "",
                  axes);
    if (isinf(cutoff)) {
        strbuf_append(text, "no cutoff");
    } else if (isnan(cutoff)) {
        strbuf_append(text, "cutoff unknown");
    } else {
        strbuf_append(text, "cutoff %.6g", cutoff);
    }
    if (*row_text(row, COLUMN_LIST)) {
        strbuf_append(text, ", %s list as %s, %s", row_text(row, COLUMN_LIST_PAIRS),
                      row_text(row, COLUMN_LIST), row_text(row, COLUMN_LIST_ENTRIES));
        if (*row_text(row, COLUMN_BATCH)) {
            strbuf_append(text, ", batches of %s boxes", row_text(row, COLUMN_BATCH));
        }
        return;
    }
    if (strcmp(row_text(row, COLUMN_INTERACTION), "none") != 0) {
        strbuf_append(text, ", %s", row_text(row, COLUMN_INTERACTION));
    }
    strbuf_append(text, ", outputs %s", row_text(row, COLUMN_OUTPUTS));
}

/* "pairs/s": the heading of what rows of the workload count per second. */
static const char *rate_of(const struct row *row) {
    const struct workload *workload = workload_find(row_text(row, COLUMN_WORKLOAD));
    return (workload ? workload : workload_default())->words.rate;
}

/* A table of the fastest variant at each N. */
struct fastest_table {
    const char *other;       /* the variant that the fastest is compared with */
    int name, gain;          /* characters of the columns */
    const struct row **rows; /* of all points: knobs that all of a variant share are not shown */
    size_t count;
    bool verbose; /* shown all the same */
};

static int longer(int length, const char *words) {
    return (int)strlen(words) > length ? (int)strlen(words) : length;
}

static void fastest_table_make(struct analysis *analysis, size_t setting,
                               const struct summary_settings *settings,
                               struct fastest_table *table) {
    struct answer points = analysis_ask(
        analysis, "SELECT id FROM points WHERE setting = %d ORDER BY rowid", (int)setting);
    *table = (struct fastest_table){ .other = settings->baseline ? settings->baseline : "",
                                     .verbose = settings->verbose,
                                     .name = (int)strlen("fastest"),
                                     .rows = memory_zeroed(points.rows + 1, sizeof *table->rows) };
    for (size_t i = 0; i < points.rows; i++) {
        const struct row *row = analysis->row_of[(size_t)answer_number(&points, i, 0) - 1];
        table->rows[table->count++] = row;
        table->name = longer(table->name, row_text(row, COLUMN_VARIANT));
        table->other = settings->baseline ? settings->baseline : summary_plainest(table->rows[0]);
    }
    table->gain = longer(5, table->other) + (int)strlen("vs ");
    answer_free(&points);
}

/* Appends columns such as "steps 10" in which tables differ, but which the heading leaves out. */
static void write_further(struct analysis *analysis, const struct row *row, struct strbuf *text) {
    const enum column *column = summary_setting_columns;
    while (*column != COLUMN_HOST) {
        column++;
    }
    for (; *column != COLUMN_COUNT; column++) {
        const char *name = column_names[*column];
        if (*row_text(row, *column) &&
            analysis_ask_number(analysis, "SELECT count(DISTINCT coalesce(%s, '')) FROM rows",
                                name) > 1) {
            strbuf_append(text, ", %s %s", name, row_text(row, *column));
        }
    }
}

static void write_setting(struct analysis *analysis, const struct row *row,
                          const struct fastest_table *table, struct strbuf *text) {
    strbuf_append(text, "\n%s on %s: ", row_text(row, COLUMN_PRECISION),
                  row_text(row, COLUMN_DEVICE));
    write_box(row, text);
    if (*row_text(row, COLUMN_GROUPS)) {
        strbuf_append(text, ", %s of groups %s", row_text(row, COLUMN_WORKLOAD),
                      row_text(row, COLUMN_GROUPS));
    }
    write_further(analysis, row, text);
    strbuf_append(text, "\n");
    bool both_ways = has_end_to_end(row);
    strbuf_append(text, "  %7s  %-*s %8s  %8s %s%8s %8s %*s%s\n", "N", table->name, "fastest",
                  both_ways                             ? "kernels"
                  : *row_text(row, COLUMN_DISTRIBUTION) ? "draws"
                                                        : "force",
                  "build", both_ways ? "end to end " : "", rate_of(row), "of peak",
                  table->gain - (int)strlen(table->other), "vs ", table->other);
}

/* Appends the knobs to the line, or below it if the line would become too long. */
static void write_knobs(const struct fastest_table *table, const struct row *row, size_t from,
                        struct strbuf *text) {
    enum { INDENT = 12 };
    struct strbuf knobs = { 0 };
    if (table->verbose) {
        row_append_knobs(row, &knobs);
    } else {
        row_append_varied(row, table->rows, table->count, &knobs);
    }
    if (knobs.length > 0) {
        const bool fits = text->length - from + 2 + knobs.length <= TERMINAL_DEFAULT_COLUMNS;
        strbuf_append(text, "%s%*s%s", fits ? "" : "\n", fits ? 2 : INDENT, "", knobs.data);
    }
    strbuf_free(&knobs);
}

/* The columns of write_table()'s query. */
enum {
    RACE_N,
    RACE_ROW,
    RACE_FORCE_S,
    RACE_IS_SHORT,
    RACE_BUILD_S,
    RACE_BOTH_WAYS_S,
    RACE_PAIRS,
    RACE_PEAK,
    RACE_OTHER_S
};

static void write_fastest(const struct answer *races, size_t race, const struct row *row,
                          const struct fastest_table *table, struct strbuf *text) {
    const double seconds = answer_number(races, race, RACE_FORCE_S);
    const double other_s = answer_number(races, race, RACE_OTHER_S);
    const bool both_ways = row && has_end_to_end(row);
    const size_t from = text->length;
    if (!row) {
        strbuf_append(text, "  %7.0f  none passed\n", answer_number(races, race, RACE_N));
        return;
    }
    strbuf_append(
        text, "  %7.0f  %-*s %8s%s %8s %*s%s%8s %8s %*s%s", answer_number(races, race, RACE_N),
        table->name, row_text(row, COLUMN_VARIANT), quantity_seconds(seconds).text,
        answer_number(races, race, RACE_IS_SHORT) == 1 ? "*" : " ",
        quantity_seconds(answer_number(races, race, RACE_BUILD_S)).text, both_ways ? 10 : 0,
        both_ways ? quantity_seconds(answer_number(races, race, RACE_BOTH_WAYS_S)).text : "",
        both_ways ? " " : "", quantity_large(answer_number(races, race, RACE_PAIRS)).text,
        quantity_percent(0.01 * answer_number(races, race, RACE_PEAK)).text, table->gain - 1,
        quantity_ratio(other_s / seconds).text, isnan(other_s) ? " " : "x");
    write_knobs(table, row, from, text);
    strbuf_append(text, "\n");
}

/* ---- what limits the times: noise, short kernels, load of the machine ---- */

static void write_noise(const struct row_table *table, struct strbuf *text) {
    struct noise_floor floor;
    noise_floor_find(table, &floor);
    if (floor.pairs > 0) {
        strbuf_append(text,
                      "noise    %s: smaller differences mean nothing (from %zu case%s timed "
                      "twice)\n",
                      quantity_percent(floor.ratio_spread).text, floor.pairs,
                      floor.pairs == 1 ? "" : "s");
    }
}

static void write_visits(struct analysis *analysis, struct strbuf *text) {
    struct answer visits = analysis_ask(
        analysis, "SELECT percentile(visit_deviation, 50), max(visit_deviation),"
                  " count(visit_deviation), (SELECT case_name FROM results"
                  "   ORDER BY visit_deviation DESC NULLS LAST, id LIMIT 1) FROM results");
    const double count = answer_number(&visits, 0, 2);
    if (count > 0) {
        strbuf_append(text,
                      "visits   of one case differ by %s (standard deviation; median of %.0f "
                      "case%s)\n         at most by %s: %s\n",
                      quantity_percent(answer_number(&visits, 0, 0)).text, count,
                      count == 1 ? "" : "s", quantity_percent(answer_number(&visits, 0, 1)).text,
                      answer_text(&visits, 0, 3));
    }
    answer_free(&visits);
}

static void write_short(struct analysis *analysis, struct strbuf *text) {
    const double count =
        analysis_ask_number(analysis, "SELECT count(*) FROM results WHERE short_kernel = 1");
    if (count > 0) {
        strbuf_append(
            text,
            "short    %.0f row%s (marked *) shorter than 3 launch overheads of the device: much of "
            "the time\n         is launching; --launch graph:16 times evaluations without it\n",
            count, count == 1 ? " is" : "s are");
    }
}

static void write_throttled(struct analysis *analysis, struct strbuf *text) {
    struct answer dropped = analysis_ask(analysis, "SELECT sum(samples_dropped), count(*) FROM rows"
                                                   " WHERE samples_dropped > 0");
    struct answer reasons = analysis_ask(
        analysis, "SELECT throttle_reasons, count(*) FROM results GROUP BY throttle_reasons");
    const double thinned = answer_number(&dropped, 0, 1);
    double slowed = 0;
    for (size_t i = 0; i < reasons.rows; i++) {
        slowed += throttle_slows(answer_text(&reasons, i, 0)) ? answer_number(&reasons, i, 1) : 0;
    }
    if (thinned > 0) {
        strbuf_append(text, "throttle %.0f samples of %.0f row%s were dropped: the clock was low\n",
                      answer_number(&dropped, 0, 0), thinned, thinned == 1 ? "" : "s");
    }
    if (slowed > 0) {
        strbuf_append(text, "throttle %.0f row%s timed at a low clock, which did not recover\n",
                      slowed, slowed == 1 ? " was" : "s were");
    }
    answer_free(&dropped);
    answer_free(&reasons);
}

static void write_load(struct analysis *analysis, struct strbuf *text) {
    struct answer loads = analysis_ask(analysis,
                                       "SELECT count(*), max(machine_load) FROM results"
                                       " WHERE machine_load > %!.15g",
                                       machine_load_bound);
    const double loaded = answer_number(&loads, 0, 0);
    if (loaded > 0) {
        strbuf_append(text,
                      "load     other processes took more than %s of the processors, up to %s, "
                      "while\n         %.0f row%s timed\n",
                      quantity_percent(machine_load_bound).text,
                      quantity_percent(answer_number(&loads, 0, 1)).text, loaded,
                      loaded == 1 ? " was" : "s were");
    }
    answer_free(&loads);
}

void summary_notes(struct analysis *analysis, const struct row_table *table, struct strbuf *text) {
    write_noise(table, text);
    write_visits(analysis, text);
    write_short(analysis, text);
    write_throttled(analysis, text);
    write_load(analysis, text);
}

/* ---- one setting after another ---- */

static void write_table(struct analysis *analysis, size_t setting,
                        const struct summary_settings *settings, struct strbuf *text) {
    struct fastest_table table;
    fastest_table_make(analysis, setting, settings, &table);
    struct answer races = analysis_ask(
        analysis,
        "SELECT races.n, id, force_s, is_short, build_s, end_to_end_s, pairs_per_s,"
        " percent_of_peak, (SELECT min(force_s) FROM points AS p WHERE p.setting = races.setting"
        "   AND p.n IS races.n AND p.variant = %Q AND passed)"
        " FROM races LEFT JOIN points ON points.rowid = best WHERE races.setting = %d"
        " ORDER BY first",
        table.other, (int)setting);
    write_setting(analysis, table.rows[0], &table, text);
    for (size_t i = 0; i < races.rows; i++) {
        const double id = answer_number(&races, i, RACE_ROW);
        write_fastest(&races, i, id > 0 ? analysis->row_of[(size_t)id - 1] : NULL, &table, text);
    }
    answer_free(&races);
    free(table.rows);
}

/* Every setting by itself; `timed`: whether there are times with transfers. */
static void write_tables(struct analysis *analysis, const struct summary_settings *settings,
                         struct strbuf *text) {
    struct answer timed = analysis_ask(
        analysis, "SELECT max(end_to_end_s > 0) FROM points GROUP BY setting ORDER BY setting");
    summary_rank(analysis, "force_s");
    for (size_t s = 0; s < timed.rows; s++) {
        write_table(analysis, s + 1, settings, text);
        summary_variants(analysis, s + 1, settings->baseline, false, text);
        if (answer_number(&timed, s, 0) == 1) {
            summary_rank(analysis, "end_to_end_s");
            summary_variants(analysis, s + 1, settings->baseline, true, text);
            summary_rank(analysis, "force_s");
        }
    }
    answer_free(&timed);
}

void summary_write(const struct row_table *table, const struct summary_settings *settings,
                   struct strbuf *text) {
    struct analysis analysis;
    summary_points_make(table, &analysis);
    write_heading(&analysis, table, settings->command_line, text);
    write_counts(&analysis, text);
    summary_notes(&analysis, table, text);
    write_failures(&analysis, text);
    write_tables(&analysis, settings, text);
    analysis_close(&analysis);
}

bool summary_of_folder(const char *directory, const struct summary_settings *settings, FILE *log,
                       struct error *error) {
    struct row_table table;
    struct strbuf text = { 0 };
    char *rows_path = fs_join(directory, "rows.csv", error);
    char *path = fs_join(directory, "summary.txt", error);
    bool summed = rows_path && path && rows_read(rows_path, log, &table, error);
    if (summed) {
        struct strbuf doubts = { 0 };
        summed = checksums_doubt(directory, &doubts, error);
        if (doubts.data) {
            strbuf_append(&text, "doubtful: %s\n", doubts.data);
        }
        strbuf_free(&doubts);
        if (summed) {
            summary_write(&table, settings, &text);
        }
        if (summed && settings->results) {
            (void)fputs(text.data, settings->results);
            (void)fflush(settings->results);
        }
        summed = summed && fs_write(path, text.data, text.length, error);
        rows_free(&table);
    }
    strbuf_free(&text);
    free(path);
    free(rows_path);
    return summed;
}

bool summary_conclude(void *settings, const char *directory, FILE *log, struct error *error) {
    return summary_of_folder(directory, settings, log, error);
}
