/*
 * neighbours — which pairs of particles, in which images, are within a cutoff: by cells along the
 * vectors of the cell, in double, with as many images as the cutoff reaches.
 *
 * An entry (j, S) of particle i says that r_j + S . cell - r_i, of the positions as they are given,
 * is no longer than the cutoff. Each pair has two, (j, S) of i and (i, -S) of j; an image of a
 * particle itself is an entry of its own.
 *
 * In a batch pairs are of one box; particles have the numbers that they have in all of the batch.
 *
 * Where |r - cutoff| <= width, rounding decides: such entries are at the edge, and others are sure.
 *
 * A row is known by the sums of hashes of its sure entries: three numbers of 24 bits. Of an entry,
 * with all arithmetic modulo 2^64, keys K_0 and K_1 that no kernel knows, and f the finaliser of
 * splitmix64 (boxes/random.h):
 *
 *     h = f(f((2^32 w + j) ^ K_0) + K_1)
 *     w = (S_x + 512) + 2^10 (S_y + 512) + 2^20 (S_z + 512), or 2^30 where shifts are not listed
 *
 * A row's numbers are the sums of the low and the high 32 bits of h, and of f(h + K_0), each modulo
 * 2^24: a list cannot be made to have the sums of another.
 */
#ifndef PAIRMARK_REFERENCE_NEIGHBOURS_NEIGHBOURS_H
#define PAIRMARK_REFERENCE_NEIGHBOURS_NEIGHBOURS_H

#include "boxes/box.h"
#include "core/error.h"
#include "kernels/potentials/interaction.h"

enum { NEIGHBOUR_NUMBERS = 3, NEIGHBOUR_MAX_SHIFT = 511 };

struct neighbours_asked {
    const struct box *box; /* positions inside the cell */
    double cutoff, width;
    /* Its exclusions are pairs of two particles that are left out in every image; its table has a
     * cutoff for each pair of types, no longer than `cutoff`, and others are no neighbours. */
    const struct interaction *interaction;
    bool once;       /* each pair is an entry of its lower particle alone, and images are none */
    uint64_t key[2]; /* of sums */
};

/* One entry of a row. */
struct neighbour {
    int32_t j, shift[3];
    double distance;
    bool sure, within; /* which rounding cannot change; distance <= cutoff */
};

struct neighbour_rows {
    size_t n;
    uint32_t *shifted; /* NEIGHBOUR_NUMBERS a row: of sure entries */
    uint32_t *plain;   /* the same without shifts */
    int32_t *within;   /* entries of each row with r <= cutoff */
    int32_t *edge;     /* at the edge */
    uint64_t all_within, all_edge;
};

/* Of all particles, or of `count` of them (particle: NULL: all; place k of the rows is that of
 * particle[k]). STATUS_BAD_INPUT where the cutoff reaches more than NEIGHBOUR_MAX_SHIFT images;
 * STATUS_OUT_OF_MEMORY. */
bool neighbour_rows_compute(const struct neighbours_asked *asked, const uint32_t *particle,
                            size_t count, struct neighbour_rows *rows, struct error *error);
void neighbour_rows_free(struct neighbour_rows *rows); /* also of zeroed ones; zeroes them */

/* Of two particles; less than 0: they are no neighbours. */
double neighbours_cutoff(const struct neighbours_asked *asked, size_t i, size_t j);

/* Finds the entries of one particle after the other. */
struct neighbour_finder;
/* `asked` outlives the finder, which is freed whether or not it was made. Errors as above. */
bool neighbour_finder_make(const struct neighbours_asked *asked, struct neighbour_finder **finder,
                           struct error *error);
void neighbour_finder_free(struct neighbour_finder *finder); /* NULL is fine */
/* Does 0..n-1 by ranges of THREADS_RANGE (core/threads.h), shared out among threads, each range
 * with a finder of its own. Fails with the error of the first range that does. */
typedef bool neighbours_some(void *context, struct neighbour_finder *finder, size_t first,
                             size_t end, struct error *error);
bool neighbour_finder_each(const struct neighbour_finder *finder, size_t n, neighbours_some *some,
                           void *context, struct error *error);
/* In an order that depends on positions alone; the list is the finder's, until the next call. */
bool neighbour_finder_list(struct neighbour_finder *finder, size_t particle,
                           const struct neighbour **list, size_t *count, struct error *error);

/* The same in ascending order of j, then of shifts. */
bool neighbours_of(struct neighbour_finder *finder, size_t particle,
                   const struct neighbour **entries, size_t *count, struct error *error);

/* From particle i to an entry of its list: in long double, so that it is rounded once however far
 * the image is. */
void neighbour_vector(const struct box *box, size_t i, const struct neighbour *entry,
                      long double d[3]);

#endif
