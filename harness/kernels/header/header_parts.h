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
bool variant_check_workload(const struct header_reader *reader, const struct variant *variant);

/* Checks a variant whose words have been read, and which is joined with its forces; finds its
 * kernels with their parameters in the text, and the parameter by which they write the result. */
bool variant_check(const struct header_reader *reader, struct variant *variant);

/* ---- its lines: @pass, @tunable, @structure and so on (header_words.c) ---- */

/* Reads the whole header, line by line, into a variant whose path, language and kth are set. What a
 * name means is checked at the end, by the functions above. */
bool variant_take_words(struct header_reader *reader, struct variant *variant);

/* Fails: `word` (NULL: none) is no workload; the error lists them. */
bool header_refuse_workload(const struct header_reader *reader, const char *word);

/* ---- parameters of kernels, as the text declares them (arguments.c) ---- */

/* What is searched for kernels: the variant's text, comments blanked out; of compiled code its
 * header alone. Caller frees it; NULL: out of memory. */
char *arguments_text(const struct variant *variant);

/* Finds `KERNEL void <pass->kernel>(...)`, or __global__ of CUDA C++, in arguments_text() and lists
 * its parameters in pass->arguments. Of CUDA C++ the types take away from variant->precisions those
 * in which they are not what is expected. It is an error when there is no such kernel, or a
 * parameter has a name or a type that nothing has (bindings.h). */
bool arguments_parse(const char *path, const char *plain, struct variant *variant,
                     struct pass *pass, struct error *error);

#endif
