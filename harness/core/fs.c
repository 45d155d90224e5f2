#include "core/fs.h"

#include "core/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool fs_read(const char *path, char **data, size_t *length, struct error *error) {
    return input_read(path, INPUT_TABLE_BYTES, data, length, error);
}

static bool is_same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool fs_same_file(const char *a, const char *b) {
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && is_same_inode(&first, &second);
}

const char *fs_last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_folder_of(const char *path, struct stat *status) {
    const size_t length = (size_t)(fs_last_name(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    const bool there = folder && stat(folder, status) == 0;
    free(folder);
    return there;
}

bool fs_same_target(const char *a, const char *b) {
    struct stat of_a;
    struct stat of_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
        return strcmp(a, b) == 0;
    }
    const bool has_a = stat(a, &of_a) == 0;
    const bool has_b = stat(b, &of_b) == 0;
    if (has_a || has_b) {
        return has_a && has_b && S_ISREG(of_a.st_mode) && is_same_inode(&of_a, &of_b);
    }
    return strcmp(fs_last_name(a), fs_last_name(b)) == 0 && stat_folder_of(a, &of_a) &&
           stat_folder_of(b, &of_b) && is_same_inode(&of_a, &of_b);
}

bool fs_make_directories(const char *path, struct error *error) {
    char *copy = strdup(path);
    if (!copy) {
        return fail_out_of_memory(error, path);
    }
    bool made = true;
    for (char *slash = copy + 1; made; slash++) {
        if (*slash != '/' && *slash != '\0') {
            continue;
        }
        char end = *slash;
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            made = fail(error, STATUS_SYSTEM, "%s: %s", copy, strerror(errno));
        }
        *slash = end;
        if (end == '\0') {
            break;
        }
    }
    free(copy);
    return made;
}

char *fs_join(const char *directory, const char *name, struct error *error) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        (void)fail_out_of_memory(error, name);
        return NULL;
    }
    return path;
}
