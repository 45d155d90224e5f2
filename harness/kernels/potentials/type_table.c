#include "kernels/potentials/type_table.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/exclusions.h"

#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64 };

/* A column of the file: one of the first three, or a parameter by name. */
struct table_column {
    char name[INTERACTION_NAME_SIZE];
    char *field; /* of the record being read */
};

struct table_reader {
    const struct interaction *interaction;
    struct type_table *table;
    struct error *error;
    int line;
    struct table_column columns[MAX_COLUMNS];
    int column_count; /* 0: the columns' names have not been read */
    int field_count;  /* of the record being read */
    bool failed;
};

static bool table_fail(struct table_reader *reader, const char *what, const char *word) {
    if (!reader->failed) {
        (void)fail(reader->error, STATUS_BAD_INPUT, "%s:%d: %s%.100s%s", reader->table->path,
                   reader->line, what, word ? word : "", word ? "\"" : "");
    }
    reader->failed = true;
    return false;
}

/* ---- columns ---- */

/* The first function from *f on that types may have parameters of, and *f its place; NULL: none. */
static const struct interaction_function *next_van_der_waals(const struct interaction *interaction,
                                                             int *f) {
    while (*f < interaction->function_count &&
           !interaction_function_may_be_typed(&interaction->functions[*f])) {
        (*f)++;
    }
    return *f < interaction->function_count ? &interaction->functions[*f] : NULL;
}

