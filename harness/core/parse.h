/*
 * parse — numbers, patterns and lists as the command line and files spell them.
 */
#ifndef PAIRMARK_CORE_PARSE_H
#define PAIRMARK_CORE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* A number and nothing after it; false otherwise. NaN, infinities and what is too small
 * for a double are refused; "inf" is a word
 * of its own where an option allows it. */
bool parse_double(const char *word, double *value);

/* Whether a word that strtod() read as `value` says a number that is not 0 but too small for a
 * double: "1e-400", not "0e5". */
bool is_vanished(const char *word, double value);

/* A count: digits with an optional k, M or G (times 1000, 10^6, 10^9): "64", "16k", "1M"; "1.5k" is
 * refused unless it comes to a whole number. */
bool parse_count(const char *word, uint64_t *value);

/* Shell-style match of a whole name: * ? [a-z]. */
bool matches_pattern(const char *pattern, const char *name);

/* Splits `list` at `separator` into a NULL-terminated array; empty items are kept. One free()
 * releases all. NULL when memory ran out. */
char **split_list(const char *list, char separator);

#endif
