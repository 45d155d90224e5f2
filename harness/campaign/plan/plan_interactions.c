/* Reads the interactions, and the tables, exclusions and bonded terms that belong to them. */
#include "campaign/plan/plan_parts.h"

#include "boxes/box.h"
#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/potentials/type_table.h"
#include "measure/program.h"

#include <stdlib.h>
#include <string.h>

enum { EXPRESSION_BYTES = 1 << 20 };

static bool same_interaction(const struct interaction *a, const struct interaction *b) {
    struct strbuf a_words = { 0 };
    struct strbuf b_words = { 0 };
    interaction_describe(a, &a_words);
    interaction_describe(b, &b_words);
    bool same = a_words.data && b_words.data && strcmp(a_words.data, b_words.data) == 0;
    strbuf_free(&a_words);
    strbuf_free(&b_words);
    return same;
}

/* Reads the files of bonded terms that are named. */
static bool choose_terms(const struct axes *axes, struct interaction_choices *choices,
                         struct error *error) {
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const char *path = axes_value(axes, axis_find(bonded_forms[kind].option));
        if (!path) {
            continue;
        }
        if (!choices->bonded) {
            choices->bonded = memory_zeroed(1, sizeof *choices->bonded);
        }
        if (!bonded_read(path, (enum bonded_kind)kind, choices->bonded, error)) {
            return fail_within(error, "%s", bonded_forms[kind].option);
        }
    }
    if (choices->bonded) {
        bonded_close(choices->bonded);
    }
    return true;
}

/* Takes the coefficients of a LAMMPS data file, which names the style or leaves it to
 * --interaction. */
static bool read_coefficients(const struct axes *axes, const struct interaction *interaction,
                              struct type_table **table, struct error *error) {
    const char *path = axes->table;
    struct box_pairs pairs = { .atom_style = axes->atom_style, .as_lj = true };
    struct box box;
    if (!box_read_pairs(path, &box, &pairs, error)) {
        box_pairs_free(&pairs);
        return false;
    }
    box_free(&box);
    const bool read =
        pairs.line == 0
            ? fail(error, STATUS_BAD_INPUT, "%s: neither Pair Coeffs nor PairIJ Coeffs", path)
        : !pairs.lj ? fail(error, STATUS_BAD_INPUT,
                           "%s:%zu: coefficients of pair style %s; expected lj/cut or lj/cut/...",
                           path, pairs.line, pairs.style)
                    : type_table_parse(path, pairs.lj, interaction, table, error);
    for (size_t e = 0; read && e < (*table)->count; e++) {
        (*table)->entries[e].line = pairs.lj_line[e];
    }
    box_pairs_free(&pairs);
    return read;
}

/* Reads the table of elements, once. */
static bool give_elements(const struct axes *axes, struct interaction_choices *choices,
                          struct interaction *interaction, struct error *error) {
    const enum element_form form = interaction->functions[0].elements;
    const bool is_eam = form == ELEMENTS_SETFL;
    const bool read = is_eam ? choices->eam || eam_table_read(axes->table, &choices->eam, error)
                             : choices->elements ||
                                   element_table_read(axes->table, form, &choices->elements, error);
    if (read && !is_eam && choices->elements->form != form) {
        return fail(error, STATUS_BAD_INPUT,
                    "--table %s: expected interactions of one form of tables", axes->table);
    }
    interaction->eam = is_eam ? choices->eam : NULL;
    interaction->elements = is_eam ? NULL : choices->elements;
    return read || fail_within(error, "--table");
}

/* Gives an interaction its table, its terms and what it leaves out. The choices own all. */
static bool complete_interaction(const struct axes *axes, struct interaction_choices *choices,
                                 struct interaction *interaction, struct error *error) {
    if (axes->exclude && !choices->exclusions &&
        !exclusions_read(axes->exclude, &choices->exclusions, error)) {
        return fail_within(error, "--exclude");
    }
    interaction->exclusions = choices->exclusions;
    interaction->bonded = choices->bonded;
    if (!axes->table) {
        return true;
    }
    if (interaction->functions[0].elements != ELEMENTS_NONE) {
        return give_elements(axes, choices, interaction, error);
    }
    struct type_table *table = NULL;
    if (!(box_is_lammps_file(axes->table)
              ? read_coefficients(axes, interaction, &table, error)
              : type_table_read(axes->table, interaction, &table, error))) {
        return fail_within(error, "--table");
    }
    choices->tables[choices->table_count++] = table;
    interaction_use_table(interaction, table);
    return true;
}

