#include "reference/interpreter/formula.h"

#include "kernels/expressions/expression.h"
#include "reference/interpreter/dual.h"
#include "reference/interpreter/words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 8192, MAX_NAMES = 64, MAX_LEVELS = 4000, ARGUMENTS = 3, MAX_TABLES = 4 };

/* What stands in the place of a distance of 0. */
static const long double next_to_zero = 1e-1000L;

enum leaf { LEAF_NONE, LEAF_NUMBER, LEAF_DISTANCE, LEAF_CHARGE, LEAF_PARAMETER, LEAF_VALUE };

/* A natural cubic spline through points; 0 outside of them. */
struct spline {
    int count;
    long double *x, *y, *curvature; /* the second derivative */
};

struct step {
    enum leaf leaf;
    const struct spline *spline; /* what is neither leaf nor operation */
    dual_function *apply;        /* of what is no leaf */
    long double number;
    int which; /* of a charge or parameter; of values, twice their number, and 1 for the second
                  particle */
    int argument[ARGUMENTS];
};

struct formula {
    struct step *steps; /* each after its arguments */
    int count;
    int parameters;
    enum pair_mixing mixing[PAIR_MAX_PARAMETERS];
    bool charged;
    struct particle_values *const *values;
    int value_count;
    enum pair_mixing value_mixing[MAX_NAMES];
    long double unit; /* of roundoff: float's unless kernels compute in double */
    bool may_jump;    /* there are steps, or the like */
    struct spline splines[MAX_TABLES];
    int tables;
};

/* ---- reading ---- */

/* What stands after a name's '='. */
struct meaning {
    const char *name;
    size_t length;
    const char *words;
    int step;                     /* where it is worked out; -1: not yet */
    int parameter, table, values; /* -1: it is none */
    bool open;                    /* being worked out */
};

struct tokens {
    const char *at;
    const char *variable;
    bool of_term;
    struct formula *formula;
    struct meaning *meanings;
    int count;
    int levels;
    bool failed;
};

static int fail_reading(struct tokens *tokens) {
    tokens->failed = true;
    return 0;
}

static void pass_space(struct tokens *tokens) {
    while (isspace((unsigned char)*tokens->at) || *tokens->at == '#') {
        tokens->at += *tokens->at == '#' ? strcspn(tokens->at, "\n") : 1;
    }
}

static bool pass(struct tokens *tokens, char sign) {
    pass_space(tokens);
    const bool there = *tokens->at == sign;
    tokens->at += there;
    return there;
}

static int put(struct tokens *tokens, struct step step) {
    struct formula *formula = tokens->formula;
    if (tokens->failed || !formula->steps || formula->count == MAX_STEPS) {
        return fail_reading(tokens);
    }
    formula->steps[formula->count] = step;
    return formula->count++;
}

static int put_two(struct tokens *tokens, dual_function *apply, int a, int b) {
    return put(tokens, (struct step){ .apply = apply, .argument = { a, b } });
}

static int put_power(struct tokens *tokens, int base, int exponent) {
    const struct step *step = tokens->failed ? NULL : &tokens->formula->steps[base];
    return step && step->apply == dual_sqrt
               ? put_two(tokens, dual_root_power, step->argument[0], exponent)
               : put_two(tokens, dual_power, base, exponent);
}

static int read_terms(struct tokens *tokens);
static int read_signed(struct tokens *tokens);

static int read_function(struct tokens *tokens, const char *name, size_t length) {
    const struct dual_known *known = dual_find(name, length);
    if (known) {
        struct step step = { .apply = known->apply };
        for (int k = 0; k < known->arguments; k++) {
            if (k > 0 && !pass(tokens, ',')) {
                return fail_reading(tokens);
            }
            step.argument[k] = read_terms(tokens);
        }
        if (!pass(tokens, ')')) {
            return fail_reading(tokens);
        }
        return step.apply == dual_power ? put_power(tokens, step.argument[0], step.argument[1])
                                        : put(tokens, step);
    }
    for (int m = 0; m < tokens->count; m++) {
        const struct meaning *meaning = &tokens->meanings[m];
        if (meaning->table >= 0 && meaning->length == length &&
            strncmp(meaning->name, name, length) == 0) {
            const struct step step = { .spline = &tokens->formula->splines[meaning->table],
                                       .argument = { read_terms(tokens) } };
            return pass(tokens, ')') ? put(tokens, step) : fail_reading(tokens);
        }
    }
    return fail_reading(tokens);
}

