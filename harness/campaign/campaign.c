#include "campaign/campaign.h"

#include "base/clock.h"
#include "campaign/campaign_recorded.h"
#include "campaign/campaign_row.h"
#include "campaign/campaign_signals.h"
#include "campaign/campaign_twins.h"
#include "campaign/progress.h"
#include "campaign/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 512 };

/* One case on one device, in the order in which they run. */
struct entry {
    size_t part, case_index;
    size_t repetitions; /* begun so far */
    bool twin;
    char name[NAME_SIZE];
    char id[HASH_TEXT_SIZE];
};

struct campaign {
    const struct campaign_part *parts;
    size_t part_count;
    const struct campaign_settings *settings;
    struct campaign_tally *tally;
    struct entry *entries;
    const char **names;  /* of the entries */
    size_t count, twins; /* of the entries; of them twins */
    size_t selected;     /* by the user's words, twins included */
    size_t cases_selected;
    struct run_identity identity;
    struct recorded recorded; /* of the run that is resumed */
    struct record_file *rows, *samples;
    struct progress progress;
    struct measurement *measurement; /* too large for a stack */
    char failure[1280];              /* the last one, as Google Benchmark is told */
    bool broken;                     /* rows cannot be written: nothing more is measured */
    struct error broken_by;
};

char *campaign_path(const char *directory, const char *name, struct error *error) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        (void)fail_out_of_memory(error, name);
        return NULL;
    }
    return path;
}

/* ---- the cases and their order ---- */

