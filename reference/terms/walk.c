#include "terms/walk.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 8192, MAX_NAMES = 64, MAX_LEVELS = 4000, ARGUMENTS = 3, MAX_TABLES = 4 };

/* What stands in the place of a distance of 0. */
static const long double next_to_zero = 1e-1000L;

/* A value, its first two derivatives by r, and the error of the value. */
struct dual {
    long double v, d, dd;
    long double error;
};

typedef struct dual step_of(const struct dual *arguments);

enum leaf { LEAF_NONE, LEAF_NUMBER, LEAF_DISTANCE, LEAF_CHARGE, LEAF_PARAMETER };

/* A natural cubic spline through points; 0 outside of them. */
struct spline {
    int count;
    long double *x, *y, *bend; /* the second derivative */
};

struct step {
    enum leaf leaf;
    const struct spline *spline; /* what is neither leaf nor operation */
    step_of *apply;              /* of what is no leaf */
    long double number;
    int which; /* of a charge or parameter */
    int argument[ARGUMENTS];
};

struct walk {
    struct step *steps; /* each behind its arguments */
    int count;
    int parameters;
    enum pair_mixing mixing[PAIR_MAX_PARAMETERS];
    bool charged;
    bool turns; /* there are steps, or the like */
    struct spline splines[MAX_TABLES];
    int tables;
};

/* ---- arithmetic ---- */

static struct dual negate(const struct dual *a) {
    return (struct dual){ -a->v, -a->d, -a->dd, a->error };
}

static struct dual sum_of(const struct dual *a, const struct dual *b) {
    struct dual sum = { .v = a->v + b->v, .d = a->d + b->d, .dd = a->dd + b->dd };
    sum.error = a->error + b->error + fabsl(sum.v);
    return sum;
}

static struct dual product_of(const struct dual *a, const struct dual *b) {
    struct dual product = { .v = a->v * b->v,
                            .d = a->d * b->v + a->v * b->d,
                            .dd = a->dd * b->v + 2.0L * a->d * b->d + a->v * b->dd };
    product.error = fabsl(a->v) * b->error + fabsl(b->v) * a->error + fabsl(product.v);
    return product;
}

/* f(a), of which f and its first two derivatives are known. */
static struct dual chain(const struct dual *a, long double f, long double f1, long double f2) {
    struct dual value = { .v = f, .d = 0.0L, .dd = 0.0L };
    if (a->d != 0.0L || a->dd != 0.0L) { /* a constant stays one where f1 is infinite */
        value.d = f1 * a->d;
        value.dd = f2 * a->d * a->d + f1 * a->dd;
    }
    value.error = 2.0L * fabsl(f) + (a->error != 0.0L ? fabsl(f1) * a->error : 0.0L);
    return value;
}

static struct dual do_add(const struct dual *x) {
    return sum_of(&x[0], &x[1]);
}

static struct dual do_subtract(const struct dual *x) {
    const struct dual minus = negate(&x[1]);
    return sum_of(&x[0], &minus);
}

static struct dual do_negate(const struct dual *x) {
    return negate(x);
}

static struct dual do_multiply(const struct dual *x) {
    return product_of(&x[0], &x[1]);
}

static struct dual do_divide(const struct dual *x) {
    const long double inverse = 1.0L / x[1].v;
    struct dual reciprocal =
        chain(&x[1], inverse, -inverse * inverse, 2.0L * inverse * inverse * inverse);
    reciprocal.error -= fabsl(inverse); /* it is rounded once, not twice */
    return product_of(&x[0], &reciprocal);
}

static long double whole_power(long double base, long exponent) {
    long double power = 1.0L;
    const bool inverse = exponent < 0;
    for (long left = inverse ? -exponent : exponent; left > 0; left /= 2) {
        power *= left % 2 ? base : 1.0L;
        base *= base;
    }
    return inverse ? 1.0L / power : power;
}

