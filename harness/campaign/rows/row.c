/* Sets the fields of a row, compares and describes rows, and chooses rows by the axes. */
#include "campaign/rows/rows.h"

#include "campaign/axes/axes.h"
#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "measure/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void row_create(struct row *row) {
    *row = (struct row){ .fields = memory_zeroed(COLUMN_COUNT, sizeof *row->fields) };
}

void row_free(struct row *row) {
    for (int i = 0; row->fields && i < COLUMN_COUNT; i++) {
        free(row->fields[i]);
    }
    free(row->fields);
    *row = (struct row){ 0 };
}

void row_set(struct row *row, enum column column, const char *value) {
    char *copy = *value ? memory_copy(value) : NULL;
    free(row->fields[column]);
    row->fields[column] = copy;
}

void row_copy(const struct row *row, struct row *copy) {
    row_create(copy);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        row_set(copy, (enum column)i, row->fields[i] ? row->fields[i] : "");
    }
    copy->line = row->line;
}

void row_set_number(struct row *row, enum column column, double value) {
    if (isnan(value)) {
        row_set(row, column, "");
        return;
    }
    row_set(row, column, quantity_exact(value).text);
}

void row_set_count(struct row *row, enum column column, int64_t value) {
    char word[24];
    (void)snprintf(word, sizeof word, "%" PRId64, value);
    row_set(row, column, value < 0 ? "" : word);
}

bool row_append(struct record_file *file, const struct row *row, struct error *error) {
    struct strbuf record = { 0 };
    record_format(&record, (const char *const *)row->fields, COLUMN_COUNT);
    bool appended = record_file_append(file, &record, error);
    strbuf_free(&record);
    return appended;
}

const char *row_text(const struct row *row, enum column column) {
    return row->fields[column] ? row->fields[column] : "";
}

double row_number(const struct row *row, enum column column) {
    const char *word = row_text(row, column);
    char *end = NULL;
    double value = strtod(word, &end);
    return *word == '\0' || *end != '\0' ? NAN : value;
}

bool row_is_default(const struct row *row, enum column column) {
    const char *absent = column_table[column].absent;
    return strcmp(row_text(row, column), absent ? absent : "") == 0;
}

void row_append_knobs(const struct row *row, struct strbuf *words) {
    const char *before = "";
    for (enum column column = column_next(ROLE_KNOB, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_KNOB, column)) {
        if (!row_is_default(row, column)) {
            strbuf_append(words, "%s%s", before, row_text(row, column));
            before = " ";
        }
    }
}

/* Whether one of the words is that of so many characters. */
static bool has_word(const char *words, const char *word, size_t length) {
    for (; *words; words += strspn(words, " ")) {
        const size_t next = strcspn(words, " ");
        if (next == length && strncmp(words, word, length) == 0) {
            return true;
        }
        words += next;
    }
    return false;
}

static bool all_have(const struct row *const *rows, size_t count, const struct row *like,
                     enum column column, const char *word, size_t length) {
    const char *variant = row_text(like, COLUMN_VARIANT);
    const char *own = row_text(like, column);
    for (size_t i = 0; i < count; i++) {
        const char *words = row_text(rows[i], column);
        if (strcmp(row_text(rows[i], COLUMN_VARIANT), variant) == 0 && strcmp(words, own) != 0 &&
            !has_word(words, word, length)) {
            return false;
        }
    }
    return true;
}

void row_append_varied(const struct row *row, const struct row *const *rows, size_t count,
                       struct strbuf *words) {
    for (enum column column = column_next(ROLE_KNOB, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_KNOB, column)) {
        for (const char *word = row_text(row, column); *word; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            if (!all_have(rows, count, row, column, word, length)) {
                strbuf_append(words, "%s%.*s", words->length > 0 ? " " : "", (int)length, word);
            }
            word += length;
        }
    }
}

bool row_passed(const struct row *row) {
    return strcmp(row_text(row, COLUMN_STATUS), status_name(STATUS_OK)) == 0;
}

