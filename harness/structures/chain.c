#include "structures/chain.h"

#include "core/strings.h"
#include "structures/cell_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct structure_chain {
    const struct structure_class *structure;
    struct structure_chain *below; /* NULL: it needs nothing */
    void *state;                   /* the structure's own */
    struct buffer *overflow;       /* its own, an int that says whether it had no room; or NULL */
    uint64_t growths;
};

static void free_parameters(const struct parameter_table *tables, const void *state) {
    for (; tables && tables->table; tables++) {
        for (const struct kernel_parameter *p = tables->table; p->name; p++) {
            if (p->kind == VALUE_BUFFER) {
                buffer_free(kernel_parameter_value(p, (const char *)state + tables->at).buffer);
            }
        }
    }
}

void structure_chain_free(struct structure_chain *chain) {
    if (!chain) {
        return;
    }
    if (chain->state) {
        chain->structure->release(chain->state);
        free_parameters(chain->structure->parameter_tables, chain->state);
    }
    free(chain->state);
    structure_chain_free(chain->below);
    free(chain);
}

/* Creates the structure below. It is passed the names that the variant requests, since each may be
 * a name of either structure. */
static bool create_below(const struct structure_class *needed, const struct structure_input *input,
                         struct structure_chain **below, struct error *error) {
    struct requested_names *requested = malloc(sizeof *requested);
    if (!requested) {
        return fail_out_of_memory(error, needed->name);
    }
    struct structure_input of_below = *input;
    *requested = *input->requested;
    of_below.requested = requested;
    if (input->structure->ask_below) {
        input->structure->ask_below(input, &of_below, requested);
    }
    bool created = structure_chain_create(needed, &of_below, below, error);
    free(requested);
    return created;
}

bool structure_chain_create(const struct structure_class *structure,
                            const struct structure_input *input, struct structure_chain **chain,
                            struct error *error) {
    const struct structure_class *needed = structure->needs;
    struct structure_chain *made = calloc(1, sizeof *made);
    if (!made || (structure->size > 0 && !(made->state = calloc(1, structure->size)))) {
        free(made);
        return fail_out_of_memory(error, structure->name);
    }
    made->structure = structure;
    struct structure_input own = *input;
    own.structure = structure;
    bool created = !needed || create_below(needed, &own, &made->below, error);
    own.below = made->below;
    created = created && (!made->state || structure->create(&own, made->state, error));
    if (!created) {
        structure_chain_free(made);
        return false;
    }
    *chain = made;
    return true;
}

static bool enqueue_one(struct structure_chain *chain, const struct stage_watch *watch,
                        struct error *error) {
    const struct structure_class *structure = chain->structure;
    return !chain->state ||
           (stage_begins(watch, "build", structure->name, error) &&
            (!structure->build || structure->build(chain->state, error)) &&
            (!structure->fill || structure->fill(chain->state, &chain->overflow, error)));
}

bool structure_chain_settle(struct structure_chain *chain, struct error *error) {
    const struct structure_class *structure = chain->structure;
    int32_t overflow = 0;
    if (structure->fill && !buffer_read(chain->overflow, 0, &overflow, sizeof overflow, error)) {
        return false;
    }
    chain->growths += overflow != 0;
    return overflow == 0 || (structure->grow(chain->state, error) &&
                             structure->fill(chain->state, &chain->overflow, error));
}

static bool build_one(struct structure_chain *chain, const struct stage_watch *watch,
                      struct error *error) {
    return enqueue_one(chain, watch, error) && structure_chain_settle(chain, error);
}

uint64_t structure_chain_growths(const struct structure_chain *chain) {
    return chain->growths + (chain->below ? structure_chain_growths(chain->below) : 0);
}

bool structure_chain_never_waits(const struct structure_chain *chain) {
    const struct structure_chain *below = chain->below;
    return !below || (!below->structure->ask && !below->structure->fill &&
                      structure_chain_never_waits(below));
}

bool structure_chain_enqueue(struct structure_chain *chain, struct error *error) {
    return (!chain->below || structure_chain_enqueue(chain->below, error)) &&
           enqueue_one(chain, NULL, error);
}

bool structure_chain_build(struct structure_chain *chain, const struct stage_watch *watch,
                           struct error *error) {
    return (!chain->below || structure_chain_build(chain->below, watch, error)) &&
           build_one(chain, watch, error);
}

