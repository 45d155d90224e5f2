/*
 * kernel_walk — a pair function that is a piece of kernel text (kernels/potentials/pair_text.h), as
 * the reference understands it. Private to reference/.
 *
 * It reads the words of C that such texts are made of (#if and macros; numbers, vectors of two to
 * four; if, for, while; calls) and evaluates them statement by statement in long double, with first
 * and second derivatives by the distance carried along (dual.h). Only what the text adds to
 * tempEnergy is looked at: the force is the derivative of that, never the text's own dEdR. No
 * compiler of a device is asked.
 *
 * Texts of bonded terms (kernels/potentials/pair_text.h) are read by the same words; what they add
 * to `energy` is evaluated with derivatives along any displacement of their particles.
 */
#ifndef PAIRMARK_REFERENCE_WALK_KERNEL_WALK_H
#define PAIRMARK_REFERENCE_WALK_KERNEL_WALK_H

#include "kernels/potentials/pair_text.h"
#include "reference/walk/dual.h"
#include "reference/walk/pair_value.h"

struct kernel_walk;

/* What the macros of a text stand for. */
struct kernel_scene {
    size_t n;
    bool is_periodic;
    double cutoff; /* INFINITY: none */
};

/* Reads the text, which must outlive what is read. STATUS_BAD_INPUT "path:line: what is wrong" for
 * what it does not understand, and of a name that nothing has, the nearest that there is. */
bool kernel_walk_read(const struct pair_text *text, const struct kernel_scene *scene,
                      struct kernel_walk **walk, struct error *error);
void kernel_walk_free(struct kernel_walk *walk); /* also NULL */

/* See walk_evaluate(); the pair says which particles it is of, and whether it is excluded. */
void kernel_walk_evaluate(const struct kernel_walk *walk, const struct pair *pair,
                          struct pair_value *value);

/* The same of a text of a bonded term: STATUS_BAD_INPUT also where it declares no force of a
 * particle. Of the scene only is_periodic is looked at. */
bool kernel_walk_read_term(const struct pair_text *text, bool is_periodic,
                           struct kernel_walk **walk, struct error *error);

/* What a text of a term has of it. */
struct kernel_term {
    const double *column; /* its numbers, by the columns of its file */
    const int32_t *atom;  /* its particles, from 0 */
};

/* The energy of a term, with its derivatives along a direction: `place` and `direction` of each of
 * its particles, places relative to the first one's. No number where the text does not end. */
struct dual kernel_walk_evaluate_term(const struct kernel_walk *walk,
                                      const struct kernel_term *term, long double place[][3],
                                      long double direction[][3]);

#endif
