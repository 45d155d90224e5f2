#include "run/campaign.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "record/campaign_recorded.h"
#include "record/campaign_row.h"
#include "record/campaign_twins.h"
#include "record/folder_lock.h"
#include "record/kept_kernels.h"
#include "run/campaign_signals.h"
#include "run/failures.h"
#include "run/progress.h"
#include "run/visits.h"
#include "system/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* One repetition of an entry. */
struct unit {
    struct visits visits;
    struct row row; /* made of them once they are done, or that of an earlier run */
    bool has_row;
};

struct campaign {
    const struct campaign_part *parts;
    size_t part_count;
    const struct campaign_settings *settings;
    struct campaign_tally *tally;
    struct entry *entries;
    const char **names; /* of the entries */
    bool *chosen;       /* of the entries: selected by the user's words */
    struct unit *units; /* of entry e, repetition r: units[e * repetitions + r] */
    size_t repetitions, visits;
    size_t count, twins; /* of the entries; of them twins */
    size_t selected;     /* by the user's words, twins included */
    size_t cases_selected;
    struct run_identity identity;
    struct recorded recorded, recorded_visits; /* of the run that is resumed */
    struct kept_kernels kept;                  /* in the folder */
    int lock;                                  /* of the folder; -1: none */
    struct record_file *rows, *visit_rows, *samples, *stages;
    struct progress progress;
    struct failures failures;        /* measured in this run */
    struct measurement *measurement; /* too large for a stack */
    char failure[1280];              /* the last one, as Google Benchmark is told */
    bool stopped;                    /* by a failure, with --fail-fast */
    bool broken;                     /* rows cannot be written: nothing more is measured */
    struct error broken_by;
};

/* ---- the cases and their order ---- */

static uint64_t next_random(uint64_t *state) { /* splitmix64, Steele, Lea and Flood 2014 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void swap(char *one, char *other, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char moved = one[i];
        one[i] = other[i];
        other[i] = moved;
    }
}

static void shuffle(void *items, size_t count, size_t size, uint64_t seed) {
    char *bytes = items;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(next_random(&seed) % i);
        swap(bytes + j * size, bytes + (i - 1) * size, size);
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
    campaign->chosen = calloc(2 * cases + 1, sizeof *campaign->chosen);
    campaign->units = calloc((2 * cases + 1) * campaign->repetitions, sizeof *campaign->units);
    campaign->measurement = calloc(1, sizeof *campaign->measurement);
    return (campaign->entries && campaign->names && campaign->chosen && campaign->units &&
            campaign->measurement) ||
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
        shuffle(campaign->entries, campaign->count, sizeof *campaign->entries,
                settings->shuffle_seed);
    }
    return made && select_entries(campaign, campaign->chosen, error);
}

/* ---- the folder ---- */

static bool open_file(struct campaign *campaign, const char *name, const char *const *columns,
                      bool resume, struct record_file **file, struct error *error) {
    char *path = fs_join(campaign->settings->directory, name, error);
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

/* What stands in a folder that is no run's is somebody else's; an empty file is nobody's loss. */
static bool check_absent(const char *directory, const char *name, struct error *error) {
    struct stat status;
    char *path = fs_join(directory, name, error);
    const bool absent =
        path &&
        (stat(path, &status) != 0 || status.st_size == 0 ||
         fail(error, STATUS_BAD_INPUT,
              "%s is there already, without the rows.csv of a run: -o names another folder", path));
    free(path);
    return absent;
}

static bool check_directory(const struct campaign *campaign, const char *rows_path,
                            struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    static const char *const others[] = { "visits.csv",       "samples.csv",    "stages.csv",
                                          "environment.json", "benchmark.json", "summary.txt" };
    bool there = access(rows_path, F_OK) == 0;
    if (there && !settings->resume) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is there already: --resume %s goes on with it, -o names another folder",
                    rows_path, settings->directory);
    }
    for (size_t i = 0; !settings->resume && i < sizeof others / sizeof others[0]; i++) {
        if (!check_absent(settings->directory, others[i], error)) {
            return false;
        }
    }
    if (!there && settings->resume) {
        return fail(error, STATUS_BAD_INPUT, "--resume %s: there are no rows: %s: %s",
                    settings->directory, rows_path, strerror(errno));
    }
    if (!fs_make_directories(settings->directory, error)) {
        error->status = STATUS_BAD_INPUT; /* the argument is at fault, not the system */
        return fail_within(error, "the folder for the results");
    }
    return true;
}