static int put_value(struct tokens *tokens, int values, int side) {
    return put(tokens, (struct step){ .leaf = LEAF_VALUE, .which = 2 * values + side });
}

/* The mean of both particles' values. */
static int read_mixed(struct tokens *tokens, int values) {
    const enum pair_mixing mixing = tokens->formula->value_mixing[values];
    const int one = put_value(tokens, values, 0);
    const int other = put_value(tokens, values, 1);
    if (mixing == PAIR_LORENTZ) {
        const int sum = put_two(tokens, dual_add, one, other);
        const int half = put(tokens, (struct step){ .leaf = LEAF_NUMBER, .number = 0.5L });
        return put_two(tokens, dual_multiply, sum, half);
    }
    if (mixing != PAIR_BERTHELOT) {
        return fail_reading(tokens);
    }
    const int product = put_two(tokens, dual_multiply, one, other);
    return put(tokens, (struct step){ .apply = dual_sqrt, .argument = { product } });
}

/* What a definition comes to, worked out once. */
static int read_meaning(struct tokens *tokens, struct meaning *meaning) {
    if (meaning->table >= 0) {
        return fail_reading(tokens);
    }
    if (meaning->values >= 0) {
        return read_mixed(tokens, meaning->values);
    }
    if (meaning->parameter >= 0) {
        return put(tokens, (struct step){ .leaf = LEAF_PARAMETER, .which = meaning->parameter });
    }
    if (meaning->step < 0) {
        const char *back = tokens->at;
        if (meaning->open) {
            return fail_reading(tokens);
        }
        meaning->open = true;
        tokens->at = meaning->words;
        meaning->step = read_terms(tokens);
        pass_space(tokens);
        tokens->failed = tokens->failed || (*tokens->at != ';' && *tokens->at != '\0');
        tokens->at = back;
    }
    return meaning->step;
}

static int read_word(struct tokens *tokens) {
    const char *name = tokens->at;
    const size_t length = word_length(name);
    tokens->at += length;
    if (pass(tokens, '(')) {
        return read_function(tokens, name, length);
    }
    if (length == strlen(tokens->variable) && strncmp(name, tokens->variable, length) == 0) {
        return put(tokens, (struct step){ .leaf = LEAF_DISTANCE });
    }
    if (!tokens->of_term && length == 2 && *name == 'q' && (name[1] == '1' || name[1] == '2')) {
        tokens->formula->charged = true;
        return put(tokens, (struct step){ .leaf = LEAF_CHARGE, .which = name[1] == '2' });
    }
    for (int m = 0; m < tokens->count; m++) {
        struct meaning *meaning = &tokens->meanings[m];
        if (meaning->length == length && strncmp(meaning->name, name, length) == 0) {
            return read_meaning(tokens, meaning);
        }
    }
    for (int m = 0; length > 1 && m < tokens->count; m++) { /* NAME1, NAME2 */
        const struct meaning *meaning = &tokens->meanings[m];
        const char side = name[length - 1];
        if (meaning->values >= 0 && meaning->length == length - 1 &&
            strncmp(meaning->name, name, length - 1) == 0 && (side == '1' || side == '2')) {
            return put_value(tokens, meaning->values, side == '2');
        }
    }
    return fail_reading(tokens);
}

static int read_primary(struct tokens *tokens) {
    pass_space(tokens);
    if (pass(tokens, '(')) {
        const int inner = read_terms(tokens);
        return pass(tokens, ')') ? inner : fail_reading(tokens);
    }
    if (word_length(tokens->at) > 0) {
        return read_word(tokens);
    }
    if (!isdigit((unsigned char)*tokens->at) && *tokens->at != '.') {
        return fail_reading(tokens);
    }
    char *end;
    const double number = strtod(tokens->at, &end); /* what a kernel has is a double at best */
    tokens->failed = tokens->failed || end == tokens->at;
    tokens->at = end;
    return put(tokens, (struct step){ .leaf = LEAF_NUMBER, .number = number });
}

static int read_signed(struct tokens *tokens) {
    int result;
    if (tokens->failed || ++tokens->levels > MAX_LEVELS) {
        return fail_reading(tokens);
    }
    if (pass(tokens, '+')) {
        result = read_signed(tokens);
    } else if (pass(tokens, '-')) {
        const int inner = read_signed(tokens);
        result = put(tokens, (struct step){ .apply = dual_negate, .argument = { inner } });
    } else {
        result = read_primary(tokens);
        if (pass(tokens, '^')) {
            result = put_power(tokens, result, read_signed(tokens));
        }
    }
    tokens->levels--;
    return result;
}

