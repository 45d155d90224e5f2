/*
 * curand_philox — the words of cuRAND's own Philox, on the device
 *
 * @workload  random
 * @structure none
 * @generator philox4x32-10
 * @pass      draw item per draw / DRAWS_PER_ITEM
 * @tunable   DRAWS_PER_ITEM 4* 8 16 32
 * @tunable   GROUP_SIZE 64 128* 256 512
 * @source    cuRAND, NVIDIA; J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Proc. SC11 (2011), doi 10.1145/2063384.2063405
 *
 * cuRAND's counter has the offset / 4 in x and y and the subsequence in z and w: a block of ours is found there at
 * offset 4 (block + 2^32 step), as long as the step is below 2^30, and subsequence 2^32 use. Draws are made of the words as
 * variants/random.cl does.
 */
#include <curand_kernel.h>
#include <pairmark/pair.cuh>

static inline __device__ uint4 curand_block(unsigned int block, long long step, unsigned int use, long long seed)
{
    curandStatePhilox4_32_10_t state;
    const unsigned long long subsequence = ((unsigned long long)use << 32) | (unsigned int)(step >> 32);
    const unsigned long long offset = ((unsigned long long)step << 32 | block) << 2;
    curand_init((unsigned long long)seed, subsequence, offset, &state);
    return curand4(&state);
}

#if DISTRIBUTION == DISTRIBUTION_WORDS
#define FOUR(quad) curand_block(quad, step, DRAW_USE, seed)
#elif REAL_IS_DOUBLE
#if DISTRIBUTION == DISTRIBUTION_UNIFORM
#define PAIR(block) random_uniform_pair(curand_block(block, step, DRAW_USE, seed))
#else
#define PAIR(block) random_gaussian_pair(curand_block(block, step, DRAW_USE, seed))
#endif
#else
#if DISTRIBUTION == DISTRIBUTION_UNIFORM
#define FOUR(quad) random_uniform_quad(curand_block(quad, step, DRAW_USE, seed))
#else
#define FOUR(quad) random_gaussian_quad(curand_block(quad, step, DRAW_USE, seed))
#endif
#endif

static inline __device__ drawn4 four_of(unsigned int quad, long long step, long long seed)
{
#ifdef FOUR
    return FOUR(quad);
#else
    const real2 first = PAIR(2 * quad);
    const real2 second = PAIR(2 * quad + 1);
    return make_real4(first.x, first.y, second.x, second.y);
#endif
}

static inline __device__ drawn4 results_of(unsigned int quad, long long step, long long seed)
{
#if DISTRIBUTION == DISTRIBUTION_KICK
    return make_real4(sum_of_quad(four_of(4 * quad, step, seed)), sum_of_quad(four_of(4 * quad + 1, step, seed)),
                      sum_of_quad(four_of(4 * quad + 2, step, seed)), sum_of_quad(four_of(4 * quad + 3, step, seed)));
#else
    return four_of(quad, step, seed);
#endif
}

extern "C" __global__ void draw(int n, long long seed, long long step, drawn *draws)
{
    const int quads = (n + 3) / 4;
    for (int quad = GLOBAL_ID; quad < quads; quad += GLOBAL_SIZE) {
        store_quad(draws, quad, n, results_of((unsigned int)quad, step, seed));
    }
}
