#include "terms/kernel_walk.h"

#include "expression/particle_values.h"
#include "terms/dual.h"
#include "terms/words.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_TOKENS = 20000,
    MAX_NODES = 20000,
    MAX_NAMES = 96,
    MAX_MACROS = 96,
    MAX_CONDITIONS = 32,
    MAX_DEPTH = 100,
    MAX_CHAIN = 500,  /* operands of one level */
    MAX_RUN = 100000, /* nodes of one evaluation */
    MAX_ARGUMENTS = 4,
    NUMBER_SIZE = 40,
    OWN_WORDS = 4 /* macros whose words are numbers of the scene */
};

/* What stands in the place of a distance of 0. */
static const long double next_to_zero = 1e-1000L;

/* ---- what is read ---- */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    int line;
};

struct macro {
    const char *name;
    size_t length;
    const char *words;
    size_t words_length;
    bool open; /* its words are being put in its place */
};

enum node_kind {
    NODE_NUMBER,
    NODE_VARIABLE,  /* `which` */
    NODE_COMPONENT, /* `which` of operand 0 */
    NODE_ELEMENT,   /* operand 0 of array `which` */
    NODE_CALL,
    NODE_PRODUCT, /* of vectors: `which` */
    NODE_VECTOR,  /* of its operands; of one, `which` times that */
    NODE_CAST,    /* to `type` */
    NODE_NEGATE,
    NODE_NOT,
    NODE_BINARY, /* `sign` */
    NODE_CHOICE,
    NODE_SET,     /* variable `which`, component `component` or all, by `sign`: '=', '+', ... */
    NODE_DECLARE, /* variable `which` of `type`, to operand 0 */
    NODE_BLOCK,   /* operand 0, then its `next`... */
    NODE_IF,
    NODE_LOOP, /* while 0: 1, then 2 */
    NODE_NOTHING
};

enum { SIGN_LESS_EQUAL = 256, SIGN_MORE_EQUAL, SIGN_EQUAL, SIGN_UNEQUAL, SIGN_AND, SIGN_OR };

enum product { PRODUCT_DOT, PRODUCT_CROSS, PRODUCT_LENGTH, PRODUCT_NORMALIZE, PRODUCT_TRIM };

struct type {
    int components;
    bool whole, truth;
};

struct node {
    enum node_kind kind;
    int sign, which, component, next;
    int operand[MAX_ARGUMENTS]; /* -1: none */
    int operands;
    struct type type;
    struct dual number;
    dual_function *apply;
};

struct variable {
    const char *name;
    size_t length;
    struct type type;
    bool is_position;  /* of pairs only its component w is known, of terms all but that */
    bool is_parameter; /* of a term: NAME[index] */
    bool hidden;       /* its block has ended */
};

struct kernel_walk {
    const struct pair_text *text;
    struct node *nodes;
    int node_count;
    int variable_count;
    int body;
};

/* Places of what every text of pairs finds, and of what every one of terms does. */
enum given { R, R2, INVERSE_R, EXCLUDED, ATOM1, ATOM2, POSQ1, POSQ2, ENERGY, FORCE, GIVEN };
enum given_of_terms { TERM_ENERGY, TERM_PLACES, TERM_GIVEN = TERM_PLACES + 4 };

struct parser {
    const struct pair_text *text;
    struct kernel_walk *walk;
    struct error *error;
    bool failed;
    struct macro macros[MAX_MACROS];
    int macro_count;
    char own[OWN_WORDS][NUMBER_SIZE];
    struct token *tokens;
    int token_count, at;
    int depth;
    int line; /* of the line being read */
    struct variable variables[MAX_NAMES];
};

__attribute__((format(printf, 3, 4))) static int fail_at(struct parser *parser, int line,
                                                         const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!parser->failed) {
        (void)fail(parser->error, STATUS_BAD_INPUT, "%s:%d: %s", parser->text->path, line, message);
    }
    parser->failed = true;
    return 0;
}

/* ---- macros and conditions ---- */

static bool same_word(const char *a, size_t a_length, const char *b, size_t b_length) {
    return a_length == b_length && strncmp(a, b, a_length) == 0;
}

static struct macro *find_macro(struct parser *parser, const char *name, size_t length) {
    for (int m = parser->macro_count - 1; m >= 0; m--) {
        if (same_word(parser->macros[m].name, parser->macros[m].length, name, length)) {
            return &parser->macros[m];
        }
    }
    return NULL;
}

static void define(struct parser *parser, const char *name, size_t length, const char *words,
                   size_t words_length) {
    if (parser->macro_count == MAX_MACROS) {
        (void)fail_at(parser, parser->line, "more than %d macros", MAX_MACROS);
        return;
    }
    parser->macros[parser->macro_count++] = (struct macro){
        .name = name, .length = length, .words = words, .words_length = words_length
    };
}

static void define_number(struct parser *parser, int own, const char *name, double value) {
    (void)snprintf(parser->own[own], NUMBER_SIZE, "%.17g", value);
    define(parser, name, strlen(name), parser->own[own], strlen(parser->own[own]));
}

static void define_empty(struct parser *parser, const char *name) {
    define(parser, name, strlen(name), "", 0);
}

static void define_own(struct parser *parser) {
    for (int m = 0; m < parser->text->macro_count; m++) {
        const struct pair_text_macro *macro = &parser->text->macros[m];
        define(parser, macro->name, strlen(macro->name), macro->words, strlen(macro->words));
    }
}

static void define_of_terms(struct parser *parser, bool is_periodic) {
    define_empty(parser, "USE_DOUBLE_PRECISION");
    define(parser, "APPLY_PERIODIC", strlen("APPLY_PERIODIC"), "0", 1);
    if (is_periodic) {
        define_empty(parser, "USE_PERIODIC");
    }
    define_own(parser);
}

static void define_scene(struct parser *parser, const struct kernel_scene *scene) {
    const double tile = 32;
    define_number(parser, 0, "NUM_ATOMS", (double)scene->n);
    define_number(parser, 1, "PADDED_NUM_ATOMS", tile * ceil((double)scene->n / tile));
    define_empty(parser, "USE_DOUBLE_PRECISION");
    if (isfinite(scene->cutoff)) {
        define_empty(parser, "USE_CUTOFF");
        define_number(parser, 2, "CUTOFF", scene->cutoff);
        define_number(parser, 3, "CUTOFF_SQUARED", scene->cutoff * scene->cutoff);
    }
    if (scene->is_periodic) {
        define_empty(parser, "USE_PERIODIC");
    }
    define_own(parser);
}

static void add_token(struct parser *parser, enum token_kind kind, const char *at, size_t length) {
    if (parser->token_count == MAX_TOKENS - 1) {
        (void)fail_at(parser, parser->line, "the text has more than %d words", MAX_TOKENS);
        return;
    }
    parser->tokens[parser->token_count++] =
        (struct token){ .kind = kind, .at = at, .length = length, .line = parser->line };
}