static int read_factors(struct tokens *tokens) {
    int result = read_signed(tokens);
    while (!tokens->failed) {
        if (pass(tokens, '*')) {
            result = put_two(tokens, dual_multiply, result, read_signed(tokens));
        } else if (pass(tokens, '/')) {
            result = put_two(tokens, dual_divide, result, read_signed(tokens));
        } else {
            break;
        }
    }
    return result;
}

static int read_terms(struct tokens *tokens) {
    int result = read_factors(tokens);
    while (!tokens->failed) {
        if (pass(tokens, '+')) {
            result = put_two(tokens, dual_add, result, read_factors(tokens));
        } else if (pass(tokens, '-')) {
            result = put_two(tokens, dual_subtract, result, read_factors(tokens));
        } else {
            break;
        }
    }
    return result;
}

/* A word, or none, at the end of a statement. */
static bool is_mixing(struct tokens *tokens, enum pair_mixing *mixing) {
    pass_space(tokens);
    const size_t length = word_length(tokens->at);
    *mixing = PAIR_UNMIXED;
    if (length == strlen("arithmetic") && strncmp(tokens->at, "arithmetic", length) == 0) {
        *mixing = PAIR_LORENTZ;
    } else if (length == strlen("geometric") && strncmp(tokens->at, "geometric", length) == 0) {
        *mixing = PAIR_BERTHELOT;
    } else if (length > 0) {
        return false;
    }
    tokens->at += length;
    pass_space(tokens);
    return *tokens->at == ';' || *tokens->at == '\0';
}

/* A sign, a number, perhaps how it is mixed, and the end. */
static bool is_parameter(const char *words, enum pair_mixing *mixing) {
    struct tokens tokens = { .at = words };
    (void)(pass(&tokens, '-') || pass(&tokens, '+'));
    pass_space(&tokens);
    if (!isdigit((unsigned char)*tokens.at) && *tokens.at != '.') {
        return false;
    }
    char *end;
    (void)strtod(tokens.at, &end);
    tokens.at = end;
    return is_mixing(&tokens, mixing);
}

static bool pass_word(struct tokens *tokens, const char *word) {
    pass_space(tokens);
    const size_t length = word_length(tokens->at);
    const bool there = length == strlen(word) && strncmp(tokens->at, word, length) == 0;
    tokens->at += there ? length : 0;
    return there;
}

/* The word, and the name of a file in quotes. */
static bool is_table(const char *words) {
    struct tokens tokens = { .at = words };
    return pass_word(&tokens, "table") && pass(&tokens, '"');
}

/* The word, the name of a file in quotes, perhaps a column, and how both particles' are mixed. */
static bool is_values(const char *words, enum pair_mixing *mixing) {
    struct tokens tokens = { .at = words };
    if (!pass_word(&tokens, "particles") || !pass(&tokens, '"')) {
        return false;
    }
    tokens.at += strcspn(tokens.at, "\"");
    if (!pass(&tokens, '"')) {
        return false;
    }
    if (pass_word(&tokens, "column")) {
        pass_space(&tokens);
        tokens.at += strcspn(tokens.at, " \t\r\n;#");
    }
    return is_mixing(&tokens, mixing);
}

/* Finds where each name's meaning begins. The first may have none: it is the energy. Values for
 * single types are the interaction's. */
