/* Takes the folder of a campaign: finds what an earlier run recorded of a case, locks the folder,
 * compares what is recorded with what is to run, and opens its files. */
#include "campaign/campaign_parts.h"

#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/files.h"
#include "measure/program.h"
#include "measure/worker/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what an earlier run recorded of a case ---- */

static int compare_key_and_row(const void *key, const void *row) {
    const struct row_key right = row_key_of(*(const struct row *const *)row);
    return row_key_compare(key, &right);
}

/* A case's name without the device, which stands before it where a run had several. */
static const char *name_of(const struct row *row) {
    const char *name = row_text(row, COLUMN_CASE_NAME);
    const char *device = row_text(row, COLUMN_DEVICE);
    const size_t length = strlen(device);
    return strncmp(name, device, length) == 0 && name[length] == '/' ? name + length + 1 : name;
}

static int compare_names(const void *a, const void *b) {
    const struct row *left = *(const struct row *const *)a;
    const struct row *right = *(const struct row *const *)b;
    const int order = strcmp(row_text(left, COLUMN_DEVICE), row_text(right, COLUMN_DEVICE));
    return order ? order : strcmp(name_of(left), name_of(right));
}

struct name_key {
    const char *device, *name;
};

static int compare_name_and_row(const void *key, const void *row) {
    const struct name_key *wanted = key;
    const struct row *right = *(const struct row *const *)row;
    const int order = strcmp(wanted->device, row_text(right, COLUMN_DEVICE));
    return order ? order : strcmp(wanted->name, name_of(right));
}

bool recorded_check_row(const char *path, const struct row *row, struct error *error) {
    static const char remedy[] = "mend the line, or take it away to have the case measured again";
    enum status status;
    const double seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
    if (!status_from_name(row_text(row, COLUMN_STATUS), &status) || status >= STATUS_BAD_INPUT) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%zu: the status is '%.100s'; expected ok, wrong or another verdict: %s",
                    path, row->line, row_text(row, COLUMN_STATUS), remedy);
    }
    if (status == STATUS_OK && !(seconds >= 0 && isfinite(seconds))) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%zu: the status is ok and force_s_median '%.100s'; expected seconds: %s",
                    path, row->line, row_text(row, COLUMN_FORCE_S_MEDIAN), remedy);
    }
    return true;
}

bool recorded_read(const char *path, bool is_of_visits, FILE *log, struct recorded *recorded,
                   struct error *error) {
    *recorded = (struct recorded){ 0 };
    if (!rows_read_strictly(path, is_of_visits, log, &recorded->table, error)) {
        return false;
    }
    recorded->sorted = memory_zeroed(1, (recorded->table.count + 1) * sizeof *recorded->sorted);
    recorded->by_names = memory_zeroed(1, (recorded->table.count + 1) * sizeof *recorded->by_names);
    for (size_t i = 0; i < recorded->table.count; i++) {
        const struct row *row = &recorded->table.rows[i];
        recorded->by_names[i] = row;
        if (!recorded_check_row(path, row, error)) {
            recorded_free(recorded);
            return false;
        }
        if (row_is_final(row)) {
            recorded->sorted[recorded->sorted_count++] = row;
        }
    }
    qsort(recorded->sorted, recorded->sorted_count, sizeof *recorded->sorted, row_compare_places);
    qsort(recorded->by_names, recorded->table.count, sizeof *recorded->by_names, compare_names);
    return true;
}

void recorded_free(struct recorded *recorded) {
    free(recorded->sorted);
    free(recorded->by_names);
    rows_free(&recorded->table);
    *recorded = (struct recorded){ 0 };
}

/* The rows that `compare` finds equal to a key, in an array sorted by it; NULL: none. */
static const struct row **find_equal(const void *key, const struct row **rows, size_t all,
                                     int (*compare)(const void *key, const void *row),
                                     size_t *count) {
    const struct row **found = all > 0 ? bsearch(key, rows, all, sizeof *rows, compare) : NULL;
    *count = 0;
    while (found && found > rows && compare(key, found - 1) == 0) {
        found--;
    }
    while (found && found + *count < rows + all && compare(key, found + *count) == 0) {
        ++*count;
    }
    return found;
}