bool row_is_final(const struct row *row) {
    const char *status = row_text(row, COLUMN_STATUS);
    return strcmp(status, status_name(STATUS_CRASHED)) != 0 &&
           strcmp(status, status_name(STATUS_TIMEOUT)) != 0;
}

struct row_key row_key_of(const struct row *row) {
    return (struct row_key){ row_text(row, COLUMN_CASE_ID), row_text(row, COLUMN_DEVICE),
                             row_text(row, COLUMN_REPETITION) };
}

int row_key_compare(const struct row_key *one, const struct row_key *other) {
    int order = strcmp(one->case_id, other->case_id);
    order = order ? order : strcmp(one->device, other->device);
    return order ? order : strcmp(one->repetition, other->repetition);
}

int row_compare_results(const struct row *one, const struct row *other) {
    const struct row_key left = row_key_of(one);
    const struct row_key right = row_key_of(other);
    return row_key_compare(&left, &right);
}

int row_compare_places(const void *one, const void *other) {
    const struct row *left = *(const struct row *const *)one;
    const struct row *right = *(const struct row *const *)other;
    const int order = row_compare_results(left, right);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

bool row_is_twin(const struct row *row) {
    return strcmp(row_text(row, COLUMN_TWIN), "1") == 0;
}

/* ---- rows that axes choose ---- */

/* Whether a glob of the list matches the word. */
static bool matches_any(const char *list, char separator, const char *word) {
    char **patterns = memory_split(list, separator);
    bool matched = false;
    for (size_t i = 0; !matched && patterns[i]; i++) {
        matched = matches_pattern(patterns[i], word);
    }
    free(patterns);
    return matched;
}

static void choose_word(const char *list, const struct row *row, enum column column, bool *chosen) {
    *chosen = *chosen && (!list || matches_any(list, ',', row_text(row, column)));
}

static void choose_device(const char *list, const struct row *row, bool *chosen) {
    static const enum column columns[] = { COLUMN_DEVICE, COLUMN_DEVICE_MODEL, COLUMN_BACKEND };
    bool matched = !list;
    for (size_t i = 0; !matched && i < sizeof columns / sizeof columns[0]; i++) {
        matched = matches_any(list, ',', row_text(row, columns[i]));
    }
    *chosen = *chosen && matched;
}

/* An expression is what it is however it was spelled. */
static bool choose_expression(const char *words, const struct row *row, bool *chosen,
                              struct error *error) {
    struct expression *expression = NULL;
    if (!expression_parse(words, NULL, &expression, error)) {
        return fail_within(error, "--interaction");
    }
    const char *whole = row_text(row, COLUMN_INTERACTION);
    const size_t length = strlen(expression->text);
    *chosen = *chosen && strncmp(whole, expression->text, length) == 0 &&
              (whole[length] == '\0' || whole[length] == ',');
    expression_free(expression);
    return true;
}

static bool choose_interaction(const char *list, const struct row *row, bool *chosen,
                               struct error *error) {
    const char *whole = row_text(row, COLUMN_INTERACTION);
    if (list && expression_is_labelled(list)) { /* its semicolons part no list */
        return choose_expression(list, row, chosen, error);
    }
    char *name = memory_begin(whole, strcspn(whole, ":"));
    *chosen = *chosen && (!list || matches_any(list, ';', whole) || matches_any(list, ';', name));
    free(name);
    return true;
}

static bool choose_number(const char *option, const char *list, const struct row *row,
                          enum column column, bool *chosen, struct error *error) {
    struct number_list numbers = { 0 };
    const double recorded = row_number(row, column);
    bool matched = !list;
    if (list && strcmp(list, "none") == 0 && column == COLUMN_CUTOFF) {
        matched = isinf(recorded);
    } else if (list && !axis_numbers(option, list, &numbers, error)) {
        return false;
    }
    for (size_t i = 0; i < numbers.count; i++) {
        const double value = numbers.values[i];
        matched = matched || fabs(recorded - value) <= 1e-9 * fabs(value);
    }
    free(numbers.values);
    *chosen = *chosen && matched;
    return true;
}

/* Whether the two counts of "10k:32" are those of the row. */
static bool is_ratio(char *words, const struct row *row, bool *matched) {
    uint64_t a;
    uint64_t b;
    char *colon = strchr(words, ':');
    if (!colon) {
        return false;
    }
    *colon = '\0';
    if (!parse_count(words, &a) || !parse_count(colon + 1, &b)) {
        return false;
    }
    *matched = *matched || (row_number(row, COLUMN_N_A) == (double)a &&
                            row_number(row, COLUMN_N_B) == (double)b);
    return true;
}

static bool choose_ratio(const char *list, const struct row *row, bool *chosen,
                         struct error *error) {
    bool matched = !list;
    bool good = true;
    char **ratios = list ? memory_split(list, ',') : NULL;
    for (size_t i = 0; good && ratios && ratios[i]; i++) {
        good = is_ratio(ratios[i], row, &matched) ||
               fail(error, STATUS_BAD_INPUT,
                    "--ratio: '%.100s': expected the particles of either group, as 1000:1", list);
    }
    free(ratios);
    *chosen = *chosen && matched;
    return good;
}

static void choose_pairs(const struct row *row, bool *chosen) {
    const char *groups = row_text(row, COLUMN_GROUPS);
    const size_t length = strlen(groups);
    *chosen = *chosen && length >= 5 && strcmp(groups + length - 5, "pairs") == 0;
}

/* Chooses rows by an axis that the user named. */
static bool choose_by(struct axes *axes, enum axis axis, const struct row *row, bool *chosen,
                      struct error *error) {
    const struct axis_entry *entry = &axis_table[axis];
    const char *list = entry->shape == AXIS_WORD ? *axes_word(axes, axis) : NULL;
    switch (entry->chooses) {
    case ROWS_BY_NAME:
        choose_word(list, row, entry->column, chosen);
        return true;
    case ROWS_BY_NUMBER:
        return choose_number(entry->option, list, row, entry->column, chosen, error);
    case ROWS_BY_INTERACTION:
        return choose_interaction(list, row, chosen, error);
    case ROWS_BY_DEVICE:
        choose_device(list, row, chosen);
        return true;
    case ROWS_BY_RATIO:
        return choose_ratio(list, row, chosen, error);
    case ROWS_BY_PAIRS:
        choose_pairs(row, chosen);
        return true;
    default:
        return fail(error, STATUS_BAD_INPUT, "%s: rows are not chosen by it", entry->option);
    }
}

static bool choose(struct axes *axes, const struct row *row, bool *chosen, struct error *error) {
    bool good = true;
    *chosen = true;
    for (int i = 0; good && i < AXIS_COUNT; i++) {
        good = !axes_say(axes, (enum axis)i) || choose_by(axes, (enum axis)i, row, chosen, error);
    }
    return good;
}

/* ---- a table ---- */

static bool check_recorded(const struct axes *axes, struct error *error) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        if (axis_table[i].chooses == ROWS_BY_NOTHING && axes_say(axes, (enum axis)i)) {
            return fail(error, STATUS_BAD_INPUT, "%s: rows are not chosen by it",
                        axis_table[i].option);
        }
    }
    return true;
}

bool row_filter_apply(const struct axes *axes, struct row_table *table, struct error *error) {
    size_t kept = 0;
    bool good = check_recorded(axes, error);
    for (size_t i = 0; good && i < table->count; i++) {
        bool chosen;
        good = choose((struct axes *)axes, &table->rows[i], &chosen, error);
        if (good && chosen) {
            const struct row row = table->rows[kept];
            table->rows[kept++] = table->rows[i];
            table->rows[i] = row; /* one that is dropped; freed below */
        }
    }
    for (size_t i = kept; good && i < table->count; i++) {
        row_free(&table->rows[i]);
    }
    table->count = good ? kept : table->count;
    return good;
}
