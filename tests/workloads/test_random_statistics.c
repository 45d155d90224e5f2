/* What is drawn looks random: cumulants, counts of equal shares (chi-square), streams of other
 * seeds, steps and uses, which must not go together. Drawn and added up on the device.
 *
 * PAIRMARK_RANDOM_DRAWS says how many numbers each distribution is asked for; 2 500 000 unless it
 * does, and a million at least. Seeds are fixed, so that a device gives the same sums in every run.
 */
#include "core/embedded.h"
#include "core/strings.h"

#include "device_calls.h"
#include "device_fixture.h"
#include "support.h"

enum { GROUP = 64, ITEMS = 16384, BINS = 256, COPIES = 64, SUMS = 8 };

/* Of a sum of independent terms, over its standard deviation: what is beyond does not happen. */
static const double most_deviations = 5.5;

static const char kernels[] =
    "DEVICE int bin_of(real number)\n"
    "{\n"
    "#if GAUSSIAN\n"
    "    const real share = REAL(0.5) * ERFC(number * REAL(-0.70710678118654752440));\n"
    "#else\n"
    "    const real share = number + REAL(0.5);\n"
    "#endif\n"
    "    const int bin = (int)(share * REAL(256.0));\n"
    "    return bin < 0 ? 0 : bin > 255 ? 255 : bin;\n"
    "}\n"
    "DEVICE real4 draw4(uint index, long64 step, uint use, long64 seed)\n"
    "{\n"
    "#if SPOILT == 2\n"
    "    index &= ~1u;\n"
    "#endif\n"
    "#if GAUSSIAN\n"
    "    const real4 four = random_gaussian4(index, step, use, seed);\n"
    "#if SPOILT == 1\n"
    "    return make_real4(REAL(1.01) * four.x, REAL(1.01) * four.y, REAL(1.01) * four.z, "
    "REAL(1.01) * four.w);\n"
    "#else\n"
    "    return four;\n"
    "#endif\n"
    "#else\n"
    "    const real4 four = random_uniform4(index, step, use, seed);\n"
    "    return make_real4(four.x - REAL(0.5), four.y - REAL(0.5), four.z - REAL(0.5), four.w - "
    "REAL(0.5));\n"
    "#endif\n"
    "}\n"
    "#define ADD(number, next)                                                 \\\n"
    "    {                                                                     \\\n"
    "        const accum x = (accum)(number);                                  \\\n"
    "        sum[0] += x;                                                      \\\n"
    "        sum[1] += x * x;                                                  \\\n"
    "        sum[2] += x * x * x;                                              \\\n"
    "        sum[3] += x * x * x * x;                                          \\\n"
    "        sum[4] += x * (accum)(next);                                      \\\n"
    "        (void)ATOMIC_ADD_INT(&bins[256 * (GROUP_ID % 64) + bin_of(number)], 1); \\\n"
    "    }\n"
    /* sums of powers; the fifth of each draw times the one behind it, which in fours is that of the
       next four */
    "KERNEL void add_up(int quads, long64 seed, long64 step, int use, GLOBAL accum *RESTRICT "
    "sums,\n"
    "                   GLOBAL int *RESTRICT bins)\n"
    "{\n"
    "    accum sum[5] = { 0, 0, 0, 0, 0 };\n"
    "    const int share = (quads + GLOBAL_SIZE - 1) / GLOBAL_SIZE;\n"
    "    const int begin = GLOBAL_ID * share;\n"
    "    real4 four = draw4((uint)begin, step, (uint)use, seed);\n"
    "    for (int q = begin; q < begin + share && q < quads; q++) {\n"
    "        const real4 next = draw4((uint)q + 1u, step, (uint)use, seed);\n"
    "        ADD(four.x, next.x)\n"
    "        ADD(four.y, next.y)\n"
    "        ADD(four.z, four.w)\n"
    "        ADD(four.w, next.x)\n"
    "        four = next;\n"
    "    }\n"
    "    for (int s = 0; s < 5; s++) {\n"
    "        sums[8 * GLOBAL_ID + s] = sum[s];\n"
    "    }\n"
    "}\n"
    /* sums of a draw times the one of the same place of another seed, step or use */
    "KERNEL void meet_others(int quads, long64 seed, long64 step, int use, GLOBAL accum *RESTRICT "
    "sums)\n"
    "{\n"
    "    accum sum[4] = { 0, 0, 0, 0 };\n"
    "    for (int q = GLOBAL_ID; q < quads; q += GLOBAL_SIZE) {\n"
    "        const real4 own = draw4((uint)q, step, (uint)use, seed);\n"
    "        const real4 other[4] = { draw4((uint)q, step, (uint)use, seed + 1),\n"
    "                                 draw4((uint)q, step + 1, (uint)use, seed),\n"
    "                                 draw4((uint)q, step, (uint)use + 1u, seed),\n"
    "                                 draw4((uint)q, step, (uint)use, seed + ((long64)1 << 32)) "
    "};\n"
    "        for (int k = 0; k < 4; k++) {\n"
    "            sum[k] += (accum)(own.x * other[k].x) + (accum)(own.y * other[k].y) + "
    "(accum)(own.z * other[k].z) +\n"
    "                      (accum)(own.w * other[k].w);\n"
    "        }\n"
    "    }\n"
    "    for (int k = 0; k < 4; k++) {\n"
    "        sums[8 * GLOBAL_ID + k] = sum[k];\n"
    "    }\n"
    "}\n"
    /* every work-item a stream; the fifth sum is over the words of one stream */
    "#if OF_KISS\n"
    "#define SEED_STREAM kiss_seed\n"
    "#define UNIFORM_OF_STREAM KISS_UNIFORM\n"
    "#else\n"
    "#define SEED_STREAM xorshift_seed\n"
    "#define UNIFORM_OF_STREAM XORSHIFT_UNIFORM\n"
    "#endif\n"
    "KERNEL void add_up_streams(int quads, long64 seed, GLOBAL accum *RESTRICT sums, GLOBAL int "
    "*RESTRICT bins)\n"
    "{\n"
    "    accum sum[5] = { 0, 0, 0, 0, 0 };\n"
    "    const int share = 4 * ((quads + GLOBAL_SIZE - 1) / GLOBAL_SIZE);\n"
    "    uint4 own = SEED_STREAM((uint)GLOBAL_ID, seed);\n"
    "    real number;\n"
    "    UNIFORM_OF_STREAM(own, number)\n"
    "    number -= REAL(0.5);\n"
    "    for (int k = 0; k < share; k++) {\n"
    "        real next;\n"
    "        UNIFORM_OF_STREAM(own, next)\n"
    "        next -= REAL(0.5);\n"
    "        ADD(number, next)\n"
    "        number = next;\n"
    "    }\n"
    "    for (int s = 0; s < 5; s++) {\n"
    "        sums[8 * GLOBAL_ID + s] = sum[s];\n"
    "    }\n"
    "}\n";