const struct row *const *recorded_find_all(const struct recorded *recorded, const char *case_id,
                                           const char *device, size_t repetition, size_t *count) {
    char number[24];
    const struct row_key key = { case_id, device, number };
    (void)snprintf(number, sizeof number, "%zu", repetition);
    return find_equal(&key, recorded->sorted, recorded->sorted_count, compare_key_and_row, count);
}

/* The row of a case; NULL where there is none, or only one that is not final: a case that crashed
 * or passed its deadline is tried again. */
static const struct row *recorded_find(const struct recorded *recorded, const char *case_id,
                                       const char *device, size_t repetition) {
    size_t count;
    const struct row *const *rows =
        recorded_find_all(recorded, case_id, device, repetition, &count);
    return rows ? rows[0] : NULL;
}

/* ---- whether rows and cases are of one kind ---- */

/* Whether rows of the case on the device are of this very case: one of the same name and another
 * identity was measured with another kernel or box, or when words meant something else. `name` is
 * the case's without its device. STATUS_BAD_INPUT, naming the row. */
static bool recorded_check_case(const struct recorded *recorded, const char *path,
                                const char *case_id, const char *device, const char *name,
                                struct error *error) {
    const struct name_key key = { device, name };
    size_t count;
    const struct row **found =
        find_equal(&key, recorded->by_names, recorded->table.count, compare_name_and_row, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(row_text(found[i], COLUMN_CASE_ID), case_id) != 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%zu: %s was measured with another kernel or box than there is now "
                        "(case_id %s, now %s): bring back what has changed, or name another folder "
                        "by -o",
                        path, found[i]->line, name, row_text(found[i], COLUMN_CASE_ID), case_id);
        }
    }
    return true;
}

/* Whether the row passed, and was compiled from another program. */
static bool is_of_another(const struct row *row, const char *kernel_hash) {
    const char *hash = row_text(row, COLUMN_KERNEL_HASH);
    return row_passed(row) && *hash && strcmp(hash, kernel_hash) != 0;
}

bool recorded_check_program(const struct recorded *recorded, const char *path, const char *case_id,
                            const char *device, const char *kernel_hash, struct error *error) {
    for (size_t i = 0; *kernel_hash && i < recorded->table.count; i++) {
        const struct row *row = &recorded->table.rows[i];
        if (strcmp(row_text(row, COLUMN_CASE_ID), case_id) == 0 &&
            strcmp(row_text(row, COLUMN_DEVICE), device) == 0 && is_of_another(row, kernel_hash)) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%zu: a repetition of the same case was compiled from another program "
                        "(kernel_hash %s, now %s): the driver or its compiler has changed, or "
                        "pairmark; name another folder by -o",
                        path, row->line, row_text(row, COLUMN_KERNEL_HASH), kernel_hash);
        }
    }
    return true;
}

/* Logs in what the last row of a device differs from what is to be recorded now: a column
 * and its words. `device` NULL: the last row of all. */
static void recorded_report_difference(const struct recorded *recorded, const char *path,
                                       const char *device, enum column column, const char *now,
                                       FILE *log) {
    const struct row *last = NULL;
    for (size_t i = 0; i < recorded->table.count; i++) {
        const struct row *row = &recorded->table.rows[i];
        last = !device || strcmp(row_text(row, COLUMN_DEVICE), device) == 0 ? row : last;
    }
    if (last && strcmp(row_text(last, column), now) != 0) {
        log_warning(log, "%s: %s%s%s of the rows so far is '%s', of those to come '%s'", path,
                    device ? device : "", device ? ": " : "", column_names[column],
                    row_text(last, column), now);
    }
}

/* ---- the lock of a folder ---- */

/* No other code may open this file: closing any descriptor of it releases the process's lock. */
static const char lock_name[] = ".lock";

