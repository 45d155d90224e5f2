/*
 * stored_tunables — the best tunables that `pairmark tune` found: the file that keeps them, and the
 * cases of a plan that run with them.
 */
#ifndef PAIRMARK_COMMANDS_SEARCH_STORED_TUNABLES_H
#define PAIRMARK_COMMANDS_SEARCH_STORED_TUNABLES_H

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/error.h"
#include "devices/device.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The file is CSV that can be read and edited by hand, with one record for each question.
 *
 * A record holds for what its key says and nothing else: the columns of ROLE_TUNING
 * (campaign/axes/columns.def), the box, and the class of N: by powers of 4, from 4^k to 4^(k+1)
 * - 1. It remembers a hash of the kernel text that was tuned. */

/* The fields of a record: columns of the schema, as enum column has them, and what only such a
 * record has. */
enum tuning_field {
    TUNING_BOX = COLUMN_COUNT, /* the kind, or the path of a file */
    TUNING_SIZE_CLASS,
    TUNING_PRESET, /* the variant's own, at the time */
    TUNING_RATIO,  /* the preset's time over the best's; 1 where the preset was kept */
    TUNING_TEXT_HASH,
    TUNING_FIELDS
};

/* Fields are allocated, NULL: empty. Zero-initialise; release with tuning_entry_free. */
struct tuning_entry {
    char *fields[TUNING_FIELDS];
};
void tuning_entry_free(struct tuning_entry *entry);
/* `field`: an enum column or enum tuning_field. */
void tuning_entry_set(struct tuning_entry *entry, int field, const char *words);
/* "" where empty. */
const char *tuning_entry_text(const struct tuning_entry *entry, int field);

struct tuning_store {
    struct tuning_entry *entries;
    size_t count;
};

/* Where the store is: `given`, or where that is NULL tuned.csv in the cache folder.
 * STATUS_BAD_INPUT: the environment names no place for a cache, or the path is too long. */
bool tuning_store_path(const char *given, char *path, size_t size, struct error *error);

/* No such file: an empty store. Lines that are no records are logged and skipped.
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

enum { TUNING_WORDS_SIZE = TUNINGS_WORDS_SIZE };

/* Makes the key of a case on a device, and the hash of the kernel text that it runs: the variant's,
 * its interaction's, and what they all share. */
void tuning_key(const struct case_spec *spec, const struct device_info *info,
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
 * as another. */
void tuning_apply(const struct tuning_store *store, const struct device_info *info,
                  struct plan *plan, struct tuning_applied *applied);

/* Reads the store of --tuned (NULL: the usual one), applies it, and logs once what had nothing
 * stored. */
bool tuning_apply_stored(const char *given, const struct device_info *info, struct plan *plan,
                         FILE *log, struct error *error);

#endif
