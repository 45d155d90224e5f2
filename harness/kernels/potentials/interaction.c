/* How an interaction is read from its words, and what is asked of it. */
#include "kernels/potentials/interaction.h"

#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tunables ---- */

bool tunable_has(const struct tunable *tunable, double value) {
    for (int v = 0; v < tunable->value_count; v++) {
        if (tunable->values[v] == value) {
            return true;
        }
    }
    return false;
}

/* Sums over a group are reduced by halves, so its size is a power of two. */
static bool is_power_of_two(double value) {
    const int whole = (int)value;
    return whole > 0 && (whole & (whole - 1)) == 0;
}

bool tunable_check(const struct tunable *tunable, bool open, double value, struct error *error) {
    const bool listed = tunable_has(tunable, value);
    const bool is_size = strcmp(tunable->name, "GROUP_SIZE") == 0;
    const int most = strcmp(tunable->name, TABLE_CACHE_TUNABLE) == 0 ? 100 : TUNABLE_LARGEST_VALUE;
    if (!open && tunable->meanings) {
        return listed || fail(error, STATUS_BAD_INPUT, "%s=%.15g; expected %s", tunable->name,
                              value, tunable->meanings);
    }
    if (!open) {
        return listed || fail(error, STATUS_BAD_INPUT, "%s=%.15g; expected %d to %d", tunable->name,
                              value, tunable->values[0], tunable->values[tunable->value_count - 1]);
    }
    const bool is_whole = value == floor(value) && value <= most && (value >= 1 || listed);
    return (is_whole && (!is_size || is_power_of_two(value))) ||
           fail(error, STATUS_BAD_INPUT, "%s=%.15g; expected %s of %d to %d", tunable->name, value,
                is_size ? "a power of two" : "a whole number",
                !is_size && tunable_has(tunable, 0) ? 0 : 1, most);
}

/* One of "value value* ..." */
static bool parse_value(const struct header_reader *reader, const char *word, bool *starred,
                        struct tunable *tunable) {
    struct error problem;
    char *end = NULL;
    const long value = strtol(word, &end, 10);
    const bool star = strcmp(end, "*") == 0;
    if (end == word || (*end && !star) || value < 0 || value > TUNABLE_LARGEST_VALUE ||
        (star && *starred)) {
        return header_fail(reader,
                           "\"%s\" is no value of a tunable; expected whole numbers, one of "
                           "them at most starred as the preset",
                           word);
    }
    if (tunable_has(tunable, (double)value)) {
        return header_fail(reader, "@tunable %s has the value %ld twice", tunable->name, value);
    }
    if (star || tunable->value_count == 0) {
        tunable->preset = (int)value;
    }
    *starred = *starred || star;
    tunable->values[tunable->value_count++] = (int)value;
    return tunable_check(tunable, true, (double)value, &problem) ||
           header_fail(reader, "@tunable: %s", problem.message);
}

bool tunable_parse(const struct header_reader *reader, const char *rest, struct tunable *tunable) {
    char word[TUNABLE_NAME_SIZE];
    bool starred = false;
    if (!cut_word(&rest, tunable->name, TUNABLE_NAME_SIZE) || !is_identifier(tunable->name) ||
        !*rest) {
        return header_fail(reader, "expected: @tunable NAME value value* ...");
    }
    while (*rest) {
        if (tunable->value_count == TUNABLE_MAX_VALUES ||
            !cut_word(&rest, word, TUNABLE_NAME_SIZE)) {
            return header_fail(reader, "more than %d values", TUNABLE_MAX_VALUES);
        }
        if (!parse_value(reader, word, &starred, tunable)) {
            return false;
        }
    }
    return true;
}

enum { MAX_FLOPS = 1000 }; /* of a pair function: beyond that somebody miscounted */

static const char interactions_folder[] = "variants/interactions/";

