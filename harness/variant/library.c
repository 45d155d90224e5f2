/* The embedded variants, parsed once. */
#include "base/embedded.h"
#include "variant/variant.h"

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

static bool parse_all(struct variant *variants, struct error *error) {
    size_t index = 0;
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (variant_is_built_in(file->path) &&
            !variant_parse(file->path, embedded_text(file->path), &variants[index++], error)) {
            return false;
        }
    }
    return true;
}

const struct variant *variants_embedded(size_t *count, struct error *error) {
    /* The one table of the program that is built at run time: constant once it is there. */
    static struct variant *parsed = NULL;
    size_t files = 0;
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        files += variant_is_built_in(file->path);
    }
    if (!parsed) {
        struct variant *variants = calloc(files ? files : 1, sizeof *variants);
        if (!variants) {
            (void)fail_out_of_memory(error, "the table of variants");
            return NULL;
        }
        if (!parse_all(variants, error)) {
            for (size_t i = 0; i < files; i++) {
                variant_free(&variants[i]);
            }
            free(variants);
            return NULL;
        }
        qsort(variants, files, sizeof *variants, compare_names);
        parsed = variants;
    }
    *count = files;
    return parsed;
}
