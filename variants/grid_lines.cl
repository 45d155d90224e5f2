/*
 * grid_lines — the discrete Fourier transform of LINES lines of points by a work-group, in local memory
 *
 * Words for kernels of `pme` that have a tunable LINES: a pass can then do something between two transforms. Stages are radices 2, 3, 4, 5 and 7, the digits of `factors` to the base of 8, in Stockham's order: results come out
 * sorted. A work-item computes a butterfly at a time in registers. Compile-time definitions: LINES, and LINE_ROOM, the most
 * points of a line.
 */
#if ACCUM_IS_DOUBLE
typedef double2 line_point;
#else
typedef float2 line_point;
#endif

/* Local memory of a group, in points: what a stage reads, and what it writes. */
#define LINE_MEMORY (2 * LINE_ROOM * LINES)

DEVICE line_point make_line_point(accum re, accum im)
{
    line_point point;
    point.x = re;
    point.y = im;
    return point;
}

/* Times a root of one, or (flip -1) its conjugate. */
DEVICE line_point line_turn(line_point a, line_point root, accum flip)
{
    const accum im = flip * root.y;
    return make_line_point(a.x * root.x - a.y * im, a.x * im + a.y * root.x);
}

/* a + s b and a + i s b */
DEVICE line_point line_add(line_point a, accum s, line_point b)
{
    return make_line_point(a.x + s * b.x, a.y + s * b.y);
}

DEVICE line_point line_add_turned(line_point a, accum s, line_point b)
{
    return make_line_point(a.x - s * b.y, a.y + s * b.x);
}

DEVICE void butterfly_3(line_point *x, accum sign)
{
    const line_point sum = line_add(x[1], 1, x[2]);
    const line_point difference = line_add(x[1], -1, x[2]);
    const line_point middle = line_add(x[0], ACCUM(-0.5), sum);
    x[0] = line_add(x[0], 1, sum);
    x[1] = line_add_turned(middle, sign * ACCUM(0.866025403784438647), difference);
    x[2] = line_add_turned(middle, -sign * ACCUM(0.866025403784438647), difference);
}

DEVICE void butterfly_4(line_point *x, accum sign)
{
    const line_point a = line_add(x[0], 1, x[2]);
    const line_point b = line_add(x[0], -1, x[2]);
    const line_point c = line_add(x[1], 1, x[3]);
    const line_point d = line_add(x[1], -1, x[3]);
    x[0] = line_add(a, 1, c);
    x[1] = line_add_turned(b, sign, d);
    x[2] = line_add(a, -1, c);
    x[3] = line_add_turned(b, -sign, d);
}

DEVICE void butterfly_5(line_point *x, accum sign)
{
    const accum c1 = ACCUM(0.309016994374947424), c2 = ACCUM(-0.809016994374947424);
    const accum s1 = ACCUM(0.951056516295153572), s2 = ACCUM(0.587785252292473129);
    const line_point sum_1 = line_add(x[1], 1, x[4]), sum_2 = line_add(x[2], 1, x[3]);
    const line_point off_1 = line_add(x[1], -1, x[4]), off_2 = line_add(x[2], -1, x[3]);
    const line_point even_1 = line_add(line_add(x[0], c1, sum_1), c2, sum_2);
    const line_point even_2 = line_add(line_add(x[0], c2, sum_1), c1, sum_2);
    const line_point odd_1 = make_line_point(s1 * off_1.x + s2 * off_2.x, s1 * off_1.y + s2 * off_2.y);
    const line_point odd_2 = make_line_point(s2 * off_1.x - s1 * off_2.x, s2 * off_1.y - s1 * off_2.y);
    x[0] = line_add(line_add(x[0], 1, sum_1), 1, sum_2);
    x[1] = line_add_turned(even_1, sign, odd_1);
    x[2] = line_add_turned(even_2, sign, odd_2);
    x[3] = line_add_turned(even_2, -sign, odd_2);
    x[4] = line_add_turned(even_1, -sign, odd_1);
}

