#include "variant/arguments.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* NULL-terminated lists of names. */
static const char *const common_arguments[] = { "edge", "inverse_edge", "cutoff2", "partial_sums",
                                                NULL };
static const char *const forces_arguments[] = { "n", "position", "force", NULL };
static const char *const one_arguments[] = { "n", "position", "derivative", NULL };
static const char *const two_arguments[] = { "n_a",          "n_b",          "position_a",
                                             "position_b",   "index_a",      "index_b",
                                             "derivative_a", "derivative_b", NULL };
static const char *const pairs_arguments[] = { "n_pairs",      "position_a",   "position_b",
                                               "derivative_a", "derivative_b", NULL };
static const char *const one_units[] = { "particle", "compute_unit", NULL };
static const char *const two_units[] = { "particle_a", "particle_b", "compute_unit", NULL };
static const char *const pairs_units[] = { "pair", "compute_unit", NULL };

static const char *const *arguments_of(const struct variant *variant) {
    static const char *const *const of_groups[] = {
        [GROUPS_ONE] = one_arguments, [GROUPS_TWO] = two_arguments, [GROUPS_PAIRS] = pairs_arguments
    };
    return variant_is_coordination(variant) ? of_groups[variant->groups] : forces_arguments;
}

static const char *const *units_of(const struct variant *variant) {
    static const char *const *const of_groups[] = {
        [GROUPS_ONE] = one_units, [GROUPS_TWO] = two_units, [GROUPS_PAIRS] = pairs_units
    };
    return variant_is_coordination(variant) ? of_groups[variant->groups] : one_units;
}

/* Whether the structure stands over each of two groups. */
static bool has_sides(const struct variant *variant) {
    return variant_is_coordination(variant) && variant->groups == GROUPS_TWO;
}

int arguments_side(const char *name, char plain[VARIANT_NAME_SIZE]) {
    const size_t length = strlen(name);
    if (length < 3 || length >= VARIANT_NAME_SIZE || name[length - 2] != '_' ||
        (name[length - 1] != 'a' && name[length - 1] != 'b')) {
        return -1;
    }
    memcpy(plain, name, length - 2);
    plain[length - 2] = '\0';
    return name[length - 1] - 'a';
}

/* The text with comments blanked out, line breaks kept, so that places stay what they were. */
static char *without_comments(const char *text) {
    char *plain = strdup(text);
    if (!plain) {
        return NULL;
    }
    for (char *c = plain; *c; c++) {
        const char *end = NULL;
        if (strncmp(c, "/*", 2) == 0) {
            end = strstr(c + 2, "*/");
            end = end ? end + 2 : c + strlen(c);
        } else if (strncmp(c, "//", 2) == 0) {
            end = c + strcspn(c, "\n");
        }
        for (; end && c < end; c++) {
            *c = *c == '\n' ? '\n' : ' ';
        }
        if (!*c) {
            break;
        }
    }
    return plain;
}

static int line_of(const char *text, const char *place) {
    int line = 1;
    for (; text < place; text++) {
        line += *text == '\n';
    }
    return line;
}

static const char *skip_blanks(const char *c) {
    while (isspace((unsigned char)*c)) {
        c++;
    }
    return c;
}

