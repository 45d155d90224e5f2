/* What three bytes a particle tell (variants/screen.cl): nothing within the cutoff is
 * screened out, whatever the box, and what is well beyond it is. Pairs are made as far apart as the
 * cutoff, in every direction. */
#include "base/embedded.h"
#include "base/strbuf.h"
#include "box/random.h"
#include "structure/screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_calls.h"
#include "device_fixture.h"

enum { PAIRS = 20000, GROUP = 64 };

static const double cutoff = 2.5;

static const char kernels[] =
    "KERNEL void of_edge(int n, real4 inverse_edge, real cutoff2, GLOBAL const real4 *RESTRICT a,\n"
    "                    GLOBAL const real4 *RESTRICT b, GLOBAL int *RESTRICT close)\n"
    "{\n"
    "    const real4 scale = screen_scale_of_edge(inverse_edge, cutoff2);\n"
    "    const int limit = screen_limit(scale, cutoff2);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        close[GLOBAL_ID] = (int)SCREEN_BIT(0u, screen_place_in_edge(a[GLOBAL_ID], scale),\n"
    "                                           screen_place_in_edge(b[GLOBAL_ID], scale), "
    "limit);\n"
    "    }\n"
    "}\n"
    "KERNEL void of_turns(int n, real4 scale, real cutoff2, GLOBAL const real4 *RESTRICT a,\n"
    "                     GLOBAL const real4 *RESTRICT b, GLOBAL int *RESTRICT close)\n"
    "{\n"
    "    const int limit = screen_limit(scale, cutoff2);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        close[GLOBAL_ID] = (int)SCREEN_BIT(0u, screen_place(a[GLOBAL_ID], scale),\n"
    "                                           screen_place(b[GLOBAL_ID], scale), limit);\n"
    "    }\n"
    "}\n"
    "KERNEL void whole_numbers(int n, GLOBAL const int *RESTRICT a, GLOBAL const int *RESTRICT b,\n"
    "                          GLOBAL int *RESTRICT dot, GLOBAL int *RESTRICT zeros)\n"
    "{\n"
    "    if (GLOBAL_ID < n) {\n"
    "        dot[GLOBAL_ID] = DOT4(a[GLOBAL_ID], b[GLOBAL_ID], -7);\n"
    "        zeros[GLOBAL_ID] = LEADING_ZEROS(a[GLOBAL_ID]);\n"
    "    }\n"
    "}\n"
    "KERNEL void of_32(int n, GLOBAL const int *RESTRICT places, GLOBAL uint *RESTRICT words)\n"
    "{\n"
    "    LOCAL int tile[32];\n"
    "    for (int k = LOCAL_ID; k < 32; k += LOCAL_SIZE) {\n"
    "        tile[k] = places[k];\n"
    "    }\n"
    "    SYNC_THREADS;\n"
    "    if (GLOBAL_ID < n) {\n"
    "        words[GLOBAL_ID] = screen_32(0, tile, 110, GLOBAL_ID - 2);\n"
    "    }\n"
    "}\n";

/* ---- the device's side ---- */

static struct program *compile_screen(struct device *device, bool periodic, const char *precision) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "#define PERIODIC %d\n#define WITH_CUTOFF 1\n%s\n%s", periodic,
                  embedded_text("variants/screen.cl"), kernels);
    assert_false(text.failed);
    struct program *program = compile(device, text.data, precision, GROUP);
    strbuf_free(&text);
    return program;
}

/* One work-item each of n. */
static void launch_over(struct program *program, const char *name, size_t n,
                        const struct argument *arguments, size_t count) {
    launch(program, name, (n + GROUP - 1) / GROUP, GROUP, arguments, count);
}

/* ---- pairs ---- */

static struct random stream;

static void direction(double d[3]) {
    double square;
    do {
        for (int k = 0; k < 3; k++) {
            d[k] = random_signed(&stream);
        }
        square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    } while (square > 1 || square < 1e-4);
    for (int k = 0; k < 3; k++) {
        d[k] /= sqrt(square);
    }
}

/* A case: where pairs lie, and how they are screened. */
struct setting {
    const char *name;
    double edge[3]; /* of an open box: how far its particles spread */
    double offset;  /* of an open box: where they lie */
    bool periodic;
};

static const struct setting settings[] = {
    { "cube", { 20, 20, 20 }, 0, true },          { "brick", { 16, 20, 25 }, 0, true },
    { "rod", { 5.5, 40, 900 }, 0, true },         { "small", { 5.1, 5.2, 5.3 }, 0, true },
    { "large", { 3000, 2900, 3100 }, 0, true },   { "open", { 30, 60, 90 }, -11, false },
    { "far away", { 30, 60, 90 }, 40000, false }, { "wide", { 5000, 5000, 5000 }, 0, false },
};

