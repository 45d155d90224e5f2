/*
 * tuning_store — the best tunables that `pairmark tune` found, one record for each question, in a
 * CSV file that can be read and edited by hand.
 *
 * A record holds for what its key says and nothing else: the device's model and backend, workload,
 * variant, precision, interaction, outputs, reduction, groups, box, density, cutoff, whether the
 * box is periodic, and the class of N: by powers of 4, from 4^k to 4^(k+1) - 1. It remembers a hash
 * of the kernel text that was tuned.
 */
#ifndef PAIRMARK_TUNE_TUNING_STORE_H
#define PAIRMARK_TUNE_TUNING_STORE_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

enum tuning_field {
    TUNING_DEVICE_MODEL,
    TUNING_BACKEND,
    TUNING_WORKLOAD,
    TUNING_VARIANT,
    TUNING_PRECISION,
    TUNING_INTERACTION,
    TUNING_OUTPUTS,
    TUNING_REDUCTION,
    TUNING_GROUPS,
    TUNING_BOX,
    TUNING_DENSITY,
    TUNING_CUTOFF,
    TUNING_PERIODIC,
    TUNING_SIZE_CLASS,
    TUNING_KEYS, /* those before this are the key */
    TUNING_TUNABLES = TUNING_KEYS,
    TUNING_PRESET, /* the variant's own, at the time */
    TUNING_RATIO,  /* the preset's time over the best's; 1 where the preset was kept */
    TUNING_N,      /* that was measured */
    TUNING_TEXT_HASH,
    TUNING_UTC,
    TUNING_FIELDS
};

/* Fields are allocated, NULL: empty. Zero-initialise; release with tuning_entry_free. */
struct tuning_entry {
    char *fields[TUNING_FIELDS];
};
void tuning_entry_free(struct tuning_entry *entry);
/* False: memory ran out. */
bool tuning_entry_set(struct tuning_entry *entry, enum tuning_field field, const char *words);
/* "" where empty. */
const char *tuning_entry_text(const struct tuning_entry *entry, enum tuning_field field);

struct tuning_store {
    struct tuning_entry *entries;
    size_t count;
};

/* Where the store is: `given`, or where that is NULL tuned.csv in the cache folder.
 * STATUS_BAD_INPUT: the environment names no place for a cache, or the path is too long. */
bool tuning_store_path(const char *given, char *path, size_t size, struct error *error);

/* No such file: an empty store. Lines that are no records are told to `log` and left aside.
 * STATUS_BAD_INPUT: the file cannot be read, or is none of ours. */
bool tuning_store_read(const char *path, FILE *log, struct tuning_store *store,
                       struct error *error);
void tuning_store_free(struct tuning_store *store);

/* The record of a key; NULL where there is none. Of several the last. */
const struct tuning_entry *tuning_store_find(const struct tuning_store *store,
                                             const struct tuning_entry *key);

/* Whether records can be put into the file, to be asked before they are measured. Makes its folder.
 * STATUS_BAD_INPUT: the file is none of ours. STATUS_SYSTEM: it cannot be written. */
bool tuning_store_check(const char *path, FILE *log, struct error *error);

/* Puts a record into the file, in place of the one with its key: the file is read, and written
 * through a rename, under a lock, so that several can do so at once. STATUS_SYSTEM: it cannot be
 * written. */
bool tuning_store_put(const char *path, const struct tuning_entry *entry, FILE *log,
                      struct error *error);

#endif