/* Whether the name of a column is that of a parameter of some van der Waals function. */
static bool is_parameter(const struct interaction *interaction, const char *name) {
    if (strcmp(name, "cutoff") == 0) {
        return true;
    }
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        const struct interaction_function *function = &interaction->functions[f];
        for (int p = function->first; p < function->first + function->count; p++) {
            if (strcmp(interaction->parameters[p].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static int find_column(const struct table_reader *reader, const char *name) {
    for (int c = 0; c < reader->column_count; c++) {
        if (strcmp(reader->columns[c].name, name) == 0) {
            return c;
        }
    }
    return -1;
}

/* The field of the record under a name; NULL where there is no such column or the field is empty.
 */
static const char *field_of(const struct table_reader *reader, const char *name) {
    int c = find_column(reader, name);
    return c >= 0 && reader->columns[c].field[0] ? reader->columns[c].field : NULL;
}

static bool take_columns(struct table_reader *reader) {
    static const char *const needed[] = { "type_a", "type_b", "function", NULL };
    const int count = reader->field_count;
    for (int c = 0; c < count; c++) {
        const char *name = reader->columns[c].field;
        if (!is_parameter(reader->interaction, name) && word_place(needed, name) < 0) {
            return table_fail(reader,
                              "expected the columns type_a, type_b, function and parameters of "
                              "the interaction's functions, not \"",
                              name);
        }
        if (find_column(reader, name) >= 0) {
            return table_fail(reader, "two columns named \"", name);
        }
        (void)snprintf(reader->columns[c].name, sizeof reader->columns[c].name, "%s", name);
        reader->column_count = c + 1;
    }
    for (int k = 0; needed[k]; k++) {
        if (find_column(reader, needed[k]) < 0) {
            return table_fail(reader, "expected a column named \"", needed[k]);
        }
    }
    return true;
}

/* ---- records ---- */

static bool find_table_function(struct table_reader *reader, int *function) {
    const struct interaction *interaction = reader->interaction;
    const char *name = field_of(reader, "function");
    for (*function = 0; name && next_van_der_waals(interaction, function); (*function)++) {
        if (strcmp(interaction->functions[*function].name, name) == 0) {
            return true;
        }
    }
    struct strbuf choices = { 0 };
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        strbuf_append(&choices, "%s%s", choices.length ? ", " : "", interaction->functions[f].name);
    }
    if (!reader->failed) {
        (void)fail(reader->error, STATUS_BAD_INPUT,
                   "%s:%d: function \"%.100s\"; expected one of the interaction's van der Waals "
                   "functions: %s",
                   reader->table->path, reader->line, name ? name : "",
                   choices.data ? choices.data : "none");
    }
    reader->failed = true;
    strbuf_free(&choices);
    return false;
}

static bool take_number(struct table_reader *reader, const char *name, double *value) {
    const char *field = field_of(reader, name);
    if (!parse_double(field, value)) {
        char what[INTERACTION_NAME_SIZE + 32];
        (void)snprintf(what, sizeof what, "%s: expected a number, not \"", name);
        return table_fail(reader, what, field);
    }
    return true;
}

static bool take_parameter(struct table_reader *reader, const char *function,
                           const struct interaction_parameter *parameter, double *value) {
    char what[2 * INTERACTION_NAME_SIZE + 64];
    if (!field_of(reader, parameter->name)) {
        (void)snprintf(what, sizeof what, "%s needs a value of \"", function);
        return table_fail(reader, what, parameter->name);
    }
    if (!take_number(reader, parameter->name, value)) {
        return false;
    }
    if ((parameter->positive && !(*value > 0)) || (parameter->not_negative && !(*value >= 0))) {
        (void)snprintf(what, sizeof what, "%s must be greater than 0, not \"", parameter->name);
        return table_fail(reader, what, field_of(reader, parameter->name));
    }
    return true;
}

/* Every parameter of the function, and no other. */
static bool take_values(struct table_reader *reader, struct table_entry *entry) {
    const struct interaction *interaction = reader->interaction;
    const struct interaction_function *function = &interaction->functions[entry->function];
    for (int p = 0; p < function->count; p++) {
        if (!take_parameter(reader, function->name, &interaction->parameters[function->first + p],
                            &entry->value[p])) {
            return false;
        }
    }
    for (int c = 0; c < reader->column_count; c++) {
        const char *name = reader->columns[c].name;
        bool own = strncmp(name, "type_", 5) == 0 || strcmp(name, "function") == 0 ||
                   strcmp(name, "cutoff") == 0 || !reader->columns[c].field[0];
        for (int p = 0; p < function->count; p++) {
            own = own || strcmp(interaction->parameters[function->first + p].name, name) == 0;
        }
        if (!own) {
            char what[INTERACTION_NAME_SIZE + 32];
            (void)snprintf(what, sizeof what, "%s has no parameter \"", function->name);
            return table_fail(reader, what, name);
        }
    }
    entry->cutoff = INFINITY;
    if (!field_of(reader, "cutoff")) {
        return true;
    }
    return take_number(reader, "cutoff", &entry->cutoff) &&
           (entry->cutoff > 0 || table_fail(reader, "cutoff must be greater than 0, not \"",
                                            field_of(reader, "cutoff")));
}

/* Whether both are of the same unordered pair of types. */
static bool same_pair(const struct table_entry *a, const struct table_entry *b) {
    for (int k = 0; k < 2; k++) {
        if (strcmp(a->type[0], b->type[k]) == 0 && strcmp(a->type[1], b->type[1 - k]) == 0) {
            return true;
        }
    }
    return false;
}

static bool take_types(struct table_reader *reader, struct table_entry *entry) {
    static const char *const names[2] = { "type_a", "type_b" };
    for (int k = 0; k < 2; k++) {
        const char *type = field_of(reader, names[k]);
        if (!type || strlen(type) >= SPECIES_SIZE) {
            char what[64];
            (void)snprintf(what, sizeof what, "%s: expected the name of a type, not \"", names[k]);
            return table_fail(reader, what, type ? type : "");
        }
        (void)snprintf(entry->type[k], SPECIES_SIZE, "%s", type);
    }
    return true;
}

static bool check_new(struct table_reader *reader, const struct table_entry *entry) {
    for (size_t e = 0; e < reader->table->count; e++) {
        const struct table_entry *other = &reader->table->entries[e];
        if (other->function == entry->function && same_pair(other, entry)) {
            if (!reader->failed) {
                (void)fail(reader->error, STATUS_BAD_INPUT,
                           "%s:%d: %s for %s and %s stands in line %d already", reader->table->path,
                           reader->line, reader->interaction->functions[entry->function].name,
                           entry->type[0], entry->type[1], other->line);
            }
            reader->failed = true;
            return false;
        }
    }
    return true;
}

static bool take_entry(struct table_reader *reader) {
    struct type_table *table = reader->table;
    struct table_entry entry = { .line = reader->line };
    if (reader->field_count != reader->column_count) {
        (void)fail(reader->error, STATUS_BAD_INPUT, "%s:%d: %d fields; expected %d, one a column",
                   table->path, reader->line, reader->field_count, reader->column_count);
        reader->failed = true;
        return false;
    }
    if (!take_types(reader, &entry) || !find_table_function(reader, &entry.function) ||
        !take_values(reader, &entry) || !check_new(reader, &entry)) {
        return false;
    }
    struct table_entry *entries = with_room(table->entries, table->count, &table->capacity,
                                            sizeof *entries, "a table of types", reader->error);
    reader->failed = !entries;
    if (entries) {
        table->entries = entries;
        table->entries[table->count++] = entry;
    }
    return entries != NULL;
}

/* ---- the file ---- */

static void take_field(void *bytes, size_t length, void *context) {
    struct table_reader *reader = context;
    if (reader->field_count == MAX_COLUMNS || length >= 256) {
        (void)table_fail(reader, "too many or too long fields", NULL);
        return;
    }
    char *copy = strndup(bytes ? bytes : "", length);
    if (!copy) {
        reader->failed = true;
        (void)fail_out_of_memory(reader->error, "a table of types");
        return;
    }
    reader->columns[reader->field_count++].field = copy;
}

static void take_record(int end, void *context) {
    struct table_reader *reader = context;
    (void)end;
    if (!reader->failed && reader->column_count == 0) {
        (void)take_columns(reader);
    } else if (!reader->failed) {
        (void)take_entry(reader);
    }
    for (int c = 0; c < reader->field_count; c++) {
        free(reader->columns[c].field);
        reader->columns[c].field = NULL;
    }
    reader->field_count = 0;
}

/* Line by line, so that each record's is known; '#' begins a comment line. */
static bool parse_lines(struct table_reader *reader, const char *data) {
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        return fail_out_of_memory(reader->error, "a table of types");
    }
    for (const char *line = data; *line && !reader->failed;) {
        size_t length = strcspn(line, "\r\n");
        reader->line++;
        if (line[0] != '#' &&
            (csv_parse(&parser, line, length, take_field, take_record, reader) != length ||
             csv_fini(&parser, take_field, take_record, reader) != 0)) {
            (void)table_fail(reader, "a quote that does not end or stands within a field", NULL);
        }
        line += length;
        line += *line == '\r';
        line += *line == '\n';
    }
    reader->field_count = reader->failed ? reader->field_count : 0;
    for (int c = 0; c < reader->field_count; c++) {
        free(reader->columns[c].field);
    }
    csv_free(&parser);
    if (!reader->failed && reader->table->count == 0) {
        reader->line += reader->line == 0;
        (void)table_fail(reader, "the table is empty; expected columns and at least one pair",
                         NULL);
    }
    return !reader->failed;
}

/* Refuses a table for which the interaction has no function, or whose parameters are given with the
 * interaction's name, too. */
static bool check_use(const char *path, const struct interaction *interaction,
                      struct error *error) {
    int f = 0;
    if (!next_van_der_waals(interaction, &f)) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: interaction %s has no van der Waals function that a table could be for",
                    path, interaction->name);
    }
    for (; next_van_der_waals(interaction, &f); f++) {
        const struct interaction_function *function = &interaction->functions[f];
        for (int p = function->first; p < function->first + function->count; p++) {
            if (interaction->parameters[p].given || interaction->type_value_count > 0) {
                return fail(error, STATUS_BAD_INPUT,
                            "%s: %s of %s is given with the interaction's name, too; expected it "
                            "in one place",
                            path, interaction->parameters[p].name, function->name);
            }
        }
    }
    return true;
}