/* Refuses functions that have no pair function, since another workload alone computes them. */
static bool check_functions(const struct workload *workload, const struct interaction *interaction,
                            struct error *error) {
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        const struct workload *owner = workload_of_others(workload, function);
        if (owner) {
            return fail(error, STATUS_BAD_INPUT,
                        "--interaction: %s has no pair function: workload %s computes it",
                        function->name, owner->name);
        }
    }
    return true;
}

/* Whether the workload is of such an interaction. */
static bool check_interaction(const struct workload *workload,
                              const struct interaction *interaction, struct error *error) {
    if (workload->interactions && !workload_owns_interaction(workload, interaction->name)) {
        return fail(error, STATUS_BAD_INPUT, "--interaction: %s: workload %s takes %s alone",
                    interaction->name, workload->name, workload->default_interaction);
    }
    if (!check_functions(workload, interaction, error)) {
        return false;
    }
    if (!axis_is_of(AXIS_TABLE, workload) && interaction_has_types(interaction)) {
        return fail(error, STATUS_BAD_INPUT, "--interaction: workload %s %s", workload->name,
                    axis_table[AXIS_TABLE].lacking);
    }
    return axis_is_of(AXIS_INTERACTION_FILE, workload) ||
           (interaction->value_count == 0 && !interaction->text) ||
           fail(error, STATUS_BAD_INPUT,
                "--interaction: workload %s is of one function, the same for all particles",
                workload->name);
}

/* Derives alpha and the grid from --ewald-tolerance; refuses it where they are given. */
static bool use_ewald_tolerance(const char *word, struct interaction *interaction,
                                struct error *error) {
    double tolerance = 0;
    if (!parse_double(word, &tolerance) || !(tolerance > 0 && tolerance < 0.5)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--ewald-tolerance: '%.60s'; expected a number above 0 and below 0.5", word);
    }
    for (int p = 0; p < interaction->parameter_count; p++) {
        struct interaction_parameter *parameter = &interaction->parameters[p];
        const bool is_tolerance = strcmp(parameter->name, "tolerance") == 0;
        const bool is_derived =
            strcmp(parameter->name, "alpha") == 0 || strncmp(parameter->name, "grid_", 5) == 0;
        if (parameter->given && (is_tolerance || (is_derived && parameter->value > 0))) {
            return fail(error, STATUS_BAD_INPUT,
                        "--ewald-tolerance: --interaction has %s=%g; expected one of the two",
                        parameter->name, parameter->value);
        }
        parameter->value = is_tolerance ? tolerance : parameter->value;
    }
    return true;
}

/* ---- expressions whose parameters are columns of the box ---- */

/* Whether the words define the name: "=" follows it somewhere. */
static bool defines(const char *words, const char *name) {
    for (const char *at; (at = find_identifier(words, name)) != NULL; words = at + strlen(name)) {
        if (*skip_whitespace(at + strlen(name)) == '=') {
            return true;
        }
    }
    return false;
}

/* How a text calls a column of the box: "eps", which it uses as eps1 and eps2. */
struct column_name {
    char name[EXPRESSION_NAME_SIZE];         /* eps */
    char sides[2][EXPRESSION_NAME_SIZE + 1]; /* eps1, eps2 */
    char values[EXPRESSION_NAME_SIZE +
                sizeof "_of"]; /* eps; eps_of where the text defines eps, too */
};

/* Whether words take the column as values per particle that they do not define. */
static bool takes_column(const char *words, const char *name, struct column_name *column) {
    if (strlen(name) + 1 >= sizeof column->name || strcmp(name, "q") == 0) { /* q1, q2: charges */
        return false;
    }
    (void)snprintf(column->name, sizeof column->name, "%s", name);
    bool taken = false;
    bool defined = false;
    for (int k = 0; k < 2; k++) {
        (void)snprintf(column->sides[k], sizeof column->sides[k], "%s%c", name, '1' + k);
        taken = taken || find_identifier(words, column->sides[k]);
        defined = defined || defines(words, column->sides[k]);
    }
    (void)snprintf(column->values, sizeof column->values, "%s%s", name,
                   defines(words, name) ? "_of" : "");
    return taken && !defined;
}

