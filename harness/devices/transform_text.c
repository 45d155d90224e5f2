/* Kernel text of the transforms of a few points, written out: what a work-item of a kernel for
 * lines of points has in registers (variants/grid_lines.cl). Compilers unroll loops over them in
 * part, and PoCL 3.1 leaves some out. */
#include "devices/device.h"

#include <math.h>

enum { MOST_POINTS = 64, NAME = 16 };

static const double full_turn = 6.283185307179586477;

/* A complex number: the names of its parts, which the text gives them once. */
struct named {
    char re[NAME], im[NAME];
};

struct writer {
    struct strbuf *text;
    int count; /* of names */
};

static struct named next_name(struct writer *writer) {
    struct named made;
    (void)snprintf(made.re, sizeof made.re, "r%d", writer->count);
    (void)snprintf(made.im, sizeof made.im, "i%d", writer->count);
    writer->count = (writer->count + 1) % 100000;
    return made;
}

/* (re + i im) a */
static struct named multiply(struct writer *writer, double re, double im, const struct named *a) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = ACCUM(%.17g) * %s - ACCUM(%.17g) * %s;\n",
                  made.re, re, a->re, im, a->im);
    strbuf_append(writer->text, "    const accum %s = ACCUM(%.17g) * %s + ACCUM(%.17g) * %s;\n",
                  made.im, re, a->im, im, a->re);
    return made;
}

static struct named add(struct writer *writer, const struct named *a, const char *sign,
                        const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s %s %s, %s = %s %s %s;\n", made.re, a->re,
                  sign, b->re, made.im, a->im, sign, b->im);
    return made;
}

/* a + i b, or a - i b */
static struct named add_turned(struct writer *writer, const struct named *a, bool back,
                               const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s %s %s, %s = %s %s %s;\n", made.re, a->re,
                  back ? "+" : "-", b->im, made.im, a->im, back ? "-" : "+", b->re);
    return made;
}

/* a, which may be none, plus a real number times b. */
static struct named add_times(struct writer *writer, const struct named *a, double times,
                              const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s + ACCUM(%.17g) * %s;\n", made.re,
                  a ? a->re : "ACCUM(0.0)", times, b->re);
    strbuf_append(writer->text, "    const accum %s = %s + ACCUM(%.17g) * %s;\n", made.im,
                  a ? a->im : "ACCUM(0.0)", times, b->im);
    return made;
}

/* x exp(-2 pi i power / of) */
static struct named multiply_by_root(struct writer *writer, const struct named *x, size_t power,
                                     size_t order) {
    const double angle = full_turn * (double)(power % order) / (double)order;
    return power % order == 0 ? *x : multiply(writer, cos(angle), -sin(angle), x);
}

/* 3, 5 or 7 points: j and -j have the same cosines and opposite sines. */
static void write_odd(struct writer *writer, size_t count, struct named *x) {
    struct named sum[3];
    struct named difference[3];
    struct named all = x[0];
    const struct named first = x[0];
    for (size_t j = 1; j <= count / 2; j++) {
        sum[j - 1] = add(writer, &x[j], "+", &x[count - j]);
        difference[j - 1] = add(writer, &x[j], "-", &x[count - j]);
        all = add(writer, &all, "+", &sum[j - 1]);
    }
    x[0] = all;
    for (size_t k = 1; k <= count / 2; k++) {
        struct named even = first;
        struct named odd;
        for (size_t j = 1; j <= count / 2; j++) {
            const double angle = full_turn * (double)(j * k % count) / (double)count;
            even = add_times(writer, &even, cos(angle), &sum[j - 1]);
            odd = add_times(writer, j > 1 ? &odd : NULL, sin(angle), &difference[j - 1]);
        }
        x[k] = add_turned(writer, &even, true, &odd);
        x[count - k] = add_turned(writer, &even, false, &odd);
    }
}

static void write_two(struct writer *writer, struct named *x) {
    const struct named sum = add(writer, &x[0], "+", &x[1]);
    x[1] = add(writer, &x[0], "-", &x[1]);
    x[0] = sum;
}

static void write_four(struct writer *writer, struct named *x) {
    struct named even[2] = { x[0], x[2] };
    struct named odd[2] = { x[1], x[3] };
    write_two(writer, even);
    write_two(writer, odd);
    x[0] = add(writer, &even[0], "+", &odd[0]);
    x[1] = add_turned(writer, &even[1], true, &odd[1]);
    x[2] = add(writer, &even[0], "-", &odd[0]);
    x[3] = add_turned(writer, &even[1], false, &odd[1]);
}

