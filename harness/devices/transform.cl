/*
 * transform — the discrete Fourier transform of lines of points, for devices whose library brings none.
 *
 * POINTS, of a line, is FIRST times SECOND, and with n = SECOND a + b and k = c + FIRST d the sum over n of x(n) exp(-2 pi i n k /
 * POINTS) is one over a, times exp(-2 pi i b c / POINTS), then one over b: a work-item has one such sum at a time in registers
 * (TRANSFORM_FIRST, TRANSFORM_SECOND). A group has LINES lines, of rows PAIRS; between both sums these lie in local memory. The way back is the
 * same transform of conjugates. roots[j] is exp(-2 pi i j / POINTS), a pair of numbers as every point is.
 *
 * Lines are one of two kinds. Of points that lie `inner` apart: line l begins at (l / inner) inner POINTS + l % inner, and is
 * transformed in place. Rows of real numbers: two rows are the parts of one line, and of the results of each row
 * POINTS / 2 + 1 are kept, for the others are their conjugates. From row to row there are grid_row numbers, spectrum_row points.
 */

DEVICE complex_number times_root(complex_number a, complex_number root)
{
    complex_number product;
    product.x = a.x * root.x - a.y * root.y;
    product.y = a.x * root.y + a.y * root.x;
    return product;
}

DEVICE void load_roots(LOCAL_ARG complex_number *own, GLOBAL const complex_number *RESTRICT roots)
{
    for (int j = LOCAL_ID; j < POINTS; j += GROUP_SIZE) {
        own[j] = roots[j];
    }
}

/* ---- lines of points that lie apart ---- */

/* sign: 1, or -1 for the way back. */
KERNEL void transform_lines(GLOBAL complex_number *RESTRICT points, GLOBAL const complex_number *RESTRICT roots, int inner, int lines,
                            real sign)
{
    LOCAL complex_number between[POINTS * LINES];
    LOCAL complex_number own_roots[POINTS];
    const int own = GROUP_ID * LINES + LOCAL_ID % LINES;
    const int line = own < lines ? own : lines - 1;
    GLOBAL complex_number *RESTRICT of_line = points + (line / inner * inner * POINTS + line % inner);
    load_roots(own_roots, roots);
    SYNC_THREADS;
    for (int b = LOCAL_ID / LINES; b < SECOND; b += GROUP_SIZE / LINES) {
        complex_number x[FIRST];
        for (int a = 0; a < FIRST; a++) {
            x[a] = of_line[(SECOND * a + b) * inner];
            x[a].y *= sign;
        }
        TRANSFORM_FIRST(x);
        for (int c = 0; c < FIRST; c++) {
            between[(c * SECOND + b) * LINES + LOCAL_ID % LINES] = times_root(x[c], own_roots[b * c]);
        }
    }
    SYNC_THREADS;
    for (int c = LOCAL_ID / LINES; c < FIRST && own < lines; c += GROUP_SIZE / LINES) {
        complex_number x[SECOND];
        for (int b = 0; b < SECOND; b++) {
            x[b] = between[(c * SECOND + b) * LINES + LOCAL_ID % LINES];
        }
        TRANSFORM_SECOND(x);
        for (int d = 0; d < SECOND; d++) {
            x[d].y *= sign;
            of_line[(c + FIRST * d) * inner] = x[d];
        }
    }
}

/* ---- rows of real numbers ---- */

/* Where a line has its points, and its frequencies: neighbours along b, or c, fall into different banks. */
#define PART (SECOND | 1)
#define ROOM (FIRST * PART)
#define PLACE_OF_POINT(n) ((n) / SECOND * PART + (n) % SECOND)
#define PLACE_OF_FREQUENCY(k) ((k) % FIRST * PART + (k) / FIRST)
#define KEPT (POINTS / 2 + 1)

/* The first row of a line; rows that are not there are never stored. */
DEVICE int first_row(int line)
{
    return 2 * (GROUP_ID * PAIRS + line);
}

DEVICE int row_there(int row, int rows)
{
    return row < rows ? row : rows - 1;
}

DEVICE void transform_parts(LOCAL_ARG complex_number *between)
{
    for (int item = LOCAL_ID; item < PAIRS * FIRST; item += GROUP_SIZE) {
        LOCAL_ARG complex_number *part = between + (item / FIRST * ROOM + item % FIRST * PART);
        complex_number x[SECOND];
        for (int b = 0; b < SECOND; b++) {
            x[b] = part[b];
        }
        TRANSFORM_SECOND(x);
        for (int d = 0; d < SECOND; d++) {
            part[d] = x[d];
        }
    }
}

