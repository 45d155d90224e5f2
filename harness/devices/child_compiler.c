#include "devices/backend.h"

#include "core/files.h"
#include "core/strings.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool child_find(const char *name, char *path, size_t size) {
    if (strchr(name, '/')) {
        return snprintf(path, size, "%s", name) < (int)size && access(path, X_OK) == 0;
    }
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const int length = (int)strcspn(folders, ":");
        if (length > 0 && snprintf(path, size, "%.*s/%s", length, folders, name) < (int)size &&
            access(path, X_OK) == 0) {
            return true;
        }
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

/* ---- the temporary folder ---- */

bool child_folder_make(struct child_folder *folder, struct error *error) {
    return fs_make_temporary("compiler", folder->path, sizeof folder->path, error);
}

void child_folder_file(const struct child_folder *folder, const char *file, char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s", folder->path, file);
}

/* ---- running it ---- */

static char *read_log(const char *path) {
    struct error ignored;
    char *log = NULL;
    if (!input_read(path, INPUT_KERNEL_BYTES, &log, NULL, &ignored)) {
        return NULL;
    }
    trim_end(log, "\n");
    if (!*log) {
        free(log);
        log = NULL;
    }
    return log;
}

int child_run(const struct child_folder *folder, char *const *words, char **log) {
    posix_spawn_file_actions_t actions;
    char said[PATH_MAX];
    pid_t child;
    int status = -1;
    child_folder_file(folder, "log", said);
    *log = NULL;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) {
        errno = failed;
        return -1;
    }
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed = failed ? failed
                    : posix_spawn_file_actions_addopen(&actions, 1, said,
                                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, 1, 2);
    failed = failed ? failed : posix_spawn(&child, words[0], &actions, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        errno = failed;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *log = read_log(said);
    return status;
}