/* 1, 2, 3, 4, 5 or 7 points. */
static void write_least(struct writer *writer, size_t count, struct named *x) {
    if (count == 2) {
        write_two(writer, x);
    } else if (count == 4) {
        write_four(writer, x);
    } else if (count > 1) {
        write_odd(writer, count, x);
    }
}

typedef void write_transform(struct writer *writer, size_t count, struct named *x);

/* Of two factors, points being second a + b and frequencies c + first d: over a, turned, then over
 * b, which write_second() writes. */
static void write_product(struct writer *writer, const size_t factors[2],
                          write_transform *write_second, struct named *x) {
    const size_t first = factors[0];
    const size_t second = factors[1];
    struct named part[MOST_POINTS];
    struct named all[MOST_POINTS];
    for (size_t b = 0; b < second; b++) {
        for (size_t a = 0; a < first; a++) {
            part[a] = x[second * a + b];
        }
        write_least(writer, first, part);
        for (size_t c = 0; c < first; c++) {
            all[c * second + b] = multiply_by_root(writer, &part[c], b * c, first * second);
        }
    }
    for (size_t c = 0; c < first; c++) {
        write_second(writer, second, &all[c * second]);
        for (size_t d = 0; d < second; d++) {
            x[c + first * d] = all[c * second + d];
        }
    }
}

/* Numbers of points, and one of the two factors by which they are transformed; 1: at once. */
static const size_t taken[][2] = {
    { 64, 4 }, { 63, 7 }, { 60, 5 }, { 56, 7 }, { 50, 2 }, { 49, 7 }, { 48, 4 },
    { 45, 5 }, { 42, 7 }, { 40, 5 }, { 36, 4 }, { 35, 5 }, { 32, 4 }, { 30, 5 },
    { 28, 4 }, { 27, 3 }, { 25, 5 }, { 24, 3 }, { 21, 3 }, { 20, 4 }, { 18, 3 },
    { 16, 4 }, { 15, 3 }, { 14, 2 }, { 12, 3 }, { 10, 2 }, { 9, 3 },  { 8, 2 },
    { 7, 1 },  { 6, 2 },  { 5, 1 },  { 4, 1 },  { 3, 1 },  { 2, 1 },  { 1, 1 },
};
enum { TAKEN = sizeof taken / sizeof taken[0] };

static size_t factor_of(size_t count) {
    size_t t = 0;
    while (t + 1 < TAKEN && taken[t][0] != count) {
        t++;
    }
    return taken[t][1];
}

static void write_pair(struct writer *writer, size_t count, struct named *x) {
    const size_t first = factor_of(count);
    write_product(writer, (size_t[2]){ first, count / first }, write_least, x);
}

static void write_short(struct writer *writer, size_t count, struct named *x) {
    const size_t first = factor_of(count);
    const size_t second = count / first;
    if (first == 1) {
        write_least(writer, count, x);
    } else {
        write_product(writer, (size_t[2]){ first, second },
                      factor_of(second) > 1 ? write_pair : write_least, x);
    }
}

bool transform_line_factors(size_t points, size_t factors[2]) {
    for (size_t a = 0; a < TAKEN; a++) {
        for (size_t b = 0; b <= a; b++) {
            if (taken[a][0] * taken[b][0] == points) {
                factors[0] = taken[a][0];
                factors[1] = taken[b][0];
                return true;
            }
        }
    }
    return false;
}

void transform_append_short(size_t count, struct strbuf *text) {
    struct writer writer = { text, 0 };
    struct named x[MOST_POINTS];
    strbuf_append(text, "DEVICE void transform_%zu(complex_number *x)\n{\n", count);
    for (size_t j = 0; j < count; j++) {
        x[j] = next_name(&writer);
        strbuf_append(text, "    const accum %s = x[%zu].x, %s = x[%zu].y;\n", x[j].re, j, x[j].im,
                      j);
    }
    write_short(&writer, count, x);
    for (size_t j = 0; j < count; j++) {
        strbuf_append(text, "    x[%zu].x = %s;\n    x[%zu].y = %s;\n", j, x[j].re, j, x[j].im);
    }
    strbuf_append(text, "}\n");
}