static long double power_of(long double base, long double exponent) {
    const long double most = 1024.0L;
    return exponent == rintl(exponent) && fabsl(exponent) <= most
               ? whole_power(base, (long)exponent)
               : powl(base, exponent);
}

static struct dual do_exp(const struct dual *x) {
    const long double e = expl(x->v);
    return chain(x, e, e, e);
}

static struct dual do_log(const struct dual *x) {
    return chain(x, logl(x->v), 1.0L / x->v, -1.0L / (x->v * x->v));
}

/* a^b; where b is a constant, negative bases have whole powers. */
static struct dual do_power(const struct dual *x) {
    const long double a = x[0].v;
    const long double b = x[1].v;
    if (x[1].d == 0.0L && x[1].dd == 0.0L) {
        const long double f1 = b == 0.0L ? 0.0L : b * power_of(a, b - 1.0L);
        const long double f2 =
            b == 0.0L || b == 1.0L ? 0.0L : b * (b - 1.0L) * power_of(a, b - 2.0L);
        struct dual power = chain(&x[0], power_of(a, b), f1, f2);
        if (x[1].error != 0.0L && a > 0.0L) { /* an exponent that is rounded */
            power.error += fabsl(power.v * logl(a)) * x[1].error;
        }
        return power;
    }
    const struct dual logarithm = do_log(&x[0]);
    const struct dual exponent = product_of(&logarithm, &x[1]);
    return do_exp(&exponent);
}

static struct dual do_sqrt(const struct dual *x) {
    const long double root = sqrtl(x->v);
    return chain(x, root, 0.5L / root, -0.25L / (root * x->v));
}

static struct dual do_sin(const struct dual *x) {
    return chain(x, sinl(x->v), cosl(x->v), -sinl(x->v));
}

static struct dual do_cos(const struct dual *x) {
    return chain(x, cosl(x->v), -sinl(x->v), -cosl(x->v));
}

static struct dual do_tan(const struct dual *x) {
    const long double t = tanl(x->v);
    return chain(x, t, 1.0L + t * t, 2.0L * t * (1.0L + t * t));
}

static struct dual do_asin(const struct dual *x) {
    const long double w = 1.0L - x->v * x->v;
    return chain(x, asinl(x->v), 1.0L / sqrtl(w), x->v / (w * sqrtl(w)));
}

static struct dual do_acos(const struct dual *x) {
    const long double w = 1.0L - x->v * x->v;
    return chain(x, acosl(x->v), -1.0L / sqrtl(w), -x->v / (w * sqrtl(w)));
}

static struct dual do_atan(const struct dual *x) {
    const long double w = 1.0L + x->v * x->v;
    return chain(x, atanl(x->v), 1.0L / w, -2.0L * x->v / (w * w));
}

static struct dual do_sinh(const struct dual *x) {
    return chain(x, sinhl(x->v), coshl(x->v), sinhl(x->v));
}

static struct dual do_cosh(const struct dual *x) {
    return chain(x, coshl(x->v), sinhl(x->v), coshl(x->v));
}

static struct dual do_tanh(const struct dual *x) {
    const long double t = tanhl(x->v);
    return chain(x, t, 1.0L - t * t, -2.0L * t * (1.0L - t * t));
}

/* The bell under erf and erfc. */
static long double bell(long double x) {
    return 2.0L / sqrtl(acosl(-1.0L)) * expl(-x * x);
}

static struct dual do_erf(const struct dual *x) {
    return chain(x, erfl(x->v), bell(x->v), -2.0L * x->v * bell(x->v));
}

static struct dual do_erfc(const struct dual *x) {
    return chain(x, erfcl(x->v), -bell(x->v), 2.0L * x->v * bell(x->v));
}

static struct dual do_abs(const struct dual *x) {
    return x->v < 0.0L ? negate(x) : *x;
}

static struct dual do_floor(const struct dual *x) {
    return (struct dual){ .v = floorl(x->v) };
}

static struct dual do_ceil(const struct dual *x) {
    return (struct dual){ .v = ceill(x->v) };
}