/* "variants/interactions/lj.cl" -> "lj"; false for other files. */
static bool interaction_name_of(const char *path, char name[INTERACTION_NAME_SIZE]) {
    size_t folder = strlen(interactions_folder);
    if (strncmp(path, interactions_folder, folder) != 0) {
        return false;
    }
    size_t length = strcspn(path + folder, ".");
    (void)snprintf(name, INTERACTION_NAME_SIZE, "%.*s", (int)length, path + folder);
    return true;
}

static const struct embedded_file *find_file(const char *name) {
    char candidate[INTERACTION_NAME_SIZE];
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (interaction_name_of(file->path, candidate) && strcmp(candidate, name) == 0) {
            return file;
        }
    }
    return NULL;
}

void interaction_append_names(struct strbuf *text, const char *separator) {
    char name[INTERACTION_NAME_SIZE];
    const char *before = "";
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (interaction_name_of(file->path, name)) {
            strbuf_append(text, "%s%s", before, name);
            before = separator;
        }
    }
}

static bool fail_unknown(const char *name, struct error *error) {
    struct strbuf choices = { 0 };
    char candidate[INTERACTION_NAME_SIZE];
    char nearest[INTERACTION_NAME_SIZE] = "";
    char hint[HINT_SIZE];
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (interaction_name_of(file->path, candidate)) {
            const char *both[] = { candidate, *nearest ? nearest : NULL, NULL };
            const char *nearer = words_nearest(name, both);
            if (nearer == candidate) {
                memcpy(nearest, candidate, sizeof nearest);
            }
        }
    }
    interaction_append_names(&choices, ", ");
    (void)fail(error, STATUS_BAD_INPUT,
               "unknown interaction \"%s\"%s; expected one of %s, or an expression (energy = ...)",
               name, did_you_mean(*nearest ? nearest : NULL, '"', hint),
               choices.data ? choices.data : "those of variants/interactions");
    strbuf_free(&choices);
    return false;
}

/* Takes `word` from the front of *words, if it stands there. */
static bool take_flag(const char **words, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*words, word, length) != 0 || ((*words)[length] != ' ' && (*words)[length])) {
        return false;
    }
    *words += length;
    *words += strspn(*words, " ");
    return true;
}

/* @parameter NAME PRESET [positive|not_negative|switch] [arithmetic|geometric] what it is */
static bool declare_parameter(struct header_reader *reader, const char *rest,
                              struct interaction *interaction) {
    struct interaction_parameter *parameter =
        &interaction->parameters[interaction->parameter_count];
    int read = 0;
    if (interaction->parameter_count == INTERACTION_MAX_PARAMETERS ||
        sscanf(rest, "%31s %lf %n", parameter->name, &parameter->value, &read) != 2) {
        return header_fail(reader,
                           "expected: @parameter NAME PRESET [positive|not_negative|switch] "
                           "[arithmetic|geometric] what it is");
    }
    rest += read;
    parameter->positive = take_flag(&rest, "positive");
    parameter->not_negative = take_flag(&rest, "not_negative");
    parameter->is_switch = take_flag(&rest, "switch");
    if (take_flag(&rest, "arithmetic")) {
        parameter->mixing = MIXING_ARITHMETIC;
    } else if (take_flag(&rest, "geometric")) {
        parameter->mixing = MIXING_GEOMETRIC;
    }
    interaction->parameter_count++;
    interaction->functions[interaction->function_count].count++;
    return true;
}

/* @term van_der_waals|coulomb */
static bool declare_kind(struct header_reader *reader, const char *rest,
                         struct interaction *interaction) {
    struct interaction_function *function = &interaction->functions[interaction->function_count];
    bool coulomb = strcmp(rest, "coulomb") == 0;
    if (!coulomb && strcmp(rest, "van_der_waals") != 0) {
        return header_fail(reader, "expected: @term van_der_waals or @term coulomb");
    }
    function->kind = coulomb ? TERM_COULOMB : TERM_VAN_DER_WAALS;
    return true;
}

