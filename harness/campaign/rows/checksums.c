#include "campaign/rows/checksums.h"

#include "campaign/rows/rows.h"
#include "core/cache.h"
#include "core/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* kernels.csv has the hashes of the texts beside it. */
static const struct {
    const char *name;
    bool is_optional;
} recorded_files[] = {
    { "rows.csv", false },           { "visits.csv", false },       { "samples.csv", true },
    { "stages.csv", false },         { "environment.json", false }, { "benchmark.json", true },
    { "kernels/kernels.csv", true },
};
enum { FILES = sizeof recorded_files / sizeof recorded_files[0] };

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
    for (int f = 0; done && f < FILES; f++) {
        char hash[HASH_TEXT_SIZE];
        done = hash_file(folder, recorded_files[f].name, hash, error);
        if (done && hash[0]) {
            strbuf_append(&lines, "%s  %s\n", hash, recorded_files[f].name);
        }
    }
    done = done && (!lines.failed || fail_out_of_memory(error, path)) &&
           fs_write(path, lines.data ? lines.data : "", lines.length, error);
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

/* The hash of a name among lines "HASH  NAME"; NULL: it has no line. */
static const char *find_line(const char *lines, const char *name) {
    const size_t length = strlen(name);
    for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t end = strcspn(line, "\n");
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
    for (int f = 0; done && f < FILES; f++) {
        const char *name = recorded_files[f].name;
        const char *line = find_line(lines, name);
        char hash[HASH_TEXT_SIZE];
        done = hash_file(folder, name, hash, error);
        if (!done || (!line && !hash[0])) {
            continue;
        }
        if (!line) {
            say(context, name, true, "has no line in " CHECKSUMS_FILE);
        } else if (!hash[0]) {
            say(context, name, !recorded_files[f].is_optional,
                "was recorded and has been left out");
        } else if (strncmp(line, hash, HASH_TEXT_SIZE - 1) != 0) {
            say(context, name, true, "was changed after the run (" CHECKSUMS_FILE ")");
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
    return checksums_check(folder, note_changed, changed, error) &&
           (!changed->failed || fail_out_of_memory(error, CHECKSUMS_FILE));
}
