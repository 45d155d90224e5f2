/*
 * skin — what lists of neighbours have in common: they reach beyond the cutoff, and serve until a
 * particle has moved by half of what they reach beyond it.
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_SKIN_H
#define PAIRMARK_STRUCTURES_LISTS_SKIN_H

#include "kernels/structure.h"
#include "structures/chain.h"

enum { SKIN_PRESET = 12 };

#define SKIN_TUNABLE                                                                               \
    { "SKIN", SKIN_PRESET, "what the list reaches beyond the cutoff, in hundredths of it" }
#define LIST_CAPACITY_TUNABLE                                                                      \
    { "LIST_CAPACITY", 0, "places of a row to begin with; 0: what the mean density suggests" }

/* How far the list reaches. */
double skin_radius(const struct structure_input *input);
/* The same where another tunable than SKIN says it. */
double skin_radius_by(const struct structure_input *input, const char *tunable);
/* Cells that find whom the list has to hold. */
void skin_ask_below(const struct structure_input *input, struct structure_input *below,
                    struct requested_names *requested);

/* Neighbours of a particle among others spread evenly. */
double skin_mean_neighbours(double density, double radius);
/* Particles within a radius of a cube that holds so many of them. */
double skin_mean_around(double density, double radius, int particles);
/* Neighbours of a particle for structure_class.more_ints_per_particle; 0 where it is not known. */
double skin_estimated_neighbours(const struct structure_estimate *estimate);
/* Particles per volume of what the positions span. */
double skin_density(const struct structure_input *input);
/* Places of a row whose mean length is `mean`, and some more, unless LIST_CAPACITY says how many.
 */
size_t skin_guess_capacity(const struct structure_input *input, double mean);
/* Places of a row that the longest list needs, and an eighth more, since particles will move. The
 * lengths go on past the capacity; a buffer of ints, none of them negative. */
bool skin_needed_capacity(const struct buffer *lengths, size_t *places, struct error *error);

/* Building a list over sorted cells, and for how long it is valid. */
struct skin {
    const struct structure_chain *cells;
    struct buffer *position; /* the caller's */
    size_t n;
    bool is_double;
    struct argument box; /* as kernels have it */
    double width;        /* of the skin */
    struct program *program;
    struct kernel *find_moved;
    struct buffer *flag;    /* one int: a row overflowed */
    struct buffer *expired; /* one int: a particle moved too far */
};

/* From a zeroed struct; free it with skin_free, also after a failure. */
bool skin_create(const struct structure_input *input, struct skin *skin, struct error *error);
/* The same of a list that reaches as far as another tunable than SKIN says. */
bool skin_create_by(const struct structure_input *input, const char *tunable, struct skin *skin,
                    struct error *error);
void skin_free(struct skin *skin);

/* `ask`, `kept` and `limit` of a structure_class whose state begins with a struct skin: whether a
 * particle has moved by half the skin since the cells were built (two that each moved so far can
 * have come nearer to each other by all of it), and that half. */
bool skin_ask(void *state, struct buffer **expired, struct error *error);
/* The same of a list that keeps places of its own. */
bool skin_ask_of(const struct skin *skin, struct places_of_build places, struct buffer **expired,
                 struct error *error);
struct places_of_build skin_kept(const void *state);
double skin_limit(const void *state);
/* The members of such a structure_class that this decides. */
#define SKIN_MEMBERS                                                                               \
    .needs_cutoff = true, .ask_below = skin_ask_below, .ask = skin_ask, .kept = skin_kept,         \
    .limit = skin_limit

/* An argument from the cells. */
struct argument skin_of_cells(const struct skin *skin, const char *name);
/* The first arguments of a kernel that fills lists: the particles, and what the cells have of
 * them. */
#define SKIN_CELL_ARGUMENTS(skin)                                                                  \
    argument_int((int32_t)(skin)->n), skin_of_cells(skin, "cells"), skin_of_cells(skin, "reach"),  \
        skin_of_cells(skin, "cell_width"), skin_of_cells(skin, "inverse_cell_width"),              \
        skin_of_cells(skin, "cell_origin"), skin_of_cells(skin, "search_radius2"),                 \
        skin_of_cells(skin, "cell_start"), skin_of_cells(skin, "sorted_position")

/* ---- how far particles have moved ---- */

/* Whether a particle has moved farther than a limit since its position was noted; the device
 * decides. */

struct moved_test;

/* Of the n particles of input->position, in the cell of input->box; `limit` is a length. The input
 * may go, its device, box and positions outlive the test. */
bool moved_test_create(const struct structure_input *input, size_t n, double limit,
                       struct moved_test **test, struct error *error);
void moved_test_free(struct moved_test *test); /* NULL is fine */

/* Enqueues that the positions as they are now are kept. */
bool moved_test_note(struct moved_test *test, struct error *error);

/* Enqueues, as structure_class.ask does, the question whether any particle is farther than the
 * limit from the nearest image of where it was noted. A position that is no number counts as far.
 * */
bool moved_test_ask(struct moved_test *test, struct buffer **moved, struct error *error);
/* The same of boxes that have cells of their own. */
struct moved_boxes {
    size_t count;
    struct buffer *begin, *cells; /* count + 1 ints; box_args */
};
bool moved_test_ask_boxes(struct moved_test *test, const struct moved_boxes *boxes,
                          struct buffer **moved, struct error *error);
struct places_of_build moved_test_kept(const struct moved_test *test);
double moved_test_limit(const struct moved_test *test);

/* ---- pairs that do not interact ---- */

/* How they are known, as the kernels of lists count. */
enum exclusion_kind { BY_NOTHING, BY_LISTS, BY_MOLECULE };

struct list_exclusions {
    enum exclusion_kind kind;
    struct buffer *start, *partner, *molecule; /* the caller's */
};

static inline struct list_exclusions list_exclusions_of(const struct structure_input *input) {
    return (struct list_exclusions){ .kind = input->molecule         ? BY_MOLECULE
                                             : input->excluded_start ? BY_LISTS
                                                                     : BY_NOTHING,
                                     .start = input->excluded_start,
                                     .partner = input->excluded,
                                     .molecule = input->molecule };
}

/* A buffer, or another that the kernel does not look at where there is none. */
static inline struct argument buffer_or(struct buffer *buffer, struct buffer *other) {
    return argument_buffer(buffer ? buffer : other);
}

/* What a kernel that fills lists is given of them. */
#define EXCLUSION_ARGUMENTS(exclusions, other)                                                     \
    argument_int((exclusions)->kind), buffer_or((exclusions)->start, other),                       \
        buffer_or((exclusions)->partner, other), buffer_or((exclusions)->molecule, other)

#endif