static const char *device_of(const struct campaign *campaign, const struct entry *entry) {
    return campaign->parts[entry->part].info.name;
}

/* The case's name without the device. */
static const char *plain_name(const struct campaign *campaign, const struct entry *entry) {
    const size_t device = strlen(device_of(campaign, entry));
    return entry->name + (campaign->part_count > 1 ? device + 1 : 0);
}

/* Whether there is a row of some case of the plan that runs this variant. */
static bool is_recorded(const struct campaign *campaign, const struct variant *variant,
                        size_t part) {
    for (size_t i = 0; i < campaign->count; i++) {
        const struct entry *entry = &campaign->entries[i];
        const struct case_spec *spec = &campaign->parts[entry->part].plan->cases[entry->case_index];
        if (entry->part == part && spec->variant == variant &&
            recorded_find(&campaign->recorded, entry->id, device_of(campaign, entry), 0)) {
            return true;
        }
    }
    return false;
}

/* Rows of a folder that keeps no kernels: what they were measured with is known by the identity of
 * some case that both they and this run have, or not at all. */
static bool check_variants(const struct campaign *campaign, size_t part, struct error *error) {
    const struct plan *plan = campaign->parts[part].plan;
    const char *device = campaign->parts[part].info.name;
    for (size_t c = 0; c < plan->count; c++) {
        const struct variant *variant = plan->cases[c].variant;
        if ((c == 0 || variant != plan->cases[c - 1].variant) &&
            recorded_has_variant(&campaign->recorded, variant->name, device) &&
            !is_recorded(campaign, variant, part)) {
            return fail(error, STATUS_BAD_INPUT,
                        "--resume %s: an older pairmark kept no kernels there, so that it cannot "
                        "be known whether its rows of %s are of the kernel that there is now: give "
                        "the axes of that run, too, or name another folder by -o",
                        campaign->settings->directory, variant->name);
        }
    }
    return true;
}

/* What is recorded must be of the kernels and boxes that there are now. */
static bool check_recorded(const struct campaign *campaign, const struct recorded *recorded,
                           const char *path, bool keeps_kernels, struct error *error) {
    bool good = true;
    for (size_t i = 0; good && i < campaign->count; i++) {
        const struct entry *entry = &campaign->entries[i];
        const char *name = plain_name(campaign, entry);
        /* A name that was cut may stand for several cases. */
        good =
            strlen(name) + 1 >= NAME_SIZE - sizeof campaign->parts->info.name ||
            recorded_check_case(recorded, path, entry->id, device_of(campaign, entry), name, error);
    }
    for (size_t p = 0; good && !keeps_kernels && p < campaign->part_count; p++) {
        good = check_variants(campaign, p, error);
    }
    return good;
}

/* What an earlier run of the folder did not have is said: its rows stand beside others. */
static void tell_differences(const struct campaign *campaign, const char *rows_path) {
    const struct recorded *recorded = &campaign->recorded;
    FILE *log = campaign->settings->log;
    recorded_tell_difference(recorded, rows_path, NULL, COLUMN_GIT_COMMIT,
                             campaign->identity.git_commit, log);
    recorded_tell_difference(recorded, rows_path, NULL, COLUMN_HOST, campaign->identity.host, log);
    for (size_t p = 0; p < campaign->part_count; p++) {
        const struct device_info *info = &campaign->parts[p].info;
        recorded_tell_difference(recorded, rows_path, info->name, COLUMN_DEVICE_MODEL, info->model,
                                 log);
        recorded_tell_difference(recorded, rows_path, info->name, COLUMN_DRIVER, info->driver, log);
        recorded_tell_difference(recorded, rows_path, info->name, COLUMN_TOOLKIT, info->toolkit,
                                 log);
    }
}

