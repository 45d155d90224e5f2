#include "kernels/potentials/element_table.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

enum { WORD_SIZE = 64 };

/* The words of a file, one after the other. */
struct reader {
    const char *path, *at;
    struct error *error;
    int line;
    char comment; /* what begins one, up to the end of the line; NUL: nothing */
};

static bool refuse(const struct reader *reader, const char *word, const char *expected) {
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: \"%.60s\"; expected %s", reader->path,
                reader->line, word, expected);
}

/* The next word, over lines and comments; false at the end of the text. One that has no room is
 * cut, and *fits says so. */
static bool next_word(struct reader *reader, char word[WORD_SIZE], bool *fits) {
    const char ends[] = { ' ', '\t', '\r', '\n', reader->comment, '\0' };
    for (;;) {
        reader->at += strspn(reader->at, " \t\r");
        if (*reader->at && *reader->at == reader->comment) {
            reader->at += strcspn(reader->at, "\n");
        }
        if (*reader->at != '\n') {
            break;
        }
        reader->at++;
        reader->line++;
    }
    const size_t length = strcspn(reader->at, ends);
    const size_t kept = length < WORD_SIZE ? length : WORD_SIZE - 1;
    memcpy(word, reader->at, kept);
    word[kept] = '\0';
    *fits = length < WORD_SIZE;
    reader->at += length;
    return length > 0;
}

/* ---- triplets ---- */

/* A form of records: names of its numbers in the file and among the interaction's parameters (NULL:
 * it has none), bits of those that must be greater than 0, and of those that two records must
 * share: i j j and j i i (of a pair), i j k and i k j (of an angle). */
struct form {
    int numbers;
    const char *name[TERSOFF_NUMBERS], *parameter[TERSOFF_NUMBERS];
    unsigned positive, of_pair, of_angle;
};

static const struct form triplet_form = {
    .numbers = SW_NUMBERS,
    .name = { "epsilon", "sigma", "a", "lambda", "gamma", "costheta0", "A", "B", "p", "q", "tol" },
    .parameter = { "epsilon", "sigma", "reach", "lambda", "gamma", "costheta0", "A", "B", "p",
                   "q" },
    .positive = 1 << SW_SIGMA | 1 << SW_A,
    .of_pair = 1 << SW_EPSILON | 1 << SW_SIGMA | 1 << SW_A | 1 << SW_BIG_A | 1 << SW_BIG_B |
               1 << SW_P | 1 << SW_Q,
    .of_angle = 1 << SW_EPSILON | 1 << SW_LAMBDA | 1 << SW_COS_THETA0
};

static const struct form order_form = {
    .numbers = TERSOFF_NUMBERS,
    .name = { "m", "gamma", "lambda3", "c", "d", "costheta0", "n", "beta", "lambda2", "B", "R", "D",
              "lambda1", "A" },
    .parameter = { "m", "gamma", "lambda3", "c", "d", "costheta0", "n", "beta", "lambda2", "B", "R",
                   "width", "lambda1", "A" },
    .positive = 1 << TERSOFF_D | 1 << TERSOFF_R | 1 << TERSOFF_WIDTH,
    .of_pair = 1 << TERSOFF_R | 1 << TERSOFF_WIDTH | 1 << TERSOFF_LAMBDA1 | 1 << TERSOFF_BIG_A
};

static const struct form *form_of(enum element_form form) {
    return form == ELEMENTS_ORDERS ? &order_form : &triplet_form;
}

/* ---- a record ---- */

static bool take_value(const struct reader *reader, const struct form *form, int which,
                       const char *word, struct triplet_record *record) {
    double *value = &record->value[which];
    const bool is_length = form->positive >> which & 1;
    if (!parse_double(word, value) || (is_length && !(*value > 0)) || *value != *value) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s of %s %s %s, a number%s", form->name[which],
                       record->element[0], record->element[1], record->element[2],
                       is_length ? " greater than 0" : "");
        return refuse(reader, word, what);
    }
    return true;
}

static bool take_name(const struct reader *reader, const struct form *form, const char *word,
                      char element[SPECIES_SIZE]) {
    double number;
    if (strlen(word) >= SPECIES_SIZE || parse_double(word, &number)) {
        char what[80];
        (void)snprintf(what, sizeof what,
                       "the name of an element: a record is three of them and %d numbers",
                       form->numbers);
        return refuse(reader, word, what);
    }
    memcpy(element, word, strlen(word) + 1);
    return true;
}

