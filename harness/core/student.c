#include "core/student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int half = 0; half < 2; half++) {
            const double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            fraction *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return fraction;
}

/* The regularised incomplete beta function; the symmetry is used where the fraction is slow. */
static double beta_incomplete(double a, double b, double x) {
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > t) for t > 0: half of I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2). */
static double upper_tail(double t, double freedom) {
    return 0.5 * beta_incomplete(0.5 * freedom, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double tail, double freedom) {
    double low = 0;
    double high = 1;
    if (!(freedom > 0)) {
        return INFINITY;
    }
    if (!(tail < 0.5)) {
        return 0;
    }
    while (upper_tail(high, freedom) > tail) {
        low = high;
        high *= 2;
        if (!(high < 1e30)) {
            return INFINITY;
        }
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (upper_tail(middle, freedom) > tail) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

double fisher_tail(double value, double numerator, double denominator) {
    if (!(value > 0)) {
        return 1;
    }
    return beta_incomplete(0.5 * denominator, 0.5 * numerator,
                           denominator / (denominator + numerator * value));
}
