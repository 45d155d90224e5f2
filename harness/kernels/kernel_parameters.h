/*
 * kernel_parameters — the parameters that kernels may have: tables of a name, a type and where the
 * value lies.
 *
 * From these tables come the check of a kernel's parameter list, the choices that a message names
 * and the values that a launch passes.
 */
#ifndef PAIRMARK_KERNELS_KERNEL_PARAMETERS_H
#define PAIRMARK_KERNELS_KERNEL_PARAMETERS_H

#include "devices/device.h"
#include "kernels/variant.h"

#include <stddef.h>

/* The longest type, in characters with the final NUL. */
enum { PARAMETER_TYPE_SIZE = 128 };

enum value_kind {
    VALUE_BUFFER, /* a member of type struct buffer * */
    VALUE_INT,    /* a member of an integer type, as an int */
    VALUE_LONG,   /* a member of 64 bits */
    VALUE_COMPUTED
};

struct kernel_parameter {
    const char *name;
    /* As a kernel declares it: "int", "real4", "GLOBAL const int4 *", the name of a struct of the
     * dialect. Alternative types stand with " or " between them. */
    const char *type;
    /* Where the value comes from: one of the macros below. */
    enum value_kind kind;
    size_t at, size; /* of the member in the owner, in bytes */
    struct argument (*compute)(const void *owner);
};

/* The member of a struct: a buffer, an integer; or what a function makes of the struct. A buffer
 * that was not asked for may be NULL. */
#define FROM_BUFFER(STRUCT, MEMBER) VALUE_BUFFER, offsetof(struct STRUCT, MEMBER), 0, NULL
#define FROM_INT(STRUCT, MEMBER)                                                                   \
    VALUE_INT, offsetof(struct STRUCT, MEMBER), sizeof(((struct STRUCT *)0)->MEMBER), NULL
#define FROM_LONG(STRUCT, MEMBER) VALUE_LONG, offsetof(struct STRUCT, MEMBER), 0, NULL
#define FROM_FUNCTION(FUNCTION) VALUE_COMPUTED, 0, 0, FUNCTION

/* The value as it is now. */
struct argument kernel_parameter_value(const struct kernel_parameter *parameter, const void *owner);

/* A table of parameters with values in a part of the owner, which lies `at` bytes into it. A list
 * of these ends with a table of NULL. */
struct parameter_table {
    const struct kernel_parameter *table; /* ends with a name of NULL */
    size_t at;
};

/* The value of the parameter of that name; false when there is none. */
bool parameter_tables_value(const struct parameter_table *tables, const void *owner,
                            const char *name, struct argument *argument);

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

/* Adds what the passes of a variant name: their units and the parameters of their kernels. A name
 * of one of two groups, NAME_a or NAME_b, asks for NAME, too. */
void requested_names_of_variant(const struct variant *variant, struct requested_names *requested);

bool requested_names_have(const struct requested_names *requested, const char *name);

#endif
