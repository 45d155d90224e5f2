#include "answers/compare/cases.h"

#include "campaign/campaign.h"
#include "campaign/rows/records.h"
#include "campaign/visits.h"
#include "core/error.h"
#include "core/files.h"
#include "core/statistics.h"

#include <json-c/json.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- samples.csv ---- */

struct sample_reader {
    struct run *run;
    size_t capacity;
};

static void set_free(struct sample_set *set) {
    free(set->case_id);
    free(set->device);
    free(set->repetition);
    free(set->run_id);
    free(set->seconds);
}

/* "" where the file has no word. */
static const char *word_of(const char *word) {
    return word ? word : "";
}

static bool belongs(const struct sample_set *set, const struct sample *sample) {
    return strcmp(set->case_id, sample->case_id) == 0 &&
           strcmp(set->device, word_of(sample->device)) == 0 &&
           strcmp(set->repetition, word_of(sample->repetition)) == 0 &&
           strcmp(set->run_id, word_of(sample->run_id)) == 0;
}

static bool add_set(struct sample_reader *reader, const struct sample *sample,
                    struct error *error) {
    struct run *run = reader->run;
    if (run->set_count == reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : 64;
        struct sample_set *sets = realloc(run->sets, capacity * sizeof *sets);
        if (!sets) {
            return fail_out_of_memory(error, "the samples");
        }
        run->sets = sets;
        reader->capacity = capacity;
    }
    struct sample_set set = { .case_id = strdup(sample->case_id),
                              .device = strdup(word_of(sample->device)),
                              .repetition = strdup(word_of(sample->repetition)),
                              .run_id = strdup(word_of(sample->run_id)) };
    if (!set.case_id || !set.device || !set.repetition || !set.run_id) {
        set_free(&set);
        return fail_out_of_memory(error, "the samples");
    }
    run->sets[run->set_count++] = set;
    return true;
}

static bool set_add(struct sample_set *set, double seconds, struct error *error) {
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 64;
        double *values = realloc(set->seconds, capacity * sizeof *values);
        if (!values) {
            return fail_out_of_memory(error, "the samples");
        }
        set->seconds = values;
        set->capacity = capacity;
    }
    set->seconds[set->count++] = seconds;
    return true;
}

/* Samples of a repetition follow one another: a new set begins where the words change. */
static bool take_sample(void *context, const struct sample *sample, struct error *error) {
    struct sample_reader *reader = context;
    struct run *run = reader->run;
    if (sample->cache && strcmp(sample->cache, "hot") != 0) {
        return true;
    }
    bool same = run->set_count > 0 && belongs(&run->sets[run->set_count - 1], sample);
    return (same || add_set(reader, sample, error)) &&
           set_add(&run->sets[run->set_count - 1], sample->seconds, error);
}

static int compare_keys(const struct sample_set *set, const char *case_id, const char *device,
                        const char *repetition) {
    int order = strcmp(set->case_id, case_id);
    order = order ? order : strcmp(set->device, device);
    return order ? order : strcmp(set->repetition, repetition);
}

static int compare_sets(const void *a, const void *b) {
    const struct sample_set *left = a;
    const struct sample_set *right = b;
    int order = compare_keys(left, right->case_id, right->device, right->repetition);
    return order ? order : strcmp(left->run_id, right->run_id);
}

/* A samples file that cannot be used costs the samples, not the comparison; only a lack of memory
 * is an error. */
static bool read_samples(const char *path, FILE *log, struct run *run, struct error *error) {
    struct sample_reader reader = { .run = run };
    if (access(path, F_OK) != 0) {
        log_warning(log, "%s: not there: intervals come from the medians and MADs of the rows",
                    path);
        return true;
    }
    if (!samples_read(path, take_sample, &reader, log, error)) {
        log_warning(log, "%s: intervals come from the medians and MADs of the rows",
                    error->message);
        return error->status != STATUS_OUT_OF_MEMORY;
    }
    if (run->set_count > 0) {
        qsort(run->sets, run->set_count, sizeof *run->sets, compare_sets);
    }
    run->has_samples = true;
    return true;
}

/* ---- environment.json ---- */