static uint64_t next_random(uint64_t *state) { /* splitmix64, Steele, Lea and Flood 2014 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(struct entry *entries, size_t count, uint64_t seed) {
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(next_random(&seed) % i);
        struct entry moved = entries[j];
        entries[j] = entries[i - 1];
        entries[i - 1] = moved;
    }
}

static void name_entry(const struct campaign *campaign, struct entry *entry) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    const struct case_spec *spec = &part->plan->cases[entry->case_index];
    char name[NAME_SIZE - sizeof part->info.name];
    case_name(spec, name, sizeof name);
    if (campaign->part_count > 1) {
        (void)snprintf(entry->name, sizeof entry->name, "%s/%s", part->info.name, name);
    } else {
        (void)snprintf(entry->name, sizeof entry->name, "%s", name);
    }
    case_id(spec, entry->id);
}

/* Room for every case and a twin of each. */
static bool allocate_entries(struct campaign *campaign, size_t cases, struct error *error) {
    campaign->entries = calloc(2 * cases + 1, sizeof *campaign->entries);
    campaign->names = calloc(2 * cases + 1, sizeof *campaign->names);
    campaign->measurement = calloc(1, sizeof *campaign->measurement);
    return (campaign->entries && campaign->names && campaign->measurement) ||
           fail_out_of_memory(error, "the cases of the campaign");
}

static bool select_entries(struct campaign *campaign, bool *chosen, struct error *error) {
    for (size_t i = 0; i < campaign->count; i++) {
        campaign->names[i] = campaign->entries[i].name;
    }
    return gbench_select(campaign->names, campaign->count, chosen, &campaign->selected, error);
}

static bool make_entries(struct campaign *campaign, struct error *error) {
    size_t cases = 0;
    for (size_t p = 0; p < campaign->part_count; p++) {
        cases += campaign->parts[p].plan->count;
    }
    if (!allocate_entries(campaign, cases, error)) {
        return false;
    }
    for (size_t p = 0; p < campaign->part_count; p++) {
        for (size_t i = 0; i < campaign->parts[p].plan->count; i++) {
            struct entry *entry = &campaign->entries[campaign->count++];
            entry->part = p;
            entry->case_index = i;
            name_entry(campaign, entry);
        }
    }
    return true;
}

/* What is alike together: by device, variant, precision and size. */
static int compare_alike(const void *a, const void *b, void *context) {
    const struct entry *left = a;
    const struct entry *right = b;
    const struct campaign_part *parts = context;
    const struct case_spec *one = &parts[left->part].plan->cases[left->case_index];
    const struct case_spec *other = &parts[right->part].plan->cases[right->case_index];
    int order = (left->part > right->part) - (left->part < right->part);
    order = order ? order : strcmp(one->variant->name, other->variant->name);
    order =
        order ? order : (one->precision > other->precision) - (one->precision < other->precision);
    order = order ? order : (one->box.n > other->box.n) - (one->box.n < other->box.n);
    return order ? order : strcmp(left->name, right->name);
}

static void append_twin(struct campaign *campaign, const struct entry *of) {
    struct entry *twin = &campaign->entries[campaign->count++];
    char id[HASH_TEXT_SIZE];
    *twin = *of;
    twin->twin = true;
    const size_t length = strlen(twin->name);
    (void)snprintf(twin->name + length, sizeof twin->name - length, "%s", TWIN_SUFFIX);
    twin_id(of->id, id);
    memcpy(twin->id, id, sizeof twin->id);
    campaign->twins++;
}

/* Of those cases that the user's words select, which are the first `candidates` entries. */
static bool append_twins(struct campaign *campaign, size_t candidates, struct error *error) {
    const size_t wanted = twins_wanted(candidates, campaign->settings->twins);
    size_t *places = calloc(wanted + 1, sizeof *places);
    if (!places) {
        return fail_out_of_memory(error, "the cases of the campaign");
    }
    qsort_r(campaign->entries, candidates, sizeof *campaign->entries, compare_alike,
            (void *)campaign->parts);
    twins_choose(candidates, wanted, places);
    for (size_t k = 0; k < wanted; k++) {
        append_twin(campaign, &campaign->entries[places[k]]);
    }
    free(places);
    return true;
}

/* The selected entries first, the others behind them, each in its order. */
static bool selected_first(struct campaign *campaign, const bool *chosen, struct error *error) {
    struct entry *sorted = calloc(campaign->count + 1, sizeof *sorted);
    size_t next = 0;
    if (!sorted) {
        return fail_out_of_memory(error, "the cases of the campaign");
    }
    for (int wanted = 1; wanted >= 0; wanted--) {
        for (size_t i = 0; i < campaign->count; i++) {
            if (chosen[i] == (wanted == 1)) {
                sorted[next++] = campaign->entries[i];
            }
        }
    }
    memcpy(campaign->entries, sorted, next * sizeof *sorted);
    free(sorted);
    return true;
}

/* All entries, with their twins, in the order in which they are to run. */
static bool order_entries(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    bool *chosen = calloc(campaign->count + 1, sizeof *chosen);
    bool made = chosen || fail_out_of_memory(error, "the cases of the campaign");
    made = made && select_entries(campaign, chosen, error);
    campaign->cases_selected = campaign->selected;
    if (made && settings->twins > 0 && !settings->wishes.lists_only) {
        made = selected_first(campaign, chosen, error) &&
               append_twins(campaign, campaign->selected, error);
    }
    free(chosen);
    if (made) {
        shuffle(campaign->entries, campaign->count, settings->shuffle_seed);
    }
    return made && select_entries(campaign, NULL, error);
}

/* ---- the folder ---- */

static bool open_file(struct campaign *campaign, const char *name, const char *const *columns,
                      bool resume, struct record_file **file, struct error *error) {
    char *path = campaign_path(campaign->settings->directory, name, error);
    if (!path) {
        return false;
    }
    /* Samples may be missing where rows are not: an older folder, or one that was thinned out. */
    bool there = resume && access(path, F_OK) == 0;
    bool opened = there ? record_file_resume(path, columns, file, error)
                        : record_file_create(path, columns, file, error);
    free(path);
    return opened;
}

static bool check_directory(const struct campaign *campaign, const char *rows_path,
                            struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    bool there = access(rows_path, F_OK) == 0;
    if (there && !settings->resume) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is there already: --resume %s goes on with it, -o names another folder",
                    rows_path, settings->directory);
    }
    if (!there && settings->resume) {
        return fail(error, STATUS_BAD_INPUT, "--resume %s: there are no rows: %s: %s",
                    settings->directory, rows_path, strerror(errno));
    }
    if (!text_make_directories(settings->directory, error)) {
        error->status = STATUS_BAD_INPUT; /* the argument is at fault, not the system */
        return fail_within(error, "the folder for the results");
    }
    return true;
}

