/*
 * element_table — many-body interactions by elements, in the forms of LAMMPS: parameters of
 * triplets, tables of embedded atoms.
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

/* The record that an interaction without a table has: its parameters, for all elements. */
struct triplet_record element_record_of(const struct interaction *interaction);
/* The distance from which on a record has no energy. */
double element_record_cutoff(const struct triplet_record *record, enum element_form form);
/* Why no record of a pair can have such numbers; NULL: it can. */
const char *element_record_refusal(const struct triplet_record *record, enum element_form form);

/* ---- embedded atoms ---- */

/* An embedded-atom potential of one element or several in LAMMPS's form setfl
 * (.eam.alloy): three lines of comment; a line of how many elements and which; Nrho, drho, Nr, dr,
 * cutoff; then for each element a line (number, mass, lattice constant, lattice), the embedding
 * energy at 0, drho, 2 drho... and the density that it brings at 0, dr, 2 dr...; then r times the
 * pair energy of the elements 1 1, 2 1, 2 2, 3 1...
 *
 * Of Finnis and Sinclair (.eam.fs) an element has a density for each element that it brings it at.
 * Which of both a file is, its name does not say: the numbers are as many as one of them has.
 *
 * Or of one element in the form funcfl (.eam), whose third line is five numbers: a comment; number,
 * mass, lattice constant, lattice; Nrho, drho, Nr, dr, cutoff; embedding energies; charges Z(r),
 * of 27.2 0.529 Z^2 / r; densities. It is that of all particles.
 */

enum { EAM_MAX_ELEMENTS = 32, EAM_MAX_KNOTS = 1 << 20 };

struct eam_table {
    char *path;
    int elements;
    char element[EAM_MAX_ELEMENTS][SPECIES_SIZE]; /* empty: that of all particles */
    int rho_knots, r_knots;
    double drho, dr, cutoff;
    double *embedding; /* rho_knots for each element */
    bool by_place;   /* densities are of two elements, who brings it and where; else of the first */
    double *density; /* r_knots for each element, or for each two */
    double *pair;    /* r times the energy: r_knots for each pair a >= b, at a (a + 1) / 2 + b */
    char hash[HASH_TEXT_SIZE];
};

/* Reads a file, or a built-in one (EMBEDDED_PREFIX). Errors: STATUS_BAD_INPUT as "path:line: what
 * is wrong; expected what". */
bool eam_table_read(const char *path, struct eam_table **table, struct error *error);
/* The same of a text; `name` stands for the path in messages. */
bool eam_table_parse(const char *name, const char *text, struct eam_table **table,
                     struct error *error);
void eam_table_free(struct eam_table *table); /* NULL is fine */

/* Whether it has all species of the box. STATUS_BAD_INPUT. */
bool eam_table_fits(const struct eam_table *table, const struct box *box, struct error *error);

/* The place of an element; -1: there is none. */
int eam_table_element(const struct eam_table *table, const char *species);

#endif