/* What rounding to the precision and wrapping leave of a coordinate, as the harness would. */
static double as_stored(const struct setting *s, int k, double x, bool is_double) {
    if (s->periodic) {
        x -= s->edge[k] * floor(x / s->edge[k]);
        x = x >= s->edge[k] ? 0 : x;
    }
    return is_double ? x : (double)(float)x;
}

static void store(void *positions, size_t at, const double x[3], bool is_double) {
    for (size_t k = 0; k < 3; k++) {
        if (is_double) {
            ((double *)positions)[4 * at + k] = x[k];
        } else {
            ((float *)positions)[4 * at + k] = (float)x[k];
        }
    }
}

/* The distance of the nearest images, as it came out. */
static double distance(const struct setting *s, const double a[3], const double b[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d = a[k] - b[k];
        d -= s->periodic ? s->edge[k] * round(d / s->edge[k]) : 0;
        square += d * d;
    }
    return sqrt(square);
}

struct pairs {
    void *a, *b; /* real4 each */
    double *distance;
    size_t bytes;
};

static struct pairs make_pairs(const struct setting *s, double apart, bool is_double) {
    struct pairs pairs = { .bytes =
                               (size_t)PAIRS * 4 * (is_double ? sizeof(double) : sizeof(float)) };
    pairs.a = calloc(1, pairs.bytes);
    pairs.b = calloc(1, pairs.bytes);
    pairs.distance = calloc(PAIRS, sizeof *pairs.distance);
    assert_true(pairs.a && pairs.b && pairs.distance);
    for (size_t p = 0; p < PAIRS; p++) {
        double a[3];
        double b[3];
        /* Along the diagonal what is cut off and what is borrowed add up in all three. */
        double d[3] = { sqrt(1 / 3.0), sqrt(1 / 3.0), sqrt(1 / 3.0) };
        if (p % 2 == 0) {
            direction(d);
        }
        for (int k = 0; k < 3; k++) {
            const double x = s->offset + s->edge[k] * random_unit(&stream);
            a[k] = as_stored(s, k, x, is_double);
            b[k] = as_stored(s, k, x + apart * d[k], is_double);
        }
        store(pairs.a, p, a, is_double);
        store(pairs.b, p, b, is_double);
        pairs.distance[p] = distance(s, a, b);
    }
    return pairs;
}

static void free_pairs(struct pairs *pairs) {
    free(pairs->a);
    free(pairs->b);
    free(pairs->distance);
}

/* ---- what is asked of a screen ---- */

/* Screens the pairs by the kernel of that name; close[p] tells what came out. */
static void screen_pairs(struct device *device, struct program *program, const struct setting *s,
                         bool of_edge, const struct pairs *pairs, bool is_double, int *close) {
    const double inverse[4] = { 1 / s->edge[0], 1 / s->edge[1], 1 / s->edge[2], 0 };
    struct box box = { .n = 2, .periodic = s->periodic };
    double scale[4];
    memcpy(box.edge, s->edge, sizeof box.edge);
    screen_make_scale(&box, cutoff, scale);
    struct buffer *a = buffer_of(device, pairs->a, pairs->bytes);
    struct buffer *b = buffer_of(device, pairs->b, pairs->bytes);
    struct buffer *out = buffer_of(device, close, PAIRS * sizeof *close);
    const struct argument arguments[] = {
        argument_int(PAIRS),
        argument_real4(of_edge ? inverse : scale, is_double),
        argument_real(cutoff * cutoff, is_double),
        argument_buffer(a),
        argument_buffer(b),
        argument_buffer(out),
    };
    launch_over(program, of_edge ? "of_edge" : "of_turns", PAIRS, arguments, 6);
    read_all(out, close, PAIRS * sizeof *close);
    buffer_free(a);
    buffer_free(b);
    buffer_free(out);
}

static void nothing_within_the_cutoff_is_lost(struct device *device, struct program *program,
                                              const struct setting *s, bool of_edge,
                                              bool is_double) {
    static int close[PAIRS];
    struct pairs pairs = make_pairs(s, cutoff * (1 - 1e-7), is_double);
    size_t within = 0;
    screen_pairs(device, program, s, of_edge, &pairs, is_double, close);
    for (size_t p = 0; p < PAIRS; p++) {
        /* In float a coordinate far out is rounded: some pairs come out a little further apart. */
        if (pairs.distance[p] <= cutoff) {
            within++;
            if (close[p] != 1) {
                fail_msg("%s: a pair at %.9g is screened out", s->name, pairs.distance[p]);
            }
        }
    }
    assert_true(within > PAIRS / 3);
    free_pairs(&pairs);
}

/* In the cube and in an open box of its size, where units are alike in all directions: what passes
 * lies within the cutoff and 7.3 units. */
