/* Merges the shares of a plan: tests that they belong together, then writes one folder of them. */
#include "campaign/rows/run_folder.h"

#include "campaign/axes/axes.h"
#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/files.h"
#include "measure/program.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One share. */
struct share {
    const char *folder;
    struct json_object *environment;
    struct row_table rows, visits;
    struct kept_kernels kernels;
    size_t index, total, cases;
};

struct merging {
    struct share *shares;
    size_t count;
    const char *output;
    FILE *log;
    struct kept_kernels kernels; /* of all; texts and names are the shares' */
};

/* ---- reading ---- */

static struct json_object *member(struct json_object *object, const char *path) {
    struct json_object *found = NULL;
    char pointer[64];
    (void)snprintf(pointer, sizeof pointer, "/%s", path);
    return json_pointer_get(object, pointer, &found) == 0 ? found : NULL;
}

static size_t count_of(struct json_object *object, const char *path) {
    struct json_object *found = member(object, path);
    const int64_t count = found ? json_object_get_int64(found) : 0;
    return count > 0 ? (size_t)count : 0;
}

static bool read_environment(struct share *share, struct error *error) {
    char path[PATH_MAX];
    struct strbuf changed = { 0 };
    if (!run_path(share->folder, "environment.json", path, error) ||
        !input_read_json(path, &share->environment, error)) {
        return false;
    }
    if (!checksums_changed(share->folder, &changed, error)) {
        strbuf_free(&changed);
        return false;
    }
    if (changed.data) {
        json_object_object_add(share->environment, CHANGED_FILES,
                               json_object_new_string(changed.data));
    }
    strbuf_free(&changed);
    share->index = count_of(share->environment, "shard/index");
    share->total = count_of(share->environment, "shard/of");
    share->cases = count_of(share->environment, "shard/cases");
    return (share->index > 0 && share->index <= share->total) ||
           fail(error, STATUS_BAD_INPUT,
                "%s is no share of a plan: it was made without `bench --shard K/N`", share->folder);
}

static bool read_rows(const char *path, bool is_of_visits, struct row_table *table, FILE *log,
                      struct error *error) {
    bool read = rows_read_strictly(path, is_of_visits, log, table, error);
    for (size_t r = 0; read && r < table->count; r++) {
        read = recorded_check_row(path, &table->rows[r], error);
    }
    return read;
}

static bool read_share(struct share *share, FILE *log, struct error *error) {
    char path[PATH_MAX];
    return run_path(share->folder, "rows.csv", path, error) &&
           read_rows(path, false, &share->rows, log, error) &&
           run_path(share->folder, "visits.csv", path, error) &&
           (access(path, F_OK) != 0 || read_rows(path, true, &share->visits, log, error)) &&
           read_environment(share, error) &&
           kept_kernels_read(share->folder, &share->kernels, error);
}

/* ---- whether they are of one plan ---- */

static const char *text_of(struct json_object *object) {
    return object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : "nothing";
}

/* Whether a share agrees with the first in what makes them one campaign. */
static bool check_alike(const struct merging *merging, const struct share *share,
                        struct error *error) {
    static const struct {
        const char *path, *what;
    } alike[] = {
        { "shard/of", "number of shares" },
        { "shard/plan", "plan (hash of its cases)" },
        { "sampling", "sampling" },
        { "plan/visits", "number of visits" },
        { "plan/repetitions", "repetitions" },
        { "plan/deadline_s", "deadline" },
        { "pairmark_version", "version" },
    };
    const struct share *first = &merging->shares[0];
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        struct json_object *own = member(share->environment, alike[i].path);
        struct json_object *other = member(first->environment, alike[i].path);
        if (!json_object_equal(own, other)) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s and %s are not of one campaign: their %s differs: %.200s and %.200s",
                        first->folder, share->folder, alike[i].what, text_of(other), text_of(own));
        }
    }
    return true;
}

/* Rows by case, device and repetition. */
struct keyed_row {
    const struct row *row;
    const struct share *share;
};

static int compare_keys(const void *left, const void *right) {
    const struct keyed_row *a = left;
    const struct keyed_row *b = right;
    return row_compare_results(a->row, b->row);
}

/* Whether no case has rows in two shares. */
static bool check_single(const struct merging *merging, struct error *error) {
    size_t count = 0;
    for (size_t s = 0; s < merging->count; s++) {
        count += merging->shares[s].rows.count;
    }
    struct keyed_row *rows = memory_zeroed(count + 1, sizeof *rows);
    bool single = true;
    size_t next = 0;
    for (size_t s = 0; s < merging->count; s++) {
        for (size_t r = 0; r < merging->shares[s].rows.count; r++) {
            rows[next++] =
                (struct keyed_row){ &merging->shares[s].rows.rows[r], &merging->shares[s] };
        }
    }
    qsort(rows, next, sizeof *rows, compare_keys);
    for (size_t i = 1; single && i < next; i++) {
        if (compare_keys(&rows[i - 1], &rows[i]) == 0 && rows[i - 1].share != rows[i].share) {
            single = fail(error, STATUS_BAD_INPUT,
                          "%s and %s both have a row of %.200s: leave one of the two out",
                          rows[i - 1].share->folder, rows[i].share->folder,
                          row_text(rows[i].row, COLUMN_CASE_NAME));
        }
    }
    free(rows);
    return single;
}

