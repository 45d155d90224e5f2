/* Writes environment.json, and reads from it the command that --resume runs again. */
#include "campaign/rows/run_folder.h"

#include "campaign/campaign.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/program.h"
#include "measure/worker/confine.h"

#include <json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifdef PAIRMARK_COMMIT_HEADER
#include PAIRMARK_COMMIT_HEADER
#else
#define PAIRMARK_GIT_COMMIT ""
#endif

#ifndef PAIRMARK_VERSION
#define PAIRMARK_VERSION ""
#endif

static void format_now(const char *format, char *text, size_t size) {
    time_t now = time(NULL);
    struct tm parts;
    text[0] = '\0';
    if (gmtime_r(&now, &parts)) {
        (void)strftime(text, size, format, &parts);
    }
}

void environment_utc(char *text, size_t size) {
    format_now("%Y-%m-%dT%H:%M:%SZ", text, size);
}

static void find_host(char host[65]) {
    struct utsname system;
    (void)snprintf(host, 65, "%.64s", uname(&system) == 0 ? system.nodename : "unknown");
}

void run_identify(struct run_identity *identity) {
    char moment[32];
    find_host(identity->host);
    environment_utc(identity->utc, sizeof identity->utc);
    format_now("%Y%m%dT%H%M%SZ", moment, sizeof moment);
    (void)snprintf(identity->run_id, sizeof identity->run_id, "%s-%s-%ld", moment, identity->host,
                   (long)getpid());
    (void)snprintf(identity->git_commit, sizeof identity->git_commit, "%s", PAIRMARK_GIT_COMMIT);
}

void environment_default_folder(char *text, size_t size) {
    char moment[32];
    char host[65];
    find_host(host);
    format_now("%Y%m%dT%H%M%SZ", moment, sizeof moment);
    (void)snprintf(text, size, "results-%s-%s", moment, host);
}

static const char file_name[] = "environment.json";

/* ---- writing ---- */

/* What is not known is null: no words, no finite number, a negative count. */
static void add_text(struct json_object *object, const char *key, const char *value) {
    json_object_object_add(object, key, value && *value ? json_object_new_string(value) : NULL);
}

static void add_number(struct json_object *object, const char *key, double value) {
    json_object_object_add(object, key, isfinite(value) ? json_object_new_double(value) : NULL);
}

static void add_count(struct json_object *object, const char *key, int64_t value) {
    json_object_object_add(object, key, value >= 0 ? json_object_new_int64(value) : NULL);
}