static bool open_folder(struct campaign *campaign, struct error *error) {
    bool resume = campaign->settings->resume;
    char *rows_path = campaign_path(campaign->settings->directory, "rows.csv", error);
    bool opened =
        rows_path && check_directory(campaign, rows_path, error) &&
        open_file(campaign, "rows.csv", row_columns, resume, &campaign->rows, error) &&
        open_file(campaign, "samples.csv", sample_columns, resume, &campaign->samples, error);
    if (opened && resume) {
        opened = recorded_read(rows_path, campaign->settings->log, &campaign->recorded, error);
    }
    free(rows_path);
    return opened;
}

/* How many repetitions of the plan's cases need no measuring. */
static size_t count_recorded(const struct campaign *campaign) {
    size_t count = 0;
    for (size_t i = 0; i < campaign->count; i++) {
        const struct entry *entry = &campaign->entries[i];
        const char *device = campaign->parts[entry->part].info.name;
        for (size_t r = 0; r < campaign->settings->wishes.repetitions; r++) {
            count += recorded_find(&campaign->recorded, entry->id, device, r) != NULL;
        }
    }
    return count;
}

/* `rates` is room for them. */
static void describe_device(const struct campaign_part *part, struct device_rates *rates,
                            struct environment_device *device) {
    struct error ignored;
    device->info = &part->info;
    if (part->measurer.rates && part->measurer.rates(part->measurer.context, rates, &ignored)) {
        device->rates = rates;
    }
}

static bool write_environment(const struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    struct environment environment = {
        .identity = &campaign->identity,
        .device_count = campaign->part_count,
        .sampling = &settings->sampling,
        .command_line = settings->command_line,
        .preset = settings->preset,
        .cases = campaign->count - campaign->twins,
        .twins = campaign->twins,
        .selected = campaign->cases_selected,
        .left_out = settings->left_out,
        .repetitions = settings->wishes.repetitions,
        .shuffle_seed = settings->shuffle_seed,
        .deadline_s = settings->deadline_s,
    };
    struct environment_device *devices = calloc(campaign->part_count, sizeof *devices);
    struct device_rates *rates = calloc(campaign->part_count, sizeof *rates);
    char *path = campaign_path(settings->directory, "environment.json", error);
    bool written = path && ((devices && rates) || fail_out_of_memory(error, "the devices"));
    for (size_t i = 0; written && i < campaign->part_count; i++) {
        describe_device(&campaign->parts[i], &rates[i], &devices[i]);
    }
    environment.devices = devices;
    written = written && environment_write(path, &environment, error);
    free(path);
    free(rates);
    free(devices);
    return written;
}

/* ---- one repetition of one case ---- */

/* The first line of a message: a compiler's log goes on for pages. */
static void describe_failure(struct campaign *campaign, const char *status, const char *message) {
    int length = (int)strcspn(message, "\n");
    (void)snprintf(campaign->failure, sizeof campaign->failure, "%s%s%.*s", status,
                   length > 0 ? ": " : "", length, message);
}

static void count_status(struct campaign_tally *tally, const char *status) {
    if (strcmp(status, status_name(STATUS_OK)) == 0) {
        tally->ok++;
    } else if (strcmp(status, status_name(STATUS_UNSUPPORTED)) == 0) {
        tally->unsupported++;
    } else {
        tally->failed++;
    }
}

/* What an earlier run measured counts as this one's. */
static void replay(struct campaign *campaign, const struct row *row,
                   struct gbench_outcome *outcome) {
    const char *status = row_text(row, "status");
    count_status(campaign->tally, status);
    if (strcmp(status, status_name(STATUS_OK)) != 0) {
        describe_failure(campaign, status, row_text(row, "message"));
        outcome->failure = campaign->failure;
    }
    outcome->seconds = row_number(row, "force_s_median");
    outcome->pairs_per_s = row_number(row, "pairs_per_s");
    outcome->evaluated_pairs_per_s = row_number(row, "evaluated_pairs_per_s");
    outcome->ns_per_particle = row_number(row, "ns_per_particle");
    outcome->hit_ratio = row_number(row, "hit_ratio");
    progress_done(&campaign->progress, true);
}

