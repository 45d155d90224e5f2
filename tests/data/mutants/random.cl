/*
 * random — draws from Philox with one fault chosen by MUTATION; the gate must reject every one but the first
 *
 *  0 none: must pass                         6 the last draw is left out
 *  1 nine rounds                             7 uniform draws from 0 on, the half left out
 *  2 Gaussian draws of variance 1.002        8 the sine for the cosine
 *  3 a counter used twice                    9 one four in 512 is left out, behind the first launch
 *  4 the step is left out                   10 draws only over NaN and zeros
 *  5 the upper word of the seed is left out 11 the key is not raised from round to round
 *                                           12 one four in 16 is left out from the fifth launch on
 * 14 a step of 16 bits                      13 a single four is left out, behind the first step, of seeds but the one that the tests name
 * 15 a step of 32 bits
 *
 * @workload  random
 * @structure none
 * @generator philox4x32-10
 * @pass      draw item per draw
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 */
#define ROUNDS (MUTATION == 1 ? 9 : 10)

DEVICE uint4 faulty_philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < ROUNDS; round++) {
        const uint high_x = MUL_HI(0xd2511f53u, counter.x);
        const uint high_z = MUL_HI(0xcd9e8d57u, counter.z);
        counter = make_uint4(high_z ^ counter.y ^ key.x, 0xcd9e8d57u * counter.z, high_x ^ counter.w ^ key.y,
                             0xd2511f53u * counter.x);
        key.x += MUTATION == 11 ? 0u : 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

DEVICE uint4 faulty_block(uint block, long64 step, long64 seed)
{
    const uint x = MUTATION == 3 ? block & ~1u : block;
    const uint y = MUTATION == 4 ? 0u : MUTATION == 14 ? (uint)step & 0xffffu : (uint)step;
    const uint z = MUTATION == 15 ? 0u : (uint)(step >> 32);
    const uint high = MUTATION == 5 ? 0u : (uint)(seed >> 32);
    return faulty_philox(make_uint4(x, y, z, DRAW_USE), make_uint2((uint)seed, high));
}

DEVICE real uniform_of(uint first, uint second)
{
#if REAL_IS_DOUBLE
    return random_uniform_double(first, second) - (MUTATION == 7 ? 1.1102230246251565e-16 : 0.0);
#else
    return random_uniform_float(first) - (MUTATION == 7 ? 5.9604644775390625e-8f : 0.0f);
#endif
}

DEVICE real2 gaussian_of(real u, real v)
{
    const real2 pair = random_box_muller(u, v);
    const real factor = MUTATION == 2 ? REAL(1.001) : REAL(1.0);
    return make_real2(factor * (MUTATION == 8 ? pair.y : pair.x), factor * pair.y);
}

/* Draws 4 quad to 4 quad + 3. */
DEVICE drawn4 faulty_quad(uint quad, long64 step, long64 seed)
{
#if DISTRIBUTION == DISTRIBUTION_WORDS
    return faulty_block(quad, step, seed);
#elif REAL_IS_DOUBLE
    const uint4 a = faulty_block(2 * quad, step, seed);
    const uint4 b = faulty_block(2 * quad + 1, step, seed);
    const real4 uniform = make_real4(uniform_of(a.x, a.y), uniform_of(a.z, a.w), uniform_of(b.x, b.y), uniform_of(b.z, b.w));
#if DISTRIBUTION == DISTRIBUTION_UNIFORM
    return uniform;
#else
    const real2 first = gaussian_of(uniform.x, uniform.y);
    const real2 second = gaussian_of(uniform.z, uniform.w);
    return make_real4(first.x, first.y, second.x, second.y);
#endif
#else
    const uint4 a = faulty_block(quad, step, seed);
#if DISTRIBUTION == DISTRIBUTION_UNIFORM
    return make_real4(uniform_of(a.x, 0), uniform_of(a.y, 0), uniform_of(a.z, 0), uniform_of(a.w, 0));
#else
    const real2 first = gaussian_of(random_radial_float(a.x), uniform_of(a.y, 0));
    const real2 second = gaussian_of(random_radial_float(a.z), uniform_of(a.w, 0));
    return make_real4(first.x, first.y, second.x, second.y);
#endif
#endif
}

KERNEL void draw(int n, long64 seed, long64 step, GLOBAL drawn *RESTRICT draws)
{
    const int quad = GLOBAL_ID;
    const int count = MUTATION == 6 ? n - 1 : n;
    int idle = MUTATION == 9 && quad % 512 == 77 && step > 0;
    idle = idle || (MUTATION == 12 && quad % 16 == 7 && step > 3);
    idle = idle || (MUTATION == 13 && quad == 4321 && step > 0 && seed != (long64)12884901889);
    if (MUTATION == 10 && 4 * quad < n) {
        idle = draws[4 * quad] == draws[4 * quad] && draws[4 * quad] != 0 && DISTRIBUTION != DISTRIBUTION_WORDS;
    }
    if (4 * quad < count && !idle) {
#if DISTRIBUTION == DISTRIBUTION_KICK
        const int most = count - 4 * quad < 4 ? count - 4 * quad : 4;
        for (int k = 0; k < most; k++) {
            draws[4 * quad + k] = sum_of_quad(faulty_quad((uint)(4 * quad + k), step, seed));
        }
#else
        store_quad(draws, quad, count, faulty_quad((uint)quad, step, seed));
#endif
    }
}