static void add_size(struct json_object *object, const char *key, uint64_t value) {
    json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_flag(struct json_object *object, const char *key, bool value) {
    json_object_object_add(object, key, json_object_new_boolean(value));
}

/* The value of the first line "key<blanks><separator> value" of a system file; "" without one. */
static void read_system_word(const char *path, const char *key, char separator, char *word,
                             size_t size) {
    char line[512];
    FILE *file = fopen(path, "r");
    word[0] = '\0';
    while (file && word[0] == '\0' && fgets(line, sizeof line, file)) {
        char *value = strchr(line, separator);
        if (begins_with(line, key) && value) {
            value += 1 + strspn(value + 1, " \t\"");
            value[strcspn(value, "\"\n")] = '\0';
            (void)snprintf(word, size, "%s", value);
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

static struct json_object *make_host(const char *host) {
    struct json_object *object = json_object_new_object();
    struct utsname system;
    char word[256];
    add_text(object, "name", host);
    read_system_word("/proc/cpuinfo", "model name", ':', word, sizeof word);
    add_text(object, "cpu", word);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    add_count(object, "logical_cpus", cpus);
    add_count(object, "memory_bytes", pages > 0 && page > 0 ? (int64_t)pages * page : -1);
    read_system_word("/etc/os-release", "PRETTY_NAME", '=', word, sizeof word);
    add_text(object, "os", word);
    if (uname(&system) == 0) {
        (void)snprintf(word, sizeof word, "%.60s %.80s %.60s", system.sysname, system.release,
                       system.machine);
        add_text(object, "kernel", word);
    }
    return object;
}

static struct json_object *make_peaks(const struct peaks *peaks) {
    struct json_object *object = json_object_new_object();
    add_number(object, "fp32_operations_per_s", peaks->fp32_operations_per_s);
    add_number(object, "fp64_operations_per_s", peaks->fp64_operations_per_s);
    add_number(object, "fp32_rsqrt_per_s", peaks->rsqrt_per_s);
    add_number(object, "copy_bytes_per_s", peaks->copy_bytes_per_s);
    add_number(object, "local_read_bytes_per_s", peaks->local_bytes_per_s);
    add_text(object, "measured_utc", peaks->measured_utc);
    add_flag(object, "cached", peaks->cached);
    add_number(object, "error", peaks->error);
    add_number(object, "machine_load", peaks->machine_load);
    return object;
}

struct json_object *environment_device_object(const struct device_info *info) {
    struct json_object *object = json_object_new_object();
    add_text(object, "name", info->name);
    add_text(object, "backend", backend_of_class(info->kind));
    add_text(object, "model", info->model);
    add_text(object, "driver", info->driver);
    add_text(object, "toolkit", info->toolkit);
    add_size(object, "memory_bytes", info->memory_bytes);
    add_count(object, "l2_bytes", info->l2_bytes > 0 ? (int64_t)info->l2_bytes : -1);
    add_size(object, "local_bytes", info->local_bytes);
    add_count(object, "compute_units", info->compute_units);
    add_count(object, "clock_mhz", info->clock_mhz > 0 ? info->clock_mhz : -1);
    add_number(object, "power_limit_w", info->power_limit_w > 0 ? info->power_limit_w : NAN);
    add_count(object, "max_group_size", info->max_group_size);
    add_count(object, "subgroup_size", info->subgroup_size);
    add_flag(object, "fp64", info->fp64);
    add_flag(object, "atomics64", info->atomics64);
    add_flag(object, "is_cpu", info->is_cpu);
    add_text(object, "place", info->place[0] ? info->place : NULL);
    return object;
}

static struct json_object *make_device(const struct environment_device *device) {
    struct json_object *object = environment_device_object(device->info);
    add_size(object, "beside", device->beside);
    if (device->rates) {
        add_number(object, "launch_overhead_us", 1e6 * device->rates->launch_overhead_s);
        json_object_object_add(object, "peaks", make_peaks(&device->rates->peaks));
    }
    return object;
}

static struct json_object *make_sampling(const struct sampling *sampling) {
    struct json_object *object = json_object_new_object();
    add_number(object, "warm_up_s", sampling->warm_up_s);
    add_number(object, "noise_target", sampling->noise_target);
    add_count(object, "least_samples", sampling->min_samples);
    add_count(object, "most_samples", sampling->max_samples);
    add_number(object, "time_cap_s", sampling->time_cap_s);
    add_count(object, "cold_samples", sampling->cold_samples);
    add_flag(object, "energy", sampling->energy);
    return object;
}

static void add_plan(struct json_object *object, const struct environment *environment) {
    struct json_object *plan = json_object_new_object();
    const struct campaign_settings *settings = environment->settings;
    add_text(plan, "preset", settings->preset);
    add_size(plan, "cases", environment->cases);
    add_size(plan, "selected", environment->selected);
    add_size(plan, "twins", environment->twins);
    add_size(plan, "left_out", settings->left_out);
    add_size(plan, "repetitions", environment->repetitions);
    add_size(plan, "visits", environment->visits);
    add_size(plan, "shuffle_seed", settings->shuffle_seed);
    add_number(plan, "deadline_s", settings->deadline_s);
    json_object_object_add(object, "plan", plan);
}

static void add_shard(struct json_object *object, const struct environment_shard *shard) {
    struct json_object *share = json_object_new_object();
    add_size(share, "index", shard->index);
    add_size(share, "of", shard->total);
    add_size(share, "cases", shard->cases);
    add_text(share, "plan", shard->plan);
    json_object_object_add(object, "shard", share);
}

static struct json_object *make_environment(const struct environment *environment) {
    const struct campaign_settings *settings = environment->settings;
    struct json_object *object = json_object_new_object();
    struct json_object *words = json_object_new_array();
    struct json_object *devices = json_object_new_array();
    add_text(object, "run_id", environment->identity->run_id);
    add_text(object, "utc", environment->identity->utc);
    add_text(object, "pairmark_version", PAIRMARK_VERSION);
    add_text(object, "git_commit", environment->identity->git_commit);
    add_text(object, "confinement", confine_words());
    for (char *const *word = settings->command_line; *word; word++) {
        json_object_array_add(words, json_object_new_string(*word));
    }
    json_object_object_add(object, "command_line", words);
    add_plan(object, environment);
    if (environment->changed) {
        add_text(object, CHANGED_FILES, environment->changed);
    }
    if (settings->shard) {
        add_shard(object, settings->shard);
    }
    json_object_object_add(object, "sampling", make_sampling(&settings->sampling));
    for (size_t i = 0; i < environment->device_count; i++) {
        json_object_array_add(devices, make_device(&environment->devices[i]));
    }
    json_object_object_add(object, "devices", devices);
    json_object_object_add(object, "host", make_host(environment->identity->host));
    return object;
}

/* Moves the earlier runs of the old file into "earlier_runs" of the new object, and the old file's
 * own run unless it is this one. An old file that cannot be read is an error: it would be lost. */
static bool keep_earlier(struct json_object *object, const char *path, struct error *error) {
    struct json_object *runs = NULL;
    if (access(path, F_OK) != 0) {
        return true;
    }
    struct json_object *old = NULL;
    struct error reason;
    if (!input_read_json(path, &old, &reason)) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s, and would be written over: mend it or move it away", reason.message);
    }
    if (json_object_object_get_ex(old, "earlier_runs", &runs) &&
        json_object_is_type(runs, json_type_array)) {
        (void)json_object_get(runs);
        json_object_object_del(old, "earlier_runs");
    } else {
        runs = json_object_new_array();
    }
    if (json_object_equal(json_object_object_get(old, "run_id"),
                          json_object_object_get(object, "run_id"))) {
        json_object_put(old);
    } else {
        json_object_array_add(runs, old);
    }
    if (runs && json_object_array_length(runs) == 0) {
        json_object_put(runs);
    } else {
        json_object_object_add(object, "earlier_runs", runs);
    }
    return true;
}

bool environment_write_object(const char *folder, struct json_object *object, struct error *error) {
    const int style = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE;
    const char *text = object ? json_object_to_json_string_ext(object, style) : NULL;
    char path[PATH_MAX];
    struct strbuf file = { 0 };
    strbuf_append(&file, "%s\n", text ? text : "");
    memory_check(text != NULL);
    const bool written =
        run_path(folder, file_name, path, error) && fs_write(path, file.data, file.length, error);
    strbuf_free(&file);
    json_object_put(object);
    return written;
}

bool environment_write(const char *folder, const struct environment *environment,
                       struct error *error) {
    char path[PATH_MAX];
    if (!run_path(folder, file_name, path, error)) {
        return false;
    }
    struct json_object *object = make_environment(environment);
    if (!keep_earlier(object, path, error)) {
        json_object_put(object);
        return false;
    }
    return environment_write_object(folder, object, error);
}

static bool add_end(const char *folder, const struct noise_floor *floor, bool is_whole,
                    struct error *error) {
    struct json_object *object = NULL;
    struct error reason;
    char path[PATH_MAX];
    if (!run_path(folder, file_name, path, error)) {
        return false;
    }
    if (!input_read_json(path, &object, &reason)) {
        return fail(error, STATUS_SYSTEM, "%s: it cannot be read back", reason.message);
    }
    struct json_object *found = json_object_new_object();
    add_number(found, "ratio_spread", floor->ratio_spread);
    add_size(found, "pairs", floor->pairs);
    json_object_object_add(object, "noise_floor", found);
    if (is_whole) {
        add_text(object, "checksums", CHECKSUMS_FILE);
    }
    return environment_write_object(folder, object, error) &&
           (!is_whole || checksums_write(folder, error));
}

bool environment_end(const char *folder, bool is_whole, struct error *error) {
    struct row_table table;
    struct noise_floor floor;
    char path[PATH_MAX];
    if (!run_path(folder, "rows.csv", path, error) || !rows_read(path, NULL, &table, error)) {
        return false;
    }
    noise_floor_find(&table, &floor);
    const bool added = add_end(folder, &floor, is_whole, error);
    rows_free(&table);
    return added;
}

/* ---- reading ---- */

static char **copy_words(struct json_object *array) {
    size_t count = json_object_array_length(array);
    size_t bytes = (count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(json_object_get_string(json_object_array_get_idx(array, i))) + 1;
    }
    char **words = memory_zeroed(1, bytes);
    char *at = (char *)(words + count + 1);
    for (size_t i = 0; i < count; i++) {
        words[i] = at;
        at = stpcpy(at, json_object_get_string(json_object_array_get_idx(array, i))) + 1;
    }
    words[count] = NULL;
    return words;
}

bool environment_read_command(const char *folder, char ***command_line, uint64_t *shuffle_seed,
                              struct error *error) {
    struct json_object *object = NULL, *words = NULL, *seed = NULL;
    char path[PATH_MAX];
    if (!run_path(folder, file_name, path, error) || !input_read_json(path, &object, error)) {
        return false;
    }
    bool found = json_pointer_get(object, "/command_line", &words) == 0 &&
                 json_object_is_type(words, json_type_array) &&
                 json_pointer_get(object, "/plan/shuffle_seed", &seed) == 0 &&
                 json_object_is_type(seed, json_type_int) && json_object_get_int64(seed) >= 0;
    for (size_t i = 0; found && i < json_object_array_length(words); i++) {
        found = json_object_is_type(json_object_array_get_idx(words, i), json_type_string);
    }
    if (found) {
        *command_line = copy_words(words);
        *shuffle_seed = json_object_get_uint64(seed);
    } else {
        (void)fail(error, STATUS_BAD_INPUT, "%s: lacks the command line of the run", path);
    }
    json_object_put(object);
    return found;
}