static void list_meanings(struct tokens *tokens) {
    while (!tokens->failed && *tokens->at) {
        pass_space(tokens);
        struct meaning *meaning = &tokens->meanings[tokens->count];
        *meaning = (struct meaning){ .name = tokens->at,
                                     .length = word_length(tokens->at),
                                     .step = -1,
                                     .parameter = -1,
                                     .table = -1,
                                     .values = -1 };
        const char *begin = tokens->at;
        tokens->at += meaning->length;
        const bool typed = *tokens->at == '.';
        const bool named = !typed && meaning->length > 0 && pass(tokens, '=');
        if (!named && tokens->count == 0) {
            tokens->at = begin;
            meaning->name = "energy";
            meaning->length = strlen(meaning->name);
        }
        meaning->words = tokens->at;
        const bool counts = *begin && (named || tokens->count == 0);
        if (counts && tokens->count > 0 &&
            is_parameter(meaning->words, &tokens->formula->mixing[tokens->formula->parameters])) {
            meaning->parameter = tokens->formula->parameters++;
            tokens->failed = tokens->formula->parameters == PAIR_MAX_PARAMETERS;
        } else if (counts && tokens->count > 0 && is_table(meaning->words)) {
            meaning->table = tokens->formula->tables++;
            tokens->failed = tokens->formula->tables > MAX_TABLES;
        } else if (counts && tokens->count > 0 &&
                   is_values(meaning->words,
                             &tokens->formula->value_mixing[tokens->formula->value_count])) {
            meaning->values = tokens->formula->value_count++;
        }
        tokens->count += counts;
        tokens->failed = tokens->failed || tokens->count == MAX_NAMES;
        while (*tokens->at && *tokens->at != ';') { /* comments and names of files may hold one */
            if (*tokens->at == '"') {
                tokens->at += 1 + strcspn(tokens->at + 1, "\"");
                tokens->at += *tokens->at == '"';
            } else {
                tokens->at += *tokens->at == '#' ? strcspn(tokens->at, "\n") : 1;
            }
        }
        tokens->at += *tokens->at == ';';
    }
}

static bool names_agree(const struct tokens *tokens, const struct interaction *interaction,
                        const struct interaction_function *function) {
    bool agree = tokens->formula->parameters == function->count &&
                 tokens->formula->value_count == interaction->value_count;
    for (int m = 0; agree && m < tokens->count; m++) {
        const struct meaning *meaning = &tokens->meanings[m];
        if (meaning->parameter >= 0) {
            const char *name = interaction->parameters[function->first + meaning->parameter].name;
            agree = strlen(name) == meaning->length &&
                    strncmp(name, meaning->name, meaning->length) == 0;
        }
    }
    return agree;
}

static long double to_jump(const struct step *step, const struct dual *x);

/* ---- tables ---- */

static bool spline_allocate(struct spline *spline, size_t lines) {
    spline->x = calloc(lines, sizeof *spline->x);
    spline->y = calloc(lines, sizeof *spline->y);
    spline->curvature = calloc(lines, sizeof *spline->curvature);
    return spline->x && spline->y && spline->curvature;
}

/* The number at *at, which is moved behind it and what parts it from the next; Fortran writes 1D3.
 */
static double number_at(const char **at) {
    char word[512];
    const size_t length = strcspn(*at, " \t\r\n,#");
    (void)snprintf(word, sizeof word, "%.*s", (int)length, *at);
    word[strcspn(word, "dD")] = word[strcspn(word, "dD")] ? 'e' : '\0';
    *at += length + strspn(*at + length, " \t,");
    return strtod(word, NULL);
}

/* A line has two numbers, or nothing before a comment. */
static void spline_read(struct spline *spline, const char *text) {
    for (const char *line = text; *line; line += *line == '\n') {
        const char *at = line + strspn(line, " \t\r");
        if (*at && *at != '#' && *at != '\n') {
            spline->x[spline->count] = number_at(&at);
            spline->y[spline->count++] = number_at(&at);
        }
        line += strcspn(line, "\n");
    }
}

/* Second derivatives: continuous first ones, 0 at the ends; by relaxation, which the dominance of
 * the diagonal makes halve what is left at each sweep at least. */
static void spline_find_curvature(struct spline *spline) {
    const long double *x = spline->x;
    const long double *y = spline->y;
    for (int sweep = 0; sweep < 100; sweep++) {
        for (int k = 1; k < spline->count - 1; k++) {
            const long double below = x[k] - x[k - 1];
            const long double above = x[k + 1] - x[k];
            const long double jump = (y[k + 1] - y[k]) / above - (y[k] - y[k - 1]) / below;
            spline->curvature[k] = (6.0L * jump - below * spline->curvature[k - 1] -
                                    above * spline->curvature[k + 1]) /
                                   (2.0L * (below + above));
        }
    }
}

static bool make_splines(struct formula *formula, const struct interaction *interaction) {
    bool made = formula->tables == interaction->expression_table_count;
    for (int t = 0; made && t < formula->tables; t++) {
        const char *text = interaction->expression_tables[t];
        size_t lines = 1;
        for (const char *c = text; *c; c++) {
            lines += *c == '\n';
        }
        made = spline_allocate(&formula->splines[t], lines);
        if (made) {
            spline_read(&formula->splines[t], text);
            made = formula->splines[t].count > 2;
        }
        if (made) {
            spline_find_curvature(&formula->splines[t]);
        }
    }
    return made;
}

