#include "kernels/header/header_parts.h"

#include "boxes/box.h"
#include "core/error.h"
#include "core/strings.h"
#include "devices/compiled_code.h"
#include "kernels/bindings.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types of parameters ---- */

/*
 * The declared type of a kernel's parameter, and whether it is the one expected.
 *
 * Types are compared as they are written, without the preprocessor: a typedef or a macro of the
 * file's own is another type. What makes no difference to the kernel is left out: the order of the
 * words, `const` of what is passed by value, RESTRICT and `volatile`, `struct` before a name.
 */

struct parameter_type {
    char base[64];  /* int, real4, unsigned int; empty where none is written */
    char space[16]; /* GLOBAL, CONSTANT_ARG, LOCAL_ARG, or empty */
    bool is_const;  /* the number, or what the pointer points at */
    int pointers;   /* how many stars */
};

static const char between[] = " or "; /* of types that fit */

static bool is_among(const char *word, size_t length, const char *const *words) {
    for (; *words; words++) {
        if (strlen(*words) == length && strncmp(word, *words, length) == 0) {
            return true;
        }
    }
    return false;
}

/* What says nothing about the type that matters here. */
static bool is_idle(const char *word, size_t length) {
    static const char *const idle[] = {
        "RESTRICT", "restrict", "__restrict", "__restrict__",      "volatile",
        "struct",   "signed",   "register",   "__grid_constant__", NULL
    };
    return is_among(word, length, idle);
}

/* The dialect's name of an address space, whichever way it is written; NULL when it is none. */
static const char *space_of(const char *word, size_t length) {
    static const char *const global[] = { "GLOBAL", "__global", "global", NULL };
    static const char *const constant[] = { "CONSTANT_ARG", "__constant", "constant", NULL };
    static const char *const local[] = { "LOCAL_ARG", "__local", "local", NULL };
    if (is_among(word, length, global)) {
        return global[0];
    }
    if (is_among(word, length, constant)) {
        return constant[0];
    }
    return is_among(word, length, local) ? local[0] : NULL;
}

static void append_base(struct parameter_type *type, const char *word, size_t length) {
    size_t used = strlen(type->base);
    const size_t room = sizeof type->base - used - 1;
    if (used > 0 && room > 0) {
        type->base[used++] = ' ';
    }
    const size_t most = sizeof type->base - used - 1; /* the rest is zero */
    memcpy(type->base + used, word, length < most ? length : most);
}

static void take_word(struct parameter_type *type, const char *word, size_t length) {
    const char *space = space_of(word, length);
    if (space) {
        (void)snprintf(type->space, sizeof type->space, "%s", space);
    } else if (length == strlen("const") && strncmp(word, "const", length) == 0) {
        type->is_const = type->is_const || type->pointers == 0; /* else of the pointer itself */
    } else if (!is_idle(word, length)) {
        append_base(type, word, length);
    }
}

/* "signed" by itself is an int, and "unsigned" an unsigned int. */
static void complete_base(struct parameter_type *type, bool is_signed) {
    if (strcmp(type->base, "unsigned") == 0 || (!*type->base && is_signed)) {
        append_base(type, "int", strlen("int"));
    }
}

/* Reads a type from the text between start and end, which stands before the parameter's name. */
static void type_read(const char *start, const char *end, struct parameter_type *type) {
    bool is_signed = false;
    *type = (struct parameter_type){ 0 };
    while (start < end) {
        size_t length = 0;
        while (start + length < end && is_word_character(start[length])) {
            length++;
        }
        if (length > 0) {
            is_signed =
                is_signed || (length == strlen("signed") && strncmp(start, "signed", length) == 0);
            take_word(type, start, length);
            start += length;
            continue;
        }
        if (*start == '*') {
            type->pointers++;
        } else if (!isspace((unsigned char)*start)) {
            append_base(type, isprint((unsigned char)*start) ? start : "?", 1);
        }
        start++;
    }
    complete_base(type, is_signed);
}

