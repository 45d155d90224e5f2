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

/* Vectors of a cell: (a_x, 0, 0), (b_x, b_y, 0) and (c_x, c_y, c_z). */
typedef struct {
    real a_x, b_x, b_y, c_x, c_y, c_z;
} image_vectors;

/* d, its square in w, by the image that is nearest of all: an excluded pair may be farther apart than half of the
 * cell, where rounding along one vector after another does not find it. Nothing as far along z, then y, as d is long
 * can be nearer; of an image within half of the cell the loops try that one alone. Where no rounding is right, as for
 * particles that are nowhere, there is nothing to look for. */
DEVICE real4 nearest_of_all(real4 d, image_vectors cell)
{
    const real length = SQRT(d.w);
    real4 least = d;
    if (!(length <= cell.a_x + cell.b_y + cell.c_z)) {
        return d;
    }
    const int most_c = (int)((length + FABS(d.z)) / cell.c_z);
    for (int c = -most_c; c <= most_c; c++) {
        const real z = d.z + c * cell.c_z;
        const real y_of_c = d.y + c * cell.c_y;
        const int most_b = (int)((length + FABS(y_of_c)) / cell.b_y);
        for (int b = -most_b; b <= most_b; b++) {
            const real y = y_of_c + b * cell.b_y;
            real x = d.x + c * cell.c_x + b * cell.b_x;
            x -= floor(x / cell.a_x + REAL(0.5)) * cell.a_x;
            const real square = x * x + y * y + z * z;
            if (square < least.w) {
                least = make_real4(x, y, z, square);
            }
        }
    }
    return least;
}
