/*
 * arguments — the parameters of a variant's kernels, as its text declares them.
 *
 * The harness binds them by their names (bindings.h) and refuses those whose types are not what is
 * offered (parameter_type.h).
 */
#ifndef PAIRMARK_KERNELS_HEADER_ARGUMENTS_H
#define PAIRMARK_KERNELS_HEADER_ARGUMENTS_H

#include "kernels/variant.h"

/* Finds `KERNEL void <pass->kernel>(...)`, or __global__ of CUDA C++, in the variant's text and
 * lists its parameters in pass->arguments. Of CUDA C++ the types take away from
 * variant->precisions those in which they are not what is offered. STATUS_BAD_INPUT as
 * "path:line: ..." when there is no such kernel, or a parameter has a name or a type that nobody
 * offers. */
bool arguments_parse(const char *path, struct variant *variant, struct pass *pass,
                     struct error *error);

#endif
