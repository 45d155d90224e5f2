/* Takes the folder of a campaign: locks it, compares what an earlier run recorded with what is to
 * run, and opens its files. */
#include "campaign/campaign_parts.h"

#include "campaign/memory.h"
#include "campaign/rows/run_folder.h"
#include "core/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_file(struct campaign *campaign, const char *name, const char *const *columns,
                      bool resume, struct record_file **file, struct error *error) {
    char path[PATH_MAX];
    if (!run_path(campaign->settings->directory, name, path, error)) {
        return false;
    }
    /* Samples may be missing where rows are not: an older folder, or one that was thinned out. */
    return resume && access(path, F_OK) == 0 ? record_file_resume(path, columns, file, error)
                                             : record_file_create(path, columns, file, error);
}

/* Files in a folder that is no run's belong to somebody else; empty ones may be overwritten. */
static bool check_absent(const char *directory, const char *name, struct error *error) {
    struct stat status;
    char path[PATH_MAX];
    return run_path(directory, name, path, error) &&
           (stat(path, &status) != 0 || status.st_size == 0 ||
            fail(error, STATUS_BAD_INPUT,
                 "%s is there already, without the rows.csv of a run: -o names another folder",
                 path));
}

/* Every run writes its request first: a folder without one is no run's, or has lost it. */
static bool check_request(const char *directory, struct error *error) {
    char path[PATH_MAX];
    return run_path(directory, "environment.json", path, error) &&
           (access(path, F_OK) == 0 ||
            fail(error, STATUS_BAD_INPUT,
                 "--resume %s: %s: %s: the request of a run is recorded there; without it the run "
                 "cannot go on",
                 directory, path, strerror(errno)));
}

static bool check_directory(const struct campaign *campaign, const char *rows_path,
                            struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    if (settings->resume) {
        return check_request(settings->directory, error);
    }
    if (access(rows_path, F_OK) == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is there already: --resume %s goes on with it, -o names another folder",
                    rows_path, settings->directory);
    }
    for (const struct run_file *other = run_files + 1; other->name; other++) {
        const bool is_compared = strchr(other->name, '/') != NULL; /* kernels: take_kernels() */
        if (!is_compared && !check_absent(settings->directory, other->name, error)) {
            return false;
        }
    }
    if (!fs_make_directories(settings->directory, error)) {
        error->status = STATUS_BAD_INPUT; /* the argument is at fault, not the system */
        return fail_within(error, "the folder for the results");
    }
    return true;
}

/* The case's name without the device. */
static const char *plain_name(const struct campaign *campaign, const struct entry *entry) {
    const size_t device = strlen(device_of(campaign, entry));
    return entry->name + (campaign->part_count > 1 ? device + 1 : 0);
}

/* Whether the recorded rows are of the kernels and boxes of this run. */
static bool check_recorded(const struct campaign *campaign, const struct recorded *recorded,
                           const char *path, bool keeps_kernels, struct error *error) {
    bool good = keeps_kernels || recorded->table.count == 0 ||
                fail(error, STATUS_BAD_INPUT,
                     "--resume %s: no kernels are kept there, so that it cannot be known whether "
                     "its rows are of those that there are now: name another folder by -o",
                     campaign->settings->directory);
    for (size_t i = 0; good && i < campaign->count; i++) {
        const struct entry *entry = &campaign->entries[i];
        const char *name = plain_name(campaign, entry);
        /* A name that was cut may stand for several cases. */
        good =
            strlen(name) + 1 >= NAME_SIZE - sizeof campaign->parts->info.name ||
            recorded_check_case(recorded, path, entry->id, device_of(campaign, entry), name, error);
    }
    return good;
}

/* Warns where device, driver or commit differ from the earlier run's: one table will hold rows of
 * both. */
static void tell_differences(const struct campaign *campaign, const char *rows_path) {
    const struct recorded *recorded = &campaign->recorded;
    FILE *log = campaign->settings->log;
    recorded_report_difference(recorded, rows_path, NULL, COLUMN_GIT_COMMIT,
                               campaign->identity.git_commit, log);
    recorded_report_difference(recorded, rows_path, NULL, COLUMN_HOST, campaign->identity.host,
                               log);
    for (size_t p = 0; p < campaign->part_count; p++) {
        const struct device_info *info = &campaign->parts[p].info;
        recorded_report_difference(recorded, rows_path, info->name, COLUMN_DEVICE_MODEL,
                                   info->model, log);
        recorded_report_difference(recorded, rows_path, info->name, COLUMN_DRIVER, info->driver,
                                   log);
        recorded_report_difference(recorded, rows_path, info->name, COLUMN_TOOLKIT, info->toolkit,
                                   log);
    }
}

/* A file that names others beside it is read where it lies: an expression with tables, bonded terms
 * with kernel text. */
