/*
 * store — references in the on-disk cache. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_STORE_H
#define PAIRMARK_REFERENCE_PAIRS_STORE_H

#include "reference/pairs/reference.h"

/* The hash of all that the bits of a reference depend on, its sources among them; "" when memory
 * ran out. NULL groups: all particles. */
void reference_key(const struct box *box, const struct interaction *interaction, double cutoff,
                   const struct groups *groups, enum reference_way way, char key[HASH_TEXT_SIZE]);

/* The same of other sums over a box, `what` being their name, and what else they depend on. */
void reference_key_of(const char *what, const struct box *box,
                      const struct interaction *interaction, double cutoff,
                      char key[HASH_TEXT_SIZE]);

/* True when the cache had a well-formed reference for n particles under the key. */
bool reference_load(const char *key, size_t n, struct reference *reference);

/* Keeps a reference that took `seconds` to compute, if reading it back would be quicker. */
void reference_store(const char *key, const struct reference *reference, double seconds);

#endif
