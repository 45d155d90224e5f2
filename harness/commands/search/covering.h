/*
 * covering — a covering array: few rows, with one value of each factor in each row, that contain
 * every pair (or triple) of values of two (three) factors which can stand together.
 *
 * Rows are chosen greedily, after D. M. Cohen, S. R. Dalal, M. L. Fredman and G. C. Patton, "The
 * AETG system: an approach to testing based on combinatorial design", IEEE Trans. Softw. Eng. 23
 * (1997) 437: of several candidates, each grown from a tuple that no row has yet, the one with the
 * most new tuples is taken; here, the one with the most per second that the row will take, and
 * values come before pairs. Which values can stand together is not listed but asked: a tuple with
 * which no row stands is refused, and not missing.
 */
#ifndef PAIRMARK_COMMANDS_SEARCH_COVERING_H
#define PAIRMARK_COMMANDS_SEARCH_COVERING_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COVERING_MAX_FACTORS = 24, COVERING_MAX_STRENGTH = 3 };

struct covering_factor {
    size_t values; /* 0 is the plainest: what a row has where nothing else stands */
    bool text;     /* a kernel is compiled for each combination of such values */
    bool closely;  /* triples of such factors are met, too, where pairs of all are */
    uint64_t bare; /* the values, a bit each, beside which no other shows anything: a row that has
                      one meets those tuples alone that have it, too */
};

struct covering_space {
    const struct covering_factor *factors;
    size_t count;
    int strength; /* 2: pairs; 3: triples */
    uint64_t seed;
    double seconds;        /* no more rows once they take this long */
    double compile_second; /* what the first row of a kernel takes more than those after it */
    /* Whether the values of a row can stand together. Asked often, also for the same row. */
    bool (*stands)(void *context, const size_t *row);
    double (*row_seconds)(void *context, const size_t *row); /* of one that stands */
    /* Whether choosing has taken too long: no more rows then, but for the first. NULL: never. */
    bool (*is_late)(void *context);
    void *context;
};

/* A set of factors, and what has become of its tuples. */
struct covering;

/* Chooses the rows. */
struct covering *covering_make(const struct covering_space *space);
void covering_free(struct covering *covering); /* also NULL */

size_t covering_row_count(const struct covering *covering);
const size_t *covering_row(const struct covering *covering, size_t index);

enum covering_state {
    COVERING_MISSING, /* no row has it, and none was refused: there was no time for it */
    COVERING_REFUSED, /* no row was found that stands and has it */
    COVERING_PLANNED, /* a row has it */
    COVERING_MET      /* a row that was met has it: covering_meet() */
};

/* Row `index` was run; and: none was. */
void covering_meet(struct covering *covering, size_t index);
void covering_reset(struct covering *covering);

/* How many tuples of so many values (1 to the strength) are in each state. */
struct covering_counts {
    size_t states[COVERING_MET + 1];
};
struct covering_counts covering_count(const struct covering *covering, int size);

/* A tuple: so many factors and their values. */
typedef void covering_told(void *context, int size, const size_t *factors, const size_t *values);
/* Calls `told` for every tuple of the size in the state. */
void covering_list(const struct covering *covering, int size, enum covering_state state,
                   covering_told *told, void *context);

#endif
