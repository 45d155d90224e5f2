#include "answers/summary/summary.h"

#include "answers/tables/analysis.h"
#include "campaign/campaign_preset.h"
#include "core/strings.h"
#include "kernels/potentials/type_table.h"
#include "kernels/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timed_case {
    const struct row *row; /* one of its rows */
    double median_s;
    double low_s, high_s; /* interval of the median; NaN: too few samples for one */
    size_t samples;       /* hot ones, of all repetitions */
};

struct timed_cases {
    struct timed_case *cases;
    size_t count;
};

/* ---- the interval of a median ---- */

/* The largest rank r such that the median lies below the r-th smallest of `count` samples with a
 * probability of at most `tail`; 0: there is none. The number of samples below the median is
 * binomial with probability one half. */
static size_t rank_of_tail(size_t count, double tail) {
    const double n = (double)count;
    double sum = 0;
    size_t rank = 0;
    for (; rank < count / 2; rank++) {
        const double k = (double)rank;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
        if (sum > tail) {
            break;
        }
    }
    return rank;
}

/* rank_of_tail(count), of the intervals that timed_cases_read promises. */
static void give_rank(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const size_t samples = (size_t)sqlite3_value_int64(arguments[0]);
    (void)count;
    sqlite3_result_int64(context, (sqlite3_int64)rank_of_tail(samples, 0.0125));
}

/* ---- cases ---- */

/* A case has rows, all of which are ok, and no repeat among them: that is a case of its own, and no
 * result. `place` orders the samples of a case by time, from 1. */
static const char cases_sql[] =
    "WITH passed AS (SELECT case_id, coalesce(device, '') AS unit, max(rowid) AS id FROM rows"
    "   GROUP BY 1, 2 HAVING min(status IS 'ok' AND twin IS NOT 1) = 1),"
    " hot AS MATERIALIZED (SELECT case_id, coalesce(device, '') AS unit, seconds, row_number() OVER"
    "   (PARTITION BY device, case_id ORDER BY seconds) AS place FROM samples WHERE cache = 'hot'),"
    " timed AS MATERIALIZED (SELECT case_id, unit, count(*) AS count,"
    "   rank_of_tail(count(*)) AS rank FROM hot GROUP BY 1, 2)"
    " SELECT id, count, percentile(seconds, 50), max(seconds) FILTER (WHERE place = rank),"
    "   max(seconds) FILTER (WHERE place = count - rank + 1)"
    " FROM timed JOIN passed USING (case_id, unit) JOIN hot USING (case_id, unit)"
    " GROUP BY unit, case_id ORDER BY unit, case_id";

/* What cases_sql answers, row by row. */
struct reading {
    const struct analysis *analysis;
    struct timed_cases *cases;
};

static bool take_case(void *context, sqlite3_stmt *row, struct error *error) {
    const struct reading *reading = context;
    struct timed_cases *cases = reading->cases;
    (void)error;
    cases->cases[cases->count++] =
        (struct timed_case){ .row = analysis_row(reading->analysis, row, 0),
                             .samples = (size_t)sqlite3_column_int64(row, 1),
                             .median_s = analysis_number(row, 2),
                             .low_s = analysis_number(row, 3),
                             .high_s = analysis_number(row, 4) };
    return true;
}

static void timed_cases_free(struct timed_cases *cases) {
    free(cases->cases);
    *cases = (struct timed_cases){ 0 };
}

/* The cases of a device whose rows are all ok and that have samples. The interval is that of order
 * statistics, which assumes nothing of how samples are distributed: it holds the median with a
 * probability of at least 97.5 %, so that two of them hold together with 95 %. The rows must
 * outlive the cases. STATUS_BAD_INPUT when the samples cannot be read. */
