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

/* A line of modes along x: where it is, whether it counts, and, where modes have parts, its own. */
typedef struct {
    int y, z, counts;
    complex_number part;
} mode_line;

/* In a cell that does not lean, and without energy, a mode is made of a part of each axis: x of that is the square of its component, y
 * the influence function that would be there. Squares are added, and the others multiplied, over the whole square. */
#define MODES_HAVE_PARTS (!TRICLINIC && !WITH_ENERGY)
#if defined(__CUDA_ARCH__) && !ACCUM_IS_DOUBLE
#define QUOTIENT(a, b) __fdividef(a, b) /* within two units of the last digit */
#else
#define QUOTIENT(a, b) ((a) / (b))
#endif

DEVICE complex_number part_of_mode(int frequency, accum along, accum decay, accum splines)
{
    complex_number part;
    part.x = frequency * along * (frequency * along);
    part.y = splines * (accum)EXP(-(decay * part.x));
    return part;
}

/* Of all points along x; by the group. */
DEVICE void fill_parts(LOCAL_ARG complex_number *parts, int4 size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli)
{
#if MODES_HAVE_PARTS
    for (int x = LOCAL_ID; x < GRID_X; x += GROUP_SIZE) {
        parts[x] = part_of_mode(frequency_of(x, size.x), ewald.ax, ewald.decay, spline_moduli[x]);
    }
#endif
}

DEVICE mode_line find_line(int number, int counts, int4 size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli)
{
    mode_line line;
    line.y = number / (size.z / 2 + 1);
    line.z = number - line.y * (size.z / 2 + 1);
    line.counts = counts;
#if MODES_HAVE_PARTS
    const complex_number y = part_of_mode(frequency_of(line.y, size.y), ewald.by, ewald.decay, spline_moduli[size.x + line.y]);
    const complex_number z = part_of_mode(line.z, ewald.cz, ewald.decay, spline_moduli[size.x + size.y + line.z]);
    line.part.x = y.x + z.x;
    line.part.y = ewald.scale * y.y * z.y;
#endif
    return line;
}

/* The conjugate of a solved point of the line; its mode is added to the sums where it counts. */
DEVICE complex_number conjugate_solved(complex_number value, int x, mode_line line, LOCAL_ARG const complex_number *parts, int4 size,
                                       ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli, pair_sums *sums)
{
#if MODES_HAVE_PARTS
    const complex_number part = parts[x];
    const int is_mean = x == 0 && line.y == 0 && line.z == 0;
    const accum influence = is_mean ? ACCUM(0.0) : QUOTIENT(part.y * line.part.y, part.x + line.part.x);
#else
    spectrum_point point;
    point.x = x;
    point.y = line.y;
    point.z = line.z;
    const accum influence =
        solve_mode(point, size, ewald, spline_moduli, line.counts ? value.x * value.x + value.y * value.y : ACCUM(0.0), sums);
#endif
    value.x = influence * value.x;
    value.y = -influence * value.y;
    return value;
}
