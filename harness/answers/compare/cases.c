#include "answers/compare/cases.h"

#include "core/error.h"
#include "core/statistics.h"
#include "core/strings.h"
#include "kernels/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SEPARATOR = '\x1f' };

void device_label(const struct row *row, char *text, size_t size) {
    const char *model = row_text(row, COLUMN_DEVICE_MODEL);
    (void)snprintf(text, size, "%s%s%s", model, *model ? " " : "", row_text(row, COLUMN_DEVICE));
}

/* ---- keys ---- */

bool column_is_compared(enum compare_by by, enum column column) {
    static const unsigned roles[] = { [BY_VARIANT] = ROLE_BY_VARIANT,
                                      [BY_PRECISION] = ROLE_BY_PRECISION,
                                      [BY_DEVICE] = ROLE_BY_DEVICE,
                                      [BY_COMMIT] = ROLE_BY_COMMIT };
    return (column_table[column].role & roles[by]) != 0;
}

/* Whether the column identifies cases in such a comparison. */
static bool is_key(const struct row *row, enum column column, enum compare_by by) {
    return column == COLUMN_BOX_HASH ? strcmp(row_text(row, COLUMN_BOX_KIND), "file") == 0
                                     : !column_is_compared(by, column);
}

/* Numbers by value, to nine digits: the same box in another spelling is the same box. */
static void append_field(struct strbuf *key, const struct row *row, enum column column) {
    const double number = row_number(row, column);
    if (isnan(number)) {
        strbuf_append(key, "%s%c", row_text(row, column), KEY_SEPARATOR);
    } else {
        strbuf_append(key, "%.9g%c", number, KEY_SEPARATOR);
    }
}

/* NULL when memory ran out. */
static char *make_key(const struct row *row, enum compare_by by, bool by_device) {
    struct strbuf key = { 0 };
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        if (is_key(row, column, by)) {
            append_field(&key, row, column);
        } else {
            strbuf_append(&key, "%c", KEY_SEPARATOR);
        }
    }
    if (by_device) {
        char device[256];
        device_label(row, device, sizeof device);
        strbuf_append(&key, "%s", device);
    }
    if (key.failed) {
        strbuf_free(&key);
    }
    return key.data;
}

/* ---- rows with their keys ---- */

struct keyed_row {
    struct placed_row placed;
    char *key;
    size_t order; /* as given, so that sorting is stable */
};

static int compare_cases_of(const struct keyed_row *a, const struct keyed_row *b) {
    int order = strcmp(a->key, b->key);
    /* Within a key of variants, the tunables. */
    return order ? order
                 : strcmp(row_text(a->placed.row, COLUMN_TUNABLES),
                          row_text(b->placed.row, COLUMN_TUNABLES));
}

static int compare_keyed(const void *a, const void *b) {
    const struct keyed_row *left = a;
    const struct keyed_row *right = b;
    int order = compare_cases_of(left, right);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

static void keyed_free(struct keyed_row *keyed, size_t count) {
    for (size_t i = 0; keyed && i < count; i++) {
        free(keyed[i].key);
    }
    free(keyed);
}

static void warn(FILE *log, const struct placed_row *placed, const char *what, const char *word) {
    log_warning(log, "%s:%zu: skipped: %s%s", placed->run->rows_path, placed->row->line, what,
                word);
}

static bool is_usable(const struct placed_row *placed, FILE *log) {
    enum status status;
    const char *word = row_text(placed->row, COLUMN_STATUS);
    if (!status_from_name(word, &status)) {
        warn(log, placed, "there is no status ", *word ? word : "''");
        return false;
    }
    if (*row_text(placed->row, COLUMN_VARIANT) == '\0') {
        warn(log, placed, "the row names no variant", "");
        return false;
    }
    return true;
}

static bool key_rows(const struct placed_row *rows, size_t count, enum compare_by by,
                     bool by_device, FILE *log, struct keyed_row *keyed, size_t *kept,
                     struct error *error) {
    *kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_usable(&rows[i], log)) {
            continue;
        }
        char *key = make_key(rows[i].row, by, by_device);
        if (!key) {
            return fail_out_of_memory(error, "the cases");
        }
        keyed[(*kept)++] = (struct keyed_row){ rows[i], key, i };
    }
    if (*kept > 0) {
        qsort(keyed, *kept, sizeof *keyed, compare_keyed);
    }
    return true;
}

