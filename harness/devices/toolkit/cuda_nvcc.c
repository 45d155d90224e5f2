#include "devices/toolkit/cuda_nvcc.h"

#include "core/files.h"
#include "devices/toolkit/cuda_link.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 40 };

/* ---- the temporary folder ---- */

struct folder {
    char path[PATH_MAX - 300];
};

static bool make_folder(struct folder *folder, struct error *error) {
    const char *above = getenv("TMPDIR");
    (void)snprintf(folder->path, sizeof folder->path, "%s/pairmark-nvcc-XXXXXX",
                   above && *above ? above : "/tmp");
    return mkdtemp(folder->path) ||
           fail(error, STATUS_SYSTEM, "%s: %s", folder->path, strerror(errno));
}

static void path_in(const struct folder *folder, const char *file, char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s", folder->path, file);
}

/* nvcc makes files in it, and no folders. */
static void remove_folder(const struct folder *folder) {
    DIR *open = opendir(folder->path);
    char path[PATH_MAX];
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            path_in(folder, entry->d_name, path);
            (void)unlink(path);
        }
    }
    if (open) {
        (void)closedir(open);
    }
    (void)rmdir(folder->path);
}

/* ---- the compiler ---- */

/* Runs it to its end, what it says in the file `log`. -1: it could not be started, with errno. */
static int run(char *const *words, const char *log) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) {
        errno = failed;
        return -1;
    }
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed = failed ? failed
                    : posix_spawn_file_actions_addopen(&actions, 1, log,
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
    return status;
}

/* What it said, without the line breaks at the end; NULL where that is nothing. */
static char *take_log(const char *path) {
    struct error ignored;
    char *log = NULL;
    size_t length = 0;
    if (!input_read(path, INPUT_KERNEL_BYTES, &log, &length, &ignored)) {
        return NULL;
    }
    while (length > 0 && log[length - 1] == '\n') {
        log[--length] = '\0';
    }
    if (length == 0) {
        free(log);
        log = NULL;
    }
    return log;
}

static bool take_results(const struct folder *folder, struct nvcc_output *output,
                         struct error *error) {
    char path[PATH_MAX];
    path_in(folder, "kernel.cubin", path);
    if (!input_read(path, INPUT_KERNEL_BYTES, &output->cubin, &output->cubin_bytes, error)) {
        return false;
    }
    path_in(folder, "kernel.ptx", path);
    return input_read(path, INPUT_TABLE_BYTES, &output->ptx, NULL, error);
}

static bool compile_in(const struct folder *folder, const char *name, const char *text,
                       char *const *words, struct nvcc_output *output, struct error *error) {
    char source[PATH_MAX];
    char cubin[PATH_MAX];
    char log[PATH_MAX];
    char keep[] = "--keep";
    char keep_in[] = "--keep-dir";
    char to[] = "-o";
    char *arguments[MAX_WORDS + 8];
    int count = 0;
    path_in(folder, "kernel.cu", source);
    path_in(folder, "kernel.cubin", cubin);
    path_in(folder, "log", log);
    for (; count < MAX_WORDS && words[count]; count++) {
        arguments[count] = words[count];
    }
    char *const rest[] = { keep, keep_in, (char *)folder->path, to, cubin, source, NULL };
    memcpy(&arguments[count], rest, sizeof rest);
    if (!fs_write(source, text, strlen(text), error)) {
        return false;
    }
    const int status = run(arguments, log);
    if (status < 0) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s says @compiler nvcc, and %s cannot be started: %s; expected nvcc in "
                    "CUDA_HOME/bin, CUDA_PATH/bin, PATH or /usr/local/cuda/bin",
                    name, words[0], strerror(errno));
    }
    output->log = take_log(log);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return cuda_fail_by_log(name, output->log ? output->log : "nvcc does not say why", error);
    }
    return take_results(folder, output, error);
}

bool cuda_nvcc_compile(const char *name, const char *text, char *const *words,
                       struct nvcc_output *output, struct error *error) {
    struct folder folder;
    *output = (struct nvcc_output){ .cubin = NULL };
    if (!make_folder(&folder, error)) {
        return false;
    }
    const bool compiled = compile_in(&folder, name, text, words, output, error);
    remove_folder(&folder);
    if (!compiled) {
        nvcc_output_free(output);
    }
    return compiled;
}

void nvcc_output_free(struct nvcc_output *output) {
    free(output->cubin);
    free(output->ptx);
    free(output->log);
    *output = (struct nvcc_output){ .cubin = NULL };
}
