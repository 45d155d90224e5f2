#include "base/cache.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before the data: which format, how long, and the hash that the data must have. */
struct entry_header {
    char magic[8];
    uint64_t length;
    char hash[HASH_TEXT_SIZE];
};

static const char entry_magic[8] = "pmcache1";

static void header_for(const void *data, size_t length, struct entry_header *header) {
    memset(header, 0, sizeof *header);
    memcpy(header->magic, entry_magic, sizeof header->magic);
    header->length = length;
    struct hash_state *hash = hash_begin();
    hash_add(hash, data, length);
    hash_end(hash, header->hash);
}

/* The folder of one kind of entry; false when the environment names no place for a cache. */
static bool cache_folder(const char *kind, struct text *path) {
    const char *own = getenv("PAIRMARK_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (own && *own) {
        text_append(path, "%s/%s", own, kind);
    } else if (xdg && *xdg) {
        text_append(path, "%s/pairmark/%s", xdg, kind);
    } else if (home && *home) {
        text_append(path, "%s/.cache/pairmark/%s", home, kind);
    }
    return path->length > 0 && !path->failed;
}

bool cache_load(const char *kind, const char *key, void **data, size_t *length) {
    struct text path = { 0 };
    struct error ignored;
    struct entry_header header;
    struct entry_header expected;
    char *bytes = NULL;
    size_t size = 0;
    bool found = cache_folder(kind, &path);
    if (found) {
        text_append(&path, "/%s", key);
        found = !path.failed && text_read_file(path.data, &bytes, &size, &ignored);
    }
    text_free(&path);
    if (found && size >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        header_for(bytes + sizeof header, size - sizeof header, &expected);
        found = memcmp(&header, &expected, sizeof header) == 0;
    } else {
        found = false;
    }
    if (!found) {
        free(bytes);
        return false;
    }
    *length = size - sizeof header;
    memmove(bytes, bytes + sizeof header, *length + 1);
    *data = bytes;
    return true;
}

void cache_store(const char *kind, const char *key, const void *data, size_t length) {
    struct text path = { 0 };
    struct text entry = { 0 };
    struct error ignored;
    struct entry_header header;
    if (cache_folder(kind, &path) && text_make_directories(path.data, &ignored)) {
        header_for(data, length, &header);
        text_append_bytes(&entry, &header, sizeof header);
        text_append_bytes(&entry, data, length);
        text_append(&path, "/%s", key);
        if (!entry.failed && !path.failed) {
            (void)text_write_file(path.data, entry.data, entry.length, &ignored);
        }
    }
    text_free(&entry);
    text_free(&path);
}