/* @cutoff PARAMETER */
static bool declare_cutoff(struct header_reader *reader, const char *rest,
                           struct interaction *interaction) {
    struct interaction_function *function = &interaction->functions[interaction->function_count];
    for (int p = function->first; p < function->first + function->count; p++) {
        if (strcmp(interaction->parameters[p].name, rest) == 0) {
            function->cutoff_parameter = p;
            return true;
        }
    }
    return header_fail(reader, "expected: @cutoff PARAMETER, one that was declared before");
}

/* @tunable NAME v v* v, as a variant's (kernels/header) */
static bool declare_tunable(struct header_reader *reader, const char *rest,
                            struct interaction *interaction) {
    if (interaction->tunable_count == INTERACTION_MAX_TUNABLES) {
        return header_fail(reader, "more than %d tunables of interactions",
                           INTERACTION_MAX_TUNABLES);
    }
    struct tunable *tunable = &interaction->tunables[interaction->tunable_count++];
    *tunable = (struct tunable){ .value_count = 0 };
    return tunable_parse(reader, rest, tunable);
}

/* @flops distance|pair COUNT how it was counted. In a sum of terms, the distance and the six
 * operations that add the force to a particle count once, and each further term has one addition.
 * */
static bool declare_flops(struct header_reader *reader, const char *rest,
                          struct interaction *interaction) {
    char what[16];
    double count;
    if (sscanf(rest, "%15s %lf", what, &count) != 2 || !(count >= 1 && count <= MAX_FLOPS) ||
        (strcmp(what, "distance") != 0 && strcmp(what, "pair") != 0)) {
        return header_fail(
            reader, "expected: @flops distance|pair COUNT how it was counted; 1 to %d", MAX_FLOPS);
    }
    if (what[0] == 'd') {
        interaction->flops_distance = fmax(interaction->flops_distance, count);
    } else {
        interaction->flops_pair += interaction->function_count > 0 ? count - 6 + 1 : count;
    }
    return true;
}

static bool read_header(const struct embedded_file *file, struct interaction *interaction,
                        struct error *error) {
    struct header_reader reader;
    char line[HEADER_LINE_SIZE];
    const char *rest;
    bool good = header_begin(file->path, embedded_text(file->path), &reader, error);
    while (good && header_next(&reader, line)) {
        if (header_word(line, "parameter", &rest)) {
            good = declare_parameter(&reader, rest, interaction);
        } else if (header_word(line, "cutoff", &rest)) {
            good = declare_cutoff(&reader, rest, interaction);
        } else if (header_word(line, "flops", &rest)) {
            good = declare_flops(&reader, rest, interaction);
        } else if (header_word(line, "term", &rest)) {
            good = declare_kind(&reader, rest, interaction);
        } else if (header_word(line, "tunable", &rest)) {
            good = declare_tunable(&reader, rest, interaction);
        } else if (header_word(line, "reach", &rest)) {
            interaction->functions[interaction->function_count].asks_reach = true;
        } else if (header_word(line, "elements", &rest)) {
            interaction->functions[interaction->function_count].elements =
                strcmp(rest, "setfl") == 0    ? ELEMENTS_SETFL
                : strcmp(rest, "orders") == 0 ? ELEMENTS_ORDERS
                                              : ELEMENTS_TRIPLETS;
        } else if (header_word(line, "workload", &rest)) {
            struct interaction_function *function =
                &interaction->functions[interaction->function_count];
            (void)snprintf(function->workload, sizeof function->workload, "%s", rest);
        }
    }
    return good;
}

bool interaction_has_function(const struct interaction *interaction, const char *name) {
    bool has = false;
    for (int f = 0; f < interaction->function_count; f++) {
        has = has || strcmp(interaction->functions[f].name, name) == 0;
    }
    return has;
}