static size_t number_length(const char *at) {
    size_t length = strspn(at, "0123456789.");
    if (length > 0 && (at[length] == 'e' || at[length] == 'E')) {
        const size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        const size_t digits = strspn(at + length + 1 + sign, "0123456789");
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    return length + strspn(at + length, "fFuUlL");
}

static size_t sign_length(const char *at) {
    static const char *const two[] = { "<=", ">=", "==", "!=", "&&", "||",
                                       "+=", "-=", "*=", "/=", "++", "--" };
    for (size_t k = 0; k < sizeof two / sizeof two[0]; k++) {
        if (strncmp(at, two[k], 2) == 0) {
            return 2;
        }
    }
    return 1;
}

/* The tokens of some words, macros put in their places but of what stands in `defined`. */
static void tokenize(struct parser *parser, const char *at, size_t length, bool in_condition) {
    const char *end = at + length;
    bool plain = false;
    while (at < end && !parser->failed) {
        const size_t name = word_length(at);
        size_t used = 1;
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (name > 0) {
            struct macro *macro = plain ? NULL : find_macro(parser, at, name);
            used = name;
            if (macro && !macro->open) {
                macro->open = true;
                tokenize(parser, macro->words, macro->words_length, in_condition);
                macro->open = false;
            } else {
                add_token(parser, TOKEN_NAME, at, name);
            }
            plain = (in_condition && same_word(at, name, "defined", strlen("defined")));
        } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            used = number_length(at);
            add_token(parser, TOKEN_NUMBER, at, used);
        } else {
            used = sign_length(at);
            add_token(parser, TOKEN_SIGN, at, used);
            plain = plain && *at == '(';
        }
        at += used;
    }
}

/* ---- tokens ---- */

static const struct token *peek(const struct parser *parser) {
    return &parser->tokens[parser->at];
}

static bool is_sign(const struct token *token, const char *sign) {
    return token->kind == TOKEN_SIGN && same_word(token->at, token->length, sign, strlen(sign));
}

static bool is_name(const struct token *token, const char *name) {
    return token->kind == TOKEN_NAME && same_word(token->at, token->length, name, strlen(name));
}

static bool take_sign(struct parser *parser, const char *sign) {
    const bool there = !parser->failed && is_sign(peek(parser), sign);
    parser->at += there;
    return there;
}

static int fail_expected(struct parser *parser, const char *what) {
    const struct token *token = peek(parser);
    return token->kind == TOKEN_END
               ? fail_at(parser, token->line, "expected %s; the text ends", what)
               : fail_at(parser, token->line, "expected %s, not '%.*s'", what,
                         token->length < 40 ? (int)token->length : 40, token->at);
}

static bool expect_sign(struct parser *parser, const char *sign) {
    char what[8];
    if (take_sign(parser, sign)) {
        return true;
    }
    (void)snprintf(what, sizeof what, "'%s'", sign);
    (void)fail_expected(parser, what);
    return false;
}

/* How tightly an operation of two operands binds; 0: it is none. */
static int binding_of(const struct token *token, int *sign) {
    static const struct {
        const char *word;
        int sign, binding;
    } signs[] = { { "||", SIGN_OR, 1 },
                  { "&&", SIGN_AND, 2 },
                  { "==", SIGN_EQUAL, 3 },
                  { "!=", SIGN_UNEQUAL, 3 },
                  { "<", '<', 4 },
                  { ">", '>', 4 },
                  { "<=", SIGN_LESS_EQUAL, 4 },
                  { ">=", SIGN_MORE_EQUAL, 4 },
                  { "+", '+', 5 },
                  { "-", '-', 5 },
                  { "*", '*', 6 },
                  { "/", '/', 6 },
                  { "%", '%', 6 } };
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
        if (is_sign(token, signs[k].word)) {
            *sign = signs[k].sign;
            return signs[k].binding;
        }
    }
    return 0;
}

/* ---- conditions of lines ---- */

static long condition(struct parser *parser, int least);

static long condition_operand(struct parser *parser) {
    const struct token *token = peek(parser);
    long value = 0;
    if (++parser->depth > MAX_DEPTH) {
        return fail_at(parser, parser->line, "more than %d operations within each other",
                       MAX_DEPTH);
    }
    if (take_sign(parser, "!")) {
        value = !condition_operand(parser);
    } else if (take_sign(parser, "-")) {
        value = -condition_operand(parser);
    } else if (take_sign(parser, "(")) {
        value = condition(parser, 1);
        (void)expect_sign(parser, ")");
    } else if (token->kind == TOKEN_NUMBER) {
        value = strtol(token->at, NULL, 0);
        parser->at++;
    } else if (is_name(token, "defined")) {
        parser->at++;
        const bool enclosed = take_sign(parser, "(");
        token = peek(parser);
        if (token->kind != TOKEN_NAME) {
            return fail_expected(parser, "a name");
        }
        value = find_macro(parser, token->at, token->length) != NULL;
        parser->at++;
        (void)(enclosed && expect_sign(parser, ")"));
    } else if (token->kind == TOKEN_NAME) { /* what is no macro is 0 */
        parser->at++;
    } else {
        return fail_expected(parser, "a number or a name");
    }
    parser->depth--;
    return value;
}

static long combine(int sign, long a, long b) {
    switch (sign) {
    case SIGN_OR:
        return a || b;
    case SIGN_AND:
        return a && b;
    case SIGN_EQUAL:
        return a == b;
    case SIGN_UNEQUAL:
        return a != b;
    case '<':
        return a < b;
    case '>':
        return a > b;
    case SIGN_LESS_EQUAL:
        return a <= b;
    case SIGN_MORE_EQUAL:
        return a >= b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b == 0 ? 0 : sign == '/' ? a / b : a % b;
    }
}

static long condition(struct parser *parser, int least) {
    long value = condition_operand(parser);
    int sign = 0;
    for (int binding = binding_of(peek(parser), &sign); !parser->failed && binding >= least;
         binding = binding_of(peek(parser), &sign)) {
        if (binding == 0) {
            break;
        }
        const int own = sign;
        parser->at++;
        value = combine(own, value, condition(parser, binding + 1));
    }
    return value;
}

/* The words behind #if: whether they hold. */
static bool holds(struct parser *parser, const char *at, size_t length) {
    const int before = parser->token_count;
    const int at_before = parser->at;
    tokenize(parser, at, length, true);
    parser->at = before;
    parser->tokens[parser->token_count] = (struct token){ .kind = TOKEN_END, .line = parser->line };
    const long value = condition(parser, 1);
    if (!parser->failed && peek(parser)->kind != TOKEN_END) {
        (void)fail_expected(parser, "an operator");
    }
    parser->token_count = before;
    parser->at = at_before;
    parser->depth = 0;
    return value != 0;
}

struct conditions {
    bool reads[MAX_CONDITIONS];  /* lines count */
    bool chosen[MAX_CONDITIONS]; /* a part of this #if has counted */
    int depth;
};

static bool begin_condition(struct parser *parser, struct conditions *conditions, bool value) {
    const bool outside = conditions->reads[conditions->depth];
    if (conditions->depth == MAX_CONDITIONS - 1) {
        (void)fail_at(parser, parser->line, "more than %d #if within each other", MAX_CONDITIONS);
        return false;
    }
    conditions->depth++;
    conditions->reads[conditions->depth] = outside && value;
    conditions->chosen[conditions->depth] = !outside || value;
    return true;
}

static void read_define(struct parser *parser, const char *at, const char *end) {
    const size_t name = word_length(at);
    if (name == 0 || at[name] == '(') {
        (void)fail_at(parser, parser->line,
                      "the reference knows macros without arguments alone; expected #define NAME "
                      "words");
        return;
    }
    define(parser, at, name, at + name, (size_t)(end - at) - name);
}

