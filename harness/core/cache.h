/*
 * cache — what is expensive to make and named by a hash of all it depends on: compiled kernels,
 * references.
 *
 * Kept under $PAIRMARK_CACHE, else $XDG_CACHE_HOME/pairmark, else ~/.cache/pairmark, one file an
 * entry. A cache that cannot be written costs time, never a result: storing returns no error.
 * Entries carry their length and a hash of their name and bytes; one that is cut short, altered,
 * put in the place of another, or no regular file reads as absent.
 */
#ifndef PAIRMARK_CORE_CACHE_H
#define PAIRMARK_CORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* `kind` is a folder ("kernels", "references"), `key` a hash text. True when found; caller frees
 * *data. */
bool cache_load(const char *kind, const char *key, void **data, size_t *length);
void cache_store(const char *kind, const char *key, const void *data, size_t length);

/* The folder itself, which may not be there yet; false when the environment names none or it does
 * not fit. */
bool cache_folder(char *path, size_t size);

#endif