/* A table's value and derivatives at `a`. The argument's error is scaled by 1 / (table spacing). */
static struct dual look_up(const struct spline *spline, const struct dual *a) {
    const int last = spline->count - 1;
    if (!(a->v >= spline->x[0] && a->v <= spline->x[last])) {
        return (struct dual){ 0 };
    }
    int low = 0;
    for (int high = last; high - low > 1;) {
        const int middle = (low + high) / 2;
        *(spline->x[middle] <= a->v ? &low : &high) = middle;
    }
    const long double h = spline->x[low + 1] - spline->x[low];
    const long double t = (a->v - spline->x[low]) / h;
    const long double s = 1.0L - t;
    const long double *y = spline->y + low;
    const long double *m = spline->curvature + low;
    const long double f =
        s * y[0] + t * y[1] + h * h / 6.0L * ((s * s * s - s) * m[0] + (t * t * t - t) * m[1]);
    const long double f1 = (y[1] - y[0]) / h +
                           h / 6.0L * ((3.0L * t * t - 1.0L) * m[1] - (3.0L * s * s - 1.0L) * m[0]);
    struct dual value = dual_chain(a, f, f1, s * m[0] + t * m[1]);
    value.error += fabsl(y[0]) + fabsl(y[1]);
    value.d_error += (fabsl(y[0]) + fabsl(y[1])) / h * fabsl(a->d);
    return value;
}

/* Reads the words into a new formula; NULL interaction: those of a term. */
static bool read_words(struct tokens *tokens, const struct interaction *interaction,
                       const struct interaction_function *function, struct formula **formula,
                       struct error *error) {
    struct meaning meanings[MAX_NAMES] = { 0 };
    struct formula *made = calloc(1, sizeof *made);
    *formula = NULL;
    if (made) {
        made->unit = 0x1p-24L;
    }
    if (!made || !(made->steps = malloc(MAX_STEPS * sizeof *made->steps))) {
        formula_free(made);
        return fail_out_of_memory(error, "the reference of an expression");
    }
    tokens->formula = made;
    tokens->meanings = meanings;
    list_meanings(tokens);
    if (!tokens->failed && tokens->count > 0) {
        const int last = read_meaning(tokens, &meanings[0]);
        tokens->failed = tokens->failed || last != made->count - 1 ||
                         (interaction && !make_splines(made, interaction));
    }
    const bool agrees = !interaction || !function || names_agree(tokens, interaction, function);
    tokens->meanings = NULL;
    if (tokens->failed || !agrees) {
        formula_free(made);
        return fail(error, STATUS_UNSUPPORTED, "the reference does not understand the expression");
    }
    for (int s = 0; s < made->count; s++) {
        const struct step *step = &made->steps[s];
        const struct dual zero[ARGUMENTS] = { 0 };
        made->may_jump = made->may_jump || step->spline ||
                         (step->leaf == LEAF_NONE && isfinite(to_jump(step, zero)));
    }
    *formula = made;
    return true;
}

bool formula_read(const char *words, const struct interaction *interaction,
                  const struct interaction_function *function, struct formula **formula,
                  struct error *error) {
    struct tokens tokens = { .at = words, .variable = "r" };
    if (!read_words(&tokens, interaction, function, formula, error)) {
        return false;
    }
    (*formula)->values = interaction->values;
    return true;
}

bool formula_read_term(const char *words, const char *variable, struct formula **formula,
                       struct error *error) {
    struct tokens tokens = { .at = words, .variable = variable, .of_term = true };
    return read_words(&tokens, NULL, NULL, formula, error);
}

void formula_free(struct formula *formula) {
    if (formula) {
        for (int t = 0; t < MAX_TABLES; t++) {
            free(formula->splines[t].x);
            free(formula->splines[t].y);
            free(formula->splines[t].curvature);
        }
        free(formula->steps);
        free(formula);
    }
}

void formula_in_double(struct formula *formula) {
    formula->unit = 0x1p-53L;
}

enum pair_mixing formula_mixing(const struct formula *formula, int parameter) {
    return formula->mixing[parameter];
}

bool formula_may_jump(const struct formula *formula) {
    return formula->may_jump;
}

bool formula_is_charged(const struct formula *formula) {
    return formula->charged;
}

