#include "core/embedded.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What stands in the place of built-in texts. Few, and constant once variants are read. */
static struct replacement {
    const char *path; /* the embedded file's own */
    char *text;
} *replacements = NULL;
static size_t replacement_count = 0;

static const struct embedded_file *find_file(const char *path) {
    const struct embedded_file *file = embedded_files;
    while (file->path && strcmp(file->path, path) != 0) {
        file++;
    }
    return file->path ? file : NULL;
}

const char *embedded_original(const char *path) {
    const struct embedded_file *file = find_file(path);
    return file ? file->text : NULL;
}

const char *embedded_text(const char *path) {
    for (size_t i = 0; i < replacement_count; i++) {
        if (strcmp(replacements[i].path, path) == 0) {
            return replacements[i].text;
        }
    }
    return embedded_original(path);
}

const char *embedded_file_text(const char *path) {
    const size_t length = sizeof EMBEDDED_PREFIX - 1;
    return strncmp(path, EMBEDDED_PREFIX, length) == 0 ? embedded_text(path + length) : NULL;
}

bool embedded_replace(const char *path, const char *text, bool *known) {
    const struct embedded_file *file = find_file(path);
    *known = file != NULL;
    if (!file) {
        return false;
    }
    struct replacement *longer =
        realloc(replacements, (replacement_count + 1) * sizeof *replacements);
    char *copy = strdup(text);
    if (longer) {
        replacements = longer;
    }
    if (!longer || !copy) {
        free(copy);
        return false;
    }
    replacements[replacement_count++] = (struct replacement){ .path = file->path, .text = copy };
    return true;
}
