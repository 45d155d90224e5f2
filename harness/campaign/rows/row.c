#include "campaign/rows/rows.h"

#include "core/quantity.h"
#include "core/strings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool row_create(struct row *row, struct error *error) {
    *row = (struct row){ .fields = calloc(COLUMN_COUNT, sizeof *row->fields) };
    return row->fields || fail_out_of_memory(error, "a row");
}

void row_free(struct row *row) {
    for (int i = 0; row->fields && i < COLUMN_COUNT; i++) {
        free(row->fields[i]);
    }
    free(row->fields);
    *row = (struct row){ 0 };
}

void row_set(struct row *row, enum column column, const char *value) {
    char *copy = NULL;
    if (*value && !(copy = strdup(value))) {
        row->failed = true;
        return;
    }
    free(row->fields[column]);
    row->fields[column] = copy;
}

bool row_copy(const struct row *row, struct row *copy, struct error *error) {
    if (!row_create(copy, error)) {
        return false;
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        row_set(copy, (enum column)i, row->fields[i] ? row->fields[i] : "");
    }
    copy->line = row->line;
    if (copy->failed) {
        row_free(copy);
        return fail_out_of_memory(error, "a row");
    }
    return true;
}

void row_set_number(struct row *row, enum column column, double value) {
    char word[QUANTITY_SIZE];
    if (isnan(value)) {
        row_set(row, column, "");
        return;
    }
    quantity_exact(value, word, sizeof word);
    row_set(row, column, word);
}

void row_set_count(struct row *row, enum column column, int64_t value) {
    char word[24];
    (void)snprintf(word, sizeof word, "%" PRId64, value);
    row_set(row, column, value < 0 ? "" : word);
}

bool row_append(struct record_file *file, const struct row *row, struct error *error) {
    struct strbuf record = { .failed = row->failed };
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

bool row_is_repeat(const struct row *row) {
    return strcmp(row_text(row, COLUMN_TWIN), "1") == 0;
}

/* ---- reading ---- */
