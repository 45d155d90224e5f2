#include "boxes/files/readers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what both formats share ---- */

/* The box while its particles are read one by one: it is allocated, with molecules. */
struct particle_reader {
    struct box *box;
    size_t next;         /* particle */
    int32_t last_type;   /* looked at first */
    struct span residue; /* of the particle before; a particle with another begins a molecule */
    int32_t molecule;    /* its number: 1, 2, ... */
};

/* What stands in columns first to last, without the blanks around it; empty where the line is
 * shorter. */
static struct span field_of(struct span line, size_t first, size_t last) {
    const size_t length = span_length(line);
    const size_t end = last < length ? last : length;
    struct span field = { line.begin + (first - 1 < end ? first - 1 : end), line.begin + end };
    while (field.begin < field.end && *field.begin == ' ') {
        field.begin++;
    }
    while (field.begin < field.end && field.end[-1] == ' ') {
        field.end--;
    }
    return field;
}

/* The columns of a number, from 1, and what it is called. */
struct number_field {
    size_t first, last;
    const char *what;
    int shift; /* the power of ten that it is multiplied by */
};

/* A decimal number that must stand there and end in the last column. */
static bool field_number(const struct reader *reader, struct span line,
                         const struct number_field *number, double *value) {
    char digits[40] = "";
    const size_t last = number->last;
    struct span field = field_of(line, number->first, last);
    const size_t length = span_length(field);
    /* A number ends in its last column; where it does not, the line has lost a character. */
    const bool aligned = length > 0 && field.end == line.begin + last;
    char *end = digits;
    if (aligned && length < sizeof digits - 8 && strspn(field.begin, "+-.0123456789") >= length) {
        /* With the exponent among the digits, the number is rounded once. */
        (void)snprintf(digits, sizeof digits, "%.*se%d", (int)length, field.begin, number->shift);
        *value = strtod(digits, &end);
    }
    return (end > digits && *end == '\0') ||
           reader_fail(reader, "%s (columns %zu-%zu) is '%s'%s; expected a decimal number",
                       number->what, number->first, last, show(field).text,
                       length > 0 && !aligned ? ", which does not end there" : "");
}

/* Allocates n particles, none of which has a type yet. */
static bool particles_begin(const struct reader *reader, size_t n, struct box *box,
                            struct particle_reader *particles) {
    if (!box_allocate(n, box, reader->error)) {
        return false;
    }
    box->molecule = calloc(n > 0 ? n : 1, sizeof *box->molecule);
    box->types = 0;
    *particles = (struct particle_reader){ .box = box };
    return box->molecule || fail_out_of_memory(reader->error, "the molecules of a box");
}

static bool is_species(const struct box *box, int32_t type, struct span name) {
    const char *known = box->species[type];
    return span_same((struct span){ known, known + strlen(known) }, name);
}

/* Adds a particle of this species, of at most SPECIES_SIZE - 1 characters, and of this molecule;
 * *particle is its number. */
static bool particles_add(const struct reader *reader, struct particle_reader *particles,
                          struct span species, struct span residue, size_t *particle) {
    struct box *box = particles->box;
    int32_t type = particles->last_type;
    if (type >= box->types || !is_species(box, type, species)) {
        type = 0;
        while (type < box->types && !is_species(box, type, species)) {
            type++;
        }
        if (type == box->types && !reader_add_species(reader, species, box)) {
            return false;
        }
        particles->last_type = type;
    }
    if (particles->next == 0 || !span_same(residue, particles->residue)) {
        particles->molecule++;
    }
    particles->residue = residue;
    *particle = particles->next++;
    box->type[*particle] = type;
    box->molecule[*particle] = particles->molecule;
    return true;
}

/* ---- GROMACS ---- */

/* GROMACS' .gro: a title, a count, an atom per line, the vectors of the cell. */
/* 20 columns of numbers and names, then numbers of equal width: three coordinates, with one decimal
 * more three velocities. */
enum { NAMES = 20, MIN_WIDTH = 6, MAX_WIDTH = 24, TO_ANGSTROM = 1 };

struct gro_layout {
    size_t width; /* of a number */
    bool velocities;
};

