/*
 * offers — what kernels may have among their parameters: a name, a type, and how the value is got.
 *
 * Whoever offers something has one table of offers. From it come the check of a kernel's parameter
 * list, the choices that a message names, and the values that a launch passes.
 */
#ifndef PAIRMARK_KERNELS_OFFERS_H
#define PAIRMARK_KERNELS_OFFERS_H

#include "devices/device.h"
#include "kernels/variant.h"

/* The longest type that is offered, in characters with the final NUL. */
enum { OFFER_TYPE_SIZE = 128 };

struct offer {
    const char *name;
    /* As a kernel declares it: "int", "real4", "GLOBAL const int4 *", the name of a struct of the
     * dialect. Several types that all do stand with " or " between them. */
    const char *type;
    /* From whatever offers it, as it is now. A buffer that was not asked for may be NULL. */
    struct argument (*value)(const void *offerer);
};

/* A table of offers, and where in the offerer, in bytes, that lies which their `value` is given: an
 * offerer hands on the tables of its parts. A list of these ends with a table of NULL. */
struct offers {
    const struct offer *table; /* ends with a name of NULL */
    size_t at;
};

/* The offer of that name and its place in the offerer; NULL when there is none. `at` may be NULL.
 */
const struct offer *offers_find(const struct offers *offers, const char *name, size_t *at);

/* The value of the offer of that name; false when there is none. */
bool offers_value(const struct offers *offers, const void *offerer, const char *name,
                  struct argument *argument);

/* Define value_of_FIELD for the table of a struct: of a buffer, of an int32_t. */
#define DEFINE_BUFFER_VALUE(STRUCT, FIELD)                                                         \
    static struct argument value_of_##FIELD(const void *offerer) {                                 \
        return argument_buffer(((const struct STRUCT *)offerer)->FIELD);                           \
    }
#define DEFINE_INT_VALUE(STRUCT, FIELD)                                                            \
    static struct argument value_of_##FIELD(const void *offerer) {                                 \
        return argument_int((int32_t)((const struct STRUCT *)offerer)->FIELD);                     \
    }

/* ---- what is asked for ---- */

/* Which set of particles a name refers to, 0 for NAME_a and 1 for NAME_b, and the name without that
 * ending; -1 when it has neither. */
int binding_set(const char *name, char plain[VARIANT_NAME_SIZE]);

/* The kernel parameters and launch units that a variant asks a structure for. A structure makes no
 * others: at three cells per cutoff, pairs of cells are many more than particles. */

enum { REQUESTED_NAMES_MAX = 2 * VARIANT_MAX_PASSES * (VARIANT_MAX_ARGUMENTS + 1) };

struct requested_names { /* zeroed: none */
    char names[REQUESTED_NAMES_MAX][VARIANT_NAME_SIZE];
    size_t count;
};

/* Adds a name, unless it is there. Names beyond REQUESTED_NAMES_MAX are dropped. */
void requested_names_add(struct requested_names *requested, const char *name);

/* Adds what the passes of a variant name: their units and the parameters of their kernels. A name
 * of one of two groups, NAME_a or NAME_b, asks for NAME, too. */
void requested_names_of_variant(const struct variant *variant, struct requested_names *requested);

bool requested_names_have(const struct requested_names *requested, const char *name);

#endif