/* The largest floor of an object of the file and of the earlier runs within it. */
static void take_floor(struct json_object *object, struct run *run) {
    struct json_object *floor = NULL, *spread = NULL, *pairs = NULL, *earlier = NULL;
    if (json_object_object_get_ex(object, "noise_floor", &floor) &&
        json_object_object_get_ex(floor, "ratio_spread", &spread) &&
        (json_object_is_type(spread, json_type_double) ||
         json_object_is_type(spread, json_type_int))) {
        const double value = json_object_get_double(spread);
        const int64_t count =
            json_object_object_get_ex(floor, "pairs", &pairs) ? json_object_get_int64(pairs) : 0;
        if (isfinite(value) && value >= 0 && !(run->floor >= value)) {
            run->floor = value;
        }
        run->floor_pairs += count > 0 ? (size_t)count : 0;
    }
    if (json_object_object_get_ex(object, "earlier_runs", &earlier) &&
        json_object_is_type(earlier, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(earlier); i++) {
            take_floor(json_object_array_get_idx(earlier, i), run);
        }
    }
}

static void read_environment(const char *path, FILE *log, struct run *run) {
    if (access(path, F_OK) != 0) {
        return;
    }
    struct json_object *object = NULL;
    struct error reason;
    if (!input_read_json(path, &object, &reason)) {
        log_warning(log, "%s: skipped", reason.message);
    } else {
        take_floor(object, run);
    }
    json_object_put(object);
}

/* ---- visits ---- */

struct spreads {
    struct visit_spread *items;
    struct moderated *moderated;
    size_t *rows; /* that they are of */
    size_t count;
};