bool type_table_parse(const char *name, const char *text, const struct interaction *interaction,
                      struct type_table **table, struct error *error) {
    if (!check_use(name, interaction, error)) {
        return false;
    }
    struct type_table *made = calloc(1, sizeof *made);
    if (!made || !(made->path = strdup(name))) {
        type_table_free(made);
        return fail_out_of_memory(error, "a table of types");
    }
    struct table_reader reader = { .interaction = interaction, .table = made, .error = error };
    if (!parse_lines(&reader, text)) {
        type_table_free(made);
        return false;
    }
    hash_bytes(text, strlen(text), made->hash);
    *table = made;
    return true;
}

bool type_table_read(const char *path, const struct interaction *interaction,
                     struct type_table **table, struct error *error) {
    char *text = NULL;
    const bool read = check_use(path, interaction, error) &&
                      embedded_or_file_text(path, INPUT_TABLE_BYTES, &text, error) &&
                      type_table_parse(path, text, interaction, table, error);
    free(text);
    return read;
}

void type_table_free(struct type_table *table) {
    if (table) {
        free(table->path);
        free(table->entries);
        free(table);
    }
}

const char *type_table_hash(const struct type_table *table) {
    return table->hash;
}

/* ---- parameters by types ---- */

int type_parameters_offset(const struct interaction *interaction, int f) {
    int offset = 0;
    for (int g = 0; g < f; g++) {
        if (interaction_function_may_be_typed(&interaction->functions[g])) {
            offset += 1 + interaction->functions[g].count;
        }
    }
    return offset;
}

