/* Ranks the variants of each setting, and writes the table of their times. */
#include "answers/summary/summary.h"

#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/workload.h"

#include <math.h>
#include <string.h>

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

const char *summary_plainest(const struct row *row) {
    const struct workload *workload = workload_find(row_text(row, COLUMN_WORKLOAD));
    return (workload ? workload : workload_default())
        ->words.all_pairs[row_number(row, COLUMN_N_B) > 0];
}

void summary_rank(struct analysis *analysis, const char *seconds) {
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
enum { LINE = 100, INDENT = 2, TIME = 7, RATIO = 6, CELL = 2 + TIME + 1 + 1 + RATIO };

/* The columns of the answer that a table is of, variant by variant, each with every N. */
enum { VARIANT, IS_BUILT, N, SECONDS, IS_SHORT, BUILD_S, FAILED, BASELINE_S };

static void write_cell(const struct answer *cells, size_t cell, struct strbuf *text) {
    const double seconds = answer_number(cells, cell, SECONDS);
    const double ratio = seconds / answer_number(cells, cell, BASELINE_S);
    const char *failed = answer_text(cells, cell, FAILED);
    char words[QUANTITY_SIZE];
    if (isnan(seconds)) {
        strbuf_append(text, "%*s", CELL, *failed ? failed : "not run");
        return;
    }
    quantity_even_seconds(seconds, words, sizeof words);
    strbuf_append(text, "  %*s%s", TIME, words,
                  *failed && strcmp(failed, "unsupported") != 0 ? "!"
                  : answer_number(cells, cell, IS_SHORT) == 1   ? "*"
                                                                : " ");
    quantity_ratio(ratio, words, sizeof words);
    strbuf_append(text, isfinite(ratio) ? " %*sx" : " %*s", isfinite(ratio) ? RATIO - 1 : RATIO,
                  words);
}

static void write_built(const struct answer *cells, size_t cell, struct strbuf *text) {
    const double seconds = answer_number(cells, cell, BUILD_S);
    char time[QUANTITY_SIZE] = "";
    if (seconds > 0) {
        quantity_even_seconds(seconds, time, sizeof time);
    }
    strbuf_append(text, "  %*s%*s", TIME, time, CELL - TIME - 2, "");
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

static void write_table(const struct answer *cells, size_t count, const char *baseline,
                        bool end_to_end, struct strbuf *text) {
    int width = (int)strlen("  built in");
    for (size_t at = 0; at < cells->rows; at += count) {
        const int length = (int)strlen(answer_text(cells, at, VARIANT));
        width = length > width ? length : width;
    }
    const int fitting = (LINE - INDENT - width) / CELL;
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

void summary_variants(struct analysis *analysis, size_t setting, const char *baseline,
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
        write_table(&cells, count, baseline, end_to_end, text);
    }
    answer_free(&cells);
}