/* The texts of all shares, each once: one name has one text. */
static bool join_kernels(struct merging *merging, const struct share *share, struct error *error) {
    struct kept_kernels *all = &merging->kernels;
    all->items = memory_grown(all->items, all->count + share->kernels.count, sizeof *all->items);
    for (size_t i = 0; i < share->kernels.count; i++) {
        const struct kept_kernel *own = &share->kernels.items[i];
        const struct kept_kernel *other = kept_kernels_find(all, own->file);
        if (other && strcmp(other->text, own->text) != 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s and %s were measured with different texts of %s: shares are of one "
                        "build and of the same files",
                        merging->shares[0].folder, share->folder, own->file);
        }
        if (!other) {
            all->items[all->count] = *own;
            all->items[all->count++].is_written = false;
        }
    }
    return true;
}

static bool read_shares(struct merging *merging, const char *const *runs, struct error *error) {
    for (size_t s = 0; s < merging->count; s++) {
        struct share *share = &merging->shares[s];
        share->folder = runs[s];
        if (!read_share(share, merging->log, error) || !check_alike(merging, share, error) ||
            !join_kernels(merging, share, error)) {
            return false;
        }
    }
    return check_single(merging, error);
}

/* ---- writing ---- */

/* A new file of the folder; `name` has the columns. */
static bool create_file(const struct merging *merging, const char *name, const char *const *columns,
                        struct record_file **file, struct error *error) {
    char path[PATH_MAX];
    return run_path(merging->output, name, path, error) &&
           record_file_create(path, columns, file, error);
}

static bool write_rows(const struct merging *merging, const char *name, bool visits,
                       struct error *error) {
    struct record_file *file = NULL;
    bool written = create_file(merging, name, column_names, &file, error);
    for (size_t s = 0; written && s < merging->count; s++) {
        const struct row_table *table =
            visits ? &merging->shares[s].visits : &merging->shares[s].rows;
        for (size_t r = 0; written && r < table->count; r++) {
            written = row_append(file, &table->rows[r], error);
        }
    }
    record_file_close(file);
    return written;
}

/* Records being copied from one file to another with the same columns. */
struct copying {
    struct record_file *to;
    const char *path;
    const char *const *columns;
    struct strbuf records;
};

static bool copy_record(void *context, size_t line, char **fields, size_t count,
                        struct error *error) {
    enum { CHUNK = 1 << 20 };
    struct copying *copying = context;
    size_t columns = 0;
    bool same = true;
    while (copying->columns[columns]) {
        same = same && columns < count && strcmp(fields[columns], copying->columns[columns]) == 0;
        columns++;
    }
    if (line == 1) {
        return (same && count == columns) ||
               fail(error, STATUS_BAD_INPUT, "%s: the columns are those of another version",
                    copying->path);
    }
    record_format(&copying->records, (const char *const *)fields, count);
    if (copying->records.length < CHUNK) {
        return true;
    }
    const bool kept = record_file_append(copying->to, &copying->records, error);
    strbuf_free(&copying->records);
    return kept;
}

static bool copy_records(const char *path, const char *const *columns, struct record_file *to,
                         struct error *error) {
    struct copying copying = { .to = to, .path = path, .columns = columns };
    struct records_extent extent;
    bool copied =
        access(path, F_OK) != 0 ||
        (records_read(path, copy_record, &copying, &extent, error) &&
         (copying.records.length == 0 || record_file_append(to, &copying.records, error)));
    strbuf_free(&copying.records);
    return copied;
}

static bool write_records(const struct merging *merging, const char *name,
                          const char *const *columns, struct error *error) {
    struct record_file *file = NULL;
    bool written = create_file(merging, name, columns, &file, error);
    for (size_t s = 0; written && s < merging->count; s++) {
        char path[PATH_MAX];
        written = run_path(merging->shares[s].folder, name, path, error) &&
                  copy_records(path, columns, file, error);
    }
    record_file_close(file);
    return written;
}

/* ---- environment.json ---- */

/* The command line of the whole plan: without the share and where it went. */
static struct json_object *whole_command(struct json_object *words) {
    static const char *const dropped[] = { "--shard", "-o", "--output", "--resume" };
    struct json_object *whole = json_object_new_array();
    const size_t count = words ? json_object_array_length(words) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *word = json_object_get_string(json_object_array_get_idx(words, i));
        bool keep = true;
        for (size_t d = 0; keep && d < sizeof dropped / sizeof dropped[0]; d++) {
            keep = !is_word_of(word, dropped[d]);
        }
        if (keep) {
            json_object_array_add(whole, json_object_new_string(word));
        } else if (!strchr(word, '=')) {
            i++; /* its value */
        }
    }
    return whole;
}

static bool has_device(struct json_object *devices, struct json_object *device) {
    for (size_t i = 0; i < json_object_array_length(devices); i++) {
        struct json_object *one = json_object_array_get_idx(devices, i);
        if (json_object_equal(member(one, "name"), member(device, "name")) &&
            json_object_equal(member(one, "model"), member(device, "model"))) {
            return true;
        }
    }
    return false;
}