static struct dual do_step(const struct dual *x) {
    return (struct dual){ .v = x->v < 0.0L ? 0.0L : 1.0L };
}

static struct dual do_delta(const struct dual *x) {
    return (struct dual){ .v = x->v == 0.0L ? 1.0L : 0.0L };
}

static struct dual do_min(const struct dual *x) {
    return x[1].v < x[0].v ? x[1] : x[0];
}

static struct dual do_max(const struct dual *x) {
    return x[1].v > x[0].v ? x[1] : x[0];
}

static struct dual do_select(const struct dual *x) {
    return x[0].v == 0.0L ? x[2] : x[1];
}

static const struct {
    const char *name;
    int arguments;
    step_of *apply;
} functions[] = {
    { "sqrt", 1, do_sqrt },   { "exp", 1, do_exp },       { "log", 1, do_log },
    { "sin", 1, do_sin },     { "cos", 1, do_cos },       { "tan", 1, do_tan },
    { "asin", 1, do_asin },   { "acos", 1, do_acos },     { "atan", 1, do_atan },
    { "sinh", 1, do_sinh },   { "cosh", 1, do_cosh },     { "tanh", 1, do_tanh },
    { "erf", 1, do_erf },     { "erfc", 1, do_erfc },     { "abs", 1, do_abs },
    { "floor", 1, do_floor }, { "ceil", 1, do_ceil },     { "step", 1, do_step },
    { "delta", 1, do_delta }, { "min", 2, do_min },       { "max", 2, do_max },
    { "pow", 2, do_power },   { "select", 3, do_select },
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- reading ---- */

/* What stands behind a name's '='. */
struct meaning {
    const char *name;
    size_t length;
    const char *words;
    int step;             /* where it is worked out; -1: not yet */
    int parameter, table; /* -1: it is none */
    bool open;            /* being worked out */
};

struct tokens {
    const char *at;
    struct walk *walk;
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

static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalpha((unsigned char)at[length]) || at[length] == '_' ||
           (length > 0 && isdigit((unsigned char)at[length]))) {
        length++;
    }
    return length;
}

static int put(struct tokens *tokens, struct step step) {
    struct walk *walk = tokens->walk;
    if (tokens->failed || walk->count == MAX_STEPS) {
        return fail_reading(tokens);
    }
    walk->steps[walk->count] = step;
    return walk->count++;
}

static int put_two(struct tokens *tokens, step_of *apply, int a, int b) {
    return put(tokens, (struct step){ .apply = apply, .argument = { a, b } });
}

static int read_terms(struct tokens *tokens);
static int read_signed(struct tokens *tokens);

static int read_function(struct tokens *tokens, const char *name, size_t length) {
    for (int f = 0; f < FUNCTIONS; f++) {
        if (strlen(functions[f].name) == length && strncmp(functions[f].name, name, length) == 0) {
            struct step step = { .apply = functions[f].apply };
            for (int k = 0; k < functions[f].arguments; k++) {
                if (k > 0 && !pass(tokens, ',')) {
                    return fail_reading(tokens);
                }
                step.argument[k] = read_terms(tokens);
            }
            return pass(tokens, ')') ? put(tokens, step) : fail_reading(tokens);
        }
    }
    for (int m = 0; m < tokens->count; m++) {
        const struct meaning *meaning = &tokens->meanings[m];
        if (meaning->table >= 0 && meaning->length == length &&
            strncmp(meaning->name, name, length) == 0) {
            const struct step step = { .spline = &tokens->walk->splines[meaning->table],
                                       .argument = { read_terms(tokens) } };
            return pass(tokens, ')') ? put(tokens, step) : fail_reading(tokens);
        }
    }
    return fail_reading(tokens);
}

