/*
 * parameter_type — the declared type of a kernel's parameter, and whether it is the one offered.
 *
 * Types are compared as they are written, without the preprocessor: a typedef or a macro of the
 * file's own is another type. What makes no difference to the kernel is left out: the order of the
 * words, `const` of what is passed by value, RESTRICT and `volatile`, `struct` before a name.
 */
#ifndef PAIRMARK_KERNELS_HEADER_PARAMETER_TYPE_H
#define PAIRMARK_KERNELS_HEADER_PARAMETER_TYPE_H

#include "core/strings.h"
#include "kernels/offers.h"

#include <stddef.h>

struct parameter_type {
    char base[64];  /* int, real4, unsigned int; empty where none is written */
    char space[16]; /* GLOBAL, CONSTANT_ARG, LOCAL_ARG, or empty */
    bool is_const;  /* the number, or what the pointer points at */
    int pointers;   /* how many stars */
};

/* From the text between start and end: what stands before the parameter's name. */
void parameter_type_read(const char *start, const char *end, struct parameter_type *type);

/* Whether a parameter so declared can be given what is offered. `const` may be added to what a
 * pointer points at, never left out. any_space: a pointer without an address space will do. */
bool parameter_type_fits(const struct parameter_type *declared, const char *offered,
                         bool any_space);

/* The same of a kernel in CUDA C++, where real4 is float4 or double4: a bit for each enum precision
 * in which the parameter can be given what is offered. Address spaces need not be said. */
unsigned parameter_type_fits_cuda(const struct parameter_type *declared, const char *offered);

/* How many bytes one takes by value; 0 where that depends on the precision, or nothing is known of
 * it. A pointer to something of which that is so is 0, too. */
size_t parameter_type_bytes(const struct parameter_type *declared);

/* "an int", "a GLOBAL const real4 *", "without a type". */
void parameter_type_describe(const struct parameter_type *type, char words[OFFER_TYPE_SIZE]);

/* Appends what is offered, in the words of CUDA C++: "const float4 * or const double4 *" where it
 * is "GLOBAL const real4 *"; the narrow type first. Words that CUDA C++ has not stay as they are.
 */
void parameter_type_append_cuda(const char *offered, struct strbuf *words);

/* "a" or "an", for a type. */
const char *parameter_type_article(const char *type);

#endif
