/*
 * type_table — parameters of van der Waals functions that depend on the pair of types.
 *
 * A table is a file of comma-separated values. Its first record names the columns: type_a, type_b,
 * function, and parameters of the interaction's van der Waals functions, `cutoff` among them. Each
 * further record gives the parameters of one function for one unordered pair of types, named by
 * the box's species; fields of parameters that the function does not have are empty. A pair of
 * types that the table leaves out has no van der Waals term.
 *
 *   type_a,type_b,function,epsilon,sigma
 *   Na,Na,lj,0.1,2.3
 *   Na,Cl,lj,0.12,3.1
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_TYPE_TABLE_H
#define PAIRMARK_KERNELS_POTENTIALS_TYPE_TABLE_H

#include "core/cache.h"
#include "kernels/potentials/interaction.h"

struct type_table;

/* Reads a table for the functions of `interaction`. Errors: STATUS_BAD_INPUT as "path:line: what is
 * wrong; expected what". */
bool type_table_read(const char *path, const struct interaction *interaction,
                     struct type_table **table, struct error *error);
/* The same of a text; `name` stands for the path in messages. */
bool type_table_parse(const char *name, const char *text, const struct interaction *interaction,
                      struct type_table **table, struct error *error);
void type_table_free(struct type_table *table); /* NULL is fine */
const char *type_table_hash(const struct type_table *table);

#endif
