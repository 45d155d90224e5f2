/* The rational switching function by way of exponentials, in long double. With L = ln x,
 *
 *   s = (1 - e^(nL)) / (1 - e^(mL))
 *
 * and every difference from 1 is an expm1(). So nothing cancels, near x = 1 (L = 0) included, and
 * no polynomial is shared with the kernels. */
#include "reference/rational.h"

#include <math.h>

/* The parameters in their order: the command line's, and what rational_prepare() adds. */
enum { R0, N, M, D0, DMAX, END, END_REST, STRETCH };

/* s and its derivatives by r. */
struct switched {
    long double s, ds, d2s;
};

/* e^-a and 1 - e^-a for a >= 0, each to its last bits. */
static void decay(long double a, long double *left, long double *gone) {
    if (a > 1.0L) {
        *left = expl(-a);
        *gone = 1.0L - *left;
    } else {
        *gone = -expm1l(-a);
        *left = 1.0L - *gone;
    }
}

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

/* The first two derivatives by A of ln((1 - e^(-nA)) / (1 - e^(-mA))), n < m, A >= 0. */
static void log_slopes(long double n, long double m, long double a, long double *first,
                       long double *second) {
    if (m * a > 1.0L) {
        long double left_n, gone_n, left_m, gone_m;
        decay(n * a, &left_n, &gone_n);
        decay(m * a, &left_m, &gone_m);
        *first = n * left_n / gone_n - m * left_m / gone_m;
        *second = m * m * left_m / (gone_m * gone_m) - n * n * left_n / (gone_n * gone_n);
        return;
    }
    long double coth_n, sinh_n, coth_m, sinh_m;
    remainders(n * a / 2.0L, &coth_n, &sinh_n);
    remainders(m * a / 2.0L, &coth_m, &sinh_m);
    *first = (m - n) / 2.0L - a / 4.0L * (m * m * coth_m - n * n * coth_n);
    *second = (n * n * sinh_n - m * m * sinh_m) / 4.0L;
}

/* s(x) of n < m and the first two derivatives of ln s by ln x. */
static long double falling(long double n, long double m, long double log_x, long double *first,
                           long double *second) {
    long double a = fabsl(log_x);
    long double left, gone_n, gone_m;
    decay(n * a, &left, &gone_n);
    decay(m * a, &left, &gone_m);
    long double s = a > 0.0L ? gone_n / gone_m : n / m;
    log_slopes(n, m, a, first, second);
    if (log_x > 0.0L) {
        *first -= m - n;
        return s * expl(-(m - n) * a);
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

void rational_prepare(double *parameter) {
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
    if (r == 0.0L) { /* no direction to move in */
        at.ds = 0.0L;
        at.d2s = 0.0L;
    }
    const long double end = (long double)parameter[END] + parameter[END_REST];
    value->energy = (double)((at.s - end) * parameter[STRETCH]);
    value->force = (double)(-at.ds * parameter[STRETCH]);
    value->slope = (double)(-at.d2s * parameter[STRETCH]);
}

double rational_corner(const double *parameter) {
    return parameter[D0] > 0.0 ? parameter[D0] : 0.0;
}
