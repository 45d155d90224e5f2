/*
 * element_table — parameters of many-body interactions by elements, in the forms of LAMMPS.
 *
 * Triplets (.sw): a record has three elements and then its numbers, over as many lines as it takes;
 * '#' begins a comment. The first element is that of the centre. There is a record for every
 * ordered triplet of the box's species. Pairs are those of the records i j j.
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_ELEMENT_TABLE_H
#define PAIRMARK_KERNELS_POTENTIALS_ELEMENT_TABLE_H

#include "boxes/box.h"
#include "core/cache.h"
#include "kernels/potentials/interaction.h"

/* Numbers of a record of Stillinger-Weber: epsilon, sigma, a, lambda, gamma, cos theta0, A, B, p, q
 * and LAMMPS's tolerance, which nobody uses here. */
enum sw_number {
    SW_EPSILON,
    SW_SIGMA,
    SW_A,
    SW_LAMBDA,
    SW_GAMMA,
    SW_COS_THETA0,
    SW_BIG_A,
    SW_BIG_B,
    SW_P,
    SW_Q,
    SW_TOLERANCE,
    SW_NUMBERS
};

struct triplet_record {
    char element[3][SPECIES_SIZE];
    int line;
    double value[SW_NUMBERS];
};

struct element_table {
    char *path;
    struct triplet_record *records;
    size_t count, capacity;
    char hash[HASH_TEXT_SIZE];
};

/* Reads a file, or a built-in one (EMBEDDED_PREFIX). Errors: STATUS_BAD_INPUT as "path:line: what
 * is wrong; expected what". */
bool element_table_read(const char *path, struct element_table **table, struct error *error);
/* The same of a text; `name` stands for the path in messages. */
bool element_table_parse(const char *name, const char *text, struct element_table **table,
                         struct error *error);
void element_table_free(struct element_table *table); /* NULL is fine */

/* The record of three elements; NULL: there is none. */
const struct triplet_record *element_table_find(const struct element_table *table,
                                                const char *centre, const char *second,
                                                const char *third);

/* Whether there is a record for every triplet of the box's species, and the pairs i j and j i are
 * one. STATUS_BAD_INPUT. */
bool element_table_fits(const struct element_table *table, const struct box *box,
                        struct error *error);

/* The longest cutoff, a sigma, of any pair. */
double element_table_cutoff(const struct element_table *table);

/* Of an interaction without a table: its parameters as a record of no element. */
struct triplet_record sw_record_of(const struct interaction *interaction);

#endif
