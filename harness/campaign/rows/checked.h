/*
 * checked — whether the cases that `check` draws have passed for a kernel file, remembered in the
 * cache by the file's text and the program's commit.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_CHECKED_H
#define PAIRMARK_CAMPAIGN_ROWS_CHECKED_H

#include "kernels/variant.h"

#include <stdbool.h>
#include <stddef.h>

/* How it went, in a line: when, on which device, and by which seed. */
void checked_store(const struct variant *variant, const char *words);

/* False: the cache knows of none. */
bool checked_find(const struct variant *variant, char *words, size_t size);

#endif