static bool read_count(struct reader *reader, size_t *n) {
    struct span line;
    const bool titled = reader_next_line(reader, &line);
    if (!titled || !reader_next_line(reader, &line)) {
        reader->line++;
        return reader_fail(reader, "the file ends; expected a title and, in line 2, how many atoms "
                                   "there are");
    }
    struct span word = next_word(&line);
    return (span_length(next_word(&line)) == 0 && span_to_count(word, n)) ||
           reader_fail(reader, "'%s'; expected the number of atoms alone, 1 to %d", show(word).text,
                       BOX_MAX_PARTICLES);
}

/* Finds the layout from the first atom: numbers are as wide as their decimal points are apart. */
static bool find_layout(const struct reader *reader, struct span line, struct gro_layout *layout) {
    const size_t length = span_length(line);
    const char *numbers = line.begin + (length < NAMES ? length : NAMES);
    const char *first = memchr(numbers, '.', (size_t)(line.end - numbers));
    const char *second = first ? memchr(first + 1, '.', (size_t)(line.end - first - 1)) : NULL;
    layout->width = second ? (size_t)(second - first) : 0;
    if (layout->width < MIN_WIDTH || layout->width > MAX_WIDTH) {
        return reader_fail(reader,
                           "no two decimal points after column %d that are %d to %d "
                           "columns apart; expected three coordinates, as %%8.3f",
                           NAMES, MIN_WIDTH, MAX_WIDTH);
    }
    layout->velocities =
        span_length(field_of(line, NAMES + 3 * layout->width + 1, NAMES + 6 * layout->width)) > 0;
    return true;
}

/* Three numbers after `before` columns. */
static bool read_three(const struct reader *reader, struct span line, size_t before, size_t width,
                       const char *vector, double three[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        char what[32];
        (void)snprintf(what, sizeof what, "%s%c", vector, "xyz"[axis]);
        if (!field_number(reader, line,
                          &(struct number_field){ before + axis * width + 1,
                                                  before + (axis + 1) * width, what, TO_ANGSTROM },
                          &three[axis])) {
            return false;
        }
    }
    return true;
}

/* OW of OW, HW of HW1, HB of 1HB2: digits number atoms of one kind. */
static struct span species_of(struct span name) {
    struct span species = name;
    while (species.begin < species.end && *species.begin >= '0' && *species.begin <= '9') {
        species.begin++;
    }
    while (species.begin < species.end && species.end[-1] >= '0' && species.end[-1] <= '9') {
        species.end--;
    }
    return species;
}

static bool read_gro_atom(const struct reader *reader, struct span line,
                          const struct gro_layout *layout, struct particle_reader *particles) {
    struct box *box = particles->box;
    const size_t positions = NAMES + 3 * layout->width;
    const struct span species = species_of(field_of(line, 11, 15));
    size_t i = 0;
    struct span number = field_of(line, 1, 5);
    number.begin += span_length(number) > 0 && *number.begin == '-'; /* a tag before residue 1 */
    if (!span_is_whole(number)) {
        return reader_fail(reader,
                           "the residue's number (columns 1-5) is '%s'; expected a whole "
                           "number",
                           show(field_of(line, 1, 5)).text);
    }
    if (!span_is_name(species)) {
        return reader_fail(reader, "the atom's name (columns 11-15) is '%s'; expected a name",
                           show(field_of(line, 11, 15)).text);
    }
    if (!layout->velocities && span_length(field_of(line, positions + 1, SIZE_MAX)) > 0) {
        return reader_fail(reader,
                           "'%s' behind the coordinates; expected velocities of all atoms "
                           "or of none, as the first has none",
                           show(field_of(line, positions + 1, SIZE_MAX)).text);
    }
    const struct span residue = { line.begin, line.begin + 10 };
    return particles_add(reader, particles, species, residue, &i) &&
           read_three(reader, line, NAMES, layout->width, "", box->position + 3 * i) &&
           (!layout->velocities ||
            read_three(reader, line, positions, layout->width, "velocity ", box->velocity + 3 * i));
}

/* Vectors in GROMACS' order: the diagonal, then a_y a_z b_x b_z c_x c_y; three numbers are the
 * diagonal, and zeros no cell. */