static bool add_function(const char *name, struct interaction *interaction, struct error *error) {
    const struct embedded_file *file =
        strlen(name) < INTERACTION_NAME_SIZE ? find_file(name) : NULL;
    if (!file) {
        return fail_unknown(name, error);
    }
    if (interaction_has_function(interaction, name)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s stands twice in a sum", name);
    }
    if (interaction->function_count == INTERACTION_MAX_FUNCTIONS) {
        return fail(error, STATUS_BAD_INPUT, "a sum of more than %d interactions",
                    INTERACTION_MAX_FUNCTIONS);
    }
    struct interaction_function *function = &interaction->functions[interaction->function_count];
    (void)snprintf(function->name, sizeof function->name, "%s", name);
    function->path = file->path;
    function->source = embedded_text(file->path);
    function->first = interaction->parameter_count;
    function->cutoff = INFINITY;
    function->cutoff_parameter = -1;
    if (!read_header(file, interaction, error)) {
        return false;
    }
    interaction->function_count++;
    size_t length = strlen(interaction->name);
    (void)snprintf(interaction->name + length, sizeof interaction->name - length, "%s%s",
                   length ? "+" : "", name);
    return true;
}

/* ---- parameters ---- */

static int find_function(const struct interaction *interaction, const char *name, size_t length) {
    for (int f = 0; f < interaction->function_count; f++) {
        if (is_spelt(name, length, interaction->functions[f].name)) {
            return f;
        }
    }
    return -1;
}

/* The parameter of function f with this name; -1 when it has none. */
static int find_parameter(const struct interaction *interaction, int f, const char *name,
                          size_t length) {
    const struct interaction_function *function = &interaction->functions[f];
    for (int p = function->first; p < function->first + function->count; p++) {
        if (is_spelt(name, length, interaction->parameters[p].name)) {
            return p;
        }
    }
    return -1;
}

/* Whether the name is `cutoff` and the function has one besides its parameters. */
static bool names_cutoff(const struct interaction_function *function, const char *name,
                         size_t length) {
    return function->cutoff_parameter < 0 && length == strlen("cutoff") &&
           strncmp(name, "cutoff", length) == 0;
}

int interaction_count_owners(const struct interaction *interaction, const char *name,
                             size_t length) {
    int owners = 0;
    for (int f = 0; f < interaction->function_count; f++) {
        owners += find_parameter(interaction, f, name, length) >= 0 ||
                  names_cutoff(&interaction->functions[f], name, length);
    }
    return owners;
}

static void append_choices(const struct interaction *interaction, struct strbuf *choices) {
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        const char *dot = interaction->function_count > 1 ? "." : "";
        const char *prefix = interaction->function_count > 1 ? function->name : "";
        for (int p = function->first; p < function->first + function->count; p++) {
            strbuf_append(choices, "%s%s%s%s", f + p > 0 ? ", " : "", prefix, dot,
                          interaction->parameters[p].name);
        }
        if (function->cutoff_parameter < 0) {
            strbuf_append(choices, "%s%s%scutoff", f + function->count > 0 ? ", " : "", prefix,
                          dot);
        }
    }
}

/* The parameter of any of the functions that a name was most likely meant to be; NULL: none. */
static const char *nearest_parameter(const struct interaction *interaction, const char *word) {
    const char *choices[INTERACTION_MAX_PARAMETERS + INTERACTION_MAX_FUNCTIONS + 1] = { NULL };
    size_t count = 0;
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        for (int p = function->first; p < function->first + function->count; p++) {
            choices[count++] = interaction->parameters[p].name;
        }
        if (function->cutoff_parameter < 0) {
            choices[count++] = "cutoff";
        }
    }
    return words_nearest(word, choices);
}

