#include "kernels/expressions/expression_parts.h"

#include "kernels/expressions/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 8000, MAX_TERMS = 512 };

/* ---- nodes ---- */

void algebra_free(struct algebra *algebra) {
    for (int n = 0; n < algebra->count; n++) {
        free(algebra->nodes[n].terms);
    }
    free(algebra->nodes);
    *algebra = (struct algebra){ 0 };
}

static bool same(const struct algebra_node *a, const struct algebra_node *b) {
    if (a->kind != b->kind || a->index != b->index || a->count != b->count ||
        memcmp(&a->value, &b->value, sizeof a->value) != 0) {
        return false;
    }
    for (int t = 0; t < a->count; t++) {
        if (a->terms[t].node != b->terms[t].node || a->terms[t].factor != b->terms[t].factor) {
            return false;
        }
    }
    return true;
}

static bool grow(struct algebra *algebra) {
    if (algebra->count < algebra->capacity) {
        return true;
    }
    const int capacity = algebra->capacity ? 2 * algebra->capacity : 256;
    struct algebra_node *grown =
        algebra->count < MAX_NODES
            ? realloc(algebra->nodes, (size_t)capacity * sizeof *algebra->nodes)
            : NULL;
    if (!grown) {
        algebra->failed = true;
        algebra->no_memory = algebra->count < MAX_NODES;
        return false;
    }
    algebra->nodes = grown;
    algebra->capacity = capacity;
    return true;
}

/* The node like this one, which is added where there is none. */
static int find_node(struct algebra *algebra, const struct algebra_node *wanted) {
    for (int n = 0; n < algebra->count; n++) {
        if (same(&algebra->nodes[n], wanted)) {
            return n;
        }
    }
    if (algebra->failed || !grow(algebra)) {
        return 0;
    }
    struct algebra_node added = *wanted;
    added.derivative = -1;
    added.terms = NULL;
    if (wanted->count > 0) {
        added.terms = malloc((size_t)wanted->count * sizeof *added.terms);
        if (!added.terms) {
            algebra->failed = algebra->no_memory = true;
            return 0;
        }
        memcpy(added.terms, wanted->terms, (size_t)wanted->count * sizeof *added.terms);
    }
    algebra->nodes[algebra->count] = added;
    return algebra->count++;
}

int algebra_number(struct algebra *algebra, double value) {
    const struct algebra_node node = { .kind = ALGEBRA_NUMBER,
                                       .value = value == 0.0 ? 0.0 : value };
    return find_node(algebra, &node);
}

int algebra_leaf(struct algebra *algebra, enum algebra_kind kind, int index) {
    const struct algebra_node node = { .kind = kind, .index = index };
    return find_node(algebra, &node);
}

static bool is_number(const struct algebra *algebra, int node, double *value) {
    *value = algebra->nodes[node].value;
    return algebra->nodes[node].kind == ALGEBRA_NUMBER;
}

/* ---- lists of terms ---- */

struct terms {
    struct algebra_term items[MAX_TERMS];
    int count;
    double value; /* what is added, or the coefficient */
};

/* Adds to the factor of the node, at its place in order; one that comes to 0 is let go. */
static void take_term(struct algebra *algebra, struct terms *terms, int node, double factor) {
    int place = 0;
    while (place < terms->count && terms->items[place].node < node) {
        place++;
    }
    if (place < terms->count && terms->items[place].node == node) {
        terms->items[place].factor += factor;
        if (terms->items[place].factor == 0.0) {
            terms->count--;
            memmove(&terms->items[place], &terms->items[place + 1],
                    (size_t)(terms->count - place) * sizeof terms->items[0]);
        }
        return;
    }
    if (terms->count == MAX_TERMS) {
        algebra->failed = true;
        return;
    }
    memmove(&terms->items[place + 1], &terms->items[place],
            (size_t)(terms->count - place) * sizeof terms->items[0]);
    terms->items[place] = (struct algebra_term){ node, factor };
    terms->count++;
}

/* ---- products ---- */