static bool read_gro_cell(struct reader *reader, struct box *box) {
    static const int place[9] = { 0, 4, 8, 1, 2, 3, 5, 6, 7 };
    double vectors[9] = { 0 };
    struct error error;
    struct span line;
    int count = 0;
    bool any = false;
    if (!reader_next_line(reader, &line)) {
        reader->line++;
        return reader_fail(reader, "the file ends; expected the vectors of the cell");
    }
    for (struct span word = next_word(&line); span_length(word) > 0; word = next_word(&line)) {
        const struct span alone = { word.begin, word.end };
        const size_t wide = span_length(alone);
        double *number = &vectors[place[count < 9 ? count : 8]];
        if (!field_number(reader, alone,
                          &(struct number_field){ 1, wide, "a number of the cell", TO_ANGSTROM },
                          number)) {
            return false;
        }
        any = any || *number != 0.0;
        count++;
    }
    if (count != 3 && count != 9) {
        return reader_fail(reader, "%d numbers for the cell; expected 3 or 9, zeros of an open box",
                           count);
    }
    return !any || reader_set_cell(reader, vectors, box, &error) ||
           reader_fail(reader, "the cell: %s", error.message);
}

/* Other frames, each a title, which may be empty, a count, as many atoms and a cell. */
static bool check_rest(struct reader *reader, struct box *box) {
    struct span line;
    size_t count;
    bool is_titled = false; /* by an empty line */
    while (reader_next_line(reader, &line)) {
        struct span words = line;
        if (span_length(next_word(&words)) == 0) {
            is_titled = true;
            continue;
        }
        struct span second;
        if (!(is_titled && span_is_count(line, &count)) &&
            !(reader_next_line(reader, &second) && span_is_count(second, &count))) {
            return reader_fail(reader,
                               "'%s' after the cell; expected the end of the file or another "
                               "frame",
                               show(line).text);
        }
        reader_skip_lines(reader, count + 1);
        box->left_out++;
        is_titled = false;
    }
    return true;
}

/* Memory is not taken for more atoms than the file can hold. */
static bool check_room(const struct reader *reader, size_t n) {
    const size_t left = (size_t)(reader->end - reader->at);
    return n <= left / NAMES + 1 ||
           reader_fail(reader, "%zu atoms, but only %zu bytes follow: too few for as many lines", n,
                       left);
}

/* Three or nine decimal numbers, as the last line has. */
static bool looks_like_cell(struct span line) {
    int count = 0;
    for (struct span word = next_word(&line); span_length(word) > 0; word = next_word(&line)) {
        for (const char *c = word.begin; c < word.end; c++) {
            if (!strchr("+-.0123456789", *c)) { /* no text has a zero byte */
                return false;
            }
        }
        if (!memchr(word.begin, '.', span_length(word))) {
            return false;
        }
        count++;
    }
    return count == 3 || count == 9;
}

/* The cell. An atom in its place means that line 2 counts too few. */
static bool read_end(struct reader *reader, size_t n, struct box *box) {
    struct span line = { reader->at, reader->at };
    struct reader ahead = *reader;
    const bool any = reader_next_line(&ahead, &line);
    return read_gro_cell(reader, box) ||
           (any && span_is_whole(field_of(line, 1, 5)) && span_is_whole(field_of(line, 16, 20)) &&
            reader_fail(reader,
                        "an atom; expected the vectors of the cell after the %zu that line "
                        "2 announces",
                        n));
}

bool gro_read(struct reader *reader, struct box *box) {
    struct particle_reader particles;
    struct gro_layout layout = { 0 };
    size_t n = 0;
    bool read = read_count(reader, &n) && check_room(reader, n) &&
                particles_begin(reader, n, box, &particles);
    for (size_t i = 0; read && i < n; i++) {
        struct span line;
        if (!reader_next_line(reader, &line)) {
            reader->line++;
            read = reader_fail(reader,
                               "the file ends after %zu atoms; expected %zu, as line 2 says", i, n);
            break;
        }
        read = (i > 0 || (find_layout(reader, line, &layout) &&
                          (!layout.velocities || box_add_velocities(box, reader->error)))) &&
               read_gro_atom(reader, line, &layout, &particles);
        if (!read && i > 0 && looks_like_cell(line)) {
            (void)reader_fail(reader, "the vectors of the cell after %zu atoms; line 2 says %zu", i,
                              n);
        }
    }
    box->uncharged = true;
    return read && read_end(reader, n, box) && check_rest(reader, box);
}

/* ---- PDB ---- */

static bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* PDB, format 3.3 (https://www.wwpdb.org/documentation/file-format): CRYST1, ATOM, HETATM. Serial
 * numbers that are too long for columns 7-11 stand in front of these or after. */
static bool begins(struct span line, const char *word) {
    const size_t length = strlen(word);
    return span_length(line) >= length && strncasecmp(line.begin, word, length) == 0 &&
           (length == 6 || span_length(line) == length || !is_letter(line.begin[length]));
}

static bool is_atom(struct span line) {
    return begins(line, "ATOM") || begins(line, "HETATM");
}

/* What ends the first model, or the file. */
static bool is_end(struct span line) {
    return begins(line, "ENDMDL") || begins(line, "END");
}

/* Whether an atom stands in the same line after another record, because a newline was lost. Titles
 * and remarks may say anything. */
static bool has_atom_behind(struct span line) {
    static const char *const records[] = { "ATOM",  "HETATM", "ANISOU", "CRYST1",
                                           "MODEL", "END",    "TER",    NULL };
    int r = 0;
    while (records[r] && (span_length(line) < strlen(records[r]) ||
                          strncasecmp(line.begin, records[r], strlen(records[r])) != 0)) {
        r++;
    }
    for (const char *c = line.begin + 1; records[r] && c + 6 <= line.end; c++) {
        if (strncasecmp(c, "ATOM ", 5) == 0 || strncasecmp(c, "HETATM", 6) == 0) {
            return true;
        }
    }
    return false;
}

/* Three coordinates where atoms have them, as %8.3f, under no name that says something else. */
static bool has_coordinates(struct span line) {
    static const char *const others[] = { "REMARK", "SIGATM", "USER", "TITLE", NULL };
    bool has = !is_atom(line) && span_length(line) >= 54;
    for (int k = 0; others[k] && has; k++) {
        has = !begins(line, others[k]);
    }
    for (size_t axis = 0; axis < 3 && has; axis++) {
        const struct span number = field_of(line, 31 + 8 * axis, 38 + 8 * axis);
        has = span_length(number) >= 5 && number.end == line.begin + 38 + 8 * axis &&
              number.end[-4] == '.' && strspn(number.begin, "+-.0123456789") >= span_length(number);
    }
    return has;
}

/* Refuses a line that looks like an atom or another record but does not begin like one: it would be
 * skipped without a word. */
static bool check_is_no_record(const struct reader *reader, struct span line) {
    if (has_atom_behind(line)) {
        return reader_fail(reader, "an atom behind another record; expected a line of its own");
    }
    if (has_coordinates(line)) {
        struct span words = line;
        return reader_fail(reader,
                           "'%s' has coordinates in columns 31-54; expected ATOM or HETATM before "
                           "them",
                           show(next_word(&words)).text);
    }
    const struct span whole = line;
    const struct span word = next_word(&line);
    const struct span rest = { word.begin, whole.end };
    return word.begin == whole.begin ||
           !(is_atom(rest) || is_end(rest) || begins(rest, "CRYST1")) ||
           reader_fail(reader, "'%s' begins in column %d; expected records to begin in column 1",
                       show(word).text, (int)(word.begin - whole.begin) + 1);
}

/* Where another model begins: MODEL, or the cell of another frame. */
static bool is_begin(struct span line) {
    return begins(line, "MODEL") || begins(line, "CRYST1");
}

/* MASTER counts the coordinates of the first model, as far as its columns go. */
static bool check_master(const struct reader *reader, struct span line, size_t n) {
    const struct span count = field_of(line, 51, 55);
    size_t stated = 0;
    return !begins(line, "MASTER") || n > 99999 || span_length(count) == 0 ||
           (span_is_count(count, &stated) && stated == n) ||
           reader_fail(reader,
                       "MASTER counts '%s' lines of ATOM and HETATM (columns 51-55), the first "
                       "model has %zu",
                       show(count).text, n);
}

/* Skips and counts the models after the first. Atoms after the first model's end that no other
 * model begins are refused. */
static bool check_models(struct reader *reader, struct box *box) {
    const size_t end = reader->line;
    struct span line;
    bool begun = false, counted = false;
    while (reader_next_line(reader, &line)) {
        if (!check_is_no_record(reader, line) || !check_master(reader, line, box->n)) {
            return false;
        }
        if (is_atom(line) && !begun) {
            return reader_fail(reader,
                               "an atom behind the end of the model in line %zu; expected MODEL "
                               "or CRYST1 before it, or one END behind all atoms",
                               end);
        }
        box->left_out += is_atom(line) && !counted;
        counted = (counted || is_atom(line)) && !is_end(line);
        begun = (begun || is_begin(line)) && !is_end(line);
    }
    return true;
}

/* How many atoms there are from here to the end of the first model. */
static bool count_atoms(const struct reader *reader, size_t *n) {
    struct reader ahead = *reader;
    struct span line;
    *n = 0;
    while (reader_next_line(&ahead, &line)) {
        if (!check_is_no_record(&ahead, line)) {
            return false;
        }
        if (is_end(line)) {
            break;
        }
        if (*n > 0 && begins(line, "MODEL")) {
            return reader_fail(&ahead, "MODEL behind atoms; expected ENDMDL before it");
        }
        *n += is_atom(line);
    }
    if (*n < 1 || *n > BOX_MAX_PARTICLES) {
        ahead.line = 1;
        return reader_fail(&ahead, "%zu lines of ATOM or HETATM; expected 1 to %d", *n,
                           BOX_MAX_PARTICLES);
    }
    return true;
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
    return reader_set_cell(reader, vectors, box, &error) ||
           reader_fail(reader, "the cell: %s", error.message);
}

static bool read_cryst1(struct reader *reader, struct span line, struct box *box) {
    static const char *const names[] = { "a", "b", "c", "alpha", "beta", "gamma" };
    static const size_t first[] = { 7, 16, 25, 34, 41, 48, 55 };
    double number[6] = { 0 };
    for (int k = 0; k < 6; k++) {
        if (!field_number(reader, line,
                          &(struct number_field){ first[k], first[k + 1] - 1, names[k], 0 },
                          &number[k])) {
            return false;
        }
    }
    const bool zeros = number[0] == 0.0 && number[1] == 0.0 && number[2] == 0.0;
    for (int k = 0; k < 6 && !zeros; k++) {
        if (!(number[k] > 0.0)) {
            return reader_fail(reader, "%s (columns %zu-%zu) is %g; expected a positive number",
                               names[k], first[k], first[k + 1] - 1, number[k]);
        }
    }
    if (box->periodic) {
        return reader_fail(reader, "CRYST1 again; expected one cell");
    }
    const bool none = zeros || (number[0] == 1.0 && number[1] == 1.0 && number[2] == 1.0);
    return none || set_cell(reader, number, number + 3, box);
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
    for (const char *c = field.begin; c < field.end; c++) {
        if (is_letter(*c)) { /* old files number their lines there */
            return field;
        }
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

static bool read_pdb_atom(const struct reader *reader, struct span line,
                          struct particle_reader *particles) {
    static const char *const names[] = { "x", "y", "z" };
    struct box *box = particles->box;
    char element[2];
    const size_t letters = element_of(line, element);
    const struct span location = field_of(line, 17, 17);
    size_t i = 0;
    if (memchr(line.begin, '\t', span_length(line))) {
        return reader_fail(reader, "a tab; expected blanks, which columns are counted by");
    }
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
        if (!field_number(reader, line,
                          &(struct number_field){ 31 + 8 * axis, 38 + 8 * axis, names[axis], 0 },
                          &box->position[3 * i + axis])) {
            return false;
        }
    }
    return true;
}

bool pdb_read(struct reader *reader, struct box *box) {
    struct particle_reader particles;
    struct span line;
    size_t n = 0;
    bool read = count_atoms(reader, &n) && particles_begin(reader, n, box, &particles);
    bool lost = false;
    while (read && reader_next_line(reader, &line) && !is_end(line)) {
        read = begins(line, "CRYST1") ? read_cryst1(reader, line, box)
               : is_atom(line)        ? read_pdb_atom(reader, line, &particles)
                                      : check_master(reader, line, n);
        lost = lost || (is_atom(line) && has_lost_number(line));
        if (begins(line, "TER")) { /* the next residue is another, even of the same number */
            particles.residue = (struct span){ line.begin, line.begin };
        }
    }
    if (lost) { /* residues that follow each other would be one molecule */
        free(box->molecule);
        box->molecule = NULL;
    }
    box->uncharged = true;
    return read && check_models(reader, box);
}