/* The texts of all that the user's words select. */
static bool take_kernels(struct campaign *campaign, struct error *error) {
    const char *folder = campaign->settings->directory;
    bool kept = true;
    for (size_t p = 0; kept && p < campaign->part_count; p++) {
        kept =
            kept_kernels_take_shared(&campaign->kept, folder, campaign->parts[p].info.kind, error);
    }
    for (size_t i = 0; kept && i < campaign->count; i++) {
        const struct entry *entry = &campaign->entries[i];
        const struct case_spec *spec = &campaign->parts[entry->part].plan->cases[entry->case_index];
        kept = !campaign->chosen[i] || kept_kernels_take_case(&campaign->kept, folder, spec, error);
    }
    const struct campaign_settings *settings = campaign->settings;
    return kept &&
           (!settings->table ||
            kept_kernels_take_input(&campaign->kept, folder, "table", settings->table, error)) &&
           (!settings->exclusions || kept_kernels_take_input(&campaign->kept, folder, "exclusions",
                                                             settings->exclusions, error));
}

/* What an earlier run measured of visits, finished or not; it may have kept none. */
static bool read_earlier_visits(struct campaign *campaign, bool keeps_kernels,
                                struct error *error) {
    struct recorded *visits = &campaign->recorded_visits;
    char *path = fs_join(campaign->settings->directory, "visits.csv", error);
    bool read = path && (access(path, F_OK) != 0 ||
                         (recorded_read(path, campaign->settings->log, visits, error) &&
                          check_recorded(campaign, visits, path, keeps_kernels, error)));
    free(path);
    return read;
}

/* The folder is ours from here on, and as it was until all is known to fit. */
static bool open_folder(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const bool resume = settings->resume;
    char *rows_path = fs_join(settings->directory, "rows.csv", error);
    bool opened = rows_path && check_directory(campaign, rows_path, error) &&
                  folder_lock(settings->directory, settings->log, &campaign->lock, error) &&
                  kept_kernels_read(settings->directory, &campaign->kept, error);
    const bool keeps_kernels = campaign->kept.count > 0;
    opened = opened && take_kernels(campaign, error);
    if (opened && resume) {
        opened = recorded_read(rows_path, settings->log, &campaign->recorded, error) &&
                 check_recorded(campaign, &campaign->recorded, rows_path, keeps_kernels, error) &&
                 read_earlier_visits(campaign, keeps_kernels, error);
    }
    opened =
        opened && kept_kernels_write(&campaign->kept, settings->directory, error) &&
        open_file(campaign, "rows.csv", column_names, resume, &campaign->rows, error) &&
        open_file(campaign, "samples.csv", sample_columns, resume, &campaign->samples, error) &&
        open_file(campaign, "stages.csv", stage_columns, resume, &campaign->stages, error) &&
        (campaign->visits == 1 ||
         open_file(campaign, "visits.csv", column_names, resume, &campaign->visit_rows, error));
    if (opened && resume) {
        tell_differences(campaign, rows_path);
    }
    free(rows_path);
    return opened;
}

/* Its row, or as many of its visits as have passed: one that failed would have ended the case. */
static bool take_recorded_unit(struct campaign *campaign, const struct entry *entry,
                               size_t repetition, struct unit *unit, struct error *error) {
    const char *device = campaign->parts[entry->part].info.name;
    const struct row *row = recorded_find(&campaign->recorded, entry->id, device, repetition);
    size_t count = 0;
    if (row) {
        unit->has_row = row_copy(row, &unit->row, error);
        return unit->has_row;
    }
    const struct row *const *rows =
        recorded_find_all(&campaign->recorded_visits, entry->id, device, repetition, &count);
    for (size_t i = 0; i < count; i++) {
        struct row visit;
        if (strcmp(row_text(rows[i], COLUMN_STATUS), status_name(STATUS_OK)) == 0 &&
            (!row_copy(rows[i], &visit, error) || !visits_add(&unit->visits, &visit, error))) {
            return false;
        }
    }
    return true;
}