static bool is_word_character(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* After `word` and the blanks that follow it, if c begins with that whole word; else NULL. */
static const char *after_word(const char *c, const char *word) {
    size_t length = strlen(word);
    if (strncmp(c, word, length) != 0 || is_word_character(c[length])) {
        return NULL;
    }
    return skip_blanks(c + length);
}

/* The place just behind the opening parenthesis of the kernel's parameters; NULL when there is no
 * such kernel. */
static const char *find_parameters(const char *plain, const char *kernel) {
    for (const char *c = strstr(plain, "KERNEL"); c; c = strstr(c + 1, "KERNEL")) {
        if (c > plain && is_word_character(c[-1])) {
            continue;
        }
        const char *rest = after_word(c, "KERNEL");
        rest = rest ? after_word(rest, "void") : NULL;
        rest = rest ? after_word(rest, kernel) : NULL;
        if (rest && *rest == '(') {
            return rest + 1;
        }
    }
    return NULL;
}

static bool is_among(const char *name, const char *const *offered) {
    for (; *offered; offered++) {
        if (strcmp(name, *offered) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the structure offers the name, or offers it for one of two groups. */
static bool is_of_structure(const struct variant *variant, const char *name,
                            const char *const *offered) {
    char plain[VARIANT_NAME_SIZE];
    if (has_sides(variant)) {
        return arguments_side(name, plain) >= 0 && is_among(plain, offered);
    }
    return is_among(name, offered);
}

bool arguments_offer(const struct variant *variant, const char *name) {
    const struct structure_class *structure = structure_find(variant->structure);
    return is_among(name, common_arguments) || is_among(name, arguments_of(variant)) ||
           (structure && is_of_structure(variant, name, structure->arguments));
}

bool arguments_offer_unit(const struct variant *variant, const char *unit) {
    const struct structure_class *structure = structure_find(variant->structure);
    return is_among(unit, units_of(variant)) ||
           (structure && is_of_structure(variant, unit, structure->units));
}

static void append_names(struct text *names, const char *const *more) {
    for (; *more; more++) {
        text_append(names, "%s%s", names->length ? ", " : "", *more);
    }
}

static void append_of_structure(const struct variant *variant, const char *const *more,
                                struct text *names) {
    for (; *more && has_sides(variant); more++) {
        text_append(names, ", %s_a, %s_b", *more, *more);
    }
    append_names(names, more);
}

void arguments_list(const struct variant *variant, struct text *names) {
    const struct structure_class *structure = structure_find(variant->structure);
    append_names(names, arguments_of(variant));
    append_names(names, common_arguments);
    if (structure) {
        append_of_structure(variant, structure->arguments, names);
    }
}

void arguments_list_units(const struct variant *variant, struct text *units) {
    const struct structure_class *structure = structure_find(variant->structure);
    append_names(units, units_of(variant));
    if (structure) {
        append_of_structure(variant, structure->units, units);
    }
}

/* The last word before `end`, blanks behind it left out. */
static const char *last_word(const char *start, const char *end, size_t *length) {
    while (end > start && isspace((unsigned char)end[-1])) {
        end--;
    }
    const char *word = end;
    while (word > start && is_word_character(word[-1])) {
        word--;
    }
    *length = (size_t)(end - word);
    return word;
}

/* Ends a parameter list: the harness appends what the interaction asks for. */
static const char pair_parameters[] = "PAIR_PARAMETERS";
/* Begins a kernel's body: there the harness has the group stage what it shares. */
static const char sum_scratch[] = "SUM_SCRATCH";

/* Takes the parameter between start and end: its name is its last word. */
static bool take_parameter(const char *path, int line, const char *start, const char *end,
                           const struct variant *variant, struct pass *pass, struct error *error) {
    size_t length = 0;
    const char *name = last_word(start, end, &length);
    if (length == strlen(pair_parameters) && strncmp(name, pair_parameters, length) == 0) {
        pass->takes_pair_parameters = true;
        name = last_word(start, name, &length);
    }
    if (length == 0 && pass->takes_pair_parameters) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: expected no comma before PAIR_PARAMETERS, behind at least "
                    "one parameter",
                    path, line, pass->kernel);
    }
    if (length == 0 || length >= VARIANT_NAME_SIZE ||
        pass->argument_count == VARIANT_MAX_ARGUMENTS) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: expected a named parameter, and at most %d of them", path,
                    line, pass->kernel, VARIANT_MAX_ARGUMENTS);
    }
    char *argument = pass->arguments[pass->argument_count++];
    memcpy(argument, name, length);
    argument[length] = '\0';
    if (arguments_offer(variant, argument)) {
        return true;
    }
    struct text choices = { 0 };
    arguments_list(variant, &choices);
    (void)fail(
        error, STATUS_BAD_INPUT,
        "%s:%d: kernel %s: nothing is known by the name of parameter \"%s\"; expected one of %s",
        path, line, pass->kernel, argument, choices.data ? choices.data : "");
    text_free(&choices);
    return false;
}

static bool take_parameters(const char *path, const char *plain, const char *parameters,
                            const struct variant *variant, struct pass *pass, struct error *error) {
    pass->argument_count = 0;
    for (const char *start = parameters;;) {
        size_t length = strcspn(start, ",()");
        const char *end = start + length;
        if (*end != ',' && *end != ')') {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: kernel %s: its parameters do not end; expected plain declarations, "
                        "separated by commas, and ')'",
                        path, line_of(plain, start), pass->kernel);
        }
        const char *first = skip_blanks(start);
        bool empty = first >= end && *end == ')' && pass->argument_count == 0;
        if (!empty && !take_parameter(path, line_of(plain, first < end ? first : end), start, end,
                                      variant, pass, error)) {
            return false;
        }
        if (*end == ')') {
            const char *body = skip_blanks(end + 1);
            pass->begins_with_sum_scratch =
                *body == '{' && after_word(skip_blanks(body + 1), sum_scratch) != NULL;
            return true;
        }
        start = end + 1;
    }
}

bool arguments_parse(const char *path, const struct variant *variant, struct pass *pass,
                     struct error *error) {
    char *plain = without_comments(variant->text);
    if (!plain) {
        return fail_out_of_memory(error, path);
    }
    const char *parameters = find_parameters(plain, pass->kernel);
    bool parsed = parameters ? take_parameters(path, plain, parameters, variant, pass, error)
                             : fail(error, STATUS_BAD_INPUT,
                                    "%s: @pass names kernel %s, but the text has none; expected "
                                    "KERNEL void %s(...)",
                                    path, pass->kernel, pass->kernel);
    free(plain);
    return parsed;
}
