#include "boxes/files/readers.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lines and words ---- */

bool reader_fail(const struct reader *reader, const char *format, ...) {
    char words[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%zu: %s", reader->path, reader->line, words);
}

bool reader_next_line(struct reader *reader, struct span *line) {
    if (reader->at == reader->end) {
        return false;
    }
    const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    line->begin = reader->at;
    line->end = newline ? newline : reader->end;
    reader->at = newline ? newline + 1 : reader->end;
    reader->line++;
    if (line->end > line->begin && line->end[-1] == '\r') {
        line->end--;
    }
    return true;
}

void reader_skip_lines(struct reader *reader, size_t count) {
    struct span line;
    while (count > 0 && reader_next_line(reader, &line)) {
        count--;
    }
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

struct span next_word(struct span *line) {
    const char *at = line->begin;
    while (at < line->end && is_blank(*at)) {
        at++;
    }
    struct span word = { at, at };
    while (word.end < line->end && !is_blank(*word.end)) {
        word.end++;
    }
    line->begin = word.end;
    return word;
}

bool span_is(struct span span, const char *text) {
    return strlen(text) == span_length(span) &&
           strncasecmp(span.begin, text, span_length(span)) == 0;
}

bool span_same(struct span a, struct span b) {
    const size_t length = span_length(a);
    return length == span_length(b) && (length == 0 || memcmp(a.begin, b.begin, length) == 0);
}

bool span_is_name(struct span span) {
    bool name = span_length(span) > 0;
    for (const char *c = span.begin; c < span.end; c++) {
        name = name && (unsigned char)*c > ' ' && *c != '\177';
    }
    return name;
}

bool span_is_whole(struct span word) {
    bool whole = span_length(word) > 0;
    for (const char *c = word.begin; c < word.end; c++) {
        whole = whole && *c >= '0' && *c <= '9';
    }
    return whole;
}

bool span_is_count(struct span line, size_t *count) {
    const struct span word = next_word(&line);
    *count = span_is_whole(word) ? (size_t)strtoull(word.begin, NULL, 10) : 0;
    return span_is_whole(word) && span_length(next_word(&line)) == 0;
}

bool span_to_count(struct span word, size_t *count) {
    uint64_t number = 0;
    bool digits = span_length(word) > 0;
    for (const char *c = word.begin; digits && c < word.end; c++) {
        number = 10 * number + (uint64_t)(*c - '0');
        digits = *c >= '0' && *c <= '9' && number <= BOX_MAX_PARTICLES;
    }
    *count = (size_t)number;
    return digits && number >= 1;
}

bool span_to_double(struct span word, double *value, bool *not_finite) {
    const enum decimal number = read_decimal(word.begin, span_length(word), value);
    *not_finite = number == DECIMAL_BEYOND && !(fabs(*value) < 1.0);
    return number == DECIMAL_FINITE || (number == DECIMAL_BEYOND && fabs(*value) < 1.0);
}

struct shown show(struct span word) {
    struct shown shown;
    size_t most = sizeof shown.text - 4;
    size_t length = span_length(word) < most ? span_length(word) : most;
    for (size_t k = 0; k < length; k++) {
        char c = word.begin[k];
        shown.text[k] = c >= ' ' && c <= '~' ? c : '?';
    }
    strcpy(shown.text + length, length < span_length(word) ? "..." : "");
    return shown;
}

bool reader_number(const struct reader *reader, struct span word, const char *what, double *value) {
    bool not_finite;
    if (span_to_double(word, value, &not_finite)) {
        return true;
    }
    return reader_fail(reader, "%s is '%s', %s; expected a finite number", what, show(word).text,
                       not_finite ? "which is not finite" : "which is no number");
}

bool reader_set_cell(struct reader *reader, const double vectors[9], struct box *box,
                     struct error *error) {
    struct cell_frame frame;
    if (!cell_from_vectors(vectors, &box->cell, &frame, error)) {
        return false;
    }
    memcpy(reader->rotation, frame.rotation, sizeof reader->rotation);
    box->rotated = frame.rotated;
    memcpy(box->reversed, frame.reversed, sizeof box->reversed);
    box->periodic = true;
    return true;
}

bool reader_add_species(const struct reader *reader, struct span name, struct box *box) {
    if (box->types >= MAX_SPECIES) {
        return reader_fail(reader, "more than %d species; expected fewer", MAX_SPECIES);
    }
    char(*species)[SPECIES_SIZE] =
        realloc(box->species, ((size_t)box->types + 1) * sizeof *species);
    if (!species) {
        return fail_out_of_memory(reader->error, "the species of a box");
    }
    box->species = species;
    memset(species[box->types], 0, sizeof *species);
    memcpy(species[box->types++], name.begin, span_length(name));
    return true;
}

/* ---- elements ---- */

static const struct element {
    char symbol[3];
    double mass; /* 0: no isotope of it is stable enough for a standard weight */
} elements[] = {
    { "H", 1.008 },        { "He", 4.002602 }, { "Li", 6.94 },         { "Be", 9.0121831 },
    { "B", 10.81 },        { "C", 12.011 },    { "N", 14.007 },        { "O", 15.999 },
    { "F", 18.998403163 }, { "Ne", 20.1797 },  { "Na", 22.98976928 },  { "Mg", 24.305 },
    { "Al", 26.9815385 },  { "Si", 28.085 },   { "P", 30.973761998 },  { "S", 32.06 },
    { "Cl", 35.45 },       { "Ar", 39.948 },   { "K", 39.0983 },       { "Ca", 40.078 },
    { "Sc", 44.955908 },   { "Ti", 47.867 },   { "V", 50.9415 },       { "Cr", 51.9961 },
    { "Mn", 54.938044 },   { "Fe", 55.845 },   { "Co", 58.933194 },    { "Ni", 58.6934 },
    { "Cu", 63.546 },      { "Zn", 65.38 },    { "Ga", 69.723 },       { "Ge", 72.63 },
    { "As", 74.921595 },   { "Se", 78.971 },   { "Br", 79.904 },       { "Kr", 83.798 },
    { "Rb", 85.4678 },     { "Sr", 87.62 },    { "Y", 88.90584 },      { "Zr", 91.224 },
    { "Nb", 92.90637 },    { "Mo", 95.95 },    { "Tc", 0.0 },          { "Ru", 101.07 },
    { "Rh", 102.9055 },    { "Pd", 106.42 },   { "Ag", 107.8682 },     { "Cd", 112.414 },
    { "In", 114.818 },     { "Sn", 118.71 },   { "Sb", 121.76 },       { "Te", 127.6 },
    { "I", 126.90447 },    { "Xe", 131.293 },  { "Cs", 132.90545196 }, { "Ba", 137.327 },
    { "La", 138.90547 },   { "Ce", 140.116 },  { "Pr", 140.90766 },    { "Nd", 144.242 },
    { "Pm", 0.0 },         { "Sm", 150.36 },   { "Eu", 151.964 },      { "Gd", 157.25 },
    { "Tb", 158.92535 },   { "Dy", 162.5 },    { "Ho", 164.93033 },    { "Er", 167.259 },
    { "Tm", 168.93422 },   { "Yb", 173.054 },  { "Lu", 174.9668 },     { "Hf", 178.49 },
    { "Ta", 180.94788 },   { "W", 183.84 },    { "Re", 186.207 },      { "Os", 190.23 },
    { "Ir", 192.217 },     { "Pt", 195.084 },  { "Au", 196.966569 },   { "Hg", 200.592 },
    { "Tl", 204.38 },      { "Pb", 207.2 },    { "Bi", 208.9804 },     { "Po", 0.0 },
    { "At", 0.0 },         { "Rn", 0.0 },      { "Fr", 0.0 },          { "Ra", 0.0 },
    { "Ac", 0.0 },         { "Th", 232.0377 }, { "Pa", 231.03588 },    { "U", 238.02891 },
    { "Np", 0.0 },         { "Pu", 0.0 },      { "Am", 0.0 },          { "Cm", 0.0 },
    { "Bk", 0.0 },         { "Cf", 0.0 },      { "Es", 0.0 },          { "Fm", 0.0 },
    { "Md", 0.0 },         { "No", 0.0 },      { "Lr", 0.0 },          { "Rf", 0.0 },
    { "Db", 0.0 },         { "Sg", 0.0 },      { "Bh", 0.0 },          { "Hs", 0.0 },
    { "Mt", 0.0 },         { "Ds", 0.0 },      { "Rg", 0.0 },          { "Cn", 0.0 },
    { "Nh", 0.0 },         { "Fl", 0.0 },      { "Mc", 0.0 },          { "Lv", 0.0 },
    { "Ts", 0.0 },         { "Og", 0.0 },
};
enum { ELEMENTS = sizeof elements / sizeof elements[0] };

static const struct element *find_element(const char *symbol, size_t length) {
    for (int e = 0; e < ELEMENTS; e++) {
        if (is_spelt(symbol, length, elements[e].symbol)) {
            return &elements[e];
        }
    }
    return NULL;
}

bool is_element(const char *symbol, size_t length) {
    return find_element(symbol, length) != NULL;
}

const char *element_symbol(size_t number) {
    if (number > ELEMENTS) {
        return NULL;
    }
    return number == 0 ? "X" : elements[number - 1].symbol;
}

double element_mass(const char *symbol, size_t length) {
    const struct element *element = find_element(symbol, length);
    return element ? element->mass : 0.0;
}

/* ---- rows of LAMMPS data files ---- */

bool lammps_next_row(struct reader *reader, struct span *row, struct span *comment) {
    struct span line;
    while (reader_next_line(reader, &line)) {
        const char *hash = memchr(line.begin, '#', span_length(line));
        *row = (struct span){ line.begin, hash ? hash : line.end };
        *comment = (struct span){ hash ? hash + 1 : line.end, line.end };
        struct span words = *row;
        if (span_length(next_word(&words)) > 0) {
            return true;
        }
    }
    return false;
}

bool span_begins_with_letter(struct span row) {
    const struct span word = next_word(&row);
    return span_length(word) > 0 && ((*word.begin >= 'A' && *word.begin <= 'Z') ||
                                     (*word.begin >= 'a' && *word.begin <= 'z'));
}

bool lammps_row(struct reader *reader, struct span *row) {
    struct reader ahead = *reader;
    struct span ignored;
    if (!lammps_next_row(&ahead, row, &ignored) || span_begins_with_letter(*row)) {
        return false;
    }
    *reader = ahead;
    return true;
}

static bool find_label(struct span word, const char (*name)[SPECIES_SIZE], size_t types,
                       size_t *type) {
    *type = 0;
    while (*type < types &&
           !span_same(word, (struct span){ name[*type], name[*type] + strlen(name[*type]) })) {
        ++*type;
    }
    return *type < types;
}

bool lammps_typed_row(struct reader *reader, const char (*name)[SPECIES_SIZE], size_t types,
                      struct span *row, struct span *comment) {
    struct reader ahead = *reader;
    struct span ignored;
    size_t type;
    if (!lammps_next_row(&ahead, row, comment ? comment : &ignored)) {
        return false;
    }
    struct span words = *row;
    const struct span first = next_word(&words);
    const bool is_title =
        span_length(next_word(&words)) == 0 || !find_label(first, name, types, &type);
    if (span_begins_with_letter(*row) && is_title) {
        return false;
    }
    *reader = ahead;
    return true;
}

int lammps_words(struct span row, struct span *words, int most) {
    int count = 0;
    for (struct span word = next_word(&row); span_length(word) > 0; word = next_word(&row)) {
        if (count < most) {
            words[count] = word;
        }
        count++;
    }
    return count;
}

bool lammps_whole(const struct reader *reader, struct span word, const char *what, double least,
                  double most, int64_t *number) {
    double value = 0.0;
    bool not_finite;
    if (!span_to_double(word, &value, &not_finite) || value != floor(value) || value < least ||
        value > most) {
        return reader_fail(reader, "%s is '%s'; expected a whole number from %.0f to %.0f", what,
                           show(word).text, least, most);
    }
    *number = (int64_t)value;
    return true;
}

bool lammps_type(const struct reader *reader, struct span word, const char (*name)[SPECIES_SIZE],
                 size_t types, size_t *type) {
    int64_t number = 0;
    const bool is_number = span_length(word) > 0 && *word.begin >= '0' && *word.begin <= '9';
    if (!is_number && find_label(word, name, types, type)) {
        return true;
    }
    if (!lammps_whole(reader, word, "the type of an atom", 1, (double)types, &number)) {
        return false;
    }
    *type = (size_t)number - 1;
    return true;
}
