/* random — random numbers of a seed: N results of a distribution, in bulk.
 *
 * There is no box. The k-th launch after the structure was built is step k of the seed: no two
 * launches have the same numbers, so that none can be remembered. What each result must be follows
 * from the generator that a variant names (@generator), the seed, the step and the place of the
 * result. */
#include "kernels/bindings.h"

#include "boxes/random.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"
#include "reference/random/random.h"
#include "workloads/judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_field fields[] = {
    { "draws", "drawn", GROUPS_ONE_BIT, FIELD_OUT, { { "draws", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* Sizes at and beside those of blocks, work-items and streams; seeds with a low and a high word. */
static const struct workload_check checks[] = {
    { .options = "--kind none --n 1,2,3,5,1023,70001 --precision float,double --distribution *",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind none --n 20000 --precision float,double --distribution * --seed "
                 "0,4294967296,9007199254740992" },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double"),
      .text = true,
      .closely = true },
    { .name = "distribution",
      .values = WORKLOAD_VALUES("--distribution uniform", "--distribution gaussian",
                                "--distribution words", "--distribution kick"),
      .text = true,
      .closely = true },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 262147", "!--n {33:96*32}") },
    { .name = "seed",
      .values = WORKLOAD_VALUES("", "--seed 0", "--seed 4294967295", "--seed 4294967296",
                                "--seed 12884901889", "--seed 9007199254740992") },
    { .name = NULL },
};

static const char *const axes[] = { "--distribution", NULL };

#define NO_PARTICLES "has no particles; expected --n, --seed and --distribution"
static const struct workload_refusal refusals[] = {
    { "--interaction", NO_PARTICLES }, { "--interaction-file", NO_PARTICLES },
    { "--table", NO_PARTICLES },       { "--exclude", NO_PARTICLES },
    { "--box", NO_PARTICLES },         { "--density", NO_PARTICLES },
    { "--cutoff", NO_PARTICLES },      { "--open", NO_PARTICLES },
    { "--periodic", NO_PARTICLES },    { "--charges", NO_PARTICLES },
    { "--kind", NO_PARTICLES },        { NULL, NULL },
};

/* ---- what kernels may bind ---- */

static const struct kernel_parameter draw_parameters[] = {
    { "seed", "long64", FROM_LONG(case_arguments, seed) },
    { "step", "long64", FROM_LONG(case_arguments, step) },
    { 0 },
};

static const struct parameter_table parameter_tables[] = { { draw_parameters, 0 }, { NULL, 0 } };
static const char *const units[] = { "draw", "stream", "compute_unit", NULL };
static const char *const header_words[] = { "@generator", NULL };

static const char *refuse_variant(const struct variant *variant) {
    return strcmp(variant->structure, "none") == 0 ? NULL
                                                   : "has no particles; expected @structure none";
}

/* A seeding is not in the time of a launch: there is one where there is a state to begin with, and
 * nothing else. */
static const char *refuse_pass(const struct variant *variant, const struct pass *pass) {
    if (pass->schedule.when == PASS_WHEN_MOVED) {
        return "draws have no particles; expected every step";
    }
    return pass->schedule.when != PASS_EVERY_REBUILD || generator_has_streams(variant->generator)
               ? NULL
               : "the numbers of this generator come from seed and step alone, and it has no "
                 "state; expected every step";
}

/* ---- what kernels are compiled with ---- */

static void append_definitions(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text, "#define DISTRIBUTION %d\n", (int)spec->distribution);
}

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    (void)spec;
    kernel_text_append_file("variants/random.cl", text);
    kernel_text_append_file("variants/draws.cl", text);
}

/* ---- the result ---- */

static size_t number_count(const struct case_spec *spec) {
    return spec->box.n;
}

static size_t number_bytes(const struct case_spec *spec) {
    return spec->distribution == DISTRIBUTION_WORDS
               ? sizeof(uint32_t)
               : format_bytes(precision_numeric(spec->precision).position);
}

