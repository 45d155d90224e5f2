/* Stored tunables: reads and writes their file, looks them up by the key of a case, and gives them
 * to the cases of a plan. */
#include "commands/search/stored_tunables.h"

#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/rows.h"
#include "core/cache.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/text/kernel_text.h"
#include "measure/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* What the file has of a record besides the columns of its key, in this order; the first
 * KEYS_BESIDE belong to the key, too. */
static const struct {
    int field;
    const char *name;
} beside[] = {
    { TUNING_BOX, "box" },
    { TUNING_SIZE_CLASS, "size_class" },
    { COLUMN_TUNABLES, NULL },
    { TUNING_PRESET, "preset" },
    { TUNING_RATIO, "ratio" },
    { COLUMN_N, NULL }, /* that was measured */
    { TUNING_TEXT_HASH, "text_hash" },
    { COLUMN_UTC, NULL },
};
enum { BESIDE = sizeof beside / sizeof beside[0], KEYS_BESIDE = 2 };

/* The fields of a record in the order of the file, and their names. */
struct layout {
    int field[TUNING_FIELDS];
    const char *name[TUNING_FIELDS];
    int keys, count; /* the first `keys` are the key */
};

static struct layout find_layout(void) {
    struct layout layout = { .count = 0 };
    for (enum column column = column_next(ROLE_TUNING, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_TUNING, column)) {
        layout.field[layout.count] = (int)column;
        layout.name[layout.count++] = column_names[column];
    }
    layout.keys = layout.count + KEYS_BESIDE;
    for (int i = 0; i < BESIDE; i++) {
        layout.field[layout.count] = beside[i].field;
        layout.name[layout.count++] =
            beside[i].name ? beside[i].name : column_names[beside[i].field];
    }
    return layout;
}

/* ---- one record ---- */

void tuning_entry_free(struct tuning_entry *entry) {
    for (int i = 0; i < TUNING_FIELDS; i++) {
        free(entry->fields[i]);
    }
    *entry = (struct tuning_entry){ 0 };
}

void tuning_entry_set(struct tuning_entry *entry, int field, const char *words) {
    free(entry->fields[field]);
    entry->fields[field] = memory_copy(words);
}

const char *tuning_entry_text(const struct tuning_entry *entry, int field) {
    return entry->fields[field] ? entry->fields[field] : "";
}

static bool same_key(const struct tuning_entry *a, const struct tuning_entry *b) {
    const struct layout layout = find_layout();
    bool same = true;
    for (int i = 0; same && i < layout.keys; i++) {
        same = strcmp(tuning_entry_text(a, layout.field[i]),
                      tuning_entry_text(b, layout.field[i])) == 0;
    }
    return same;
}

const struct tuning_entry *tuning_store_find(const struct tuning_store *store,
                                             const struct tuning_entry *key) {
    for (size_t i = store->count; i-- > 0;) {
        if (same_key(&store->entries[i], key)) {
            return &store->entries[i];
        }
    }
    return NULL;
}

/* ---- the file ---- */

bool tuning_store_path(const char *given, char *path, size_t size, struct error *error) {
    char folder[PATH_MAX];
    if (!given && !cache_folder(folder, sizeof folder)) {
        return fail(error, STATUS_BAD_INPUT,
                    "neither PAIRMARK_CACHE nor HOME says where tunables are kept: give --store "
                    "FILE");
    }
    int length =
        given ? snprintf(path, size, "%s", given) : snprintf(path, size, "%s/tuned.csv", folder);
    return (length >= 0 && (size_t)length < size) ||
           fail(error, STATUS_BAD_INPUT, "--store: the path is too long");
}

struct store_reader {
    const char *path;
    FILE *log;
    struct tuning_store *store;
    int fields[64]; /* of each column of the file, the field; -1: none of ours */
    size_t count;   /* columns; 0: their line was not read yet */
};

/* What a record of an older file says of a column that came later; NULL: it is not known. */
static const char *absent_of(int field) {
    return field < COLUMN_COUNT ? column_table[field].absent : NULL;
}

static void fill_absent(struct tuning_entry *entry) {
    const struct layout layout = find_layout();
    for (int f = 0; f < layout.count; f++) {
        const char *absent = absent_of(layout.field[f]);
        if (absent && !entry->fields[layout.field[f]]) {
            tuning_entry_set(entry, layout.field[f], absent);
        }
    }
}