/* ---- rows to cases ---- */

static bool stands_before(const struct keyed_row *first, const struct keyed_row *row) {
    static const enum column columns[] = { COLUMN_RUN_ID, COLUMN_REPETITION, COLUMN_DEVICE,
                                           COLUMN_CASE_ID };
    for (; first < row; first++) {
        bool same = first->placed.run == row->placed.run;
        for (size_t c = 0; same && c < sizeof columns / sizeof columns[0]; c++) {
            same = strcmp(row_text(first->placed.row, columns[c]),
                          row_text(row->placed.row, columns[c])) == 0;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* A repetition and the row that it is from. */
struct timed_row {
    struct log_median time;
    struct placed_row placed;
};

static bool add_time(const struct placed_row *placed, FILE *log, struct compared_case *gathered,
                     struct timed_row *times, struct error *error) {
    enum time_source source;
    struct log_median time;
    if (!run_time_of(placed->run, placed->row, log, &time, &source, error)) {
        return false;
    }
    if (source != TIME_UNKNOWN) {
        times[gathered->repetitions++] = (struct timed_row){ time, *placed };
        gathered->from_visits = gathered->from_visits && source == TIME_FROM_VISITS;
        gathered->from_mad = gathered->from_mad || source == TIME_FROM_MAD;
        /* Of a NaN and a number: the number. */
        gathered->machine_load =
            fmax(gathered->machine_load, row_number(placed->row, COLUMN_MACHINE_LOAD));
    }
    return true;
}

static bool is_same_run(const struct placed_row *a, const struct placed_row *b) {
    return a->run == b->run &&
           strcmp(row_text(a->row, COLUMN_RUN_ID), row_text(b->row, COLUMN_RUN_ID)) == 0;
}

/* Repetitions of one run share its process and its memory; those of another do not. `units` has
 * room for as many as there are repetitions. */
static void pool_times(const struct timed_row *times, struct log_median *units,
                       struct compared_case *gathered) {
    const size_t count = gathered->repetitions;
    size_t runs = 0;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && is_same_run(&times[first].placed, &times[next].placed);
             next++) {
            units[runs + next - first] = times[next].time;
        }
        if (first > 0 || next < count) { /* of several runs */
            units[runs] = log_median_pool(units + runs, next - first);
            runs++;
        }
    }
    if (count == 0) {
        return;
    }
    gathered->timed = gathered->status == STATUS_OK;
    gathered->units_are_runs = runs > 0;
    gathered->units = runs > 0 ? runs : count;
    gathered->time = log_median_pool(units, gathered->units);
    for (size_t i = 0; i < gathered->units; i++) {
        const double off = units[i].value - gathered->time.value;
        gathered->sum_of_squares += off * off;
    }
}

/* The rows of one case. `times` and `units` have room for as many. */
static bool gather_one(struct keyed_row *rows, size_t count, FILE *log, struct timed_row *times,
                       struct log_median *units, struct compared_case *gathered,
                       struct error *error) {
    *gathered = (struct compared_case){ .row = rows[0].placed.row,
                                        .run = rows[0].placed.run,
                                        .from_visits = true,
                                        .machine_load = NAN };
    for (size_t i = 0; i < count; i++) {
        const struct placed_row *placed = &rows[i].placed;
        enum status status = STATUS_OK;
        if (stands_before(rows, &rows[i])) {
            warn(log, placed, "the case and repetition stand above already", "");
            continue;
        }
        (void)status_from_name(row_text(placed->row, COLUMN_STATUS), &status);
        if (status != STATUS_OK) {
            if (gathered->status == STATUS_OK) {
                gathered->status = status;
                gathered->row = placed->row;
                gathered->run = placed->run;
            }
        } else if (!add_time(placed, log, gathered, times, error)) {
            return false;
        }
    }
    pool_times(times, units, gathered);
    gathered->key = rows[0].key;
    rows[0].key = NULL;
    return true;
}

static bool gather_all(struct keyed_row *keyed, size_t count, FILE *log,
                       struct compared_cases *cases, struct error *error) {
    struct timed_row *times = calloc(count + 1, sizeof *times);
    struct log_median *units = calloc(count + 1, sizeof *units);
    cases->cases = calloc(count + 1, sizeof *cases->cases);
    bool gathered = (times && units && cases->cases) || fail_out_of_memory(error, "the cases");
    for (size_t first = 0, next; gathered && first < count; first = next) {
        next = first + 1;
        while (next < count && compare_cases_of(&keyed[first], &keyed[next]) == 0) {
            next++;
        }
        gathered = gather_one(&keyed[first], next - first, log, times, units,
                              &cases->cases[cases->count], error);
        cases->count += gathered;
    }
    free(times);
    free(units);
    return gathered;
}

bool cases_gather(const struct placed_row *rows, size_t count, enum compare_by by, bool by_device,
                  FILE *log, struct compared_cases *cases, struct error *error) {
    struct keyed_row *keyed = calloc(count + 1, sizeof *keyed);
    size_t kept = 0;
    *cases = (struct compared_cases){ 0 };
    bool gathered = keyed != NULL || fail_out_of_memory(error, "the cases");
    gathered = gathered && key_rows(rows, count, by, by_device, log, keyed, &kept, error) &&
               gather_all(keyed, kept, log, cases, error);
    keyed_free(keyed, kept);
    if (!gathered) {
        cases_free(cases);
    }
    return gathered;
}

void cases_free(struct compared_cases *cases) {
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->cases[i].key);
    }
    free(cases->cases);
    *cases = (struct compared_cases){ 0 };
}