/* *ended: there was no further one. */
static bool take_record(struct reader *reader, enum element_form elements,
                        struct triplet_record *record, bool *ended) {
    const struct form *form = form_of(elements);
    char word[WORD_SIZE];
    bool fits = true;
    *record = (struct triplet_record){ .line = 0 };
    for (int k = 0; k < 3 + form->numbers; k++) {
        if (!next_word(reader, word, &fits)) {
            *ended = k == 0;
            return *ended || fail(reader->error, STATUS_BAD_INPUT,
                                  "%s:%d: the file ends within a record; expected three elements "
                                  "and %d numbers",
                                  reader->path, record->line, form->numbers);
        }
        record->line = k == 0 ? reader->line : record->line;
        if (!fits) {
            return refuse(reader, word, "a name or a number");
        }
        if (!(k < 3 ? take_name(reader, form, word, record->element[k])
                    : take_value(reader, form, k - 3, word, record))) {
            return false;
        }
    }
    const char *refusal = element_record_refusal(record, elements);
    return !refusal ||
           fail(reader->error, STATUS_BAD_INPUT, "%s:%d: %s %s %s: %s", reader->path, record->line,
                record->element[0], record->element[1], record->element[2], refusal);
}

static bool add_record(const struct reader *reader, const struct triplet_record *record,
                       struct element_table *table) {
    const struct triplet_record *same =
        element_table_find(table, record->element[0], record->element[1], record->element[2]);
    if (same) {
        return fail(reader->error, STATUS_BAD_INPUT,
                    "%s:%d: %s %s %s stands in line %d already; expected each triplet once",
                    table->path, record->line, record->element[0], record->element[1],
                    record->element[2], same->line);
    }
    struct triplet_record *records =
        with_room(table->records, table->count, &table->capacity, sizeof *records,
                  "the parameters of elements", reader->error);
    if (!records) {
        return false;
    }
    table->records = records;
    table->records[table->count++] = *record;
    return true;
}

/* ---- a table ---- */

static bool take_records(struct reader *reader, struct element_table *table) {
    struct triplet_record record;
    bool ended = false;
    while (take_record(reader, table->form, &record, &ended)) {
        if (ended) {
            return table->count > 0 ||
                   fail(reader->error, STATUS_BAD_INPUT,
                        "%s: no record; expected three elements and %d numbers each", reader->path,
                        form_of(table->form)->numbers);
        }
        if (!add_record(reader, &record, table)) {
            return false;
        }
    }
    return false;
}

bool element_table_parse(const char *name, const char *text, enum element_form form,
                         struct element_table **table, struct error *error) {
    struct element_table *made = calloc(1, sizeof *made);
    struct reader reader = { .path = name, .error = error, .at = text, .line = 1, .comment = '#' };
    *table = NULL;
    if (!made || !(made->path = strdup(name))) {
        free(made);
        return fail_out_of_memory(error, "the parameters of elements");
    }
    made->form = form;
    hash_bytes(text, strlen(text), made->hash);
    if (!take_records(&reader, made)) {
        element_table_free(made);
        return false;
    }
    *table = made;
    return true;
}

bool element_table_read(const char *path, enum element_form form, struct element_table **table,
                        struct error *error) {
    char *text = NULL;
    *table = NULL;
    const bool read = embedded_or_file_text(path, INPUT_TABLE_BYTES, &text, error) &&
                      element_table_parse(path, text, form, table, error);
    free(text);
    return read;
}

void element_table_free(struct element_table *table) {
    if (table) {
        free(table->path);
        free(table->records);
        free(table);
    }
}

/* ---- questions ---- */

const struct triplet_record *element_table_find(const struct element_table *table,
                                                const char *centre, const char *second,
                                                const char *third) {
    for (size_t r = 0; r < table->count; r++) {
        const struct triplet_record *record = &table->records[r];
        if (strcmp(record->element[0], centre) == 0 && strcmp(record->element[1], second) == 0 &&
            strcmp(record->element[2], third) == 0) {
            return record;
        }
    }
    return NULL;
}

