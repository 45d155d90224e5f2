/* Derivatives by r^2, so that f/r = -(1/r) du/dr = -2 du/d(r^2). */
#include "kernels/expressions/expression.h"
#include "kernels/expressions/expression_parts.h"

#include <math.h>

static int call(struct algebra *algebra, int function, int operand) {
    return algebra_call(algebra, function, &operand, 1);
}

static int scaled(struct algebra *algebra, double factor, int node) {
    return algebra_multiply(algebra, algebra_number(algebra, factor), node);
}

static int select_of(struct algebra *algebra, int condition, int yes, int no) {
    const int operands[3] = { condition, yes, no };
    return algebra_call(algebra, FUNCTION_SELECT, operands, 3);
}

static bool is_select(const struct algebra *algebra, int node) {
    const struct algebra_node *at = &algebra->nodes[node];
    return at->kind == ALGEBRA_CALL && at->index == FUNCTION_SELECT;
}

/* Whether a node has a root in its denominator, or a power that varies: what is infinite where the
 * value itself, sqrt(x) or x^y, is 0. Of r^2 that is never met. */
static bool has_pole(const struct algebra *algebra, int node) {
    const struct algebra_node *at = &algebra->nodes[node];
    bool pole = at->kind == ALGEBRA_POWER;
    for (int t = 0; at->kind == ALGEBRA_PRODUCT && t < at->count; t++) {
        const struct algebra_term term = at->terms[t];
        const enum algebra_kind kind = algebra->nodes[term.node].kind;
        pole = pole || kind == ALGEBRA_POWER ||
               (kind != ALGEBRA_SQUARE && term.factor > -1.0 && term.factor < 0.0);
    }
    return pole;
}

/* Whether a node may be exactly 0: not numbers, parameters, powers of r^2, exponentials, or
 * products of these. Branches of select() that are the number 0 do not count. */
static bool may_be_zero(const struct algebra *algebra, int node) {
    const struct algebra_node *at = &algebra->nodes[node];
    const bool selects = is_select(algebra, node);
    bool zero = at->kind == ALGEBRA_SUM || at->kind == ALGEBRA_POWER ||
                (at->kind == ALGEBRA_CALL && at->index != FUNCTION_EXP && !selects);
    for (int t = selects; (selects || at->kind == ALGEBRA_PRODUCT) && t < at->count; t++) {
        zero = zero || may_be_zero(algebra, at->terms[t].node);
    }
    return zero;
}

/* outer * slope, where a slope that is a select() with a branch of 0, such as that of max(0, x),
 * takes the multiplication into its branches: the product is 0 there even where `outer` is
 * infinite. */
static int into_branches(struct algebra *algebra, int outer, int slope) {
    const int zero = algebra_number(algebra, 0.0);
    for (int t = 0;
         algebra->nodes[slope].kind == ALGEBRA_PRODUCT && t < algebra->nodes[slope].count; t++) {
        const struct algebra_term term = algebra->nodes[slope].terms[t];
        if (term.factor == 1.0 && is_select(algebra, term.node)) {
            const int rest =
                algebra_multiply(algebra, slope, algebra_power(algebra, term.node, -1.0));
            return into_branches(algebra, algebra_multiply(algebra, outer, rest), term.node);
        }
    }
    if (!is_select(algebra, slope)) {
        return algebra_multiply(algebra, outer, slope);
    }
    const struct algebra_term *at = algebra->nodes[slope].terms;
    const int condition = at[0].node;
    const int yes = at[1].node;
    const int no = at[2].node;
    if (yes != zero && no != zero) {
        return algebra_multiply(algebra, outer, slope);
    }
    return select_of(algebra, condition, into_branches(algebra, outer, yes),
                     into_branches(algebra, outer, no));
}

/* outer * slope, which is 0 where the slope is, even if `outer` is infinite there: the base of
 * sqrt(step(r - 1)*r) is 0 below 1, and stays so. */
static int times_slope(struct algebra *algebra, int outer, int slope) {
    const int product = into_branches(algebra, outer, slope);
    return has_pole(algebra, outer) && may_be_zero(algebra, slope)
               ? select_of(algebra, slope, product, algebra_number(algebra, 0.0))
               : product;
}

/* d log(node) / d(r^2), found without dividing by a value that may be 0: for powers of r, their
 * products with parameters, and exponentials. False for any other node. */