bool formula_is_valued(const struct formula *formula) {
    return formula->value_count > 0;
}

/* ---- evaluating ---- */

static struct dual leaf_of(const struct formula *formula, const struct step *step,
                           const double *parameter, const struct pair *pair, long double r) {
    switch (step->leaf) {
    case LEAF_DISTANCE:
        return (struct dual){ .v = r, .d = 1.0L };
    case LEAF_CHARGE:
        return dual_constant(pair->charge[step->which]);
    case LEAF_PARAMETER:
        return dual_constant(parameter[step->which]);
    case LEAF_VALUE:
        return dual_constant(
            formula->values[step->which / 2]->value[pair->particle[step->which % 2]]);
    default:
        return dual_constant(step->number);
    }
}

/* How far a value that jumps, or whose slope does, at a whole number, at 0, or at the end of a
 * table is from there. */
static long double to_jump(const struct step *step, const struct dual *x) {
    if (step->spline) {
        const long double from = x->v - step->spline->x[0];
        const long double to = x->v - step->spline->x[step->spline->count - 1];
        return fabsl(from) < fabsl(to) ? from : to;
    }
    if (step->apply == dual_step || step->apply == dual_abs) {
        return x->v;
    }
    if (step->apply == dual_min || step->apply == dual_max) {
        return x[0].v - x[1].v;
    }
    return step->apply == dual_floor || step->apply == dual_ceil ? x->v - rintl(x->v) : INFINITY;
}

/* The nearest distance at which a step, or its slope, jumps, to first order; *nearest is how far it
 * is. */
static void find_jump(const struct step *step, const struct dual *x, long double r,
                      long double *nearest, double *jump) {
    const bool two = step->apply == dual_min || step->apply == dual_max;
    const long double ahead = to_jump(step, x);
    const long double slope = two ? x[0].d - x[1].d : x->d;
    const long double gap = slope != 0.0L ? -ahead / slope : INFINITY;
    if (fabsl(gap) < *nearest && r + gap > 0.0L) {
        *nearest = fabsl(gap);
        *jump = (double)(r + gap);
    }
}

/* The energy and where it or its slope jumps; false where memory ran out. */
static bool apply_steps(const struct formula *formula, const double *parameter,
                        const struct pair *pair, long double r, struct dual *u, double *jump) {
    struct dual few[256];
    struct dual *found =
        formula->count <= 256 ? few : malloc((size_t)formula->count * sizeof *found);
    long double nearest = INFINITY;
    *jump = 0.0;
    for (int s = 0; found && s < formula->count; s++) {
        const struct step *step = &formula->steps[s];
        if (step->leaf != LEAF_NONE) {
            found[s] = leaf_of(formula, step, parameter, pair, r);
        } else {
            struct dual arguments[ARGUMENTS] = { found[step->argument[0]], found[step->argument[1]],
                                                 found[step->argument[2]] };
            if (formula->may_jump) {
                find_jump(step, arguments, r, &nearest, jump);
            }
            dual_keep_inside(step->apply, arguments, formula->unit);
            found[s] = step->spline ? look_up(step->spline, &arguments[0])
                                    : dual_apply(step->apply, arguments, formula->unit);
        }
    }
    *u = found && formula->count > 0 ? found[formula->count - 1]
                                     : (struct dual){ NAN, NAN, NAN, NAN, NAN };
    if (found && found != few) {
        free(found);
    }
    return found != NULL;
}

void formula_evaluate(const struct formula *formula, const double *parameter,
                      const struct pair *pair, struct pair_value *value) {
    const long double r = pair->r2 > 0.0 ? sqrtl((long double)pair->r2) : next_to_zero;
    struct dual u;
    if (!apply_steps(formula, parameter, pair, r, &u, &value->jump)) {
        *value = (struct pair_value){ .energy = NAN, .over_r = NAN, .slope = NAN };
        return;
    }
    value->energy = (double)u.v;
    value->over_r = (double)(-u.d / r);
    value->slope = (double)-u.dd;
    value->energy_condition = dual_energy_condition(&u, r);
    value->force_condition = dual_force_condition(&u, r);
}

struct dual formula_evaluate_term(const struct formula *formula, const double *parameter,
                                  long double q) {
    const struct pair nobody = { .r = 0.0 };
    struct dual u;
    double jump;
    (void)apply_steps(formula, parameter, &nobody, q, &u, &jump);
    return u;
}
