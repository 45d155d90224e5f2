/* Gathers the rows of a side into cases, and measures how much two timings of a case differ by
 * chance. */
#include "answers/compare/compare.h"

#include "core/error.h"
#include "core/statistics.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "measure/program.h"

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

/* Numbers count by value, to nine digits: 2.50 and 2.5 are the same cutoff. */
static void append_field(struct strbuf *key, const struct row *row, enum column column) {
    const double number = row_number(row, column);
    if (isnan(number)) {
        strbuf_append(key, "%s%c", row_text(row, column), KEY_SEPARATOR);
    } else {
        strbuf_append(key, "%.9g%c", number, KEY_SEPARATOR);
    }
}

/* case_key(id, by): what identifies the case of a row. */
static void give_key(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const struct analysis *analysis = sqlite3_user_data(context);
    const struct row *row = analysis->row_of[sqlite3_value_int64(arguments[0]) - 1];
    const enum compare_by by = (enum compare_by)sqlite3_value_int(arguments[1]);
    struct strbuf key = { 0 };
    (void)count;
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        if (is_key(row, column, by)) {
            append_field(&key, row, column);
        } else {
            strbuf_append(&key, "%c", KEY_SEPARATOR);
        }
    }
    sqlite3_result_text(context, key.data, (int)key.length, SQLITE_TRANSIENT);
    strbuf_free(&key);
}

/* status_of(word): its number; NULL: it is none. */
static void give_status(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const char *word = (const char *)sqlite3_value_text(arguments[0]);
    enum status status;
    (void)count;
    if (word && status_from_name(word, &status)) {
        sqlite3_result_int(context, (int)status);
    }
}

void cases_place(struct analysis *analysis, const struct run *runs, size_t count,
                 enum compare_by by) {
    static const char *const asked[] = { [BY_RUN] = "run",
                                         [BY_DEVICE] = "device",
                                         [BY_VARIANT] = "variant",
                                         [BY_PRECISION] = "precision",
                                         [BY_COMMIT] = "commit" };
    analysis_add_function(analysis, "case_key", 2, analysis, give_key);
    analysis_add_function(analysis, "status_of", 1, NULL, give_status);
    analysis_run(analysis, "CREATE TABLE asked AS SELECT %Q AS by_what, %d AS by_number", asked[by],
                 (int)by);
    analysis_run(analysis, "CREATE TABLE given(run INTEGER PRIMARY KEY, given_side INTEGER)");
    for (size_t r = 0; r < count; r++) {
        analysis_run(analysis, "INSERT INTO given VALUES(%d, %d)", (int)r + 1, (int)runs[r].side);
    }
    analysis_run_file(analysis, "harness/answers/compare/compare.sql");
}

/* ---- rows to cases ---- */

/* A row and the run that it is from. */
struct placed_row {
    const struct run *run;
    const struct row *row;
};

static struct placed_row row_at(const struct analysis *analysis, const struct run *runs,
                                const struct answer *answer, size_t index) {
    const size_t id = (size_t)answer_number(answer, index, 0);
    const size_t run = (size_t)answer_number(answer, index, 1);
    return (struct placed_row){ &runs[run - 1], analysis->row_of[id - 1] };
}

static void warn(FILE *log, const struct placed_row *placed, const char *what, const char *word) {
    log_warning(log, "%s:%zu: skipped: %s%s", placed->run->rows_path, placed->row->line, what,
                word);
}

static void warn_of_unusable(struct analysis *analysis, const struct run *runs, size_t side,
                             bool twins, FILE *log) {
    struct answer rows =
        analysis_ask(analysis,
                     "SELECT id, run, status IS NULL, coalesce(word, '''''') FROM sided WHERE"
                     " side = %d AND is_twin = %d AND (status IS NULL OR variant IS NULL)"
                     " ORDER BY ordinal",
                     (int)side, twins);
    for (size_t i = 0; i < rows.rows; i++) {
        const struct placed_row placed = row_at(analysis, runs, &rows, i);
        if (answer_number(&rows, i, 2) == 1) {
            warn(log, &placed, "there is no status ", answer_text(&rows, i, 3));
        } else {
            warn(log, &placed, "the row names no variant", "");
        }
    }
    answer_free(&rows);
}

/* A repetition and the row that it is from. */
struct timed_row {
    struct log_median time;
    struct placed_row placed;
};

