/* The questions of questions.sql, answered: its tables, the functions that it calls, its answers.
 */
#include "answers/summary/summary.h"

#include "answers/tables/analysis.h"
#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the interval of a median ---- */

/* Each interval of a median holds it with a probability of at least 1 - 2 TAIL, so that two of them
 * hold together with 95 %. */
static const double tail = 0.0125;

/* The largest rank r such that the median lies below the r-th smallest of `count` samples with a
 * probability of at most `tail`; 0: there is none. The number of samples below the median is
 * binomial with probability one half; nothing is assumed of how samples are distributed. */
static size_t rank_of_tail(size_t count) {
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

/* ---- tunables ---- */

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

/* `value` NULL: any, or none. */
static bool has_tunable(const char *words, const char *name, const char *value) {
    const char *found = tunable_in(words, name);
    return !value || (found && strcspn(found, " ") == strlen(value) &&
                      strncmp(found, value, strlen(value)) == 0);
}

/* The words from the first on that is not the value of that tunable. */
static const char *without_tunable(const char *words, const char *name) {
    const char *value = tunable_in(words, name);
    return value == words + strlen(name) + 1 ? next_word(words) : words;
}

/* Whether the words, which are sorted, agree but for the value of that tunable, or its absence. */
static bool same_other_tunables(const char *left, const char *right, const char *name) {
    left = without_tunable(left, name);
    right = without_tunable(right, name);
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
static bool drops_check(double per_cutoff, double n, double density, double cutoff) {
    const double edge = cbrt(n / density);
    const double cells = floor(0.9999 * edge * per_cutoff / cutoff);
    /* Fewer cells are made when there would be four times as many as particles. */
    return cells >= 1 && cells * cells * cells < 4 * n &&
           3 * (edge / cells) * (edge / cells) < 0.998 * cutoff * cutoff;
}

/* ---- as functions of SQL ---- */

static const char *text_of(sqlite3_value *value) {
    return (const char *)sqlite3_value_text(value);
}

static void give_rank(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    sqlite3_result_int64(context,
                         (sqlite3_int64)rank_of_tail((size_t)sqlite3_value_int64(arguments[0])));
}

static void give_tunable(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const char *value = tunable_in(text_of(arguments[0]), text_of(arguments[1]));
    (void)count;
    if (value) {
        sqlite3_result_text(context, value, (int)strcspn(value, " "), SQLITE_TRANSIENT);
    }
}

static void give_turned(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const char *name = text_of(arguments[0]);
    const char *a = text_of(arguments[1]);
    const char *b = text_of(arguments[3]);
    (void)count;
    sqlite3_result_int(context, has_tunable(a, name, text_of(arguments[2])) &&
                                    has_tunable(b, name, text_of(arguments[4])) &&
                                    same_other_tunables(a, b, name));
}

static void give_dropped(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    sqlite3_result_int(context, drops_check(sqlite3_value_double(arguments[0]),
                                            sqlite3_value_double(arguments[1]),
                                            sqlite3_value_double(arguments[2]),
                                            sqlite3_value_double(arguments[3])));
}

/* spelled(interaction, table): as rows spell it; `table` a file, or NULL. */
static void give_spelled(sqlite3_context *context, int count, sqlite3_value **arguments) {
    struct error error;
    struct interaction interaction;
    struct type_table *table = NULL;
    const char *path = text_of(arguments[1]);
    struct strbuf words = { 0 };
    (void)count;
    if (!interaction_parse(text_of(arguments[0]), &interaction, &error) ||
        (path && !type_table_read(path, &interaction, &table, &error))) {
        sqlite3_result_error(context, error.message, -1);
        return;
    }
    interaction_use_table(&interaction, table);
    interaction_describe(&interaction, &words);
    sqlite3_result_text(context, words.data, -1, SQLITE_TRANSIENT);
    strbuf_free(&words);
    type_table_free(table);
}

static void add_functions(struct analysis *analysis) {
    analysis_add_function(analysis, "rank_of_tail", 1, NULL, give_rank);
    analysis_add_function(analysis, "tunable", 2, NULL, give_tunable);
    analysis_add_function(analysis, "turned", 5, NULL, give_turned);
    analysis_add_function(analysis, "drops_check", 4, NULL, give_dropped);
    analysis_add_function(analysis, "spelled", 2, NULL, give_spelled);
}

/* ---- answers ---- */

/* Each the ratio of medians, what it can be where both are within their intervals, and of what. */
static void write_answers(struct analysis *analysis, const char *sql, struct strbuf *text) {
    struct answer answers = analysis_ask(analysis, "%s", sql);
    for (size_t i = 0; i < answers.rows; i++) {
        const double low = answer_number(&answers, i, 1);
        strbuf_append(text, "    %6.3f ", answer_number(&answers, i, 0));
        if (isnan(low)) {
            strbuf_append(text, "%-16s", "(few samples)");
        } else {
            strbuf_append(text, "[%.3f, %.3f]  ", low, answer_number(&answers, i, 2));
        }
        strbuf_append(text, " %s\n", answer_text(&answers, i, 3));
    }
    strbuf_append(text, answers.rows == 0 ? "    no pair of cases that passed\n" : "");
    answer_free(&answers);
}

/* The question that begins at `at` is asked of a run of whole steps, or of forces, if it is of
 * such, or of both. */
static bool is_asked(const char *at, bool steps) {
    return begins_with(at, "-- both: ") || begins_with(at, steps ? "-- steps: " : "-- forces: ");
}

/* The question that begins at *at, moved to the next one: its words, then its answers. */
static bool answer(struct analysis *analysis, const char **at, bool steps, struct strbuf *text,
                   struct error *error) {
    const bool asked = is_asked(*at, steps);
    const char *words = strstr(*at, ": ") + 2;
    strbuf_append(text, "%s", asked ? "\n" : "");
    while (begins_with(*at, "--")) {
        const size_t length = strcspn(words, "\n");
        if (asked) {
            strbuf_append(text, "  %.*s\n", (int)length, words);
        }
        *at = words + length + 1;
        words = *at + strlen("-- ");
    }
    const char *next = strstr(*at, "\n--");
    char *sql = next ? strndup(*at, (size_t)(next - *at)) : strdup(*at);
    if (sql && asked) {
        write_answers(analysis, sql, text);
    }
    const bool done = sql || fail_out_of_memory(error, "the questions");
    free(sql);
    *at = next ? next + 1 : *at + strlen(*at);
    return done;
}

/* `questions`: the text of questions.sql. */
static bool answer_all(struct analysis *analysis, const char *questions, bool steps,
                       struct strbuf *text, struct error *error) {
    const char *at = strstr(questions, "\n--") + 1;
    bool answered = true;
    analysis_run(analysis, "%.*s", (int)(at - questions), questions);
    while (answered && *at) {
        answered = answer(analysis, &at, steps, text, error);
    }
    return answered;
}

bool summary_questions(const struct row_table *table, const char *samples_path, struct strbuf *text,
                       struct error *error) {
    /* Whether the run is of whole steps: a number of them stands in its rows. */
    const bool steps = table->count > 0 && row_number(&table->rows[0], COLUMN_STEPS) > 0;
    struct analysis analysis;
    if (!analysis_open(&analysis, error)) {
        return false;
    }
    strbuf_append(
        text, "\nQuestions of the article: ratios of times, of cases that passed and differ in "
              "one thing\n"
              "  [low, high]: 95 %% or more, from the order statistics of both medians' samples "
              "within this run\n");
    add_functions(&analysis);
    const bool answered =
        analysis_add_table(&analysis, table, error) &&
        analysis_add_samples(&analysis, samples_path, NULL, error) &&
        answer_all(&analysis, embedded_text("harness/answers/summary/questions.sql"), steps, text,
                   error);
    const bool passed = answered && analysis_passed(&analysis, error);
    analysis_close(&analysis);
    return passed && (!text->failed || fail_out_of_memory(error, "the questions"));
}