/* Two records say the same term: i j j and j i i a pair, i j k and i k j an angle. */
static bool check_same(const struct element_table *table, const struct triplet_record *one,
                       const struct triplet_record *other, unsigned numbers, struct error *error) {
    const struct form *form = form_of(table->form);
    for (int k = 0; k < form->numbers; k++) {
        if ((numbers >> k & 1) && one->value[k] != other->value[k]) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: %s of %s %s %s is %g, but %g of %s %s %s in line %d; expected the "
                        "same, since both are of one term",
                        table->path, other->line, form->name[k], other->element[0],
                        other->element[1], other->element[2], other->value[k], one->value[k],
                        one->element[0], one->element[1], one->element[2], one->line);
        }
    }
    return true;
}

static const struct triplet_record *find_of(const struct element_table *table,
                                            const struct box *box, const int32_t type[3]) {
    return element_table_find(table, box->species[type[0]], box->species[type[1]],
                              box->species[type[2]]);
}

bool element_table_fits(const struct element_table *table, const struct box *box,
                        struct error *error) {
    const struct form *form = form_of(table->form);
    const int32_t types = box->types;
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t type[3] = { k / types / types, k / types % types, k % types };
        if (!find_of(table, box, type)) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: no record for %s %s %s; expected one for every triplet of the box's "
                        "species",
                        table->path, box->species[type[0]], box->species[type[1]],
                        box->species[type[2]]);
        }
    }
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t type[3] = { k / types / types, k / types % types, k % types };
        const int32_t turned[3] = { type[0], type[2], type[1] };
        const int32_t back[3] = { type[1], type[0], type[0] };
        const struct triplet_record *record = find_of(table, box, type);
        if (!check_same(table, record, find_of(table, box, turned), form->of_angle, error) ||
            (type[1] == type[2] &&
             !check_same(table, record, find_of(table, box, back), form->of_pair, error))) {
            return false;
        }
    }
    return true;
}

double element_record_cutoff(const struct triplet_record *record, enum element_form form) {
    const double *value = record->value;
    return form == ELEMENTS_ORDERS ? value[TERSOFF_R] + value[TERSOFF_WIDTH]
                                   : value[SW_A] * value[SW_SIGMA];
}

double element_table_cutoff(const struct element_table *table) {
    double longest = 0;
    for (size_t r = 0; r < table->count; r++) {
        const struct triplet_record *record = &table->records[r];
        if (table->form == ELEMENTS_ORDERS || strcmp(record->element[1], record->element[2]) == 0) {
            longest = fmax(longest, element_record_cutoff(record, table->form));
        }
    }
    return longest;
}

const char *element_record_refusal(const struct triplet_record *record, enum element_form form) {
    const double *value = record->value;
    const bool is_pair = strcmp(record->element[1], record->element[2]) == 0;
    if (form != ELEMENTS_ORDERS) {
        return NULL;
    }
    if (value[TERSOFF_M] != 1 && value[TERSOFF_M] != 3) {
        return "expected m to be 1 or 3";
    }
    if (!(value[TERSOFF_WIDTH] < value[TERSOFF_R])) {
        return "expected D to be less than R";
    }
    if (is_pair && !(value[TERSOFF_N] >= 0.5)) {
        return "expected n to be 0.5 at least: with less, forces do not end at R + D";
    }
    return is_pair && (value[TERSOFF_BETA] < 0 || value[TERSOFF_GAMMA] < 0)
               ? "expected beta and gamma to be 0 at least"
               : NULL;
}

struct triplet_record element_record_of(const struct interaction *interaction) {
    const struct form *form = form_of(interaction->functions[0].elements);
    struct triplet_record record = { .line = 0 };
    for (int k = 0; k < form->numbers; k++) {
        if (form->parameter[k]) {
            record.value[k] = interaction_value(interaction, form->parameter[k]);
        }
    }
    return record;
}

/* ---- embedded atoms ---- */

enum { COMMENT_LINES = 3 };

static bool take_word(struct reader *reader, char word[WORD_SIZE], const char *expected) {
    bool fits;
    if (!next_word(reader, word, &fits)) {
        return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: the file ends here; expected %s",
                    reader->path, reader->line, expected);
    }
    return fits || refuse(reader, word, expected);
}

static bool take_number(struct reader *reader, const char *expected, double *number) {
    char word[WORD_SIZE];
    return take_word(reader, word, expected) &&
           (parse_double(word, number) || refuse(reader, word, expected));
}

