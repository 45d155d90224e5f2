/* Philox4x32-10 and KISS against published known answers: the reference's, and that of the words
 * for kernels; what the words make of it against the reference. */
#include "boxes/random.h"
#include "core/embedded.h"
#include "core/strings.h"
#include "reference/random/random.h"

#include <inttypes.h>

#include "device_calls.h"
#include "device_fixture.h"
#include "support.h"

enum { GROUP = 64, MAX_ANSWERS = 16, QUADS = 20000, DRAWS = 4 * QUADS };

/* ---- known answers ---- */

struct answer {
    uint32_t counter[4], key[2], words[4];
};

static struct answer answers[MAX_ANSWERS];
static size_t answer_count;

/* Lines of ten hexadecimal words; # begins a comment. */
static int read_answers(void) {
    FILE *file = fopen(TEST_DATA "/vectors/random/philox4x32-10.txt", "r");
    char line[512];
    while (file && answer_count < MAX_ANSWERS && fgets(line, sizeof line, file)) {
        struct answer *a = &answers[answer_count];
        uint32_t *place[10] = { &a->counter[0], &a->counter[1], &a->counter[2], &a->counter[3],
                                &a->key[0],     &a->key[1],     &a->words[0],   &a->words[1],
                                &a->words[2],   &a->words[3] };
        const char *rest = line;
        int words = 0;
        for (char *end = NULL; *line != '#' && words < 10; words++, rest = end) {
            *place[words] = (uint32_t)strtoul(rest, &end, 16);
            if (end == rest) {
                break;
            }
        }
        answer_count += words == 10;
    }
    return file ? fclose(file) : -1;
}

TEST(reference_gives_published_words) {
    assert_true(answer_count >= 2);
    for (size_t a = 0; a < answer_count; a++) {
        uint32_t words[4];
        reference_philox4x32_10(answers[a].counter, answers[a].key, words);
        assert_memory_equal(words, answers[a].words, sizeof words);
    }
}

/* ---- the device's side ---- */

static const char kernels[] =
    "KERNEL void of_counters(int n, GLOBAL const uint *RESTRICT asked, GLOBAL uint *RESTRICT "
    "words)\n"
    "{\n"
    "    if (GLOBAL_ID < n) {\n"
    "        GLOBAL const uint *own = asked + 6 * GLOBAL_ID;\n"
    "        const uint4 block = philox4x32_10(make_uint4(own[0], own[1], own[2], own[3]), \n"
    "                                          make_uint2(own[4], own[5]));\n"
    "        words[4 * GLOBAL_ID] = block.x;\n"
    "        words[4 * GLOBAL_ID + 1] = block.y;\n"
    "        words[4 * GLOBAL_ID + 2] = block.z;\n"
    "        words[4 * GLOBAL_ID + 3] = block.w;\n"
    "    }\n"
    "}\n"
    "KERNEL void of_stream(int n, long64 seed, long64 step, int use, GLOBAL real4 *RESTRICT "
    "uniform,\n"
    "                      GLOBAL real4 *RESTRICT gaussian)\n"
    "{\n"
    "    if (GLOBAL_ID < n) {\n"
    "        uniform[GLOBAL_ID] = random_uniform4((uint)GLOBAL_ID, step, (uint)use, seed);\n"
    "        gaussian[GLOBAL_ID] = random_gaussian4((uint)GLOBAL_ID, step, (uint)use, seed);\n"
    "    }\n"
    "}\n"
    "KERNEL void of_radial(int n, GLOBAL const uint *RESTRICT words, GLOBAL real2 *RESTRICT "
    "pairs)\n"
    "{\n"
    "#if !REAL_IS_DOUBLE\n"
    "    if (GLOBAL_ID < n) {\n"
    "        pairs[GLOBAL_ID] = random_box_muller(random_radial_float(words[GLOBAL_ID]), "
    "REAL(0.125));\n"
    "    }\n"
    "#endif\n"
    "}\n";

static struct program *compile_words(struct device *device, const char *precision) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s\n%s", embedded_text("variants/random.cl"), kernels);
    assert_false(text.failed);
    struct program *program = compile(device, text.data, precision, GROUP);
    strbuf_free(&text);
    return program;
}

static void launch_over(struct program *program, const char *name, size_t n,
                        const struct argument *arguments, size_t count) {
    launch(program, name, (n + GROUP - 1) / GROUP, GROUP, arguments, count);
}