/* Words as whole numbers. */
static double number_at(const struct case_spec *spec, const void *stored, size_t k) {
    return spec->distribution == DISTRIBUTION_WORDS
               ? (double)((const uint32_t *)stored)[k]
               : real_at(stored, number_bytes(spec) == sizeof(double), k);
}

static const struct kernel_parameter result = { "draws", "GLOBAL drawn *",
                                                FROM_BUFFER(set_arguments, result) };
static const struct workload_places places = { &result, number_count, number_bytes, number_at };

static double bytes(const struct case_spec *spec) {
    return (double)number_bytes(spec);
}

static const char *const columns[] = { "distribution", NULL };

extern const struct judge judge_draws;
extern const struct workload workload_random;
const struct workload workload_random = {
    .name = "random",
    .summary = "random numbers in bulk: words, uniform, Gaussian, kicks",
    .judge = &judge_draws,
    .fields = fields,
    .places = &places,
    .scalars = scalars,
    .words = { .result = "draw",
               .results = "draws",
               .preposition = "at",
               .value = "none",
               .tensor = "none",
               .tensor_key = "none",
               .outputs = { [OUTPUTS_FORCES] = "draws",
                            [OUTPUTS_ENERGY] = "draws",
                            [OUTPUTS_VIRIAL] = "draws" },
               .counted = "draws",
               .counted_one = "draw",
               .rate = "draws/s",
               .size = "N (draws)",
               .seeds = " (a case per seed)",
               .all_pairs = { "philox", "philox" } },
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .header_words = header_words,
    .refuse_variant = refuse_variant,
    .refuse_pass = refuse_pass,
    .append_definitions = append_definitions,
    .append_words = append_words,
    .bytes = bytes,
    .refusals = refusals,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "none",
    .default_kind = "none",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

/* Whether random numbers are those that their generator, seed and step ask for.
 *
 * Words and uniform draws must be the same to the last bit. A Gaussian draw z follows from u and v,
 * which are exact, by a logarithm, a root, a sine or cosine and a product. OpenCL 1.2 (7.4) allows
 * 3 ulp for the logarithm, which the root halves, 3 for the root in float (none in double), 4 for
 * sinpi and cospi; CUDA needs less of each; the product takes half of one. An ulp is at most 2
 * units of rounding u of the arithmetic (2^-24, 2^-53), relative to the number:
 *
 *     |got - z| <= 2 u (1.5 + 3 + 4 + 0.5) |z| = 18 u |z|
 *
 * A kick is the sum of four of them; three additions in any order err by at most 3 u sum |z|, to
 * first order: 22 u sum |z| leaves room for the second. The reference's own errors are of 2^-53,
 * and where the arithmetic is in double they count, too: 4 more units.
 *
 * Every launch has numbers of its own. So a sample of results is kept after each, at places drawn
 * for the round, and compared by the host at the end of it; in the gate, all are compared. A kernel
 * that leaves out a share p of its results is found in a launch with probability
 * 1 - (1 - p)^PLACES_SAMPLE, in the gate with certainty. One that leaves out a single one in steps
 * that the gate does not see would mostly pass: so of some launches up to PLACES_MANY are compared,
 * which are all where there are no more (measure/launches/judge_parts.h).
 */

enum { WORDS_OF_RESULT = 8 }; /* at most: four Gaussian draws in double */

/* Where the words of a case come from, and how far they have been taken. */
struct source {
    enum generator generator;
    enum distribution distribution;
    bool in_double;
    size_t n;
    /* philox4x32-10 */
    struct random_stream stream;
    uint64_t block; /* whose words are at hand; UINT64_MAX: none */
    uint32_t words[4];
    /* of streams */
    size_t streams;
    size_t of_stream; /* that is at hand; SIZE_MAX: none */
    uint64_t taken;   /* words of this step */
    union {
        struct random_xorshift xorshift;
        struct random_kiss kiss;
    } state;
};

static struct source source_of(const struct case_spec *spec, const struct placed_results *drawn) {
    const int streams = tunings_value(&spec->tunings, STREAMS_TUNABLE, 1);
    return (struct source){
        .generator = spec->variant->generator,
        .distribution = spec->distribution,
        .in_double = numeric_real_is_double(precision_numeric(spec->precision)),
        .n = drawn->n,
        .stream = { .seed = drawn->seed, .step = drawn->step, .use = 0 },
        .block = UINT64_MAX,
        .streams = streams > 0 ? (size_t)streams : 1,
        .of_stream = SIZE_MAX,
    };
}

/* ---- the judge: words ---- */

static uint64_t words_per_draw(const struct source *source) {
    return source->distribution != DISTRIBUTION_WORDS && source->in_double ? 2 : 1;
}

/* Where the words of result r of a sequence begin, and how many there are: of a Gaussian draw those
 * of its pair. */
static uint64_t first_word(const struct source *source, uint64_t r) {
    const uint64_t first = source->distribution == DISTRIBUTION_GAUSSIAN ? r - r % 2
                           : source->distribution == DISTRIBUTION_KICK   ? 4 * r
                                                                         : r;
    return first * words_per_draw(source);
}

static uint64_t word_count(const struct source *source) {
    const uint64_t draws = source->distribution == DISTRIBUTION_GAUSSIAN ? 2
                           : source->distribution == DISTRIBUTION_KICK   ? 4
                                                                         : 1;
    return draws * words_per_draw(source);
}

static uint32_t philox_word(struct source *source, uint64_t k) {
    if (k / 4 != source->block) {
        source->block = k / 4;
        random_stream_block(&source->stream, source->block, source->words);
    }
    return source->words[k % 4];
}

static void begin_stream(struct source *source, size_t stream) {
    if (source->generator == GENERATOR_KISS) {
        source->state.kiss = random_kiss_begin(source->stream.seed, (uint32_t)stream);
    } else {
        source->state.xorshift = random_xorshift_begin(source->stream.seed, (uint32_t)stream);
    }
}

static uint32_t next_of_stream(struct source *source) {
    return source->generator == GENERATOR_KISS ? random_kiss_next(&source->state.kiss)
                                               : random_xorshift_next(&source->state.xorshift);
}

/* What every stream takes in a step. */
static uint64_t words_per_step(const struct source *source) {
    const uint64_t results = (source->n + source->streams - 1) / source->streams;
    return first_word(source, results + (source->distribution == DISTRIBUTION_GAUSSIAN));
}

/* Moves the stream to word k of this step; never back but to another stream, or the same anew. */
static void take_until(struct source *source, size_t stream, uint64_t k) {
    if (stream != source->of_stream || k < source->taken) {
        const uint64_t before = source->stream.step * words_per_step(source);
        source->of_stream = stream;
        source->taken = 0;
        begin_stream(source, stream);
        for (uint64_t w = 0; w < before; w++) {
            (void)next_of_stream(source);
        }
    }
    for (; source->taken < k; source->taken++) {
        (void)next_of_stream(source);
    }
}

/* The words that a result is made of. */
static void take_words(struct source *source, size_t place, uint32_t words[WORDS_OF_RESULT]) {
    const bool by_streams = generator_has_streams(source->generator);
    const uint64_t r = by_streams ? place / source->streams : place;
    const uint64_t first = first_word(source, r);
    if (by_streams) {
        take_until(source, place % source->streams, first);
    }
    const struct source before = *source;
    for (uint64_t w = 0; w < word_count(source); w++) {
        words[w] = by_streams ? next_of_stream(source) : philox_word(source, first + w);
    }
    source->state = before.state; /* the other of a pair is made of the same words */
}

/* ---- the judge: numbers ---- */

struct drawn {
    double value, allowed;
};

static struct drawn expect_gaussian(const struct source *source, const uint32_t *words, int pairs,
                                    size_t place) {
    const double unit = source->in_double ? 0x1p-53 : 0x1p-24;
    const uint64_t per_pair = 2 * words_per_draw(source);
    struct drawn sum = { 0, 0 };
    double pair[2] = { 0, 0 };
    for (int p = 0; p < pairs; p++) {
        random_gaussian_pair_of(words + (uint64_t)p * per_pair, source->in_double, pair);
        sum.value += pair[0] + pair[1];
        sum.allowed += fabs(pair[0]) + fabs(pair[1]);
    }
    if (source->distribution == DISTRIBUTION_GAUSSIAN) {
        const bool by_streams = generator_has_streams(source->generator);
        const size_t r = by_streams ? place / source->streams : place;
        sum = (struct drawn){ pair[r % 2], fabs(pair[r % 2]) };
    }
    const double own = source->in_double ? 4 : 0;
    sum.allowed *= unit * (own + (source->distribution == DISTRIBUTION_KICK ? 22 : 18));
    return sum;
}

static struct drawn expect_one(struct source *source, size_t place) {
    uint32_t words[WORDS_OF_RESULT] = { 0 };
    take_words(source, place, words);
    switch (source->distribution) {
    case DISTRIBUTION_WORDS:
        return (struct drawn){ words[0], 0 };
    case DISTRIBUTION_UNIFORM:
        return (struct drawn){ random_uniform_of(words, source->in_double), 0 };
    default:
        return expect_gaussian(source, words, source->distribution == DISTRIBUTION_KICK ? 2 : 1,
                               place);
    }
}

/* ---- the judge: comparing ---- */

struct comparing {
    struct source source;
    const struct placed_results *drawn;
    struct verdict *verdict;
    size_t wrong;
};

static void compare_one(struct comparing *comparing, size_t place, double got) {
    const struct drawn expected = expect_one(&comparing->source, place);
    struct verdict *verdict = comparing->verdict;
    const double error = fabs(got - expected.value);
    const double ratio = error == 0 ? 0 : error / expected.allowed; /* infinite where exact */
    if (ratio <= 1) {
        verdict->worst_ratio = fmax(verdict->worst_ratio, ratio);
        return;
    }
    if (comparing->wrong++ == 0) {
        verdict->status = STATUS_WRONG;
        verdict->worst_ratio = isnan(ratio) ? INFINITY : ratio;
        (void)snprintf(
            verdict->message, sizeof verdict->message,
            "draw %zu of seed %llu, step %llu: got %.17g, expected %.17g, tolerance %.3g", place,
            (unsigned long long)comparing->drawn->seed, (unsigned long long)comparing->drawn->step,
            got, expected.value, expected.allowed);
    }
}

/* In the order in which the generator makes them. */
static void compare_all(struct comparing *comparing) {
    const struct placed_results *drawn = comparing->drawn;
    const bool by_streams = generator_has_streams(comparing->source.generator);
    const size_t streams = by_streams ? comparing->source.streams : 1;
    for (size_t s = 0; s < streams; s++) {
        for (size_t place = s; place < drawn->n; place += streams) {
            compare_one(comparing, place, drawn->got[place]);
        }
    }
}

static void compare_placed(const struct judge_question *question,
                           const struct expectation *expected, const struct placed_results *drawn,
                           struct verdict *verdict) {
    struct comparing comparing = { source_of(question->spec, drawn), drawn, verdict, 0 };
    (void)expected; /* it follows from the seed and the step */
    verdict->status = STATUS_OK;
    verdict->message[0] = '\0';
    verdict->worst_ratio = 0;
    if (!drawn->place) {
        compare_all(&comparing);
    }
    for (size_t k = 0; drawn->place && k < drawn->count; k++) {
        compare_one(&comparing, (size_t)drawn->place[k], drawn->got[k]);
    }
    if (comparing.wrong > 0) {
        const size_t length = strlen(verdict->message);
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       "; wrong: %zu of %zu", comparing.wrong, drawn->count);
    }
}

