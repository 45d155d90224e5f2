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

#if REAL_IS_DOUBLE
#define XORSHIFT_UNIFORM(state, number)                    \
    {                                                      \
        const uint4 first = xorshift_next(state);          \
        (state) = xorshift_next(first);                    \
        (number) = random_uniform_double(first.w, (state).w); \
    }
#define XORSHIFT_RADIAL(state, number) XORSHIFT_UNIFORM(state, number)
#else
#define XORSHIFT_UNIFORM(state, number)          \
    {                                            \
        (state) = xorshift_next(state);          \
        (number) = random_uniform_float((state).w); \
    }
#define XORSHIFT_RADIAL(state, number)           \
    {                                            \
        (state) = xorshift_next(state);          \
        (number) = random_radial_float((state).w); \
    }
#endif

#define XORSHIFT_GAUSSIAN_PAIR(state, pair) \
    {                                       \
        real u, v;                          \
        XORSHIFT_RADIAL(state, u)           \
        XORSHIFT_UNIFORM(state, v)          \
        (pair) = random_box_muller(u, v);   \
    }