/* Whether `a` stands for its key rather than `b`. */
static bool is_better(const struct compared_case *a, const struct compared_case *b) {
    if (a->timed != b->timed) {
        return a->timed;
    }
    return a->timed && a->time.value < b->time.value;
}

void cases_keep_fastest(struct compared_cases *cases) {
    size_t kept = 0;
    for (size_t i = 0; i < cases->count; i++) {
        struct compared_case *next = &cases->cases[i];
        if (kept > 0 && strcmp(cases->cases[kept - 1].key, next->key) == 0) {
            struct compared_case *best = &cases->cases[kept - 1];
            const bool better = is_better(next, best);
            free(better ? best->key : next->key);
            *best = better ? *next : *best;
        } else {
            cases->cases[kept++] = *next;
        }
    }
    cases->count = kept;
}

/* ---- noise ---- */

const double noise_unknown_floor = 0.10;

static struct variant_noise *find_variant(const struct noise *noise, const char *variant) {
    for (size_t i = 0; i < noise->count; i++) {
        if (strcmp(noise->variants[i].variant, variant) == 0) {
            return &noise->variants[i];
        }
    }
    return NULL;
}

static void add_to_variant(struct noise *noise, const struct compared_case *timed, double squares,
                           double freedom) {
    const char *variant = row_text(timed->row, COLUMN_VARIANT);
    struct variant_noise *found = find_variant(noise, variant);
    if (!found) {
        found = &noise->variants[noise->count++];
        *found = (struct variant_noise){ .variant = variant };
    }
    found->sum_of_squares += squares;
    found->freedom += freedom;
}

static int compare_key_with_case(const void *key, const void *entry) {
    const struct compared_case *repeat = key;
    const struct compared_case *timed = entry;
    int order = strcmp(repeat->key, timed->key);
    return order ? order
                 : strcmp(row_text(repeat->row, COLUMN_TUNABLES),
                          row_text(timed->row, COLUMN_TUNABLES));
}

static void add_repeat(struct noise *noise, const struct compared_cases *cases,
                       const struct compared_case *repeat) {
    const struct compared_case *timed =
        bsearch(repeat, cases->cases, cases->count, sizeof *cases->cases, compare_key_with_case);
    if (!timed || !timed->timed || !repeat->timed) {
        return;
    }
    const double difference = repeat->time.value - timed->time.value;
    const double of_a_repetition = 1.0 / (double)repeat->units + 1.0 / (double)timed->units;
    noise->repeat_squares += difference * difference;
    noise->repeats++;
    /* Repeats share a run, so that they say nothing of how runs differ. */
    if (!timed->units_are_runs) {
        add_to_variant(noise, timed, difference * difference / of_a_repetition, 1);
    }
}

/* NaN where it is not known. */
static double visit_deviation(const struct compared_case *timed) {
    return timed->timed && timed->from_visits ? row_number(timed->row, COLUMN_VISIT_S_SD) /
                                                    row_number(timed->row, COLUMN_FORCE_S_MEDIAN)
                                              : NAN;
}

