/*
 * chain — a structure and all that it is built from, created, built and released as one.
 *
 * Kernels may have the parameters of all of them; where two have one of the same name, that of the
 * one above counts. A chain lives as long as its structures say: structure_chain_renew() builds
 * those again, and only those, that the places of particles have outrun.
 */
#ifndef PAIRMARK_STRUCTURES_CHAIN_H
#define PAIRMARK_STRUCTURES_CHAIN_H

#include "core/error.h"
#include "kernels/structure.h"

#include <stdbool.h>

/* ---- stages ---- */

/* An evaluation consists of stages: the building of each structure, each pass, each sum, each
 * zeroing. They can be timed one by one. */

/* Called for each stage before it is enqueued: what it does ("build", "note", "zero", "pass",
 * "reduce", "tell") and of what ("sorted_cells", a kernel). A false stops the work. */
struct stage_watch {
    bool (*before)(void *context, const char *what, const char *part, struct error *error);
    void *context;
};

/* `watch` may be NULL: nobody is called. */
static inline bool stage_begins(const struct stage_watch *watch, const char *what, const char *part,
                                struct error *error) {
    return !watch || watch->before(watch->context, what, part, error);
}

/* ---- chains ---- */

/* Creates the structure and, before it, what it needs. input->structure and input->below are filled
 * in by the chain; input->requested is what the variant asks for. The input and its requested names
 * may go, all else that it points to outlives the chain. */
bool structure_chain_create(const struct structure_class *structure,
                            const struct structure_input *input, struct structure_chain **chain,
                            struct error *error);
void structure_chain_free(struct structure_chain *chain); /* NULL is fine */

/* Enqueues that all is built from the present positions; waits only where a structure has to see
 * whether its room sufficed. Arguments asked for before may have changed. `watch` (or NULL) is
 * called for each structure. */
bool structure_chain_build(struct structure_chain *chain, const struct stage_watch *watch,
                           struct error *error);

/* A building that can be recorded, where structure_chain_never_waits() says so.
 * structure_chain_enqueue() does not look whether the room of the last structure sufficed;
 * structure_chain_settle() waits, looks and, where it did not, makes more room and fills it again.
 * A record is valid as long as growths() stays the same. */
bool structure_chain_never_waits(const struct structure_chain *chain);
bool structure_chain_enqueue(struct structure_chain *chain, struct error *error);
bool structure_chain_settle(struct structure_chain *chain, struct error *error);
uint64_t structure_chain_growths(const struct structure_chain *chain);

/* Asks the chain's last structure as structure_class.ask does; *expired is NULL where it is valid
 * for no other positions than it was built for. structure_answer() waits, reads the int and makes
 * it 0. */
bool structure_chain_ask(struct structure_chain *chain, struct buffer **expired,
                         struct error *error);
bool structure_answer(struct buffer *expired, bool *is_so, struct error *error);
/* The positions that the question compares with, as structure_class.kept; a NULL position where it
 * compares with none. */
struct places_of_build structure_chain_kept(const struct structure_chain *chain);

/* Builds what is no longer valid after the same particles, in the same order, have moved; waits
 * where it has to ask the device. *rebuilt: whether the chain's last structure was built again, so
 * that arguments may have changed. */
bool structure_chain_renew(struct structure_chain *chain, bool *rebuilt, struct error *error);

/* The same for a caller who knows that the chain's last structure is no longer valid: it is built
 * again without a question. *below_rebuilt: whether all structures below it were built again, too,
 * or there are none. */
bool structure_chain_rebuild(struct structure_chain *chain, bool *below_rebuilt,
                             struct error *error);

/* Empties the chain's last structure for kernels that fill it in place of structure_chain_renew().
 * Only for a structure that kernels can fill, and that is built from no other. */
bool structure_chain_clear(struct structure_chain *chain, struct error *error);

/* How far a particle may be from where it was when the structure that the chain was made for was
 * built; NaN: that does not decide whether it is valid. */
double structure_chain_limit(const struct structure_chain *chain);

/* How many parts the structure that the chain was made for is renewed in; 1: it is not. */
int structure_chain_parts(const struct structure_chain *chain);
/* Has it renew the next one; see renew_part of struct structure_class. */
bool structure_chain_renew_part(struct structure_chain *chain, struct buffer *expired, int mark,
                                struct error *error);

/* Whether there is anything in the chain that may outlive a change of positions. */
bool structure_chain_has_skin(const struct structure_chain *chain);

/* Fills the buffers that kernels are passed with zeros, except those made once, when the chain is
 * created, so that spare room holds nothing that a kernel put there. Everything must be built
 * afterwards. */
bool structure_chain_invalidate(const struct structure_chain *chain, struct error *error);

/* Whether these are made once, when the chain is created. */
bool structure_keeps(const struct parameter_table *tables);

/* The state of one of its structures, from which `parameter_tables` take their values; NULL: it is
 * not in the chain, or has none. */
const void *structure_chain_state(const struct structure_chain *chain,
                                  const struct structure_class *structure);
/* The value of a kernel parameter, the count of a launch unit; false when nothing in the chain has
 * that name. */
bool structure_chain_argument(const struct structure_chain *chain, const char *name,
                              struct argument *argument);
bool structure_chain_unit(const struct structure_chain *chain, const char *name, size_t *count);

#endif
