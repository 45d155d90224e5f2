/*
 * parse — numbers, patterns and lists as the command line and files spell them.
 */
#ifndef PAIRMARK_BASE_PARSE_H
#define PAIRMARK_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* A number and nothing after it; false otherwise. NaN and infinities are refused; "inf" is a word
 * of its own where an option allows it. */
bool parse_double(const char *word, double *value);

/* A count: digits with an optional k, M or G (times 1000, 10^6, 10^9): "64", "16k", "1M"; "1.5k" is
 * refused unless it comes to a whole number. */
bool parse_count(const char *word, uint64_t *value);

/* Shell-style match of a whole name: * ? [a-z]. */
bool matches_pattern(const char *pattern, const char *name);

/* Splits `list` at `separator` into a NULL-terminated array; empty items are kept. One free()
 * releases all. NULL when memory ran out. */
char **split_list(const char *list, char separator);

#endif