static struct flock whole_file(void) {
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

static bool fail_in_use(const char *folder, int descriptor, struct error *error) {
    struct flock held = whole_file();
    if (fcntl(descriptor, F_GETLK, &held) == 0 && held.l_type != F_UNLCK && held.l_pid > 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: process %ld is running in this folder: wait until it has ended, or name "
                    "another folder by -o",
                    folder, (long)held.l_pid);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s: another process is running in this folder: wait until it has ended, or name "
                "another folder by -o",
                folder);
}

bool folder_lock(const char *folder, FILE *log, int *lock, struct error *error) {
    char path[PATH_MAX];
    *lock = -1;
    if (!run_path(folder, lock_name, path, error)) {
        return false;
    }
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    if (confine_reaches(path)) {
        (void)close(descriptor);
        return fail(error, STATUS_BAD_INPUT,
                    "%s lies where kernels may write, in a cache or /dev/shm: -o names another "
                    "folder",
                    folder);
    }
    const struct flock wanted = whole_file();
    if (fcntl(descriptor, F_SETLK, &wanted) == 0) {
        *lock = descriptor;
        return true;
    }
    if (errno == EACCES || errno == EAGAIN) {
        (void)fail_in_use(folder, descriptor, error);
        (void)close(descriptor);
        return false;
    }
    log_warning(log, "%s: cannot be locked (%s): see to it that no other run uses this folder",
                path, strerror(errno));
    (void)close(descriptor);
    return true;
}

void folder_unlock(int lock) {
    if (lock >= 0) {
        (void)close(lock);
    }
}

/* ---- the folder of a campaign ---- */

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

/* A run writes many files under names of its own: through a link of one of these names it would
 * write, or make, a file that is somewhere else. */
static bool refuse_links(const char *directory, struct error *error) {
    char path[PATH_MAX];
    bool good = snprintf(path, sizeof path, "%s", directory) < PATH_MAX;
    char *const folders[] = { path, NULL };
    FTS *walk = good ? fts_open(folders, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *entry; walk && good && (entry = fts_read(walk));) {
        good = entry->fts_info != FTS_SL ||
               fail(error, STATUS_BAD_INPUT,
                    "%s is a symbolic link; expected files of the run's own: put there what it "
                    "names, or remove it",
                    entry->fts_path);
    }
    if (walk) {
        (void)fts_close(walk);
    }
    return good;
}

static bool check_directory(const struct campaign *campaign, const char *rows_path,
                            struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    if (settings->resume) {
        return check_request(settings->directory, error) &&
               refuse_links(settings->directory, error);
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
static void warn_of_differences(const struct campaign *campaign, const char *rows_path) {
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
        kept = !entry->chosen || kept_kernels_take_case(&campaign->kept, folder, spec, error);
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
        warn_of_differences(campaign, rows_path);
    }
    return opened;
}

/* Gives a unit its recorded row, or the visits that passed. A visit that failed has ended its unit
 * with a row; only one that is to be tried again has none. */
static void take_recorded_unit(struct campaign *campaign, struct unit *unit) {
    const struct entry *entry = unit->entry;
    const char *device = device_of(campaign, entry);
    const struct row *row = recorded_find(&campaign->recorded, entry->id, device, unit->repetition);
    size_t count = 0;
    if (row) {
        row_copy(row, &unit->row);
        unit->has_row = true;
        return;
    }
    const struct row *const *rows =
        recorded_find_all(&campaign->recorded_visits, entry->id, device, unit->repetition, &count);
    for (size_t i = 0; i < count; i++) {
        struct row visit;
        if (row_passed(rows[i])) {
            row_copy(rows[i], &visit);
            visits_add(&unit->visits, &visit);
        }
    }
}

void campaign_take_recorded(struct campaign *campaign) {
    for (size_t u = 0; u < campaign->unit_count; u++) {
        take_recorded_unit(campaign, &campaign->units[u]);
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
