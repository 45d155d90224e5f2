/* Bonded terms as files have them. */
#include "interaction/bonded.h"

#include "base/parse.h"
#include "base/printable.h"
#include "files/input_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_SIZE = 64 };

struct bonded_reader {
    const char *path;
    const struct bonded_form *form;
    enum bonded_kind kind;
    struct bonded_terms *terms;
    struct error *error;
    int line;
    bool has_header;
};

/* The length of a line's contents: up to its end, or to a '#'. */
static size_t contents_of(const char *line) {
    return strcspn(line, "\r\n#");
}

static bool refuse(const struct bonded_reader *reader, const char *line, const char *expected) {
    const size_t shown = contents_of(line);
    return fail(reader->error, STATUS_BAD_INPUT, "%s:%d: \"%.*s\"; expected %s", reader->path,
                reader->line, shown < 80 ? (int)shown : 80, line, expected);
}

/* The next field up to a comma or `end`, without blanks around it, and *at moved behind it. False
 * where there is none, or one longer than any number. */
static bool take_field(const char **at, const char *end, char field[FIELD_SIZE]) {
    const char *begin = *at;
    if (begin > end) {
        return false;
    }
    const char *stop = memchr(begin, ',', (size_t)(end - begin));
    stop = stop ? stop : end;
    *at = stop + 1;
    while (begin < stop && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (stop > begin && (stop[-1] == ' ' || stop[-1] == '\t')) {
        stop--;
    }
    if (stop - begin >= FIELD_SIZE) {
        return false;
    }
    memcpy(field, begin, (size_t)(stop - begin));
    field[stop - begin] = '\0';
    return true;
}

static bool take_particle(const char *field, int32_t *particle) {
    int64_t number = 0;
    const char *digit = field;
    for (; *digit >= '0' && *digit <= '9' && number <= BOX_MAX_PARTICLES; digit++) {
        number = 10 * number + (*digit - '0');
    }
    *particle = (int32_t)(number - 1);
    return digit > field && !*digit && number >= 1 && number <= BOX_MAX_PARTICLES;
}

/* The columns have the names and the order of the form, blanks aside. */
static bool take_header(struct bonded_reader *reader, const char *line, const char *end) {
    const char *name = reader->form->header;
    char field[FIELD_SIZE];
    bool same = true;
    reader->has_header = true;
    for (const char *at = line; same && at <= end;) {
        const size_t length = strcspn(name, ",");
        same = *name && take_field(&at, end, field) && strlen(field) == length &&
               strncmp(field, name, length) == 0;
        name += length + (name[length] == ',');
    }
    if (same && !*name) {
        return true;
    }
    char expected[128];
    (void)snprintf(expected, sizeof expected, "the columns %s", reader->form->header);
    return refuse(reader, line, expected);
}

static const char *expected_numbers(const struct bonded_reader *reader, char words[160]) {
    (void)snprintf(words, 160, "%s: %d numbers of particles, 1 or more, and %d numbers",
                   reader->form->header, reader->form->atoms, reader->form->parameters);
    return words;
}

/* NULL where the parameters of a term are in their ranges; else what is expected. */
static const char *parameters_expected(enum bonded_kind kind, const double *parameter) {
    switch (kind) {
    case BONDED_BONDS:
        return parameter[1] >= 0 ? NULL : "r0 of at least 0";
    case BONDED_ANGLES:
        return parameter[1] >= 0 && parameter[1] <= 180 ? NULL : "theta0_degrees between 0 and 180";
    case BONDED_TORSIONS:
        if (!(parameter[1] >= 1 && parameter[1] <= BONDED_MAX_MULTIPLICITY &&
              parameter[1] == floor(parameter[1]))) {
            return "a multiplicity that is a whole number from 1 to 12";
        }
        return fabs(parameter[2]) <= 360 ? NULL : "phi0_degrees between -360 and 360";
    case LISTED_CONSTRAINTS:
        return parameter[0] > 0 ? NULL : "a length above 0";
    default:
        return NULL;
    }
}

static bool is_distinct(const struct bonded_reader *reader, const int32_t *atom) {
    for (int a = 0; a < reader->form->atoms; a++) {
        for (int b = 0; b < a; b++) {
            if (atom[a] == atom[b]) {
                return fail(reader->error, STATUS_BAD_INPUT,
                            "%s:%d: particle %d stands twice in %s", reader->path, reader->line,
                            (int)atom[a] + 1, reader->form->term);
            }
        }
    }
    return true;
}

static bool add_term(struct bonded_reader *reader, const int32_t *atom, const double *parameter) {
    struct bonded_list *list = &reader->terms->lists[reader->kind];
    if (!bonded_add(reader->terms, reader->kind, atom, parameter, reader->error)) {
        return fail_within(reader->error, "%s:%d", reader->path, reader->line);
    }
    list->line[list->count - 1] = reader->line;
    return true;
}

static bool take_term(struct bonded_reader *reader, const char *line, const char *end) {
    const struct bonded_form *form = reader->form;
    int32_t atom[BONDED_MAX_ATOMS] = { 0 };
    double parameter[BONDED_MAX_PARAMETERS] = { 0 };
    char field[FIELD_SIZE];
    char words[160];
    const char *at = line;
    bool taken = true;
    for (int a = 0; taken && a < form->atoms; a++) {
        taken = take_field(&at, end, field) && take_particle(field, &atom[a]);
    }
    for (int p = 0; taken && p < form->parameters; p++) {
        taken = take_field(&at, end, field) && parse_double(field, &parameter[p]);
    }
    if (!taken || at <= end) {
        return refuse(reader, line, expected_numbers(reader, words));
    }
    const char *expected = parameters_expected(reader->kind, parameter);
    if (expected) {
        return refuse(reader, line, expected);
    }
    return is_distinct(reader, atom) && add_term(reader, atom, parameter);
}

static bool read_line(struct bonded_reader *reader, const char *line) {
    const size_t length = contents_of(line);
    if (strspn(line, " \t") >= length) {
        return true;
    }
    return (reader->has_header ? take_term : take_header)(reader, line, line + length);
}

static bool read_lines(struct bonded_reader *reader, const char *data, size_t length) {
    if (strlen(data) != length) {
        return fail(reader->error, STATUS_BAD_INPUT, "%s: not a text: it holds a NUL byte",
                    reader->path);
    }
    for (const char *line = data + byte_order_mark(data); *line;) {
        reader->line++;
        if (!read_line(reader, line)) {
            return false;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return reader->has_header || fail(reader->error, STATUS_BAD_INPUT,
                                      "%s: is empty; expected the columns %s and a line per term",
                                      reader->path, reader->form->header);
}

bool bonded_read(const char *path, enum bonded_kind kind, struct bonded_terms *terms,
                 struct error *error) {
    struct bonded_reader reader = {
        .path = path, .form = &bonded_forms[kind], .kind = kind, .terms = terms, .error = error
    };
    char *data = NULL;
    size_t length = 0;
    terms->lists[kind].path = strdup(path);
    if (!terms->lists[kind].path) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    const bool read = input_read(path, INPUT_TABLE_BYTES, &data, &length, error) &&
                      read_lines(&reader, data, length);
    free(data);
    return read;
}
