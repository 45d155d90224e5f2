/*
 * arguments — the parameters of a kernel, which the harness binds by their names.
 */
#ifndef PAIRMARK_VARIANT_ARGUMENTS_H
#define PAIRMARK_VARIANT_ARGUMENTS_H

#include "variant/structure.h"

/* The names that every variant may use, NULL-terminated: n, position, force, ... (docs/kernels.md).
 */
extern const char *const common_arguments[];

/* Finds `KERNEL void <pass->kernel>(...)` in the text and lists its parameters in pass->arguments.
 * STATUS_BAD_INPUT as "path:line: ..." when there is no such kernel or a parameter has a name that
 * neither the harness nor the structure offers. */
bool arguments_parse(const char *path, const char *text, const struct structure_class *structure,
                     struct pass *pass, struct error *error);

#endif
