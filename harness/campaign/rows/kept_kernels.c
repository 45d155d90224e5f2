/* Keeps the kernel texts and input files of a run in its folder, and puts them in the place of the
 * originals when the run goes on. */
#include "campaign/rows/run_folder.h"

#include "campaign/rows/rows.h"
#include "core/cache.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/text/kernel_text.h"
#include "measure/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const list_columns[] = { "file", "source", "hash" };
static const char shared_folder[] = "shared/";
static const char inputs_folder[] = "inputs/";

const struct kept_input kept_inputs[KEPT_INPUTS] = {
    { "bonds", AXIS_BONDS },
    { "angles", AXIS_ANGLES },
    { "torsions", AXIS_TORSIONS },
    { "rb_torsions", AXIS_RB_TORSIONS },
    { "constraints", AXIS_CONSTRAINTS },
    { "interaction", AXIS_INTERACTION_FILE },
    { "table", AXIS_TABLE },
    { "exclusions", AXIS_EXCLUDE },
};

enum { LIST_COLUMNS = sizeof list_columns / sizeof list_columns[0] };

/* ---- paths and hashes ---- */

static bool kept_path(const char *folder, const char *file, char path[PATH_MAX],
                      struct error *error) {
    const int length = snprintf(path, PATH_MAX, "%s/kernels/%s", folder, file);
    return (length >= 0 && length < PATH_MAX) ||
           fail(error, STATUS_BAD_INPUT, "%.200s...: the path is too long", folder);
}

static void hash_text(const char *text, char hash[HASH_TEXT_SIZE]) {
    hash_bytes(text, strlen(text) + 1, hash);
}

/* ---- what is kept ---- */

struct kept_kernel *kept_kernels_find(const struct kept_kernels *kept, const char *file) {
    for (size_t i = 0; i < kept->count; i++) {
        if (strcmp(kept->items[i].file, file) == 0) {
            return &kept->items[i];
        }
    }
    return NULL;
}

static void free_item(struct kept_kernel *item) {
    free(item->file);
    free(item->source);
    free(item->text);
}

static void add_kept(struct kept_kernels *kept, const char *file, const char *source,
                     const char *text, bool is_written) {
    kept->items = memory_grown(kept->items, kept->count + 1, sizeof *kept->items);
    struct kept_kernel item = { memory_copy(file), memory_copy(source), memory_copy(text),
                                is_written };
    kept->items[kept->count++] = item;
}

void kept_kernels_free(struct kept_kernels *kept) {
    for (size_t i = 0; i < kept->count; i++) {
        free_item(&kept->items[i]);
    }
    free(kept->items);
    *kept = (struct kept_kernels){ 0 };
}

/* ---- reading ---- */

struct list_reader {
    const char *folder;
    struct kept_kernels *kept;
};

/* Whether a path of kernels.csv, which somebody may have edited, stays within the folder. */
static bool is_within(const char *file) {
    return *file && *file != '/' && strcmp(file, "..") != 0 && strncmp(file, "../", 3) != 0 &&
           !strstr(file, "/../") && !has_control_characters(file);
}

static bool is_hash(const char *word) {
    return strlen(word) == HASH_TEXT_SIZE - 1 &&
           strspn(word, "0123456789abcdef") == HASH_TEXT_SIZE - 1;
}

static bool read_kept(struct list_reader *reader, char **fields, struct error *error) {
    char path[PATH_MAX];
    char hash[HASH_TEXT_SIZE];
    char *text = NULL;
    if (!kept_path(reader->folder, fields[0], path, error) ||
        !input_read(path, INPUT_TABLE_BYTES, &text, NULL, error)) {
        return false;
    }
    hash_text(text, hash);
    add_kept(reader->kept, fields[0], fields[1], text, true);
    free(text);
    return strcmp(hash, fields[2]) == 0 ||
           fail(error, STATUS_BAD_INPUT,
                "%s: has changed since the run kept it (hash %s, now %s): bring it back, or "
                "name another folder by -o",
                path, fields[2], hash);
}