static int make_product(struct algebra *algebra, struct terms *terms) {
    if (terms->value == 0.0) {
        return algebra_number(algebra, 0.0);
    }
    if (terms->count == 0) {
        return algebra_number(algebra, terms->value);
    }
    if (terms->value == 1.0 && terms->count == 1 && terms->items[0].factor == 1.0) {
        return terms->items[0].node;
    }
    const struct algebra_node node = {
        .kind = ALGEBRA_PRODUCT, .value = terms->value, .count = terms->count, .terms = terms->items
    };
    return find_node(algebra, &node);
}

static bool is_whole(double x) {
    return x == rint(x);
}

static void take_factor(struct algebra *algebra, struct terms *terms, int base, double exponent);

/* Whether the node is r^2 or a parameter: these factors of a product come first. */
static bool is_plain(const struct algebra *algebra, int node) {
    const enum algebra_kind kind = algebra->nodes[node].kind;
    return kind == ALGEBRA_SQUARE || kind == ALGEBRA_PARAMETER;
}

static bool has_root(const struct algebra *algebra, const struct terms *plain) {
    for (int t = 0; t < plain->count; t++) {
        if (algebra->nodes[plain->items[t].node].kind == ALGEBRA_SQUARE &&
            !is_whole(plain->items[t].factor)) {
            return true;
        }
    }
    return false;
}

/* A power of plain factors: see expression_parts.h. A negative exponent becomes positive by
 * inverting the base; an even power of a base with a root of r^2 becomes half that power of its
 * square. */
static void take_plain_power(struct algebra *algebra, struct terms *terms,
                             const struct terms *plain, double exponent) {
    if (plain->count == 1 && plain->value == 1.0) {
        take_factor(algebra, terms, plain->items[0].node, plain->items[0].factor * exponent);
        return;
    }
    const double times = fmod(exponent, 2.0) == 0.0 && has_root(algebra, plain) ? 2.0 : 1.0;
    const double turned = exponent < 0.0 ? -times : times;
    struct terms inner = { .value = pow(plain->value, turned) };
    for (int t = 0; t < plain->count; t++) {
        take_term(algebra, &inner, plain->items[t].node, plain->items[t].factor * turned);
    }
    const double left = exponent / turned;
    const int base = make_product(algebra, &inner);
    if (left == 1.0 || algebra->nodes[base].kind != ALGEBRA_PRODUCT) {
        take_factor(algebra, terms, base, left);
    } else {
        take_term(algebra, terms, base, left);
    }
}

/* (value a^p b^q ...)^exponent, a whole number. */
static void take_product_power(struct algebra *algebra, struct terms *terms, int base,
                               double exponent) {
    struct terms plain = { .value = algebra->nodes[base].value };
    const int count = algebra->nodes[base].count;
    for (int t = 0; t < count; t++) {
        const struct algebra_term term = algebra->nodes[base].terms[t];
        if (is_plain(algebra, term.node)) {
            take_term(algebra, &plain, term.node, term.factor);
        } else if (is_whole(term.factor) || exponent == 1.0) {
            take_term(algebra, terms, term.node, term.factor * exponent);
        } else { /* sqrt(a)^2 is a */
            take_factor(algebra, terms, term.node, term.factor * exponent);
        }
    }
    if (plain.count == 0) {
        terms->value *= pow(plain.value, exponent);
    } else if (exponent == 1.0) {
        terms->value *= plain.value;
        for (int t = 0; t < plain.count; t++) {
            take_term(algebra, terms, plain.items[t].node, plain.items[t].factor);
        }
    } else {
        take_plain_power(algebra, terms, &plain, exponent);
    }
}

/* Whether the node is a power of r times a number greater than 0. */
static bool is_power_of_r(const struct algebra *algebra, int node) {
    const struct algebra_node *product = &algebra->nodes[node];
    return product->kind == ALGEBRA_PRODUCT && product->value > 0.0 && product->count == 1 &&
           algebra->nodes[product->terms[0].node].kind == ALGEBRA_SQUARE;
}

/* Whether the factors of a product are raised one by one. Those of ((r + 1)/(r + 2))^50 are not:
 * each power could overflow where that of their quotient does not. Those with roots are, for
 * (x sqrt(y))^4 has a slope at y = 0 only as x^4 y^2. */
static bool comes_apart(const struct algebra *algebra, int base, double exponent) {
    const struct algebra_node *product = &algebra->nodes[base];
    const double squared = 2.0;
    bool apart = fabs(exponent) <= squared;
    bool all_plain = true;
    for (int t = 0; t < product->count; t++) {
        apart = apart || !is_whole(product->terms[t].factor);
        all_plain = all_plain && is_plain(algebra, product->terms[t].node);
    }
    return apart || all_plain;
}

