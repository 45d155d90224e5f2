/*
 * grid_lines — lines of points along x of `pme`, transformed in registers
 *
 * Words for kernels that have a tunable LINES, how many lines a work-group has. GRID_X, the points of a line, is X_FIRST times
 * X_SECOND, and with n = X_SECOND a + b and k = c + X_FIRST d the sum over n of x(n) exp(-2 pi i n k / GRID_X) is one over a, times
 * exp(-2 pi i b c / GRID_X), then one over b: a work-item takes one sum at a time, in place, by TRANSFORM_FIRST(x) or
 * TRANSFORM_SECOND(x); between these, points lie in local memory. The way back is the same transform of conjugates.
 */

DEVICE complex_number times_complex(complex_number a, complex_number b)
{
    complex_number product;
    product.x = a.x * b.x - a.y * b.y;
    product.y = a.x * b.y + a.y * b.x;
    return product;
}

/* The conjugate of a solved point of line `line`; its mode is added to the sums where it counts. */
DEVICE complex_number conjugate_solved(complex_number value, int x, int line, int counts, int4 size, ewald_args ewald,
                                       GLOBAL const accum *RESTRICT spline_moduli, pair_sums *sums)
{
    spectrum_point point;
    point.x = x;
    point.y = line / (size.z / 2 + 1);
    point.z = line - point.y * (size.z / 2 + 1);
    const accum influence = solve_mode(point, size, ewald, spline_moduli, counts ? value.x * value.x + value.y * value.y : ACCUM(0.0), sums);
    value.x = influence * value.x;
    value.y = -influence * value.y;
    return value;
}