static bool measure_visits(const struct compared_cases *cases, struct noise *noise,
                           struct error *error) {
    double *deviations = calloc(cases->count + 1, sizeof *deviations);
    size_t count = 0;
    if (!deviations) {
        return fail_out_of_memory(error, "the noise of visits");
    }
    for (size_t i = 0; i < cases->count; i++) {
        const double deviation = visit_deviation(&cases->cases[i]);
        noise->timed += cases->cases[i].timed;
        noise->visited += cases->cases[i].timed && cases->cases[i].from_visits;
        if (!isnan(deviation)) {
            deviations[count++] = deviation;
        }
    }
    sort_numbers(deviations, count);
    noise->visit_sd = quantile_of_sorted(deviations, count, 0.5);
    free(deviations);
    return true;
}

bool noise_measure(const struct compared_cases *cases, const struct compared_cases *repeats,
                   const struct run *const *runs, size_t run_count, struct noise *noise,
                   struct error *error) {
    *noise = (struct noise){ .floor = NAN, .machine_load = NAN };
    noise->variants = calloc(cases->count + 1, sizeof *noise->variants);
    if (!noise->variants) {
        return fail_out_of_memory(error, "the noise floor");
    }
    for (size_t i = 0; i < run_count; i++) {
        noise->floor = fmax(noise->floor, runs[i]->floor); /* of a NaN and a number: the number */
        noise->pairs += runs[i]->floor_pairs;
    }
    for (size_t i = 0; i < cases->count; i++) {
        const struct compared_case *timed = &cases->cases[i];
        noise->machine_load = fmax(noise->machine_load, timed->machine_load);
        if (timed->timed && timed->units > 1) {
            add_to_variant(noise, timed, timed->sum_of_squares, (double)timed->units - 1);
        }
    }
    for (size_t i = 0; cases->count > 0 && i < repeats->count; i++) {
        add_repeat(noise, cases, &repeats->cases[i]);
    }
    noise->pairs = noise->pairs > noise->repeats ? noise->pairs : noise->repeats;
    return measure_visits(cases, noise, error);
}

void noise_free(struct noise *noise) {
    free(noise->variants);
    *noise = (struct noise){ 0 };
}

bool noise_is_known(const struct noise *noise) {
    return !isnan(noise->floor) || noise->repeats >= NOISE_LEAST_FREEDOM;
}

double noise_floor(const struct noise *noise, double risk) {
    double floor = noise->floor;
    if (noise->repeats >= NOISE_LEAST_FREEDOM) {
        const double freedom = (double)noise->repeats;
        const double spread = sqrt(noise->repeat_squares / freedom);
        floor = fmax(floor, expm1(spread * student_quantile(0.5 * risk, freedom)));
    }
    return noise_is_known(noise) ? floor : noise_unknown_floor;
}

/* 0 where no load is known. */
static double floor_from_load(const struct compared_case *timed) {
    const double load = timed->machine_load;
    if (isnan(load)) {
        return 0;
    }
    return load < 1 ? load / (1 - load) : INFINITY;
}

double noise_floor_of_pair(const struct noise *a, const struct compared_case *case_a,
                           const struct noise *b, const struct compared_case *case_b, double risk) {
    const struct variant_noise *of_a = find_variant(a, row_text(case_a->row, COLUMN_VARIANT));
    const struct variant_noise *of_b = find_variant(b, row_text(case_b->row, COLUMN_VARIANT));
    const double from_load = fmax(floor_from_load(case_a), floor_from_load(case_b));
    const double floor_a = case_a->from_visits ? 0 : noise_floor(a, risk);
    const double floor_b = case_b->from_visits ? 0 : noise_floor(b, risk);
    const double floor = fmax(from_load, fmax(floor_a, floor_b));
    if (case_a->from_visits || case_b->from_visits) {
        return floor;
    }
    if (!of_a || !of_b || of_a->freedom < NOISE_LEAST_FREEDOM ||
        of_b->freedom < NOISE_LEAST_FREEDOM) {
        return floor;
    }
    const double variance = of_a->sum_of_squares / of_a->freedom / (double)case_a->units +
                            of_b->sum_of_squares / of_b->freedom / (double)case_b->units;
    const double quantile = student_quantile(0.5 * risk, fmin(of_a->freedom, of_b->freedom));
    return fmax(floor, expm1(quantile * sqrt(variance)));
}
