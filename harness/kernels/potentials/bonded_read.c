/* Bonded terms as files have them. */
#include "kernels/potentials/bonded.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_SIZE = 64, PATH_SIZE = 4096 };

struct bonded_reader {
    const char *path;
    const struct bonded_form *form;
    enum bonded_kind kind;
    struct bonded_terms *terms;
    struct error *error;
    int line;
    bool has_header;
    char *energy; /* the line that says it; NULL: none has */
    int energy_line;
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

/* The next field up to a comma or `end`, without blanks around it, and *at moved past it. False
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

/* ---- an energy of the file's own ---- */

static struct bonded_list *list_of(const struct bonded_reader *reader) {
    return &reader->terms->lists[reader->kind];
}

/* The names of a term's particles in its form: "i,j,k". */
static size_t particle_names(const struct bonded_form *form) {
    return (size_t)(2 * form->atoms - 1);
}

static bool is_name(const char *field) {
    while (is_word_character(*field)) {
        field++;
    }
    return !*field;
}

/* The names of the parameters' columns. */
static bool take_columns(struct bonded_reader *reader, const char *line, const char *end,
                         char names[BONDED_MAX_PARAMETERS][FIELD_SIZE]) {
    const struct bonded_form *form = reader->form;
    char field[FIELD_SIZE];
    const char *at = line;
    for (int a = 0; a < form->atoms; a++) {
        if (!take_field(&at, end, field) || field[0] != form->header[2 * a] || field[1]) {
            return refuse(reader, line, "the columns of particles first, as in i,j,k,r0");
        }
    }
    int *columns = &list_of(reader)->written.columns;
    for (*columns = 0; at <= end; ++*columns) {
        const bool named = take_field(&at, end, field) && is_name(field);
        if (!named || *columns == BONDED_MAX_PARAMETERS) {
            return refuse(reader, line,
                          "up to six columns of parameters, by names that the energy uses");
        }
        memcpy(names[*columns], field, sizeof field);
    }
    return true;
}

/* The expression's own parameters, which are constants, stand before those of the columns. */
static bool take_constants(struct bonded_reader *reader) {
    struct bonded_energy *written = &list_of(reader)->written;
    const struct expression *expression = written->expression;
    written->constants = expression->parameter_count - written->columns;
    if (written->constants < 0 || written->constants > BONDED_MAX_CONSTANTS ||
        expression->table_count > 0 || expression->value_count > 0 ||
        expression->type_value_count > 0) {
        return fail(reader->error, STATUS_BAD_INPUT,
                    "%s:%d: the energy of a term has columns and up to %d constants; expected no "
                    "tables, values of particles or of types",
                    reader->path, reader->energy_line, BONDED_MAX_CONSTANTS);
    }
    for (int p = 0; p < written->constants; p++) {
        written->constant[p] = expression->definitions[expression->parameters[p]].value;
    }
    return true;
}

/* Takes terms with an expression: the columns become statements after it, "; k = 1; r0 = 1". */
static bool take_expression(struct bonded_reader *reader, char names[][FIELD_SIZE]) {
    struct strbuf words = { 0 };
    struct bonded_energy *written = &list_of(reader)->written;
    strbuf_append(&words, "%s", reader->energy);
    for (int c = 0; c < written->columns; c++) {
        strbuf_append(&words, "; %s = 1", names[c]);
    }
    written->words = words.data;
    if (words.failed) {
        return fail_out_of_memory(reader->error, "the bonded terms");
    }
    return (expression_parse_term(words.data, reader->form->variable, &written->expression,
                                  reader->error) ||
            fail_within(reader->error, "%s:%d", reader->path, reader->energy_line)) &&
           take_constants(reader);
}

/* energy = kernel "FILE": where the file's name begins, NULL: it is an expression. */
static const char *kernel_text_of(const char *energy) {
    static const char word[] = "kernel";
    const char *at = strchr(energy, '=') + 1;
    at += strspn(at, " \t");
    if (!begins_with(at, word)) {
        return NULL;
    }
    at += strlen(word);
    at += strspn(at, " \t");
    return *at == '"' ? at + 1 : NULL;
}

static bool uses_column(const struct pair_text *text, int column) {
    bool used = false;
    for (int v = 0; v < text->value_count; v++) {
        used = used || text->column[v] == column;
    }
    return used;
}

/* Takes terms with kernel text, in a file beside theirs. */
static bool take_kernel_text(struct bonded_reader *reader, const char *name,
                             char names[][FIELD_SIZE]) {
    struct bonded_energy *written = &list_of(reader)->written;
    const char *column[BONDED_MAX_PARAMETERS];
    const size_t length = strcspn(name, "\"");
    char path[PATH_SIZE];
    char function[FIELD_SIZE];
    for (int c = 0; c < written->columns; c++) {
        column[c] = names[c];
    }
    const struct pair_text_columns columns = { .name = column,
                                               .count = written->columns,
                                               .atoms = reader->form->atoms };
    if (name[length] != '"' || name[length + 1 + strspn(name + length + 1, " \t")] ||
        !fs_beside(reader->path, name, length, path, sizeof path)) {
        return fail(reader->error, STATUS_BAD_INPUT,
                    "%s:%d: expected energy = kernel \"FILE\", and nothing after it", reader->path,
                    reader->energy_line);
    }
    (void)snprintf(function, sizeof function, "text_of_%s", reader->form->name);
    if (!term_text_read(path, &columns, function, &written->text, reader->error)) {
        return fail_within(reader->error, "%s:%d", reader->path, reader->energy_line);
    }
    for (int c = 0; c < written->columns; c++) {
        if (!uses_column(written->text, c)) {
            return fail(reader->error, STATUS_BAD_INPUT,
                        "%s:%d: no @parameter of %s has the column '%s'", reader->path,
                        reader->line, path, names[c]);
        }
    }
    return true;
}

static bool take_written_header(struct bonded_reader *reader, const char *line, const char *end) {
    char names[BONDED_MAX_PARAMETERS][FIELD_SIZE];
    const char *file = kernel_text_of(reader->energy);
    reader->has_header = true;
    return take_columns(reader, line, end, names) &&
           (file ? take_kernel_text(reader, file, names) : take_expression(reader, names));
}

static bool take_energy(struct bonded_reader *reader, const char *line, const char *end) {
    if (reader->energy) {
        return refuse(reader, line, "one line \"energy = ...\", then the columns");
    }
    reader->energy = strndup(line, (size_t)(end - line));
    reader->energy_line = reader->line;
    return reader->energy || fail_out_of_memory(reader->error, "the bonded terms");
}

/* ---- lines ---- */

/* The columns have the names and the order of the form, blanks aside. */
static bool take_header(struct bonded_reader *reader, const char *line, const char *end) {
    const bool is_assignment = memchr(line, '=', (size_t)(end - line)) != NULL;
    if (reader->form->variable && is_assignment && expression_is_labelled(line)) {
        return take_energy(reader, line, end);
    }
    if (reader->energy) {
        return take_written_header(reader, line, end);
    }
    const char *name = reader->form->header;
    char field[FIELD_SIZE];
    bool same = true;
    reader->has_header = true;
    for (const char *at = line; same && at <= end;) {
        const size_t length = strcspn(name, ",");
        same = *name && take_field(&at, end, field) && is_spelt(name, length, field);
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
    const bool own = bonded_is_written(list_of(reader));
    const int parameters = bonded_parameters(list_of(reader), reader->form);
    (void)snprintf(words, 160, "%.*s%s: %d numbers of particles, 1 or more, and %d number%s",
                   own ? (int)particle_names(reader->form) : 80, reader->form->header,
                   own ? ",..." : "", reader->form->atoms, parameters, parameters == 1 ? "" : "s");
    return words;
}

const char *bonded_expected(enum bonded_kind kind, const double *parameter) {
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
    const int parameters = bonded_parameters(list_of(reader), form);
    for (int p = 0; taken && p < parameters; p++) {
        taken = take_field(&at, end, field) && parse_double(field, &parameter[p]);
    }
    if (!taken || at <= end) {
        return refuse(reader, line, expected_numbers(reader, words));
    }
    const char *expected =
        bonded_is_written(list_of(reader)) ? NULL : bonded_expected(reader->kind, parameter);
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

static bool read_lines(struct bonded_reader *reader, const char *text) {
    for (const char *line = text; *line; line = line_after(line)) {
        reader->line++;
        if (!read_line(reader, line)) {
            return false;
        }
    }
    if (!reader->has_header && reader->energy) {
        return fail(reader->error, STATUS_BAD_INPUT,
                    "%s:%d: the file ends after its energy; expected the columns of the particles "
                    "and of the energy's parameters, and a line per term",
                    reader->path, reader->energy_line);
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
    char *text = NULL;
    terms->lists[kind].path = strdup(path);
    if (!terms->lists[kind].path) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    const bool read =
        embedded_or_file_text(path, INPUT_TABLE_BYTES, &text, error) && read_lines(&reader, text);
    free(text);
    free(reader.energy);
    return read;
}