static bool timed_cases_read(const struct row_table *table, const char *samples_path,
                             struct timed_cases *cases, struct error *error) {
    struct analysis analysis;
    *cases = (struct timed_cases){ .cases = calloc(table->count + 1, sizeof *cases->cases) };
    if (!cases->cases) {
        return fail_out_of_memory(error, "the samples");
    }
    bool read = analysis_open(&analysis, error);
    read = read &&
           (sqlite3_create_function(analysis.database, "rank_of_tail", 1,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, give_rank, NULL,
                                    NULL) == SQLITE_OK ||
            analysis_fail(&analysis, error)) &&
           analysis_add_table(&analysis, table, error) &&
           analysis_add_samples(&analysis, samples_path, NULL, error) &&
           analysis_each(&analysis, cases_sql, 0, take_case, &(struct reading){ &analysis, cases },
                         error);
    analysis_close(&analysis);
    if (!read) {
        timed_cases_free(cases);
    }
    return read;
}

/* ---- the questions ---- */

/* In what the two cases of a question differ. */
enum difference { OF_OUTPUTS, OF_TUNABLE, OF_INTERACTION };

/* Cases that agree in all else, one with the value `from` of the tunable or the outputs or with
 * that form of the interaction, the other with `to`: the answer is time(to) / time(from). */
struct question {
    const char *asks;
    const char *tunable;
    const char *from, *to;
    bool (*applies)(const struct row *row); /* NULL: always */
    enum difference difference;
    enum article_form from_form, to_form;
    bool of_steps; /* and not of forces; those on outputs are of both */
};

static bool check_is_dropped(const struct row *row);

static const struct question questions[] = {
    { .asks = "forces with energy / forces alone", .from = "forces", .to = "energy" },
    { .asks = "forces with energy and virial / forces alone", .from = "forces", .to = "virial" },
    { .asks = "repeated loads left to the compiler / staged in registers",
      .difference = OF_TUNABLE,
      .tunable = "STAGE_LOADS",
      .from = "1",
      .to = "0" },
    { .asks = "a table of types in constant memory / read from global memory",
      .difference = OF_TUNABLE,
      .tunable = TYPE_TABLE_TUNABLE,
      .from = "0",
      .to = "1" },
    { .asks = "a table of types copied to local memory by each group / read from global memory",
      .difference = OF_TUNABLE,
      .tunable = TYPE_TABLE_TUNABLE,
      .from = "0",
      .to = "2" },
    { .asks = "lj's parameters from a table of types / compiled in, the same numbers",
      .difference = OF_INTERACTION,
      .from_form = ARTICLE_COMPILED_IN,
      .to_form = ARTICLE_BY_TABLE },
    { .asks = "lj chosen among three functions by run-time branches / the only function, both from "
              "that table,\n  which names lj for every pair of types",
      .difference = OF_INTERACTION,
      .from_form = ARTICLE_BY_TABLE,
      .to_form = ARTICLE_BY_BRANCH },
    { .asks = "lj chosen by run-time branches, from the table / compiled in",
      .difference = OF_INTERACTION,
      .from_form = ARTICLE_COMPILED_IN,
      .to_form = ARTICLE_BY_BRANCH },
    { .asks =
          "distance check inside a cell dropped / kept, where its diagonal is within the cutoff",
      .difference = OF_TUNABLE,
      .tunable = "INNER_CHECK",
      .from = "1",
      .to = "0",
      .applies = check_is_dropped },
    { .asks = "wrapping into the cell by floor / by branches",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "WRAP",
      .from = "0",
      .to = "1" },
    { .asks = "faces crossed are counted / are not",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "COUNT_CROSSINGS",
      .from = "0",
      .to = "1" },
    { .asks = "particles and momenta summed by type and face / crossings counted per particle",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "COUNT_CROSSINGS",
      .from = "1",
      .to = "2" },
    { .asks = "two particles per work-item of the integrator / one",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "PARTICLES_PER_ITEM",
      .from = "1",
      .to = "2" },
    { .asks = "four particles per work-item of the integrator / one",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "PARTICLES_PER_ITEM",
      .from = "1",
      .to = "4" },
    { .asks = "velocities loaded at each use, by the integrator / kept in registers",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "STAGE_VELOCITIES",
      .from = "1",
      .to = "0" },
    { .asks = "numbers of a step in a struct by value / in arguments",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "PARAMETERS",
      .from = "0",
      .to = "1" },
    { .asks = "numbers of a step in constant memory / in arguments",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "PARAMETERS",
      .from = "0",
      .to = "2" },
    { .asks = "cells filled in the first half of the step / built apart",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "FILL_CELLS",
      .from = "0",
      .to = "1" },
    { .asks = "cell of a particle looked up in a table per axis / found by arithmetic",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "CELL_LOOKUP",
      .from = "0",
      .to = "8" },
    { .asks = "factor of a thermostat worked out by every work-item / by one",
      .difference = OF_TUNABLE,
      .of_steps = true,
      .tunable = "FACTOR_BY_ALL",
      .from = "0",
      .to = "1" },
};