/* ---- the device's side ---- */

struct asked {
    const char *precision;
    bool gaussian;
    int poisoned; /* 1: the variance; 2: a counter used twice */
    bool of_kiss;
};

static struct program *compile_sums(struct device *device, const struct asked *asked) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "#define GAUSSIAN %d\n#define SPOILT %d\n#define DISTRIBUTION 0\n",
                  asked->gaussian, asked->poisoned);
    strbuf_append(&text, "#define OF_KISS %d\n", asked->of_kiss);
    strbuf_append(&text, "%s\n%s\n%s", embedded_text("variants/random.cl"),
                  embedded_text("variants/draws.cl"), kernels);
    assert_false(text.failed);
    struct program *program = compile(device, text.data, asked->precision, GROUP);
    strbuf_free(&text);
    return program;
}

static int quads_asked(void) {
    const char *said = getenv("PAIRMARK_RANDOM_DRAWS");
    const double draws = said ? strtod(said, NULL) : 2.5e6;
    assert_true(draws >= 1e6 && draws <= 4e9);
    return (int)(draws / 4 / ITEMS) * ITEMS; /* the same share for all work-items */
}

struct totals {
    double sum[SUMS];
    double bin[BINS];
    double count;
};

static void collect(struct buffer *sums, struct buffer *bins, int quads, struct totals *totals) {
    static double parts[ITEMS][SUMS];
    static int counts[COPIES][BINS];
    *totals = (struct totals){ .count = 4.0 * quads };
    read_all(sums, parts, sizeof parts);
    read_all(bins, counts, sizeof counts);
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t s = 0; s < SUMS; s++) {
            totals->sum[s] += parts[i][s];
        }
    }
    for (size_t c = 0; c < COPIES; c++) {
        for (size_t b = 0; b < BINS; b++) {
            totals->bin[b] += counts[c][b];
        }
    }
}

static void run(struct device *device, const struct asked *asked, const char *kernel,
                struct totals *totals) {
    static const double no_sums[ITEMS][SUMS];
    static const int no_counts[COPIES][BINS];
    const int quads = quads_asked();
    const long long seed = 0x1234567890abcdefLL;
    const long long step = 3;
    struct program *program = compile_sums(device, asked);
    struct buffer *sums = buffer_of(device, no_sums, sizeof no_sums);
    struct buffer *bins = buffer_of(device, no_counts, sizeof no_counts);
    const struct argument with_bins[] = {
        argument_int(quads),
        argument_value(&seed, sizeof seed),
        argument_value(&step, sizeof step),
        argument_int(9),
        argument_buffer(sums),
        argument_buffer(bins),
    };
    const struct argument of_streams[] = { argument_int(quads), argument_value(&seed, sizeof seed),
                                           argument_buffer(sums), argument_buffer(bins) };
    const bool streams = strcmp(kernel, "add_up_streams") == 0;
    const size_t count = streams ? 4 : strcmp(kernel, "add_up") == 0 ? 6 : 5;
    launch(program, kernel, ITEMS / GROUP, GROUP, streams ? of_streams : with_bins, count);
    collect(sums, bins, quads, totals);
    buffer_free(sums);
    buffer_free(bins);
    program_free(program);
}