static void take_factor(struct algebra *algebra, struct terms *terms, int base, double exponent) {
    double value;
    if (algebra->failed || exponent == 0.0) {
        return;
    }
    if (is_number(algebra, base, &value)) {
        terms->value *= pow(value, exponent);
    } else if (is_power_of_r(algebra, base) && (!is_whole(exponent) || fabs(exponent) == 1.0 ||
                                                algebra->nodes[base].value == 1.0)) {
        const struct algebra_term inner = algebra->nodes[base].terms[0];
        terms->value *= pow(algebra->nodes[base].value, exponent);
        take_term(algebra, terms, inner.node, inner.factor * exponent);
    } else if (algebra->nodes[base].kind == ALGEBRA_PRODUCT && is_whole(exponent) &&
               comes_apart(algebra, base, exponent)) {
        take_product_power(algebra, terms, base, exponent);
    } else {
        take_term(algebra, terms, base, exponent);
    }
}

int algebra_multiply(struct algebra *algebra, int a, int b) {
    struct terms terms = { .value = 1.0 };
    take_factor(algebra, &terms, a, 1.0);
    take_factor(algebra, &terms, b, 1.0);
    return make_product(algebra, &terms);
}

int algebra_power(struct algebra *algebra, int base, double exponent) {
    struct terms terms = { .value = 1.0 };
    take_factor(algebra, &terms, base, exponent);
    return make_product(algebra, &terms);
}

int algebra_raise(struct algebra *algebra, int base, int exponent) {
    double value;
    if (is_number(algebra, exponent, &value)) {
        return algebra_power(algebra, base, value);
    }
    struct algebra_term terms[2] = { { base, 1.0 }, { exponent, 1.0 } };
    const struct algebra_node node = { .kind = ALGEBRA_POWER, .count = 2, .terms = terms };
    return find_node(algebra, &node);
}

/* ---- sums ---- */

/* The exponent of `base` in a term of a sum. */
static double exponent_in(const struct algebra *algebra, int node, int base) {
    const struct algebra_node *product = &algebra->nodes[node];
    if (node == base) {
        return 1.0;
    }
    for (int t = 0; product->kind == ALGEBRA_PRODUCT && t < product->count; t++) {
        if (product->terms[t].node == base) {
            return product->terms[t].factor;
        }
    }
    return 0.0;
}

/* What all terms have of one base: the smaller power; 0 where they do not agree in sign. */
static double common_exponent(const struct algebra *algebra, const struct terms *terms, int base) {
    double least = exponent_in(algebra, terms->items[0].node, base);
    const double steps =
        algebra->nodes[base].kind == ALGEBRA_SQUARE ? 2.0 : 1.0; /* r goes before, too */
    for (int t = 1; t < terms->count; t++) {
        const double exponent = exponent_in(algebra, terms->items[t].node, base);
        if (exponent * least <= 0.0 || !is_whole(steps * (exponent - least))) {
            return 0.0;
        }
        least = fabs(exponent) < fabs(least) ? exponent : least;
    }
    return least;
}

/* The product of what all terms have in common; the number 1: nothing. */
static int common_factor(struct algebra *algebra, const struct terms *terms) {
    struct terms common = { .value = 1.0 };
    const int first = terms->items[0].node;
    if (algebra->nodes[first].kind != ALGEBRA_PRODUCT) {
        const double exponent = common_exponent(algebra, terms, first);
        if (exponent != 0.0) {
            take_term(algebra, &common, first, exponent);
        }
        return make_product(algebra, &common);
    }
    for (int t = 0; t < algebra->nodes[first].count; t++) {
        const int base = algebra->nodes[first].terms[t].node;
        const double exponent = common_exponent(algebra, terms, base);
        if (exponent != 0.0) {
            take_term(algebra, &common, base, exponent);
        }
    }
    return make_product(algebra, &common);
}

