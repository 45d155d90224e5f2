#include "campaign/summary_questions.h"

#include "campaign/summary_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cases that agree in all else, one with the value `from` of the tunable or the outputs, the other
 * with `to`: the answer is time(to) / time(from). */
struct question {
    const char *asks;
    const char *tunable; /* NULL: of the outputs */
    const char *from, *to;
    bool (*applies)(const struct row *row); /* NULL: always */
};

static bool check_is_dropped(const struct row *row);

static const struct question questions[] = {
    { "forces with energy / forces alone", NULL, "forces", "energy", NULL },
    { "forces with energy and virial / forces alone", NULL, "forces", "virial", NULL },
    { "repeated loads left to the compiler / staged in registers", "STAGE_LOADS", "1", "0", NULL },
    { "distance check inside a cell dropped / kept, where its diagonal is within the cutoff",
      "INNER_CHECK", "1", "0", check_is_dropped },
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

/* All that a case is identified by, besides outputs and tunables. */
static const char *const fixed_columns[] = { "host",     "device",    "workload", "interaction",
                                             "box_hash", "precision", "cutoff",   NULL };

static bool same_columns(const struct row *a, const struct row *b, const char *const *columns) {
    bool same = true;
    for (; *columns && same; columns++) {
        same = strcmp(row_text(a, *columns), row_text(b, *columns)) == 0;
    }
    return same;
}

static bool has(const struct row *row, const char *column, const char *value) {
    return strcmp(row_text(row, column), value) == 0;
}

/* Where the value of a tunable begins in the words of a row, "A=1 B=2"; NULL: it has none. */
static const char *tunable_in(const char *words, const char *name) {
    size_t length = strlen(name);
    while (*words) {
        if (strncmp(words, name, length) == 0 && words[length] == '=') {
            return words + length + 1;
        }
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    return NULL;
}

static bool has_tunable(const struct row *row, const char *name, const char *value) {
    const char *found = tunable_in(row_text(row, "tunables"), name);
    return found && strcspn(found, " ") == strlen(value) &&
           strncmp(found, value, strlen(value)) == 0;
}

/* Whether the words agree but for the value of that tunable. */
static bool same_other_tunables(const struct row *a, const struct row *b, const char *name) {
    const char *left = row_text(a, "tunables");
    const char *right = row_text(b, "tunables");
    const char *left_value = tunable_in(left, name);
    const char *right_value = tunable_in(right, name);
    return left_value && right_value && left_value - left == right_value - right &&
           strncmp(left, right, (size_t)(left_value - left)) == 0 &&
           strcmp(left_value + strcspn(left_value, " "), right_value + strcspn(right_value, " ")) ==
               0;
}

/* The kernel keeps the check unless the grid proves it unneeded: cubic boxes, cut as structures of
 * cells cut them. */
static bool check_is_dropped(const struct row *row) {
    const char *value = tunable_in(row_text(row, "tunables"), "CELLS_PER_CUTOFF");
    double cutoff = row_number(row, "cutoff");
    double n = row_number(row, "n");
    if (!value || has(row, "box_kind", "file") || !has(row, "periodic", "1")) {
        return false;
    }
    double edge = cbrt(n / row_number(row, "density"));
    double cells = floor(0.9999 * edge * strtod(value, NULL) / cutoff);
    /* Fewer cells are made when there would be four times as many as particles. */
    return cells >= 1 && cells * cells * cells < 4 * n &&
           3 * (edge / cells) * (edge / cells) < 0.998 * cutoff * cutoff;
}

static bool is_pair(const struct question *question, const struct row *from, const struct row *to) {
    if (!same_columns(from, to, fixed_columns) || !has(to, "variant", row_text(from, "variant"))) {
        return false;
    }
    if (!question->tunable) {
        return has(from, "outputs", question->from) && has(to, "outputs", question->to) &&
               has(to, "tunables", row_text(from, "tunables"));
    }
    return has(to, "outputs", row_text(from, "outputs")) &&
           has_tunable(from, question->tunable, question->from) &&
           has_tunable(to, question->tunable, question->to) &&
           same_other_tunables(from, to, question->tunable) &&
           (!question->applies || question->applies(from));
}

/* The ratio of medians, and what it can be where both are within their intervals. */
static void write_ratio(const struct timed_case *over, const struct timed_case *under,
                        struct text *text) {
    text_append(text, "%6.3f ", over->median_s / under->median_s);
    if (isnan(over->low_s) || isnan(under->low_s)) {
        text_append(text, "%-16s", "(few samples)");
    } else {
        text_append(text, "[%.3f, %.3f]  ", over->low_s / under->high_s,
                    over->high_s / under->low_s);
    }
}

static void write_answer(const struct question *question, const struct timed_cases *cases,
                         struct text *text) {
    size_t answers = 0;
    text_append(text, "\n  %s\n", question->asks);
    for (size_t i = 0; i < cases->count; i++) {
        for (size_t j = 0; j < cases->count; j++) {
            const struct timed_case *from = &cases->cases[i];
            const struct timed_case *to = &cases->cases[j];
            if (!is_pair(question, from->row, to->row)) {
                continue;
            }
            text_append(text, "    ");
            write_ratio(to, from, text);
            text_append(text, " %s, N = %s, %s, %s on %s\n", row_text(to->row, "variant"),
                        row_text(to->row, "n"), row_text(to->row, "tunables"),
                        row_text(to->row, "precision"), row_text(to->row, "device"));
            answers++;
        }
    }
    if (answers == 0) {
        text_append(text, "    no pair of cases that passed\n");
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
        if (same_columns(timed->row, like, fixed_columns) && has(timed->row, "variant", variant) &&
            has(timed->row, "outputs", "forces") &&
            (!value || has_tunable(timed->row, tunable, value)) &&
            (!best || timed->median_s < best->median_s)) {
            best = timed;
        }
    }
    return best;
}

static size_t write_claimed(const struct timed_cases *cases, const struct timed_case *all_pairs,
                            struct text *text) {
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
        text_append(text, "    ");
        write_ratio(cells, all_pairs, text);
        text_append(text, " PAIRS_PER_GROUP %s, N = %s, %s on %s: %s against %s\n",
                    pairs_per_group[p], row_text(cells->row, "n"),
                    row_text(cells->row, "precision"), row_text(cells->row, "device"),
                    row_text(cells->row, "tunables"), row_text(all_pairs->row, "tunables"));
        written++;
    }
    return written;
}

static void write_claim(const struct timed_cases *cases, struct text *text) {
    size_t written = 0;
    text_append(text,
                "\n  cell_pairs_two_pass / all_pairs_half, several pairs of cells a group, each at "
                "its fastest group size\n"
                "    the article, at about 1400 particles and 6 angstrom: about 2 with one pair, "
                "about 1 with 8 or 16\n"
                "    measured here, cells built beforehand:\n");
    for (size_t i = 0; i < cases->count; i++) {
        const struct timed_case *timed = &cases->cases[i];
        if (has(timed->row, "variant", "all_pairs_half") &&
            timed == fastest(cases, timed->row, "all_pairs_half", NULL, NULL)) {
            written += write_claimed(cases, timed, text);
        }
    }
    if (written == 0) {
        text_append(text, "    no pair of cases that passed\n");
    }
}

bool summary_questions(const struct row_table *table, const char *samples_path, struct text *text,
                       struct error *error) {
    struct timed_cases cases;
    if (!timed_cases_read(table, samples_path, &cases, error)) {
        return false;
    }
    text_append(text,
                "\nQuestions of the article: ratios of times, of cases that passed and differ in "
                "one thing\n"
                "  [low, high]: 95 %% or more, from the order statistics of both medians' samples "
                "within this run\n");
    write_claim(&cases, text);
    for (int q = 0; q < QUESTIONS; q++) {
        write_answer(&questions[q], &cases, text);
    }
    text_append(text,
                "\n  not measured: type tables in constant or local memory; an interaction chosen "
                "by a run-time branch\n");
    timed_cases_free(&cases);
    return !text->failed || fail_out_of_memory(error, "the questions");
}