/* What an earlier run measured counts as this one's. */
static bool take_recorded(struct campaign *campaign, struct error *error) {
    for (size_t i = 0; i < campaign->count; i++) {
        for (size_t r = 0; r < campaign->repetitions; r++) {
            if (!take_recorded_unit(campaign, &campaign->entries[i], r,
                                    &campaign->units[i * campaign->repetitions + r], error)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_done(const struct campaign *campaign, const struct unit *unit) {
    return unit->has_row || visits_are_done(&unit->visits, campaign->visits,
                                            campaign->settings->sampling.time_cap_s);
}

/* How many visits of the selected cases need no measuring. */
static size_t count_recorded(const struct campaign *campaign) {
    size_t count = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const struct unit *unit = &campaign->units[u];
        if (campaign->chosen[u / campaign->repetitions]) {
            count += is_done(campaign, unit) ? campaign->visits : unit->visits.count;
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
        .repetitions = campaign->repetitions,
        .visits = campaign->visits,
        .shuffle_seed = settings->shuffle_seed,
        .deadline_s = settings->deadline_s,
    };
    struct environment_device *devices = calloc(campaign->part_count, sizeof *devices);
    struct device_rates *rates = calloc(campaign->part_count, sizeof *rates);
    char *path = fs_join(settings->directory, "environment.json", error);
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

/* ---- one visit of one case ---- */

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

/* Google Benchmark hears of what the row says. */
static void report(struct campaign *campaign, const struct row *row,
                   struct gbench_outcome *outcome) {
    const char *status = row_text(row, COLUMN_STATUS);
    count_status(campaign->tally, status);
    if (strcmp(status, status_name(STATUS_OK)) != 0) {
        describe_failure(campaign, status, row_text(row, COLUMN_MESSAGE));
        outcome->failure = campaign->failure;
    }
    outcome->seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
    outcome->pairs_per_s = row_number(row, COLUMN_PAIRS_PER_S);
    outcome->evaluated_pairs_per_s = row_number(row, COLUMN_EVALUATED_PAIRS_PER_S);
    outcome->ns_per_particle = row_number(row, COLUMN_NS_PER_PARTICLE);
    outcome->hit_ratio = row_number(row, COLUMN_HIT_RATIO);
}

/* Samples and stages first, the visit next, its row last: where there is a row, its visits are
 * there, and where there is a visit, its samples are whole. */
static bool keep_visit(struct campaign *campaign, const struct campaign_record *record,
                       struct unit *unit, struct error *error) {
    struct row row;
    struct strbuf samples = { 0 };
    struct strbuf stages = { 0 };
    if (!row_create(&row, error)) {
        return false;
    }
    campaign_fill_row(record, &row);
    campaign_format_samples(record, &samples);
    campaign_format_stages(record, &stages);
    bool kept = (samples.length == 0 || record_file_append(campaign->samples, &samples, error)) &&
                (stages.length == 0 || record_file_append(campaign->stages, &stages, error)) &&
                (campaign->visits == 1 || row_append(campaign->visit_rows, &row, error));
    strbuf_free(&samples);
    strbuf_free(&stages);
    if (!kept) {
        row_free(&row);
        return false;
    }
    return visits_add(&unit->visits, &row, error);
}

static bool keep_row(struct campaign *campaign, struct unit *unit, struct error *error) {
    unit->has_row = visits_join(&unit->visits, &unit->row, error);
    return unit->has_row && row_append(campaign->rows, &unit->row, error);
}

/* The first of its variant and status in full; tell_rest() counts the others. */
static void tell_failure(struct campaign *campaign, const struct entry *entry,
                         const struct verdict *verdict) {
    const struct case_spec *spec = &campaign->parts[entry->part].plan->cases[entry->case_index];
    bool first = failures_note(&campaign->failures, spec->variant->name, verdict->status);
    campaign->stopped = campaign->settings->fail_fast;
    if (first || campaign->settings->verbose) {
        progress_tell(&campaign->progress, "%s: %s: %s", entry->name, status_name(verdict->status),
                      verdict->message);
    }
}

static void tell_rest(struct campaign *campaign) {
    struct strbuf rest = { 0 };
    if (!campaign->settings->verbose) {
        failures_append_rest(&campaign->failures, &rest);
    }
    if (rest.data) {
        progress_tell(&campaign->progress, "%s(--verbose tells each of them; rows.csv has them)",
                      rest.data);
    }
    if (campaign->stopped) {
        progress_tell(&campaign->progress,
                      "stopped at the first failure (--fail-fast): --resume goes on");
    }
    strbuf_free(&rest);
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

/* Repetitions and visits of a case become one time, so they are of one program. */
static bool is_same_program(const struct campaign *campaign, const struct entry *entry,
                            struct error *error) {
    const char *hash = campaign->measurement->kernel_hash;
    const char *device = device_of(campaign, entry);
    const char *folder = campaign->settings->directory;
    char *rows = fs_join(folder, "rows.csv", error);
    char *visits = fs_join(folder, "visits.csv", error);
    bool same =
        rows && visits &&
        recorded_check_program(&campaign->recorded, rows, entry->id, device, hash, error) &&
        recorded_check_program(&campaign->recorded_visits, visits, entry->id, device, hash, error);
    free(rows);
    free(visits);
    return same;
}

/* False when the visit is not to be kept: it was interrupted, or cannot be kept. */
static bool measure(struct campaign *campaign, const struct entry *entry, size_t repetition,
                    struct unit *unit) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    const struct sampling sampling =
        visits_share(&campaign->settings->sampling, campaign->visits, unit->visits.count);
    struct campaign_record record = {
        .identity = &campaign->identity,
        .spec = &part->plan->cases[entry->case_index],
        .case_id = entry->id,
        .case_name = entry->name,
        .device = &part->info,
        .measurement = campaign->measurement,
        .repetition = repetition,
        .visit = unit->visits.count,
        .twin = entry->twin,
    };
    struct verdict *verdict = &campaign->measurement->verdict;
    double began = clock_s();
    progress_case(&campaign->progress, entry->name);
    memset(campaign->measurement, 0, sizeof *campaign->measurement);
    part->measurer.measure(part->measurer.context, entry->case_index, &sampling,
                           campaign->measurement);
    record.wall_s = clock_s() - began;
    if (campaign_signals_noted()) {
        return false; /* the signal may have ended the worker, too: no verdict */
    }
    normalise(campaign->tally, verdict, campaign->measurement->timed);
    if (!is_same_program(campaign, entry, &campaign->broken_by) ||
        !keep_visit(campaign, &record, unit, &campaign->broken_by)) {
        campaign->broken = true;
        return false;
    }
    if (verdict->status != STATUS_OK && verdict->status != STATUS_UNSUPPORTED) {
        tell_failure(campaign, entry, verdict);
    }
    return true;
}

/* Brings a repetition up to `wanted` visits, and its row to the file when it is done. */
static void visit(struct campaign *campaign, size_t entry_index, size_t repetition, size_t wanted) {
    struct unit *unit = &campaign->units[entry_index * campaign->repetitions + repetition];
    bool measured = false;
    bool good = !campaign->broken && !campaign_signals_noted();
    while (good && !campaign->stopped && !unit->has_row && unit->visits.count < wanted &&
           !is_done(campaign, unit)) {
        good = measure(campaign, &campaign->entries[entry_index], repetition, unit);
        measured = true;
    }
    if (good && !unit->has_row && is_done(campaign, unit) &&
        !keep_row(campaign, unit, &campaign->broken_by)) {
        campaign->broken = true;
    }
    if (good) {
        progress_done(&campaign->progress, !measured);
    }
}

/* The last round, which Google Benchmark goes through. */
static void run_entry(void *context, size_t index, struct gbench_outcome *outcome) {
    struct campaign *campaign = context;
    const size_t repetition = campaign->entries[index].repetitions++;
    if (repetition >= campaign->repetitions) {
        outcome->failure = "not measured: one repetition more than was asked for";
        return;
    }
    const struct unit *unit = &campaign->units[index * campaign->repetitions + repetition];
    visit(campaign, index, repetition, campaign->visits);
    if (campaign->broken) {
        outcome->failure = "not measured: the rows could not be written";
    } else if (unit->has_row) {
        report(campaign, &unit->row, outcome);
    } else if (campaign->stopped) {
        outcome->failure = "not measured: stopped at the first failure";
    } else {
        outcome->failure = "not measured: interrupted";
    }
}

/* What differs between processes is to differ between the visits of a case. */
static void renew_workers(const struct campaign *campaign) {
    for (size_t p = 0; p < campaign->part_count; p++) {
        const struct campaign_measurer *measurer = &campaign->parts[p].measurer;
        if (measurer->renew) {
            measurer->renew(measurer->context);
        }
    }
}

/* All rounds but the last: every selected repetition once each, in another order each. */
static bool run_first_rounds(struct campaign *campaign, struct error *error) {
    const size_t units = campaign->count * campaign->repetitions;
    size_t *order = calloc(units + 1, sizeof *order);
    size_t count = 0;
    if (!order) {
        return fail_out_of_memory(error, "the order of the cases");
    }
    for (size_t u = 0; u < units; u++) {
        if (campaign->chosen[u / campaign->repetitions]) {
            order[count++] = u;
        }
    }
    for (size_t round = 1; round < campaign->visits; round++) {
        shuffle(order, count, sizeof *order, campaign->settings->shuffle_seed + round);
        for (size_t i = 0; i < count; i++) {
            visit(campaign, order[i] / campaign->repetitions, order[i] % campaign->repetitions,
                  round);
        }
        renew_workers(campaign);
    }
    free(order);
    return true;
}

/* ---- from beginning to end ---- */

/* A run that was stopped between the rounds has less to show than it has measured. */
static void tell_open_cases(const struct campaign *campaign) {
    size_t open = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        open += !campaign->units[u].has_row && campaign->units[u].visits.count > 0;
    }
    if (open > 0) {
        log_warning(
            campaign->settings->log,
            "%zu case%s ha%s been visited, but not %zu times: visits.csv keeps that, and they "
            "have no row yet",
            open, open == 1 ? "" : "s", open == 1 ? "s" : "ve", campaign->visits);
    }
}

static bool run_all(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const char *seed_name = "pairmark_run_id";
    const char *const context_words[] = { seed_name, campaign->identity.run_id, NULL };
    struct campaign_signals signals;
    char *json_path = NULL;
    if (!settings->wishes.own_output) {
        json_path = fs_join(settings->directory, "benchmark.json", error);
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
                   campaign->selected * campaign->repetitions * campaign->visits,
                   count_recorded(campaign));
    bool ran =
        run_first_rounds(campaign, error) && gbench_run(&benchmarks, &settings->wishes, error);
    tell_rest(campaign);
    progress_end(&campaign->progress);
    tell_open_cases(campaign);
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
    char *rows_path = fs_join(directory, "rows.csv", error);
    char *path = fs_join(directory, "environment.json", error);
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
    if (!open_folder(campaign, error) || !take_recorded(campaign, error) ||
        !write_environment(campaign, error)) {
        return false;
    }
    bool ran = run_all(campaign, error);
    bool kept = keep_noise_floor(settings->directory, ran ? error : &ignored);
    ran = ran && kept;
    const bool concluded =
        !settings->conclude ||
        settings->conclude(settings->context, settings->directory,
                           settings->resume ? NULL : settings->log, ran ? error : &ignored);
    return ran && concluded;
}

static void campaign_free(struct campaign *campaign) {
    for (size_t u = 0; campaign->units && u < campaign->count * campaign->repetitions; u++) {
        visits_free(&campaign->units[u].visits);
        row_free(&campaign->units[u].row);
    }
    record_file_close(campaign->rows);
    record_file_close(campaign->visit_rows);
    record_file_close(campaign->samples);
    record_file_close(campaign->stages);
    recorded_free(&campaign->recorded);
    recorded_free(&campaign->recorded_visits);
    failures_free(&campaign->failures);
    kept_kernels_free(&campaign->kept);
    folder_unlock(campaign->lock);
    free(campaign->units);
    free(campaign->measurement);
    free(campaign->chosen);
    free(campaign->names);
    free(campaign->entries);
}

bool campaign_run(const struct campaign_part *parts, size_t part_count,
                  const struct campaign_settings *settings, struct campaign_tally *tally,
                  struct error *error) {
    struct campaign campaign = {
        .parts = parts,
        .part_count = part_count,
        .settings = settings,
        .tally = tally,
        .repetitions = settings->wishes.repetitions > 0 ? settings->wishes.repetitions : 1,
        .visits = settings->visits > 0 ? settings->visits : 1,
        .lock = -1,
    };
    *tally = (struct campaign_tally){ 0 };
    bool ran = make_entries(&campaign, error) && order_entries(&campaign, error);
    if (ran) {
        ran = settings->wishes.lists_only ? list_names(&campaign, error)
                                          : run_in_folder(&campaign, error);
    }
    campaign_free(&campaign);
    return ran;
}