static bool fail_parameter(const struct interaction *interaction, const char *word,
                           const char *what, bool unknown, struct error *error) {
    struct strbuf choices = { 0 };
    char hint[HINT_SIZE];
    const char *nearest = unknown ? nearest_parameter(interaction, word) : NULL;
    append_choices(interaction, &choices);
    (void)fail(error, STATUS_BAD_INPUT, "interaction %s %s \"%.100s\"%s; expected one of %s",
               interaction->name, what, word, did_you_mean(nearest, '"', hint),
               choices.data ? choices.data : "none");
    strbuf_free(&choices);
    return false;
}

/* What an assignment's left side means: [FUNCTION.]PARAMETER[.TYPE] */
struct target {
    int function;
    int parameter;    /* -1: the function's cutoff */
    const char *type; /* NULL: every type */
};

static bool find_target(const struct interaction *interaction, const char *word,
                        struct target *target, struct error *error) {
    const char *name = word;
    size_t length = strcspn(name, ".");
    int only = name[length] == '.' ? find_function(interaction, name, length) : -1;
    if (only >= 0) {
        name += length + 1;
        length = strcspn(name, ".");
    } else if (interaction_count_owners(interaction, name, length) > 1) {
        return fail_parameter(interaction, word, "has more than one", false, error);
    }
    for (int f = 0; f < interaction->function_count; f++) {
        bool cutoff = names_cutoff(&interaction->functions[f], name, length);
        int parameter = find_parameter(interaction, f, name, length);
        if ((only < 0 || only == f) && (parameter >= 0 || cutoff)) {
            *target =
                (struct target){ f, parameter, name[length] == '.' ? name + length + 1 : NULL };
            if (!cutoff || !target->type) {
                return true;
            }
        }
    }
    return fail_parameter(interaction, word, "has no parameter", true, error);
}

static bool check_value(const struct interaction_parameter *parameter, const char *word,
                        double value, const struct interaction *interaction, struct error *error) {
    bool per_type_root = strchr(word, '.') && parameter->mixing == MIXING_GEOMETRIC;
    if (parameter->positive && !(value > 0)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s must be greater than 0",
                    interaction->name, word);
    }
    if (parameter->is_switch && value != 0.0 && value != 1.0) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s must be 0 or 1", interaction->name,
                    word);
    }
    if ((parameter->not_negative || per_type_root) && !(value >= 0)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s must not be negative",
                    interaction->name, word);
    }
    return true;
}

static bool set_type_value(const struct target *target, const char *word, double value,
                           struct interaction *interaction, struct error *error) {
    const struct interaction_function *function = &interaction->functions[target->function];
    if (!interaction_function_may_be_typed(function)) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: %s: %s has no values for single types; expected %s=NUMBER",
                    interaction->name, word, function->name,
                    interaction->parameters[target->parameter].name);
    }
    for (int p = function->first; p < function->first + function->count; p++) {
        if (interaction->parameters[p].mixing == MIXING_NONE) {
            return fail(error, STATUS_BAD_INPUT,
                        "interaction %s: %s: %s has no mixing rule for values of single types; "
                        "expected a table of pairs of types",
                        interaction->name, word, function->name);
        }
    }
    if (strlen(target->type) == 0 || strlen(target->type) >= SPECIES_SIZE) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s names no type; expected %s.TYPE",
                    interaction->name, word, interaction->parameters[target->parameter].name);
    }
    for (int v = 0; v < interaction->type_value_count; v++) {
        if (interaction->type_values[v].parameter == target->parameter &&
            strcmp(interaction->type_values[v].type, target->type) == 0) {
            return fail(error, STATUS_BAD_INPUT, "interaction %s: %s is given twice",
                        interaction->name, word);
        }
    }
    if (interaction->type_value_count == INTERACTION_MAX_TYPE_VALUES) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: more than %d values of single types; expected a table",
                    interaction->name, INTERACTION_MAX_TYPE_VALUES);
    }
    struct interaction_type_value *added =
        &interaction->type_values[interaction->type_value_count++];
    added->parameter = target->parameter;
    (void)snprintf(added->type, sizeof added->type, "%s", target->type);
    added->value = value;
    return true;
}

