#include "variant/arguments.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "variant/bindings.h"
#include "variant/parameter_type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* The number of the line of a place, counted on from the last #line before it. */
static int line_of(const char *text, const char *place) {
    int line = 1;
    for (const char *start = text; start <= place; line++) {
        const char *end = start + strcspn(start, "\n");
        if (place <= end) {
            break;
        }
        if (strncmp(start, "#line ", strlen("#line ")) == 0) {
            line = (int)strtol(start + strlen("#line "), NULL, 10) - 1;
        }
        start = end + 1;
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

/* Behind a parenthesis and all that it holds; the end of the text where it does not close. */
static const char *skip_parentheses(const char *c) {
    int depth = 0;
    for (; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (depth == 0) {
            return skip_blanks(c + 1);
        }
    }
    return c;
}

/* The same of CUDA C++: __global__ void kernel(, with attributes such as __launch_bounds__(128)
 * among these words. */
static const char *find_cuda_parameters(const char *plain, const char *kernel) {
    static const char global[] = "__global__";
    for (const char *c = strstr(plain, global); c; c = strstr(c, global)) {
        c = skip_blanks(c + strlen(global));
        while (is_word_character(*c)) {
            const char *found = after_word(c, kernel);
            if (found && *found == '(') {
                return found + 1;
            }
            while (is_word_character(*c)) {
                c++;
            }
            c = skip_blanks(c);
            c = *c == '(' ? skip_parentheses(c) : c;
        }
    }
    return find_parameters(plain, kernel);
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

/* Where a parameter stands, for messages. */
struct place {
    const char *path;
    int line;
};

static void note_scratch(const struct binding *binding, const struct parameter_type *declared,
                         struct pass *pass) {
    if (binding->source == BINDING_SCRATCH) {
        pass->scratch_taken |= 1U << binding->scratch;
        pass->scratch_written |= declared->is_const ? 0 : 1U << binding->scratch;
    }
}

/* Results that are not added up by the words of variants/accumulation.cl are not in fixed point. */
static void note_result(const char *name, const struct binding *binding,
                        const struct parameter_type *declared, struct variant *variant) {
    const bool is_result = binding_result(variant, name) ||
                           (binding->offer && strcmp(binding->offer->name, "force") == 0);
    if (is_result && strcmp(declared->base, "force_sum") != 0) {
        variant->precisions &= ~(1U << PRECISION_FIXED);
    }
}

/* Refuses a parameter whose declared type, what stands before its name, is not the one offered. */
static bool check_type(const struct place *place, const char *start, const char *name_at,
                       const char *name, struct variant *variant, struct pass *pass,
                       struct error *error) {
    const char *kernel = pass->kernel;
    struct binding binding;
    struct parameter_type declared;
    char words[OFFER_TYPE_SIZE];
    if (!binding_find(variant, name, &binding)) {
        struct strbuf choices = { 0 };
        bindings_list(variant, &choices);
        (void)fail(error, STATUS_BAD_INPUT,
                   "%s:%d: kernel %s: nothing is known by the name of parameter \"%s\"; expected "
                   "one of %s",
                   place->path, place->line, kernel, name, choices.data ? choices.data : "");
        strbuf_free(&choices);
        return false;
    }
    parameter_type_read(start, name_at, &declared);
    if (variant->language == LANGUAGE_CUDA) {
        const unsigned fits = parameter_type_fits_cuda(&declared, binding.type);
        variant->precisions &= fits;
        if (fits != 0 && variant->precisions == 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: kernel %s: the type of parameter %s is right in precisions in "
                        "which those before it are not; expected floats or doubles, not both",
                        place->path, place->line, kernel, name);
        }
        if (fits != 0) {
            note_scratch(&binding, &declared, pass);
            return true;
        }
    } else if (parameter_type_fits(&declared, binding.type, variant->needs_cuda)) {
        note_scratch(&binding, &declared, pass);
        note_result(name, &binding, &declared, variant);
        return true;
    }
    parameter_type_describe(&declared, words);
    return fail(error, STATUS_BAD_INPUT,
                "%s:%d: kernel %s: parameter %s is %s here, and %s %s is offered", place->path,
                place->line, kernel, name, words, parameter_type_article(binding.type),
                binding.type);
}

/* Takes the parameter between start and end: its name is its last word. */
static bool take_parameter(const struct place *place, const char *start, const char *end,
                           struct variant *variant, struct pass *pass, struct error *error) {
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
                    place->path, place->line, pass->kernel);
    }
    if (length == 0 || length >= VARIANT_NAME_SIZE ||
        pass->argument_count == VARIANT_MAX_ARGUMENTS) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: expected a named parameter, and at most %d of them",
                    place->path, place->line, pass->kernel, VARIANT_MAX_ARGUMENTS);
    }
    char *argument = pass->arguments[pass->argument_count++];
    memcpy(argument, name, length);
    argument[length] = '\0';
    return check_type(place, start, name, argument, variant, pass, error);
}

static bool take_parameters(const char *path, const char *plain, const char *parameters,
                            struct variant *variant, struct pass *pass, struct error *error) {
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
        const struct place place = { path, line_of(plain, first < end ? first : end) };
        if (!empty && !take_parameter(&place, start, end, variant, pass, error)) {
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

/* What is found by its name must not be mangled. */
static bool check_linkage(const char *path, const char *plain, const char *parameters,
                          const struct variant *variant, const struct pass *pass,
                          struct error *error) {
    return variant->language != LANGUAGE_CUDA || strstr(plain, "extern \"C\"") ||
           find_parameters(plain, pass->kernel) == parameters ||
           fail(error, STATUS_BAD_INPUT,
                "%s:%d: kernel %s has no name that can be found; expected extern \"C\" __global__ "
                "void %s(...)",
                path, line_of(plain, parameters), pass->kernel, pass->kernel);
}

bool arguments_parse(const char *path, struct variant *variant, struct pass *pass,
                     struct error *error) {
    const bool is_cuda = variant->language == LANGUAGE_CUDA;
    char *plain = without_comments(variant->text);
    if (!plain) {
        return fail_out_of_memory(error, path);
    }
    const char *parameters =
        is_cuda ? find_cuda_parameters(plain, pass->kernel) : find_parameters(plain, pass->kernel);
    bool parsed =
        parameters ? check_linkage(path, plain, parameters, variant, pass, error) &&
                         take_parameters(path, plain, parameters, variant, pass, error)
                   : fail(error, STATUS_BAD_INPUT,
                          "%s: @pass names kernel %s, but the text has none; expected %s %s(...)",
                          path, pass->kernel,
                          is_cuda ? "extern \"C\" __global__ void" : "KERNEL void", pass->kernel);
    free(plain);
    return parsed;
}