static void read_directive(struct parser *parser, struct conditions *conditions, const char *at,
                           const char *end) {
    at++;
    at += strspn(at, " \t");
    const char *word = at;
    const size_t length = word_length(at);
    at += length;
    at += strspn(at, " \t");
    const int depth = conditions->depth;
    const bool reads = conditions->reads[depth];
    const bool is_ifdef = same_word(word, length, "ifdef", 5);
    if (is_ifdef || same_word(word, length, "ifndef", 6)) {
        const bool there = find_macro(parser, at, word_length(at)) != NULL;
        (void)begin_condition(parser, conditions, there == is_ifdef);
    } else if (same_word(word, length, "if", 2)) {
        (void)begin_condition(parser, conditions, reads && holds(parser, at, (size_t)(end - at)));
    } else if (depth == 0 &&
               (same_word(word, length, "else", 4) || same_word(word, length, "elif", 4) ||
                same_word(word, length, "endif", 5))) {
        (void)fail_at(parser, parser->line, "#%.*s without #if before it", (int)length, word);
    } else if (same_word(word, length, "else", 4)) {
        conditions->reads[depth] = !conditions->chosen[depth];
        conditions->chosen[depth] = true;
    } else if (same_word(word, length, "elif", 4)) {
        conditions->reads[depth] =
            !conditions->chosen[depth] && holds(parser, at, (size_t)(end - at));
        conditions->chosen[depth] = conditions->chosen[depth] || conditions->reads[depth];
    } else if (same_word(word, length, "endif", 5)) {
        conditions->depth--;
    } else if (reads && same_word(word, length, "define", 6)) {
        read_define(parser, at, end);
    } else if (reads && same_word(word, length, "undef", 5)) {
        struct macro *macro = find_macro(parser, at, word_length(at));
        if (macro) {
            macro->length = 0;
        }
    } else if (reads) {
        (void)fail_at(parser, parser->line, "the reference does not know #%.*s", (int)length, word);
    }
}

static void read_lines(struct parser *parser, const char *body) {
    struct conditions conditions = { .reads = { true }, .chosen = { true } };
    parser->line = parser->text->line;
    for (const char *line = body; *line && !parser->failed; parser->line++) {
        const size_t length = strcspn(line, "\n");
        const char *at = line + strspn(line, " \t\r");
        if (*at == '#') {
            read_directive(parser, &conditions, at, line + length);
        } else if (conditions.reads[conditions.depth]) {
            tokenize(parser, line, length, false);
        }
        line += length + (line[length] == '\n');
    }
    if (conditions.depth > 0) {
        (void)fail_at(parser, parser->line, "#if without #endif");
    }
    parser->tokens[parser->token_count] = (struct token){ .kind = TOKEN_END, .line = parser->line };
}

/* Comments become blanks; lines stay lines. */
static void blank_comments(char *text) {
    for (char *at = text; *at; at++) {
        const bool block = at[0] == '/' && at[1] == '*';
        if (!block && !(at[0] == '/' && at[1] == '/')) {
            continue;
        }
        const char *end = block ? strstr(at + 2, "*/") : at + strcspn(at, "\n");
        end = block ? (end ? end + 2 : at + strlen(at)) : end;
        for (; at < end; at++) {
            *at = *at == '\n' ? '\n' : ' ';
        }
        at--;
    }
}

/* ---- the tree ---- */

static int add_node(struct parser *parser, struct node node) {
    struct kernel_walk *walk = parser->walk;
    if (walk->node_count == MAX_NODES) {
        return fail_at(parser, peek(parser)->line, "the text is too long");
    }
    node.next = -1;
    walk->nodes[walk->node_count] = node;
    return walk->node_count++;
}

static int add_two(struct parser *parser, int sign, int a, int b) {
    return add_node(
        parser,
        (struct node){ .kind = NODE_BINARY, .sign = sign, .operand = { a, b }, .operands = 2 });
}

static int add_variable(struct parser *parser, const char *name, size_t length, struct type type) {
    struct kernel_walk *walk = parser->walk;
    if (walk->variable_count == MAX_NAMES) {
        return fail_at(parser, peek(parser)->line, "more than %d names", MAX_NAMES);
    }
    parser->variables[walk->variable_count] =
        (struct variable){ .name = name, .length = length, .type = type };
    return walk->variable_count++;
}

static int find_variable(const struct parser *parser, const struct token *token) {
    for (int v = parser->walk->variable_count - 1; v >= 0; v--) {
        const struct variable *variable = &parser->variables[v];
        if (!variable->hidden &&
            same_word(variable->name, variable->length, token->at, token->length)) {
            return v;
        }
    }
    return -1;
}

static int find_array(const struct parser *parser, const struct token *token) {
    for (int a = 0; a < parser->text->array_count; a++) {
        const char *name = parser->text->arrays[a].name;
        if (same_word(name, strlen(name), token->at, token->length)) {
            return a;
        }
    }
    return -1;
}

/* How many letters must change to make one word the other (V. I. Levenshtein, 1966). */
static int difference(const char *a, size_t a_length, const char *b, size_t b_length) {
    int row[64];
    if (a_length >= 64 || b_length >= 64) {
        return 64;
    }
    for (size_t k = 0; k <= b_length; k++) {
        row[k] = (int)k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t k = 1; k <= b_length; k++) {
            const int changed = diagonal + (a[i - 1] != b[k - 1]);
            const int other = 1 + (row[k] < row[k - 1] ? row[k] : row[k - 1]);
            diagonal = row[k];
            row[k] = changed < other ? changed : other;
        }
    }
    return row[b_length];
}

static int fail_unknown(struct parser *parser, const struct token *token) {
    const struct variable *nearest = &parser->variables[0];
    int least = 64;
    if (parser->text->atoms > 0) {
        const bool is_index = is_name(token, "index");
        const bool is_atom = token->length == 5 && strncmp(token->at, "atom", 4) == 0 &&
                             token->at[4] >= '1' && token->at[4] <= '4';
        if (is_index || is_atom) {
            return fail_at(
                parser, token->line,
                "'%.*s' changes with the order of the %s: only a parameter's NAME[index] "
                "is known; expected a column of the terms' file for what depends on it",
                (int)token->length, token->at, is_index ? "terms" : "particles");
        }
    } else if (is_name(token, "delta") || is_name(token, "dEdR1") || is_name(token, "dEdR2")) {
        return fail_at(parser, token->line,
                       "'%.*s' is not given: forces here lie along the line between the particles, "
                       "and texts find the distance alone",
                       (int)token->length, token->at);
    }
    for (int v = 0; v < parser->walk->variable_count; v++) {
        const struct variable *variable = &parser->variables[v];
        const int own = difference(token->at, token->length, variable->name, variable->length);
        if (!variable->hidden && own < least) {
            least = own;
            nearest = variable;
        }
    }
    return fail_at(parser, token->line, "nothing is named '%.*s'; the nearest is '%.*s'",
                   token->length < 40 ? (int)token->length : 40, token->at, (int)nearest->length,
                   nearest->name);
}

/* ---- types ---- */

/* const real4, unsigned int, ...: true, and the parser stands behind it; else it stays. */
static bool take_type(struct parser *parser, struct type *type) {
    static const char *const reals[] = { "real", "float", "double", "mixed" };
    static const char *const wholes[] = { "int", "uint", "unsigned", "long", "short", "bool" };
    const int begin = parser->at;
    bool found = false;
    *type = (struct type){ .components = 1 };
    for (const struct token *token = peek(parser); token->kind == TOKEN_NAME;
         token = peek(parser)) {
        bool known = is_name(token, "const");
        for (size_t k = 0; k < sizeof wholes / sizeof wholes[0]; k++) {
            if (is_name(token, wholes[k])) {
                known = found = type->whole = true;
                type->truth = is_name(token, "bool");
            }
        }
        for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
            const size_t length = strlen(reals[k]);
            const bool scalar = same_word(token->at, token->length, reals[k], length);
            const bool vector = token->length == length + 1 &&
                                strncmp(token->at, reals[k], length) == 0 &&
                                token->at[length] >= '2' && token->at[length] <= '4';
            if (scalar || vector) {
                known = found = true;
                type->components = vector ? token->at[length] - '0' : 1;
            }
        }
        if (!known) {
            break;
        }
        parser->at++;
    }
    parser->at = found ? parser->at : begin;
    return found;
}

/* ---- expressions ---- */

static int read_expression(struct parser *parser);
static int read_unary(struct parser *parser);

