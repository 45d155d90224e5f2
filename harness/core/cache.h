/*
 * cache — content hashes, and a cache of what is expensive to make, named by a hash of all it
 * depends on.
 */
#ifndef PAIRMARK_CORE_CACHE_H
#define PAIRMARK_CORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- content hashes ---- */

/* 128-bit content hashes (XXH3 of libxxhash), printed as 32 hexadecimal digits. */

enum { HASH_TEXT_SIZE = 33 };

struct hash_state; /* one hash being built from several pieces */

/* NULL when memory ran out; the calls below accept NULL and do nothing. */
struct hash_state *hash_begin(void);
/* Adds nothing of a null pointer. */
void hash_add(struct hash_state *state, const void *bytes, size_t length);
/* Adds a string with its NUL, so that "a", "b" is not "ab". */
void hash_add_string(struct hash_state *state, const char *string);
void hash_end(struct hash_state *state, char text[HASH_TEXT_SIZE]); /* releases; "" for NULL */

/* The hash of one piece. */
void hash_bytes(const void *bytes, size_t length, char text[HASH_TEXT_SIZE]);

/* ---- the cache ---- */

/* What is expensive to make and named by a hash of all it depends on: compiled kernels,
 * references.
 *
 * Kept under $PAIRMARK_CACHE, else $XDG_CACHE_HOME/pairmark, else ~/.cache/pairmark, one file an
 * entry. A cache that cannot be written costs time, never a result: storing returns no error.
 * Entries carry their length and a hash of their name and bytes; one that is cut short, altered,
 * put in the place of another, or no regular file reads as absent. */

/* `kind` is a folder ("kernels", "references"), `key` a hash text. True when found; caller frees
 * *data. */
bool cache_load(const char *kind, const char *key, void **data, size_t *length);
void cache_store(const char *kind, const char *key, const void *data, size_t length);

/* The folder itself, which may not be there yet; false when the environment names none or it does
 * not fit. */
bool cache_folder(char *path, size_t size);

#endif
