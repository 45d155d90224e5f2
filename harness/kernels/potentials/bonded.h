/*
 * bonded — terms between listed particles: harmonic bonds and angles, periodic and
 * Ryckaert-Bellemans torsions; and distances that are constrained, which have no energy.
 *
 * With r the distance of i and j, theta the angle at j between i and k, phi the torsion of
 * i, j, k, l (0 where i and l are on the same side of the bond from j to k, positive where l is
 * turned clockwise from i, seen from j to k), and psi = phi - 180 degrees:
 *
 *   bonds         i,j,k,r0                                      k/2 (r - r0)^2
 *   angles        i,j,k,force_constant,theta0_degrees           force_constant/2 (theta - theta0)^2
 *   torsions      i,j,k,l,force_constant,multiplicity,phi0_degrees
 *                                            force_constant (1 + cos(multiplicity phi - phi0))
 *   rb_torsions   i,j,k,l,c0,c1,c2,c3,c4,c5                     sum over m of c_m cos(psi)^m
 *
 *   constraints   i,j,length                                    r = length
 *
 * Angles are in radians in the energies and in degrees in the files; force constants of angles are
 * energies per square radian. Every bond vector is the one to the nearest image, so a term may
 * cross the faces of the cell.
 *
 * A file of bonds, angles or torsions may say the energy itself, of r, theta or phi (in radians)
 * and of what its columns are called: a line "energy = ..." before that of the columns, as
 * kernels/expressions/expression.h reads it, and columns i,j,... and up to six parameters; or name
 * a file of kernel text by energy = kernel "FILE".
 *
 * Terms stand in files of their own, or belong to a box that is made (bonded_of_kind,
 * constraints_resolve).
 */
#ifndef PAIRMARK_KERNELS_POTENTIALS_BONDED_H
#define PAIRMARK_KERNELS_POTENTIALS_BONDED_H

#include "boxes/box.h"
#include "core/cache.h"
#include "core/strings.h"

enum bonded_kind {
    BONDED_BONDS,
    BONDED_ANGLES,
    BONDED_TORSIONS,
    BONDED_RB_TORSIONS,
    BONDED_KINDS, /* of terms that have an energy */
    LISTED_CONSTRAINTS = BONDED_KINDS,
    LISTED_KINDS
};

enum {
    BONDED_MAX_ATOMS = 4,
    BONDED_MAX_PARAMETERS = 6,
    BONDED_MAX_MULTIPLICITY = 12,
    BONDED_MAX_TERMS = 1 << 27 /* of all kinds: kernels number the places of a term by int */
};

/* What terms of a kind are made of. */
struct bonded_form {
    const char *variable; /* of which an energy may be written: "r"; NULL: none */
    const char *name;     /* "bonds" */
    const char *option;   /* "--bonds" */
    const char *term;     /* "a bond" */
    const char *header;   /* the first line of a file */
    int atoms;
    int parameters;
};
extern const struct bonded_form bonded_forms[LISTED_KINDS];

enum { BONDED_MAX_CONSTANTS = 8 };

struct expression;
struct pair_text;

/* An energy that a file says: by an expression, or by kernel text (pair_text.h). */
struct bonded_energy {
    struct expression *expression; /* NULL: not by one */
    struct pair_text *text;        /* likewise */
    char *words; /* for the reference: the expression, the columns as parameters after it */
    int columns; /* parameters of a term; the expression's own stand before them, and are alike */
    int constants;
    double constant[BONDED_MAX_CONSTANTS];
};

/* The terms of one kind, in the order in which they were listed. */
struct bonded_list {
    size_t count, capacity;
    int32_t *atom;     /* of term t from [t * form.atoms] on, counted from 0 */
    double *parameter; /* of term t from [t * bonded_parameters()] on, as in the file: degrees */
    int32_t *line;     /* of the file, NULL where there is none */
    char *path;        /* NULL likewise */
    struct bonded_energy written;
};

/* Whether its file says the energy; else that is the form's. */
bool bonded_is_written(const struct bonded_list *list);

/* Numbers that a term of the list has in `parameter`. */
int bonded_parameters(const struct bonded_list *list, const struct bonded_form *form);

/* NULL where parameters of the form are in their ranges; else what is expected. */
const char *bonded_expected(enum bonded_kind kind, const double *parameter);

struct bonded_terms {
    struct bonded_list lists[LISTED_KINDS];
    char hash[HASH_TEXT_SIZE]; /* of atoms and parameters; see bonded_close() */
};

/* Reads the terms of a kind: the header's line, then a line per term; blank lines and comments
 * ('#') are skipped. Particles count from 1. Errors: STATUS_BAD_INPUT as "path:line: what is
 * wrong; expected what" for what is malformed, a term with the same particle twice, a parameter
 * out of its range, more terms than BONDED_MAX_TERMS; those of input_read(). The list was empty. */