/* What CUDA C++ has for a type of the dialect, in float and in double. */
static const struct cuda_type {
    const char *type;
    const char *narrow[4], *wide[4];
} cuda_types[] = {
    { "real", { "float" }, { "double" } },
    { "real2", { "float2" }, { "double2" } },
    { "real4", { "float4" }, { "double4", "double4_16a", "double4_32a" } },
    { "accum", { "float" }, { "double" } },
    { "accum4", { "float4" }, { "double4", "double4_16a", "double4_32a" } },
    { "long64",
      { "long long", "long long int", "int64_t" },
      { "long long", "long long int", "int64_t" } },
    { "uint", { "unsigned int", "uint32_t" }, { "unsigned int", "uint32_t" } },
    { "int", { "int", "int32_t" }, { "int", "int32_t" } },
};

static const struct cuda_type *find_cuda_type(const char *type) {
    for (size_t t = 0; t < sizeof cuda_types / sizeof cuda_types[0]; t++) {
        if (strcmp(cuda_types[t].type, type) == 0) {
            return &cuda_types[t];
        }
    }
    return NULL;
}

/* Whether a type is the one of the dialect in that precision, in CUDA's words or in its own. */
static bool is_cuda_type(const char *declared, const char *expected, enum precision precision) {
    const struct cuda_type *type = find_cuda_type(expected);
    const bool sums = begins_with(expected, "accum");
    const bool is_wide = sums ? precision != PRECISION_FLOAT : precision == PRECISION_DOUBLE;
    if (strcmp(declared, expected) == 0) {
        return true;
    }
    return type && word_place(is_wide ? type->wide : type->narrow, declared) >= 0;
}

static bool fits_pointer(const struct parameter_type *declared,
                         const struct parameter_type *expected, bool any_space) {
    const bool is_pointer = expected->pointers > 0;
    return declared->pointers == expected->pointers &&
           (strcmp(declared->space, expected->space) == 0 ||
            (any_space && is_pointer && !*declared->space)) &&
           (!is_pointer || declared->is_const || !expected->is_const);
}

static bool fits_one(const struct parameter_type *declared, const struct parameter_type *expected,
                     bool any_space) {
    return strcmp(declared->base, expected->base) == 0 &&
           fits_pointer(declared, expected, any_space);
}

static unsigned fits_one_cuda(const struct parameter_type *declared,
                              const struct parameter_type *expected) {
    unsigned fits = 0;
    for (unsigned p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        if (fits_pointer(declared, expected, true) &&
            is_cuda_type(declared->base, expected->base, (enum precision)p)) {
            fits |= 1U << p;
        }
    }
    return fits;
}

/* The same of a kernel in CUDA C++, where real4 is float4 or double4: a bit for each enum precision
 * in which the parameter can be given what is expected. Address spaces need not be said. */
static unsigned type_fits_cuda(const struct parameter_type *declared, const char *expected) {
    unsigned fits = 0;
    for (const char *type = expected; type;) {
        const char *end = strstr(type, between);
        struct parameter_type accepted;
        type_read(type, end ? end : type + strlen(type), &accepted);
        fits |= fits_one_cuda(declared, &accepted);
        type = end ? end + strlen(between) : NULL;
    }
    return fits;
}

/* Whether a parameter so declared can be given what is expected. `const` may be added to what a
 * pointer points at, never left out. any_space: a pointer without an address space will do. */
static bool type_fits(const struct parameter_type *declared, const char *expected, bool any_space) {
    for (const char *type = expected;;) {
        const char *end = strstr(type, between);
        struct parameter_type accepted;
        type_read(type, end ? end : type + strlen(type), &accepted);
        if (fits_one(declared, &accepted, any_space)) {
            return true;
        }
        if (!end) {
            return false;
        }
        type = end + strlen(between);
    }
}

/* How many bytes one takes by value; 0 where that depends on the precision, or nothing is known of
 * it. A pointer to something of which that is so is 0, too. */