static bool take_positive(struct reader *reader, const char *expected, double *number) {
    char word[WORD_SIZE];
    return take_word(reader, word, expected) &&
           ((parse_double(word, number) && *number > 0) || refuse(reader, word, expected));
}

static bool take_count(struct reader *reader, const char *expected, int least, int most,
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

static void skip_lines(struct reader *reader, int lines) {
    for (int line = 0; line < lines && *reader->at; line++) {
        reader->at = line_after(reader->at);
        reader->line++;
    }
}

static bool take_elements(struct reader *reader, struct eam_table *table) {
    char word[WORD_SIZE];
    if (!take_count(reader, "how many elements there are, 1 to 32", 1, EAM_MAX_ELEMENTS,
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

static bool take_sizes(struct reader *reader, struct eam_table *table) {
    return take_count(reader, "how many densities there are, 5 to 1048576", 5, EAM_MAX_KNOTS,
                      &table->rho_knots) &&
           take_positive(reader, "the step of densities, greater than 0", &table->drho) &&
           take_count(reader, "how many distances there are, 5 to 1048576", 5, EAM_MAX_KNOTS,
                      &table->r_knots) &&
           take_positive(reader, "the step of distances, greater than 0", &table->dr) &&
           take_positive(reader, "the cutoff, greater than 0", &table->cutoff);
}

/* ---- the values ---- */

static bool take_values(struct reader *reader, const char *what, int count, double *values) {
    for (int k = 0; k < count; k++) {
        if (!take_number(reader, what, &values[k])) {
            return false;
        }
    }
    return true;
}

/* Skips an element's number, mass, lattice constant and lattice. */
static bool pass_element(struct reader *reader) {
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

static bool take_element(struct reader *reader, int element, struct eam_table *table) {
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

static bool make_room(const struct reader *reader, struct eam_table *table) {
    const size_t elements = (size_t)table->elements;
    const size_t r_knots = (size_t)table->r_knots;
    table->embedding = calloc(elements * (size_t)table->rho_knots, sizeof *table->embedding);
    table->density =
        calloc(elements * (size_t)densities_of_element(table) * r_knots, sizeof *table->density);
    table->pair = calloc(elements * (elements + 1) / 2 * r_knots, sizeof *table->pair);
    return (table->embedding && table->density && table->pair) ||
           fail_out_of_memory(reader->error, "the table of an embedded-atom potential");
}

static bool ends_well(const struct reader *reader) {
    return !*skip_whitespace(reader->at) ||
           fail(reader->error, STATUS_BAD_INPUT,
                "%s:%d: more numbers; expected the end of the file", reader->path, reader->line);
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
static bool take_funcfl(struct reader *reader, struct eam_table *table) {
    const double hartree_bohr = 27.2 * 0.529;
    table->elements = 1;
    skip_lines(reader, 1);
    if (!pass_element(reader) || !take_sizes(reader, table) || !make_room(reader, table) ||
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

/* Whether the file has a density for each two elements, by the number of its words. A file of
 * neither form is read as the one whose length is nearer, so that the message says where it ends.
 * */
static bool has_more_densities(const struct reader *reader, const struct eam_table *table) {
    const size_t elements = (size_t)table->elements;
    const size_t r_knots = (size_t)table->r_knots;
    const size_t least = elements * (4 + (size_t)table->rho_knots + r_knots) +
                         elements * (elements + 1) / 2 * r_knots;
    const size_t more = elements * (elements - 1) * r_knots;
    return 2 * count_words(reader->at) > 2 * least + more;
}

static bool take_all(struct reader *reader, struct eam_table *table) {
    skip_lines(reader, COMMENT_LINES);
    if (!take_elements(reader, table) || !take_sizes(reader, table)) {
        return false;
    }
    table->by_place = table->elements > 1 && has_more_densities(reader, table);
    if (!make_room(reader, table)) {
        return false;
    }
    for (int e = 0; e < table->elements; e++) {
        if (!take_element(reader, e, table)) {
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
    struct reader reader = { .path = name, .error = error, .at = text, .line = 1 };
    *table = NULL;
    if (!made || !(made->path = strdup(name))) {
        free(made);
        return fail_out_of_memory(error, "the table of an embedded-atom potential");
    }
    hash_bytes(text, strlen(text), made->hash);
    if (!(is_funcfl(text) ? take_funcfl : take_all)(&reader, made)) {
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