static void take_summand(struct algebra *algebra, struct terms *terms, int node, double factor) {
    const struct algebra_node *summand = &algebra->nodes[node];
    if (factor == 0.0) {
        return;
    }
    if (summand->kind == ALGEBRA_NUMBER) {
        terms->value += factor * summand->value;
    } else if (summand->kind == ALGEBRA_SUM) {
        const int count = summand->count;
        terms->value += factor * summand->value;
        for (int t = 0; t < count; t++) {
            const struct algebra_term term = algebra->nodes[node].terms[t];
            take_term(algebra, terms, term.node, factor * term.factor);
        }
    } else if (summand->kind == ALGEBRA_PRODUCT && summand->value != 1.0) {
        const double own = summand->value;
        struct terms bare = { .value = 1.0 };
        for (int t = 0; t < algebra->nodes[node].count; t++) {
            const struct algebra_term term = algebra->nodes[node].terms[t];
            take_term(algebra, &bare, term.node, term.factor);
        }
        const int inner = make_product(algebra, &bare);
        take_summand(algebra, terms, inner, factor * own);
    } else {
        take_term(algebra, terms, node, factor);
    }
}

static int make_sum(struct algebra *algebra, struct terms *terms);

/* common * (sum of what is left of the terms) */
static int make_factored(struct algebra *algebra, const struct terms *terms, int common) {
    const int inverse = algebra_power(algebra, common, -1.0);
    struct terms rest = { .value = 0.0 };
    for (int t = 0; t < terms->count; t++) {
        take_summand(algebra, &rest, algebra_multiply(algebra, terms->items[t].node, inverse),
                     terms->items[t].factor);
    }
    return algebra_multiply(algebra, common, make_sum(algebra, &rest));
}

static int make_sum(struct algebra *algebra, struct terms *terms) {
    if (algebra->failed) {
        return 0;
    }
    if (terms->count == 0) {
        return algebra_number(algebra, terms->value);
    }
    if (terms->count == 1 && terms->value == 0.0) {
        const int factor = algebra_number(algebra, terms->items[0].factor);
        return algebra_multiply(algebra, factor, terms->items[0].node);
    }
    if (terms->value == 0.0) {
        double value;
        const int common = common_factor(algebra, terms);
        if (!algebra->failed && !is_number(algebra, common, &value)) {
            return make_factored(algebra, terms, common);
        }
    }
    const struct algebra_node node = {
        .kind = ALGEBRA_SUM, .value = terms->value, .count = terms->count, .terms = terms->items
    };
    return find_node(algebra, &node);
}

int algebra_add(struct algebra *algebra, int a, double factor_a, int b, double factor_b) {
    struct terms terms = { .value = 0.0 };
    take_summand(algebra, &terms, a, factor_a);
    take_summand(algebra, &terms, b, factor_b);
    return make_sum(algebra, &terms);
}

/* ---- calls ---- */

static double call_of_numbers(int function, const double *x) {
    static double (*const of_one[FUNCTION_COUNT])(double) = {
        [FUNCTION_EXP] = exp,   [FUNCTION_LOG] = log,   [FUNCTION_SIN] = sin,
        [FUNCTION_COS] = cos,   [FUNCTION_TAN] = tan,   [FUNCTION_ASIN] = asin,
        [FUNCTION_ACOS] = acos, [FUNCTION_ATAN] = atan, [FUNCTION_SINH] = sinh,
        [FUNCTION_COSH] = cosh, [FUNCTION_TANH] = tanh, [FUNCTION_ERF] = erf,
        [FUNCTION_ERFC] = erfc, [FUNCTION_ABS] = fabs,  [FUNCTION_FLOOR] = floor,
        [FUNCTION_CEIL] = ceil,
    };
    static double (*const of_two[FUNCTION_COUNT])(double, double) = {
        [FUNCTION_ATAN2] = atan2, [FUNCTION_MIN] = fmin, [FUNCTION_MAX] = fmax
    };
    if (function == FUNCTION_STEP || function == FUNCTION_DELTA) {
        return function == FUNCTION_STEP ? x[0] >= 0.0 : x[0] == 0.0;
    }
    return of_one[function]   ? of_one[function](x[0])
           : of_two[function] ? of_two[function](x[0], x[1])
                              : NAN;
}

