/* Finds what an earlier run recorded of a case, and locks the folder of a run. */
#include "campaign/rows/run_folder.h"

#include "campaign/memory.h"
#include "campaign/worker/confine.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const struct row *recorded_find(const struct recorded *recorded, const char *case_id,
                                const char *device, size_t repetition) {
    size_t count;
    const struct row *const *rows =
        recorded_find_all(recorded, case_id, device, repetition, &count);
    return rows ? rows[0] : NULL;
}

/* ---- whether rows and cases are of one kind ---- */

bool recorded_check_case(const struct recorded *recorded, const char *path, const char *case_id,
                         const char *device, const char *name, struct error *error) {
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

void recorded_report_difference(const struct recorded *recorded, const char *path,
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
