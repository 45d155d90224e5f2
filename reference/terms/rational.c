/* The rational switching function by way of exponentials, in long double. With L = ln x,
 *
 *   s = (1 - e^(nL)) / (1 - e^(mL))
 *
 * and every difference from 1 is an expm1(). So nothing cancels, near x = 1 (L = 0) included, and
 * no polynomial is shared with the kernels. */
#include "reference/terms/rational.h"

#include <math.h>

/* The parameters in their order: the command line's, and what rational_prepare() adds. */
enum { R0, N, M, D0, DMAX, END, END_REST, STRETCH };

/* s and its derivatives by r. */
struct switched {
    long double s, ds, d2s;
};

/* e^-a and 1 - e^-a for a >= 0, each to its last bits. */
struct decay {
    long double left, gone;
};

static struct decay decay(long double a) {
    struct decay decay;
    if (a > 1.0L) {
        decay.left = expl(-a);
        decay.gone = 1.0L - decay.left;
    } else {
        decay.gone = -expm1l(-a);
        decay.left = 1.0L - decay.gone;
    }
    return decay;
}

/* A quotient (1 - e^(-nA)) / (1 - e^(-mA)), n < m, A >= 0. */
struct quotient {
    long double n, m, a;
    struct decay by_n, by_m; /* of nA and mA */
};

/* (z coth z - 1) / z^2 and (1 - (z / sinh z)^2) / z^2 for |z| <= 1/2, by series of positive terms:
 * sinh z / z = sum z^(2j) / (2j+1)!, cosh z - sinh z / z = sum 2j z^(2j) / (2j+1)!. */
static void remainders(long double z, long double *coth_rest, long double *sinh_rest) {
    long double term = 1.0L / 6.0L; /* z^(2j-2) / (2j+1)! of j = 1 */
    long double sinh_sum = 0.0L;    /* (sinh z / z - 1) / z^2 */
    long double difference = 0.0L;  /* (cosh z - sinh z / z) / z^2 */
    for (int j = 1; j <= 12; j++) {
        sinh_sum += term;
        difference += 2 * j * term;
        term *= z * z / ((2 * j + 2) * (2 * j + 3));
    }
    long double ratio = 1.0L + z * z * sinh_sum; /* sinh z / z */
    *coth_rest = difference / ratio;
    *sinh_rest = sinh_sum * (ratio + 1.0L) / (ratio * ratio);
}

/* The first two derivatives of its logarithm by A. */
static void log_slopes(const struct quotient *q, long double *first, long double *second) {
    const long double n = q->n, m = q->m, a = q->a;
    const struct decay *by_n = &q->by_n;
    const struct decay *by_m = &q->by_m;
    if (m * a > 1.0L) {
        *first = n * by_n->left / by_n->gone - m * by_m->left / by_m->gone;
        *second = m * m * by_m->left / (by_m->gone * by_m->gone) -
                  n * n * by_n->left / (by_n->gone * by_n->gone);
        return;
    }
    long double coth_n, sinh_n, coth_m, sinh_m;
    remainders(n * a / 2.0L, &coth_n, &sinh_n);
    remainders(m * a / 2.0L, &coth_m, &sinh_m);
    *first = (m - n) / 2.0L - a / 4.0L * (m * m * coth_m - n * n * coth_n);
    *second = (n * n * sinh_n - m * m * sinh_m) / 4.0L;
}

/* e^-(m-n)a: the quotient of what is left, while that is far from underflow. */
static long double left_between(const struct quotient *q) {
    return q->m * q->a < 11000.0L ? q->by_m.left / q->by_n.left : expl(-(q->m - q->n) * q->a);
}

/* s(x) of n < m and the first two derivatives of ln s by ln x. */
static long double falling(long double n, long double m, long double log_x, long double *first,
                           long double *second) {
    const long double a = fabsl(log_x);
    const struct quotient q = { n, m, a, decay(n * a), decay(m * a) };
    const long double s = a > 0.0L ? q.by_n.gone / q.by_m.gone : n / m;
    log_slopes(&q, first, second);
    if (log_x > 0.0L) {
        *first -= m - n;
        return s * left_between(&q);
    }
    *first = -*first;
    return s;
}

/* Unstretched, at a distance beyond d0. */
static struct switched evaluate(const double *p, long double r) {
    long double beyond = r - p[D0];
    long double x = beyond / p[R0];
    long double off = (beyond - p[R0]) / p[R0];
    long double log_x = fabsl(off) < 0.5L ? log1pl(off) : logl(x);
    long double first, second;
    struct switched at;
    if (p[N] < p[M]) {
        at.s = falling(p[N], p[M], log_x, &first, &second);
    } else {
        at.s = 1.0L / falling(p[M], p[N], log_x, &first, &second);
        first = -first;
        second = -second;
    }
    at.ds = at.s * first / beyond;
    at.d2s = at.s * (first * first + second - first) / (beyond * beyond);
    return at;
}

/* What was left open. A parameter of 0 that nobody filled in is open, too. */
static void complete(const struct interaction_parameter *said, double *parameter) {
    const double least = 1e-5; /* of x^(n-m), which is s where 1 is lost beside x^n and x^m */
    if (said[M].filled_in || parameter[M] == 0.0) {
        parameter[M] = 2.0 * parameter[N];
    }
    if (said[DMAX].filled_in || !said[DMAX].given) {
        parameter[DMAX] =
            parameter[D0] + parameter[R0] * pow(least, 1.0 / (parameter[N] - parameter[M]));
    }
}

double rational_reach(const double *parameter) {
    return parameter[DMAX];
}

void rational_prepare(const struct interaction_parameter *said, double *parameter) {
    complete(said, parameter);
    const double d0 = parameter[D0];
    long double start = d0 < 0.0 ? evaluate(parameter, 0.0L).s : 1.0L;
    long double end = isinf(parameter[DMAX]) ? 0.0L : evaluate(parameter, parameter[DMAX]).s;
    parameter[END] = (double)end;
    parameter[END_REST] = (double)(end - parameter[END]);
    parameter[STRETCH] = isinf(parameter[DMAX]) ? 1.0 : (double)(1.0L / (start - end));
}

void rational_evaluate(const double *parameter, const struct pair *pair, struct pair_value *value) {
    const long double r = sqrtl(pair->r2);
    struct switched at = { .s = 1.0L };
    if (r > parameter[D0]) {
        at = evaluate(parameter, r);
    }
    const long double end = (long double)parameter[END] + parameter[END_REST];
    const bool apart = r != 0.0L; /* or there is no direction to move in */
    value->energy = (double)((at.s - end) * parameter[STRETCH]);
    value->energy_condition = (double)((fabsl(at.s) + fabsl(end)) * fabs(parameter[STRETCH]));
    value->over_r = apart ? (double)(-at.ds * parameter[STRETCH] / r) : 0.0;
    value->slope = apart ? (double)(-at.d2s * parameter[STRETCH]) : 0.0;
}

double rational_jump(const double *parameter) {
    return parameter[D0] > 0.0 ? parameter[D0] : 0.0;
}
