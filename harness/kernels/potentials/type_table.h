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

/* Reads a table for the functions of `interaction`. Errors: STATUS_BAD_INPUT as "path:line: what is
 * wrong; expected what". */
bool type_table_read(const char *path, const struct interaction *interaction,
                     struct type_table **table, struct error *error);
/* The same of a text; `name` stands for the path in messages. */
bool type_table_parse(const char *name, const char *text, const struct interaction *interaction,
                      struct type_table **table, struct error *error);
void type_table_free(struct type_table *table); /* NULL is fine */
const char *type_table_hash(const struct type_table *table);

/* ---- what a table holds ---- */

/* One function's parameters for one pair of types. */
struct table_entry {
    char type[2][SPECIES_SIZE];
    int line;
    int function;
    double cutoff; /* INFINITY: the function's own */
    double value[INTERACTION_MAX_PARAMETERS];
};

struct type_table {
    char *path;
    struct table_entry *entries;
    size_t count, capacity;
    char hash[HASH_TEXT_SIZE];
};

/* ---- the types of a box ---- */

/* The parameters for every ordered pair of a box's types. An entry has, for each van der Waals
 * function in turn, its cutoff (INFINITY: the case's; less than 0: the pair has no such term) and
 * then its parameters. */
struct type_parameters {
    int types;
    int stride;     /* numbers an entry */
    double *values; /* types * types * stride */
};

/* From the table, or from the values for single types, mixed. STATUS_BAD_INPUT for a type that the
 * box does not have. For an interaction without types, `types` is 0 and nothing is allocated. */
bool type_parameters_resolve(const struct interaction *interaction, const struct box *box,
                             struct type_parameters *parameters, struct error *error);
void type_parameters_free(struct type_parameters *parameters);

/* Which types have no van der Waals term with any type: a bit each, of the first 31. */
int32_t type_parameters_bare(const struct interaction *interaction,
                             const struct type_parameters *parameters);

/* Whether kernels are given, in the place of the parameters of Lennard-Jones, 48 epsilon sigma^12
 * and 24 epsilon sigma^6 (lj.cl): where that is the only function with types, has no cutoff of its
 * own, and float holds these. */
bool type_parameters_as_powers(const struct interaction *interaction);
/* Both, of an entry; zeros where there is no such term. */
void type_parameters_powers(const double *entry, double powers[2]);

/* Numbers an entry has; where function `f`'s begin. */
int type_parameters_stride(const struct interaction *interaction);
int type_parameters_offset(const struct interaction *interaction, int f);

/* The longest that a function, or a pair of the table, has of its own; 0: all end with the case's.
 */
double interaction_longest_cutoff(const struct interaction *interaction);

/* Whether the interaction can act in this box with this cutoff (INFINITY: none): its types and
 * excluded particles exist, there are as many values of particles as particles, and no function
 * reaches beyond the cutoff. STATUS_BAD_INPUT. */
bool interaction_fits(const struct interaction *interaction, const struct box *box, double cutoff,
                      struct error *error);
/* The last of these alone. */
bool interaction_accepts_cutoff(const struct interaction *interaction, double cutoff,
                                struct error *error);

#endif
