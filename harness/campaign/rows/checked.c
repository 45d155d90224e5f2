#include "campaign/rows/checked.h"

#include "campaign/rows/run_folder.h"
#include "core/cache.h"

#include <stdlib.h>
#include <string.h>

static const char kind[] = "checked";

static void key_of(const struct variant *variant, char key[HASH_TEXT_SIZE]) {
    struct run_identity program;
    struct hash_state *hash = hash_begin();
    run_identify(&program);
    hash_add_string(hash, program.git_commit);
    hash_add_string(hash, variant->name);
    hash_add_string(hash, variant->text);
    hash_end(hash, key);
}

void checked_store(const struct variant *variant, const char *words) {
    char key[HASH_TEXT_SIZE];
    key_of(variant, key);
    cache_store(kind, key, words, strlen(words));
}

bool checked_find(const struct variant *variant, char *words, size_t size) {
    char key[HASH_TEXT_SIZE];
    void *data = NULL;
    size_t length = 0;
    key_of(variant, key);
    if (!cache_load(kind, key, &data, &length)) {
        return false;
    }
    const size_t kept = length < size ? length : size - 1;
    memcpy(words, data, kept);
    words[kept] = '\0';
    free(data);
    return true;
}