/* What is looked through for answers. */
struct evidence {
    struct timed_cases cases;
    struct strbuf forms[ARTICLE_BY_BRANCH + 1]; /* the interaction, as rows spell it */
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

/* All that a case is identified by, besides outputs, tunables and interaction. */
static const enum column fixed_columns[] = { COLUMN_HOST,     COLUMN_DEVICE,    COLUMN_WORKLOAD,
                                             COLUMN_BOX_HASH, COLUMN_PRECISION, COLUMN_CUTOFF,
                                             COLUMN_COUNT };

static bool same_columns(const struct row *a, const struct row *b, const enum column *columns) {
    bool same = true;
    for (; *columns != COLUMN_COUNT && same; columns++) {
        same = strcmp(row_text(a, *columns), row_text(b, *columns)) == 0;
    }
    return same;
}

static bool has(const struct row *row, enum column column, const char *value) {
    return strcmp(row_text(row, column), value) == 0;
}

static const char *next_word(const char *words) {
    words += strcspn(words, " ");
    return words + strspn(words, " ");
}

/* Where the value of a tunable begins in the words of a row, "A=1 B=2"; NULL: it has none. */
static const char *tunable_in(const char *words, const char *name) {
    size_t length = strlen(name);
    while (*words) {
        if (strncmp(words, name, length) == 0 && words[length] == '=') {
            return words + length + 1;
        }
        words = next_word(words);
    }
    return NULL;
}

static bool has_tunable(const struct row *row, const char *name, const char *value) {
    const char *found = tunable_in(row_text(row, COLUMN_TUNABLES), name);
    return found && strcspn(found, " ") == strlen(value) &&
           strncmp(found, value, strlen(value)) == 0;
}

/* The words from the first on that is not the value of that tunable. */
static const char *without_tunable(const char *words, const char *name) {
    const char *value = tunable_in(words, name);
    return value == words + strlen(name) + 1 ? next_word(words) : words;
}

/* Whether the words, which are sorted, agree but for the value of that tunable, or its absence. */
static bool same_other_tunables(const struct row *a, const struct row *b, const char *name) {
    const char *left = without_tunable(row_text(a, COLUMN_TUNABLES), name);
    const char *right = without_tunable(row_text(b, COLUMN_TUNABLES), name);
    while (*left || *right) {
        size_t length = strcspn(left, " ");
        if (length != strcspn(right, " ") || strncmp(left, right, length) != 0) {
            return false;
        }
        left = without_tunable(next_word(left), name);
        right = without_tunable(next_word(right), name);
    }
    return true;
}

/* The kernel keeps the check unless the grid proves it unneeded: cubic boxes, cut as structures of
 * cells cut them. */
static bool check_is_dropped(const struct row *row) {
    const char *value = tunable_in(row_text(row, COLUMN_TUNABLES), "CELLS_PER_CUTOFF");
    double cutoff = row_number(row, COLUMN_CUTOFF);
    double n = row_number(row, COLUMN_N);
    if (!value || has(row, COLUMN_BOX_KIND, "file") || has(row, COLUMN_BOX_KIND, "brick") ||
        has(row, COLUMN_BOX_KIND, "plate") || !has(row, COLUMN_PERIODIC, "1")) {
        return false;
    }
    double edge = cbrt(n / row_number(row, COLUMN_DENSITY));
    double cells = floor(0.9999 * edge * strtod(value, NULL) / cutoff);
    /* Fewer cells are made when there would be four times as many as particles. */
    return cells >= 1 && cells * cells * cells < 4 * n &&
           3 * (edge / cells) * (edge / cells) < 0.998 * cutoff * cutoff;
}

static bool same(const struct row *a, const struct row *b, enum column column) {
    return has(a, column, row_text(b, column));
}

/* Whether one row has the one form of the interaction and the other the other; a table is read from
 * where it is by preset. */
static bool differ_in_form(const struct question *question, const struct evidence *evidence,
                           const struct row *from, const struct row *to) {
    return has(from, COLUMN_INTERACTION, evidence->forms[question->from_form].data) &&
           has(to, COLUMN_INTERACTION, evidence->forms[question->to_form].data) &&
           has_tunable(to, TYPE_TABLE_TUNABLE, "0") &&
           (question->from_form == ARTICLE_COMPILED_IN ||
            has_tunable(from, TYPE_TABLE_TUNABLE, "0")) &&
           same_other_tunables(from, to, TYPE_TABLE_TUNABLE) && same(from, to, COLUMN_OUTPUTS);
}

static bool differ_in_tunable(const struct question *question, const struct row *from,
                              const struct row *to) {
    return has_tunable(from, question->tunable, question->from) &&
           has_tunable(to, question->tunable, question->to) &&
           same_other_tunables(from, to, question->tunable) && same(from, to, COLUMN_OUTPUTS) &&
           same(from, to, COLUMN_INTERACTION) && (!question->applies || question->applies(from));
}

static bool is_pair(const struct question *question, const struct evidence *evidence,
                    const struct row *from, const struct row *to) {
    if (!same_columns(from, to, fixed_columns) || !same(from, to, COLUMN_VARIANT)) {
        return false;
    }
    switch (question->difference) {
    case OF_INTERACTION:
        return differ_in_form(question, evidence, from, to);
    case OF_TUNABLE:
        return differ_in_tunable(question, from, to);
    default:
        return has(from, COLUMN_OUTPUTS, question->from) && has(to, COLUMN_OUTPUTS, question->to) &&
               same(from, to, COLUMN_TUNABLES) && same(from, to, COLUMN_INTERACTION);
    }
}

/* The ratio of medians, and what it can be where both are within their intervals. */
static void write_ratio(const struct timed_case *over, const struct timed_case *under,
                        struct strbuf *text) {
    strbuf_append(text, "%6.3f ", over->median_s / under->median_s);
    if (isnan(over->low_s) || isnan(under->low_s)) {
        strbuf_append(text, "%-16s", "(few samples)");
    } else {
        strbuf_append(text, "[%.3f, %.3f]  ", over->low_s / under->high_s,
                      over->high_s / under->low_s);
    }
}

static void write_answer(const struct question *question, const struct evidence *evidence,
                         struct strbuf *text) {
    const struct timed_cases *cases = &evidence->cases;
    size_t answers = 0;
    strbuf_append(text, "\n  %s\n", question->asks);
    for (size_t i = 0; i < cases->count; i++) {
        for (size_t j = 0; j < cases->count; j++) {
            const struct timed_case *from = &cases->cases[i];
            const struct timed_case *to = &cases->cases[j];
            if (!is_pair(question, evidence, from->row, to->row)) {
                continue;
            }
            strbuf_append(text, "    ");
            write_ratio(to, from, text);
            strbuf_append(text, " %s, N = %s, %s, %s on %s\n", row_text(to->row, COLUMN_VARIANT),
                          row_text(to->row, COLUMN_N), row_text(to->row, COLUMN_TUNABLES),
                          row_text(to->row, COLUMN_PRECISION), row_text(to->row, COLUMN_DEVICE));
            answers++;
        }
    }
    if (answers == 0) {
        strbuf_append(text, "    no pair of cases that passed\n");
    }
}

/* ---- the claim ---- */

/* The fastest of a variant, forces alone, on the box of another case, where `value` of a tunable is
 * set (NULL: any). */
static const struct timed_case *fastest(const struct timed_cases *cases, const struct row *like,
                                        const char *variant, const char *tunable,
                                        const char *value) {
    const struct timed_case *best = NULL;
    for (size_t i = 0; i < cases->count; i++) {
        const struct timed_case *timed = &cases->cases[i];
        if (same_columns(timed->row, like, fixed_columns) &&
            same(timed->row, like, COLUMN_INTERACTION) &&
            has(timed->row, COLUMN_VARIANT, variant) && has(timed->row, COLUMN_OUTPUTS, "forces") &&
            (!value || has_tunable(timed->row, tunable, value)) &&
            (!best || timed->median_s < best->median_s)) {
            best = timed;
        }
    }
    return best;
}

static size_t write_claimed(const struct timed_cases *cases, const struct timed_case *all_pairs,
                            struct strbuf *text) {
    static const char *const pairs_per_group[] = { "1", "2", "4", "8", "16" };
    size_t written = 0;
    for (size_t p = 0; p < sizeof pairs_per_group / sizeof pairs_per_group[0]; p++) {
        const struct timed_case *cells = fastest(cases, all_pairs->row, "cell_pairs_two_pass",
                                                 "PAIRS_PER_GROUP", pairs_per_group[p]);
        /* Where the first is missing, as in the sweep over N, the axis was not measured. */
        if (!cells && p == 0) {
            return 0;
        }
        if (!cells) {
            continue;
        }
        strbuf_append(text, "    ");
        write_ratio(cells, all_pairs, text);
        strbuf_append(text, " PAIRS_PER_GROUP %s, N = %s, %s on %s: %s against %s\n",
                      pairs_per_group[p], row_text(cells->row, COLUMN_N),
                      row_text(cells->row, COLUMN_PRECISION), row_text(cells->row, COLUMN_DEVICE),
                      row_text(cells->row, COLUMN_TUNABLES),
                      row_text(all_pairs->row, COLUMN_TUNABLES));
        written++;
    }
    return written;
}

static void write_claim(const struct timed_cases *cases, struct strbuf *text) {
    size_t written = 0;
    strbuf_append(
        text, "\n  cell_pairs_two_pass / all_pairs_half, several pairs of cells a group, each at "
              "its fastest group size\n"
              "    the article, at about 1400 particles and 6 angstrom: about 2 with one pair, "
              "about 1 with 8 or 16\n"
              "    measured here, cells built beforehand:\n");
    for (size_t i = 0; i < cases->count; i++) {
        const struct timed_case *timed = &cases->cases[i];
        if (has(timed->row, COLUMN_VARIANT, "all_pairs_half") &&
            timed == fastest(cases, timed->row, "all_pairs_half", NULL, NULL)) {
            written += write_claimed(cases, timed, text);
        }
    }
    if (written == 0) {
        strbuf_append(text, "    no pair of cases that passed\n");
    }
}

static bool evidence_read(const struct row_table *table, const char *samples_path,
                          struct evidence *evidence, struct error *error) {
    bool spelled = true;
    *evidence = (struct evidence){ 0 };
    for (int f = 0; spelled && f <= ARTICLE_BY_BRANCH; f++) {
        spelled = article_interaction((enum article_form)f, &evidence->forms[f], error);
    }
    return spelled && timed_cases_read(table, samples_path, &evidence->cases, error);
}

static void evidence_free(struct evidence *evidence) {
    timed_cases_free(&evidence->cases);
    for (int f = 0; f <= ARTICLE_BY_BRANCH; f++) {
        strbuf_free(&evidence->forms[f]);
    }
}

/* Whether the run is of whole steps: a number of them stands in its rows. */
static bool has_steps(const struct row_table *table) {
    return table->count > 0 && row_number(&table->rows[0], COLUMN_STEPS) > 0;
}

bool summary_questions(const struct row_table *table, const char *samples_path, struct strbuf *text,
                       struct error *error) {
    struct evidence evidence;
    if (!evidence_read(table, samples_path, &evidence, error)) {
        evidence_free(&evidence);
        return false;
    }
    strbuf_append(
        text, "\nQuestions of the article: ratios of times, of cases that passed and differ in "
              "one thing\n"
              "  [low, high]: 95 %% or more, from the order statistics of both medians' samples "
              "within this run\n");
    const bool steps = has_steps(table);
    if (!steps) {
        write_claim(&evidence.cases, text);
    }
    for (int q = 0; q < QUESTIONS; q++) {
        if (questions[q].difference == OF_OUTPUTS || questions[q].of_steps == steps) {
            write_answer(&questions[q], &evidence, text);
        }
    }
    evidence_free(&evidence);
    return !text->failed || fail_out_of_memory(error, "the questions");
}
