/*
 * structure — what a variant walks: built on the device, apart from the walking, and timed apart.
 *
 * A structure is declared by a class: its name, the kernel parameters and launch units that it
 * provides, the tunables that it looks at, the structure that it is built from, and how it is built
 * (harness/structures/NAME.c, with its kernels in variants/structures/NAME.cl). "none" provides
 * nothing and builds nothing. A structure and those below it make a chain: structures/chain.h
 * creates, builds and releases it as one.
 */
#ifndef PAIRMARK_KERNELS_STRUCTURE_H
#define PAIRMARK_KERNELS_STRUCTURE_H

#include "boxes/box.h"
#include "devices/device.h"
#include "kernels/kernel_parameters.h"
#include "kernels/variant.h"

struct structure_chain;
struct structure_class;

/* What a structure is given. Everything outlives it. */
struct structure_input {
    struct device *device;
    const struct box *box;   /* as the device has it: wrapped and rounded */
    struct buffer *position; /* n real4: x, y, z, charge */
    enum precision precision;
    double cutoff;                           /* finite for every structure but "none" */
    const struct requested_names *requested; /* by the variant and the structures above; needed by
                                                create() alone */
    const struct tunings *tunings;           /* of the case */
    const struct structure_class *structure; /* the structure itself */
    const struct structure_chain *below; /* what it is built from; NULL where it needs nothing */
    /* Pairs that do not interact: as PAIR_PARAMETERS has them. NULL: there are none of that kind.
     */
    struct buffer *excluded_start, *excluded; /* n + 1 ints; ints */
    struct buffer *molecule;                  /* n ints */
    int types;                                /* of particles, by input index; 0: none */
    int32_t bare_types;  /* those that have no term of types, a bit each: see type_table.h */
    struct buffer *type; /* n ints; NULL: none */
    bool only_cut;       /* cells are to say how they are cut: nobody asks who is in them */
};

/* A tunable that a structure looks at. A variant that declares one of that name chooses its value;
 * for all others it is the preset. */
struct structure_tunable {
    const char *name; /* NULL ends a list */
    int preset;
    const char *what; /* it is, in a line */
};

/* Where particles were when something was built that serves until one is farther than `limit` from
 * there: entry k is that of particle index[k], of particle k where there is no index. */
struct places_of_build {
    struct buffer *position; /* n real4 */
    struct buffer *index;    /* n ints; NULL: none */
    double limit;
};

/* What a case keeps per particle, before any box is there. */
struct structure_estimate {
    double n;       /* particles */
    double density; /* particles per volume; NaN: not known */
    double cutoff;  /* NaN: not known */
    const struct tunings *tunings;
};

struct structure_class {
    const char *name;
    const char *summary;                 /* in a line */
    const struct structure_class *needs; /* that it is built from; NULL: positions alone */
    bool needs_cutoff;
    const char *words; /* embedded text put before the variants that walk it; NULL: none */
    const struct parameter_table *parameter_tables; /* kernel parameters, of its state and parts of
                                    that; a table of NULL ends them; NULL: none */
    const char *const *units;  /* launch units it provides; NULL-terminated; NULL: none */
    const size_t *unit_counts; /* where in its state a size_t says how many of each there are */
    const struct structure_tunable *tunables; /* that it looks at; NULL: none */
    /* Device memory that it keeps, about: copies of positions, ints, and how many ints besides. */
    int positions_per_particle, ints_per_particle;
    double (*more_ints_per_particle)(const struct structure_estimate *estimate); /* NULL: none */

    /* What the structure below is given, where that is not what this one was: *below begins as a
     * copy of *input, *requested as one of input->requested. NULL: nothing else. */
    void (*ask_below)(const struct structure_input *input, struct structure_input *below,
                      struct requested_names *requested);
    size_t size; /* of its state */
    /* Allocates what building needs; *state is zeroed. Released also after a failure. */
    bool (*create)(const struct structure_input *input, void *state, struct error *error);
    /* Enqueues the building, from the positions as they are now; what is below has been built. May
     * be called again and again. Values of `parameter_tables` asked for before may have changed.
     * NULL: `fill` does all. */
    bool (*build)(void *state, struct error *error);
    /* After `build`, and again after `grow`: enqueues the filling of what the room may not suffice
     * for; *overflow, an int, is then 0 where it did. NULL: there is nothing of the kind. */
    bool (*fill)(void *state, struct buffer **overflow, struct error *error);
    bool (*grow)(void *state, struct error *error); /* makes room for all that `fill` counted */
    /* What kernels of time steps may fill in the place of `build`, with parameters of its own as
     * they are written to; after `clear`, which enqueues what that begins with. NULL: nothing. */
    const struct kernel_parameter *filled; /* ends with a name of NULL */
    bool (*clear)(void *state, struct error *error);
    /* Enqueues the question whether what was built serves the same particles at the places where
     * they are now, in the same order: after it *expired, an int that is 0 before, is 1 where it
     * does not. Whoever finds it so makes it 0 again. Asked for after a build. NULL: it serves no
     * places but its own. */
    bool (*ask)(void *state, struct buffer **expired, struct error *error);
    /* The places that `ask` compares with, for who does it in a kernel of his own. NULL: none. */
    struct places_of_build (*kept)(const void *state);
    /* How far a particle may be from where it was when that was built, if all that `ask` asks is
     * whether one is farther. NULL: it asks something else, and time steps wait for it. */
    double (*limit)(const void *state);
    /* Of a structure that can be renewed part by part: how many parts there are; 1: it cannot. Each
     * may serve until all of them, in turn, have been renewed once, as long as no particle comes
     * farther than `limit` between any two calls of renew_part, or a build and the first: the sum
     * of the greatest displacements of so many intervals is never less than what a particle has
     * come. NULL: 1. */
    int (*parts)(const void *state);
    /* Enqueues the renewal of the next part, for the positions as they are now. Nothing is done
     * where `expired`, an int, is not 0; where the list has expired, `mark` is written there,
     * and all has to be built. NULL with `parts`. */
    bool (*renew_part)(void *state, struct buffer *expired, int mark, struct error *error);
    /* Frees what it holds besides the buffers among its parameters, not the state itself. */
    void (*release)(void *state);
};

extern const struct structure_class *const structure_classes[]; /* NULL-terminated */

/* NULL when there is none of that name. */
const struct structure_class *structure_find(const char *name);
/* Whether it, or what is below it, looks at a tunable of that name, and that one's preset. */
bool structure_has_tunable(const struct structure_class *structure, const char *name, int *preset);

#endif
