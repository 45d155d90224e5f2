/* Reads a run with its samples and visits, and finds the best estimate of the time of a row. */
#include "answers/compare/compare.h"

#include "campaign/campaign.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "campaign/visits.h"
#include "core/error.h"
#include "core/files.h"
#include "core/statistics.h"
#include "measure/program.h"

#include <json-c/json.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the files beside the rows ---- */

/* The samples of a repetition stand together: after those of another case a new set begins. */
static const char samples_sql[] =
    "CREATE TABLE hot AS SELECT file_line AS line, seconds, coalesce(case_id, '') AS case_id,"
    " coalesce(device, '') AS device, CAST(coalesce(repetition, '') AS TEXT) AS repetition,"
    " coalesce(run_id, '') AS run_id, row_number() OVER (ORDER BY file_line) -"
    " row_number() OVER"
    " (PARTITION BY case_id, device, repetition, run_id ORDER BY file_line) AS part FROM samples"
    " WHERE cache = 'hot' OR NOT EXISTS (SELECT 1 FROM samples WHERE cache IS NOT NULL);"
    "CREATE INDEX hot_of_case ON hot(case_id, device, repetition, run_id, part);"
    "CREATE TABLE sets AS SELECT case_id, device, repetition, run_id, part, min(line) AS first,"
    " count(*) AS count, percentile(seconds, 50) AS median_s FROM hot GROUP BY 1, 2, 3, 4, 5;"
    "CREATE INDEX sets_of_case ON sets(case_id);";

/* Where the file of samples cannot be used, the comparison goes on without them. */
static void read_samples(const char *path, FILE *log, struct run *run) {
    struct error error;
    static const char consequence[] = "intervals come from the medians and MADs of the rows";
    if (access(path, F_OK) != 0) {
        log_warning(log, "%s: not there: %s", path, consequence);
    } else if (!analysis_add_samples(run->beside, path, log, &error)) {
        log_warning(log, "%s: %s", error.message, consequence);
    }
}

/* The largest floor of the file and of the earlier runs within it. */
static void find_floor(struct run *run) {
    struct answer floor = analysis_ask(
        run->beside, "SELECT max(iif(spread >= 0 AND spread < 9e999, spread, NULL)),"
                     " total(max(pairs, 0)) FROM (SELECT json_extract(value, '$.ratio_spread') AS"
                     " spread, json_extract(value, '$.pairs') AS pairs FROM runs,"
                     " json_tree(environment) WHERE key = 'noise_floor' AND type = 'object')"
                     " WHERE typeof(spread) IN ('integer', 'real')");
    run->floor = answer_number(&floor, 0, 0);
    run->floor_pairs = (size_t)fmin(answer_number(&floor, 0, 1), 1e15);
    answer_free(&floor);
}

/* ---- visits ---- */

/* Moderates the cases of one device: each device has a noise of its own. */
static void moderate_device(const struct run *run, const char *device, struct noise_pool *pool) {
    pool->count = 0;
    for (size_t i = 0; i < run->table.count; i++) {
        const struct row *row = &run->table.rows[i];
        if (strcmp(row_text(row, COLUMN_DEVICE), device) == 0 &&
            visits_spread(row, &pool->spreads[pool->count])) {
            pool->owner[pool->count++] = i;
        }
    }
    noise_pool_moderate(pool);
    for (size_t s = 0; s < pool->count; s++) {
        run->visits[pool->owner[s]] = pool->moderated[s];
    }
}

static bool is_first_of_device(const struct run *run, size_t index) {
    const char *device = row_text(&run->table.rows[index], COLUMN_DEVICE);
    size_t i = 0;
    while (i < index && strcmp(row_text(&run->table.rows[i], COLUMN_DEVICE), device) != 0) {
        i++;
    }
    return i == index;
}

static void read_visits(struct run *run) {
    struct noise_pool pool = noise_pool_make(run->table.count);
    run->visits = memory_zeroed(run->table.count, sizeof *run->visits);
    for (size_t i = 0; i < run->table.count; i++) {
        run->visits[i].variance = NAN;
    }
    for (size_t i = 0; i < run->table.count; i++) {
        if (is_first_of_device(run, i)) {
            moderate_device(run, row_text(&run->table.rows[i], COLUMN_DEVICE), &pool);
        }
    }
    noise_pool_free(&pool);
}

/* Whether a row that passed lacks visits, so that its time needs samples. */
static bool needs_samples(const struct run *run) {
    for (size_t i = 0; i < run->table.count; i++) {
        if (isnan(run->visits[i].variance) && row_passed(&run->table.rows[i])) {
            return true;
        }
    }
    return false;
}

/* ---- the run ---- */

/* Reads them into tables where there is something to read. */
static void read_beside(FILE *log, struct run *run) {
    static const struct row_table none = { 0 };
    char samples[PATH_MAX], environment[PATH_MAX];
    rows_beside(run->rows_path, "samples.csv", samples);
    rows_beside(run->rows_path, "environment.json", environment);
    read_visits(run);
    if (!needs_samples(run) && access(environment, F_OK) != 0) {
        return;
    }
    run->beside = memory_zeroed(1, sizeof *run->beside);
    analysis_open(run->beside);
    analysis_add_table(run->beside, &none);
    if (needs_samples(run)) {
        read_samples(samples, log, run);
    }
    analysis_add_environment(run->beside, run->rows_path, "skipped", log);
    analysis_run(run->beside, "%s", samples_sql);
    find_floor(run);
}

