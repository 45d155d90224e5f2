/*
 * arguments — the parameters of a kernel, which the harness binds by their names.
 *
 * Which names there are depends on the workload and, for a coordination, on the groups
 * (docs/kernels.md). Where there are two groups, a structure stands over each, and everything it
 * offers is asked for with _a or _b behind its name.
 */
#ifndef PAIRMARK_VARIANT_ARGUMENTS_H
#define PAIRMARK_VARIANT_ARGUMENTS_H

#include "base/text.h"
#include "variant/structure.h"

/* Which group a name speaks of, 0 for _a and 1 for _b, and the name without that; -1 when it ends
 * in neither. */
int arguments_side(const char *name, char plain[VARIANT_NAME_SIZE]);

/* Whether kernels of the variant may have a parameter of that name, and whether there is a launch
 * unit of that name. Workload, groups and structure of the variant are known. */
bool arguments_offer(const struct variant *variant, const char *name);
bool arguments_offer_unit(const struct variant *variant, const char *unit);

/* The names that there are, "a, b, c", for messages. */
void arguments_list(const struct variant *variant, struct text *names);
void arguments_list_units(const struct variant *variant, struct text *units);

/* Finds `KERNEL void <pass->kernel>(...)` in the variant's text and lists its parameters in
 * pass->arguments. STATUS_BAD_INPUT as "path:line: ..." when there is no such kernel or a parameter
 * has a name that neither the harness nor the structure offers. */
bool arguments_parse(const char *path, const struct variant *variant, struct pass *pass,
                     struct error *error);

#endif
