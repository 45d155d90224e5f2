#include "kernels/potentials/eam_table.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 64, COMMENT_LINES = 3 };

struct eam_reader {
    struct eam_table *table;
    struct error *error;
    const char *at;
    int line;
};

static bool refuse(const struct eam_reader *reader, const char *word, const char *expected) {
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: \"%.60s\"; expected %s",
                reader->table->path, reader->line, word, expected);
}

/* ---- words ---- */

static bool take_word(struct eam_reader *reader, char word[WORD_SIZE], const char *expected) {
    for (; *reader->at && strchr(" \t\r\n", *reader->at); reader->at++) {
        reader->line += *reader->at == '\n';
    }
    const size_t length = strcspn(reader->at, " \t\r\n");
    if (length == 0) {
        return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: the file ends here; expected %s",
                    reader->table->path, reader->line, expected);
    }
    (void)snprintf(word, WORD_SIZE, "%.*s", length < WORD_SIZE ? (int)length : WORD_SIZE - 1,
                   reader->at);
    reader->at += length;
    return length < WORD_SIZE || refuse(reader, word, expected);
}

static bool take_number(struct eam_reader *reader, const char *expected, double *number) {
    char word[WORD_SIZE];
    return take_word(reader, word, expected) &&
           (parse_double(word, number) || refuse(reader, word, expected));
}

static bool take_positive(struct eam_reader *reader, const char *expected, double *number) {
    char word[WORD_SIZE];
    return take_word(reader, word, expected) &&
           ((parse_double(word, number) && *number > 0) || refuse(reader, word, expected));
}

static bool take_count(struct eam_reader *reader, const char *expected, int least, int most,
                       int *count) {
    char word[WORD_SIZE];
    double number = 0;
    if (!take_word(reader, word, expected)) {
        return false;
    }
    if (!parse_double(word, &number) || number != floor(number) || !(number >= least) ||
        !(number <= most)) {
        return refuse(reader, word, expected);
    }
    *count = (int)number;
    return true;
}

/* ---- the head ---- */

static void skip_lines(struct eam_reader *reader, int lines) {
    for (int line = 0; line < lines && *reader->at; line++) {
        reader->at = line_after(reader->at);
        reader->line++;
    }
}

static bool take_elements(struct eam_reader *reader) {
    struct eam_table *table = reader->table;
    char word[WORD_SIZE];
    if (!take_count(reader, "how many elements there are, 1 to 16", 1, EAM_MAX_ELEMENTS,
                    &table->elements)) {
        return false;
    }
    const int elements = table->elements;
    for (table->elements = 0; table->elements < elements; table->elements++) {
        if (!take_word(reader, word, "the name of an element")) {
            return false;
        }
        if (strlen(word) >= SPECIES_SIZE || eam_table_element(table, word) >= 0) {
            return refuse(reader, word, "the name of an element, each once");
        }
        memcpy(table->element[table->elements], word, strlen(word) + 1);
    }
    return true;
}

static bool take_sizes(struct eam_reader *reader) {
    struct eam_table *table = reader->table;
    return take_count(reader, "how many densities there are, 5 to 1048576", 5, EAM_MAX_KNOTS,
                      &table->rho_knots) &&
           take_positive(reader, "the step of densities, greater than 0", &table->drho) &&
           take_count(reader, "how many distances there are, 5 to 1048576", 5, EAM_MAX_KNOTS,
                      &table->r_knots) &&
           take_positive(reader, "the step of distances, greater than 0", &table->dr) &&
           take_positive(reader, "the cutoff, greater than 0", &table->cutoff);
}

/* ---- the values ---- */

static bool take_values(struct eam_reader *reader, const char *what, int count, double *values) {
    for (int k = 0; k < count; k++) {
        if (!take_number(reader, what, &values[k])) {
            return false;
        }
    }
    return true;
}

/* What is known of an element, and of no use here. */
static bool pass_element(struct eam_reader *reader) {
    char lattice[WORD_SIZE];
    double ignored;
    for (int k = 0; k < 3; k++) {
        if (!take_number(reader, "an element's number, mass and lattice constant", &ignored)) {
            return false;
        }
    }
    return take_word(reader, lattice, "an element's lattice");
}

static int densities_of_element(const struct eam_table *table) {
    return table->by_place ? table->elements : 1;
}

static bool take_element(struct eam_reader *reader, int element) {
    struct eam_table *table = reader->table;
    const int densities = densities_of_element(table);
    const size_t first = (size_t)element * (size_t)densities;
    bool taken = pass_element(reader) &&
                 take_values(reader, "an embedding energy", table->rho_knots,
                             table->embedding + (size_t)element * (size_t)table->rho_knots);
    for (size_t d = first; taken && d < first + (size_t)densities; d++) {
        taken = take_values(reader, "a density", table->r_knots,
                            table->density + d * (size_t)table->r_knots);
    }
    return taken;
}

static bool make_room(struct eam_reader *reader) {
    struct eam_table *table = reader->table;
    const size_t elements = (size_t)table->elements;
    const size_t r_knots = (size_t)table->r_knots;
    table->embedding = calloc(elements * (size_t)table->rho_knots, sizeof *table->embedding);
    table->density =
        calloc(elements * (size_t)densities_of_element(table) * r_knots, sizeof *table->density);
    table->pair = calloc(elements * (elements + 1) / 2 * r_knots, sizeof *table->pair);
    return (table->embedding && table->density && table->pair) ||
           fail_out_of_memory(reader->error, "the table of an embedded-atom potential");
}