int algebra_call(struct algebra *algebra, int function, const int *operands, int count) {
    struct algebra_term terms[EXPRESSION_MAX_OPERANDS];
    double values[EXPRESSION_MAX_OPERANDS] = { 0.0 };
    bool numbers = true;
    for (int k = 0; k < count; k++) {
        terms[k] = (struct algebra_term){ operands[k], 1.0 };
        numbers = is_number(algebra, operands[k], &values[k]) && numbers;
    }
    if (function == FUNCTION_SELECT) {
        double condition;
        if (is_number(algebra, operands[0], &condition)) {
            return condition == 0.0 ? operands[2] : operands[1];
        }
        if (operands[1] == operands[2]) {
            return operands[1];
        }
    } else if (numbers && function < FUNCTION_COUNT) {
        return algebra_number(algebra, call_of_numbers(function, values));
    }
    if ((function == FUNCTION_MIN || function == FUNCTION_MAX) && operands[1] < operands[0]) {
        terms[0].node = operands[1];
        terms[1].node = operands[0];
    }
    const struct algebra_node node = {
        .kind = ALGEBRA_CALL, .index = function, .count = count, .terms = terms
    };
    return find_node(algebra, &node);
}

/* ---- numbers ---- */

/* A table is evaluated as some other function: all that matters is whether two arguments are the
 * same. */
static double call_value(const struct algebra_node *node, const double *values) {
    double x[EXPRESSION_MAX_OPERANDS] = { 0.0 };
    for (int t = 0; t < node->count; t++) {
        x[t] = values[node->terms[t].node];
    }
    if (node->index == FUNCTION_SELECT) {
        return x[0] == 0.0 ? x[2] : x[1];
    }
    return node->index < FUNCTION_COUNT ? call_of_numbers(node->index, x) : sin(x[0] + node->index);
}

static double node_value(const struct algebra_node *node, double r2, const double charge[2],
                         const double *values) {
    double value = node->value;
    switch (node->kind) {
    case ALGEBRA_PARAMETER: /* whatever it is, it is the same for both particles */
        return 1.25 + 0.125 * node->index;
    case ALGEBRA_SQUARE:
    case ALGEBRA_VARIABLE:
        return r2;
    case ALGEBRA_CHARGE: /* values of particles are some numbers greater than 0 */
        return node->index < 2
                   ? charge[node->index]
                   : 1.4 + 0.2 * tanh(charge[node->index % 2]) + 0.05 * floor(0.5 * node->index);
    case ALGEBRA_CALL:
        return call_value(node, values);
    case ALGEBRA_POWER:
        return pow(values[node->terms[0].node], values[node->terms[1].node]);
    default:
        break;
    }
    for (int t = 0; t < node->count; t++) {
        const double term = values[node->terms[t].node];
        value = node->kind == ALGEBRA_SUM ? value + node->terms[t].factor * term
                                          : value * pow(term, node->terms[t].factor);
    }
    return value;
}

/* Terms of a node have smaller numbers than the node, so that one pass evaluates all. */
static double value_at(const struct algebra *algebra, int node, double r2, const double charge[2],
                       double *values) {
    for (int n = 0; n <= node; n++) {
        values[n] = node_value(&algebra->nodes[n], r2, charge, values);
    }
    return values[node];
}

bool algebra_is_symmetric(struct algebra *algebra, int node) {
    static const double points[][3] = { { 0.6131, 0.7177, -0.4213 },  { 1.1071, 1.3219, 0.3037 },
                                        { 1.9391, -0.9137, -0.2261 }, { 3.3113, 0.4517, 0.0 },
                                        { 6.1297, -1.7333, 2.6417 },  { 17.317, 0.2179, 0.9431 } };
    const double tolerance = 1e-9; /* roundings of sums in another order */
    double *values = malloc((size_t)(node + 1) * sizeof *values);
    int differ = 0; /* one may be where terms cancel */
    for (size_t p = 0; values && p < sizeof points / sizeof points[0]; p++) {
        const double one[2] = { points[p][1], points[p][2] };
        const double other[2] = { points[p][2], points[p][1] };
        const double a = value_at(algebra, node, points[p][0], one, values);
        const double b = value_at(algebra, node, points[p][0], other, values);
        differ +=
            !(a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * (fabs(a) + fabs(b)));
    }
    algebra->no_memory = algebra->no_memory || !values;
    algebra->failed = algebra->failed || !values;
    free(values);
    return differ < 2;
}