/* Reads a number; "inf" is one, too, for a cutoff. */
static bool read_value(const struct interaction *interaction, const struct target *target,
                       const char *word, double *value) {
    if (target->parameter >= 0 &&
        target->parameter == interaction->functions[target->function].cutoff_parameter &&
        strcmp(word, "inf") == 0) {
        *value = INFINITY;
        return true;
    }
    return parse_double(word, value);
}

static bool is_given(const struct interaction *interaction, const struct target *target) {
    return target->parameter < 0 ? isfinite(interaction->functions[target->function].cutoff)
                                 : interaction->parameters[target->parameter].given;
}

static bool set_parameter(struct interaction *interaction, char *assignment, struct error *error) {
    struct target target = { 0 };
    double value = NAN;
    char *equals = strchr(assignment, '=');
    if (equals) {
        *equals = '\0';
    }
    if (!find_target(interaction, assignment, &target, error)) {
        return false;
    }
    if (!equals || !read_value(interaction, &target, equals + 1, &value)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s is \"%s\"; expected %s=NUMBER",
                    interaction->name, assignment, equals ? equals + 1 : "", assignment);
    }
    if (!target.type && is_given(interaction, &target)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s is given twice", interaction->name,
                    assignment);
    }
    if (target.parameter < 0) {
        interaction->functions[target.function].cutoff = value;
        return value > 0 ||
               fail(error, STATUS_BAD_INPUT, "interaction %s: %s must be greater than 0",
                    interaction->name, assignment);
    }
    struct interaction_parameter *parameter = &interaction->parameters[target.parameter];
    const char *word = target.type ? assignment : parameter->name;
    if (!check_value(parameter, word, value, interaction, error)) {
        return false;
    }
    if (target.type) {
        return set_type_value(&target, assignment, value, interaction, error);
    }
    parameter->value = value;
    parameter->given = true;
    return true;
}

static bool set_parameters(const char *words, struct interaction *interaction,
                           struct error *error) {
    char **assignments = split_list(words, ',');
    if (!assignments) {
        return fail_out_of_memory(error, "the interaction's parameters");
    }
    bool set = true;
    for (char **assignment = assignments; set && *assignment; assignment++) {
        set = set_parameter(interaction, *assignment, error);
    }
    free(assignments);
    return set;
}

/* Functions whose cutoff is one of their parameters get it from there. */
static void take_cutoffs(struct interaction *interaction) {
    for (int f = 0; f < interaction->function_count; f++) {
        struct interaction_function *function = &interaction->functions[f];
        if (function->cutoff_parameter >= 0) {
            function->cutoff = interaction->parameters[function->cutoff_parameter].value;
        }
    }
}

/* Checks functions that are switched off between `inner` and `outer`. */
static bool check_switches(const struct interaction *interaction, struct error *error) {
    for (int f = 0; f < interaction->function_count; f++) {
        const int inner = find_parameter(interaction, f, "inner", strlen("inner"));
        const int outer = find_parameter(interaction, f, "outer", strlen("outer"));
        if (inner >= 0 && outer >= 0 &&
            !(interaction->parameters[inner].value < interaction->parameters[outer].value)) {
            return fail(error, STATUS_BAD_INPUT,
                        "interaction %s: inner = %g, outer = %g; expected inner less than outer",
                        interaction->functions[f].name, interaction->parameters[inner].value,
                        interaction->parameters[outer].value);
        }
    }
    return true;
}

bool interaction_parse(const char *words, struct interaction *interaction, struct error *error) {
    memset(interaction, 0, sizeof *interaction);
    size_t length = strcspn(words, ":");
    char *sum = strndup(words, length);
    char **names = sum ? split_list(sum, '+') : NULL;
    bool parsed = names != NULL || fail_out_of_memory(error, "the interaction's name");
    for (char **name = names; parsed && *name; name++) {
        parsed = add_function(*name, interaction, error);
    }
    free(names);
    free(sum);
    parsed =
        parsed && (words[length] == '\0' || set_parameters(words + length + 1, interaction, error));
    take_cutoffs(interaction);
    return parsed && check_switches(interaction, error) && switching_complete(interaction, error);
}

