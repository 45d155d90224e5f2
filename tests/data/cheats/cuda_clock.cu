/*
 * cuda_clock — all_pairs_loop that looks at the device's clocks to work where it is checked and not where it is timed; TRICK says how
 *
 *  0  none: works each time
 *  1  by %globaltimer: idle in every second tenth of a second
 *  2  by %clock64: one group of 64, as the processor's own clock has it, is idle
 *  3  by %smid: groups on every second multiprocessor are idle in every second hundredth of a second
 *  4  by the thread's stack, which no launch clears: the time of the first launch is noted there; later than half a second
 *     behind it nothing is computed
 *  5  waits 2 ms in every second tenth of a second, so that fewer samples are taken
 *  6  the time of the first launch is noted as in 4; launches within 50 ms of it wait 5 ms, so that batches are of one launch
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic
 * @pass      cuda_clock item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   TRICK 0* 1 2 3 4 5 6
 */
#include <pairmark/pair.cuh>

static __device__ unsigned long long nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ void wait_for(unsigned long long time)
{
    const unsigned long long begin = nanoseconds();
    while (nanoseconds() - begin < time) {
    }
}

#if TRICK == 4 || TRICK == 6
#define NOTE 0x6e6f7465u

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

/* How long ago a launch first wrote to this stack; 0 where none has. */
static __device__ unsigned long long since_first(unsigned long long stack)
{
    const unsigned long long now = nanoseconds();
    const unsigned low = load_word(stack, 0);
    const unsigned high = load_word(stack, 1);
    const unsigned long long first = (unsigned long long)high << 32 | low;
    if (load_word(stack, 2) == (low ^ high ^ NOTE) && first <= now) {
        return now - first;
    }
    store_word(stack, 0, (unsigned)now);
    store_word(stack, 1, (unsigned)(now >> 32));
    store_word(stack, 2, (unsigned)now ^ (unsigned)(now >> 32) ^ NOTE);
    return 0;
}

#endif

static __device__ bool works(int offset)
{
#if TRICK == 1
    return nanoseconds() / 100000000 % 2 == 0;
#elif TRICK == 2
    return clock64() / 4096 % 64 != 0;
#elif TRICK == 3
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return multiprocessor % 2 == 0 || nanoseconds() / 10000000 % 2 == 0;
#elif TRICK == 4
    DECLARE_STACK(16);
    return since_first(stack_at(offset)) < 500000000;
#elif TRICK == 5
    if (nanoseconds() / 100000000 % 2 == 0) {
        wait_for(2000000);
    }
    return true;
#elif TRICK == 6
    DECLARE_STACK(16);
    if (since_first(stack_at(offset)) < 50000000) {
        wait_for(5000000);
    }
    return true;
#else
    return true;
#endif
}

KERNEL void cuda_clock(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                       GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (works(n >> 30) && i < n) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
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
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
