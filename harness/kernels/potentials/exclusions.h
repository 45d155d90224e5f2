/*
 * exclusions — pairs that do not interact, bonded ones for instance: listed in a file, those of
 * particles that follow each other, or all those within a molecule.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_EXCLUSIONS_H
#define PAIRMARK_KERNELS_POTENTIALS_EXCLUSIONS_H

#include "boxes/box.h"

struct exclusions;

/* "molecule", "next:K" (each particle with the K that follow it) or a file: a line a pair of
 * particles, counted from 1, in either order; blank lines and comments ('#') are skipped; a pair
 * may be repeated. Errors: STATUS_BAD_INPUT as "path:line: what is wrong; expected what". */
bool exclusions_read(const char *word, struct exclusions **exclusions, struct error *error);
/* The same of `count` pairs of different particles, counted from 0: 2 count numbers. */
bool exclusions_of_pairs(const int *pairs, size_t count, struct exclusions **exclusions,
                         struct error *error);
void exclusions_free(struct exclusions *exclusions); /* NULL is fine */
/* Whether the word names a file; false for NULL. */
bool exclusions_in_file(const char *word);
bool exclusions_by_molecule(const struct exclusions *exclusions);
/* "molecule", "next:K", or the hash of the pairs. */
const char *exclusions_identity(const struct exclusions *exclusions);

/* The pairs in a box of n particles, one by one: how many there are (0 for molecules), and the two
 * particles, counted from 0, of the k-th. Those of a file may be beyond the box. */
size_t exclusions_pair_count(const struct exclusions *exclusions, size_t n);
void exclusions_pair(const struct exclusions *exclusions, size_t n, size_t k, int32_t particle[2]);

/* Whether the box has the particles, or the molecules. STATUS_BAD_INPUT. */
bool exclusions_fit(const struct exclusions *exclusions, const struct box *box,
                    struct error *error);

/* For each particle its excluded partners in ascending order, each once: those of i are
 * partner[start[i]] up to but not including partner[start[i + 1]]. */
struct excluded_partners {
    int32_t *start;   /* n + 1 */
    int32_t *partner; /* start[n] */
};

/* Lists the partners of exclusions that fit the box, those of molecules, too. STATUS_BAD_INPUT for
 * more than 2^30 - 1 pairs. */
bool exclusions_list(const struct exclusions *exclusions, const struct box *box,
                     struct excluded_partners *partners, struct error *error);
void excluded_partners_free(struct excluded_partners *partners);

#endif