TEST(words_for_kernels_give_published_words) {
    uint32_t asked[MAX_ANSWERS][6];
    uint32_t words[MAX_ANSWERS][4] = { { 0 } };
    for (size_t a = 0; a < answer_count; a++) {
        memcpy(asked[a], answers[a].counter, sizeof answers[a].counter);
        memcpy(&asked[a][4], answers[a].key, sizeof answers[a].key);
    }
    struct program *program = compile_words(*state, "float");
    struct buffer *in = buffer_of(*state, asked, sizeof asked);
    struct buffer *out = buffer_of(*state, words, sizeof words);
    const struct argument arguments[] = { argument_int((int)answer_count), argument_buffer(in),
                                          argument_buffer(out) };
    launch_over(program, "of_counters", answer_count, arguments, 3);
    read_all(out, words, sizeof words);
    for (size_t a = 0; a < answer_count; a++) {
        assert_memory_equal(words[a], answers[a].words, sizeof words[a]);
    }
    buffer_free(in);
    buffer_free(out);
    program_free(program);
}

/* ---- streams ---- */

/* What the functions may err by: the logarithm 3 ulp, halved by the root, whose own are 3; sine and
 * cosine 4; the product half of one (OpenCL 1.2, 7.4; CUDA's are better). An ulp is at most
 * 2 units of rounding. */
static double gaussian_error(bool in_double) {
    const double ulps = 1.5 + 3 + 4 + 0.5;
    return ulps * (in_double ? 0x1p-52 : 0x1p-23);
}

static double number_at(const void *numbers, size_t k, bool in_double) {
    return in_double ? ((const double *)numbers)[k] : (double)((const float *)numbers)[k];
}

static void compare_stream(struct device *device, struct program *program,
                           const struct random_stream *stream, bool in_double) {
    static double uniform[DRAWS];
    static double gaussian[DRAWS];
    const size_t bytes = DRAWS * (in_double ? sizeof(double) : sizeof(float));
    struct buffer *out[2] = { buffer_of(device, uniform, bytes),
                              buffer_of(device, gaussian, bytes) };
    const long long seed = (long long)stream->seed;
    const long long step = (long long)stream->step;
    const struct argument arguments[] = {
        argument_int(QUADS),
        argument_value(&seed, sizeof seed),
        argument_value(&step, sizeof step),
        argument_int((int)stream->use),
        argument_buffer(out[0]),
        argument_buffer(out[1]),
    };
    launch_over(program, "of_stream", QUADS, arguments, 6);
    read_all(out[0], uniform, bytes);
    read_all(out[1], gaussian, bytes);
    for (size_t d = 0; d < DRAWS; d++) {
        assert_true(number_at(uniform, d, in_double) ==
                    random_stream_uniform(stream, d, in_double));
        assert_close(number_at(gaussian, d, in_double),
                     random_stream_gaussian(stream, d, in_double), gaussian_error(in_double));
    }
    buffer_free(out[0]);
    buffer_free(out[1]);
}

static const struct random_stream streams[] = {
    { .seed = 0, .step = 0, .use = 0 },
    { .seed = 0xfedcba9876543210u, .step = 0x8000000100000003u, .use = 7 },
};

static void streams_are_as_expected(struct device *device, const char *precision) {
    struct program *program = compile_words(device, precision);
    for (size_t s = 0; s < sizeof streams / sizeof streams[0]; s++) {
        compare_stream(device, program, &streams[s], strcmp(precision, "double") == 0);
    }
    program_free(program);
}

TEST(streams_in_float) {
    streams_are_as_expected(*state, "float");
}

TEST(streams_in_double) {
    if (!device_describe(*state)->fp64) {
        skip_because("the device has no double");
    }
    streams_are_as_expected(*state, "double");
}

/* The longest Gaussian draws, and those of u = 1. */
TEST(ends_of_u_in_float) {
    static const uint32_t words[] = { 0, 1, 0xffffffffu, 0xffffff80u, 0xffffff00u, 0xfffffe00u };
    enum { WORDS = sizeof words / sizeof words[0] };
    float pairs[WORDS][2];
    struct program *program = compile_words(*state, "float");
    struct buffer *in = buffer_of(*state, words, sizeof words);
    struct buffer *out = buffer_of(*state, NULL, sizeof pairs);
    const struct argument arguments[] = { argument_int(WORDS), argument_buffer(in),
                                          argument_buffer(out) };
    launch_over(program, "of_radial", WORDS, arguments, 3);
    read_all(out, pairs, sizeof pairs);
    const double nearly_one[2] = { -log1p(-ldexp(1, -24)), -log1p(-ldexp(1, -23)) };
    const double expected[WORDS] = { sqrt(66 * log(2.0)),     sqrt(-2 * log(1.5 * 0x1p-32)), 0, 0,
                                     sqrt(2 * nearly_one[0]), sqrt(2 * nearly_one[1]) };
    for (size_t w = 0; w < WORDS; w++) {
        assert_close((double)pairs[w][0], expected[w] * sqrt(0.5), gaussian_error(false));
        assert_close((double)pairs[w][1], expected[w] * sqrt(0.5), gaussian_error(false));
    }
    buffer_free(in);
    buffer_free(out);
    program_free(program);
}