static bool names_others(const struct campaign *campaign, enum axis axis) {
    const struct plan *plan = campaign->part_count > 0 ? campaign->parts[0].plan : NULL;
    if (!plan || plan->count == 0) {
        return false;
    }
    const struct interaction *interaction = &plan->cases[0].interaction;
    if (axis == AXIS_INTERACTION_FILE) {
        return interaction->expression_table_count > 0 || interaction->value_count > 0 ||
               interaction->text;
    }
    bool names = false;
    for (int kind = 0; interaction->bonded && kind < LISTED_KINDS; kind++) {
        names = names || (strcmp(axis_table[axis].option, bonded_forms[kind].option) == 0 &&
                          interaction->bonded->lists[kind].written.text);
    }
    return names;
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
        const struct case_spec *spec = spec_of(campaign, entry);
        kept = !campaign->chosen[i] || kept_kernels_take_case(&campaign->kept, folder, spec, error);
    }
    for (int k = 0; kept && k < KEPT_INPUTS; k++) {
        const char *path = campaign->settings->inputs[k];
        kept = !path || names_others(campaign, kept_inputs[k].axis) ||
               kept_kernels_take_input(&campaign->kept, folder, kept_inputs[k].what, path, error);
    }
    return kept;
}

/* Reads rows.csv or visits.csv of an earlier run, which may have been stopped before it had one. */
static bool read_earlier(struct campaign *campaign, const char *name, struct recorded *recorded,
                         bool keeps_kernels, struct error *error) {
    char path[PATH_MAX];
    return run_path(campaign->settings->directory, name, path, error) &&
           (access(path, F_OK) != 0 ||
            (recorded_read(path, recorded == &campaign->recorded_visits, campaign->settings->log,
                           recorded, error) &&
             check_recorded(campaign, recorded, path, keeps_kernels, error)));
}

bool campaign_open_folder(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const bool resume = settings->resume;
    char rows_path[PATH_MAX];
    bool opened = run_path(settings->directory, "rows.csv", rows_path, error) &&
                  check_directory(campaign, rows_path, error) &&
                  folder_lock(settings->directory, settings->log, &campaign->lock, error) &&
                  kept_kernels_read(settings->directory, &campaign->kept, error);
    const bool keeps_kernels = campaign->kept.count > 0;
    opened = opened && take_kernels(campaign, error);
    if (opened && resume) {
        opened =
            read_earlier(campaign, "rows.csv", &campaign->recorded, keeps_kernels, error) &&
            read_earlier(campaign, "visits.csv", &campaign->recorded_visits, keeps_kernels, error);
    }
    opened =
        opened && (!resume || checksums_changed(settings->directory, &campaign->changed, error));
    if (opened) {
        checksums_remove(settings->directory);
    }
    opened =
        opened && campaign_write_environment(campaign, false, error) &&
        kept_kernels_write(&campaign->kept, settings->directory, error) &&
        open_file(campaign, "rows.csv", column_names, resume, &campaign->rows, error) &&
        open_file(campaign, "samples.csv", sample_columns, resume, &campaign->samples, error) &&
        open_file(campaign, "stages.csv", stage_columns, resume, &campaign->stages, error) &&
        (campaign->visits == 1 ||
         open_file(campaign, "visits.csv", column_names, resume, &campaign->visit_rows, error));
    if (opened && resume) {
        tell_differences(campaign, rows_path);
    }
    return opened;
}

/* Gives a unit its recorded row, or the visits that passed. A visit that failed has ended its unit
 * with a row; only one that is to be tried again has none. */
static void take_recorded_unit(struct campaign *campaign, const struct entry *entry,
                               size_t repetition, struct unit *unit) {
    const char *device = campaign->parts[entry->part].info.name;
    const struct row *row = recorded_find(&campaign->recorded, entry->id, device, repetition);
    size_t count = 0;
    if (row) {
        row_copy(row, &unit->row);
        unit->has_row = true;
        return;
    }
    const struct row *const *rows =
        recorded_find_all(&campaign->recorded_visits, entry->id, device, repetition, &count);
    for (size_t i = 0; i < count; i++) {
        struct row visit;
        if (row_passed(rows[i])) {
            row_copy(rows[i], &visit);
            visits_add(&unit->visits, &visit);
        }
    }
}

void campaign_take_recorded(struct campaign *campaign) {
    for (size_t i = 0; i < campaign->count; i++) {
        for (size_t r = 0; r < campaign->repetitions; r++) {
            take_recorded_unit(campaign, &campaign->entries[i], r,
                               &campaign->units[i * campaign->repetitions + r]);
        }
    }
}

/* `rates` is room for them; NULL: they are not measured. */
static void describe_device(const struct campaign_part *part, struct device_rates *rates,
                            struct environment_device *device) {
    struct error ignored;
    device->info = &part->info;
    if (rates && part->measurer.rates &&
        part->measurer.rates(part->measurer.context, rates, &ignored)) {
        device->rates = rates;
    }
}

bool campaign_write_environment(const struct campaign *campaign, bool with_rates,
                                struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    struct environment environment = {
        .identity = &campaign->identity,
        .settings = settings,
        .device_count = campaign->part_count,
        .cases = campaign->count - campaign->twins,
        .twins = campaign->twins,
        .selected = campaign->cases_selected,
        .repetitions = campaign->repetitions,
        .visits = campaign->visits,
        .changed = campaign->changed.data,
    };
    struct environment_device *devices = memory_zeroed(campaign->part_count, sizeof *devices);
    struct device_rates *rates = memory_zeroed(campaign->part_count, sizeof *rates);
    for (size_t i = 0; i < campaign->part_count; i++) {
        describe_device(&campaign->parts[i], with_rates ? &rates[i] : NULL, &devices[i]);
        devices[i].beside = campaign->places[i].shift == 0 ? campaign->lanes - 1 : 0;
    }
    environment.devices = devices;
    const bool written = environment_write(settings->directory, &environment, error);
    free(rates);
    free(devices);
    return written;
}
