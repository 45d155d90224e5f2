/*
 * excluded_slope — what an excluded pair has of reciprocal space: coulomb q q alpha times `value` of
 * energy, and coulomb q q alpha^3 times what is returned is force over distance; to be taken off
 */

/* With x = alpha r: (erf(x) / x - 2 / sqrt(pi) exp(-x^2)) / x^2, and erf(x) / x. Near 0 the first
 * would cancel; there, both are exp(-x^2) times a series of one sign. */
DEVICE real excluded_slope(real x2, real *value)
{
    const real near = REAL(1.1283791670955126) * EXP(-x2);
    if (x2 < REAL(2.0)) {
        const int terms = REAL_IS_DOUBLE ? 24 : 14;
        real term = REAL(0.66666666666666667);
        real sum = term;
        for (int n = 2; n <= terms; n++) {
            term *= x2 * (REAL(2.0) / (2 * n + 1));
            sum += term;
        }
        *value = near * (1 + x2 * sum);
        return near * sum;
    }
    const real x = SQRT(x2);
    *value = (REAL(1.0) - ERFC(x)) / x;
    return (*value - near) / x2;
}