int type_parameters_stride(const struct interaction *interaction) {
    return type_parameters_offset(interaction, interaction->function_count);
}

void type_parameters_powers(const double *entry, double powers[2]) {
    const double sixth = pow(entry[2], 6);
    powers[0] = entry[0] > 0 ? 48 * entry[1] * sixth * sixth : 0;
    powers[1] = entry[0] > 0 ? 24 * entry[1] * sixth : 0;
}

/* Whether float holds both products, and these times r^-14, far from overflow and underflow. */
static bool powers_fit(double epsilon, double sigma) {
    const double entry[] = { INFINITY, epsilon, sigma };
    double powers[2];
    type_parameters_powers(entry, powers);
    return epsilon == 0 || (powers[0] > 1e-24 && powers[0] < 1e24 && sigma > 1e-2 && sigma < 1e2);
}

/* The value that a type has of parameter p of the first function, or all types without one. */
static double value_or_all(const struct interaction *interaction, int v, int p) {
    const struct interaction_type_value *own = v < 0 ? NULL : &interaction->type_values[v];
    return own && own->parameter == p ? own->value : interaction->parameters[p].value;
}

/* Tries every two values of types: mixed ones lie between them. */
static bool mixed_powers_fit(const struct interaction *interaction, int first) {
    bool fit = true;
    for (int v = -1; v < interaction->type_value_count; v++) {
        for (int w = -1; w < interaction->type_value_count; w++) {
            fit = fit && powers_fit(value_or_all(interaction, v, first),
                                    value_or_all(interaction, w, first + 1));
        }
    }
    return fit;
}

bool type_parameters_as_powers(const struct interaction *interaction) {
    const struct interaction_function *lj = NULL;
    int typed = 0;
    for (int f = 0; f < interaction->function_count; f++) {
        if (interaction_function_may_be_typed(&interaction->functions[f])) {
            lj = &interaction->functions[f];
            typed++;
        }
    }
    if (typed != 1 || strcmp(lj->name, "lj") != 0 || isfinite(lj->cutoff) ||
        interaction->value_count > 0 || !interaction_has_types(interaction)) {
        return false;
    }
    const struct type_table *table = interaction->table;
    bool fit = table || mixed_powers_fit(interaction, lj->first);
    for (size_t e = 0; table && e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        fit = fit && !isfinite(entry->cutoff) && powers_fit(entry->value[0], entry->value[1]);
    }
    return fit;
}

