#include "reference/pme/transform.h"

#include <math.h>
#include <stdlib.h>

/* A line of n points; roots[j] is exp(sign 2 pi i j / n). */
struct line {
    size_t n;
    struct point *roots, *in, *out, *terms;
};

static struct point times(struct point a, struct point b) {
    return (struct point){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static size_t least_factor(size_t n) {
    size_t factor = 2;
    while (factor * factor <= n && n % factor != 0) {
        factor++;
    }
    return factor * factor <= n ? factor : n;
}

/* Out of transforms of every p-th point, each of n / p results in a row of `out`, that of all. */
static void join(const struct line *line, size_t n, size_t p, struct point *out) {
    const size_t part = n / p;
    const size_t step = line->n / n;
    for (size_t k = 0; k < part; k++) {
        for (size_t r = 0; r < p; r++) {
            line->terms[r] = times(out[r * part + k], line->roots[r * k * step]);
        }
        for (size_t q = 0; q < p; q++) {
            struct point sum = line->terms[0];
            for (size_t r = 1; r < p; r++) {
                const struct point term =
                    times(line->terms[r], line->roots[r * q % p * (line->n / p)]);
                sum.re += term.re;
                sum.im += term.im;
            }
            out[q * part + k] = sum;
        }
    }
}

/* Of n points that are `stride` apart. The depth is the number of prime factors of n. */
static void transform_part(const struct line *line, size_t n, const struct point *in, size_t stride,
                           struct point *out) {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const size_t p = least_factor(n);
    for (size_t r = 0; r < p; r++) {
        transform_part(line, n / p, in + r * stride, stride * p, out + r * (n / p));
    }
    join(line, n, p, out);
}

static void line_free(struct line *line) {
    free(line->roots);
    free(line->in);
    free(line->out);
    free(line->terms);
}

static bool line_make(size_t n, int sign, struct line *line) {
    const long double full = 6.283185307179586476925286766559L;
    line->n = n;
    line->roots = malloc(n * sizeof *line->roots);
    line->in = malloc(n * sizeof *line->in);
    line->out = malloc(n * sizeof *line->out);
    line->terms = malloc(n * sizeof *line->terms);
    if (!line->roots || !line->in || !line->out || !line->terms) {
        return false;
    }
    for (size_t j = 0; j < n; j++) {
        const long double angle = full * (long double)j / (long double)n;
        line->roots[j] = (struct point){ (double)cosl(angle), (double)(sign * sinl(angle)) };
    }
    return true;
}

/* All lines along one index, whose points are `stride` apart. */
static void transform_lines(const struct line *line, struct point *points, size_t stride,
                            size_t total) {
    for (size_t first = 0; first < total; first++) {
        if (first / stride % line->n != 0) {
            continue;
        }
        for (size_t j = 0; j < line->n; j++) {
            line->in[j] = points[first + j * stride];
        }
        transform_part(line, line->n, line->in, 1, line->out);
        for (size_t j = 0; j < line->n; j++) {
            points[first + j * stride] = line->out[j];
        }
    }
}

bool transform_grid(struct point *points, const size_t size[3], int sign, struct error *error) {
    const size_t total = size[0] * size[1] * size[2];
    size_t stride = 1;
    for (int d = 2; d >= 0; d--) {
        struct line line = { 0 };
        const bool made = line_make(size[d], sign, &line);
        if (made) {
            transform_lines(&line, points, stride, total);
        }
        line_free(&line);
        if (!made) {
            return fail_out_of_memory(error, "a transform");
        }
        stride *= size[d];
    }
    return true;
}
