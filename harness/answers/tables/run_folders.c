/* Runs in folders below a folder. */
#include "answers/tables/analysis.h"
#include "core/files.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds(const char *folder, const char *name) {
    char path[PATH_MAX];
    struct error ignored;
    return run_path(folder, name, path, &ignored) && access(path, F_OK) == 0;
}

static bool keep(struct run_folders *folders, char *path, struct error *error) {
    char **paths = realloc(folders->paths, (folders->count + 1) * sizeof *paths);
    if (!paths) {
        free(path);
        return fail_out_of_memory(error, "the folders of runs");
    }
    folders->paths = paths;
    folders->paths[folders->count++] = path;
    return true;
}

static int is_folder(const struct dirent *entry) {
    return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

/* Takes over the path. */
static bool find_below(struct run_folders *folders, char *path, struct error *error) {
    struct dirent **entries = NULL;
    if (holds(path, "rows.csv") || holds(path, "environment.json")) {
        return keep(folders, path, error);
    }
    const int count = scandir(path, &entries, is_folder, alphasort);
    bool found =
        count >= 0 || fail(error, STATUS_BAD_INPUT, "%s: no folder that can be read", path);
    for (int i = 0; i < count; i++) {
        char *below = found ? fs_join(path, entries[i]->d_name, error) : NULL;
        found = found && below && find_below(folders, below, error);
        free(entries[i]);
    }
    free(entries);
    free(path);
    return found;
}

bool run_folders_find(struct run_folders *folders, const char *folder, struct error *error) {
    const size_t before = folders->count;
    char *path = strdup(folder);
    if (!path) {
        return fail_out_of_memory(error, folder);
    }
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--) {
        path[end - 1] = '\0';
    }
    return find_below(folders, path, error) &&
           (folders->count > before ||
            fail(error, STATUS_BAD_INPUT, "%s: holds no run: no rows.csv in it or below", folder));
}

void run_folders_free(struct run_folders *folders) {
    for (size_t i = 0; i < folders->count; i++) {
        free(folders->paths[i]);
    }
    free(folders->paths);
    *folders = (struct run_folders){ 0 };
}

bool analysis_add_runs_below(struct analysis *analysis, const char *const *paths, size_t count,
                             FILE *log, struct error *error) {
    struct run_folders folders = { 0 };
    bool added = true;
    for (size_t i = 0; added && i < count; i++) {
        added = run_folders_find(&folders, paths[i], error);
    }
    for (size_t i = 0; added && i < folders.count; i++) {
        added = analysis_add_run(analysis, folders.paths[i], folders.paths[i], log, error);
    }
    run_folders_free(&folders);
    return added;
}
