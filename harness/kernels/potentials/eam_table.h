/*
 * eam_table — an embedded-atom potential of one element or several in LAMMPS's form setfl
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
#ifndef PAIRMARK_KERNELS_POTENTIALS_EAM_TABLE_H
#define PAIRMARK_KERNELS_POTENTIALS_EAM_TABLE_H

#include "boxes/box.h"
#include "core/cache.h"

enum { EAM_MAX_ELEMENTS = 16, EAM_MAX_KNOTS = 1 << 20 };

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
