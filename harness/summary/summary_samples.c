#include "summary/summary_samples.h"

#include "base/hash.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample and the case that it belongs to. */
struct sample {
    char case_id[HASH_TEXT_SIZE];
    char device[64];
    double seconds;
};

struct samples {
    struct sample *items;
    size_t count, capacity;
    /* where the columns are; -1: not there */
    int case_id, device, cache, seconds;
};

/* ---- samples.csv ---- */

static void find_columns(struct samples *samples, char **fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int column = (int)i;
        samples->case_id = strcmp(fields[i], "case_id") == 0 ? column : samples->case_id;
        samples->device = strcmp(fields[i], "device") == 0 ? column : samples->device;
        samples->cache = strcmp(fields[i], "cache") == 0 ? column : samples->cache;
        samples->seconds = strcmp(fields[i], "seconds") == 0 ? column : samples->seconds;
    }
}

static const char *field_at(char **fields, size_t count, int column) {
    return column >= 0 && (size_t)column < count ? fields[column] : "";
}

static bool take_sample(void *context, size_t line, char **fields, size_t count,
                        struct error *error) {
    struct samples *samples = context;
    struct sample sample = { .seconds = NAN };
    if (line == 1) {
        find_columns(samples, fields, count);
        return true;
    }
    if (strcmp(field_at(fields, count, samples->cache), "hot") != 0 ||
        !text_to_double(field_at(fields, count, samples->seconds), &sample.seconds)) {
        return true;
    }
    (void)snprintf(sample.case_id, sizeof sample.case_id, "%s",
                   field_at(fields, count, samples->case_id));
    (void)snprintf(sample.device, sizeof sample.device, "%s",
                   field_at(fields, count, samples->device));
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 1024;
        struct sample *items = realloc(samples->items, capacity * sizeof *items);
        if (!items) {
            return fail_out_of_memory(error, "the samples");
        }
        samples->items = items;
        samples->capacity = capacity;
    }
    samples->items[samples->count++] = sample;
    return true;
}

/* By device, case and time: the samples of a case stand together, ascending. */
static int compare_samples(const void *a, const void *b) {
    const struct sample *left = a;
    const struct sample *right = b;
    int order = strcmp(left->device, right->device);
    order = order ? order : strcmp(left->case_id, right->case_id);
    return order ? order : (left->seconds > right->seconds) - (left->seconds < right->seconds);
}

/* ---- the interval ---- */

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

static void summarise(const struct sample *samples, size_t count, double *values,
                      struct timed_case *timed) {
    const size_t rank = rank_of_tail(count, 0.0125);
    for (size_t i = 0; i < count; i++) {
        values[i] = samples[i].seconds;
    }
    timed->samples = count;
    timed->median_s = quantile_of_sorted(values, count, 0.5);
    timed->low_s = rank > 0 ? values[rank - 1] : NAN;
    timed->high_s = rank > 0 ? values[count - rank] : NAN;
}

/* One of the case's rows; NULL when it has none or any of them is not ok. A twin is a case of its
 * own, and no result. */
static const struct row *row_of(const struct row_table *table, const struct sample *sample) {
    const struct row *found = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        if (strcmp(row_text(row, COLUMN_CASE_ID), sample->case_id) != 0 ||
            strcmp(row_text(row, COLUMN_DEVICE), sample->device) != 0) {
            continue;
        }
        if (strcmp(row_text(row, COLUMN_STATUS), "ok") != 0 || row_is_twin(row)) {
            return NULL;
        }
        found = row;
    }
    return found;
}

static bool gather(const struct row_table *table, const struct samples *samples,
                   struct timed_cases *cases, struct error *error) {
    double *values = calloc(samples->count + 1, sizeof *values);
    cases->cases = calloc(table->count + 1, sizeof *cases->cases);
    bool room = (values && cases->cases) || fail_out_of_memory(error, "the samples");
    for (size_t first = 0, next; room && first < samples->count; first = next) {
        const struct sample *sample = &samples->items[first];
        next = first + 1;
        while (next < samples->count &&
               strcmp(samples->items[next].case_id, sample->case_id) == 0 &&
               strcmp(samples->items[next].device, sample->device) == 0) {
            next++;
        }
        struct timed_case timed = { .row = row_of(table, sample) };
        if (timed.row) {
            summarise(sample, next - first, values, &timed);
            cases->cases[cases->count++] = timed;
        }
    }
    free(values);
    return room;
}

bool timed_cases_read(const struct row_table *table, const char *samples_path,
                      struct timed_cases *cases, struct error *error) {
    struct samples samples = { .case_id = -1, .device = -1, .cache = -1, .seconds = -1 };
    struct records_extent extent;
    *cases = (struct timed_cases){ 0 };
    bool read = records_read(samples_path, take_sample, &samples, &extent, error);
    if (read && samples.count > 0) {
        qsort(samples.items, samples.count, sizeof *samples.items, compare_samples);
    }
    read = read && gather(table, &samples, cases, error);
    if (!read) {
        timed_cases_free(cases);
    }
    free(samples.items);
    return read;
}

void timed_cases_free(struct timed_cases *cases) {
    free(cases->cases);
    *cases = (struct timed_cases){ 0 };
}