static size_t type_bytes(const struct parameter_type *declared) {
    static const struct {
        const char *type;
        size_t bytes;
    } sizes[] = { { "void", 0 },          { "int", 4 },         { "int32_t", 4 },
                  { "unsigned int", 4 },  { "uint", 4 },        { "uint32_t", 4 },
                  { "float", 4 },         { "double", 8 },      { "long long", 8 },
                  { "long long int", 8 }, { "int64_t", 8 },     { "long64", 8 },
                  { "float2", 8 },        { "double2", 16 },    { "float4", 16 },
                  { "int4", 16 },         { "uint4", 16 },      { "double4", 32 },
                  { "double4_16a", 32 },  { "double4_32a", 32 } };
    for (size_t t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        if (strcmp(declared->base, sizes[t].type) == 0) {
            return declared->pointers > 0 ? sizeof(uint64_t) : sizes[t].bytes;
        }
    }
    return 0;
}

/* "a" or "an", for a type. */
static const char *type_article(const char *type) {
    return strchr("aeio", *type) || begins_with(type, "unsigned") ? "an" : "a";
}

/* "an int", "a GLOBAL const real4 *", "without a type". */
static void type_describe(const struct parameter_type *type, char words[PARAMETER_TYPE_SIZE]) {
    char plain[PARAMETER_TYPE_SIZE];
    char stars[] = "***";
    const int most = (int)sizeof stars - 1;
    if (!*type->base && type->pointers == 0) {
        (void)snprintf(words, PARAMETER_TYPE_SIZE, "without a type");
        return;
    }
    stars[type->pointers < most ? type->pointers : most] = '\0';
    (void)snprintf(plain, sizeof plain, "%s%s%s%s%s%s", type->space, *type->space ? " " : "",
                   type->is_const && type->pointers > 0 ? "const " : "", type->base,
                   type->pointers > 0 ? " " : "", stars);
    (void)snprintf(words, PARAMETER_TYPE_SIZE, "%s %.*s", type_article(plain),
                   PARAMETER_TYPE_SIZE - 8, plain);
}

/* Appends what is expected, in the words of CUDA C++: "const float4 * or const double4 *" where it
 * is "GLOBAL const real4 *"; the narrow type first. Words that CUDA C++ has not stay as they are.
 */
static void type_append_cuda(const char *expected, struct strbuf *words) {
    for (const char *type = expected; type;) {
        const char *end = strstr(type, between);
        struct parameter_type accepted;
        type_read(type, end ? end : type + strlen(type), &accepted);
        const struct cuda_type *cuda = find_cuda_type(accepted.base);
        const char *names[] = { cuda ? cuda->narrow[0] : accepted.base,
                                cuda ? cuda->wide[0] : accepted.base };
        for (size_t k = 0; k < (strcmp(names[0], names[1]) == 0 ? 1U : 2U); k++) {
            strbuf_append(words, "%s%s%s%s%.*s", type == expected && k == 0 ? "" : between,
                          accepted.is_const && accepted.pointers > 0 ? "const " : "", names[k],
                          accepted.pointers > 0 ? " " : "", accepted.pointers, "***");
        }
        type = end ? end + strlen(between) : NULL;
    }
}