DEVICE void butterfly_7(line_point *x, accum sign)
{
    const accum c1 = ACCUM(0.623489801858733531), c2 = ACCUM(-0.222520933956314404), c3 = ACCUM(-0.900968867902419126);
    const accum s1 = ACCUM(0.781831482468029809), s2 = ACCUM(0.974927912181823607), s3 = ACCUM(0.433883739117558120);
    const line_point sum_1 = line_add(x[1], 1, x[6]), sum_2 = line_add(x[2], 1, x[5]), sum_3 = line_add(x[3], 1, x[4]);
    const line_point off_1 = line_add(x[1], -1, x[6]), off_2 = line_add(x[2], -1, x[5]), off_3 = line_add(x[3], -1, x[4]);
    const line_point even_1 = line_add(line_add(line_add(x[0], c1, sum_1), c2, sum_2), c3, sum_3);
    const line_point even_2 = line_add(line_add(line_add(x[0], c2, sum_1), c3, sum_2), c1, sum_3);
    const line_point even_3 = line_add(line_add(line_add(x[0], c3, sum_1), c1, sum_2), c2, sum_3);
    const line_point none = make_line_point(0, 0);
    const line_point odd_1 = line_add(line_add(line_add(none, s1, off_1), s2, off_2), s3, off_3);
    const line_point odd_2 = line_add(line_add(line_add(none, s2, off_1), -s3, off_2), -s1, off_3);
    const line_point odd_3 = line_add(line_add(line_add(none, s3, off_1), -s1, off_2), s2, off_3);
    x[0] = line_add(line_add(line_add(x[0], 1, sum_1), 1, sum_2), 1, sum_3);
    x[1] = line_add_turned(even_1, sign, odd_1);
    x[2] = line_add_turned(even_2, sign, odd_2);
    x[3] = line_add_turned(even_3, sign, odd_3);
    x[4] = line_add_turned(even_3, -sign, odd_3);
    x[5] = line_add_turned(even_2, -sign, odd_2);
    x[6] = line_add_turned(even_1, -sign, odd_1);
}

DEVICE void line_butterfly(line_point *x, int radix, accum sign)
{
    if (radix == 2) {
        const line_point other = line_add(x[0], -1, x[1]);
        x[0] = line_add(x[0], 1, x[1]);
        x[1] = other;
    } else if (radix == 3) {
        butterfly_3(x, sign);
    } else if (radix == 4) {
        butterfly_4(x, sign);
    } else if (radix == 5) {
        butterfly_5(x, sign);
    } else {
        butterfly_7(x, sign);
    }
}

/* One butterfly of a stage: number j of a line that begins at `line` and whose points are `apart`, of n points, from one side
 * of local memory to the other. `done`: the product of the radices before. */
DEVICE void line_stage(LOCAL_ARG const line_point *from, LOCAL_ARG line_point *to, GLOBAL const line_point *RESTRICT roots,
                       int n, int radix, int done, int j, int apart, accum flip)
{
    const int part = n / radix;
    const int k = j % done;
    const int step = k * (part / done);
    const int out = (j - k) * radix + k;
    line_point x[7];
    for (int p = 0; p < 7; p++) {
        if (p < radix) {
            x[p] = from[(j + p * part) * apart];
        }
        if (p > 0 && p < radix && step > 0) {
            x[p] = line_turn(x[p], roots[p * step], flip);
        }
    }
    line_butterfly(x, radix, -flip);
    for (int p = 0; p < 7; p++) {
        if (p < radix) {
            to[(out + p * done) * apart] = x[p];
        }
    }
}

/* All stages, in a kernel's body: work[LINE_MEMORY], of which the half that `side` (an int, 0 or LINE_MEMORY / 2) says holds the
 * lines. Points of a line are LINES apart, and lines 1; or (in_rows) points 1 and lines LINE_ROOM. flip: 1, or -1 for the way
 * back. Ends with a barrier. */
#define TRANSFORM_LINES(work, side, roots, n, factors, in_rows, flip)                                                 \
    {                                                                                                                 \
        int done = 1;                                                                                                 \
        for (int rest = (factors); rest > 0; rest /= 8) {                                                             \
            const int radix = rest % 8;                                                                               \
            const int butterflies = (n) / radix;                                                                      \
            for (int item = LOCAL_ID; item < butterflies * LINES; item += GROUP_SIZE) {                               \
                const int line = (in_rows) ? item / butterflies : item % LINES;                                       \
                const int j = (in_rows) ? item % butterflies : item / LINES;                                          \
                const int start = (in_rows) ? line * LINE_ROOM : line;                                                \
                line_stage((work) + (side) + start, (work) + (LINE_MEMORY / 2 - (side)) + start, roots, n, radix,     \
                           done, j, (in_rows) ? 1 : LINES, flip);                                                     \
            }                                                                                                         \
            SYNC_THREADS;                                                                                             \
            side = LINE_MEMORY / 2 - side;                                                                            \
            done *= radix;                                                                                            \
        }                                                                                                             \
    }
