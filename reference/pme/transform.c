#include "reference/pme/transform.h"

#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Lines of n points; roots[j] is exp(sign 2 pi i j / n). Points of a line are `stride` apart. */
struct lines {
    size_t n, stride;
    struct point *points, *roots;
    atomic_bool failed;
};

/* What one line needs at a time. */
struct line {
    const struct lines *lines;
    struct point *in, *out, *terms;
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
    const size_t step = line->lines->n / n;
    for (size_t k = 0; k < part; k++) {
        for (size_t r = 0; r < p; r++) {
            line->terms[r] = times(out[r * part + k], line->lines->roots[r * k * step]);
        }
        for (size_t q = 0; q < p; q++) {
            struct point sum = line->terms[0];
            for (size_t r = 1; r < p; r++) {
                const struct point term =
                    times(line->terms[r], line->lines->roots[r * q % p * (line->lines->n / p)]);
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
    free(line->in);
    free(line->out);
    free(line->terms);
}

static bool line_make(const struct lines *lines, struct line *line) {
    line->lines = lines;
    line->in = malloc(lines->n * sizeof *line->in);
    line->out = malloc(lines->n * sizeof *line->out);
    line->terms = malloc(lines->n * sizeof *line->terms);
    return line->in && line->out && line->terms;
}

/* Those numbered from `first` on. */
static void transform_some(void *context, size_t first, size_t end) {
    struct lines *lines = context;
    struct line line;
    const bool made = line_make(lines, &line);
    for (size_t l = first; made && l < end; l++) {
        struct point *start =
            lines->points + l / lines->stride * lines->stride * lines->n + l % lines->stride;
        for (size_t j = 0; j < lines->n; j++) {
            line.in[j] = start[j * lines->stride];
        }
        transform_part(&line, lines->n, line.in, 1, line.out);
        for (size_t j = 0; j < lines->n; j++) {
            start[j * lines->stride] = line.out[j];
        }
    }
    line_free(&line);
    if (!made) {
        atomic_store(&lines->failed, true);
    }
}

/* All lines along one index, by threads: each by itself. */
static bool transform_axis(struct point *points, size_t n, size_t stride, size_t total, int sign) {
    const long double full = 6.283185307179586476925286766559L;
    struct lines lines = { .n = n, .stride = stride, .points = points };
    lines.roots = malloc(n * sizeof *lines.roots);
    for (size_t j = 0; lines.roots && j < n; j++) {
        const long double angle = full * (long double)j / (long double)n;
        lines.roots[j] = (struct point){ (double)cosl(angle), (double)(sign * sinl(angle)) };
    }
    if (lines.roots) {
        threads_share(total / n, transform_some, &lines);
    }
    const bool done = lines.roots && !atomic_load(&lines.failed);
    free(lines.roots);
    return done;
}

bool transform_grid(struct point *points, const size_t size[3], int sign, struct error *error) {
    const size_t total = size[0] * size[1] * size[2];
    size_t stride = 1;
    for (int d = 2; d >= 0; d--) {
        if (!transform_axis(points, size[d], stride, total, sign)) {
            return fail_out_of_memory(error, "a transform");
        }
        stride *= size[d];
    }
    return true;
}