static int read_number(struct parser *parser) {
    const struct token *token = peek(parser);
    struct node node = { .kind = NODE_NUMBER, .type = { .components = 1 } };
    char *end;
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", token->length < sizeof word ? (int)token->length : 63,
                   token->at);
    const bool real = strpbrk(word, ".eE") != NULL;
    const double value = strtod(word, &end);
    if (end == word || !isfinite(value)) {
        return fail_expected(parser, "a number");
    }
    const bool narrow = *end == 'f' || *end == 'F'; /* a constant of float, in every precision */
    node.type.whole = !real && !narrow;
    node.number = dual_constant(narrow ? (long double)strtof(word, NULL) : (long double)value);
    parser->at++;
    return add_node(parser, node);
}

/* ( a, b, ... ) */
static bool read_arguments(struct parser *parser, struct node *node) {
    if (!expect_sign(parser, "(")) {
        return false;
    }
    do {
        if (node->operands == MAX_ARGUMENTS) {
            return fail_at(parser, peek(parser)->line, "more than %d arguments", MAX_ARGUMENTS);
        }
        node->operand[node->operands++] = read_expression(parser);
    } while (take_sign(parser, ","));
    return expect_sign(parser, ")");
}

static struct dual do_recip(const struct dual *x) {
    const struct dual both[2] = { { .v = 1.0L }, *x };
    return dual_divide(both);
}

static struct dual do_rsqrt(const struct dual *x) {
    const struct dual root = dual_sqrt(x);
    return do_recip(&root);
}

static struct dual do_fma(const struct dual *x) {
    const struct dual both[2] = { dual_multiply(x), x[2] };
    return dual_add(both);
}

static dual_function *function_named(const char *name, size_t length, int *arguments) {
    static const struct {
        const char *name;
        int arguments;
        dual_function *apply;
    } own[] = { { "recip", 1, do_recip }, { "rsqrt", 1, do_rsqrt }, { "fabs", 1, dual_abs },
                { "fmin", 2, dual_min },  { "fmax", 2, dual_max },  { "fma", 3, do_fma },
                { "mad", 3, do_fma } };
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        if (strlen(own[k].name) == length && strncasecmp(own[k].name, name, length) == 0) {
            *arguments = own[k].arguments;
            return own[k].apply;
        }
    }
    const struct dual_known *known = dual_find_c(name, length);
    *arguments = known ? known->arguments : 0;
    return known ? known->apply : NULL;
}

/* dot(a, b) and the like; -1: it is none of them. */
static int product_named(const struct token *name, int *arguments) {
    static const struct {
        const char *name;
        int arguments;
    } products[] = { [PRODUCT_DOT] = { "dot", 2 },
                     [PRODUCT_CROSS] = { "cross", 2 },
                     [PRODUCT_LENGTH] = { "length", 1 },
                     [PRODUCT_NORMALIZE] = { "normalize", 1 },
                     [PRODUCT_TRIM] = { "trimTo3", 1 } };
    for (int k = 0; k < (int)(sizeof products / sizeof products[0]); k++) {
        if (is_name(name, products[k].name)) {
            *arguments = products[k].arguments;
            return k;
        }
    }
    return -1;
}

static int read_own_arguments(struct parser *parser, const struct token *name, int arguments,
                              struct node *node) {
    if (!read_arguments(parser, node)) {
        return 0;
    }
    return node->operands == arguments
               ? add_node(parser, *node)
               : fail_at(parser, name->line, "%.*s has %d arguments, not %d", (int)name->length,
                         name->at, arguments, node->operands);
}

/* SQRT(x), sqrt(x), sqrtf(x); make_real2(x, y) */
static int read_call(struct parser *parser, const struct token *name) {
    struct node node = { .kind = NODE_CALL };
    int arguments = 0;
    static const char make[] = "make_";
    if (name->length > strlen(make) + 2 && strncmp(name->at, make, strlen(make)) == 0 &&
        name->at[name->length - 1] >= '2' && name->at[name->length - 1] <= '4') {
        node.kind = NODE_VECTOR;
        node.which = name->at[name->length - 1] - '0';
        if (!read_arguments(parser, &node)) {
            return 0;
        }
        return node.operands == node.which || node.operands == 1
                   ? add_node(parser, node)
                   : fail_at(parser, name->line, "%.*s takes %d arguments", (int)name->length,
                             name->at, node.which);
    }
    const int product = product_named(name, &arguments);
    if (product >= 0) {
        node.kind = NODE_PRODUCT;
        node.which = product;
        return read_own_arguments(parser, name, arguments, &node);
    }
    node.apply = function_named(name->at, name->length, &arguments);
    if (!node.apply && name->at[name->length - 1] == 'f') {
        node.apply = function_named(name->at, name->length - 1, &arguments);
    }
    if (!node.apply) {
        return fail_at(parser, name->line, "the reference knows no function '%.*s'",
                       (int)name->length, name->at);
    }
    return read_own_arguments(parser, name, arguments, &node);
}

/* PARAMS[index], of a term. */
static int read_parameter(struct parser *parser, int variable) {
    if (!expect_sign(parser, "[")) {
        return 0;
    }
    if (!is_name(peek(parser), "index")) {
        return fail_expected(parser, "index");
    }
    parser->at++;
    return expect_sign(parser, "]")
               ? add_node(parser, (struct node){ .kind = NODE_VARIABLE, .which = variable })
               : 0;
}

/* Which components of a position are known. */
static bool check_position(struct parser *parser, const struct token *name) {
    const bool asks_w = is_sign(peek(parser), ".") && is_name(peek(parser) + 1, "w");
    if (parser->text->atoms > 0) {
        return !asks_w || fail_at(parser, name->line,
                                  "%.*s.w is not given; expected a column of the terms' file for "
                                  "charges",
                                  (int)name->length, name->at);
    }
    return asks_w || fail_at(parser, name->line,
                             "%.*s is taken for a position; expected %.*s.w, the charge: energies "
                             "here are of the distance",
                             (int)name->length, name->at, (int)name->length, name->at);
}

static int read_word(struct parser *parser) {
    const struct token name = *peek(parser);
    parser->at++;
    if (is_name(&name, "true") || is_name(&name, "false")) {
        return add_node(parser, (struct node){ .kind = NODE_NUMBER,
                                               .type = { 1, true, true },
                                               .number = { .v = is_name(&name, "true") } });
    }
    if (is_sign(peek(parser), "(")) {
        return read_call(parser, &name);
    }
    const int array = find_array(parser, &name);
    if (array >= 0) {
        struct node node = { .kind = NODE_ELEMENT, .which = array, .operands = 1 };
        if (!expect_sign(parser, "[")) {
            return 0;
        }
        node.operand[0] = read_expression(parser);
        return expect_sign(parser, "]") ? add_node(parser, node) : 0;
    }
    const int variable = find_variable(parser, &name);
    if (variable < 0) {
        return fail_unknown(parser, &name);
    }
    if (parser->variables[variable].is_parameter) {
        return read_parameter(parser, variable);
    }
    if (parser->variables[variable].is_position && !check_position(parser, &name)) {
        return 0;
    }
    return add_node(parser, (struct node){ .kind = NODE_VARIABLE, .which = variable });
}

/* What has components, and which is asked for. */
static int read_component(struct parser *parser, int of) {
    static const char letters[] = "xyzw";
    const struct token *name = peek(parser);
    const char *letter =
        name->kind == TOKEN_NAME && name->length == 1 ? strchr(letters, name->at[0]) : NULL;
    if (!letter) {
        return fail_expected(parser, "x, y, z or w");
    }
    parser->at++;
    return add_node(parser, (struct node){ .kind = NODE_COMPONENT,
                                           .which = (int)(letter - letters),
                                           .operand = { of },
                                           .operands = 1 });
}

