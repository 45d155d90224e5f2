/*
 * hash — 128-bit content hashes (XXH3 of libxxhash), printed as 32 hexadecimal digits.
 */
#ifndef PAIRMARK_CORE_HASH_H
#define PAIRMARK_CORE_HASH_H

#include <stddef.h>

enum { HASH_TEXT_SIZE = 33 };

struct hash_state; /* one hash being built from several pieces */

struct hash_state *
hash_begin(void); /* NULL when memory ran out; the calls below accept NULL and do nothing */
void hash_add(struct hash_state *state, const void *bytes, size_t length);
void hash_add_string(struct hash_state *state,
                     const char *string); /* with its NUL, so that "a","b" != "ab" */
void hash_end(struct hash_state *state, char text[HASH_TEXT_SIZE]); /* releases; "" for NULL */

#endif