/* Samples first: where there is a row, its samples are whole. */
static bool keep(struct campaign *campaign, const struct campaign_record *record,
                 struct error *error) {
    struct row row;
    struct text samples = { 0 };
    if (!row_create(&row, error)) {
        return false;
    }
    campaign_fill_row(record, &row);
    campaign_format_samples(record, &samples);
    bool kept = (samples.length == 0 || record_file_append(campaign->samples, &samples, error)) &&
                row_append(campaign->rows, &row, error);
    text_free(&samples);
    row_free(&row);
    return kept;
}

static void report(struct campaign *campaign, const struct entry *entry,
                   struct gbench_outcome *outcome) {
    const struct measurement *measurement = campaign->measurement;
    const struct verdict *verdict = &measurement->verdict;
    struct campaign_rates rates = campaign_rates_of(measurement);
    count_status(campaign->tally, status_name(verdict->status));
    outcome->seconds = measurement->timed ? measurement->force.median_s : NAN;
    outcome->pairs_per_s = rates.pairs_per_s;
    outcome->evaluated_pairs_per_s = rates.evaluated_pairs_per_s;
    outcome->ns_per_particle = rates.ns_per_particle;
    outcome->hit_ratio = rates.hit_ratio;
    if (verdict->status != STATUS_OK) {
        describe_failure(campaign, status_name(verdict->status), verdict->message);
        outcome->failure = campaign->failure;
        if (verdict->status != STATUS_UNSUPPORTED) {
            progress_tell(&campaign->progress, "%s: %s: %s", entry->name,
                          status_name(verdict->status), verdict->message);
        }
    }
    progress_done(&campaign->progress, false);
}

/* A row has eight words for its status; the two others become the nearest of them, and are counted
 * for the exit status. A case that passed and has no time is no result either. */
static void normalise(struct campaign_tally *tally, struct verdict *verdict, bool timed) {
    if (verdict->status == STATUS_BAD_INPUT) {
        verdict->status = STATUS_UNSUPPORTED;
        tally->bad_input++;
    } else if (verdict->status == STATUS_SYSTEM) {
        verdict->status = STATUS_CRASHED;
        tally->system++;
    } else if (verdict->status == STATUS_OK && !timed) {
        verdict->status = STATUS_LAUNCH_ERROR;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "passed, but no time could be measured");
    }
}

static void measure(struct campaign *campaign, struct entry *entry, size_t repetition,
                    struct gbench_outcome *outcome) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    struct campaign_record record = {
        .identity = &campaign->identity,
        .spec = &part->plan->cases[entry->case_index],
        .case_id = entry->id,
        .case_name = entry->name,
        .device = &part->info,
        .measurement = campaign->measurement,
        .repetition = repetition,
        .twin = entry->twin,
    };
    double began = clock_s();
    progress_case(&campaign->progress, entry->name);
    memset(campaign->measurement, 0, sizeof *campaign->measurement);
    part->measurer.measure(part->measurer.context, entry->case_index, &campaign->settings->sampling,
                           campaign->measurement);
    record.wall_s = clock_s() - began;
    if (campaign_signals_noted()) {
        outcome->failure =
            "interrupted"; /* the signal may have ended the worker, too: no verdict */
        return;
    }
    normalise(campaign->tally, &campaign->measurement->verdict, campaign->measurement->timed);
    if (!keep(campaign, &record, &campaign->broken_by)) {
        campaign->broken = true;
        outcome->failure = "its row could not be written";
        return;
    }
    report(campaign, entry, outcome);
}