/* Those of the device, which stray by themselves. */
static void moderate_device(const struct run *run, const char *device, struct spreads *spreads) {
    spreads->count = 0;
    for (size_t i = 0; i < run->table.count; i++) {
        const struct row *row = &run->table.rows[i];
        if (strcmp(row_text(row, COLUMN_DEVICE), device) == 0 &&
            visits_spread(row, &spreads->items[spreads->count])) {
            spreads->rows[spreads->count++] = i;
        }
    }
    moderate(spreads->items, spreads->count, spreads->moderated);
    for (size_t s = 0; s < spreads->count; s++) {
        run->visits[spreads->rows[s]] = spreads->moderated[s];
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

static void moderate_all(const struct run *run, struct spreads *spreads) {
    for (size_t i = 0; i < run->table.count; i++) {
        run->visits[i].variance = NAN;
    }
    for (size_t i = 0; i < run->table.count; i++) {
        if (is_first_of_device(run, i)) {
            moderate_device(run, row_text(&run->table.rows[i], COLUMN_DEVICE), spreads);
        }
    }
}

static bool read_visits(struct run *run, struct error *error) {
    const size_t count = run->table.count;
    struct spreads spreads = { .items = calloc(count + 1, sizeof *spreads.items),
                               .moderated = calloc(count + 1, sizeof *spreads.moderated),
                               .rows = calloc(count + 1, sizeof *spreads.rows) };
    run->visits = calloc(count + 1, sizeof *run->visits);
    const bool made = run->visits && spreads.items && spreads.moderated && spreads.rows;
    if (made) {
        moderate_all(run, &spreads);
    }
    free(spreads.items);
    free(spreads.moderated);
    free(spreads.rows);
    return made || fail_out_of_memory(error, "the visits");
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

/* The folder of a path; caller frees. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static bool read_beside(const char *folder, FILE *log, struct run *run, struct error *error) {
    char *samples = fs_join(folder, "samples.csv", error);
    char *environment = fs_join(folder, "environment.json", error);
    bool read = samples && environment && read_visits(run, error) &&
                (!needs_samples(run) || read_samples(samples, log, run, error));
    if (read) {
        read_environment(environment, log, run);
    }
    free(samples);
    free(environment);
    return read;
}

bool run_read(const char *path, FILE *log, struct run *run, struct error *error) {
    struct stat entry;
    *run = (struct run){ .name = path, .floor = NAN };
    if (stat(path, &entry) != 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    bool is_folder = S_ISDIR(entry.st_mode);
    run->rows_path = is_folder ? fs_join(path, "rows.csv", error) : strdup(path);
    char *folder = is_folder ? strdup(path) : folder_of(path);
    bool read = (run->rows_path && folder) || fail_out_of_memory(error, path);
    read = read && rows_read(run->rows_path, log, &run->table, error);
    if (read && run->table.count == 0) {
        read = fail(error, STATUS_BAD_INPUT, "%s: no rows", run->rows_path);
    }
    read = read && read_beside(folder, log, run, error);
    free(folder);
    if (!read) {
        run_free(run);
    }
    return read;
}

void run_free(struct run *run) {
    for (size_t i = 0; i < run->set_count; i++) {
        set_free(&run->sets[i]);
    }
    free(run->sets);
    free(run->visits);
    free(run->rows_path);
    rows_free(&run->table);
    *run = (struct run){ 0 };
}

/* ---- the time of a row ---- */

/* The first set of the case, its device and repetition; run->set_count when there is none. */
static size_t first_set(const struct run *run, const char *case_id, const char *device,
                        const char *repetition) {
    size_t low = 0;
    size_t high = run->set_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(&run->sets[middle], case_id, device, repetition) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static double median_of(const struct sample_set *set, double *scratch) {
    memcpy(scratch, set->seconds, set->count * sizeof *scratch);
    sort_numbers(scratch, set->count);
    return quantile_of_sorted(scratch, set->count, 0.5);
}

/* Samples are recorded in single precision. */
static bool agree(double a, double b) {
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* The complete samples of a row: as many as it says, and of several such sets the one whose median
 * is the row's, so that a repeated case_id does no harm. NULL: none. *median_s is theirs. */
static bool find_samples(const struct run *run, const struct row *row,
                         const struct sample_set **found, double *median_s, struct error *error) {
    const char *const words[] = { row_text(row, COLUMN_CASE_ID), row_text(row, COLUMN_DEVICE),
                                  row_text(row, COLUMN_REPETITION) };
    const char *run_id = row_text(row, COLUMN_RUN_ID);
    const double recorded = row_number(row, COLUMN_SAMPLES);
    *found = NULL;
    for (size_t s = first_set(run, words[0], words[1], words[2]);
         s < run->set_count && compare_keys(&run->sets[s], words[0], words[1], words[2]) == 0;
         s++) {
        const struct sample_set *set = &run->sets[s];
        if ((*set->run_id && *run_id && strcmp(set->run_id, run_id) != 0) ||
            (recorded >= 1 && (double)set->count < recorded)) {
            continue;
        }
        double *scratch = malloc(set->count * sizeof *scratch);
        if (!scratch) {
            return fail_out_of_memory(error, "the samples");
        }
        const double median = median_of(set, scratch);
        free(scratch);
        if (!*found || agree(median, row_number(row, COLUMN_FORCE_S_MEDIAN))) {
            *found = set;
            *median_s = median;
        }
    }
    return true;
}

static struct log_median median_of_visits(const struct row *row, const struct moderated *visits) {
    const size_t count = (size_t)row_number(row, COLUMN_VISITS);
    return (struct log_median){ .value = log(visits_seconds(row)),
                                .variance = visits->variance * visits_variance(count),
                                .freedom = visits->freedom };
}

bool run_time_of(const struct run *run, const struct row *row, FILE *log, struct log_median *median,
                 enum time_source *source, struct error *error) {
    const struct sample_set *set;
    const double row_s = row_number(row, COLUMN_FORCE_S_MEDIAN);
    const double samples = row_number(row, COLUMN_SAMPLES);
    double samples_s = NAN;
    *source = TIME_UNKNOWN;
    if (!isnan(run->visits[row - run->table.rows].variance)) {
        *source = TIME_FROM_VISITS;
        *median = median_of_visits(row, &run->visits[row - run->table.rows]);
        return true;
    }
    if (!find_samples(run, row, &set, &samples_s, error)) {
        return false;
    }
    if (set) {
        if (!agree(samples_s, row_s)) {
            log_warning(
                log,
                "%s:%zu: force_s_median '%s' is not the median of its samples, which is taken: "
                "%.9g",
                run->rows_path, row->line, row_text(row, COLUMN_FORCE_S_MEDIAN), samples_s);
        }
        *source = TIME_FROM_SAMPLES;
        return log_median_of_samples(set->seconds, set->count, median, error);
    }
    if (!(row_s > 0) || !isfinite(row_s)) {
        log_warning(log, "%s:%zu: left without a time: force_s_median is '%s'", run->rows_path,
                    row->line, row_text(row, COLUMN_FORCE_S_MEDIAN));
        return true;
    }
    *median = log_median_of_row(row_s, row_number(row, COLUMN_FORCE_S_MAD),
                                samples >= 1 && samples <= 1e9 ? (size_t)samples : 0);
    *source = TIME_FROM_MAD;
    return true;
}