/* ---- questions ---- */

void interaction_use_table(struct interaction *interaction, const struct type_table *table) {
    interaction->table = table;
    if (interaction->expression) {
        interaction->functions[0].source = interaction->expression->kernel[1];
    }
}

/* The place of a parameter; -1: there is none of that name. */
static int place_of_parameter(const struct interaction *interaction, const char *name) {
    int place = 0;
    while (place < interaction->parameter_count &&
           strcmp(interaction->parameters[place].name, name) != 0) {
        place++;
    }
    return place < interaction->parameter_count ? place : -1;
}

double interaction_value(const struct interaction *interaction, const char *parameter) {
    const int place = place_of_parameter(interaction, parameter);
    return place >= 0 ? interaction->parameters[place].value : NAN;
}

void interaction_set_value(struct interaction *interaction, const char *parameter, double value) {
    const int place = place_of_parameter(interaction, parameter);
    if (place >= 0) {
        interaction->parameters[place].value = value;
    }
}

bool interaction_function_may_be_typed(const struct interaction_function *function) {
    return function->kind == TERM_VAN_DER_WAALS && function->cutoff_parameter < 0;
}

bool interaction_has_types(const struct interaction *interaction) {
    return interaction->table != NULL || interaction->type_value_count > 0;
}

bool interaction_has_charges(const struct interaction *interaction) {
    const struct expression *expression = interaction->expression;
    bool has = interaction->text && (pair_text_has_word(interaction->text, "posq1") ||
                                     pair_text_has_word(interaction->text, "posq2"));
    for (int n = 0; expression && n < expression->node_count; n++) {
        has = has || expression->nodes[n].op == OP_Q1 || expression->nodes[n].op == OP_Q2;
    }
    for (int f = 0; f < interaction->function_count; f++) {
        has = has || interaction->functions[f].kind == TERM_COULOMB;
    }
    return has;
}

bool interaction_energies_apart(const struct interaction *interaction) {
    bool has[TERM_KINDS] = { false };
    for (int f = 0; f < interaction->function_count; f++) {
        has[interaction->functions[f].kind] = true;
    }
    return has[TERM_VAN_DER_WAALS] && has[TERM_COULOMB];
}

/* " ERFC_BY ...": asked of each tunable of each variant, so the texts are searched once. */
static struct strbuf declared_tunables = { 0 };

static void find_declared_tunables(void) {
    static const char word[] = "* @tunable";
    char function[INTERACTION_NAME_SIZE];
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        const bool is_function = interaction_name_of(file->path, function);
        const char *line = is_function ? strstr(embedded_text(file->path), word) : NULL;
        for (; line; line = strstr(line, word)) {
            line += strlen(word);
            strbuf_append(&declared_tunables, "%.*s", (int)strcspn(line, "\n"), line);
        }
    }
}

bool interaction_declares_tunable(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct strbuf word = { 0 };
    (void)pthread_once(&once, find_declared_tunables);
    strbuf_append(&word, " %s ", name);
    const bool declares =
        declared_tunables.data && word.data && strstr(declared_tunables.data, word.data);
    strbuf_free(&word);
    return declares;
}

const struct tunable *interaction_tunable(const struct interaction *interaction, const char *name) {
    for (int t = 0; t < interaction->tunable_count; t++) {
        if (strcmp(interaction->tunables[t].name, name) == 0) {
            return &interaction->tunables[t];
        }
    }
    return NULL;
}

bool interaction_parameter_fits_float(double value) {
    const double size = fabs(value);
    return size == 0 || !isfinite(size) || (size >= FLT_MIN && size <= FLT_MAX);
}
