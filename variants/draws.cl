/*
 * draw_words — results of the workload random: what is drawn, and of which words
 *
 * The harness puts this text before the variants of the workload random, behind variants/random.cl. DISTRIBUTION is one of
 * the four below. A result is a `drawn`: a word of 32 bits, or a real number. Of a sequence of words w(0), w(1)... result r is
 *
 *     DISTRIBUTION_WORDS      w(r)
 *     DISTRIBUTION_UNIFORM    the uniform draw r (variants/random.cl: of one word in float, of two in double)
 *     DISTRIBUTION_GAUSSIAN   the Gaussian draw r, one of a pair
 *     DISTRIBUTION_KICK       the sum of the Gaussian draws 4r to 4r + 3: what a kernel that needs random numbers makes of them
 *
 * philox4x32-10   The sequence is that of one stream: use DRAW_USE of the seed and the step.
 * xorshift128     Every one of STREAMS streams has its sequence; result k of stream s is at place k * STREAMS + s. Each takes as
 *                 many words a step as (n + STREAMS - 1) / STREAMS results need (Gaussian ones in pairs) and goes on from
 *                 there. G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8 (2003) 14, doi 10.18637/jss.v008.i14. It begins with
 *                 the words x, y, z, w of Philox's block s, use DRAW_SEEDING, step 0 of the seed; were all four zero, x is 1.
 * kiss            The same streams; each begins with the words z, w, jsr, jcong (x, y, z, w here) of that block: two
 *                 multiply-with-carry generators of 16 bits, three shifts and a congruence. What would never change is 1 instead.
 *                 G. Marsaglia, "Random numbers for C: The END?", sci.stat.math, 20 January 1999.
 */
#define DISTRIBUTION_UNIFORM 0
#define DISTRIBUTION_GAUSSIAN 1
#define DISTRIBUTION_WORDS 2
#define DISTRIBUTION_KICK 3

#define DRAW_USE 0u
#define DRAW_SEEDING 1u

#if DISTRIBUTION == DISTRIBUTION_WORDS
typedef uint drawn;
typedef uint4 drawn4;
#else
typedef real drawn;
typedef real4 drawn4;
#endif

/* How many draws a result is made of. */
#if DISTRIBUTION == DISTRIBUTION_KICK
#define DRAWS_PER_RESULT 4
#else
#define DRAWS_PER_RESULT 1
#endif

/* ---- Philox: four at a time, each from its place alone ---- */

/* Four draws from 4 quad on: of a kick, what one result is made of. */
DEVICE drawn4 draw_quad(uint quad, long64 step, long64 seed)
{
#if DISTRIBUTION == DISTRIBUTION_WORDS
    return random_block(quad, step, DRAW_USE, seed);
#elif DISTRIBUTION == DISTRIBUTION_UNIFORM
    return random_uniform4(quad, step, DRAW_USE, seed);
#else
    return random_gaussian4(quad, step, DRAW_USE, seed);
#endif
}

#if DISTRIBUTION == DISTRIBUTION_KICK
DEVICE drawn sum_of_quad(drawn4 quad)
{
    return (quad.x + quad.y) + (quad.z + quad.w);
}
#endif

/* Results 4 quad to 4 quad + 3. */
DEVICE drawn4 result_quad(uint quad, long64 step, long64 seed)
{
#if DISTRIBUTION == DISTRIBUTION_KICK
    return make_real4(sum_of_quad(draw_quad(4 * quad, step, seed)), sum_of_quad(draw_quad(4 * quad + 1, step, seed)),
                      sum_of_quad(draw_quad(4 * quad + 2, step, seed)), sum_of_quad(draw_quad(4 * quad + 3, step, seed)));
#else
    return draw_quad(quad, step, seed);
#endif
}

/* Writes those of four that there are. */
DEVICE void store_quad(GLOBAL drawn *numbers, int quad, int count, drawn4 four)
{
    if (4 * quad + 3 < count) {
        ((GLOBAL drawn4 *)numbers)[quad] = four;
        return;
    }
    numbers[4 * quad] = four.x;
    if (4 * quad + 1 < count) {
        numbers[4 * quad + 1] = four.y;
    }
    if (4 * quad + 2 < count) {
        numbers[4 * quad + 2] = four.z;
    }
}

/* ---- xorshift128: one after the other ---- */

DEVICE uint4 xorshift_seed(uint stream, long64 seed)
{
    uint4 state = random_block(stream, (long64)0, DRAW_SEEDING, seed);
    state.x = (state.x | state.y | state.z | state.w) == 0u ? 1u : state.x;
    return state;
}

/* The state of a stream behind one word, which is its w. */
DEVICE uint4 xorshift_next(uint4 state)
{
    const uint mixed = state.x ^ (state.x << 11);
    return make_uint4(state.y, state.z, state.w, state.w ^ (state.w >> 19) ^ mixed ^ (mixed >> 8));
}

/* The word that a state stands for. */
DEVICE uint xorshift_word(uint4 state)
{
    return state.w;
}

