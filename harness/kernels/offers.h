/*
 * offers — what kernels may have among their parameters: a name, a type, and how the value is got.
 *
 * Whoever offers something has one table of offers. From it come the check of a kernel's parameter
 * list, the choices that a message names, and the values that a launch passes.
 */
#ifndef PAIRMARK_KERNELS_OFFERS_H
#define PAIRMARK_KERNELS_OFFERS_H

#include "devices/device.h"

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

#endif