/* Each device once: what is called the same on two machines and is of one model counts as one. */
static struct json_object *all_devices(const struct merging *merging) {
    struct json_object *devices = json_object_new_array();
    for (size_t s = 0; s < merging->count; s++) {
        struct json_object *own = member(merging->shares[s].environment, "devices");
        for (size_t i = 0; own && i < json_object_array_length(own); i++) {
            struct json_object *device = json_object_array_get_idx(own, i);
            if (!has_device(devices, device)) {
                json_object_array_add(devices, json_object_get(device));
            }
        }
    }
    return devices;
}

/* environment.json of the merged run: that of the first share, changed to describe the whole plan.
 */
static struct json_object *make_environment(const struct merging *merging) {
    static const char *const dropped[] = { "shard", "noise_floor", "earlier_runs", "checksums",
                                           CHANGED_FILES };
    struct json_object *whole = NULL;
    struct json_object *runs = json_object_new_array();
    if (json_object_deep_copy(merging->shares[0].environment, &whole, NULL) != 0) {
        json_object_put(runs);
        return NULL;
    }
    for (size_t d = 0; d < sizeof dropped / sizeof dropped[0]; d++) {
        json_object_object_del(whole, dropped[d]);
    }
    for (size_t s = 0; s < merging->count; s++) {
        json_object_array_add(runs, json_object_get(merging->shares[s].environment));
    }
    struct json_object *plan = member(whole, "plan");
    const int64_t cases = (int64_t)merging->shares[0].cases;
    json_object_object_add(plan, "cases", json_object_new_int64(cases));
    json_object_object_add(plan, "selected", json_object_new_int64(cases));
    json_object_object_add(whole, "command_line", whole_command(member(whole, "command_line")));
    json_object_object_add(whole, "devices", all_devices(merging));
    json_object_object_add(whole, "merged_runs", runs);
    return whole;
}

/* Refuses an output folder that holds a file of a run. */
static bool check_output(const char *output, struct error *error) {
    for (const struct run_file *file = run_files; file->name; file++) {
        char path[PATH_MAX];
        if (!run_path(output, file->name, path, error)) {
            return false;
        }
        if (access(path, F_OK) == 0) {
            return fail(error, STATUS_BAD_INPUT, "%s is there already: -o names another folder",
                        path);
        }
    }
    return true;
}

/* Writes rows.csv last, so that a folder that was not finished does not look like a run. */
static bool write_run(struct merging *merging, struct error *error) {
    int lock = -1;
    if (!fs_make_directories(merging->output, error)) {
        error->status = STATUS_BAD_INPUT; /* the argument is at fault, not the system */
        return false;
    }
    const bool visited = merging->shares[0].visits.count > 0;
    const bool written =
        folder_lock(merging->output, merging->log, &lock, error) &&
        kept_kernels_write(&merging->kernels, merging->output, error) &&
        write_records(merging, "samples.csv", sample_columns, error) &&
        write_records(merging, "stages.csv", stage_columns, error) &&
        (!visited || write_rows(merging, "visits.csv", true, error)) &&
        environment_write_object(merging->output, make_environment(merging), error) &&
        write_rows(merging, "rows.csv", false, error) &&
        environment_end(merging->output, true, error);
    folder_unlock(lock);
    return written;
}

/* ---- all of it ---- */

static void count_shares(const struct merging *merging, struct merged_shares *shares) {
    const size_t repetitions = count_of(merging->shares[0].environment, "plan/repetitions");
    *shares = (struct merged_shares){ .total = merging->shares[0].total,
                                      .cases = merging->shares[0].cases *
                                               (repetitions ? repetitions : 1) };
    shares->is_there = memory_zeroed(shares->total, sizeof *shares->is_there);
    for (size_t s = 0; s < merging->count; s++) {
        const struct share *share = &merging->shares[s];
        shares->is_there[share->index - 1] = true;
        for (size_t r = 0; r < share->rows.count; r++) {
            const struct row *row = &share->rows.rows[r];
            shares->rows += row_is_final(row) && !row_is_twin(row);
        }
    }
}

static void share_free(struct share *share) {
    rows_free(&share->rows);
    rows_free(&share->visits);
    kept_kernels_free(&share->kernels);
    json_object_put(share->environment);
}

bool merge_runs(const char *const *runs, size_t count, const char *output, FILE *log,
                struct merged_shares *shares, struct error *error) {
    struct merging merging = { .count = count, .output = output, .log = log };
    *shares = (struct merged_shares){ 0 };
    merging.shares = memory_zeroed(count + 1, sizeof *merging.shares);
    bool merged = check_output(output, error) && read_shares(&merging, runs, error) &&
                  write_run(&merging, error);
    if (merged) {
        count_shares(&merging, shares);
    }
    for (size_t s = 0; s < count; s++) {
        share_free(&merging.shares[s]);
    }
    free(merging.kernels.items); /* what they point to is the shares' */
    free(merging.shares);
    return merged;
}