/* The text with comments blanked out, line breaks kept, so that places stay what they were. */
static char *without_comments(const char *text) {
    char *plain = strdup(text);
    if (!plain) {
        return NULL;
    }
    for (char *c = plain; *c; c++) {
        const char *end = *c == '/' ? skip_quoted(c) : c;
        for (; c < end; c++) {
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
        if (begins_with(start, "#line ")) {
            line = (int)strtol(start + strlen("#line "), NULL, 10) - 1;
        }
        start = end + 1;
    }
    return line;
}

/* The place after `word` and the blanks that follow it, if c begins with that whole word; else
 * NULL. */
static const char *after_word(const char *c, const char *word) {
    size_t length = strlen(word);
    if (strncmp(c, word, length) != 0 || is_word_character(c[length])) {
        return NULL;
    }
    return skip_whitespace(c + length);
}

/* The place just after the opening parenthesis of the kernel's parameters; NULL when there is no
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

/* The place after a parenthesis and all that it holds; the end of the text where it does not close.
 */
static const char *skip_parentheses(const char *c) {
    int depth = 0;
    for (; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (depth == 0) {
            return skip_whitespace(c + 1);
        }
    }
    return c;
}

/* The same of CUDA C++: __global__ void kernel(, with attributes such as __launch_bounds__(128)
 * among these words. */
static const char *find_cuda_parameters(const char *plain, const char *kernel) {
    static const char global[] = "__global__";
    for (const char *c = strstr(plain, global); c; c = strstr(c, global)) {
        c = skip_whitespace(c + strlen(global));
        while (is_word_character(*c)) {
            const char *found = after_word(c, kernel);
            if (found && *found == '(') {
                return found + 1;
            }
            while (is_word_character(*c)) {
                c++;
            }
            c = skip_whitespace(c);
            c = *c == '(' ? skip_parentheses(c) : c;
        }
    }
    return find_parameters(plain, kernel);
}

/* The last word before `end`, blanks after it left out. */
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
/* Likewise for time steps: the numbers of a step. */
static const char step_parameters[] = "STEP_PARAMETERS";
/* Begins a kernel's body: there the harness has the group stage what it shares. */
static const char sum_scratch[] = "SUM_SCRATCH";

/* Where a parameter stands, for messages; and its bytes, of compiled code, else NULL. */
struct place {
    const char *path;
    const char *plain, *at; /* the text without comments, and where in it */
    const char *kernel;
    struct compiled_parameters *declared;
};

static int place_line(const struct place *place) {
    return line_of(place->plain, place->at);
}

/* The parameters of a compiled kernel must be declared with types of one size. */
static bool check_compiled_type(const struct place *place, const struct parameter_type *declared,
                                const char *name, const struct variant *variant,
                                const struct pass *pass, struct error *error) {
    const size_t bytes = type_bytes(declared);
    char words[PARAMETER_TYPE_SIZE];
    if (strcmp(name, "partial_sums") == 0 || pass->takes_pair_parameters) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: compiled code computes forces of one interaction; expected "
                    "no %s",
                    place->path, place_line(place), pass->kernel,
                    pass->takes_pair_parameters ? pair_parameters : name);
    }
    if (bytes == 0) {
        type_describe(declared, words);
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: parameter %s is %s here, which depends on the precision; "
                    "%s was compiled for one: expected float4, double or another type of CUDA%s",
                    place->path, place_line(place), pass->kernel, name, words, variant->path,
                    strcmp(name, "box") == 0 ? " (of the box: edge, inverse_edge)" : "");
    }
    place->declared->bytes[pass->argument_count - 1] = bytes;
    place->declared->count = pass->argument_count;
    return true;
}

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
                           (binding->parameter && strcmp(binding->parameter->name, "force") == 0);
    if (is_result && strcmp(declared->base, "force_sum") != 0) {
        variant->precisions &= ~(1U << PRECISION_FIXED);
    }
}

/* What is declared, and what is expected in the words of the file's language. */
static bool fail_type(const struct place *place, const char *name,
                      const struct parameter_type *declared, const char *expected, bool is_cuda,
                      struct error *error) {
    char words[PARAMETER_TYPE_SIZE];
    struct strbuf in_cuda = { 0 };
    type_describe(declared, words);
    if (is_cuda) {
        type_append_cuda(expected, &in_cuda);
    }
    const char *type = in_cuda.data ? in_cuda.data : expected;
    (void)fail(error, STATUS_BAD_INPUT,
               "%s:%d: kernel %s: parameter %s is %s here, and %s %s is expected", place->path,
               place_line(place), place->kernel, name, words, type_article(type), type);
    strbuf_free(&in_cuda);
    return false;
}

