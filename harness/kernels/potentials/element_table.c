#include "kernels/potentials/element_table.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 64 };

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

struct element_reader {
    struct element_table *table;
    struct error *error;
    const char *at;
    int line;
};

static bool refuse(const struct element_reader *reader, const char *what, const char *word) {
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: \"%.60s\"; expected %s",
                reader->table->path, reader->line, word, what);
}

/* ---- words ---- */

/* The next word, over lines and comments; false at the end of the text. One that has no room is
 * cut, and *fits says so. */
static bool take_word(struct element_reader *reader, char word[WORD_SIZE], bool *fits) {
    for (;;) {
        reader->at += strspn(reader->at, " \t\r");
        if (*reader->at == '#') {
            reader->at += strcspn(reader->at, "\n");
        }
        if (*reader->at != '\n') {
            break;
        }
        reader->at++;
        reader->line++;
    }
    const size_t length = strcspn(reader->at, " \t\r\n#");
    const size_t kept = length < WORD_SIZE ? length : WORD_SIZE - 1;
    memcpy(word, reader->at, kept);
    word[kept] = '\0';
    *fits = length < WORD_SIZE;
    reader->at += length;
    return length > 0;
}

/* ---- a record ---- */

static bool take_number(struct element_reader *reader, int which, const char *word,
                        struct triplet_record *record) {
    const struct form *form = form_of(reader->table->form);
    double *value = &record->value[which];
    const bool is_length = form->positive >> which & 1;
    if (!parse_double(word, value) || (is_length && !(*value > 0)) || *value != *value) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s of %s %s %s, a number%s", form->name[which],
                       record->element[0], record->element[1], record->element[2],
                       is_length ? " greater than 0" : "");
        return refuse(reader, what, word);
    }
    return true;
}

static bool take_element(struct element_reader *reader, const char *word,
                         char element[SPECIES_SIZE]) {
    double number;
    if (strlen(word) >= SPECIES_SIZE || parse_double(word, &number)) {
        char what[80];
        (void)snprintf(what, sizeof what,
                       "the name of an element: a record is three of them and %d numbers",
                       form_of(reader->table->form)->numbers);
        return refuse(reader, what, word);
    }
    memcpy(element, word, strlen(word) + 1);
    return true;
}

/* *ended: there was no further one. */
static bool take_record(struct element_reader *reader, struct triplet_record *record, bool *ended) {
    char word[WORD_SIZE];
    bool fits = true;
    const int numbers = form_of(reader->table->form)->numbers;
    *record = (struct triplet_record){ .line = 0 };
    for (int k = 0; k < 3 + numbers; k++) {
        if (!take_word(reader, word, &fits)) {
            *ended = k == 0;
            return *ended || fail(reader->error, STATUS_BAD_INPUT,
                                  "%s:%d: the file ends within a record; expected three elements "
                                  "and %d numbers",
                                  reader->table->path, record->line, numbers);
        }
        record->line = k == 0 ? reader->line : record->line;
        if (!fits) {
            return refuse(reader, "a name or a number", word);
        }
        if (!(k < 3 ? take_element(reader, word, record->element[k])
                    : take_number(reader, k - 3, word, record))) {
            return false;
        }
    }
    const char *refusal = element_record_refusal(record, reader->table->form);
    return !refusal ||
           fail(reader->error, STATUS_BAD_INPUT, "%s:%d: %s %s %s: %s", reader->table->path,
                record->line, record->element[0], record->element[1], record->element[2], refusal);
}

static bool add_record(struct element_reader *reader, const struct triplet_record *record) {
    struct element_table *table = reader->table;
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

static bool take_all(struct element_reader *reader) {
    struct triplet_record record;
    bool ended = false;
    while (take_record(reader, &record, &ended)) {
        if (ended) {
            return reader->table->count > 0 ||
                   fail(reader->error, STATUS_BAD_INPUT,
                        "%s: no record; expected three elements and %d numbers each",
                        reader->table->path, form_of(reader->table->form)->numbers);
        }
        if (!add_record(reader, &record)) {
            return false;
        }
    }
    return false;
}

bool element_table_parse(const char *name, const char *text, enum element_form form,
                         struct element_table **table, struct error *error) {
    struct element_table *made = calloc(1, sizeof *made);
    struct element_reader reader = { .table = made, .error = error, .at = text, .line = 1 };
    *table = NULL;
    if (!made || !(made->path = strdup(name))) {
        free(made);
        return fail_out_of_memory(error, "the parameters of elements");
    }
    made->form = form;
    hash_bytes(text, strlen(text), made->hash);
    if (!take_all(&reader)) {
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
