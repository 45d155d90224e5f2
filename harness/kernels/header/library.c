#include "kernels/header/library.h"

#include "core/embedded.h"
#include "kernels/header/read_variant.h"

#include <stdlib.h>
#include <string.h>

/* variants/WORKLOAD/NAME.cl */
bool variant_is_built_in(const char *path) {
    static const char folder[] = "variants/";
    if (strncmp(path, folder, strlen(folder)) != 0) {
        return false;
    }
    const char *name = path + strlen(folder);
    for (size_t w = 0; workloads[w]; w++) {
        const size_t length = strlen(workloads[w]->name);
        if (strncmp(name, workloads[w]->name, length) == 0 && name[length] == '/') {
            return true;
        }
    }
    return false;
}

static int compare_names(const void *left, const void *right) {
    return strcmp(((const struct variant *)left)->name, ((const struct variant *)right)->name);
}

/* As many as the files are, none more than `most`. */
static bool parse_all(struct variant *variants, size_t most, size_t *count, struct error *error) {
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (!variant_is_built_in(file->path)) {
            continue;
        }
        for (int k = 0; k == 0 || k < variant_count_of_file(&variants[*count - 1]); k++) {
            if (*count == most) {
                return fail(error, STATUS_SYSTEM, "%s: more variants than there is room for",
                            file->path);
            }
            if (!variant_parse_kth(file->path, embedded_text(file->path), k, &variants[*count],
                                   error)) {
                return false;
            }
            ++*count;
        }
    }
    return true;
}

static size_t count_files(void) {
    size_t files = 0;
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        files += variant_is_built_in(file->path);
    }
    return files;
}

const struct variant *variants_embedded(size_t *count, struct error *error) {
    /* The one table of the program that is built at run time: constant once it is there. */
    static struct variant *parsed = NULL;
    static size_t parsed_count = 0;
    if (!parsed) {
        const size_t most = count_files() * VARIANT_MAX_OF_FILE;
        size_t made = 0;
        struct variant *variants = calloc(most + 1, sizeof *variants);
        if (!variants) {
            (void)fail_out_of_memory(error, "the table of variants");
            return NULL;
        }
        if (!parse_all(variants, most, &made, error)) {
            for (size_t i = 0; i < made; i++) {
                variant_free(&variants[i]);
            }
            free(variants);
            return NULL;
        }
        qsort(variants, made, sizeof *variants, compare_names);
        parsed = variants;
        parsed_count = made;
    }
    *count = parsed_count;
    return parsed;
}