/* Refuses a parameter whose declared type, what stands before its name, is not the one expected. */
static bool check_type(const struct place *place, const struct parameter_type *declared,
                       const char *name, struct variant *variant, struct pass *pass,
                       struct error *error) {
    struct binding binding;
    if (!binding_find(variant, name, &binding)) {
        struct strbuf choices = { 0 };
        bindings_list(variant, &choices);
        (void)fail(error, STATUS_BAD_INPUT,
                   "%s:%d: kernel %s: nothing is known by the name of parameter \"%s\"; expected "
                   "one of %s%s",
                   place->path, place_line(place), place->kernel, name, strbuf_text(&choices),
                   place->declared ? ", or one that @null names" : "");
        strbuf_free(&choices);
        return false;
    }
    if (place->declared && !check_compiled_type(place, declared, name, variant, pass, error)) {
        return false;
    }
    if (binding.source == BINDING_NULL && declared->pointers == 1) {
        return true;
    }
    if (variant->language != LANGUAGE_DIALECT) {
        const unsigned fits = type_fits_cuda(declared, binding.type);
        variant->precisions &= fits;
        if (fits != 0 && variant->precisions == 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: kernel %s: the type of parameter %s is right in precisions in "
                        "which those before it are not; expected floats or doubles, not both",
                        place->path, place_line(place), place->kernel, name);
        }
        if (fits != 0) {
            note_scratch(&binding, declared, pass);
            return true;
        }
    } else if (type_fits(declared, binding.type, variant->needs_cuda)) {
        note_scratch(&binding, declared, pass);
        note_result(name, &binding, declared, variant);
        return true;
    }
    return fail_type(place, name, declared, binding.type, variant->language != LANGUAGE_DIALECT,
                     error);
}

/* The word, standing last in a parameter list for parameters of the harness, if it is one that the
 * workload has; else NULL. */
static const char *ending_word(const struct workload *workload, const char *word, size_t length) {
    if (is_spelt(word, length, pair_parameters)) {
        return pair_parameters;
    }
    return is_spelt(word, length, step_parameters) && workload_has_word(workload, step_parameters)
               ? step_parameters
               : NULL;
}

/* Takes the parameter between start and end: its name is its last word. */
static bool take_parameter(const struct place *place, const char *start, const char *end,
                           struct variant *variant, struct pass *pass, struct error *error) {
    size_t length = 0;
    const char *name = last_word(start, end, &length);
    const char *ending = ending_word(variant->workload, name, length);
    if (ending) {
        pass->takes_pair_parameters = ending == pair_parameters;
        pass->takes_step_parameters = ending == step_parameters;
        name = last_word(start, name, &length);
    }
    if (length == 0 && ending) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: expected no comma before %s, after at least one parameter",
                    place->path, place_line(place), pass->kernel, ending);
    }
    if (length == 0 || length >= VARIANT_NAME_SIZE ||
        pass->argument_count == VARIANT_MAX_ARGUMENTS) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: kernel %s: expected a named parameter, and at most %d of them",
                    place->path, place_line(place), pass->kernel, VARIANT_MAX_ARGUMENTS);
    }
    char *argument = pass->arguments[pass->argument_count++];
    memcpy(argument, name, length);
    argument[length] = '\0';
    struct parameter_type declared;
    type_read(start, name, &declared);
    return check_type(place, &declared, argument, variant, pass, error);
}

/* Whether a body reads the types of particles, and nothing of their interaction: of the words for
 * that, PAIR_..., it has PAIR_TYPE alone. */
static bool names_types_alone(const char *body) {
    bool names_types = false;
    int depth = 0;
    for (const char *c = body; *c && (depth > 0 || c == body); c++) {
        const bool is_word = *c == 'P' && begins_with(c, "PAIR_") && !is_word_character(c[-1]);
        const bool is_type = is_word && after_word(c, "PAIR_TYPE") != NULL;
        if (is_word && !is_type) {
            return false;
        }
        names_types = names_types || is_type;
        depth += (*c == '{') - (*c == '}');
    }
    return names_types;
}

/* A text without its comments, from `parameters` on those of a kernel; `declared`: see struct
 * place. */
struct searched_text {
    const char *path, *plain, *parameters;
    struct compiled_parameters *declared;
};

