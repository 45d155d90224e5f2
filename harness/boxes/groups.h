/*
 * groups — which particles are paired with which: one group with itself, one with another, or a
 * list of pairs.
 *
 * What the user asks for is a group_spec; what it comes to in a box of n particles are groups of
 * indices. Words are 1-based, as in PLUMED: "1-100", "1,5,7-9", "2-100:2" (every second). Indices
 * are 0-based.
 */
#ifndef PAIRMARK_BOXES_GROUPS_H
#define PAIRMARK_BOXES_GROUPS_H

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stdint.h>

enum group_mode {
    GROUPS_ONE,  /* "one": every unordered pair of the particles of A */
    GROUPS_TWO,  /* "two": every a of A with every b of B; a particle in both never with itself */
    GROUPS_PAIRS /* "pairs": a_k with b_k */
};

const char *group_mode_name(enum group_mode mode);
bool group_mode_from_name(const char *name, enum group_mode *mode);

/* The words of a group, parsed: runs of particles in the order in which they were given. */
struct particle_list;

/* Errors: STATUS_BAD_INPUT naming the item: not a number or range, 0, a range that runs backwards,
 * nothing at all. */
bool particle_list_parse(const char *words, struct particle_list **list, struct error *error);
/* What the words say, for those who resolve it by themselves: how many runs, and the k-th, every
 * step-th particle from first to last, counted from 1. */
size_t particle_list_run_count(const struct particle_list *list);
void particle_list_run(const struct particle_list *list, size_t k, uint64_t *first, uint64_t *last,
                       uint64_t *step);
void particle_list_free(struct particle_list *list); /* NULL is fine */

/* What is asked for. The lists belong to whoever parsed them (the plan). */
struct group_spec {
    enum group_mode mode;
    const struct particle_list *a, *b; /* NULL a: all particles; b: GROUPS_TWO and _PAIRS only */
    size_t ratio_a, ratio_b; /* > 0: groups of these sizes, no particle in both, drawn from the box
                                by its seed (lists are NULL then); ratio_b 0: one group */
};

/* Every unordered pair of all particles, as the zeroed spec has it. */
bool group_spec_is_default(const struct group_spec *spec);

/* "all", "a=1-100", "a=1-100 b=101-300", "a=1-150 b=151-300 pairs", "ratio=1000:1"; long lists end
 * in the hash of the whole. Identity in rows, names and caches. */
void group_spec_describe(const struct group_spec *spec, struct strbuf *text);

/* What it comes to in a box of n particles. */
struct groups {
    enum group_mode mode;
    size_t n_a, n_b; /* n_b: 0 for GROUPS_ONE, n_a for GROUPS_PAIRS */
    int32_t *a, *b;  /* indices; b is NULL for GROUPS_ONE */
    size_t common;   /* GROUPS_TWO: how many particles are in both */
    bool overlap;    /* common > 0 */
    bool everything; /* GROUPS_ONE: a is 0..n-1 in order */
};

/* Errors, STATUS_BAD_INPUT naming --group-a, --group-b or --ratio: a particle beyond n, one given
 * twice (GROUPS_ONE and _TWO), groups of unequal length with pairs, a pair of a particle and
 * itself, more particles than the box has. */
bool groups_resolve(const struct group_spec *spec, size_t n, uint64_t seed, struct groups *groups,
                    struct error *error);
/* Particles counted from 0. */
struct particle_numbers {
    const int *numbers; /* NULL: all particles */
    size_t count;
};
/* The same of these; without b where the mode has none. Errors name a and b, and count from 0. */
bool groups_of_particles(enum group_mode mode, size_t n, struct particle_numbers a,
                         struct particle_numbers b, struct groups *groups, struct error *error);
void groups_free(struct groups *groups); /* also of zeroed ones; zeroes them */

#endif
