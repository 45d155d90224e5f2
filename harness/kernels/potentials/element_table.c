#include "kernels/potentials/element_table.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 64, RECORD_WORDS = 3 + SW_NUMBERS };

static const char *const number_names[SW_NUMBERS] = { "epsilon", "sigma",     "a",  "lambda",
                                                      "gamma",   "costheta0", "A",  "B",
                                                      "p",       "q",         "tol" };

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
    double *value = &record->value[which];
    const bool is_length = which == SW_SIGMA || which == SW_A;
    if (!parse_double(word, value) || (is_length && !(*value > 0)) || *value != *value) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s of %s %s %s, a number%s", number_names[which],
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
        return refuse(reader, "the name of an element: a record is three of them and 11 numbers",
                      word);
    }
    memcpy(element, word, strlen(word) + 1);
    return true;
}

/* *ended: there was no further one. */
static bool take_record(struct element_reader *reader, struct triplet_record *record, bool *ended) {
    char word[WORD_SIZE];
    bool fits = true;
    *record = (struct triplet_record){ .line = 0 };
    for (int k = 0; k < RECORD_WORDS; k++) {
        if (!take_word(reader, word, &fits)) {
            *ended = k == 0;
            return *ended || fail(reader->error, STATUS_BAD_INPUT,
                                  "%s:%d: the file ends within a record; expected three elements "
                                  "and 11 numbers",
                                  reader->table->path, record->line);
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
    return true;
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
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 8;
        struct triplet_record *records = realloc(table->records, capacity * sizeof *records);
        if (!records) {
            return fail_out_of_memory(reader->error, "the parameters of elements");
        }
        table->records = records;
        table->capacity = capacity;
    }
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
                        "%s: no record; expected three elements and 11 numbers each",
                        reader->table->path);
        }
        if (!add_record(reader, &record)) {
            return false;
        }
    }
    return false;
}

bool element_table_parse(const char *name, const char *text, struct element_table **table,
                         struct error *error) {
    struct element_table *made = calloc(1, sizeof *made);
    struct element_reader reader = { .table = made, .error = error, .at = text, .line = 1 };
    *table = NULL;
    if (!made || !(made->path = strdup(name))) {
        free(made);
        return fail_out_of_memory(error, "the parameters of elements");
    }
    hash_bytes(text, strlen(text), made->hash);
    if (!take_all(&reader)) {
        element_table_free(made);
        return false;
    }
    *table = made;
    return true;
}

bool element_table_read(const char *path, struct element_table **table, struct error *error) {
    const char *built_in = embedded_file_text(path);
    char *text = NULL;
    *table = NULL;
    if (!built_in && !input_read_text(path, INPUT_TABLE_BYTES, &text, error)) {
        return false;
    }
    const bool read = element_table_parse(path, built_in ? built_in : text, table, error);
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

/* Bits of the numbers that a pair is made of, and an angle. */
enum {
    OF_PAIR = 1 << SW_EPSILON | 1 << SW_SIGMA | 1 << SW_A | 1 << SW_BIG_A | 1 << SW_BIG_B |
              1 << SW_P | 1 << SW_Q,
    OF_ANGLE = 1 << SW_EPSILON | 1 << SW_LAMBDA | 1 << SW_COS_THETA0
};

/* Two records say the same term: i j j and j i i a pair, i j k and i k j an angle. */
static bool check_same(const struct element_table *table, const struct triplet_record *one,
                       const struct triplet_record *other, unsigned numbers, struct error *error) {
    for (int k = 0; k < SW_NUMBERS; k++) {
        if ((numbers >> k & 1) && one->value[k] != other->value[k]) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: %s of %s %s %s is %g, but %g of %s %s %s in line %d; expected the "
                        "same, since both are of one term",
                        table->path, other->line, number_names[k], other->element[0],
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
        if (!check_same(table, record, find_of(table, box, turned), OF_ANGLE, error) ||
            (type[1] == type[2] &&
             !check_same(table, record, find_of(table, box, back), OF_PAIR, error))) {
            return false;
        }
    }
    return true;
}

double element_table_cutoff(const struct element_table *table) {
    double longest = 0;
    for (size_t r = 0; r < table->count; r++) {
        const struct triplet_record *record = &table->records[r];
        if (strcmp(record->element[1], record->element[2]) == 0) {
            longest = fmax(longest, record->value[SW_A] * record->value[SW_SIGMA]);
        }
    }
    return longest;
}

struct triplet_record sw_record_of(const struct interaction *interaction) {
    struct triplet_record record = { .line = 0 };
    for (int k = 0; k < SW_TOLERANCE; k++) {
        record.value[k] = interaction_value(interaction, k == SW_A ? "reach" : number_names[k]);
    }
    return record;
}