static bool take_parameters(const struct searched_text *text, struct variant *variant,
                            struct pass *pass, struct error *error) {
    const char *plain = text->plain;
    pass->argument_count = 0;
    for (const char *start = text->parameters;;) {
        size_t length = strcspn(start, ",()");
        const char *end = start + length;
        if (*end != ',' && *end != ')') {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: kernel %s: its parameters do not end; expected plain declarations, "
                        "separated by commas, and ')'",
                        text->path, line_of(plain, start), pass->kernel);
        }
        const char *first = skip_whitespace(start);
        bool empty = first >= end && *end == ')' && pass->argument_count == 0;
        const struct place place = { text->path, plain, first < end ? first : end, pass->kernel,
                                     text->declared };
        if (!empty && !take_parameter(&place, start, end, variant, pass, error)) {
            return false;
        }
        if (*end == ')') {
            const char *body = skip_whitespace(end + 1);
            pass->begins_with_sum_scratch =
                *body == '{' && after_word(skip_whitespace(body + 1), sum_scratch) != NULL;
            pass->reads_types_alone = names_types_alone(body);
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

/* "4, 8, 8 bytes" */
static void append_sizes(const struct compiled_parameters *parameters, struct strbuf *words) {
    for (int p = 0; p < parameters->count; p++) {
        strbuf_append(words, "%s%zu", p ? ", " : "", parameters->bytes[p]);
    }
    strbuf_append(words, " bytes");
}

/* The header's list against the one that the code has. */
static bool check_sizes(const struct searched_text *text, const struct compiled_code *code,
                        const struct variant *variant, const struct pass *pass,
                        struct error *error) {
    const struct compiled_parameters *declared = text->declared;
    const char *path = text->path;
    const int line = line_of(text->plain, text->parameters);
    struct compiled_parameters there;
    struct strbuf words = { 0 };
    if (!compiled_code_parameters(code, pass->kernel, &there)) {
        compiled_code_list_kernels(code, &words);
        (void)fail(error, STATUS_BAD_INPUT, "%s:%d: kernel %s: %s has none of that name; it has %s",
                   path, line, pass->kernel, variant->path, words.length ? words.data : "none");
        strbuf_free(&words);
        return false;
    }
    for (int p = 0; p < declared->count && declared->count == there.count; p++) {
        if (declared->bytes[p] != there.bytes[p]) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: kernel %s: parameter %s is of %zu bytes here; in %s parameter %d "
                        "is of %zu",
                        path, line, pass->kernel, pass->arguments[p], declared->bytes[p],
                        variant->path, p + 1, there.bytes[p]);
        }
    }
    if (declared->count == there.count) {
        return true;
    }
    append_sizes(declared, &words);
    strbuf_append(&words, "), and %d in %s (", there.count, variant->path);
    append_sizes(&there, &words);
    (void)fail(error, STATUS_BAD_INPUT,
               "%s:%d: kernel %s: there are %d parameters here (%s); those that the compiler added "
               "are declared, too, and named by @null",
               path, line, pass->kernel, declared->count, strbuf_text(&words));
    strbuf_free(&words);
    return false;
}

/* `plain` is the header alone. */
static bool parse_compiled(const char *path, const char *plain, const char *parameters,
                           struct variant *variant, struct pass *pass, struct error *error) {
    struct compiled_code code;
    struct compiled_parameters declared = { .count = 0 };
    const struct searched_text text = { path, plain, parameters, &declared };
    if (!take_parameters(&text, variant, pass, error) ||
        !compiled_code_read(compiled_code_begin(variant->text), &code, error)) {
        return false;
    }
    const bool same = check_sizes(&text, &code, variant, pass, error);
    compiled_code_free(&code);
    return same;
}

char *arguments_text(const struct variant *variant) {
    char *plain = without_comments(variant->text);
    const char *code = plain && kernel_language_is_compiled(variant->language)
                           ? compiled_code_begin(variant->text)
                           : NULL;
    if (code) {
        plain[code - variant->text] = '\0';
    }
    return plain;
}

bool arguments_parse(const char *path, const char *plain, struct variant *variant,
                     struct pass *pass, struct error *error) {
    const bool is_dialect = variant->language == LANGUAGE_DIALECT;
    const char *parameters = is_dialect ? find_parameters(plain, pass->kernel)
                                        : find_cuda_parameters(plain, pass->kernel);
    if (!parameters) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: @pass names kernel %s, but the text has none; expected %s %s(...)", path,
                    pass->kernel, is_dialect ? "KERNEL void" : "extern \"C\" __global__ void",
                    pass->kernel);
    }
    if (kernel_language_is_compiled(variant->language)) {
        return parse_compiled(path, plain, parameters, variant, pass, error);
    }
    return check_linkage(path, plain, parameters, variant, pass, error) &&
           take_parameters(&(struct searched_text){ path, plain, parameters, NULL }, variant, pass,
                           error);
}
