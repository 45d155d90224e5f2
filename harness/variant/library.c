/* The embedded variants, parsed once. */
#include "variant/embedded.h"
#include "variant/variant.h"

#include <stdlib.h>
#include <string.h>

static const char variants_folder[] = "variants/forces/";

static bool is_variant(const struct embedded_file *file) {
    return strncmp(file->path, variants_folder, strlen(variants_folder)) == 0;
}

static bool parse_all(struct variant *variants, struct error *error) {
    size_t index = 0;
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (is_variant(file) && !variant_parse(file->path, file->text, &variants[index++], error)) {
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
        files += is_variant(file);
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
        parsed = variants;
    }
    *count = files;
    return parsed;
}