static int read_primary(struct parser *parser) {
    const struct token *token = peek(parser);
    int node;
    if (token->kind == TOKEN_NUMBER) {
        node = read_number(parser);
    } else if (token->kind == TOKEN_NAME) {
        node = read_word(parser);
    } else if (take_sign(parser, "(")) {
        node = read_expression(parser);
        (void)expect_sign(parser, ")");
    } else {
        return fail_expected(parser, "a number, a name or '('");
    }
    while (take_sign(parser, ".")) {
        node = read_component(parser, node);
    }
    return node;
}

/* (real) x, or (real2) (x, y) */
static int read_cast(struct parser *parser, struct type type) {
    struct node node = { .kind = NODE_CAST, .type = type };
    if (type.components > 1) {
        node.kind = NODE_VECTOR;
        node.which = type.components;
        if (is_sign(peek(parser), "(")) {
            return read_arguments(parser, &node) ? add_node(parser, node) : 0;
        }
    }
    node.operand[0] = read_unary(parser);
    node.operands = 1;
    return add_node(parser, node);
}

static int read_unary_inner(struct parser *parser) {
    struct type type;
    if (take_sign(parser, "+")) {
        return read_unary(parser);
    }
    const bool minus = take_sign(parser, "-");
    if (minus || take_sign(parser, "!")) {
        const int of = read_unary(parser);
        return add_node(parser, (struct node){ .kind = minus ? NODE_NEGATE : NODE_NOT,
                                               .operand = { of },
                                               .operands = 1 });
    }
    if (is_sign(peek(parser), "(")) {
        const int begin = parser->at++;
        if (take_type(parser, &type) && take_sign(parser, ")")) {
            return read_cast(parser, type);
        }
        parser->at = begin;
    }
    return read_primary(parser);
}

static int read_unary(struct parser *parser) {
    if (parser->failed || ++parser->depth > MAX_DEPTH) {
        return fail_at(parser, peek(parser)->line, "more than %d operations within each other",
                       MAX_DEPTH);
    }
    const int node = read_unary_inner(parser);
    parser->depth--;
    return node;
}

static int read_binary(struct parser *parser, int least) {
    int node = read_unary(parser);
    int sign = 0;
    int operands = 1;
    for (int binding = binding_of(peek(parser), &sign);
         !parser->failed && binding > 0 && binding >= least;
         binding = binding_of(peek(parser), &sign)) {
        const int own = sign;
        parser->at++;
        if (++operands > MAX_CHAIN) {
            return fail_at(parser, peek(parser)->line, "more than %d operands in a row", MAX_CHAIN);
        }
        node = add_two(parser, own, node, read_binary(parser, binding + 1));
    }
    return node;
}

static int read_expression(struct parser *parser) {
    if (parser->failed || ++parser->depth > MAX_DEPTH) {
        return fail_at(parser, peek(parser)->line, "more than %d operations within each other",
                       MAX_DEPTH);
    }
    const int node = read_binary(parser, 1);
    if (!take_sign(parser, "?")) {
        parser->depth--;
        return node;
    }
    const int yes = read_expression(parser);
    (void)expect_sign(parser, ":");
    const int no = read_expression(parser);
    parser->depth--;
    return add_node(
        parser, (struct node){ .kind = NODE_CHOICE, .operand = { node, yes, no }, .operands = 3 });
}

/* ---- statements ---- */

static int read_statement(struct parser *parser);

static int nothing(struct parser *parser) {
    return add_node(parser, (struct node){ .kind = NODE_NOTHING });
}

/* NAME = x; NAME.y += x; NAME++: without the ';' */
static int read_assignment(struct parser *parser) {
    static const char *const signs[] = { "=", "+=", "-=", "*=", "/=" };
    const struct token name = *peek(parser);
    struct node node = { .kind = NODE_SET, .component = -1, .operands = 1 };
    if (name.kind != TOKEN_NAME) {
        return fail_expected(parser, "a statement");
    }
    node.which = find_variable(parser, &name);
    if (node.which < 0) {
        return fail_unknown(parser, &name);
    }
    parser->at++;
    if (take_sign(parser, ".")) {
        const int component = read_component(parser, 0);
        node.component = parser->failed ? 0 : parser->walk->nodes[component].which;
    }
    if (is_sign(peek(parser), "++") || is_sign(peek(parser), "--")) {
        node.sign = is_sign(peek(parser), "++") ? '+' : '-';
        parser->at++;
        node.operand[0] = add_node(parser, (struct node){ .kind = NODE_NUMBER,
                                                          .type = { 1, true, false },
                                                          .number = { .v = 1.0L } });
        return add_node(parser, node);
    }
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
        if (take_sign(parser, signs[k])) {
            node.sign = (unsigned char)signs[k][0];
            node.operand[0] = read_expression(parser);
            return add_node(parser, node);
        }
    }
    return fail_expected(parser, "'=', '+=', '-=', '*=' or '/='");
}

/* real x = 1, y; without the ';' */
static int read_declarations(struct parser *parser, struct type type) {
    struct node block = { .kind = NODE_BLOCK, .operand = { -1 } };
    int last = -1;
    do {
        const struct token name = *peek(parser);
        if (name.kind != TOKEN_NAME) {
            return fail_expected(parser, "a name");
        }
        parser->at++;
        struct node node = { .kind = NODE_DECLARE, .type = type, .operand = { -1 } };
        if (take_sign(parser, "=")) {
            node.operand[0] = read_expression(parser);
            node.operands = 1;
        } else if (is_sign(peek(parser), "[")) {
            return fail_at(parser, name.line,
                           "the reference knows no arrays of a text's own; "
                           "expected @argument in the comment before it");
        }
        node.which = add_variable(parser, name.at, name.length, type);
        const int added = add_node(parser, node);
        if (last < 0) {
            block.operand[0] = added;
        } else {
            parser->walk->nodes[last].next = added;
        }
        last = added;
    } while (take_sign(parser, ",") && !parser->failed);
    return add_node(parser, block);
}

static int read_simple(struct parser *parser) {
    struct type type;
    if (parser->text->atoms > 0 && is_name(peek(parser), "APPLY_PERIODIC_TO_DELTA")) {
        struct node ignored = { .kind = NODE_NOTHING };
        parser->at++;
        return read_arguments(parser, &ignored) ? nothing(parser) : 0;
    }
    return take_type(parser, &type) ? read_declarations(parser, type) : read_assignment(parser);
}

static int read_list(struct parser *parser, const char *end) {
    struct node block = { .kind = NODE_BLOCK, .operand = { -1 } };
    const int names = parser->walk->variable_count;
    int last = -1;
    while (!parser->failed &&
           !(end ? is_sign(peek(parser), end) : peek(parser)->kind == TOKEN_END)) {
        const int added = read_statement(parser);
        if (parser->failed) {
            return 0;
        }
        if (last < 0) {
            block.operand[0] = added;
        } else {
            parser->walk->nodes[last].next = added;
        }
        last = added;
    }
    for (int v = names; end && v < parser->walk->variable_count; v++) {
        parser->variables[v].hidden = true;
    }
    if (end) {
        (void)expect_sign(parser, end);
    }
    return add_node(parser, block);
}

static int read_if(struct parser *parser) {
    struct node node = { .kind = NODE_IF, .operand = { 0, 0, -1 }, .operands = 2 };
    (void)expect_sign(parser, "(");
    node.operand[0] = read_expression(parser);
    (void)expect_sign(parser, ")");
    node.operand[1] = read_statement(parser);
    if (!parser->failed && is_name(peek(parser), "else")) {
        parser->at++;
        node.operand[2] = read_statement(parser);
        node.operands = 3;
    }
    return add_node(parser, node);
}

