/*
 * stages — what an evaluation consists of, for whoever times it: the building of each structure,
 * each pass, each sum, each zeroing.
 */
#ifndef PAIRMARK_STRUCTURES_STAGES_H
#define PAIRMARK_STRUCTURES_STAGES_H

#include "core/error.h"

#include <stdbool.h>

/* Called for each stage before it is enqueued: what it does ("build", "note", "zero", "pass",
 * "reduce", "tell") and of what ("sorted_cells", a kernel). A false stops the work. */
struct stage_watch {
    bool (*before)(void *context, const char *what, const char *of, struct error *error);
    void *context;
};

/* `watch` may be NULL: nobody is called. */
static inline bool stage_begins(const struct stage_watch *watch, const char *what, const char *of,
                                struct error *error) {
    return !watch || watch->before(watch->context, what, of, error);
}

#endif
