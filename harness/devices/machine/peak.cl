/*
 * peak — what this device does at best: multiply-adds, reciprocal square roots, copying, reading
 * local memory
 *
 * A loop's own counting and branching take issue slots: three instructions to every eight
 * multiply-adds of a round that a compiler unrolled four times cost 9 % on an H200. So a round is
 * long there: 32 steps. A processor counts beside its arithmetic, and its compiler takes seconds
 * over long rounds: 4 steps.
 */
#define FOUR_STEPS STEP STEP STEP STEP
#if DEVICE_IS_CPU
#define STEPS 4
#define EVERY_STEP FOUR_STEPS
#else
#define STEPS 32
#define EVERY_STEP                                                                                 \
    FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS
#endif

/*
 * A processor's driver makes no vectors of loops like these by itself: there a number is a vector
 * as wide as its registers, and elsewhere a single one. Each kernel says how many numbers a chain
 * came to in a round.
 */
#if !DEVICE_IS_CPU
typedef real wide;
#define WIDTH 1
#define WIDE_FMA(x, y, z) FMA(x, y, z)
#define WIDE_RSQRT(x) RSQRT(x)
#else
#if defined(__AVX512F__) && REAL_IS_DOUBLE
typedef double8 wide;
#define WIDTH 8
#elif defined(__AVX512F__)
typedef float16 wide;
#define WIDTH 16
#elif REAL_IS_DOUBLE
typedef double4 wide;
#define WIDTH 4
#else
typedef float8 wide;
#define WIDTH 8
#endif
#define WIDE_FMA(x, y, z) fma(x, y, z)
#define WIDE_RSQRT(x) rsqrt(x)
#endif

/* Eight chains that begin with different numbers, and what becomes of them, next to each other. */
#define BEGIN_CHAINS(start)                                                                        \
    const int item = GLOBAL_ID;                                                                    \
    wide a = (wide)((start) + REAL(0.001) * LOCAL_ID);                                             \
    wide b = a + REAL(0.1);                                                                        \
    wide c = a + REAL(0.2);                                                                        \
    wide d = a + REAL(0.3);                                                                        \
    wide e = a + REAL(0.4);                                                                        \
    wide f = a + REAL(0.5);                                                                        \
    wide g = a + REAL(0.6);                                                                        \
    wide h = a + REAL(0.7)
#define END_CHAINS                                                                                 \
    result[item] = a + b + c + d + e + f + g + h;                                                  \
    per_round[0] = WIDTH * STEPS

/*
 * Eight independent chains hide the latency of the multiply-add; each has two operands besides
 * itself, both of them arguments, so that the compiler cannot know them and no three registers of a
 * bank meet. The sum is written so that nothing can be left out.
 */
KERNEL void multiply_add(int rounds, real factor_of, real offset_of, GLOBAL wide *RESTRICT result,
                         GLOBAL int *RESTRICT per_round)
{
    const wide factor = (wide)(factor_of);
    const wide offset = (wide)(offset_of);
    BEGIN_CHAINS(REAL(0.0));
    for (int r = 0; r < rounds; r++) {
#define STEP                                                                                       \
    a = WIDE_FMA(a, factor, offset);                                                               \
    b = WIDE_FMA(b, factor, offset);                                                               \
    c = WIDE_FMA(c, factor, offset);                                                               \
    d = WIDE_FMA(d, factor, offset);                                                               \
    e = WIDE_FMA(e, factor, offset);                                                               \
    f = WIDE_FMA(f, factor, offset);                                                               \
    g = WIDE_FMA(g, factor, offset);                                                               \
    h = WIDE_FMA(h, factor, offset);
        EVERY_STEP
#undef STEP
    }
    END_CHAINS;
}

/* Roots of roots, which go to 1 and stay normal numbers; the arguments only begin them. */
KERNEL void reciprocal_root(int rounds, real factor_of, real offset_of,
                            GLOBAL wide *RESTRICT result, GLOBAL int *RESTRICT per_round)
{
    BEGIN_CHAINS(factor_of + offset_of);
    for (int r = 0; r < rounds; r++) {
#define STEP                                                                                       \
    a = WIDE_RSQRT(a);                                                                             \
    b = WIDE_RSQRT(b);                                                                             \
    c = WIDE_RSQRT(c);                                                                             \
    d = WIDE_RSQRT(d);                                                                             \
    e = WIDE_RSQRT(e);                                                                             \
    f = WIDE_RSQRT(f);                                                                             \
    g = WIDE_RSQRT(g);                                                                             \
    h = WIDE_RSQRT(h);
        EVERY_STEP
#undef STEP
    }
    END_CHAINS;
}

/* Each round reads 8 quadruples a work-item out of local memory, neighbours from neighbouring
 * places. Where they lie changes with the round, so that they are read again. */
KERNEL void read_local(int rounds, real factor, real offset, GLOBAL real *RESTRICT result,
                       GLOBAL int *RESTRICT per_round)
{
    LOCAL real4 numbers[2 * GROUP_SIZE];
    const int item = GLOBAL_ID;
    const int place = LOCAL_ID;
    numbers[place] = make_real4(factor, offset, factor, offset);
    numbers[place + GROUP_SIZE] = make_real4(offset, factor, offset, factor);
    SYNC_THREADS;
    real4 sum = make_real4(0, 0, 0, 0);
    for (int r = 0; r < rounds; r++) {
        const int first = place + ((8 * r) & (GROUP_SIZE - 1));
        for (int k = 0; k < 8; k++) {
            const real4 read = numbers[first + k];
            sum.x += read.x;
            sum.y += read.y;
            sum.z += read.z;
            sum.w += read.w;
        }
    }
    result[item] = sum.x + sum.y + sum.z + sum.w;
    per_round[0] = 1;
}

/* A quadruple a work-item: on an H200 5 % faster than four of them, or than a loop over the array.
 */
KERNEL void copy(GLOBAL const real4 *RESTRICT from, GLOBAL real4 *RESTRICT to)
{
    const int item = GLOBAL_ID;
    to[item] = from[item];
}
