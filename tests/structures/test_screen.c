/* What three bytes a particle tell (variants/screen.cl): nothing within the cutoff is
 * screened out, whatever the box, and what is well beyond it is. Pairs are made as far apart as the
 * cutoff, in every direction. */
#include "boxes/random.h"
#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/bindings.h"
#include "structures/cell_grid.h"

#include "device_calls.h"
#include "device_fixture.h"

enum { PAIRS = 20000, GROUP = 64 };

static const double cutoff = 2.5;

static const char kernels[] =
    "KERNEL void of_edge(int n, box_args box, real4 unused, real cutoff2,\n"
    "                    GLOBAL const real4 *RESTRICT a, GLOBAL const real4 *RESTRICT b,\n"
    "                    GLOBAL int *RESTRICT close)\n"
    "{\n"
    "    const real4 scale = screen_scale_of_box(box, cutoff2);\n"
    "    const int limit = screen_limit(scale, cutoff2);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        close[GLOBAL_ID] = (int)SCREEN_BIT(0u, screen_place_in_box(a[GLOBAL_ID], box, "
    "scale),\n"
    "                                           screen_place_in_box(b[GLOBAL_ID], box, scale),\n"
    "                                           limit);\n"
    "    }\n"
    "}\n"
    "KERNEL void of_turns(int n, box_args box, real4 scale, real cutoff2,\n"
    "                     GLOBAL const real4 *RESTRICT a, GLOBAL const real4 *RESTRICT b,\n"
    "                     GLOBAL int *RESTRICT close)\n"
    "{\n"
    "    const int limit = screen_limit(scale, cutoff2);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        const int own = screen_place(straighten(a[GLOBAL_ID], box), scale);\n"
    "        const int other = screen_place(straighten(b[GLOBAL_ID], box), scale);\n"
    "        close[GLOBAL_ID] = (int)SCREEN_BIT(0u, own, other, limit);\n"
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

static struct program *compile_screen(struct device *device, bool periodic, bool triclinic,
                                      const char *precision) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "#define PERIODIC %d\n#define TRICLINIC %d\n#define WITH_CUTOFF 1\n",
                  periodic, triclinic);
    strbuf_append(&text, "%s\n%s\n%s", embedded_text("variants/box.cl"),
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
    double tilt[3];
};

static const struct setting settings[] = {
    { "cube", { 20, 20, 20 }, 0, true, { 0 } },
    { "brick", { 16, 20, 25 }, 0, true, { 0 } },
    { "rod", { 5.5, 40, 900 }, 0, true, { 0 } },
    { "small", { 5.1, 5.2, 5.3 }, 0, true, { 0 } },
    { "large", { 3000, 2900, 3100 }, 0, true, { 0 } },
    { "open", { 30, 60, 90 }, -11, false, { 0 } },
    { "far away", { 30, 60, 90 }, 40000, false, { 0 } },
    { "wide", { 5000, 5000, 5000 }, 0, false, { 0 } },
    { "leaning cube", { 20, 20, 20 }, 0, true, { 5, -7, 9 } },
    { "whole edges", { 30, 30, 30 }, 0, true, { 30, -30, 60 } },
    { "leaning rod", { 12, 40, 900 }, 0, true, { 5, 100, -30 } },
    { "small and leaning", { 7, 6, 5.3 }, 0, true, { 3, 2, 2 } },
    { "large and leaning", { 3000, 2900, 3100 }, 0, true, { -1400, 900, 1200 } },
};

static bool leans(const struct setting *s) {
    return s->tilt[0] != 0;
}

static struct cell cell_of(const struct setting *s) {
    return (struct cell){ { s->edge[0], s->edge[1], s->edge[2] },
                          { s->tilt[0], s->tilt[1], s->tilt[2] } };
}

/* What rounding to the precision and wrapping leave of a point, as the harness would. */
static void as_stored(const struct setting *s, double x[3], bool is_double) {
    const struct cell cell = cell_of(s);
    if (s->periodic) {
        cell_wrap(&cell, x);
    }
    for (int k = 0; k < 3; k++) {
        x[k] = s->periodic && !leans(s) && x[k] >= s->edge[k] ? 0 : x[k];
        x[k] = is_double ? x[k] : (double)(float)x[k];
    }
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
    double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    const double c = s->periodic ? round(d[2] / s->edge[2]) : 0;
    d[0] -= c * s->tilt[1];
    d[1] -= c * s->tilt[2];
    d[2] -= c * s->edge[2];
    const double along_b = s->periodic ? round(d[1] / s->edge[1]) : 0;
    d[0] -= along_b * s->tilt[0];
    d[1] -= along_b * s->edge[1];
    d[0] -= s->periodic ? round(d[0] / s->edge[0]) * s->edge[0] : 0;
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
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
            a[k] = s->offset + s->edge[k] * random_unit(&stream);
            b[k] = a[k] + apart * d[k];
        }
        as_stored(s, a, is_double);
        as_stored(s, b, is_double);
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
    struct box box = { .n = 2, .periodic = s->periodic };
    double scale[4];
    box.cell = cell_of(s);
    screen_make_scale(&box, cutoff, scale);
    struct buffer *a = buffer_of(device, pairs->a, pairs->bytes);
    struct buffer *b = buffer_of(device, pairs->b, pairs->bytes);
    struct buffer *out = buffer_of(device, close, PAIRS * sizeof *close);
    const struct argument arguments[] = {
        argument_int(PAIRS),
        bindings_box(&box.cell, s->periodic, is_double),
        argument_real4(scale, is_double),
        argument_real(cutoff * cutoff, is_double),
        argument_buffer(a),
        argument_buffer(b),
        argument_buffer(out),
    };
    launch_over(program, of_edge ? "of_edge" : "of_turns", PAIRS, arguments, 7);
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
    for (int kind = 0; kind < 3; kind++) { /* open, orthorhombic, triclinic */
        const bool periodic = kind > 0;
        struct program *program = compile_screen(device, periodic, kind == 2, precision);
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
            if (settings[k].periodic == periodic && leans(&settings[k]) == (kind == 2)) {
                nothing_within_the_cutoff_is_lost(device, program, &settings[k], true, is_double);
                nothing_within_the_cutoff_is_lost(device, program, &settings[k], false, is_double);
            }
        }
        const struct setting *s = &settings[periodic ? 0 : 5];
        if (kind < 2) {
            what_is_far_is_screened_out(device, program, s,
                                        periodic ? s->edge[0] / 256 : cutoff / 8, true, is_double);
            what_is_far_is_screened_out(device, program, s,
                                        periodic ? s->edge[0] / 512 : 3.2 * cutoff / 256, false,
                                        is_double);
        }
        program_free(program);
    }
}

TEST(screens_in_float) {
    screens(*state, "float");
}

TEST(screens_in_double) {
    if (!device_describe(*state)->fp64) {
        skip_because("the device has no double");
    }
    screens(*state, "double");
}

TEST(products_of_bytes_and_leading_zeros) {
    enum { WORDS = 4096 };
    static int a[WORDS];
    static int b[WORDS];
    static int dot[WORDS];
    static int zeros[WORDS];
    struct device *device = *state;
    struct program *program = compile_screen(device, true, false, "float");
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
TEST(words_of_32) {
    enum { COUNTS = 40 };
    int places[32];
    unsigned words[COUNTS];
    struct device *device = *state;
    struct program *program = compile_screen(device, true, false, "float");
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
    stream = random_from_seed(1);
    return run_listed_tests();
}