bool structure_chain_rebuild(struct structure_chain *chain, bool *below_rebuilt,
                             struct error *error) {
    *below_rebuilt = !chain->below;
    return (!chain->below || structure_chain_renew(chain->below, below_rebuilt, error)) &&
           build_one(chain, NULL, error);
}

bool structure_chain_ask(struct structure_chain *chain, struct buffer **expired,
                         struct error *error) {
    *expired = NULL;
    return !chain->structure->ask || chain->structure->ask(chain->state, expired, error);
}

struct places_of_build structure_chain_kept(const struct structure_chain *chain) {
    return chain->structure->kept ? chain->structure->kept(chain->state)
                                  : (struct places_of_build){ .position = NULL };
}

bool structure_answer(struct buffer *expired, bool *is_so, struct error *error) {
    int32_t value = 0;
    const bool read = buffer_read(expired, 0, &value, sizeof value, error) &&
                      (value == 0 || buffer_fill(expired, 0, sizeof value, error));
    *is_so = value != 0;
    return read;
}

bool structure_chain_renew(struct structure_chain *chain, bool *rebuilt, struct error *error) {
    struct buffer *expired = NULL;
    bool below_rebuilt;
    *rebuilt = true;
    return structure_chain_ask(chain, &expired, error) &&
           (!expired || structure_answer(expired, rebuilt, error)) &&
           (!*rebuilt || structure_chain_rebuild(chain, &below_rebuilt, error));
}

bool structure_chain_clear(struct structure_chain *chain, struct error *error) {
    return chain->structure->clear(chain->state, error);
}

double structure_chain_limit(const struct structure_chain *chain) {
    return chain && chain->structure->limit ? chain->structure->limit(chain->state) : NAN;
}

int structure_chain_parts(const struct structure_chain *chain) {
    return chain && chain->structure->parts ? chain->structure->parts(chain->state) : 1;
}

bool structure_chain_renew_part(struct structure_chain *chain, struct buffer *expired, int mark,
                                struct error *error) {
    return chain->structure->renew_part(chain->state, expired, mark, error);
}

bool structure_chain_has_skin(const struct structure_chain *chain) {
    return chain && (chain->structure->ask || structure_chain_has_skin(chain->below));
}

static bool invalidate_table(const struct parameter_table *tables, const void *state,
                             struct error *error) {
    bool cleared = true;
    for (const struct kernel_parameter *parameter = tables->table; cleared && parameter->name;
         parameter++) {
        const struct argument argument =
            kernel_parameter_value(parameter, (const char *)state + tables->at);
        struct buffer *own = (struct buffer *)argument.buffer; /* the structure's, to be built */
        cleared = !own || buffer_fill(own, 0, buffer_bytes(own), error);
    }
    return cleared;
}

bool structure_keeps(const struct parameter_table *tables) {
    return tables->table == cell_lists_parameters;
}

bool structure_chain_invalidate(const struct structure_chain *chain, struct error *error) {
    bool cleared = true;
    for (; cleared && chain; chain = chain->below) {
        const struct parameter_table *tables = chain->structure->parameter_tables;
        for (; cleared && tables && tables->table; tables++) {
            cleared = structure_keeps(tables) || invalidate_table(tables, chain->state, error);
        }
    }
    return cleared;
}

const void *structure_chain_state(const struct structure_chain *chain,
                                  const struct structure_class *structure) {
    while (chain && chain->structure != structure) {
        chain = chain->below;
    }
    return chain ? chain->state : NULL;
}

bool structure_chain_argument(const struct structure_chain *chain, const char *name,
                              struct argument *argument) {
    return chain && (parameter_tables_value(chain->structure->parameter_tables, chain->state, name,
                                            argument) ||
                     structure_chain_argument(chain->below, name, argument));
}

bool structure_chain_unit(const struct structure_chain *chain, const char *name, size_t *count) {
    if (!chain) {
        return false;
    }
    const int place = word_place(chain->structure->units, name);
    if (place < 0) {
        return structure_chain_unit(chain->below, name, count);
    }
    memcpy(count, (const char *)chain->state + chain->structure->unit_counts[place], sizeof *count);
    return true;
}