static bool read_columns(struct store_reader *reader, char **words, size_t count,
                         struct error *error) {
    const size_t most = sizeof reader->fields / sizeof reader->fields[0];
    const struct layout layout = find_layout();
    bool whole = true;
    bool seen[TUNING_FIELDS] = { false };
    for (size_t i = 0; i < count && i < most; i++) {
        reader->fields[i] = -1;
        for (int f = 0; f < layout.count; f++) {
            if (strcmp(words[i], layout.name[f]) == 0) {
                reader->fields[i] = layout.field[f];
                seen[f] = true;
            }
        }
    }
    reader->count = count < most ? count : most;
    /* Without its whole key a record would hold for cases that it does not. */
    for (int f = 0; f < layout.count; f++) {
        whole = whole && (seen[f] || absent_of(layout.field[f]));
    }
    return whole ||
           fail(error, STATUS_BAD_INPUT, "line 1: these are not the columns of stored tunables");
}

/* An empty one at the end, to be filled. */
static struct tuning_entry *append_entry(struct tuning_store *store) {
    store->entries = memory_grown(store->entries, store->count + 1, sizeof *store->entries);
    store->entries[store->count] = (struct tuning_entry){ 0 };
    return &store->entries[store->count++];
}

static bool read_entry(void *context, size_t line, char **words, size_t count,
                       struct error *error) {
    struct store_reader *reader = context;
    if (reader->count == 0) {
        return read_columns(reader, words, count, error);
    }
    if (count != reader->count) {
        log_warning(reader->log, "%s:%zu: skipped: %zu fields where %zu were expected",
                    reader->path, line, count, reader->count);
        return true;
    }
    struct tuning_entry *entry = append_entry(reader->store);
    for (size_t i = 0; i < count; i++) {
        if (reader->fields[i] >= 0) {
            tuning_entry_set(entry, reader->fields[i], words[i]);
        }
    }
    fill_absent(entry);
    return true;
}

bool tuning_store_read(const char *path, FILE *log, struct tuning_store *store,
                       struct error *error) {
    struct store_reader reader = { .path = path, .log = log, .store = store };
    struct records_extent extent;
    *store = (struct tuning_store){ 0 };
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return true;
    }
    bool read = records_read(path, read_entry, &reader, &extent, error);
    if (read && extent.cut_line > 0) {
        log_warning(log, "%s:%zu: skipped: the line is cut short", path, extent.cut_line);
    }
    if (!read) {
        tuning_store_free(store);
    }
    return read;
}

void tuning_store_free(struct tuning_store *store) {
    for (size_t i = 0; i < store->count; i++) {
        tuning_entry_free(&store->entries[i]);
    }
    free(store->entries);
    *store = (struct tuning_store){ 0 };
}

/* ---- writing ---- */

static void format_entry(const struct tuning_entry *entry, const struct layout *layout,
                         struct strbuf *text) {
    const char *fields[TUNING_FIELDS];
    for (int i = 0; i < layout->count; i++) {
        fields[i] = entry->fields[layout->field[i]];
    }
    record_format(text, fields, (size_t)layout->count);
}

static bool write_store(const char *path, const struct tuning_store *store,
                        const struct tuning_entry *added, struct error *error) {
    const struct layout layout = find_layout();
    struct strbuf text = { 0 };
    record_format(&text, layout.name, (size_t)layout.count);
    for (size_t i = 0; i < store->count; i++) {
        if (!same_key(&store->entries[i], added)) {
            format_entry(&store->entries[i], &layout, &text);
        }
    }
    format_entry(added, &layout, &text);
    const bool written = fs_write(path, text.data, text.length, error);
    strbuf_free(&text);
    return written;
}

/* The lock is a file beside the store, which is itself replaced by each write. */
static bool open_lock(const char *path, int *descriptor, struct error *error) {
    char lock[PATH_MAX];
    int length = snprintf(lock, sizeof lock, "%s.lock", path);
    if (length < 0 || (size_t)length >= sizeof lock) {
        return fail(error, STATUS_BAD_INPUT, "--store: the path is too long");
    }
    *descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*descriptor < 0 || flock(*descriptor, LOCK_EX) != 0) {
        return fail(error, STATUS_SYSTEM, "%s: %s", lock, strerror(errno));
    }
    return true;
}

bool tuning_store_check(const char *path, FILE *log, struct error *error) {
    struct tuning_store store = { 0 };
    int lock = -1;
    bool usable = tuning_store_read(path, log, &store, error) && fs_make_folder_of(path, error) &&
                  open_lock(path, &lock, error);
    tuning_store_free(&store);
    if (lock >= 0) {
        (void)close(lock);
    }
    return usable;
}