static void add_time(const struct placed_row *placed, FILE *log, struct compared_case *gathered,
                     struct timed_row *times) {
    struct log_median time;
    const enum time_source source = run_time_of(placed->run, placed->row, log, &time);
    if (source != TIME_UNKNOWN) {
        times[gathered->repetitions++] = (struct timed_row){ time, *placed };
        gathered->from_visits = gathered->from_visits && source == TIME_FROM_VISITS;
        gathered->from_mad = gathered->from_mad || source == TIME_FROM_MAD;
        /* fmax() of NaN, where no load is known, and a number is the number. */
        gathered->machine_load =
            fmax(gathered->machine_load, row_number(placed->row, COLUMN_MACHINE_LOAD));
        gathered->clock_mhz +=
            (row_number(placed->row, COLUMN_SM_CLOCK_MHZ) - gathered->clock_mhz) /
            (double)gathered->repetitions;
    }
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

/* Rows of an answer, and room for as many times. */
struct gathering {
    const struct analysis *analysis;
    const struct run *runs;
    const struct answer *rows;
    FILE *log;
    struct timed_row *times;
    struct log_median *units;
};

/* Rows [first, end): those of one case. */
static void gather_one(const struct gathering *gathering, size_t first, size_t end,
                       struct compared_case *gathered) {
    const struct answer *rows = gathering->rows;
    const struct placed_row one = row_at(gathering->analysis, gathering->runs, rows, first);
    *gathered = (struct compared_case){ .key = (size_t)answer_number(rows, first, 2),
                                        .number = (size_t)answer_number(rows, first, 3),
                                        .row = one.row,
                                        .run = one.run,
                                        .from_visits = true,
                                        .machine_load = NAN };
    for (size_t i = first; i < end; i++) {
        const struct placed_row placed = row_at(gathering->analysis, gathering->runs, rows, i);
        const enum status status = (enum status)answer_number(rows, i, 5);
        if (answer_number(rows, i, 4) == 1) {
            warn(gathering->log, &placed, "the case and repetition stand above already", "");
        } else if (status != STATUS_OK && gathered->status == STATUS_OK) {
            gathered->status = status;
            gathered->row = placed.row;
            gathered->run = placed.run;
        } else if (status == STATUS_OK) {
            add_time(&placed, gathering->log, gathered, gathering->times);
        }
    }
    pool_times(gathering->times, gathering->units, gathered);
}

struct compared_cases cases_gather(struct analysis *analysis, const struct run *runs,
                                   struct rows_of_side wanted, FILE *log) {
    warn_of_unusable(analysis, runs, wanted.side, wanted.twins, log);
    struct answer rows =
        analysis_ask(analysis,
                     "SELECT id, rows.run, key, number, is_again, gathered.status FROM gathered"
                     " JOIN rows ON rows.rowid = id WHERE side = %d AND is_twin = %d"
                     " ORDER BY number, ordinal",
                     (int)wanted.side, wanted.twins);
    struct gathering gathering = { analysis,
                                   runs,
                                   &rows,
                                   log,
                                   memory_zeroed(rows.rows, sizeof *gathering.times),
                                   memory_zeroed(rows.rows, sizeof *gathering.units) };
    struct compared_cases cases = { memory_zeroed(rows.rows, sizeof *cases.cases), 0 };
    for (size_t first = 0, end; first < rows.rows; first = end) {
        end = first + 1;
        while (end < rows.rows && answer_number(&rows, end, 3) == answer_number(&rows, first, 3)) {
            end++;
        }
        gather_one(&gathering, first, end, &cases.cases[cases.count++]);
    }
    free(gathering.times);
    free(gathering.units);
    answer_free(&rows);
    return cases;
}

double cases_clock_ratio(const struct compared_case *baseline, const struct compared_case *other) {
    const char *model = row_text(baseline->row, COLUMN_DEVICE_MODEL);
    const double ratio = other->clock_mhz / baseline->clock_mhz;
    const bool known = ratio > 0 && isfinite(ratio);
    return known && strcmp(model, row_text(other->row, COLUMN_DEVICE_MODEL)) == 0 ? ratio : 0;
}

void cases_free(struct compared_cases *cases) {
    free(cases->cases);
    *cases = (struct compared_cases){ 0 };
}

/* Whether `a`, of the same key as `b`, is kept in its place. */
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
        struct compared_case *best = kept > 0 ? &cases->cases[kept - 1] : NULL;
        if (best && best->key == next->key) {
            *best = is_better(next, best) ? *next : *best;
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

static int compare_numbers(const void *one, const void *other) {
    const struct compared_case *a = one;
    const struct compared_case *b = other;
    return (a->number > b->number) - (a->number < b->number);
}

static void add_twin(struct noise *noise, const struct compared_cases *cases,
                     const struct compared_case *twin) {
    const struct compared_case *timed =
        bsearch(twin, cases->cases, cases->count, sizeof *cases->cases, compare_numbers);
    if (!timed || !timed->timed || !twin->timed) {
        return;
    }
    const double difference = twin->time.value - timed->time.value;
    const double of_a_repetition = 1.0 / (double)twin->units + 1.0 / (double)timed->units;
    noise->twin_squares += difference * difference;
    noise->twins++;
    /* Twins are of one run: they do not show how runs differ. */
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

static void measure_visits(const struct compared_cases *cases, struct noise *noise) {
    double *deviations = memory_zeroed(cases->count, sizeof *deviations);
    size_t count = 0;
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
}

void noise_measure(const struct compared_cases *cases, const struct compared_cases *twins,
                   struct noise *noise) {
    noise->machine_load = NAN;
    noise->variants = memory_zeroed(cases->count, sizeof *noise->variants);
    for (size_t i = 0; i < cases->count; i++) {
        const struct compared_case *timed = &cases->cases[i];
        noise->machine_load = fmax(noise->machine_load, timed->machine_load);
        if (timed->timed && timed->units > 1) {
            add_to_variant(noise, timed, timed->sum_of_squares, (double)timed->units - 1);
        }
    }
    for (size_t i = 0; cases->count > 0 && i < twins->count; i++) {
        add_twin(noise, cases, &twins->cases[i]);
    }
    noise->pairs = noise->pairs > noise->twins ? noise->pairs : noise->twins;
    measure_visits(cases, noise);
}

void noise_free(struct noise *noise) {
    free(noise->variants);
    *noise = (struct noise){ 0 };
}

bool noise_is_known(const struct noise *noise) {
    return !isnan(noise->floor) || noise->twins >= NOISE_LEAST_FREEDOM;
}

double noise_floor(const struct noise *noise, double risk) {
    double floor = noise->floor;
    if (noise->twins >= NOISE_LEAST_FREEDOM) {
        const double freedom = (double)noise->twins;
        const double spread = sqrt(noise->twin_squares / freedom);
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