bool run_read(const char *path, FILE *log, struct run *run, struct error *error) {
    char rows_path[PATH_MAX];
    *run = (struct run){ .name = path, .floor = NAN };
    if (!rows_locate(path, rows_path, sizeof rows_path, error)) {
        return false;
    }
    run->rows_path = memory_copy(rows_path);
    bool read = rows_read(rows_path, log, &run->table, error);
    if (read && run->table.count == 0) {
        read = fail(error, STATUS_BAD_INPUT, "%s: no rows", rows_path);
    }
    if (read) {
        read_beside(log, run);
    }
    read = read && checksums_doubt(path, &run->doubts, error);
    if (!read) {
        run_free(run);
    }
    return read;
}

void run_free(struct run *run) {
    if (run->beside) {
        analysis_close(run->beside);
    }
    free(run->beside);
    free(run->visits);
    free(run->rows_path);
    strbuf_free(&run->doubts);
    rows_free(&run->table);
    *run = (struct run){ 0 };
}

/* ---- the time of a row ---- */

/* Samples are recorded in single precision. */
static bool agree(double a, double b) {
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* The complete samples of a row: as many as it says, and of several such sets the one whose median
 * is the row's, so that a repeated case_id does no harm. No rows: there are none. *median_s is
 * theirs. */
static struct answer find_samples(const struct run *run, const struct row *row, double *median_s) {
    const char *case_id = row_text(row, COLUMN_CASE_ID);
    const char *device = row_text(row, COLUMN_DEVICE);
    const char *repetition = row_text(row, COLUMN_REPETITION);
    const char *run_id = row_text(row, COLUMN_RUN_ID);
    const double recorded = row_number(row, COLUMN_SAMPLES);
    struct answer sets = analysis_ask(
        run->beside,
        "SELECT run_id, part, median_s FROM sets WHERE case_id = %Q AND device = %Q AND"
        " repetition = %Q AND (run_id = '' OR %Q = '' OR run_id = %Q) AND count >= %lld"
        " ORDER BY run_id, first",
        case_id, device, repetition, run_id, run_id,
        recorded >= 1 ? (sqlite3_int64)ceil(fmin(recorded, 1e15)) : 0);
    struct answer samples = { 0 };
    size_t chosen = 0;
    for (size_t s = 1; s < sets.rows; s++) {
        const bool is_row =
            agree(answer_number(&sets, s, 2), row_number(row, COLUMN_FORCE_S_MEDIAN));
        chosen = is_row ? s : chosen;
    }
    if (sets.rows > 0) {
        *median_s = answer_number(&sets, chosen, 2);
        samples = analysis_ask(run->beside,
                               "SELECT seconds FROM hot WHERE case_id = %Q AND device = %Q AND"
                               " repetition = %Q AND run_id = %Q AND part = %d ORDER BY line",
                               case_id, device, repetition, answer_text(&sets, chosen, 0),
                               (int)answer_number(&sets, chosen, 1));
    }
    answer_free(&sets);
    return samples;
}

static struct log_median median_of_samples(const struct answer *samples) {
    double *seconds = memory_zeroed(samples->rows, sizeof *seconds);
    for (size_t i = 0; i < samples->rows; i++) {
        seconds[i] = answer_number(samples, i, 0);
    }
    const struct log_median median = log_median_of_samples(seconds, samples->rows);
    free(seconds);
    return median;
}

static struct log_median median_of_visits(const struct row *row, const struct moderated *visits) {
    const size_t count = (size_t)row_number(row, COLUMN_VISITS);
    return (struct log_median){ .value = log(visits_seconds(row)),
                                .variance = visits->variance * visits_variance(count),
                                .freedom = visits->freedom };
}

enum time_source run_time_of(const struct run *run, const struct row *row, FILE *log,
                             struct log_median *median) {
    const double row_s = row_number(row, COLUMN_FORCE_S_MEDIAN);
    const double count = row_number(row, COLUMN_SAMPLES);
    double samples_s = NAN;
    if (!isnan(run->visits[row - run->table.rows].variance)) {
        *median = median_of_visits(row, &run->visits[row - run->table.rows]);
        return TIME_FROM_VISITS;
    }
    struct answer samples = { 0 };
    if (run->beside) {
        samples = find_samples(run, row, &samples_s);
    }
    if (samples.rows > 0) {
        if (!agree(samples_s, row_s)) {
            log_warning(
                log,
                "%s:%zu: force_s_median '%s' is not the median of its samples, which is taken: "
                "%.9g",
                run->rows_path, row->line, row_text(row, COLUMN_FORCE_S_MEDIAN), samples_s);
        }
        *median = median_of_samples(&samples);
        answer_free(&samples);
        return TIME_FROM_SAMPLES;
    }
    if (!(row_s > 0) || !isfinite(row_s)) {
        log_warning(log, "%s:%zu: left without a time: force_s_median is '%s'", run->rows_path,
                    row->line, row_text(row, COLUMN_FORCE_S_MEDIAN));
        return TIME_UNKNOWN;
    }
    *median = log_median_of_row(row_s, row_number(row, COLUMN_FORCE_S_MAD),
                                count >= 1 && count <= 1e9 ? (size_t)count : 0);
    return TIME_FROM_MAD;
}