static bool read_line(void *context, size_t line, char **fields, size_t count,
                      struct error *error) {
    bool good = count == LIST_COLUMNS;
    for (size_t i = 0; good && line == 1 && i < LIST_COLUMNS; i++) {
        good = strcmp(fields[i], list_columns[i]) == 0;
    }
    if (!good || (line > 1 && !(is_within(fields[0]) && is_hash(fields[2])))) {
        return fail(error, STATUS_BAD_INPUT,
                    "line %zu: expected %s, %s and %s of a kernel that the run kept", line,
                    list_columns[0], list_columns[1], list_columns[2]);
    }
    return line == 1 || read_kept(context, fields, error);
}

bool kept_kernels_read(const char *folder, struct kept_kernels *kept, struct error *error) {
    struct list_reader reader = { .folder = folder, .kept = kept };
    struct records_extent extent;
    char path[PATH_MAX];
    *kept = (struct kept_kernels){ 0 };
    if (!kept_path(folder, "kernels.csv", path, error)) {
        return false;
    }
    if (access(path, F_OK) == 0 && !records_read(path, read_line, &reader, &extent, error)) {
        kept_kernels_free(kept);
        return false;
    }
    return true;
}

/* ---- using ---- */

void kept_kernels_use(const struct kept_kernels *kept) {
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_kernel *item = &kept->items[i];
        bool known;
        memory_check(embedded_replace(item->source, item->text, &known) || !known);
    }
}

/* The kept variant that was read from this path, cut as struct variant cuts it. */
static const struct kept_kernel *find_source(const struct kept_kernels *kept, const char *path) {
    char source[sizeof((struct variant *)NULL)->path];
    (void)snprintf(source, sizeof source, "%s", path);
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_kernel *item = &kept->items[i];
        if (strcmp(item->source, source) == 0 && !begins_with(item->file, inputs_folder)) {
            return item;
        }
    }
    return NULL;
}

/* The input that was last read from this path. */
static const struct kept_kernel *find_input(const struct kept_kernels *kept, const char *what,
                                            const char *path) {
    char beginning[64];
    (void)snprintf(beginning, sizeof beginning, "%s%s-", inputs_folder, what);
    for (size_t i = kept->count; i > 0; i--) {
        const struct kept_kernel *item = &kept->items[i - 1];
        if (strcmp(item->source, path) == 0 && begins_with(item->file, beginning)) {
            return item;
        }
    }
    return NULL;
}

/* Replaces *path by that of the kept file. `item` NULL: changes nothing. */
static bool point(const struct kept_kernel *item, const char *folder, char **path,
                  struct error *error) {
    char kept[PATH_MAX];
    if (!item) {
        return true;
    }
    if (!kept_path(folder, item->file, kept, error)) {
        return false;
    }
    char *copy = memory_copy(kept);
    free(*path);
    *path = copy;
    return true;
}

static void free_list(char ***list) {
    for (char **item = *list; item && *item; item++) {
        free(*item);
    }
    free(*list);
    *list = NULL;
}

bool kept_kernels_point(const struct kept_kernels *kept, const char *folder, struct axes *axes,
                        struct error *error) {
    bool pointed = true;
    bool includes = false;
    for (char **file = axes->variant_files; pointed && file && *file; file++) {
        const struct kept_kernel *item = find_source(kept, *file);
        includes = includes || (!item && kernel_language_of(*file) == LANGUAGE_CUDA);
        pointed = point(item, folder, file, error);
    }
    if (!includes) { /* what kept texts included is part of them */
        free_list(&axes->include_folders);
    }
    for (int k = 0; pointed && k < KEPT_INPUTS; k++) {
        char **path = axes_word(axes, kept_inputs[k].axis);
        pointed =
            !*path || point(find_input(kept, kept_inputs[k].what, *path), folder, path, error);
    }
    return pointed;
}

/* ---- keeping ---- */

static bool fail_differs(const char *folder, const char *file, const char *source,
                         struct error *error) {
    const bool built_in = embedded_original(source) != NULL;
    if (strstr(source, "variants/interactions/expression-")) {
        return fail(
            error, STATUS_BAD_INPUT,
            "the kernel text of the expression differs from %s/kernels/%s, which the rows of "
            "%s were measured with: another version wrote it; name another folder by -o",
            folder, file, folder);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s%s differs from %s/kernels/%s, which the rows of %s were measured with: go on "
                "with that one (--variant-file %s/kernels/%s), or name another folder by -o",
                built_in ? "the built-in " : "--variant-file ", source, folder, file, folder,
                folder, file);
}

