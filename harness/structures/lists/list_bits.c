/* list_bits, for each sorted particle words of 32 bits, one for each particle that may be near, set
 * where it is: see list_bits.cl for what the kernel does and where a word lies. */
#include "structures/builder.h"
#include "structures/lists/skin.h"

#include <math.h>

enum {
    GROUP_PARTICLES = 32, /* whose words lie side by side */
    WORD_INTS = 2,        /* the first candidate, and the bits */
    MAX_PARTICLES = (1 << 27) - 1,
    MAX_CAPACITY = INT32_MAX / GROUP_PARTICLES
};

struct list_bits {
    struct skin skin; /* first: skin_ask(), skin_limit() */
    struct device *device;
    struct program *program;
    struct kernel *fill_words;
    size_t capacity;           /* words that a particle has room for */
    struct buffer *word_count; /* an int per particle: what was counted, also beyond its room */
    struct buffer *words;      /* WORD_INTS ints per word */
};

/* ---- making ---- */

static void list_bits_release(void *state) {
    struct list_bits *list = state;
    program_free(list->program);
    skin_free(&list->skin);
}

/* Room for so many words per particle. What the list held is lost. */
static bool set_capacity(struct list_bits *list, size_t capacity, struct error *error) {
    const size_t rows =
        (list->skin.n + GROUP_PARTICLES - 1) / GROUP_PARTICLES * (size_t)GROUP_PARTICLES;
    const size_t row_bytes = WORD_INTS * sizeof(int32_t) * rows;
    if (capacity > MAX_CAPACITY || capacity > SIZE_MAX / row_bytes) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a particle has %zu words of neighbours: lists of bits hold %d at most",
                    capacity, MAX_CAPACITY);
    }
    list->capacity = capacity;
    return buffer_replace(list->device, capacity * row_bytes, &list->words, error);
}

/* Words of a particle with so many neighbours, about: some for the rows of cells around it, and one
 * per four neighbours. Where that is too few, the list grows. */
static double mean_words(double neighbours) {
    return fmin(neighbours, 6 + 0.25 * neighbours);
}

static bool make_all(const struct structure_input *input, struct list_bits *list,
                     struct error *error) {
    static const char *const name = "fill_words";
    static const char *const texts[] = { "variants/box.cl", "variants/structures/cells.cl",
                                         "variants/structures/list_entries.cl",
                                         "variants/structures/list_bits.cl", NULL };
    const double neighbours = skin_mean_neighbours(skin_density(input), skin_radius(input));
    return skin_create(input, &list->skin, error) &&
           builder_compile(input, texts, &(struct named_kernels){ &name, 1, &list->fill_words },
                           &list->program, error) &&
           buffer_allocate(list->device, list->skin.n * sizeof(int32_t), &list->word_count,
                           error) &&
           set_capacity(list, skin_guess_capacity(input, mean_words(neighbours)), error);
}

static bool list_bits_create(const struct structure_input *input, void *state,
                             struct error *error) {
    if (input->box->n > MAX_PARTICLES) {
        return fail(error, STATUS_UNSUPPORTED, "lists of bits number %d particles, not %zu",
                    MAX_PARTICLES, input->box->n);
    }
    struct list_bits *list = state;
    list->device = input->device;
    return make_all(input, list, error);
}

/* ---- building ---- */

static bool list_bits_fill(void *state, struct buffer **overflow, struct error *error) {
    struct list_bits *list = state;
    struct skin *skin = &list->skin;
    *overflow = skin->flag;
    return builder_launch_flagged(
        list->fill_words, skin->n,
        (struct arguments){ ARGUMENTS(SKIN_CELL_ARGUMENTS(skin), skin->box,
                                      argument_int((int32_t)list->capacity),
                                      argument_buffer(list->word_count),
                                      argument_buffer(list->words), argument_buffer(skin->flag)) },
        skin->flag, error);
}

static bool list_bits_grow(void *state, struct error *error) {
    struct list_bits *list = state;
    size_t needed = 0;
    return skin_needed_capacity(list->word_count, &needed, error) &&
           set_capacity(list, needed, error);
}

/* ---- parameters of kernels ---- */

static const struct kernel_parameter list_bits_parameters[] = {
    { "word_count", "GLOBAL const int *", FROM_BUFFER(list_bits, word_count) },
    { "words", "GLOBAL const uint2 *", FROM_BUFFER(list_bits, words) },
    { "list_capacity", "int", FROM_INT(list_bits, capacity) },
    { 0 },
};

static const struct parameter_table list_bits_parts[] = { { list_bits_parameters, 0 },
                                                          { NULL, 0 } };

static const struct structure_tunable list_bits_tunables[] = { SKIN_TUNABLE,
                                                               LIST_CAPACITY_TUNABLE,
                                                               { 0 } };

static double list_bits_more_ints(const struct structure_estimate *estimate) {
    return WORD_INTS * mean_words(skin_estimated_neighbours(estimate));
}

const struct structure_class structure_list_bits = {
    .name = "list_bits",
    .summary = "per sorted particle words of bits, one per candidate that follows a neighbour",
    .needs = &structure_sorted_cells,
    SKIN_MEMBERS,
    .words = "variants/structures/list_entries.cl",
    .parameter_tables = list_bits_parts,
    .tunables = list_bits_tunables,
    .ints_per_particle = 1,
    .more_ints_per_particle = list_bits_more_ints,
    .size = sizeof(struct list_bits),
    .create = list_bits_create,
    .fill = list_bits_fill,
    .grow = list_bits_grow,
    .release = list_bits_release,
};