/* All types of this name: a file may give one name to several. */
static bool has_type(const struct box *box, const char *name) {
    for (int32_t t = 0; t < box->types; t++) {
        if (strcmp(box->species[t], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool fail_type(const struct box *box, const char *place, const char *name,
                      struct error *error) {
    enum { NAMED = 12 };
    struct strbuf choices = { 0 };
    for (int32_t t = 0; t < box->types && t < NAMED; t++) {
        strbuf_append(&choices, "%s%s", t ? ", " : "", box->species[t]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "%s: the box has no type \"%s\"; expected one of %s%s",
               place, name, strbuf_text(&choices), box->types > NAMED ? ", ..." : "");
    strbuf_free(&choices);
    return false;
}

static bool check_types(const struct interaction *interaction, const struct box *box,
                        struct error *error) {
    const struct type_table *table = interaction->table;
    for (size_t e = 0; table && e < table->count; e++) {
        for (int k = 0; k < 2; k++) {
            if (!has_type(box, table->entries[e].type[k])) {
                char place[600];
                (void)snprintf(place, sizeof place, "%.512s:%d", table->path,
                               table->entries[e].line);
                return fail_type(box, place, table->entries[e].type[k], error);
            }
        }
    }
    for (int v = 0; v < interaction->type_value_count; v++) {
        const struct interaction_type_value *value = &interaction->type_values[v];
        if (!has_type(box, value->type)) {
            char place[160];
            (void)snprintf(place, sizeof place, "interaction %s: %s.%s", interaction->name,
                           interaction->parameters[value->parameter].name, value->type);
            return fail_type(box, place, value->type, error);
        }
    }
    return true;
}

static void fill_from_table(const struct interaction *interaction, const struct box *box, int32_t a,
                            int32_t b, double *values) {
    const struct type_table *table = interaction->table;
    struct table_entry pair = { .line = 0 };
    memcpy(pair.type[0], box->species[a], SPECIES_SIZE);
    memcpy(pair.type[1], box->species[b], SPECIES_SIZE);
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        values[type_parameters_offset(interaction, f)] = -1; /* no such term */
    }
    for (size_t e = 0; e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        if (same_pair(entry, &pair)) {
            const struct interaction_function *function = &interaction->functions[entry->function];
            double *slot = values + type_parameters_offset(interaction, entry->function);
            slot[0] = isfinite(entry->cutoff) ? entry->cutoff : function->cutoff;
            memcpy(slot + 1, entry->value, (size_t)function->count * sizeof *slot);
        }
    }
}

/* The value of a parameter for one type. */
static double value_for(const struct interaction *interaction, int parameter, const char *type) {
    for (int v = 0; v < interaction->type_value_count; v++) {
        if (interaction->type_values[v].parameter == parameter &&
            strcmp(interaction->type_values[v].type, type) == 0) {
            return interaction->type_values[v].value;
        }
    }
    return interaction->parameters[parameter].value;
}

/* Mixes a parameter as its header says: Lorentz for lengths, Berthelot for energies. One without a
 * rule has no values for single types. */
static double mix(const struct interaction *interaction, int parameter, const char *a,
                  const char *b) {
    double of_a = value_for(interaction, parameter, a);
    double of_b = value_for(interaction, parameter, b);
    switch (interaction->parameters[parameter].mixing) {
    case MIXING_ARITHMETIC:
        return 0.5 * (of_a + of_b);
    case MIXING_GEOMETRIC:
        return of_a == of_b ? of_a : sqrt(of_a * of_b);
    default:
        return of_a;
    }
}

static void fill_by_mixing(const struct interaction *interaction, const struct box *box, int32_t a,
                           int32_t b, double *values) {
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        const struct interaction_function *function = &interaction->functions[f];
        double *slot = values + type_parameters_offset(interaction, f);
        slot[0] = function->cutoff;
        for (int p = 0; p < function->count; p++) {
            slot[1 + p] = mix(interaction, function->first + p, box->species[a], box->species[b]);
        }
    }
}

static bool has_term(const struct interaction *interaction,
                     const struct type_parameters *parameters, int type) {
    for (int other = 0; other < parameters->types; other++) {
        const double *entry =
            parameters->values + (type * parameters->types + other) * parameters->stride;
        for (int f = 0; next_van_der_waals(interaction, &f); f++) {
            if (entry[type_parameters_offset(interaction, f)] >= 0) {
                return true;
            }
        }
    }
    return false;
}

int32_t type_parameters_bare(const struct interaction *interaction,
                             const struct type_parameters *parameters) {
    enum { BITS = 31 };
    int32_t bare = 0;
    for (int type = 0; type < parameters->types && type < BITS; type++) {
        bare |= has_term(interaction, parameters, type) ? 0 : INT32_C(1) << type;
    }
    return bare;
}

bool type_parameters_resolve(const struct interaction *interaction, const struct box *box,
                             struct type_parameters *parameters, struct error *error) {
    *parameters = (struct type_parameters){ 0 };
    if (!interaction_has_types(interaction)) {
        return true;
    }
    if (!check_types(interaction, box, error)) {
        return false;
    }
    parameters->types = box->types;
    parameters->stride = type_parameters_stride(interaction);
    const size_t types = (size_t)box->types;
    const size_t stride = (size_t)parameters->stride;
    parameters->values = calloc(types * types * stride + 1, sizeof *parameters->values);
    if (!parameters->values) {
        return fail_out_of_memory(error, "the parameters of the types");
    }
    for (size_t k = 0; k < types * types; k++) {
        (interaction->table ? fill_from_table : fill_by_mixing)(
            interaction, box, (int32_t)(k / types), (int32_t)(k % types),
            parameters->values + k * stride);
    }
    return true;
}

void type_parameters_free(struct type_parameters *parameters) {
    free(parameters->values);
    *parameters = (struct type_parameters){ 0 };
}

/* ---- whether all fits ---- */

static const struct interaction_function *
function_of_longest_cutoff(const struct interaction *interaction) {
    const struct interaction_function *longest = NULL;
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        if (isfinite(function->cutoff) && (!longest || function->cutoff > longest->cutoff)) {
            longest = function;
        }
    }
    return longest;
}

static const struct table_entry *entry_of_longest_cutoff(const struct interaction *interaction) {
    const struct type_table *table = interaction->table;
    const struct table_entry *longest = NULL;
    for (size_t e = 0; table && e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        if (isfinite(entry->cutoff) && (!longest || entry->cutoff > longest->cutoff)) {
            longest = entry;
        }
    }
    return longest;
}

double interaction_longest_cutoff(const struct interaction *interaction) {
    const struct interaction_function *function = function_of_longest_cutoff(interaction);
    const struct table_entry *entry = entry_of_longest_cutoff(interaction);
    return fmax(function ? function->cutoff : 0, entry ? entry->cutoff : 0);
}

/* The message names the longest cutoff: the one that it asks for then suffices. */
bool interaction_accepts_cutoff(const struct interaction *interaction, double cutoff,
                                struct error *error) {
    const struct interaction_function *function = function_of_longest_cutoff(interaction);
    const struct table_entry *entry = entry_of_longest_cutoff(interaction);
    const double least = interaction_longest_cutoff(interaction);
    if (least <= cutoff) {
        return true;
    }
    if (entry && entry->cutoff == least) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%s:%d: the cutoff %.9g of types %s and %s is longer than the case's, %.9g; expected "
            "a cutoff of at least %.15g",
            interaction->table->path, entry->line, least, entry->type[0], entry->type[1], cutoff,
            least);
    }
    return fail(error, STATUS_BAD_INPUT,
                "interaction %s: the cutoff %.9g of %s is longer than the case's, %.9g; expected a "
                "cutoff of at least %.15g",
                interaction->name, least, function->name, cutoff, least);
}

static bool check_values(const struct interaction *interaction, const struct box *box,
                         struct error *error) {
    for (int v = 0; v < interaction->value_count; v++) {
        const struct particle_values *values = interaction->values[v];
        if (values->count != box->n) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: %zu values; the box has %zu particles, expected one for each",
                        values->path, values->count, box->n);
        }
    }
    return true;
}

bool interaction_fits(const struct interaction *interaction, const struct box *box, double cutoff,
                      struct error *error) {
    return (!interaction_has_charges(interaction) ||
            box_says_charges(box, interaction->name, error)) &&
           interaction_accepts_cutoff(interaction, cutoff, error) &&
           check_types(interaction, box, error) && check_values(interaction, box, error) &&
           (!interaction->exclusions || exclusions_fit(interaction->exclusions, box, error)) &&
           (!interaction->eam || eam_table_fits(interaction->eam, box, error)) &&
           (!interaction->elements || element_table_fits(interaction->elements, box, error)) &&
           (!interaction->bonded || bonded_fit(interaction->bonded, box, error));
}