KERNEL void transform_rows(GLOBAL const real *grid, GLOBAL complex_number *spectrum, GLOBAL const complex_number *RESTRICT roots, int rows,
                           int grid_row, int spectrum_row)
{
    LOCAL complex_number between[PAIRS * ROOM];
    LOCAL complex_number own_roots[POINTS];
    load_roots(own_roots, roots);
    SYNC_THREADS;
    for (int item = LOCAL_ID; item < PAIRS * SECOND; item += GROUP_SIZE) {
        const int b = item % SECOND;
        const int row = first_row(item / SECOND);
        GLOBAL const real *re = grid + (row_there(row, rows) * grid_row + b);
        GLOBAL const real *im = grid + (row_there(row + 1, rows) * grid_row + b);
        complex_number x[FIRST];
        for (int a = 0; a < FIRST; a++) {
            x[a].x = re[SECOND * a];
            x[a].y = im[SECOND * a];
        }
        TRANSFORM_FIRST(x);
        for (int c = 0; c < FIRST; c++) {
            between[item / SECOND * ROOM + c * PART + b] = times_root(x[c], own_roots[b * c]);
        }
    }
    SYNC_THREADS;
    transform_parts(between);
    SYNC_THREADS;
    for (int item = LOCAL_ID; item < PAIRS * KEPT; item += GROUP_SIZE) {
        const int k = item % KEPT;
        const int row = first_row(item / KEPT);
        LOCAL_ARG const complex_number *line = between + item / KEPT * ROOM;
        const complex_number at = line[PLACE_OF_FREQUENCY(k)];
        const complex_number mirror = line[PLACE_OF_FREQUENCY(k == 0 ? 0 : POINTS - k)];
        complex_number even, odd;
        even.x = REAL(0.5) * (at.x + mirror.x);
        even.y = REAL(0.5) * (at.y - mirror.y);
        odd.x = REAL(0.5) * (at.y + mirror.y);
        odd.y = REAL(0.5) * (mirror.x - at.x);
        if (row < rows) {
            spectrum[row * spectrum_row + k] = even;
        }
        if (row + 1 < rows) {
            spectrum[(row + 1) * spectrum_row + k] = odd;
        }
    }
}

/* The conjugates of a + i b, of which a row has the first half. */
DEVICE void load_spectrum(LOCAL_ARG complex_number *between, GLOBAL const complex_number *spectrum, int rows, int spectrum_row)
{
    for (int item = LOCAL_ID; item < PAIRS * KEPT; item += GROUP_SIZE) {
        const int k = item % KEPT;
        const int row = first_row(item / KEPT);
        const int is_own = k == 0 || 2 * k == POINTS; /* its own conjugate */
        LOCAL_ARG complex_number *line = between + item / KEPT * ROOM;
        complex_number a = spectrum[row_there(row, rows) * spectrum_row + k];
        complex_number b = spectrum[row_there(row + 1, rows) * spectrum_row + k];
        complex_number sum;
        a.y = is_own ? REAL(0.0) : a.y;
        b.y = is_own ? REAL(0.0) : b.y;
        sum.x = a.x - b.y;
        sum.y = -a.y - b.x;
        line[PLACE_OF_POINT(k)] = sum;
        if (!is_own) {
            sum.x = a.x + b.y;
            sum.y = a.y - b.x;
            line[PLACE_OF_POINT(POINTS - k)] = sum;
        }
    }
}

KERNEL void transform_rows_back(GLOBAL real *grid, GLOBAL const complex_number *spectrum, GLOBAL const complex_number *RESTRICT roots,
                                int rows, int grid_row, int spectrum_row)
{
    LOCAL complex_number between[PAIRS * ROOM];
    LOCAL complex_number own_roots[POINTS];
    load_roots(own_roots, roots);
    load_spectrum(between, spectrum, rows, spectrum_row);
    SYNC_THREADS;
    for (int item = LOCAL_ID; item < PAIRS * SECOND; item += GROUP_SIZE) {
        const int b = item % SECOND;
        LOCAL_ARG complex_number *own = between + (item / SECOND * ROOM + b);
        complex_number x[FIRST];
        for (int a = 0; a < FIRST; a++) {
            x[a] = own[a * PART];
        }
        TRANSFORM_FIRST(x);
        for (int c = 0; c < FIRST; c++) {
            own[c * PART] = times_root(x[c], own_roots[b * c]);
        }
    }
    SYNC_THREADS;
    transform_parts(between);
    SYNC_THREADS;
    for (int item = LOCAL_ID; item < PAIRS * POINTS; item += GROUP_SIZE) {
        const int n = item % POINTS;
        const int row = first_row(item / POINTS);
        const complex_number both = between[item / POINTS * ROOM + PLACE_OF_FREQUENCY(n)];
        if (row < rows) {
            grid[row * grid_row + n] = both.x;
        }
        if (row + 1 < rows) {
            grid[(row + 1) * grid_row + n] = -both.y;
        }
    }
}
