/*
 * random_words — random numbers that follow from a counter and a key: no state to keep, none to share
 *
 * The harness puts this text before the variants that speak of random numbers. Philox4x32-10: J. K. Salmon, M. A. Moraes,
 * R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", Proc. SC11 (2011), doi 10.1145/2063384.2063405. Ten
 * rounds turn a counter of four words into four words that look random; another counter gives others, and so does another key.
 *
 * A stream is a seed, a use and a step. The key is the seed, its low word first; the counter of block b of a stream
 *
 *     x = b, y = low word of the step, z = high word of the step, w = use
 *
 * so that what is drawn for a particle depends on nothing but its number, the step, the seed and what it is for: not on the
 * shape of the launch, nor on who else draws. A use is a number that a program gives to each of the things it draws for;
 * two that had the same use would get the same numbers.
 *
 * Word k of a stream is component k % 4 of block k / 4. Draw d of a stream is made
 *
 *     uniform, float     of word d:                  (word / 2^9, cut off, + 1/2) / 2^23
 *     uniform, double    of words 2d and 2d + 1:     (first * 2^20 + second / 2^12, cut off, + 1/2) / 2^52
 *     Gaussian           in pairs, draws 2p and 2p + 1 together: Box and Muller's (Ann. Math. Stat. 29 (1958) 610)
 *                        sqrt(-2 ln u) cos(2 pi v) and sqrt(-2 ln u) sin(2 pi v), v the uniform draw 2p + 1, u in double
 *                        the uniform draw 2p, in float (word 2p + 1/2) / 2^32, rounded
 *
 * Uniform draws are exact, within 0 and 1 and never either, and lie evenly about 1/2: their mean is 1/2 whatever the
 * number of bits. The u of float keeps all bits of its word, so that Gaussian draws reach 6.8, where 23 bits would end
 * at 5.8; in double they reach 8.6. u may be rounded to 1, which gives two zeros.
 */

/* ---- Philox4x32-10 ---- */

DEVICE uint4 philox4x32_10(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const uint high_x = MUL_HI(0xd2511f53u, counter.x);
        const uint low_x = 0xd2511f53u * counter.x;
        const uint high_z = MUL_HI(0xcd9e8d57u, counter.z);
        const uint low_z = 0xcd9e8d57u * counter.z;
        counter = make_uint4(high_z ^ counter.y ^ key.x, low_z, high_x ^ counter.w ^ key.y, low_x);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

/* Four words: block `block` of a stream. */
DEVICE uint4 random_block(uint block, long64 step, uint use, long64 seed)
{
    return philox4x32_10(make_uint4(block, (uint)step, (uint)(step >> 32), use), make_uint2((uint)seed, (uint)(seed >> 32)));
}

/* ---- draws of a word or two ---- */

/* How many draws a block is good for. */
#if REAL_IS_DOUBLE
#define RANDOM_DRAWS 2
#else
#define RANDOM_DRAWS 4
#endif

DEVICE float random_uniform_float(uint word)
{
    return (float)(word >> 9) * 1.1920928955078125e-7f + 5.9604644775390625e-8f;
}

#if REAL_IS_DOUBLE
DEVICE real random_uniform_double(uint first, uint second)
{
    return (double)first * 2.3283064365386962890625e-10 + ((double)(second >> 12) + 0.5) * 2.220446049250313080847263336181640625e-16;
}
#endif

/* The two Gaussian draws of a pair, from u and v. */
DEVICE real2 random_box_muller(real u, real v)
{
    const real radius = SQRT(REAL(-2.0) * LOG(u));
    real sine, cosine;
    SINCOSPI(REAL(2.0) * v, sine, cosine);
    return make_real2(radius * cosine, radius * sine);
}

#if REAL_IS_DOUBLE
/* The draws of a block, one pair. */
DEVICE real2 random_uniform_pair(uint4 words)
{
    return make_real2(random_uniform_double(words.x, words.y), random_uniform_double(words.z, words.w));
}

DEVICE real2 random_gaussian_pair(uint4 words)
{
    const real2 uniform = random_uniform_pair(words);
    return random_box_muller(uniform.x, uniform.y);
}
#else
DEVICE real random_radial_float(uint word)
{
    return FMA((float)word, 2.3283064365386962890625e-10f, 1.16415321826934814453125e-10f);
}

/* The draws of a block, two pairs. */
DEVICE real4 random_uniform_quad(uint4 words)
{
    return make_real4(random_uniform_float(words.x), random_uniform_float(words.y), random_uniform_float(words.z),
                      random_uniform_float(words.w));
}

DEVICE real4 random_gaussian_quad(uint4 words)
{
    const real2 first = random_box_muller(random_radial_float(words.x), random_uniform_float(words.y));
    const real2 second = random_box_muller(random_radial_float(words.z), random_uniform_float(words.w));
    return make_real4(first.x, first.y, second.x, second.y);
}
#endif

/* ---- four draws, in the precision at hand ---- */

/* Draws 4 index to 4 index + 3 of a stream: in float those of block `index`, in double those of blocks 2 index and
 * 2 index + 1, for which index must be below 2^31. */
DEVICE real4 random_uniform4(uint index, long64 step, uint use, long64 seed)
{
#if REAL_IS_DOUBLE
    const real2 first = random_uniform_pair(random_block(2 * index, step, use, seed));
    const real2 second = random_uniform_pair(random_block(2 * index + 1, step, use, seed));
    return make_real4(first.x, first.y, second.x, second.y);
#else
    return random_uniform_quad(random_block(index, step, use, seed));
#endif
}

DEVICE real4 random_gaussian4(uint index, long64 step, uint use, long64 seed)
{
#if REAL_IS_DOUBLE
    const real2 first = random_gaussian_pair(random_block(2 * index, step, use, seed));
    const real2 second = random_gaussian_pair(random_block(2 * index + 1, step, use, seed));
    return make_real4(first.x, first.y, second.x, second.y);
#else
    return random_gaussian_quad(random_block(index, step, use, seed));
#endif
}