/* What a definition comes to, worked out once. */
static int read_meaning(struct tokens *tokens, struct meaning *meaning) {
    if (meaning->table >= 0) {
        return fail_reading(tokens);
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
    if (length == 1 && *name == 'r') {
        return put(tokens, (struct step){ .leaf = LEAF_DISTANCE });
    }
    if (length == 2 && *name == 'q' && (name[1] == '1' || name[1] == '2')) {
        tokens->walk->charged = true;
        return put(tokens, (struct step){ .leaf = LEAF_CHARGE, .which = name[1] == '2' });
    }
    for (int m = 0; m < tokens->count; m++) {
        struct meaning *meaning = &tokens->meanings[m];
        if (meaning->length == length && strncmp(meaning->name, name, length) == 0) {
            return read_meaning(tokens, meaning);
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
        result = put(tokens, (struct step){ .apply = do_negate, .argument = { inner } });
    } else {
        result = read_primary(tokens);
        if (pass(tokens, '^')) {
            result = put_two(tokens, do_power, result, read_signed(tokens));
        }
    }
    tokens->levels--;
    return result;
}

static int read_factors(struct tokens *tokens) {
    int result = read_signed(tokens);
    while (!tokens->failed) {
        if (pass(tokens, '*')) {
            result = put_two(tokens, do_multiply, result, read_signed(tokens));
        } else if (pass(tokens, '/')) {
            result = put_two(tokens, do_divide, result, read_signed(tokens));
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
            result = put_two(tokens, do_add, result, read_factors(tokens));
        } else if (pass(tokens, '-')) {
            result = put_two(tokens, do_subtract, result, read_factors(tokens));
        } else {
            break;
        }
    }
    return result;
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
    pass_space(&tokens);
    const size_t length = word_length(tokens.at);
    *mixing = PAIR_UNMIXED;
    if (length == strlen("arithmetic") && strncmp(tokens.at, "arithmetic", length) == 0) {
        *mixing = PAIR_LORENTZ;
    } else if (length == strlen("geometric") && strncmp(tokens.at, "geometric", length) == 0) {
        *mixing = PAIR_BERTHELOT;
    } else if (length > 0) {
        return false;
    }
    tokens.at += length;
    pass_space(&tokens);
    return *tokens.at == ';' || *tokens.at == '\0';
}

/* The word, and the name of a file in quotes. */
static bool is_table(const char *words) {
    struct tokens tokens = { .at = words };
    pass_space(&tokens);
    const size_t length = word_length(tokens.at);
    if (length != strlen("table") || strncmp(tokens.at, "table", length) != 0) {
        return false;
    }
    tokens.at += length;
    return pass(&tokens, '"');
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
                                     .table = -1 };
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
            is_parameter(meaning->words, &tokens->walk->mixing[tokens->walk->parameters])) {
            meaning->parameter = tokens->walk->parameters++;
            tokens->failed = tokens->walk->parameters == PAIR_MAX_PARAMETERS;
        } else if (counts && tokens->count > 0 && is_table(meaning->words)) {
            meaning->table = tokens->walk->tables++;
            tokens->failed = tokens->walk->tables > MAX_TABLES;
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
    bool agree = tokens->walk->parameters == function->count;
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

static long double turn_of(const struct step *step, const struct dual *x);

/* ---- tables ---- */

static bool spline_allocate(struct spline *spline, size_t lines) {
    spline->x = calloc(lines, sizeof *spline->x);
    spline->y = calloc(lines, sizeof *spline->y);
    spline->bend = calloc(lines, sizeof *spline->bend);
    return spline->x && spline->y && spline->bend;
}

/* A line has two numbers, or nothing before a comment. */
static void spline_read(struct spline *spline, const char *text) {
    for (const char *line = text; *line; line += *line == '\n') {
        char *end;
        const size_t length = strcspn(line, "#\n");
        const double x = strtod(line, &end);
        if (end != line && end <= line + length) {
            const char *next = end + strspn(end, " \t,");
            spline->x[spline->count] = x;
            spline->y[spline->count++] = strtod(next, NULL);
        }
        line += strcspn(line, "\n");
    }
}

/* Second derivatives: continuous first ones, 0 at the ends; by relaxation, which the dominance of
 * the diagonal makes halve what is left at each sweep at least. */
static void spline_bend(struct spline *spline) {
    const long double *x = spline->x;
    const long double *y = spline->y;
    for (int sweep = 0; sweep < 100; sweep++) {
        for (int k = 1; k < spline->count - 1; k++) {
            const long double below = x[k] - x[k - 1];
            const long double above = x[k + 1] - x[k];
            const long double jump = (y[k + 1] - y[k]) / above - (y[k] - y[k - 1]) / below;
            spline->bend[k] =
                (6.0L * jump - below * spline->bend[k - 1] - above * spline->bend[k + 1]) /
                (2.0L * (below + above));
        }
    }
}

static bool make_splines(struct walk *walk, const struct interaction *interaction) {
    bool made = walk->tables == interaction->expression_table_count;
    for (int t = 0; made && t < walk->tables; t++) {
        const char *text = interaction->expression_tables[t];
        size_t lines = 1;
        for (const char *c = text; *c; c++) {
            lines += *c == '\n';
        }
        made = spline_allocate(&walk->splines[t], lines);
        if (made) {
            spline_read(&walk->splines[t], text);
            made = walk->splines[t].count > 2;
        }
        if (made) {
            spline_bend(&walk->splines[t]);
        }
    }
    return made;
}

/* How wide the steps of a table are tells how errors of its argument show. */
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
    const long double *m = spline->bend + low;
    const long double f =
        s * y[0] + t * y[1] + h * h / 6.0L * ((s * s * s - s) * m[0] + (t * t * t - t) * m[1]);
    const long double f1 = (y[1] - y[0]) / h +
                           h / 6.0L * ((3.0L * t * t - 1.0L) * m[1] - (3.0L * s * s - 1.0L) * m[0]);
    struct dual value = chain(a, f, f1, s * m[0] + t * m[1]);
    value.error += fabsl(y[0]) + fabsl(y[1]);
    return value;
}

bool walk_read(const char *words, const struct interaction *interaction,
               const struct interaction_function *function, struct walk **walk,
               struct error *error) {
    struct meaning meanings[MAX_NAMES] = { 0 };
    struct walk *made = calloc(1, sizeof *made);
    *walk = NULL;
    if (!made || !(made->steps = malloc(MAX_STEPS * sizeof *made->steps))) {
        walk_free(made);
        return fail_out_of_memory(error, "the reference of an expression");
    }
    struct tokens tokens = { .at = words, .walk = made, .meanings = meanings };
    list_meanings(&tokens);
    if (!tokens.failed && tokens.count > 0) {
        const int last = read_meaning(&tokens, &meanings[0]);
        tokens.failed =
            tokens.failed || last != made->count - 1 || !make_splines(made, interaction);
    }
    if (tokens.failed || !names_agree(&tokens, interaction, function)) {
        walk_free(made);
        return fail(error, STATUS_UNSUPPORTED, "the reference does not understand the expression");
    }
    for (int s = 0; s < made->count; s++) {
        const struct step *step = &made->steps[s];
        const struct dual zero[ARGUMENTS] = { 0 };
        made->turns = made->turns || step->spline ||
                      (step->leaf == LEAF_NONE && isfinite(turn_of(step, zero)));
    }
    *walk = made;
    return true;
}

void walk_free(struct walk *walk) {
    if (walk) {
        for (int t = 0; t < MAX_TABLES; t++) {
            free(walk->splines[t].x);
            free(walk->splines[t].y);
            free(walk->splines[t].bend);
        }
        free(walk->steps);
        free(walk);
    }
}

enum pair_mixing walk_mixing(const struct walk *walk, int parameter) {
    return walk->mixing[parameter];
}

bool walk_turns(const struct walk *walk) {
    return walk->turns;
}

bool walk_is_charged(const struct walk *walk) {
    return walk->charged;
}

/* ---- walking ---- */

/* A constant that float holds is exact in every precision. */
static struct dual constant(long double value) {
    const bool exact = (long double)(float)value == value;
    return (struct dual){ .v = value, .error = exact ? 0.0L : fabsl(value) };
}

static struct dual leaf_of(const struct step *step, const double *parameter,
                           const struct pair *pair, long double r) {
    switch (step->leaf) {
    case LEAF_DISTANCE:
        return (struct dual){ .v = r, .d = 1.0L };
    case LEAF_CHARGE:
        return constant(pair->charge[step->which]);
    case LEAF_PARAMETER:
        return constant(parameter[step->which]);
    default:
        return constant(step->number);
    }
}

/* How far a value that turns at a whole number, at 0, or at the end of a table is from there. */
static long double turn_of(const struct step *step, const struct dual *x) {
    if (step->spline) {
        const long double from = x->v - step->spline->x[0];
        const long double to = x->v - step->spline->x[step->spline->count - 1];
        return fabsl(from) < fabsl(to) ? from : to;
    }
    if (step->apply == do_step || step->apply == do_abs) {
        return x->v;
    }
    if (step->apply == do_min || step->apply == do_max) {
        return x[0].v - x[1].v;
    }
    return step->apply == do_floor || step->apply == do_ceil ? x->v - rintl(x->v) : INFINITY;
}

/* The nearest distance at which a step turns, to first order; *nearest is how far it is. */
static void find_corner(const struct step *step, const struct dual *x, long double r,
                        long double *nearest, double *corner) {
    const bool two = step->apply == do_min || step->apply == do_max;
    const long double turn = turn_of(step, x);
    const long double slope = two ? x[0].d - x[1].d : x->d;
    const long double gap = slope != 0.0L ? -turn / slope : INFINITY;
    if (fabsl(gap) < *nearest && r + gap > 0.0L) {
        *nearest = fabsl(gap);
        *corner = (double)(r + gap);
    }
}

/* Errors of the value in units of roundoff, of those that a tolerance has for |u| and r |f| anyway
 * (tolerances.h): what is beyond goes into `lean`. The errors found are the worst that could be, of
 * the words as they stand; those of kernels are a quarter of that at most. */
static double lean_of(const struct dual *u, long double r) {
    const long double found = 0.25L * u->error;
    const long double allowed = 8.0L * fabsl(u->v) + 2.0L * r * fabsl(u->d);
    return found > allowed ? (double)(0.5L * (found - allowed)) : 0.0;
}

void walk_evaluate(const struct walk *walk, const double *parameter, const struct pair *pair,
                   struct pair_value *value) {
    struct dual few[256];
    struct dual *found = walk->count <= 256 ? few : malloc((size_t)walk->count * sizeof *found);
    const long double r = pair->r2 > 0.0 ? sqrtl((long double)pair->r2) : next_to_zero;
    if (!found) {
        *value = (struct pair_value){ .energy = NAN, .over_r = NAN, .slope = NAN };
        return;
    }
    long double nearest = INFINITY;
    value->corner = 0.0;
    for (int s = 0; s < walk->count; s++) {
        const struct step *step = &walk->steps[s];
        if (step->leaf != LEAF_NONE) {
            found[s] = leaf_of(step, parameter, pair, r);
        } else {
            const struct dual arguments[ARGUMENTS] = { found[step->argument[0]],
                                                       found[step->argument[1]],
                                                       found[step->argument[2]] };
            found[s] = step->spline ? look_up(step->spline, &arguments[0]) : step->apply(arguments);
            if (walk->turns) {
                find_corner(step, arguments, r, &nearest, &value->corner);
            }
        }
    }
    const struct dual *u = &found[walk->count - 1];
    value->energy = (double)u->v;
    value->over_r = (double)(-u->d / r);
    value->slope = (double)-u->dd;
    value->lean = lean_of(u, r);
    if (found != few) {
        free(found);
    }
}