/* Replaces a name by `to` wherever it stands. */
static void rename_words(struct strbuf *text, const char *from, const char *to) {
    struct strbuf renamed = { 0 };
    const char *rest = text->data;
    for (const char *at; (at = find_identifier(rest, from)) != NULL; rest = at + strlen(from)) {
        strbuf_append_bytes(&renamed, rest, (size_t)(at - rest));
        strbuf_append(&renamed, "%s", to);
    }
    strbuf_append(&renamed, "%s", rest);
    strbuf_free(text);
    *text = renamed;
}

/* Makes the text take the values of a column of the box. */
static void use_column(struct strbuf *text, const struct column_name *column, const char *path) {
    for (int k = 0; k < 2 && !text->failed; k++) {
        char value[sizeof column->values + 1];
        (void)snprintf(value, sizeof value, "%s%c", column->values, '1' + k);
        rename_words(text, column->sides[k], value);
    }
    strbuf_append(text, "; %s = particles \"%s\" column %s", column->values, path, column->name);
}

/* Completes the words: where they use NAME1 or NAME2 and the one box that is read has a column
 * NAME, appends "; NAME = particles "BOX" column NAME". In texts of OpenMM, q1 and q2 are the
 * charges. */
static void add_columns(const struct axes *axes, const char *words, struct strbuf *text) {
    char beginning[8192] = "";
    char *whole = NULL;
    strbuf_append(text, "%s", words);
    if (axes->box_files && axes->box_files[0] && !axes->box_files[1] &&
        (whole = realpath(axes->box_files[0], NULL)) && !strchr(whole, '"')) {
        (void)input_read_beginning(whole, beginning, sizeof beginning);
    }
    char *line = beginning + strcspn(beginning, "\n");
    line += *line != '\0';
    line[strcspn(line, "\n")] = '\0';
    char *list = strstr(line, "Properties=");
    list = list ? list + strlen("Properties=") : line + strlen(line);
    list += *list == '"';
    list[strcspn(list, " \t\r\"")] = '\0';
    char *rest = NULL;
    for (char *name = strtok_r(list, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        const char *kind = strtok_r(NULL, ":", &rest);
        const char *width = strtok_r(NULL, ":", &rest);
        struct column_name column;
        if (kind && width && !text->failed && strcmp(width, "1") == 0 && strchr("RI", *kind) &&
            takes_column(words, name, &column)) {
            use_column(text, &column, whole);
        }
    }
    free(whole);
}

static bool parse_expression(const struct axes *axes, const char *words, const char *path,
                             struct interaction_choices *choices, struct error *error) {
    struct strbuf text = { 0 };
    add_columns(axes, words, &text);
    const bool parsed = expression_parse(text.data, path, &choices->expression, error);
    strbuf_free(&text);
    return parsed;
}

/* The words of --interaction-file, which stand for those of --interaction; NULL: there is none. */
static bool read_expression(const struct axes *axes, struct interaction_choices *choices,
                            struct error *error) {
    char *words = NULL;
    if (!axes->interaction_file) {
        return parse_expression(axes, axes->interaction, NULL, choices, error) ||
               fail_within(error, "--interaction");
    }
    if (axes->interaction) {
        return fail(error, STATUS_BAD_INPUT,
                    "--interaction-file: expected no --interaction beside it");
    }
    const char *built_in = embedded_file_text(axes->interaction_file);
    if (built_in) {
        return expression_parse(built_in, axes->interaction_file, &choices->expression, error) ||
               fail_within(error, "--interaction-file");
    }
    const bool read = input_read_text(axes->interaction_file, EXPRESSION_BYTES, &words, error) &&
                      parse_expression(axes, words, axes->interaction_file, choices, error);
    free(words);
    return read || fail_within(error, "--interaction-file");
}

/* Reads the one interaction, a piece of kernel text. */
static bool make_text(const struct axes *axes, struct interaction_choices *choices,
                      struct error *error) {
    if (axes->interaction || axes->table) {
        return fail(error, STATUS_BAD_INPUT,
                    "--interaction-file: %s is kernel text; expected no %s", axes->interaction_file,
                    axes->table ? "--table" : "--interaction beside it");
    }
    if (!pair_text_read(axes->interaction_file, &choices->text, error)) {
        return fail_within(error, "--interaction-file");
    }
    interaction_of_text(choices->text, choices->items);
    return true;
}

static bool make_expression(const struct axes *axes, struct interaction_choices *choices,
                            struct error *error) {
    return read_expression(axes, choices, error) &&
           (interaction_of_expression(choices->expression, choices->items, error) ||
            fail_within(error, "--interaction"));
}

static void make_room(struct interaction_choices *choices, size_t count) {
    choices->items = memory_zeroed(count + 1, sizeof *choices->items);
    choices->tables = memory_zeroed(count + 1, sizeof(struct type_table *));
}

/* Reads the one interaction, an expression or a text. */
static bool choose_expression(const struct axes *axes, const struct workload *workload,
                              struct interaction_choices *choices, struct error *error) {
    const bool is_text = axes->interaction_file && pair_text_is_meant(axes->interaction_file);
    choices->count = 1;
    return (is_text ? make_text : make_expression)(axes, choices, error) &&
           check_interaction(workload, choices->items, error) &&
           complete_interaction(axes, choices, choices->items, error);
}

/* Chooses what acts without --interaction: the workload's default where there is a --table, which
 * belongs to it; else nothing. */
static bool choose_no_interaction(const struct axes *axes, const struct workload *workload,
                                  struct interaction_choices *choices, struct error *error) {
    const bool has_table = axes->table && axis_is_of(AXIS_TABLE, workload);
    choices->count = 1;
    (void)snprintf(choices->items->name, sizeof choices->items->name, "none");
    return (!has_table ||
            interaction_parse(workload->default_interaction, choices->items, error)) &&
           complete_interaction(axes, choices, choices->items, error);
}

/* Adds an interaction of the list, unless it is there already. */
static bool choose_one(const struct axes *axes, const struct workload *workload, const char *words,
                       struct interaction_choices *choices, struct error *error) {
    struct interaction *next = &choices->items[choices->count];
    bool repeated = false;
    if (!interaction_parse(words, next, error)) {
        return fail_within(error, "--interaction");
    }
    if (!check_interaction(workload, next, error) ||
        !complete_interaction(axes, choices, next, error) ||
        (axes->ewald_tolerance && !use_ewald_tolerance(axes->ewald_tolerance, next, error))) {
        return false;
    }
    for (size_t j = 0; j < choices->count; j++) {
        repeated = repeated || same_interaction(&choices->items[j], next);
    }
    choices->count += !repeated;
    return true;
}

static bool choose_interactions(const struct axes *axes, const struct workload *workload,
                                struct interaction_choices *choices, struct error *error) {
    const char *list = axes->interaction ? axes->interaction : workload->default_interaction;
    const bool one = !axis_is_of(AXIS_INTERACTION, workload);
    if (one || axes->interaction_file ||
        (axes->interaction && expression_is_meant(axes->interaction))) {
        make_room(choices, 1);
        return (one ? choose_no_interaction : choose_expression)(axes, workload, choices, error);
    }
    char **items = memory_split(list, ';');
    const size_t total = words_count((const char *const *)items);
    bool good = true;
    make_room(choices, total);
    for (size_t i = 0; good && i < total; i++) {
        good = choose_one(axes, workload, items[i], choices, error);
    }
    free(items);
    return good;
}

bool interactions_choose(const struct axes *axes, const struct workload *workload,
                         struct interaction_choices *choices, struct error *error) {
    return choose_terms(axes, choices, error) &&
           choose_interactions(axes, workload, choices, error);
}

void interactions_release(struct interaction_choices *choices) {
    free(choices->items);
    for (size_t i = 0; i < choices->table_count; i++) {
        type_table_free(choices->tables[i]);
    }
    free(choices->tables);
    element_table_free(choices->elements);
    eam_table_free(choices->eam);
    expression_free(choices->expression);
    pair_text_free(choices->text);
    exclusions_free(choices->exclusions);
    if (choices->bonded) {
        bonded_free(choices->bonded);
        free(choices->bonded);
    }
    *choices = (struct interaction_choices){ 0 };
}