/* for (a; b; c) d, while (b) d */
static int read_loop(struct parser *parser, bool is_for) {
    struct node node = { .kind = NODE_LOOP, .operands = 3 };
    const int names = parser->walk->variable_count;
    int before = 0;
    (void)expect_sign(parser, "(");
    if (is_for) {
        before = is_sign(peek(parser), ";") ? nothing(parser) : read_simple(parser);
        (void)expect_sign(parser, ";");
    }
    node.operand[0] = read_expression(parser);
    node.operand[2] = nothing(parser);
    if (is_for && expect_sign(parser, ";") && !is_sign(peek(parser), ")")) {
        node.operand[2] = read_simple(parser);
    }
    (void)expect_sign(parser, ")");
    node.operand[1] = read_statement(parser);
    for (int v = names; v < parser->walk->variable_count; v++) {
        parser->variables[v].hidden = true;
    }
    const int loop = add_node(parser, node);
    if (!is_for || parser->failed) {
        return loop;
    }
    parser->walk->nodes[before].next = loop;
    return add_node(parser,
                    (struct node){ .kind = NODE_BLOCK, .operand = { before }, .operands = 1 });
}

static int read_statement(struct parser *parser) {
    int node = 0;
    if (parser->failed || ++parser->depth > MAX_DEPTH) {
        return fail_at(parser, peek(parser)->line, "more than %d statements within each other",
                       MAX_DEPTH);
    }
    if (take_sign(parser, "{")) {
        node = read_list(parser, "}");
    } else if (take_sign(parser, ";")) {
        node = nothing(parser);
    } else if (is_name(peek(parser), "if")) {
        parser->at++;
        node = read_if(parser);
    } else if (is_name(peek(parser), "for") || is_name(peek(parser), "while")) {
        const bool is_for = is_name(peek(parser), "for");
        parser->at++;
        node = read_loop(parser, is_for);
    } else {
        const bool is_macro = is_name(peek(parser), "APPLY_PERIODIC_TO_DELTA");
        node = read_simple(parser);
        (void)(is_macro ? take_sign(parser, ";") : expect_sign(parser, ";"));
    }
    parser->depth--;
    return node;
}

/* ---- whole ---- */

static void give(struct parser *parser, const char *name, struct type type) {
    (void)add_variable(parser, name, strlen(name), type);
}

/* What the text finds, in the order of enum given, then its parameters for both particles. */
static void give_all(struct parser *parser, char (*names)[PAIR_TEXT_NAME_SIZE + 1]) {
    const struct type real = { .components = 1 };
    const struct type whole = { .components = 1, .whole = true };
    give(parser, "r", real);
    give(parser, "r2", real);
    give(parser, "invR", real);
    give(parser, "isExcluded", whole);
    give(parser, "atom1", whole);
    give(parser, "atom2", whole);
    give(parser, "posq1", (struct type){ .components = 4 });
    give(parser, "posq2", (struct type){ .components = 4 });
    give(parser, "tempEnergy", real);
    give(parser, "dEdR", real);
    parser->variables[POSQ1].is_position = true;
    parser->variables[POSQ2].is_position = true;
    for (int p = 0; p < parser->text->parameter_count; p++) {
        for (int side = 0; side < 2; side++) {
            char *name = names[2 * p + side];
            (void)snprintf(name, sizeof names[0], "%s%d", parser->text->parameters[p].name,
                           side + 1);
            give(parser, name,
                 (struct type){ .components = parser->text->parameters[p].components });
        }
    }
}

/* Likewise of a term, in the order of enum given_of_terms. */
static void give_all_of_term(struct parser *parser) {
    static const char *const places[] = { "pos1", "pos2", "pos3", "pos4" };
    const struct pair_text *text = parser->text;
    give(parser, "energy", (struct type){ .components = 1 });
    for (int a = 0; a < 4; a++) {
        give(parser, places[a], (struct type){ .components = 4 });
        parser->variables[TERM_PLACES + a].is_position = true;
        parser->variables[TERM_PLACES + a].hidden = a >= text->atoms;
    }
    for (int p = 0; p < text->parameter_count; p++) {
        give(parser, text->parameters[p].name,
             (struct type){ .components = text->parameters[p].components });
        parser->variables[TERM_GIVEN + p].is_parameter = true;
    }
}

/* A term's text declares the force on each particle. */
static bool has_forces(struct parser *parser) {
    for (int a = 0; !parser->failed && a < parser->text->atoms; a++) {
        const char name[] = { 'f', 'o', 'r', 'c', 'e', (char)('1' + a), '\0' };
        const struct token token = { .kind = TOKEN_NAME, .at = name, .length = 6 };
        const int found = find_variable(parser, &token);
        if (found < 0 || parser->variables[found].type.components < 3) {
            return fail_at(parser, peek(parser)->line,
                           "expected a declaration \"real3 %s = ...\", the force on particle %d, "
                           "outside of all braces",
                           name, a + 1);
        }
    }
    return !parser->failed;
}

static void read_body(struct parser *parser, const struct kernel_scene *scene, char *body) {
    char names[2 * PAIR_TEXT_MAX_VALUES][PAIR_TEXT_NAME_SIZE + 1];
    const bool of_term = parser->text->atoms > 0;
    parser->line = parser->text->line;
    if (of_term) {
        define_of_terms(parser, scene->is_periodic);
    } else {
        define_scene(parser, scene);
    }
    blank_comments(body);
    read_lines(parser, body);
    if (of_term) {
        give_all_of_term(parser);
    } else {
        give_all(parser, names);
    }
    parser->walk->body = parser->failed ? 0 : read_list(parser, NULL);
    (void)has_forces(parser);
}

bool kernel_walk_read(const struct pair_text *text, const struct kernel_scene *scene,
                      struct kernel_walk **walk, struct error *error) {
    struct parser *parser = calloc(1, sizeof *parser);
    struct kernel_walk *made = calloc(1, sizeof *made);
    char *body = strdup(text->body);
    *walk = NULL;
    bool good = parser && made && body;
    if (good) {
        *parser = (struct parser){ .text = text, .walk = made, .error = error };
        parser->tokens = malloc(MAX_TOKENS * sizeof *parser->tokens);
        made->nodes = malloc(MAX_NODES * sizeof *made->nodes);
        made->text = text;
        good = parser->tokens && made->nodes;
    }
    if (!good) {
        (void)fail_out_of_memory(error, "the reference of a kernel text");
    } else {
        read_body(parser, scene, body);
        good = !parser->failed;
    }
    if (parser) {
        free(parser->tokens);
    }
    free(parser);
    free(body);
    if (!good) {
        kernel_walk_free(made);
        return false;
    }
    *walk = made;
    return true;
}

bool kernel_walk_read_term(const struct pair_text *text, bool is_periodic,
                           struct kernel_walk **walk, struct error *error) {
    const struct kernel_scene scene = { .is_periodic = is_periodic, .cutoff = INFINITY };
    return kernel_walk_read(text, &scene, walk, error);
}

void kernel_walk_free(struct kernel_walk *walk) {
    if (walk) {
        free(walk->nodes);
        free(walk);
    }
}

/* ---- walking ---- */

struct slot {
    int components;
    bool whole;
    struct dual c[4];
};

struct run {
    const struct kernel_walk *walk;
    struct slot variables[MAX_NAMES];
    long double r, nearest;
    double corner;
    int steps;
};

/* A place where something turns: the nearest distance at which this is 0, to first order. */
static void note_turn(struct run *run, long double value, long double slope) {
    const long double gap = slope != 0.0L ? -value / slope : INFINITY;
    if (fabsl(gap) < run->nearest && run->r + gap > 0.0L) {
        run->nearest = fabsl(gap);
        run->corner = (double)(run->r + gap);
    }
}

