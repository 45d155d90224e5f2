#include "core/hash.h"

#define XXH_INLINE_ALL
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct hash_state *hash_begin(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state) {
        (void)XXH3_128bits_reset(state);
    }
    return (struct hash_state *)state;
}

void hash_add(struct hash_state *state, const void *bytes, size_t length) {
    if (state) {
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
