#include "files/fs.h"

#include "files/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool fs_read(const char *path, char **data, size_t *length, struct error *error) {
    return input_read(path, INPUT_TABLE_BYTES, data, length, error);
}

bool fs_same_file(const char *a, const char *b) {
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
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