static bool find_logarithmic(struct algebra *algebra, int node, int *result) {
    const struct algebra_node *at = &algebra->nodes[node];
    if (at->kind == ALGEBRA_SQUARE) {
        *result = algebra_power(algebra, node, -1.0);
        return true;
    }
    if (at->kind == ALGEBRA_CALL && at->index == FUNCTION_EXP) {
        *result = algebra_derivative(algebra, at->terms[0].node);
        return true;
    }
    double exponent = 0.0;
    int square = -1;
    for (int t = 0; at->kind == ALGEBRA_PRODUCT && t < at->count; t++) {
        const struct algebra_term term = at->terms[t];
        const enum algebra_kind kind = algebra->nodes[term.node].kind;
        if (kind == ALGEBRA_SQUARE) {
            square = term.node;
            exponent = term.factor;
        } else if (kind != ALGEBRA_PARAMETER) {
            return false;
        }
    }
    if (square < 0) {
        return false;
    }
    *result = scaled(algebra, exponent, algebra_power(algebra, square, -1.0));
    return true;
}

/* A product with one power less of its t-th base. A base that is a product itself would come apart
 * in algebra_power(base, -1): 0/0 where both the power and the base are 0. */
static int one_power_less(struct algebra *algebra, int node, int t) {
    const struct algebra_term term = algebra->nodes[node].terms[t];
    if (algebra->nodes[term.node].kind != ALGEBRA_PRODUCT) {
        return algebra_multiply(algebra, node, algebra_power(algebra, term.node, -1.0));
    }
    int product = algebra_number(algebra, algebra->nodes[node].value);
    for (int u = 0; u < algebra->nodes[node].count && !algebra->failed; u++) {
        const struct algebra_term factor = algebra->nodes[node].terms[u];
        const int power =
            algebra_power(algebra, factor.node, u == t ? factor.factor - 1.0 : factor.factor);
        product = algebra_multiply(algebra, product, power);
    }
    return product;
}

/* Factors whose logarithm has a derivative keep the product whole; of the others one power less is
 * left beside their own. */
static int of_product(struct algebra *algebra, int node) {
    int sum = algebra_number(algebra, 0.0);
    int whole_times = sum;
    for (int t = 0; t < algebra->nodes[node].count && !algebra->failed; t++) {
        const struct algebra_term term = algebra->nodes[node].terms[t];
        int part;
        if (find_logarithmic(algebra, term.node, &part)) {
            whole_times = algebra_add(algebra, whole_times, 1.0, part, term.factor);
            continue;
        }
        const int slope = algebra_derivative(algebra, term.node);
        const int left = one_power_less(algebra, node, t);
        sum = algebra_add(algebra, sum, 1.0, times_slope(algebra, left, slope), term.factor);
    }
    return algebra_add(algebra, sum, 1.0, algebra_multiply(algebra, node, whole_times), 1.0);
}

static int of_sum(struct algebra *algebra, int node) {
    int sum = algebra_number(algebra, 0.0);
    for (int t = 0; t < algebra->nodes[node].count && !algebra->failed; t++) {
        const struct algebra_term term = algebra->nodes[node].terms[t];
        sum = algebra_add(algebra, sum, 1.0, algebra_derivative(algebra, term.node), term.factor);
    }
    return sum;
}

/* a^b: a^b (b' log a + b a'/a) */
static int of_power(struct algebra *algebra, int node) {
    const int base = algebra->nodes[node].terms[0].node;
    const int exponent = algebra->nodes[node].terms[1].node;
    const int base_slope = algebra_derivative(algebra, base);
    const int exponent_slope = algebra_derivative(algebra, exponent);
    const int zero = algebra_number(algebra, 0.0);
    int sum = zero;
    if (exponent_slope != zero) {
        /* Of a base that is 0, as max(0, x) may be, a^b log a is 0. */
        const int logarithm = call(algebra, FUNCTION_LOG, base);
        const enum algebra_kind kind = algebra->nodes[base].kind;
        const bool may_vanish = kind == ALGEBRA_CALL || kind == ALGEBRA_PRODUCT;
        const int log_times =
            algebra_multiply(algebra, exponent_slope,
                             may_vanish ? select_of(algebra, base, logarithm, zero) : logarithm);
        sum = algebra_multiply(algebra, node, log_times);
    }
    if (base_slope != zero) {
        const int one = algebra_number(algebra, 1.0);
        const int less =
            algebra_raise(algebra, base, algebra_add(algebra, exponent, 1.0, one, -1.0));
        const int term =
            times_slope(algebra, algebra_multiply(algebra, exponent, less), base_slope);
        sum = algebra_add(algebra, sum, 1.0, term, 1.0);
    }
    return sum;
}