static void run_entry(void *context, size_t index, struct gbench_outcome *outcome) {
    struct campaign *campaign = context;
    struct entry *entry = &campaign->entries[index];
    const char *device = campaign->parts[entry->part].info.name;
    size_t repetition = entry->repetitions++;
    const struct row *row = recorded_find(&campaign->recorded, entry->id, device, repetition);
    if (campaign->broken) {
        outcome->failure = "not measured: the rows could not be written";
    } else if (campaign_signals_noted()) {
        outcome->failure = "not measured: interrupted";
    } else if (row) {
        replay(campaign, row, outcome);
    } else {
        measure(campaign, entry, repetition, outcome);
    }
}

/* ---- from beginning to end ---- */

static bool run_all(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const char *seed_name = "pairmark_run_id";
    const char *const context_words[] = { seed_name, campaign->identity.run_id, NULL };
    struct campaign_signals signals;
    char *json_path = NULL;
    if (!settings->wishes.own_output) {
        json_path = campaign_path(settings->directory, "benchmark.json", error);
        if (!json_path) {
            return false;
        }
    }
    struct gbench_campaign benchmarks = {
        .names = campaign->names,
        .count = campaign->count,
        .run = run_entry,
        .context = campaign,
        .json_path = json_path,
        .context_words = context_words,
    };
    campaign_signals_catch(&signals);
    progress_begin(&campaign->progress, settings->log,
                   campaign->selected * settings->wishes.repetitions, count_recorded(campaign));
    bool ran = gbench_run(&benchmarks, &settings->wishes, error);
    progress_end(&campaign->progress);
    campaign->tally->signal = campaign_signals_noted();
    campaign_signals_restore(&signals);
    free(json_path);
    if (ran && campaign->broken) {
        *error = campaign->broken_by;
        return false;
    }
    return ran;
}

static bool list_names(const struct campaign *campaign, struct error *error) {
    struct gbench_campaign benchmarks = { .names = campaign->names, .count = campaign->count };
    return gbench_run(&benchmarks, &campaign->settings->wishes, error);
}

/* Into environment.json, from the rows of the whole folder. */
static bool keep_noise_floor(const char *directory, struct error *error) {
    struct row_table table;
    struct noise_floor floor;
    char *rows_path = campaign_path(directory, "rows.csv", error);
    char *path = campaign_path(directory, "environment.json", error);
    bool kept = rows_path && path && rows_read(rows_path, NULL, &table, error);
    if (kept) {
        kept = noise_floor_find(&table, &floor, error) &&
               environment_add_noise_floor(path, &floor, error);
        rows_free(&table);
    }
    free(path);
    free(rows_path);
    return kept;
}

static bool run_in_folder(struct campaign *campaign, struct error *error) {
    struct error ignored;
    const struct campaign_settings *settings = campaign->settings;
    run_identify(&campaign->identity);
    if (!open_folder(campaign, error) || !write_environment(campaign, error)) {
        return false;
    }
    bool ran = run_all(campaign, error);
    bool kept = keep_noise_floor(settings->directory, ran ? error : &ignored);
    ran = ran && kept;
    /* Whatever stopped the run, what it had is shown. */
    bool summed = summary_of_folder(
        settings->directory, settings->command_line, settings->questions, settings->results,
        settings->resume ? NULL : settings->log, ran ? error : &ignored);
    return ran && summed;
}

bool campaign_run(const struct campaign_part *parts, size_t part_count,
                  const struct campaign_settings *settings, struct campaign_tally *tally,
                  struct error *error) {
    struct campaign campaign = {
        .parts = parts, .part_count = part_count, .settings = settings, .tally = tally
    };
    *tally = (struct campaign_tally){ 0 };
    bool ran = make_entries(&campaign, error) && order_entries(&campaign, error);
    if (ran) {
        ran = settings->wishes.lists_only ? list_names(&campaign, error)
                                          : run_in_folder(&campaign, error);
    }
    record_file_close(campaign.rows);
    record_file_close(campaign.samples);
    recorded_free(&campaign.recorded);
    free(campaign.measurement);
    free(campaign.names);
    free(campaign.entries);
    return ran;
}