bool tuning_store_put(const char *path, const struct tuning_entry *entry, FILE *log,
                      struct error *error) {
    struct tuning_store store = { 0 };
    int lock = -1;
    bool put = fs_make_folder_of(path, error) && open_lock(path, &lock, error) &&
               tuning_store_read(path, log, &store, error) &&
               write_store(path, &store, entry, error);
    tuning_store_free(&store);
    if (lock >= 0) {
        (void)close(lock);
    }
    return put;
}

/* ---- the key ---- */

void tuning_size_class(size_t n, size_t *first, size_t *last) {
    *first = 1;
    while (*first <= n / 4) {
        *first *= 4;
    }
    *last = 4 * *first - 1;
}

static void hash_texts(const struct case_spec *spec, enum device_class kind,
                       char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, spec->variant->text);
    if (spec->variant->forces.variant) {
        hash_add_string(hash, spec->variant->forces.variant->text);
    }
    for (int f = 0; f < spec->interaction.function_count; f++) {
        hash_add_string(hash, spec->interaction.functions[f].source);
    }
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (kernel_text_is_shared(file->path, kind)) {
            hash_add_string(hash, embedded_text(file->path));
        }
    }
    hash_end(hash, text);
}

/* The key has no values of parameters, which hardly change the best tunables; it has whether they
 * are looked up by types, and whether pairs are excluded, which do. */
static void interaction_words(const struct interaction *interaction, char *words, size_t size) {
    (void)snprintf(words, size, "%s%s%s", interaction->name,
                   interaction_has_types(interaction) ? " by types" : "",
                   interaction->exclusions ? " with exclusions" : "");
}

static void box_words(const struct case_spec *spec, struct tuning_entry *entry) {
    const struct box_spec *box = &spec->box;
    const char *kind = box->path[0] ? box->path : box->kind;
    char words[64] = "";
    tuning_entry_set(entry, TUNING_BOX, kind);
    if (!box->path[0]) {
        (void)snprintf(words, sizeof words, "%.4g",
                       box->density > 0 ? box->density : box_default_density(box->kind));
    }
    tuning_entry_set(entry, COLUMN_DENSITY, words);
    tuning_entry_set(entry, COLUMN_PERIODIC, box->path[0] ? "" : (box->open ? "0" : "1"));
    struct strbuf cutoff = { 0 };
    cutoff_append(&cutoff, spec->cutoff, 6);
    tuning_entry_set(entry, COLUMN_CUTOFF, cutoff.data);
    strbuf_free(&cutoff);
}

static void size_words(size_t n, struct tuning_entry *entry) {
    char words[64] = "";
    size_t first = 0;
    size_t last = 0;
    if (n > 0) { /* else the box's file decides */
        tuning_size_class(n, &first, &last);
        (void)snprintf(words, sizeof words, "%zu-%zu", first, last);
    }
    tuning_entry_set(entry, TUNING_SIZE_CLASS, words);
    (void)snprintf(words, sizeof words, "%zu", n);
    tuning_entry_set(entry, COLUMN_N, words);
}

/* The columns of the key that the case says by itself. */
static void case_fields(const struct case_spec *spec, struct tuning_entry *entry) {
    for (enum column column = column_next(ROLE_TUNING, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_TUNING, column)) {
        struct strbuf words = { 0 };
        if (case_words(spec, column, &words)) {
            tuning_entry_set(entry, (int)column, strbuf_text(&words));
        }
        strbuf_free(&words);
    }
}

void tuning_key(const struct case_spec *spec, const struct device_info *info,
                struct tuning_entry *entry) {
    char interaction[2 * INTERACTION_WORDS_SIZE];
    char hash[HASH_TEXT_SIZE];
    struct strbuf groups = { 0 };
    *entry = (struct tuning_entry){ 0 };
    case_fields(spec, entry);
    interaction_words(&spec->interaction, interaction, sizeof interaction);
    hash_texts(spec, info->kind, hash);
    group_spec_describe(&spec->group, &groups);
    tuning_entry_set(entry, COLUMN_DEVICE_MODEL, info->model);
    tuning_entry_set(entry, COLUMN_BACKEND, backend_of_class(info->kind));
    tuning_entry_set(entry, COLUMN_INTERACTION, interaction);
    tuning_entry_set(entry, COLUMN_GROUPS, strbuf_text(&groups));
    tuning_entry_set(entry, TUNING_TEXT_HASH, hash);
    box_words(spec, entry);
    size_words(spec->box.n, entry);
    strbuf_free(&groups);
}