/* ---- KISS: likewise; x and y carry, z is shifted, w goes on by a congruence ---- */

/* A half with its carry, which must not be one that stays what it is. */
DEVICE uint kiss_carrying(uint word, uint multiplier)
{
    return word == 0u || word == (multiplier << 16) - 1u ? 1u : word;
}

DEVICE uint4 kiss_seed(uint stream, long64 seed)
{
    const uint4 words = random_block(stream, (long64)0, DRAW_SEEDING, seed);
    return make_uint4(kiss_carrying(words.x, 36969u), kiss_carrying(words.y, 18000u), words.z == 0u ? 1u : words.z, words.w);
}

DEVICE uint4 kiss_next(uint4 state)
{
    uint shifted = state.z ^ (state.z << 17);
    shifted ^= shifted >> 13;
    shifted ^= shifted << 5;
    return make_uint4(36969u * (state.x & 65535u) + (state.x >> 16), 18000u * (state.y & 65535u) + (state.y >> 16), shifted,
                      69069u * state.w + 1234567u);
}

DEVICE uint kiss_word(uint4 state)
{
    return (((state.x << 16) + state.y) ^ state.w) + state.z;
}

/* ---- draws of a stream: `next` and `word` are those of its generator, `state` goes on ---- */

#if REAL_IS_DOUBLE
#define STREAM_UNIFORM(next, word, state, number)                  \
    {                                                              \
        const uint4 first = next(state);                           \
        (state) = next(first);                                     \
        (number) = random_uniform_double(word(first), word(state)); \
    }
#define STREAM_RADIAL(next, word, state, number) STREAM_UNIFORM(next, word, state, number)
#else
#define STREAM_UNIFORM(next, word, state, number)     \
    {                                                 \
        (state) = next(state);                        \
        (number) = random_uniform_float(word(state)); \
    }
#define STREAM_RADIAL(next, word, state, number)     \
    {                                                \
        (state) = next(state);                       \
        (number) = random_radial_float(word(state)); \
    }
#endif

#define STREAM_GAUSSIAN_PAIR(next, word, state, pair) \
    {                                                 \
        real u, v;                                    \
        STREAM_RADIAL(next, word, state, u)           \
        STREAM_UNIFORM(next, word, state, v)          \
        (pair) = random_box_muller(u, v);             \
    }

#define XORSHIFT_UNIFORM(state, number) STREAM_UNIFORM(xorshift_next, xorshift_word, state, number)
#define KISS_UNIFORM(state, number) STREAM_UNIFORM(kiss_next, kiss_word, state, number)

/*
 * STREAM_DRAW(next, word, state, n, draws) is the body of a kernel that draws n results, one stream per work-item, and leaves
 * behind the state of each. STREAM_RESULTS writes those that a stream makes at once: two of a Gaussian pair, else one.
 */
#if DISTRIBUTION == DISTRIBUTION_GAUSSIAN
#define RESULTS_AT_ONCE 2
#define STREAM_RESULTS(next, word, state, place, n, draws) \
    {                                                      \
        real2 pair;                                        \
        STREAM_GAUSSIAN_PAIR(next, word, state, pair)      \
        if ((place) < (n)) {                               \
            (draws)[place] = pair.x;                       \
        }                                                  \
        if ((n) - (place) > STREAMS) {                     \
            (draws)[(place) + STREAMS] = pair.y;           \
        }                                                  \
    }
#else
#define RESULTS_AT_ONCE 1
#if DISTRIBUTION == DISTRIBUTION_KICK
#define STREAM_RESULT(next, word, state, number)             \
    {                                                        \
        real2 pair, other;                                   \
        STREAM_GAUSSIAN_PAIR(next, word, state, pair)        \
        STREAM_GAUSSIAN_PAIR(next, word, state, other)       \
        (number) = (pair.x + pair.y) + (other.x + other.y);  \
    }
#elif DISTRIBUTION == DISTRIBUTION_WORDS
#define STREAM_RESULT(next, word, state, number) \
    {                                            \
        (state) = next(state);                   \
        (number) = word(state);                  \
    }
#else
#define STREAM_RESULT(next, word, state, number) STREAM_UNIFORM(next, word, state, number)
#endif
#define STREAM_RESULTS(next, word, state, place, n, draws) \
    {                                                      \
        drawn number;                                      \
        STREAM_RESULT(next, word, state, number)           \
        if ((place) < (n)) {                               \
            (draws)[place] = number;                       \
        }                                                  \
    }
#endif

#define STREAM_DRAW(next, word, state, n, draws)                        \
    {                                                                   \
        const int stream = GLOBAL_ID;                                   \
        if (stream < STREAMS) {                                         \
            uint4 own = (state)[stream];                                \
            const int results = ((n) + STREAMS - 1) / STREAMS;          \
            for (int k = 0; k < results; k += RESULTS_AT_ONCE) {        \
                const int place = k * STREAMS + stream;                 \
                STREAM_RESULTS(next, word, own, place, n, draws)        \
            }                                                           \
            (state)[stream] = own;                                      \
        }                                                               \
    }
