/*
 * tuning — which stored tunables hold for a case, and taking them over into a plan.
 */
#ifndef PAIRMARK_CAMPAIGN_TUNE_TUNING_H
#define PAIRMARK_CAMPAIGN_TUNE_TUNING_H

#include "campaign/plan/plan.h"
#include "campaign/tune/tuning_store.h"
#include "devices/device.h"

enum { TUNING_WORDS_SIZE = TUNINGS_WORDS_SIZE };

/* The key of a case on a device, and the hash of the kernel text that it runs: the variant's, its
 * interaction's, and what they all share. False: memory ran out. */
bool tuning_key(const struct case_spec *spec, const struct device_info *info,
                struct tuning_entry *entry);

/* The first N of the size class of n and the last: 4096 and 16383. n >= 1. */
void tuning_size_class(size_t n, size_t *first, size_t *last);

/* "GROUP_SIZE=128 ITEMS=4" into the values of *tunings, whose names are there: each of them once,
 * whole positive numbers, and nothing else. False where that is not so. */
bool tuning_parse(const char *words, struct tunings *tunings);

/* What became of the cases of a plan. */
struct tuning_applied {
    size_t tuned;   /* run with stored values */
    size_t missing; /* nothing is stored for them: presets */
    size_t stale;   /* what is stored is of another kernel text, or no values of theirs: presets */
    size_t chosen;  /* their tunables were chosen otherwise: left as they are */
};

/* Gives each case that has its presets the stored values, and drops those that come to be the same
 * as another. False: memory ran out. */
bool tuning_apply(const struct tuning_store *store, const struct device_info *info,
                  struct plan *plan, struct tuning_applied *applied, struct error *error);

/* Reads the store of --tuned (NULL: the usual one), applies it, and logs once what had
 * nothing stored. */
bool tuning_apply_stored(const char *given, const struct device_info *info, struct plan *plan,
                         FILE *log, struct error *error);

#endif
