/* Reads and writes the file of stored tunables. */
#include "campaign/tune/tuning.h"

#include "campaign/memory.h"
#include "campaign/rows/rows.h"
#include "core/cache.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"

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
    memory_check(!text.failed);
    const bool written = fs_write(path, text.data, text.length, error);
    strbuf_free(&text);
    return written;
}

static bool make_folder(const char *path, struct error *error) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
        return true;
    }
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return fs_make_directories(folder, error);
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
    bool usable = tuning_store_read(path, log, &store, error) && make_folder(path, error) &&
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
    bool put = make_folder(path, error) && open_lock(path, &lock, error) &&
               tuning_store_read(path, log, &store, error) &&
               write_store(path, &store, entry, error);
    tuning_store_free(&store);
    if (lock >= 0) {
        (void)close(lock);
    }
    return put;
}