/* The derivative of a function of one operand by that. */
static int of_function(struct algebra *algebra, int node) {
    const int function = algebra->nodes[node].index;
    const int x = algebra->nodes[node].terms[0].node;
    const int one = algebra_number(algebra, 1.0);
    switch (function) {
    case FUNCTION_EXP:
        return node;
    case FUNCTION_LOG:
        return algebra_power(algebra, x, -1.0);
    case FUNCTION_SIN:
        return call(algebra, FUNCTION_COS, x);
    case FUNCTION_COS:
        return scaled(algebra, -1.0, call(algebra, FUNCTION_SIN, x));
    case FUNCTION_TAN:
        return algebra_add(algebra, one, 1.0, algebra_power(algebra, node, 2.0), 1.0);
    case FUNCTION_ASIN:
    case FUNCTION_ACOS: {
        const int rest = algebra_add(algebra, one, 1.0, algebra_power(algebra, x, 2.0), -1.0);
        return scaled(algebra, function == FUNCTION_ASIN ? 1.0 : -1.0,
                      algebra_power(algebra, rest, -0.5));
    }
    case FUNCTION_ATAN:
        return algebra_power(
            algebra, algebra_add(algebra, one, 1.0, algebra_power(algebra, x, 2.0), 1.0), -1.0);
    case FUNCTION_SINH:
        return call(algebra, FUNCTION_COSH, x);
    case FUNCTION_COSH:
        return call(algebra, FUNCTION_SINH, x);
    case FUNCTION_TANH:
        return algebra_add(algebra, one, 1.0, algebra_power(algebra, node, 2.0), -1.0);
    case FUNCTION_ERF:
    case FUNCTION_ERFC: {
        const int bell =
            call(algebra, FUNCTION_EXP, scaled(algebra, -1.0, algebra_power(algebra, x, 2.0)));
        return scaled(algebra, function == FUNCTION_ERF ? M_2_SQRTPI : -M_2_SQRTPI, bell);
    }
    case FUNCTION_ABS: /* 1 or -1 */
        return algebra_add(algebra, call(algebra, FUNCTION_STEP, x), 2.0, one, -1.0);
    default: /* steps */
        return algebra_number(algebra, 0.0);
    }
}

/* atan2(y, x): (x y' - y x') / (x^2 + y^2) */
static int of_angle(struct algebra *algebra, int y, int x) {
    const int cross =
        algebra_add(algebra, algebra_multiply(algebra, x, algebra_derivative(algebra, y)), 1.0,
                    algebra_multiply(algebra, y, algebra_derivative(algebra, x)), -1.0);
    const int length2 = algebra_add(algebra, algebra_power(algebra, x, 2.0), 1.0,
                                    algebra_power(algebra, y, 2.0), 1.0);
    return algebra_multiply(algebra, cross, algebra_power(algebra, length2, -1.0));
}

static int of_call(struct algebra *algebra, int node) {
    const int function = algebra->nodes[node].index;
    int operand[EXPRESSION_MAX_OPERANDS] = { 0 };
    for (int k = 0; k < algebra->nodes[node].count; k++) {
        operand[k] = algebra->nodes[node].terms[k].node;
    }
    if (function == FUNCTION_SELECT) {
        return select_of(algebra, operand[0], algebra_derivative(algebra, operand[1]),
                         algebra_derivative(algebra, operand[2]));
    }
    if (function == FUNCTION_MIN || function == FUNCTION_MAX) {
        const double sign = function == FUNCTION_MIN ? 1.0 : -1.0;
        const int above = algebra_add(algebra, operand[1], sign, operand[0], -sign);
        return select_of(algebra, call(algebra, FUNCTION_STEP, above),
                         algebra_derivative(algebra, operand[0]),
                         algebra_derivative(algebra, operand[1]));
    }
    if (function == FUNCTION_ATAN2) {
        return of_angle(algebra, operand[0], operand[1]);
    }
    if (function >= FUNCTION_COUNT) { /* a table; its slope has the number after */
        const int table_slope = call(algebra, function + 1, operand[0]);
        return algebra_multiply(algebra, table_slope, algebra_derivative(algebra, operand[0]));
    }
    const int slope = algebra_derivative(algebra, operand[0]);
    return slope == algebra_number(algebra, 0.0)
               ? slope
               : times_slope(algebra, of_function(algebra, node), slope);
}

static int find_derivative(struct algebra *algebra, int node) {
    switch (algebra->nodes[node].kind) {
    case ALGEBRA_SQUARE:
    case ALGEBRA_VARIABLE:
        return algebra_number(algebra, 1.0);
    case ALGEBRA_SUM:
        return of_sum(algebra, node);
    case ALGEBRA_PRODUCT:
        return of_product(algebra, node);
    case ALGEBRA_POWER:
        return of_power(algebra, node);
    case ALGEBRA_CALL:
        return of_call(algebra, node);
    default:
        return algebra_number(algebra, 0.0);
    }
}

int algebra_derivative(struct algebra *algebra, int node) {
    if (algebra->failed) {
        return 0;
    }
    if (algebra->nodes[node].derivative < 0) {
        const int derivative = find_derivative(algebra, node);
        algebra->nodes[node].derivative = derivative;
    }
    return algebra->nodes[node].derivative;
}
