#include "core/cache.h"

#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- content hashes ---- */

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash_state *hash_begin(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state) {
        (void)XXH3_128bits_reset(state);
    }
    return (struct hash_state *)state;
}

void hash_add(struct hash_state *state, const void *bytes, size_t length) {
    if (state && bytes) {
        (void)XXH3_128bits_update((XXH3_state_t *)state, bytes, length);
    }
}

void hash_add_string(struct hash_state *state, const char *string) {
    hash_add(state, string, strlen(string) + 1);
}

void hash_end(struct hash_state *state, char text[HASH_TEXT_SIZE]) {
    text[0] = '\0';
    if (state) {
        XXH128_hash_t hash = XXH3_128bits_digest((XXH3_state_t *)state);
        (void)snprintf(text, HASH_TEXT_SIZE, "%016llx%016llx", (unsigned long long)hash.high64,
                       (unsigned long long)hash.low64);
        (void)XXH3_freeState((XXH3_state_t *)state);
    }
}

void hash_bytes(const void *bytes, size_t length, char text[HASH_TEXT_SIZE]) {
    struct hash_state *state = hash_begin();
    hash_add(state, bytes, length);
    hash_end(state, text);
}

/* ---- the cache ---- */

/* Before the data: which format, how long, and the hash that the data must have under this name: an
 * entry that stands in the place of another is none. */
struct entry_header {
    char magic[8];
    uint64_t length;
    char hash[HASH_TEXT_SIZE];
};

static const char entry_magic[] = { 'p', 'm', 'c', 'a', 'c', 'h', 'e', '2' };

static void header_for(const char *kind, const char *key, const void *data, size_t length,
                       struct entry_header *header) {
    memset(header, 0, sizeof *header);
    memcpy(header->magic, entry_magic, sizeof header->magic);
    header->length = length;
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, kind);
    hash_add_string(hash, key);
    hash_add(hash, data, length);
    hash_end(hash, header->hash);
}

bool cache_folder(char *path, size_t size) {
    const char *own = getenv("PAIRMARK_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = -1;
    if (own && *own) {
        length = snprintf(path, size, "%s", own);
    } else if (xdg && *xdg) {
        length = snprintf(path, size, "%s/pairmark", xdg);
    } else if (home && *home) {
        length = snprintf(path, size, "%s/.cache/pairmark", home);
    }
    return length > 0 && (size_t)length < size;
}

/* The folder of one kind of entry; false when the environment names no place for a cache. */
static bool kind_folder(const char *kind, struct strbuf *path) {
    char folder[PATH_MAX];
    if (cache_folder(folder, sizeof folder)) {
        strbuf_append(path, "%s/%s", folder, kind);
    }
    return path->length > 0 && !path->failed;
}

bool cache_load(const char *kind, const char *key, void **data, size_t *length) {
    struct strbuf path = { 0 };
    struct error ignored;
    struct entry_header header;
    struct entry_header expected;
    char *bytes = NULL;
    size_t size = 0;
    bool found = *key && kind_folder(kind, &path); /* "": there was no memory for a hash */
    if (found) {
        strbuf_append(&path, "/%s", key);
        found = !path.failed && input_read(path.data, INPUT_BOX_BYTES, &bytes, &size, &ignored);
    }
    strbuf_free(&path);
    if (found && size >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        header_for(kind, key, bytes + sizeof header, size - sizeof header, &expected);
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
    struct strbuf path = { 0 };
    struct strbuf entry = { 0 };
    struct error ignored;
    struct entry_header header;
    if (*key && kind_folder(kind, &path) && fs_make_directories(path.data, &ignored)) {
        header_for(kind, key, data, length, &header);
        strbuf_append_bytes(&entry, &header, sizeof header);
        strbuf_append_bytes(&entry, data, length);
        strbuf_append(&path, "/%s", key);
        if (!entry.failed && !path.failed) {
            (void)fs_write(path.data, entry.data, entry.length, &ignored);
        }
    }
    strbuf_free(&entry);
    strbuf_free(&path);
}