/* ---- the reference by itself ---- */

/* Box and Muller's formula as it stands, with the C library's sine of a rounded angle. */
TEST(reference_agrees_with_the_plain_formula) {
    for (uint64_t p = 0; p < 5000; p++) {
        const struct random_stream *stream = &streams[p % 2];
        const double u = random_stream_uniform(stream, 2 * p, true);
        const double v = random_stream_uniform(stream, 2 * p + 1, true);
        const double angle = 2 * 3.14159265358979323846 * v;
        const double radius = sqrt(-2 * log(u));
        assert_near(random_stream_gaussian(stream, 2 * p, true), radius * cos(angle), 1e-14);
        assert_near(random_stream_gaussian(stream, 2 * p + 1, true), radius * sin(angle), 1e-14);
    }
}

TEST(streams_differ) {
    const struct random_stream first = { .seed = 3, .step = 5, .use = 1 };
    const struct random_stream others[] = {
        { .seed = 4, .step = 5, .use = 1 },
        { .seed = 3 + (UINT64_C(1) << 32), .step = 5, .use = 1 },
        { .seed = 3, .step = 6, .use = 1 },
        { .seed = 3, .step = 5 + (UINT64_C(1) << 32), .use = 1 },
        { .seed = 3, .step = 5, .use = 2 },
    };
    for (size_t o = 0; o < sizeof others / sizeof others[0]; o++) {
        int same = 0;
        for (uint64_t k = 0; k < 1000; k++) {
            same += random_stream_word(&first, k) == random_stream_word(&others[o], k);
        }
        assert_int_equal(same, 0); /* of chance, one in four million would be */
    }
}

/* ---- KISS ---- */

/* What Marsaglia's posting says of itself: z = 12345, w = 65435, jsr = 34221, jcong = 12345; behind
 * 256 words that fill a table, the millionth is this. */
static const struct random_kiss kiss_begin = { 12345, 65435, 34221, 12345 };
enum { KISS_WORDS = 256 + 1000000 };
static const uint32_t kiss_answer = 1372460312u;

TEST(kiss_gives_the_published_word) {
    struct random_kiss kiss = kiss_begin;
    uint32_t word = 0;
    for (int k = 0; k < KISS_WORDS; k++) {
        word = random_kiss_next(&kiss);
    }
    assert_int_equal(word, kiss_answer);
}

TEST(kiss_for_kernels_gives_the_published_word) {
    static const char walk[] =
        "#define DISTRIBUTION 2\n%s\n%s\n"
        "KERNEL void walk_kiss(int n, uint4 begin, GLOBAL uint *RESTRICT word)\n"
        "{\n"
        "    uint4 own = begin;\n"
        "    for (int k = 0; k < n; k++) {\n"
        "        own = kiss_next(own);\n"
        "    }\n"
        "    if (GLOBAL_ID == 0) {\n"
        "        word[0] = kiss_word(own);\n"
        "        word[1] = kiss_seed(0u, (long64)0).z;\n"
        "    }\n"
        "}\n";
    struct strbuf text = { 0 };
    uint32_t word[2] = { 0, 0 };
    strbuf_append(&text, walk, embedded_text("variants/random.cl"),
                  embedded_text("variants/draws.cl"));
    assert_false(text.failed);
    struct program *program = compile(*state, text.data, "float", 1);
    struct buffer *out = buffer_of(*state, word, sizeof word);
    const struct argument arguments[] = { argument_int(KISS_WORDS),
                                          argument_value(&kiss_begin, sizeof kiss_begin),
                                          argument_buffer(out) };
    launch(program, "walk_kiss", 1, 1, arguments, 3);
    read_all(out, word, sizeof word);
    assert_int_equal(word[0], kiss_answer);
    assert_int_equal(word[1], random_kiss_begin(0, 0).jsr);
    strbuf_free(&text);
    buffer_free(out);
    program_free(program);
}

/* A beginning that would stay what it is, and none of them among those of streams. */
TEST(kiss_never_stays) {
    struct random_kiss stuck = { .z = 0, .w = 0, .jsr = 0, .jcong = 1 };
    for (int k = 0; k < 10; k++) {
        (void)random_kiss_next(&stuck);
    }
    assert_true(stuck.z == 0 && stuck.w == 0 && stuck.jsr == 0); /* which a beginning must not be */
    for (uint32_t s = 0; s < 10000; s++) {
        const struct random_kiss own = random_kiss_begin(7, s);
        assert_true(own.z != 0 && own.z != 0x9068ffffu && own.w != 0 && own.w != 0x464fffffu &&
                    own.jsr != 0);
    }
}

int main(void) {
    if (read_answers() != 0) {
        return 1;
    }
    return run_listed_tests();
}