static bool take(struct kept_kernels *kept, const char *folder, const char *file,
                 const char *source, const char *text, struct error *error) {
    const struct kept_kernel *item = kept_kernels_find(kept, file);
    if (!item) {
        add_kept(kept, file, source, text, false);
        return true;
    }
    return strcmp(item->text, text) == 0 || fail_differs(folder, file, source, error);
}

static bool take_shared(struct kept_kernels *kept, const char *folder, const char *path,
                        const char *text, struct error *error) {
    char file[PATH_MAX];
    (void)snprintf(file, sizeof file, "%s%s", shared_folder, path);
    return take(kept, folder, file, path, text, error);
}

bool kept_kernels_take_shared(struct kept_kernels *kept, const char *folder, enum device_class kind,
                              struct error *error) {
    bool taken = true;
    for (const struct embedded_file *file = embedded_files; taken && file->path; file++) {
        taken = !kernel_text_is_shared(file->path, kind) ||
                take_shared(kept, folder, file->path, embedded_text(file->path), error);
    }
    return taken;
}

bool kept_kernels_take_case(struct kept_kernels *kept, const char *folder,
                            const struct case_spec *spec, struct error *error) {
    char file[VARIANT_NAME_SIZE + sizeof ".cubin"];
    (void)snprintf(file, sizeof file, "%s%s", spec->variant->name,
                   kernel_language_ending(spec->variant->language));
    bool taken = take(kept, folder, file, spec->variant->path, spec->variant->text, error);
    const struct variant *forces = spec->variant->forces.variant;
    taken = taken && (!forces || take_shared(kept, folder, forces->path, forces->text, error));
    for (int f = 0; taken && f < spec->interaction.function_count; f++) {
        const struct interaction_function *function = &spec->interaction.functions[f];
        taken = take_shared(kept, folder, function->path, function->source, error);
    }
    return taken;
}

bool kept_kernels_take_input(struct kept_kernels *kept, const char *folder, const char *what,
                             const char *path, struct error *error) {
    char hash[HASH_TEXT_SIZE];
    char file[96];
    char *text = NULL;
    if (!input_read(path, INPUT_TABLE_BYTES, &text, NULL, error)) {
        return false;
    }
    hash_text(text, hash);
    (void)snprintf(file, sizeof file, "%s%s-%.16s.txt", inputs_folder, what, hash);
    const bool taken = take(kept, folder, file, path, text, error);
    free(text);
    return taken;
}

/* Whether a file may be written: there is none, or one with the same text, as a process leaves that
 * was killed before it wrote the list. */
static bool may_write(const char *path, const char *text, struct error *error) {
    char *there = NULL;
    if (access(path, F_OK) != 0) {
        return true;
    }
    if (!input_read(path, INPUT_TABLE_BYTES, &there, NULL, error)) {
        return false;
    }
    const bool same = strcmp(there, text) == 0;
    free(there);
    return same || fail(error, STATUS_BAD_INPUT,
                        "%s: is there, is another text, and is on no list of what a run kept: move "
                        "it away",
                        path);
}

static bool write_text(const char *folder, const struct kept_kernel *item, struct error *error) {
    char path[PATH_MAX];
    return kept_path(folder, item->file, path, error) && may_write(path, item->text, error) &&
           fs_make_folder_of(path, error) && fs_write(path, item->text, strlen(item->text), error);
}

static bool write_list(const struct kept_kernels *kept, const char *folder, struct error *error) {
    struct strbuf list = { 0 };
    char path[PATH_MAX];
    char hash[HASH_TEXT_SIZE];
    record_format(&list, list_columns, LIST_COLUMNS);
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_kernel *item = &kept->items[i];
        hash_text(item->text, hash);
        const char *fields[LIST_COLUMNS] = { item->file, item->source, hash };
        record_format(&list, fields, LIST_COLUMNS);
    }
    bool written = kept_path(folder, "kernels.csv", path, error) &&
                   fs_write(path, list.data, list.length, error);
    strbuf_free(&list);
    return written;
}

bool kept_kernels_write(struct kept_kernels *kept, const char *folder, struct error *error) {
    size_t news = 0;
    for (size_t i = 0; i < kept->count; i++) {
        struct kept_kernel *item = &kept->items[i];
        if (!item->is_written) {
            if (!write_text(folder, item, error)) {
                return false;
            }
            item->is_written = true;
            news++;
        }
    }
    return news == 0 || write_list(kept, folder, error);
}
