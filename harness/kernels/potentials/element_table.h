/*
 * element_table — parameters of many-body interactions by elements, in the forms of LAMMPS.
 *
 * Triplets (.sw, .tersoff): a record has three elements and then its numbers, over as many lines as
 * it takes; '#' begins a comment. The first element is that of the centre. There is a record for
 * every ordered triplet of the box's species. Pairs are those of the records i j j.
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

/* Of Tersoff: m, gamma, lambda3, c, d, cos theta0, n, beta, lambda2, B, R, D, lambda1, A. */
enum tersoff_number {
    TERSOFF_M,
    TERSOFF_GAMMA,
    TERSOFF_LAMBDA3,
    TERSOFF_C,
    TERSOFF_D,
    TERSOFF_COS_THETA0,
    TERSOFF_N,
    TERSOFF_BETA,
    TERSOFF_LAMBDA2,
    TERSOFF_BIG_B,
    TERSOFF_R,
    TERSOFF_WIDTH, /* D */
    TERSOFF_LAMBDA1,
    TERSOFF_BIG_A,
    TERSOFF_NUMBERS
};

struct triplet_record {
    char element[3][SPECIES_SIZE];
    int line;
    double value[TERSOFF_NUMBERS]; /* as many as the form has */
};

struct element_table {
    char *path;
    enum element_form form; /* ELEMENTS_TRIPLETS or ELEMENTS_ORDERS */
    struct triplet_record *records;
    size_t count, capacity;
    char hash[HASH_TEXT_SIZE];
};

/* Reads a file, or a built-in one (EMBEDDED_PREFIX). Errors: STATUS_BAD_INPUT as "path:line: what
 * is wrong; expected what". */
bool element_table_read(const char *path, enum element_form form, struct element_table **table,
                        struct error *error);
/* The same of a text; `name` stands for the path in messages. */
bool element_table_parse(const char *name, const char *text, enum element_form form,
                         struct element_table **table, struct error *error);
void element_table_free(struct element_table *table); /* NULL is fine */

/* The record of three elements; NULL: there is none. */
const struct triplet_record *element_table_find(const struct element_table *table,
                                                const char *centre, const char *second,
                                                const char *third);

/* Whether there is a record for every triplet of the box's species, and those of one term have the
 * same numbers for it. STATUS_BAD_INPUT. */
bool element_table_fits(const struct element_table *table, const struct box *box,
                        struct error *error);

/* The longest cutoff of any pair (a sigma) or, with orders, triplet (R + D). */
double element_table_cutoff(const struct element_table *table);

/* Of an interaction without a table: its parameters as a record of no element. */
struct triplet_record element_record_of(const struct interaction *interaction);
/* Where a record ends. */
double element_record_cutoff(const struct triplet_record *record, enum element_form form);
/* Why no record of a pair can have such numbers; NULL: it can. */
const char *element_record_refusal(const struct triplet_record *record, enum element_form form);

#endif
