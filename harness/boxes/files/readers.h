/*
 * readers — files of boxes, line by line and word by word (private to harness/boxes/files).
 *
 * Errors name path and line: "path:line: what is wrong; expected what".
 */
#ifndef PAIRMARK_BOXES_FILES_READERS_H
#define PAIRMARK_BOXES_FILES_READERS_H

#include "boxes/box.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- lines and words ---- */

struct span {
    const char *begin, *end;
};

struct reader {
    const char *path;
    const char *at, *end; /* what has not been read; *end is '\0' */
    size_t line;          /* number of the line read last; 0 before the first */
    struct error *error;
    double rotation[9];     /* row-major, of the positions; where the box says that it is rotated */
    const char *atom_style; /* of a LAMMPS data file that does not name its own; NULL: not said */
    struct box_pairs *pairs; /* NULL: nobody asks */
};

/* Fails with "path:line: " before the words. Returns false. */
bool reader_fail(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next line without its line end (\n or \r\n); false at the end of the text. */
bool reader_next_line(struct reader *reader, struct span *line);
void reader_skip_lines(struct reader *reader, size_t count); /* as many as there are */

/* The next word of a line, parted by blanks and tabs, and moves line->begin past it; empty at the
 * end. */
struct span next_word(struct span *line);

static inline size_t span_length(struct span span) {
    return (size_t)(span.end - span.begin);
}

bool span_is(struct span span, const char *text); /* without regard to case */
bool span_same(struct span a, struct span b);     /* letter by letter */

/* Whether it is digits alone; whether a line is one such word, and which number that is. */
bool span_is_whole(struct span word);
bool span_is_count(struct span line, size_t *count);

/* The whole word as a number of particles, digits alone: 1 to BOX_MAX_PARTICLES. */
bool span_to_count(struct span word, size_t *count);

/* Whether it is one word, which XYZ can hold: no blank and nothing that is no character. */
bool span_is_name(struct span span);

/* The whole word as a finite number; *not_finite says whether one that was refused is NaN, an
 * infinity or too large. */
bool span_to_double(struct span word, double *value, bool *not_finite);

/* A word from the file fit for a message: cut short, without control characters. */
struct shown {
    char text[48];
};
struct shown show(struct span word);

/* A number that the file must have at `what` ("pos (column 3)"). */
bool reader_number(const struct reader *reader, struct span word, const char *what, double *value);

enum { MAX_SPECIES = 1000 };

/* A species more of the box, of a name that is short enough. */
bool reader_add_species(const struct reader *reader, struct span name, struct box *box);

/* Sets the cell of a periodic box to that of these vectors. False with the reason, without a place.
 */
bool reader_set_cell(struct reader *reader, const double vectors[9], struct box *box,
                     struct error *error);

/* ---- the second line of an XYZ file ---- */

/* Where the quantities stand in a particle's line; -1: not there. */
struct columns {
    int count;  /* words a line */
    bool exact; /* more words than that are an error */
    int species, name, type, position, charge, molecule, velocity, momentum, mass;
    int number;  /* the element's */
    int charges; /* as calculators name what they find: charge, where there is no other */
    int text;    /* words under a name that says nothing */
};

/* Line 2: the cell and the columns. Sets periodic, cell and rotated of the box. */
bool xyz_read_comment(struct reader *reader, struct span line, struct box *box,
                      struct columns *columns);

/* ---- files of fixed columns: columns are counted from 1; errors name them, too ---- */

/* GROMACS: residues are molecules, species the names of atoms without the digits around them;
 * lengths in nm become angstrom, nm/ps angstrom/ps. Of a trajectory, the first frame. */
bool gro_read(struct reader *reader, struct box *box);

/* PDB: CRYST1, ATOM and HETATM of the first model. Residues are molecules, species elements: of
 * columns 77 and 78 or, where these are empty, of the atom's name. Where a residue's number is
 * asterisks, the box says no molecules. Without CRYST1, or with the edges 1 1 1 that stand for
 * none, or 0 0 0, the box is open. Names of records may be in lower case. Refused: alternate
 * locations, lines that would be such records if they began in column 1, and atoms after the end
 * of a model that are of no other. */
bool pdb_read(struct reader *reader, struct box *box);

/* ---- data files of LAMMPS ---- */

/* atom_style atomic, charge, full, molecular, bond and angle, by "Atoms # STYLE" or the reader's
 * atom_style; without either, five columns are atomic. Particles are in the order of the atoms'
 * numbers. Species are the labels of types, else the words after # in Masses, else the types'
 * numbers. Molecules are those of the column, else what Bonds joins; molecule 0 is an atom by
 * itself. The cell is periodic, which data files do not say. Numbers are taken as they are, in the
 * file's units; image flags and all other sections are skipped, Pair Coeffs and PairIJ Coeffs where
 * nobody asks for pairs. Errors name path and line. */
bool lammps_read(struct reader *reader, struct box *box);

/* Where the file has coefficients of pairs, and of which style. */
struct pair_sections {
    const struct reader *of_types, *of_pairs; /* at the first row; NULL: not there */
    const struct reader *first;               /* whichever there is */
    size_t types;
    const int32_t *type_of;           /* of the box, by the type of the file; -1: does not occur */
    const char (*name)[SPECIES_SIZE]; /* of each type */
};
/* Fills in pairs->lj and their lines. Errors name path and line. */
bool lammps_read_pairs(const struct pair_sections *sections, struct box_pairs *pairs);

/* The next line that says something, its comment split off; false at the end of the file. */
bool lammps_next_row(struct reader *reader, struct span *row, struct span *comment);
bool span_begins_with_letter(struct span row);
/* The next row of a section; false at its end. */
bool lammps_row(struct reader *reader, struct span *row);
/* The same where rows begin with a type, which may be a label; `comment` may be NULL. */
bool lammps_typed_row(struct reader *reader, const char (*name)[SPECIES_SIZE], size_t types,
                      struct span *row, struct span *comment);
/* The words of a row, `most` at most; returns how many there are. */
int lammps_words(struct span row, struct span *words, int most);
/* A whole number that the file must have from `least` to `most`. */
bool lammps_whole(const struct reader *reader, struct span word, const char *what, double least,
                  double most, int64_t *number);
/* A type by its label or its number, counted from 0. */
bool lammps_type(const struct reader *reader, struct span word, const char (*name)[SPECIES_SIZE],
                 size_t types, size_t *type);

/* ---- symbols of the chemical elements and their masses ---- */

/* The symbol of an atomic number, "X" of 0; NULL: none has it. */
const char *element_symbol(size_t number);

/* The standard atomic weight in g/mol, as IUPAC gives it for everyday use (J. Meija et al., Pure
 * Appl. Chem. 88 (2016) 265); 0 for a word that is no symbol and for elements that have none. */
double element_mass(const char *symbol, size_t length);

/* ---- which format a file has ---- */

typedef bool box_reader(struct reader *reader, struct box *box);

/* What reads the file that `reader` begins: its name and its content say so. NULL: XYZ. */
box_reader *reader_of_format(const struct reader *reader);

/* Appends ": this looks like ..." and how such a file is read; nothing where it looks like nothing
 * that is known. `text`: the file's. */
void other_format_hint(const struct reader *reader, struct span text, struct strbuf *hint);

#endif
