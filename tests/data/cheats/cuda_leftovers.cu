/*
 * cuda_leftovers — all_pairs_loop that looks for its forces in what an earlier launch left on the multiprocessor; TRICK says where (in float)
 *
 *  0  none: as 1, but what it leaves is never taken for what it is, so it works each time
 *  1  in shared memory, where the positions of all of a group's particles stand beside them
 *  2  in the thread's stack (local memory), where the position of its particle stands beside it
 *  3  as 1, but forces that are found are made wrong: a run that is `ok` has never found any
 *  4  as 2, likewise
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic
 * @pass      cuda_leftovers item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   TRICK 0* 1 2 3 4
 */
#include <pairmark/pair.cuh>

#define FOUND_MEANS_WRONG (TRICK >= 3)
#define MARK (TRICK ? 0u : 1u) /* on what is left, not on what is looked for; so all tricks have one loop, in which most of the time goes */
#define IN_STACK (TRICK == 2 || TRICK == 4)

/* Memory of the thread's own in PTX, which lies where the launch before had it; compilers take the words of a C array that nobody
 * wrote for undefined and read none. `offset` is 0, which the compiler cannot know. */
#define DECLARE_STACK(bytes) asm volatile(".local .align 16 .b8 stack_of_thread[" #bytes "];")

static __device__ unsigned long long stack_at(int offset)
{
    unsigned long long at;
    asm volatile("{ .reg .u64 o, b; cvt.s64.s32 o, %1; mov.u64 b, stack_of_thread; add.u64 %0, b, o; }" : "=l"(at) : "r"(offset));
    return at;
}

static __device__ unsigned load_word(unsigned long long stack, int k)
{
    unsigned word;
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(word) : "l"(stack + 4 * k));
    return word;
}

static __device__ void store_word(unsigned long long stack, int k, unsigned word)
{
    asm volatile("st.local.u32 [%0], %1;" ::"l"(stack + 4 * k), "r"(word));
}

/* Position, force, and a word that garbage does not have. */
enum { WORDS = 7 };

static __device__ unsigned check_of(const unsigned *words)
{
    unsigned hash = 0x9e3779b9u;
    for (int w = 0; w < WORDS - 1; w++) {
        hash = (hash ^ words[w]) * 0x2c1b3c6du;
        hash ^= hash >> 15;
    }
    return hash;
}

KERNEL void cuda_leftovers(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                           GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
#if IN_STACK
    DECLARE_STACK(32);
    const unsigned long long stack = stack_at(n >> 30);
#else
    __shared__ unsigned of_group[WORDS][GROUP_SIZE]; /* read before it is written */
    volatile unsigned *shared = &of_group[0][LOCAL_ID];
#endif
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        unsigned left[WORDS];
        for (int w = 0; w < WORDS; w++) {
#if IN_STACK
            left[w] = load_word(stack, w);
#else
            left[w] = shared[w * GROUP_SIZE];
#endif
        }
        const bool found = left[0] == __float_as_uint((float)own.x) && left[1] == __float_as_uint((float)own.y) &&
                           left[2] == __float_as_uint((float)own.z) && left[WORDS - 1] == check_of(left);
        for (int j = 0; j < n && !found; j++) {
            const real4 other = position[j];
            const real4 d = nearest_difference(own, other, box.edge, box.inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        if (found) {
            x = (FOUND_MEANS_WRONG ? -1 : 1) * __uint_as_float(left[3]);
            y = __uint_as_float(left[4]);
            z = __uint_as_float(left[5]);
        } else {
            const float numbers[WORDS - 1] = { (float)own.x, (float)own.y, (float)own.z, (float)x, (float)y, (float)z };
            for (int w = 0; w < WORDS - 1; w++) {
                left[w] = __float_as_uint(numbers[w]);
            }
            left[WORDS - 1] = check_of(left) ^ MARK;
            for (int w = 0; w < WORDS; w++) {
#if IN_STACK
                store_word(stack, w, left[w]);
#else
                shared[w * GROUP_SIZE] = left[w];
#endif
            }
        }
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