static struct slot truth(bool value) {
    return (struct slot){ .components = 1, .whole = true, .c = { { .v = value } } };
}

static struct slot compare(struct run *run, int sign, const struct dual *a, const struct dual *b) {
    note_turn(run, a->v - b->v, a->d - b->d);
    switch (sign) {
    case '<':
        return truth(a->v < b->v);
    case '>':
        return truth(a->v > b->v);
    case SIGN_LESS_EQUAL:
        return truth(a->v <= b->v);
    case SIGN_MORE_EQUAL:
        return truth(a->v >= b->v);
    case SIGN_EQUAL:
        return truth(a->v == b->v);
    default:
        return truth(a->v != b->v);
    }
}

static struct dual calculate(int sign, bool whole, const struct dual *a, const struct dual *b) {
    const struct dual both[2] = { *a, *b };
    switch (sign) {
    case '+':
        return dual_add(both);
    case '-':
        return dual_subtract(both);
    case '*':
        return dual_multiply(both);
    case '%':
        return (struct dual){ .v = fmodl(a->v, b->v) };
    default:
        if (whole) {
            return (struct dual){ .v = truncl(a->v / b->v) };
        }
        return dual_divide(both);
    }
}

/* Component by component; a single number stands beside each. */
static struct slot calculate_all(int sign, const struct slot *a, const struct slot *b) {
    struct slot result = { .components =
                               a->components > b->components ? a->components : b->components,
                           .whole = a->whole && b->whole };
    for (int k = 0; k < result.components; k++) {
        result.c[k] = calculate(sign, result.whole, &a->c[a->components > 1 ? k : 0],
                                &b->c[b->components > 1 ? k : 0]);
        result.c[k].error = result.whole ? 0.0L : result.c[k].error;
    }
    return result;
}

/* What a value becomes in the place of a variable of a type. */
static struct slot converted(struct run *run, struct type type, const struct slot *from) {
    struct slot to = { .components = type.components, .whole = type.whole };
    for (int k = 0; k < type.components; k++) {
        to.c[k] = from->c[from->components > 1 ? k : 0];
        if (type.truth) {
            to.c[k] = (struct dual){ .v = to.c[k].v != 0.0L };
        } else if (type.whole && !from->whole) {
            note_turn(run, to.c[k].v - rintl(to.c[k].v), to.c[k].d);
            to.c[k] = (struct dual){ .v = truncl(to.c[k].v) };
        }
    }
    return to;
}

static void evaluate(struct run *run, int place, struct slot *result);

static void evaluate_binary(struct run *run, const struct node *node, struct slot *result) {
    struct slot a, b;
    evaluate(run, node->operand[0], &a);
    if (node->sign == SIGN_AND || node->sign == SIGN_OR) {
        const bool first = a.c[0].v != 0.0L;
        if (first == (node->sign == SIGN_OR)) {
            *result = truth(first);
            return;
        }
        evaluate(run, node->operand[1], &b);
        *result = truth(b.c[0].v != 0.0L);
        return;
    }
    evaluate(run, node->operand[1], &b);
    const bool compares = node->sign == '<' || node->sign == '>' ||
                          (node->sign >= SIGN_LESS_EQUAL && node->sign <= SIGN_UNEQUAL);
    *result =
        compares ? compare(run, node->sign, &a.c[0], &b.c[0]) : calculate_all(node->sign, &a, &b);
}

static void evaluate_call(struct run *run, const struct node *node, struct slot *result) {
    struct slot cells[MAX_ARGUMENTS] = { 0 };
    bool whole = true;
    *result = (struct slot){ .components = 1 };
    for (int k = 0; k < node->operands; k++) {
        evaluate(run, node->operand[k], &cells[k]);
        whole = whole && cells[k].whole;
        result->components =
            cells[k].components > result->components ? cells[k].components : result->components;
    }
    for (int c = 0; c < result->components; c++) {
        struct dual x[MAX_ARGUMENTS] = { 0 };
        for (int k = 0; k < node->operands; k++) {
            x[k] = cells[k].c[cells[k].components > 1 ? c : 0];
        }
        if (node->apply == dual_min || node->apply == dual_max) {
            note_turn(run, x[0].v - x[1].v, x[0].d - x[1].d);
            result->whole = whole;
        } else if (node->apply == dual_abs) {
            note_turn(run, x[0].v, x[0].d);
            result->whole = whole;
        } else if (node->apply == dual_floor || node->apply == dual_ceil) {
            note_turn(run, x[0].v - rintl(x[0].v), x[0].d);
        }
        result->c[c] = node->apply(x);
    }
}

static struct dual dot_of(const struct slot *a, const struct slot *b) {
    struct dual sum = { 0 };
    for (int k = 0; k < a->components && k < b->components; k++) {
        const struct dual both[2] = { a->c[k], b->c[k] };
        const struct dual two[2] = { sum, dual_multiply(both) };
        sum = k == 0 ? two[1] : dual_add(two);
    }
    return sum;
}

static struct dual minor_of(const struct slot *a, const struct slot *b, int first, int second) {
    const struct dual plus[2] = { a->c[first], b->c[second] };
    const struct dual minus[2] = { a->c[second], b->c[first] };
    const struct dual both[2] = { dual_multiply(plus), dual_multiply(minus) };
    return dual_subtract(both);
}

static void evaluate_product(struct run *run, const struct node *node, struct slot *result) {
    struct slot a, b = { 0 };
    evaluate(run, node->operand[0], &a);
    if (node->operands > 1) {
        evaluate(run, node->operand[1], &b);
    }
    const struct dual square = dot_of(&a, node->operands > 1 ? &b : &a);
    *result = (struct slot){ .components = 1 };
    switch ((enum product)node->which) {
    case PRODUCT_DOT:
        result->c[0] = square;
        break;
    case PRODUCT_LENGTH:
        result->c[0] = dual_sqrt(&square);
        break;
    case PRODUCT_CROSS:
        result->components = a.components;
        for (int k = 0; k < 3; k++) {
            result->c[k] = minor_of(&a, &b, (k + 1) % 3, (k + 2) % 3);
        }
        break;
    case PRODUCT_NORMALIZE:
        result->components = a.components;
        for (int k = 0; k < a.components; k++) {
            const struct dual both[2] = { a.c[k], do_rsqrt(&square) };
            result->c[k] = dual_multiply(both);
        }
        break;
    default:
        *result = a;
        result->components = 3;
        break;
    }
}

static void evaluate_vector(struct run *run, const struct node *node, struct slot *result) {
    struct slot part = { 0 };
    struct slot made = { .components = node->which };
    for (int k = 0; k < node->which; k++) {
        if (k < node->operands) {
            evaluate(run, node->operand[k], &part);
        }
        made.c[k] = part.c[part.components > 1 ? k : 0];
    }
    *result = made;
}

/* An element beyond the array is no number. */
static void evaluate_element(struct run *run, const struct node *node, struct slot *result) {
    const struct particle_values *numbers = run->walk->text->arrays[node->which].numbers;
    evaluate(run, node->operand[0], result);
    const long double at = result->c[0].v;
    const bool there = at >= 0.0L && at < (long double)numbers->count;
    *result = (struct slot){ .components = 1 };
    result->c[0] = there ? dual_constant(numbers->value[(size_t)at]) : (struct dual){ .v = NAN };
}

static void set_variable(struct run *run, const struct node *node) {
    struct slot *variable = &run->variables[node->which];
    struct slot value;
    evaluate(run, node->operand[0], &value);
    struct slot before = *variable;
    if (node->component >= 0) {
        before = (struct slot){ .components = 1, .c = { variable->c[node->component] } };
    }
    if (node->sign != '=') {
        value = calculate_all(node->sign, &before, &value);
    }
    if (node->component >= 0) {
        variable->c[node->component] = value.c[0];
        return;
    }
    *variable = converted(
        run, (struct type){ .components = variable->components, .whole = variable->whole }, &value);
}