bool bonded_read(const char *path, enum bonded_kind kind, struct bonded_terms *terms,
                 struct error *error);
/* Adds a term: form.atoms particles from 0, bonded_parameters() numbers. */
bool bonded_add(struct bonded_terms *terms, enum bonded_kind kind, const int32_t *atom,
                const double *parameter, struct error *error);
/* Computes the hash, after the last list. */
void bonded_close(struct bonded_terms *terms);
void bonded_free(struct bonded_terms *terms); /* also of zeroed ones; zeroes them */

/* Terms of all kinds. */
size_t bonded_count(const struct bonded_terms *terms);

/* Whether the box has the particles. STATUS_BAD_INPUT, naming the line. */
bool bonded_fit(const struct bonded_terms *terms, const struct box *box, struct error *error);

/* Whether a box is of a kind that is made with terms, and these. Of chains: along each a bond
 * between every two particles that follow each other, an angle between every three, a torsion
 * between every four, and from every third particle a Ryckaert-Bellemans torsion, by parameters
 * that depend on the place in the chain. Of proteins: bonds, angles, torsions of one or two
 * multiplicities, improper and Ryckaert-Bellemans torsions of backbone and side groups. Of water:
 * two bonds and an angle per molecule. Of hydrogens: bonds, angles and, of carbons with three of
 * them, an improper torsion of any multiplicity. Of oligomers: bonds, angles, some of them
 * straight, and trans torsions of any multiplicity. Of polymers: hubs of up to 76 terms, several of
 * which are of the same particles. Of degenerate: all terms of four particles in a row, and an
 * improper torsion. */
bool bonded_kind_has_terms(const char *kind); /* angles may follow it */
bool bonded_of_kind(const struct box *box, struct bonded_terms *terms, struct error *error);

/* The terms that are meant in a box: those given, else the box's own, which are put into *made, to
 * be freed in any case. STATUS_BAD_INPUT where the given do not fit or the box has none. */
bool bonded_resolve(const struct bonded_terms *given, const struct box *box,
                    struct bonded_terms *made, const struct bonded_terms **terms,
                    struct error *error);

/* Appends the file's text, as bonded_read() takes it; of terms whose energy is the form's. */
void bonded_write(const struct bonded_terms *terms, enum bonded_kind kind, struct strbuf *text);

/* ---- distances that are constrained ---- */

/* Distances that a step must keep: which there are, what moves, and what of it
 * cannot be.
 *
 * A step begins at the positions of the box, where the lengths need not hold exactly. What each
 * particle would come to without constraints is its displacement: the box's velocity, which stands
 * for one unit of time, or in a box that is made one drawn by the seed. Constraints act along the
 * vectors between particles at the beginning: with s the vector between i and j after the step,
 * |s| = length is wanted; of velocities, that the vector at the beginning is at right angles to
 * their difference.
 *
 * Constraints are listed terms (bonded.h, LISTED_CONSTRAINTS), of a file or of the box's kind:
 *
 *   water                 rigid molecules: O-H 1, H-H sqrt(8/3)
 *   hydrogens             every hydrogen to its heavy particle, 1.09
 *   oligomers, polymers   particles of a molecule that follow each other, 1
 *   triangles             as water, box_bond_length() and box_triangle_base()
 *   stars, complexes      the first particle of a molecule to every other, box_bond_length() */

/* Whether a box is of a kind that is made with constraints. Angles may not follow it: a sheared
 * molecule has other lengths. */
bool constraints_kind_has(const char *kind);

/* The constraints that are meant in a box: those given, else the box's own, which are put into
 * *made, to be freed in any case. STATUS_BAD_INPUT, with the line of a file, where a particle is
 * not there, a pair stands twice, a molecule has more constraints than its 3p - 6 internal degrees
 * of freedom (two particles: 1), a length is not below half the least height of the cell, the box
 * has no constraints, or, of a file, no velocities. */
bool constraints_resolve(const struct bonded_terms *given, const struct box *box,
                         struct bonded_terms *made, const struct bonded_terms **terms,
                         struct error *error);

/* The mass of a particle: the box's; in a box that is made, that of its species (C 12.011, H 1.008,
 * N 14.007, O 15.999; others 1). */
double constraints_mass(const struct box *box, size_t i);

/* What a particle would come to without constraints, or its velocity: the box's velocity; in a box
 * that is made, drawn evenly within 0.12 / sqrt(mass) along each axis, and a number that float
 * holds. */
void constraints_displacement(const struct box *box, size_t i, double displacement[3]);

/* Molecules: particles that constraints join, directly or through others. molecule[i] is the number
 * of particle i's, in the order of their first particles; a particle without constraints is one by
 * itself. Returns how many there are. */
size_t constraints_molecules(const struct bonded_list *list, size_t n, int32_t *molecule);

#endif
