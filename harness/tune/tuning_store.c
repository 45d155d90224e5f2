#include "tune/tuning_store.h"

#include "base/cache.h"
#include "base/text.h"
#include "record/records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const columns[TUNING_FIELDS] = {
    [TUNING_DEVICE_MODEL] = "device_model",
    [TUNING_BACKEND] = "backend",
    [TUNING_WORKLOAD] = "workload",
    [TUNING_VARIANT] = "variant",
    [TUNING_PRECISION] = "precision",
    [TUNING_INTERACTION] = "interaction",
    [TUNING_OUTPUTS] = "outputs",
    [TUNING_REDUCTION] = "reduction",
    [TUNING_GROUPS] = "groups",
    [TUNING_BOX] = "box",
    [TUNING_DENSITY] = "density",
    [TUNING_CUTOFF] = "cutoff",
    [TUNING_PERIODIC] = "periodic",
    [TUNING_SIZE_CLASS] = "size_class",
    [TUNING_TUNABLES] = "tunables",
    [TUNING_PRESET] = "preset",
    [TUNING_RATIO] = "ratio",
    [TUNING_N] = "n",
    [TUNING_TEXT_HASH] = "text_hash",
    [TUNING_UTC] = "utc",
};

/* ---- one record ---- */

void tuning_entry_free(struct tuning_entry *entry) {
    for (int i = 0; i < TUNING_FIELDS; i++) {
        free(entry->fields[i]);
    }
    *entry = (struct tuning_entry){ 0 };
}

bool tuning_entry_set(struct tuning_entry *entry, enum tuning_field field, const char *words) {
    char *copy = strdup(words);
    if (!copy) {
        return false;
    }
    free(entry->fields[field]);
    entry->fields[field] = copy;
    return true;
}

const char *tuning_entry_text(const struct tuning_entry *entry, enum tuning_field field) {
    return entry->fields[field] ? entry->fields[field] : "";
}

static bool same_key(const struct tuning_entry *a, const struct tuning_entry *b) {
    for (int i = 0; i < TUNING_KEYS; i++) {
        if (strcmp(tuning_entry_text(a, (enum tuning_field)i),
                   tuning_entry_text(b, (enum tuning_field)i)) != 0) {
            return false;
        }
    }
    return true;
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

static bool read_columns(struct store_reader *reader, char **words, size_t count,
                         struct error *error) {
    const size_t most = sizeof reader->fields / sizeof reader->fields[0];
    size_t known = 0;
    bool seen[TUNING_FIELDS] = { false };
    for (size_t i = 0; i < count && i < most; i++) {
        reader->fields[i] = -1;
        for (int f = 0; f < TUNING_FIELDS; f++) {
            if (strcmp(words[i], columns[f]) == 0) {
                reader->fields[i] = f;
                known += !seen[f];
                seen[f] = true;
            }
        }
    }
    reader->count = count < most ? count : most;
    /* Without its whole key a record would hold for cases that it does not. */
    return known == TUNING_FIELDS ||
           fail(error, STATUS_BAD_INPUT, "line 1: these are not the columns of stored tunables");
}

/* An empty one at the end, to be filled; NULL: memory ran out. */
static struct tuning_entry *append_entry(struct tuning_store *store) {
    struct tuning_entry *entries =
        realloc(store->entries, (store->count + 1) * sizeof *store->entries);
    if (!entries) {
        return NULL;
    }
    store->entries = entries;
    entries[store->count] = (struct tuning_entry){ 0 };
    return &entries[store->count++];
}

static bool read_entry(void *context, size_t line, char **words, size_t count,
                       struct error *error) {
    struct store_reader *reader = context;
    if (reader->count == 0) {
        return read_columns(reader, words, count, error);
    }
    if (count != reader->count) {
        text_tell(reader->log, "%s:%zu: left aside: %zu fields where %zu were expected",
                  reader->path, line, count, reader->count);
        return true;
    }
    struct tuning_entry *entry = append_entry(reader->store);
    bool kept = entry != NULL;
    for (size_t i = 0; kept && i < count; i++) {
        int field = reader->fields[i];
        kept = field < 0 || tuning_entry_set(entry, (enum tuning_field)field, words[i]);
    }
    return kept || fail_out_of_memory(error, "the stored tunables");
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
        text_tell(log, "%s:%zu: left aside: the line is cut short", path, extent.cut_line);
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

static bool write_store(const char *path, const struct tuning_store *store,
                        const struct tuning_entry *added, struct error *error) {
    struct text text = { 0 };
    record_format(&text, columns, TUNING_FIELDS);
    for (size_t i = 0; i < store->count; i++) {
        if (!same_key(&store->entries[i], added)) {
            record_format(&text, (const char *const *)store->entries[i].fields, TUNING_FIELDS);
        }
    }
    record_format(&text, (const char *const *)added->fields, TUNING_FIELDS);
    bool written = !text.failed ? text_write_file(path, text.data, text.length, error)
                                : fail_out_of_memory(error, "the stored tunables");
    text_free(&text);
    return written;
}

static bool make_folder(const char *path, struct error *error) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
        return true;
    }
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return text_make_directories(folder, error);
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