/* ---- what is to be expected ---- */

/* Means of x, x^2, x^3, x^4 and their variances: of a normal distribution, and of one that is even
 * from -1/2 to 1/2. */
static const double normal_mean[4] = { 0, 1, 0, 3 };
static const double normal_variance[4] = { 1, 2, 15, 96 };
static const double even_mean[4] = { 0, 1.0 / 12, 0, 1.0 / 80 };
static const double even_variance[4] = { 1.0 / 12, 1.0 / 180, 1.0 / 448, 1.0 / 2304 - 1.0 / 6400 };

static double deviations(double sum, double count, double mean, double variance) {
    return (sum - count * mean) / sqrt(count * variance);
}

/* Chi-square of so many equal shares as a normal number, by Wilson and Hilferty's cube root (PNAS
 * 17 (1931) 684). */
static double chi_square(const struct totals *totals) {
    const double expected = totals->count / BINS;
    const double freedom = BINS - 1;
    double sum = 0;
    for (size_t b = 0; b < BINS; b++) {
        sum += (totals->bin[b] - expected) * (totals->bin[b] - expected) / expected;
    }
    const double share = 2 / (9 * freedom);
    return (cbrt(sum / freedom) - (1 - share)) / sqrt(share);
}

/* The largest of all deviations. */
static double worst_of(const struct totals *totals, bool gaussian) {
    const double *mean = gaussian ? normal_mean : even_mean;
    const double *variance = gaussian ? normal_variance : even_variance;
    double worst = fabs(chi_square(totals));
    for (size_t k = 0; k < 4; k++) {
        worst = fmax(worst, fabs(deviations(totals->sum[k], totals->count, mean[k], variance[k])));
    }
    const double of_neighbours =
        deviations(totals->sum[4], totals->count, 0, variance[0] * variance[0]);
    return fmax(worst, fabs(of_neighbours));
}

static void draws_look_random(struct device *device, const struct asked *asked,
                              const char *kernel) {
    struct totals totals;
    run(device, asked, kernel, &totals);
    const double worst = worst_of(&totals, asked->gaussian);
    print_message("%s, %s, %s: %.0f draws, at most %.2f standard deviations\n", kernel,
                  asked->gaussian ? "Gaussian" : "uniform", asked->precision, totals.count, worst);
    assert_true(worst < most_deviations);
}

static void needs_double(struct device *device) {
    if (!device_describe(device)->fp64) {
        skip_because("the device has no double");
    }
}

TEST(uniform_draws) {
    needs_double(*state);
    draws_look_random(*state, &(struct asked){ "mixed", false, 0, false }, "add_up");
    draws_look_random(*state, &(struct asked){ "double", false, 0, false }, "add_up");
}

TEST(gaussian_draws) {
    needs_double(*state);
    draws_look_random(*state, &(struct asked){ "mixed", true, 0, false }, "add_up");
    draws_look_random(*state, &(struct asked){ "double", true, 0, false }, "add_up");
}

TEST(draws_of_streams) {
    needs_double(*state);
    draws_look_random(*state, &(struct asked){ "mixed", false, 0, false }, "add_up_streams");
    draws_look_random(*state, &(struct asked){ "mixed", false, 0, true }, "add_up_streams");
}

/* Seeds, steps and uses next to each other, and seeds that differ in the upper word. */
TEST(other_streams_do_not_go_together) {
    const struct asked asked = { "mixed", false, 0, false };
    struct totals totals;
    needs_double(*state);
    run(*state, &asked, "meet_others", &totals);
    for (size_t k = 0; k < 4; k++) {
        const double off =
            deviations(totals.sum[k], totals.count, 0, even_variance[0] * even_variance[0]);
        assert_true(fabs(off) < most_deviations);
    }
}

/* So that what passes above could have failed. */
TEST(what_is_spoilt_shows) {
    struct totals totals;
    needs_double(*state);
    run(*state, &(struct asked){ "mixed", true, 1, false }, "add_up", &totals);
    assert_true(worst_of(&totals, true) > most_deviations);
    run(*state, &(struct asked){ "mixed", false, 2, false }, "add_up", &totals);
    assert_true(worst_of(&totals, false) > most_deviations);
}
