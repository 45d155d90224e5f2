/*
 * axis_numbers — lists and ranges of numbers on the command line.
 */
#ifndef PAIRMARK_CAMPAIGN_AXES_AXIS_NUMBERS_H
#define PAIRMARK_CAMPAIGN_AXES_AXIS_NUMBERS_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Numbers of one axis: "1k:1M:x4" is 1000 4000 16000 ... up to and including 1M if reached. Caller
 * frees. */
bool axis_numbers(const char *option, const char *list, double **values, size_t *count,
                  struct error *error);

#endif
