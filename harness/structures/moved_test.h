/*
 * moved_test — whether a particle has moved farther than a limit since a moment that was noted; the
 * device decides.
 */
#ifndef PAIRMARK_STRUCTURES_MOVED_TEST_H
#define PAIRMARK_STRUCTURES_MOVED_TEST_H

#include "kernels/structure.h"

struct moved_test;

/* Of the n particles of input->position, in the cell of input->box; `limit` is a length. The input
 * may go, its device, box and positions outlive the test. */
bool moved_test_create(const struct structure_input *input, size_t n, double limit,
                       struct moved_test **test, struct error *error);
void moved_test_free(struct moved_test *test); /* NULL is fine */

/* Enqueues that the positions as they are now are kept. */
bool moved_test_note(struct moved_test *test, struct error *error);

/* Whether a particle is farther than the limit, by the nearest image, from where it was noted. What
 * is no number is far. Waits. */
bool moved_test_ask(struct moved_test *test, bool *moved, struct error *error);
double moved_test_limit(const struct moved_test *test);

#endif
