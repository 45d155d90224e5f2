/*
 * step_store — what steps led to, in the on-disk cache: the reference's steps of a large box take
 * minutes, and each visit of a case has a process of its own.
 */
#ifndef PAIRMARK_REFERENCE_STEPS_STEP_STORE_H
#define PAIRMARK_REFERENCE_STEPS_STEP_STORE_H

#include "reference/pairs/reference.h"
#include "reference/steps/step.h"

/* The hash of all that the numbers depend on; "" when memory ran out. */
void step_reference_key(const struct step_case *step_case, char key[HASH_TEXT_SIZE]);

/* True when the cache had it. */
bool step_reference_load(const char *key, size_t n, struct reference *reference);

/* Keeps what took so many seconds, if reading it back would be quicker. */
void step_reference_store(const char *key, const struct reference *reference, double seconds);

#endif
