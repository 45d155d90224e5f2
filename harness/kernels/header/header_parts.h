/*
 * header_parts — the steps by which read_variant.c reads a header. Private to this folder.
 *
 * Errors are STATUS_BAD_INPUT with the line.
 */
#ifndef PAIRMARK_KERNELS_HEADER_HEADER_PARTS_H
#define PAIRMARK_KERNELS_HEADER_HEADER_PARTS_H

#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/kernel_parameters.h"
#include "kernels/variant.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the whole header (header_checks.c) ---- */

/* Whether the header names a workload and what that needs. */
bool variant_check_workload(const struct header_reader *reader, const struct variant *variant,
                            struct error *error);

/* Checks a variant whose words have been read, and which is joined with its forces; finds its
 * kernels with their parameters in the text, and the parameter by which they write the result. */
bool variant_check(const struct header_reader *reader, struct variant *variant,
                   struct error *error);

/* ---- its lines: @pass, @tunable, @structure and so on (header_words.c) ---- */

/* Reads the whole header, line by line, into a variant whose path, language and kth are set. What a
 * name means is checked at the end, by the functions above. */
bool variant_take_words(struct header_reader *reader, struct variant *variant, struct error *error);

/* Fails: `word` (NULL: none) is no workload; the error lists them. */
bool header_refuse_workload(const struct header_reader *reader, const char *word,
                            struct error *error);

/* ---- parameters of kernels, as the text declares them (arguments.c) ---- */

/* Finds `KERNEL void <pass->kernel>(...)`, or __global__ of CUDA C++, in the variant's text and
 * lists its parameters in pass->arguments. Of CUDA C++ the types take away from
 * variant->precisions those in which they are not what is expected. It is an
 * error when there is no such kernel, or a parameter has a name or a type that nothing has
 * (bindings.h). */
bool arguments_parse(const char *path, struct variant *variant, struct pass *pass,
                     struct error *error);

/* ---- types of parameters (parameter_type.c) ---- */

/*
 * The declared type of a kernel's parameter, and whether it is the one expected.
 *
 * Types are compared as they are written, without the preprocessor: a typedef or a macro of the
 * file's own is another type. What makes no difference to the kernel is left out: the order of the
 * words, `const` of what is passed by value, RESTRICT and `volatile`, `struct` before a name.
 */

struct parameter_type {
    char base[64];  /* int, real4, unsigned int; empty where none is written */
    char space[16]; /* GLOBAL, CONSTANT_ARG, LOCAL_ARG, or empty */
    bool is_const;  /* the number, or what the pointer points at */
    int pointers;   /* how many stars */
};

/* From the text between start and end: what stands before the parameter's name. */
void parameter_type_read(const char *start, const char *end, struct parameter_type *type);

/* Whether a parameter so declared can be given what is expected. `const` may be added to what a
 * pointer points at, never left out. any_space: a pointer without an address space will do. */
bool parameter_type_fits(const struct parameter_type *declared, const char *expected,
                         bool any_space);

/* The same of a kernel in CUDA C++, where real4 is float4 or double4: a bit for each enum precision
 * in which the parameter can be given what is expected. Address spaces need not be said. */
unsigned parameter_type_fits_cuda(const struct parameter_type *declared, const char *expected);

/* How many bytes one takes by value; 0 where that depends on the precision, or nothing is known of
 * it. A pointer to something of which that is so is 0, too. */
size_t parameter_type_bytes(const struct parameter_type *declared);

/* "an int", "a GLOBAL const real4 *", "without a type". */
void parameter_type_describe(const struct parameter_type *type, char words[PARAMETER_TYPE_SIZE]);

/* Appends what is expected, in the words of CUDA C++: "const float4 * or const double4 *" where it
 * is "GLOBAL const real4 *"; the narrow type first. Words that CUDA C++ has not stay as they are.
 */
void parameter_type_append_cuda(const char *expected, struct strbuf *words);

/* "a" or "an", for a type. */
const char *parameter_type_article(const char *type);

#endif