static void do_list(struct run *run, const struct node *node) {
    struct slot ignored;
    for (int at = node->operand[0]; at >= 0; at = run->walk->nodes[at].next) {
        evaluate(run, at, &ignored);
    }
}

static void do_loop(struct run *run, const struct node *node) {
    struct slot value;
    for (evaluate(run, node->operand[0], &value); value.c[0].v != 0.0L && run->steps < MAX_RUN;
         evaluate(run, node->operand[0], &value)) {
        evaluate(run, node->operand[1], &value);
        evaluate(run, node->operand[2], &value);
    }
}

static void evaluate_statement(struct run *run, const struct node *node, struct slot *result) {
    switch (node->kind) {
    case NODE_SET:
        set_variable(run, node);
        break;
    case NODE_DECLARE: /* what is declared without a value is no number until it has one */
        *result = (struct slot){ .components = 1, .c = { { .v = NAN } } };
        if (node->operand[0] >= 0) {
            evaluate(run, node->operand[0], result);
        }
        run->variables[node->which] = converted(run, node->type, result);
        break;
    case NODE_BLOCK:
        do_list(run, node);
        break;
    case NODE_IF:
        *result = (struct slot){ .components = 1 };
        evaluate(run, node->operand[0], result);
        if (result->c[0].v != 0.0L) {
            evaluate(run, node->operand[1], result);
        } else if (node->operand[2] >= 0) {
            evaluate(run, node->operand[2], result);
        }
        break;
    case NODE_LOOP:
        do_loop(run, node);
        break;
    default:
        break;
    }
}

static void evaluate(struct run *run, int place, struct slot *result) {
    const struct node *node = &run->walk->nodes[place];
    run->steps++;
    switch (node->kind) {
    case NODE_NUMBER:
        *result = (struct slot){ .components = 1, .whole = node->type.whole };
        result->c[0] = node->number;
        return;
    case NODE_VARIABLE:
        *result = run->variables[node->which];
        return;
    case NODE_COMPONENT:
        evaluate(run, node->operand[0], result);
        *result = (struct slot){ .components = 1, .c = { result->c[node->which] } };
        return;
    case NODE_ELEMENT:
        evaluate_element(run, node, result);
        return;
    case NODE_CALL:
        evaluate_call(run, node, result);
        return;
    case NODE_PRODUCT:
        evaluate_product(run, node, result);
        return;
    case NODE_VECTOR:
        evaluate_vector(run, node, result);
        return;
    case NODE_CAST: {
        struct slot from;
        evaluate(run, node->operand[0], &from);
        *result = converted(run, node->type, &from);
        return;
    }
    case NODE_NEGATE:
        evaluate(run, node->operand[0], result);
        for (int k = 0; k < result->components; k++) {
            result->c[k] = dual_negate(&result->c[k]);
        }
        return;
    case NODE_NOT:
        evaluate(run, node->operand[0], result);
        *result = truth(result->c[0].v == 0.0L);
        return;
    case NODE_BINARY:
        evaluate_binary(run, node, result);
        return;
    case NODE_CHOICE:
        evaluate(run, node->operand[0], result);
        evaluate(run, node->operand[result->c[0].v != 0.0L ? 1 : 2], result);
        return;
    default:
        evaluate_statement(run, node, result);
    }
}

static struct slot scalar(struct dual value) {
    return (struct slot){ .components = 1, .c = { value } };
}

static struct slot counted(long double value) {
    return (struct slot){ .components = 1, .whole = true, .c = { { .v = value } } };
}

static void begin_run(struct run *run, const struct pair *pair) {
    const struct pair_text *text = run->walk->text;
    struct slot *found = run->variables;
    const struct dual r = { .v = run->r, .d = 1.0L };
    const struct dual both[2] = { r, r };
    found[R] = scalar(r);
    found[R2] = scalar(dual_multiply(both));
    found[INVERSE_R] = scalar(do_recip(&r));
    /* They come as they are: their errors are those of r. */
    found[R2].c[0].error = found[R2].c[0].slip = 0.0L;
    found[INVERSE_R].c[0].error = found[INVERSE_R].c[0].slip = 0.0L;
    found[EXCLUDED] = counted(pair->excluded);
    found[ATOM1] = counted(pair->particle[0]);
    found[ATOM2] = counted(pair->particle[1]);
    for (int side = 0; side < 2; side++) {
        found[POSQ1 + side] = (struct slot){ .components = 4 };
        found[POSQ1 + side].c[3] = dual_constant(pair->charge[side]);
    }
    found[ENERGY] = scalar((struct dual){ 0 });
    found[FORCE] = scalar((struct dual){ 0 });
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        for (int side = 0; side < 2; side++) {
            struct slot *cell = &found[GIVEN + 2 * p + side];
            *cell = (struct slot){ .components = parameter->components };
            for (int c = 0; c < parameter->components; c++) {
                cell->c[c] =
                    dual_constant(text->values[parameter->first + c]->value[pair->particle[side]]);
            }
        }
    }
}

void kernel_walk_evaluate(const struct kernel_walk *walk, const struct pair *pair,
                          struct pair_value *value) {
    struct run run; /* what variables hold is set where they are declared */
    struct slot ignored;
    run.walk = walk;
    run.nearest = INFINITY;
    run.corner = 0.0;
    run.steps = 0;
    run.r = pair->r2 > 0.0 ? sqrtl((long double)pair->r2) : next_to_zero;
    begin_run(&run, pair);
    evaluate(&run, walk->body, &ignored);
    const struct dual *u = &run.variables[ENERGY].c[0];
    const bool ended = run.steps < MAX_RUN;
    value->energy = ended ? (double)u->v : NAN;
    value->over_r = ended ? (double)(-u->d / run.r) : NAN;
    value->slope = (double)-u->dd;
    value->lean = dual_lean(u, run.r);
    value->bend = dual_bend(u, run.r);
    value->corner = run.corner;
}

/* What a text of a term finds: places are exact up to how they were added up. */
static void begin_term(struct run *run, const double *column, long double place[][3],
                       long double direction[][3]) {
    const struct pair_text *text = run->walk->text;
    struct slot *found = run->variables;
    found[TERM_ENERGY] = scalar((struct dual){ 0 });
    for (int a = 0; a < text->atoms; a++) {
        found[TERM_PLACES + a] = (struct slot){ .components = 4 };
        for (int d = 0; d < 3; d++) {
            found[TERM_PLACES + a].c[d] = (struct dual){
                .v = place[a][d], .d = direction[a][d], .error = a > 1 ? fabsl(place[a][d]) : 0.0L
            };
        }
    }
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        struct slot *cell = &found[TERM_GIVEN + p];
        *cell = (struct slot){ .components = parameter->components };
        for (int c = 0; c < parameter->given; c++) {
            cell->c[c] = dual_constant(column[text->column[parameter->first + c]]);
        }
    }
}

struct dual kernel_walk_evaluate_term(const struct kernel_walk *walk, const double *column,
                                      long double place[][3], long double direction[][3]) {
    struct run run; /* as above */
    struct slot ignored;
    run.walk = walk;
    run.nearest = INFINITY;
    run.corner = 0.0;
    run.steps = 0;
    run.r = 1.0L;
    begin_term(&run, column, place, direction);
    evaluate(&run, walk->body, &ignored);
    return run.steps < MAX_RUN ? run.variables[TERM_ENERGY].c[0]
                               : (struct dual){ NAN, NAN, NAN, NAN, NAN };
}
