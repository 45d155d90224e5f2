#include "campaign/rows/campaign_repeats.h"

#include "core/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_PER_REPEAT = 4 };

static const double golden_ratio = 0.6180339887498949;

size_t repeats_wanted(size_t cases, size_t most) {
    const size_t wanted = (cases + CASES_PER_REPEAT - 1) / CASES_PER_REPEAT;
    return wanted < most ? wanted : most;
}

void repeats_choose(size_t cases, size_t wanted, size_t *places) {
    for (size_t k = 0; k < wanted; k++) {
        const size_t first = k * cases / wanted;
        const size_t next = (k + 1) * cases / wanted;
        const double share = fmod(golden_ratio * (double)(k + 1), 1);
        places[k] = first + (size_t)(share * (double)(next - first));
    }
}

void repeat_id(const char *case_id, char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, case_id);
    hash_add_string(hash, REPEAT_SUFFIX);
    hash_end(hash, text);
}

static bool same_column(const struct row *a, const struct row *b, enum column column) {
    return strcmp(row_text(a, column), row_text(b, column)) == 0;
}

/* A time that stands for something; NaN otherwise. */
static double time_of(const struct row *row) {
    const double seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
    return strcmp(row_text(row, COLUMN_STATUS), "ok") == 0 && seconds > 0 ? seconds : NAN;
}

/* The row that a repeat's is the second of; NULL when there is none. */
static const struct row *first_of(const struct row_table *table, const struct row *repeat) {
    const char *name = row_text(repeat, COLUMN_CASE_NAME);
    const size_t whole = strlen(name);
    const size_t suffix = strlen(REPEAT_SUFFIX);
    const size_t length = whole > suffix ? whole - suffix : 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const char *other = row_text(row, COLUMN_CASE_NAME);
        if (!row_is_repeat(row) && strlen(other) == length && strncmp(other, name, length) == 0 &&
            same_column(row, repeat, COLUMN_DEVICE) && same_column(row, repeat, COLUMN_HOST) &&
            same_column(row, repeat, COLUMN_REPETITION)) {
            return row;
        }
    }
    return NULL;
}

bool noise_floor_find(const struct row_table *table, struct noise_floor *floor,
                      struct error *error) {
    double *log_ratios = calloc(table->count + 1, sizeof *log_ratios);
    *floor = (struct noise_floor){ .ratio_spread = NAN };
    if (!log_ratios) {
        return fail_out_of_memory(error, "the noise floor");
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct row *repeat = &table->rows[i];
        const struct row *first = row_is_repeat(repeat) ? first_of(table, repeat) : NULL;
        const double log_ratio = first ? log(time_of(repeat) / time_of(first)) : NAN;
        if (!isnan(log_ratio)) {
            log_ratios[floor->pairs++] = log_ratio;
        }
    }
    floor->ratio_spread = ratio_spread_of(log_ratios, floor->pairs);
    free(log_ratios);
    return true;
}