static bool ends_well(const struct eam_reader *reader) {
    return !*skip_whitespace(reader->at) ||
           fail(reader->error, STATUS_BAD_INPUT,
                "%s:%d: more numbers; expected the end of the file", reader->table->path,
                reader->line);
}

/* ---- of one element: funcfl ---- */

/* Whether the third line is five numbers, where setfl has a comment. */
static bool is_funcfl(const char *text) {
    const char *line = line_after(line_after(text));
    for (int k = 0; k < 5; k++) {
        char word[WORD_SIZE];
        double number;
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t\r\n");
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < WORD_SIZE ? length : 0), line);
        if (!parse_double(word, &number)) {
            return false;
        }
        line += length;
    }
    line += strspn(line, " \t\r");
    return *line == '\n';
}

/* Charges Z(r) are those of phi(r) = 27.2 0.529 Z^2 / r, in eV and angstrom. LAMMPS leaves out the
 * last knot of either spline. */
static bool take_funcfl(struct eam_reader *reader) {
    const double hartree_bohr = 27.2 * 0.529;
    struct eam_table *table = reader->table;
    table->elements = 1;
    skip_lines(reader, 1);
    if (!pass_element(reader) || !take_sizes(reader) || !make_room(reader) ||
        !take_values(reader, "an embedding energy", table->rho_knots, table->embedding) ||
        !take_values(reader, "a charge", table->r_knots, table->pair) ||
        !take_values(reader, "a density", table->r_knots, table->density)) {
        return false;
    }
    for (int k = 0; k < table->r_knots; k++) {
        table->pair[k] *= hartree_bohr * table->pair[k];
    }
    table->rho_knots--;
    table->r_knots--;
    return ends_well(reader);
}

/* ---- the whole ---- */

/* How many words there are up to the end. */
static size_t count_words(const char *at) {
    size_t count = 0;
    for (at = skip_whitespace(at); *at; at = skip_whitespace(at)) {
        at += strcspn(at, " \t\r\n");
        count++;
    }
    return count;
}

/* Whether there are words enough for a density of each two elements. A file that is neither form is
 * read as the one that it comes nearer to, so that messages are about where it ends. */
static bool has_more_densities(const struct eam_reader *reader) {
    const struct eam_table *table = reader->table;
    const size_t elements = (size_t)table->elements;
    const size_t r_knots = (size_t)table->r_knots;
    const size_t least = elements * (4 + (size_t)table->rho_knots + r_knots) +
                         elements * (elements + 1) / 2 * r_knots;
    const size_t more = elements * (elements - 1) * r_knots;
    return 2 * count_words(reader->at) > 2 * least + more;
}

static bool take_all(struct eam_reader *reader) {
    struct eam_table *table = reader->table;
    skip_lines(reader, COMMENT_LINES);
    if (!take_elements(reader) || !take_sizes(reader)) {
        return false;
    }
    table->by_place = table->elements > 1 && has_more_densities(reader);
    if (!make_room(reader)) {
        return false;
    }
    for (int e = 0; e < table->elements; e++) {
        if (!take_element(reader, e)) {
            return false;
        }
    }
    const int pairs = table->elements * (table->elements + 1) / 2;
    for (int p = 0; p < pairs; p++) {
        if (!take_values(reader, "r times a pair energy", table->r_knots,
                         table->pair + (size_t)p * (size_t)table->r_knots)) {
            return false;
        }
    }
    return ends_well(reader);
}

bool eam_table_parse(const char *name, const char *text, struct eam_table **table,
                     struct error *error) {
    struct eam_table *made = calloc(1, sizeof *made);
    struct eam_reader reader = { .table = made, .error = error, .at = text, .line = 1 };
    *table = NULL;
    if (!made || !(made->path = strdup(name))) {
        free(made);
        return fail_out_of_memory(error, "the table of an embedded-atom potential");
    }
    hash_bytes(text, strlen(text), made->hash);
    if (!(is_funcfl(text) ? take_funcfl : take_all)(&reader)) {
        eam_table_free(made);
        return false;
    }
    *table = made;
    return true;
}

bool eam_table_read(const char *path, struct eam_table **table, struct error *error) {
    char *text = NULL;
    *table = NULL;
    const bool read = embedded_or_file_text(path, INPUT_TABLE_BYTES, &text, error) &&
                      eam_table_parse(path, text, table, error);
    free(text);
    return read;
}

void eam_table_free(struct eam_table *table) {
    if (table) {
        free(table->path);
        free(table->embedding);
        free(table->density);
        free(table->pair);
        free(table);
    }
}

/* ---- questions ---- */

int eam_table_element(const struct eam_table *table, const char *species) {
    for (int e = 0; e < table->elements; e++) {
        if (!*table->element[e] || strcmp(table->element[e], species) == 0) {
            return e;
        }
    }
    return -1;
}

bool eam_table_fits(const struct eam_table *table, const struct box *box, struct error *error) {
    if (!*table->element[0] && box->types > 1) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: of one element, which has no name; expected a box of one species",
                    table->path);
    }
    for (int32_t t = 0; t < box->types; t++) {
        if (eam_table_element(table, box->species[t]) < 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: no element %s; expected every species of the box", table->path,
                        box->species[t]);
        }
    }
    return true;
}