static void what_is_far_is_screened_out(struct device *device, struct program *program,
                                        const struct setting *s, double unit, bool of_edge,
                                        bool is_double) {
    static int close[PAIRS];
    struct pairs pairs = make_pairs(s, cutoff + 7.3 * unit, is_double);
    screen_pairs(device, program, s, of_edge, &pairs, is_double, close);
    for (size_t p = 0; p < PAIRS; p++) {
        if (close[p] != 0) {
            fail_msg("%s: a pair at %.9g passes", s->name, pairs.distance[p]);
        }
    }
    free_pairs(&pairs);
}

static void screens(struct device *device, const char *precision) {
    const bool is_double = strcmp(precision, "double") == 0;
    for (int periodic = 0; periodic < 2; periodic++) {
        struct program *program = compile_screen(device, periodic, precision);
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
            if (settings[k].periodic == periodic) {
                nothing_within_the_cutoff_is_lost(device, program, &settings[k], true, is_double);
                nothing_within_the_cutoff_is_lost(device, program, &settings[k], false, is_double);
            }
        }
        const struct setting *s = &settings[periodic ? 0 : 5];
        what_is_far_is_screened_out(device, program, s, periodic ? s->edge[0] / 256 : cutoff / 8,
                                    true, is_double);
        what_is_far_is_screened_out(
            device, program, s, periodic ? s->edge[0] / 512 : 3.2 * cutoff / 256, false, is_double);
        program_free(program);
    }
}

static void screens_in_float(void **state) {
    screens(*state, "float");
}

static void screens_in_double(void **state) {
    if (!device_describe(*state)->fp64) {
        skip();
    }
    screens(*state, "double");
}

static void products_of_bytes_and_leading_zeros(void **state) {
    enum { WORDS = 4096 };
    static int a[WORDS];
    static int b[WORDS];
    static int dot[WORDS];
    static int zeros[WORDS];
    struct device *device = *state;
    struct program *program = compile_screen(device, true, "float");
    for (int i = 0; i < WORDS; i++) {
        a[i] = (int)((unsigned)random_next(&stream)) & (i < 32 ? -1 : (int)(~0u >> i % 32));
        b[i] = (int)((unsigned)random_next(&stream));
    }
    a[0] = 0;
    a[1] = b[1] = (int)0x80808080u;
    struct buffer *buffers[4] = { buffer_of(device, a, sizeof a), buffer_of(device, b, sizeof b),
                                  buffer_of(device, dot, sizeof dot),
                                  buffer_of(device, zeros, sizeof zeros) };
    const struct argument arguments[] = { argument_int(WORDS), argument_buffer(buffers[0]),
                                          argument_buffer(buffers[1]), argument_buffer(buffers[2]),
                                          argument_buffer(buffers[3]) };
    launch_over(program, "whole_numbers", WORDS, arguments, 5);
    read_all(buffers[2], dot, sizeof dot);
    read_all(buffers[3], zeros, sizeof zeros);
    for (int i = 0; i < WORDS; i++) {
        int sum = -7;
        int leading = 0;
        for (int byte = 0; byte < 4; byte++) {
            sum += (int)(signed char)((unsigned)a[i] >> 8 * byte) *
                   (int)(signed char)((unsigned)b[i] >> 8 * byte);
        }
        while (leading < 32 && !((unsigned)a[i] << leading & 0x80000000u)) {
            leading++;
        }
        assert_int_equal(dot[i], sum);
        assert_int_equal(zeros[i], leading);
    }
    for (int k = 0; k < 4; k++) {
        buffer_free(buffers[k]);
    }
    program_free(program);
}

/* The first of 32 is the highest bit; places beyond the count are not taken. */
static void words_of_32(void **state) {
    enum { COUNTS = 40 };
    int places[32];
    unsigned words[COUNTS];
    struct device *device = *state;
    struct program *program = compile_screen(device, true, "float");
    unsigned all = 0;
    for (int t = 0; t < 32; t++) {
        places[t] = t % 3 == 0 ? 10 : 11; /* 103 and 124, with borrows; the limit is 110 */
        all = all << 1 | (t % 3 == 0);
    }
    memset(words, 0, sizeof words);
    struct buffer *in = buffer_of(device, places, sizeof places);
    struct buffer *out = buffer_of(device, words, sizeof words);
    const struct argument arguments[] = { argument_int(COUNTS), argument_buffer(in),
                                          argument_buffer(out) };
    launch_over(program, "of_32", COUNTS, arguments, 3);
    read_all(out, words, sizeof words);
    for (int i = 0; i < COUNTS; i++) {
        const int count = i - 2;
        const unsigned taken = count <= 0 ? 0 : count >= 32 ? ~0u : ~0u << (32 - count);
        assert_int_equal(words[i], all & taken);
    }
    buffer_free(in);
    buffer_free(out);
    program_free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screens_in_float),
        cmocka_unit_test(screens_in_double),
        cmocka_unit_test(products_of_bytes_and_leading_zeros),
        cmocka_unit_test(words_of_32),
    };
    stream = random_from_seed(1);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
