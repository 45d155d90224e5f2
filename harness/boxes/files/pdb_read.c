/* PDB, format 3.3 (https://www.wwpdb.org/documentation/file-format): CRYST1, ATOM, HETATM. */
#include "boxes/files/fixed_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begins(struct span line, const char *word) {
    const size_t length = strlen(word);
    return span_length(line) >= length && memcmp(line.begin, word, length) == 0 &&
           (length == 6 || span_length(line) == length || line.begin[length] == ' ');
}

static bool is_atom(struct span line) {
    return begins(line, "ATOM  ") || begins(line, "HETATM");
}

/* What ends the first model, or the file. */
static bool is_end(struct span line) {
    return begins(line, "ENDMDL") || begins(line, "END");
}

/* How many atoms there are from here to the end of the first model. */
static size_t count_atoms(const struct reader *reader) {
    struct reader ahead = *reader;
    struct span line;
    size_t n = 0;
    while (reader_next_line(&ahead, &line) && !is_end(line)) {
        n += is_atom(line);
    }
    return n;
}

/* The cosine of an angle in degrees; of a right one, 0. */
static double cosine(double degrees) {
    return degrees == 90.0 ? 0.0 : cos(degrees * (3.14159265358979323846 / 180.0));
}

/* a along x, b in the plane of x and y. */
static bool set_cell(struct reader *reader, const double edge[3], const double angle[3],
                     struct box *box) {
    const double alpha = cosine(angle[0]);
    const double beta = cosine(angle[1]);
    const double gamma = cosine(angle[2]);
    const double sine = sqrt(1.0 - gamma * gamma);
    const double along_y = (alpha - beta * gamma) / sine;
    const double rest = 1.0 - beta * beta - along_y * along_y;
    struct error error;
    if (!(sine > 0.0) || !(rest > 0.0)) {
        return reader_fail(reader, "angles of %g, %g and %g degrees; expected those of a cell",
                           angle[0], angle[1], angle[2]);
    }
    const double vectors[9] = { edge[0],
                                0.0,
                                0.0,
                                edge[1] * gamma,
                                edge[1] * sine,
                                0.0,
                                edge[2] * beta,
                                edge[2] * along_y,
                                edge[2] * sqrt(rest) };
    box->periodic = true;
    return cell_from_vectors(vectors, &box->cell, reader->rotation, &box->rotated, &error) ||
           reader_fail(reader, "the cell: %s", error.message);
}

static bool read_cell(struct reader *reader, struct span line, struct box *box) {
    static const char *const names[] = { "a", "b", "c", "alpha", "beta", "gamma" };
    static const size_t first[] = { 7, 16, 25, 34, 41, 48, 55 };
    double number[6];
    for (int k = 0; k < 6; k++) {
        if (!field_number(reader, line, first[k], first[k + 1] - 1, names[k], 0, &number[k])) {
            return false;
        }
        if (!(number[k] > 0.0)) {
            return reader_fail(reader, "%s (columns %zu-%zu) is %g; expected a positive number",
                               names[k], first[k], first[k + 1] - 1, number[k]);
        }
    }
    if (box->periodic) {
        return reader_fail(reader, "CRYST1 again; expected one cell");
    }
    const bool none = number[0] == 1.0 && number[1] == 1.0 && number[2] == 1.0;
    return none || set_cell(reader, number, number + 3, box);
}

static bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Whether the atom is the whole of its residue, as ions are (CL of CL). */
static bool is_ion(struct span line) {
    const struct span name = field_of(line, 13, 16);
    const struct span residue = field_of(line, 18, 20);
    return span_length(name) == 2 && span_length(residue) == 2 &&
           memcmp(name.begin, residue.begin, 2) == 0;
}

/* Where the element stands: in columns 77-78; else in the name, in which elements of one letter
 * begin in column 14 and a name of four letters, of hydrogen's, in 13. Ions are often written from
 * column 14 on, as if their second letter were no part of the element. */
static struct span find_element(struct span line) {
    const struct span field = field_of(line, 77, 78);
    struct span name = field_of(line, 13, 16);
    if (span_length(field) > 0) {
        return field;
    }
    if (span_length(name) == 4) {
        name.end = is_letter(*name.begin) ? name.begin + 1 : name.end;
        return name;
    }
    return is_ion(line) ? name : field_of(line, 13, 14);
}

/* The letters of an element, as many as there are. */
static size_t element_of(struct span line, char element[2]) {
    const struct span field = find_element(line);
    size_t length = 0;
    for (const char *c = field.begin; c < field.end && length < 2; c++) {
        if (is_letter(*c)) {
            element[length] = (char)(length == 0 ? *c & ~0x20 : *c | 0x20);
            length++;
        }
    }
    return length;
}

/* A residue's number that did not fit its columns, as **** */
static bool has_lost_number(struct span line) {
    const struct span number = field_of(line, 23, 26);
    return span_length(number) > 0 && *number.begin == '*';
}

static bool read_atom(const struct reader *reader, struct span line,
                      struct particle_reader *particles) {
    static const char *const names[] = { "x", "y", "z" };
    struct box *box = particles->box;
    char element[2];
    const size_t letters = element_of(line, element);
    const struct span location = field_of(line, 17, 17);
    size_t i = 0;
    if (letters == 0) {
        return reader_fail(reader,
                           "neither the element (columns 77-78) nor the atom's name (columns "
                           "13-16), '%s', has a letter",
                           show(field_of(line, 13, 16)).text);
    }
    if (span_length(location) > 0) {
        return reader_fail(reader,
                           "alternate location '%s' (column 17); expected one location per "
                           "atom: keep one of them",
                           show(location).text);
    }
    if (!particles_add(reader, particles, (struct span){ element, element + letters },
                       field_of(line, 18, 27), &i)) {
        return false;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        if (!field_number(reader, line, 31 + 8 * axis, 38 + 8 * axis, names[axis], 0,
                          &box->position[3 * i + axis])) {
            return false;
        }
    }
    return true;
}

bool pdb_read(struct reader *reader, struct box *box) {
    struct particle_reader particles;
    struct span line;
    const size_t n = count_atoms(reader);
    if (n < 1 || n > BOX_MAX_PARTICLES) {
        reader->line = 1;
        return reader_fail(reader, "%zu lines of ATOM or HETATM; expected 1 to %d", n,
                           BOX_MAX_PARTICLES);
    }
    bool read = particles_begin(reader, n, box, &particles);
    bool lost = false;
    while (read && reader_next_line(reader, &line) && !is_end(line)) {
        read = begins(line, "CRYST1") ? read_cell(reader, line, box)
               : is_atom(line)        ? read_atom(reader, line, &particles)
                                      : true;
        lost = lost || (is_atom(line) && has_lost_number(line));
    }
    if (lost) { /* residues that follow each other would be one molecule */
        free(box->molecule);
        box->molecule = NULL;
    }
    return read;
}
