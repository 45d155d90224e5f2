/*
 * transform — the discrete Fourier transform of lines of points, for devices whose library brings none.
 *
 * A group takes `at_once` lines into local memory, transforms them stage by stage (Stockham's order: results come out
 * sorted) and stores them. Stages are radices of 7 at most, the digits of `factors` to the base of 8, the least digit
 * first. roots[j] is exp(-2 pi i j / n), a pair of numbers as every point is; `sign` is -1, or 1 for the way back.
 *
 * Lines are one of two kinds. Of points that lie `inner` apart: line l begins at (l / inner) inner n + l % inner, and is
 * transformed in place. Rows of real numbers, inner = 0: two rows are the parts of one line, and of the results of each
 * row n / 2 + 1 are kept, for the others are their conjugates. From row to row there are grid_row numbers, spectrum_row points.
 */

/* A point of a line, on one of the two sides of local memory. */
#define PLACE(side, k, line) (2 * (((side)*n + (k)) * at_once + (line)))

KERNEL void transform_lines(GLOBAL real *grid, GLOBAL real *spectrum, GLOBAL const real *RESTRICT roots, int n, int inner,
                            int lines, int at_once, int factors, int sign, int rows, int grid_row, int spectrum_row,
                            LOCAL_ARG real *work)
{
    LOCAL_ARGUMENT(real, work)
    const int first = GROUP_ID * at_once;
    const int items = n * at_once;
    const int kept = n / 2 + 1;

    for (int item = LOCAL_ID; item < items; item += LOCAL_SIZE) {
        const int line = inner > 0 ? item % at_once : item / n;
        const int k = inner > 0 ? item / at_once : item % n;
        const int l = first + line;
        real re = REAL(0.0);
        real im = REAL(0.0);
        if (inner > 0 && l < lines) {
            const int at = 2 * (l / inner * inner * n + l % inner + k * inner);
            re = spectrum[at];
            im = spectrum[at + 1];
        } else if (l < lines && sign < 0) {
            re = grid[2 * l * grid_row + k];
            im = 2 * l + 1 < rows ? grid[(2 * l + 1) * grid_row + k] : REAL(0.0);
        } else if (l < lines) {
            /* a + i b, of which a row has the first half and the conjugates the rest; real where a point is its own */
            const int mirrored = k >= kept;
            const int own = k == 0 || 2 * k == n;
            const int at = 2 * (2 * l * spectrum_row + (mirrored ? n - k : k));
            const int next = 2 * l + 1 < rows ? at + 2 * spectrum_row : at;
            const real there = 2 * l + 1 < rows ? REAL(1.0) : REAL(0.0);
            const real a = own ? REAL(0.0) : spectrum[at + 1];
            const real b = own ? REAL(0.0) : there * spectrum[next + 1];
            re = spectrum[at] + (mirrored ? b : -b);
            im = there * spectrum[next] + (mirrored ? -a : a);
        }
        work[PLACE(0, k, line)] = re;
        work[PLACE(0, k, line) + 1] = im;
    }
    SYNC_THREADS;

    int side = 0;
    int done = 1; /* points of the transforms so far */
    for (int rest = factors; rest > 0; rest /= 8) {
        const int radix = rest % 8;
        const int part = n / radix;
        for (int item = LOCAL_ID; item < items; item += LOCAL_SIZE) {
            const int line = item % at_once;
            const int out = item / at_once;
            const int within = out % (done * radix);
            const int k = within % done;
            const int from = out / (done * radix) * done + k;
            const int turn = (k * (part / done) + within / done * part) % n;
            real re = work[PLACE(side, from, line)];
            real im = work[PLACE(side, from, line) + 1];
            int root = 0;
            for (int p = 1; p < radix; p++) {
                root += turn;
                root = root >= n ? root - n : root;
                const real c = roots[2 * root];
                const real s = sign < 0 ? roots[2 * root + 1] : -roots[2 * root + 1];
                const real x = work[PLACE(side, from + p * part, line)];
                const real y = work[PLACE(side, from + p * part, line) + 1];
                re += x * c - y * s;
                im += x * s + y * c;
            }
            work[PLACE(1 - side, out, line)] = re;
            work[PLACE(1 - side, out, line) + 1] = im;
        }
        SYNC_THREADS;
        side = 1 - side;
        done *= radix;
    }

    for (int item = LOCAL_ID; item < items; item += LOCAL_SIZE) {
        const int line = inner > 0 ? item % at_once : item / n;
        const int k = inner > 0 ? item / at_once : item % n;
        const int l = first + line;
        const real re = work[PLACE(side, k, line)];
        const real im = work[PLACE(side, k, line) + 1];
        if (inner > 0 && l < lines) {
            const int at = 2 * (l / inner * inner * n + l % inner + k * inner);
            spectrum[at] = re;
            spectrum[at + 1] = im;
        } else if (l < lines && sign > 0) {
            grid[2 * l * grid_row + k] = re;
            if (2 * l + 1 < rows) {
                grid[(2 * l + 1) * grid_row + k] = im;
            }
        } else if (l < lines && k < kept) {
            const int mirror = k == 0 ? 0 : n - k;
            const real mre = work[PLACE(side, mirror, line)];
            const real mim = work[PLACE(side, mirror, line) + 1];
            const int at = 2 * (2 * l * spectrum_row + k);
            spectrum[at] = REAL(0.5) * (re + mre);
            spectrum[at + 1] = REAL(0.5) * (im - mim);
            if (2 * l + 1 < rows) {
                spectrum[at + 2 * spectrum_row] = REAL(0.5) * (im + mim);
                spectrum[at + 2 * spectrum_row + 1] = REAL(0.5) * (mre - re);
            }
        }
    }
}
