/*
 * nearest — which word of several a misspelt one was most likely meant to be.
 */
#ifndef PAIRMARK_CORE_NEAREST_H
#define PAIRMARK_CORE_NEAREST_H

#include <stddef.h>

/* How many letters must change to make one word the other (V. I. Levenshtein, 1966); capitals are
 * as good as small letters. Of long words the first 64 bytes are compared. */
size_t word_distance(const char *a, const char *b);

/* The choice that `word` was most likely meant to be; NULL when none is near. Choices are
 * NULL-terminated. */
const char *words_nearest(const char *word, const char *const *choices);

enum { HINT_SIZE = 256 };

/* What an error message says behind a word that it refuses: " (did you mean 'nearest'?)", in quotes
 * like those around the word; nothing where `nearest` is NULL. Returns `hint`. */
const char *did_you_mean(const char *nearest, char quote, char hint[HINT_SIZE]);

#endif