/* ---- the judge: samples ---- */

/* How many streams the results are of; 1 where the generator has none. */
static size_t streams_of(const struct case_spec *spec) {
    const int streams = generator_has_streams(spec->variant->generator)
                            ? tunings_value(&spec->tunings, STREAMS_TUNABLE, 1)
                            : 1;
    return streams > 0 ? (size_t)streams : 1;
}

/* Appends the places of so many results of a stream, from `first` on, up to n in all; returns their
 * number. */
static size_t take_of_stream(size_t n, size_t streams, size_t stream, size_t first, size_t results,
                             int32_t *place) {
    size_t count = 0;
    for (size_t k = first; k < first + results && k * streams + stream < n; k++) {
        place[count++] = (int32_t)(k * streams + stream);
    }
    return count;
}

/* A number below `end`; 0 where there is none. */
static size_t draw_below(size_t end, struct random *random) {
    return end > 0 ? random_next(random) % end : 0;
}

/* Some streams, and of each of them results that follow each other. */
static size_t choose_of_streams(size_t n, size_t streams, struct random *random, size_t most,
                                int32_t *place) {
    const size_t per_stream = (n - 1) / streams + 1;
    const size_t of_each = per_stream < most / 16 ? per_stream : most / 16;
    const size_t runs = of_each > 0 ? most / of_each : 0;
    size_t count = 0;
    for (size_t run = 0; run < runs; run++) {
        const size_t stream = draw_below(streams < n ? streams : n, random);
        const size_t first = draw_below(per_stream - of_each + 1, random);
        count += take_of_stream(n, streams, stream, first, of_each, place + count);
    }
    return count;
}

