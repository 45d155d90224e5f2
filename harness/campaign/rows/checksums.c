/* Writes and checks checksums.txt, and says which files of a run were changed after it. */
#include "campaign/rows/run_folder.h"

#include "campaign/rows/rows.h"
#include "core/cache.h"
#include "core/files.h"
#include "measure/program.h"

#include <json.h>
#include <json_visit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "" where the file is not there. */
static bool hash_file(const char *folder, const char *name, char hash[HASH_TEXT_SIZE],
                      struct error *error) {
    char path[PATH_MAX];
    char *data = NULL;
    size_t length = 0;
    hash[0] = '\0';
    if (!run_path(folder, name, path, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        return true;
    }
    const bool read = input_read(path, INPUT_RECORD_BYTES, &data, &length, error);
    if (read) {
        hash_bytes(data, length, hash);
    }
    free(data);
    return read;
}

bool checksums_write(const char *folder, struct error *error) {
    struct strbuf lines = { 0 };
    char path[PATH_MAX];
    bool done = run_path(folder, CHECKSUMS_FILE, path, error);
    for (const struct run_file *file = run_files; done && file->is_hashed; file++) {
        char hash[HASH_TEXT_SIZE];
        done = hash_file(folder, file->name, hash, error);
        if (done && hash[0]) {
            strbuf_append(&lines, "%s  %s\n", hash, file->name);
        }
    }
    done = done && fs_write(path, strbuf_text(&lines), lines.length, error);
    strbuf_free(&lines);
    return done;
}

void checksums_remove(const char *folder) {
    char path[PATH_MAX];
    struct error ignored;
    if (run_path(folder, CHECKSUMS_FILE, path, &ignored)) {
        (void)unlink(path);
    }
}

/* The hash of a name among lines "HASH  NAME", and the line's number; NULL: it has no line. */
static const char *find_line(const char *lines, const char *name, size_t *number) {
    const size_t length = strlen(name);
    *number = 0;
    for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t end = strcspn(line, "\n");
        ++*number;
        if (end == HASH_TEXT_SIZE + 1 + length &&
            strncmp(line + HASH_TEXT_SIZE + 1, name, length) == 0) {
            return line;
        }
    }
    return NULL;
}

bool checksums_check(const char *folder, checksums_say *say, void *context, struct error *error) {
    char path[PATH_MAX];
    char *lines = NULL;
    if (!run_path(folder, CHECKSUMS_FILE, path, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        return true;
    }
    bool done = input_read_text(path, INPUT_KERNEL_BYTES, &lines, error);
    for (const struct run_file *file = run_files; done && file->is_hashed; file++) {
        const char *name = file->name;
        size_t number = 0;
        const char *line = find_line(lines, name, &number);
        char reason[64];
        char hash[HASH_TEXT_SIZE];
        done = hash_file(folder, name, hash, error);
        if (!done || (!line && !hash[0])) {
            continue;
        }
        if (!line) {
            say(context, name, true, "has no line in " CHECKSUMS_FILE);
        } else if (!hash[0]) {
            say(context, name, !file->is_optional, "was recorded and has been left out");
        } else if (strncmp(line, hash, HASH_TEXT_SIZE - 1) != 0) {
            (void)snprintf(reason, sizeof reason,
                           "was changed after the run (" CHECKSUMS_FILE ":%zu)", number);
            say(context, name, true, reason);
        }
    }
    free(lines);
    return done;
}

static void note_changed(void *context, const char *file, bool is_error, const char *reason) {
    struct strbuf *changed = context;
    (void)reason;
    if (is_error) {
        strbuf_append(changed, "%s%s", changed->length > 0 ? ", " : "", file);
    }
}

bool checksums_changed(const char *folder, struct strbuf *changed, struct error *error) {
    return checksums_check(folder, note_changed, changed, error);
}

/* ---- whether answers can be given of a run ---- */

struct doubting {
    const char *folder;
    struct strbuf *doubts;
};

static void doubt(void *context, const char *file, bool is_error, const char *reason) {
    const struct doubting *doubting = context;
    if (is_error) {
        strbuf_append(doubting->doubts, "%s%s/%s %s", doubting->doubts->length > 0 ? "; " : "",
                      doubting->folder, file, reason);
    }
}

/* Doubts a file of the folder that has no checksum, such as an edited copy of rows.csv. */
static void doubt_stranger(struct doubting *doubting, const char *name) {
    bool is_recorded = false;
    for (const struct run_file *file = run_files; file->is_hashed; file++) {
        is_recorded = is_recorded || strcmp(file->name, name) == 0;
    }
    if (!is_recorded) {
        doubt(doubting, name, true, "has no line in " CHECKSUMS_FILE);
    }
}

static int doubt_member(struct json_object *value, int flags, struct json_object *parent,
                        const char *name, size_t *index, void *context) {
    (void)parent;
    (void)index;
    if (name && flags != JSON_C_VISIT_SECOND && strcmp(name, CHANGED_FILES) == 0) {
        char reason[256];
        (void)snprintf(reason, sizeof reason,
                       "says of %.120s: changed after a run, before another went on with it",
                       json_object_get_string(value));
        make_printable(reason, PRINTABLE_LINE);
        doubt(context, "environment.json", true, reason);
    }
    return JSON_C_VISIT_RETURN_CONTINUE;
}

/* Adds what environment.json says of changed files. A file that cannot be read is ignored here, as
 * its readers warn of it. */
static bool doubt_environment(struct doubting *doubting, bool has_checksums, struct error *error) {
    struct json_object *environment = NULL;
    struct json_object *named = NULL;
    struct error ignored;
    char path[PATH_MAX];
    if (!run_path(doubting->folder, "environment.json", path, error)) {
        return false;
    }
    if (access(path, F_OK) == 0 && input_read_json(path, &environment, &ignored)) {
        if (!has_checksums && json_object_object_get_ex(environment, "checksums", &named)) {
            doubt(doubting, CHECKSUMS_FILE, true, "is missing, though environment.json names it");
        }
        (void)json_c_visit(environment, 0, doubt_member, doubting);
        json_object_put(environment);
    }
    return true;
}

bool checksums_doubt(const char *path, struct strbuf *doubts, struct error *error) {
    char file[PATH_MAX], sums[PATH_MAX];
    if (!rows_locate(path, file, sizeof file, error)) {
        return false;
    }
    char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    char *folder =
        slash ? memory_begin(file, slash == file ? 1 : (size_t)(slash - file)) : memory_copy(".");
    struct doubting doubting = { folder, doubts };
    bool done = run_path(folder, CHECKSUMS_FILE, sums, error);
    if (done) {
        const bool has_checksums = access(sums, F_OK) == 0;
        done = checksums_check(folder, doubt, &doubting, error) &&
               doubt_environment(&doubting, has_checksums, error);
        if (has_checksums) {
            doubt_stranger(&doubting, name);
        }
    }
    free(folder);
    return done;
}