/* ---- values ---- */

/* "NAME=VALUE" of `length` letters into the tunable of that name; -1: there is none, or no value.
 */
static int parse_value(const char *word, size_t length, struct tunings *tunings) {
    for (int t = 0; t < tunings->count; t++) {
        size_t name = strlen(tunings->items[t].name);
        if (name < length && strncmp(word, tunings->items[t].name, name) == 0 &&
            word[name] == '=') {
            char *end = NULL;
            long value = strtol(word + name + 1, &end, 10);
            if (end != word + length || value < 0 || value > INT_MAX) {
                return -1;
            }
            tunings->items[t].value = (int)value;
            return t;
        }
    }
    return -1;
}

bool tuning_parse(const char *words, struct tunings *tunings) {
    bool seen[TUNINGS_MAX] = { false };
    int found = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        int index = parse_value(words, length, tunings);
        if (index < 0 || seen[index]) {
            return false;
        }
        seen[index] = true;
        found++;
        words += length;
        words += strspn(words, " ");
    }
    return found == tunings->count;
}

/* ---- a plan ---- */

static bool same_tunings(const struct tunings *a, const struct tunings *b) {
    char left[TUNING_WORDS_SIZE];
    char right[TUNING_WORDS_SIZE];
    tunings_describe(a, left, sizeof left);
    tunings_describe(b, right, sizeof right);
    return strcmp(left, right) == 0;
}

static void apply_case(const struct tuning_store *store, const struct device_info *info,
                       struct case_spec *spec, struct tuning_applied *applied) {
    struct tuning_entry key;
    struct case_spec preset = *spec;
    case_preset_tunings(&preset);
    struct tunings *tunings = &preset.tunings;
    if (!same_tunings(tunings, &spec->tunings)) {
        applied->chosen++;
        return;
    }
    tuning_key(spec, info, &key);
    const struct tuning_entry *found = tuning_store_find(store, &key);
    if (!found) {
        applied->missing++;
    } else if (strcmp(tuning_entry_text(found, TUNING_TEXT_HASH),
                      tuning_entry_text(&key, TUNING_TEXT_HASH)) != 0 ||
               !tuning_parse(tuning_entry_text(found, COLUMN_TUNABLES), tunings)) {
        applied->stale++;
    } else {
        spec->tunings = *tunings;
        spec->tuned = true;
        applied->tuned++;
    }
    tuning_entry_free(&key);
}

void tuning_apply(const struct tuning_store *store, const struct device_info *info,
                  struct plan *plan, struct tuning_applied *applied) {
    *applied = (struct tuning_applied){ 0 };
    for (size_t i = 0; i < plan->count; i++) {
        apply_case(store, info, &plan->cases[i], applied);
    }
    /* Where a preset of the bench spans tunables itself, one of its cases may be the stored one. */
    if (applied->tuned > 0 && applied->chosen > 0) {
        plan_drop_doubles(plan);
    }
}

bool tuning_apply_stored(const char *given, const struct device_info *info, struct plan *plan,
                         FILE *log, struct error *error) {
    char path[PATH_MAX];
    struct tuning_store store = { 0 };
    struct tuning_applied applied = { 0 };
    if (!tuning_store_path(given, path, sizeof path, error) ||
        !tuning_store_read(path, log, &store, error)) {
        return false;
    }
    tuning_apply(&store, info, plan, &applied);
    tuning_store_free(&store);
    if (access(path, F_OK) != 0) {
        log_warning(log,
                    "%s: there is no such file: all run at their presets (pairmark tune and best, "
                    "with the same axes, store tunables)",
                    path);
        return true;
    }
    log_warning(log, "%s: tunables of %zu case%s", path, applied.tuned,
                applied.tuned == 1 ? "" : "s");
    if (applied.missing > 0) {
        log_warning(log,
                    "%s: nothing is stored for %zu case%s on %s: presets (pairmark tune, with the "
                    "same axes, stores tunables)",
                    path, applied.missing, applied.missing == 1 ? "" : "s", info->model);
    }
    if (applied.stale > 0) {
        log_warning(log,
                    "%s: what is stored for %zu cases is of another kernel text: ignored, "
                    "they run at their presets",
                    path, applied.stale);
    }
    return true;
}