/* Results that follow each other, or streams that do, each of them whole unless it is longer. */
static size_t choose_many(size_t n, size_t streams, struct random *random, size_t most,
                          int32_t *place) {
    const size_t per_stream = (n + streams - 1) / streams;
    const size_t of_each = per_stream < most ? per_stream : most;
    const size_t whole = of_each > 0 ? most / of_each : 1;
    const size_t taken = streams < whole ? streams : whole;
    const size_t first = draw_below(per_stream - of_each + 1, random);
    const size_t first_stream = draw_below(streams - taken + 1, random);
    size_t count = 0;
    for (size_t s = first_stream; s < first_stream + taken; s++) {
        count += take_of_stream(n, streams, s, first, of_each, place + count);
    }
    return count;
}

/* Chooses places; those of one stream of the generator stand together, in the order in which it
 * makes them. */
static size_t choose(const struct case_spec *spec, size_t n, uint64_t random, size_t most,
                     int32_t *place) {
    struct random numbers = random_from_seed(random);
    const size_t streams = streams_of(spec);
    if (most > PLACES_SAMPLE) {
        return choose_many(n, streams, &numbers, most, place);
    }
    if (generator_has_streams(spec->variant->generator) && n > most) {
        return choose_of_streams(n, streams, &numbers, most, place);
    }
    const size_t count = n < most ? n : most;
    for (size_t k = 0; k < count; k++) {
        place[k] = (int32_t)(n <= most ? k : random_next(&numbers) % n);
    }
    return count;
}

/* ---- the judge: all of it ---- */

static void compare_draws(const struct judge_question *question, const struct expectation *expected,
                          const struct evaluation *got, struct verdict *verdict) {
    const struct placed_results drawn = {
        .n = got->n, .seed = got->seed, .step = got->step, .got = got->force, .count = got->n
    };
    *verdict = verdict_of(STATUS_OK);
    compare_placed(question, expected, &drawn, verdict);
}

/* What is expected follows from the seed and the step of each launch. */
const struct judge judge_draws = {
    .name = "draws", .compare = compare_draws, .compare_placed = compare_placed, .choose = choose
};
