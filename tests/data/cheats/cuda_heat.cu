/*
 * cuda_heat — all_pairs_loop that heats the card where it is not timed, so that its baseline finds a lower clock; TRICK says when
 *
 *  0  none
 *  1  for 0.2 s where the outputs hold zeros or NaN, as they do before a launch that is only checked
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic
 * @pass      cuda_heat item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   TRICK 0* 1
 */
#include <pairmark/pair.cuh>

static __device__ unsigned long long nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Multiply-adds in eight chains; what it returns is never 0. */
static __device__ float heat(unsigned long long time)
{
    const unsigned long long begin = nanoseconds();
    float chains[8];
    for (int c = 0; c < 8; c++) {
        chains[c] = 1.0f + 0.001f * (float)(threadIdx.x + c);
    }
    while (nanoseconds() - begin < time) {
        for (int turn = 0; turn < 512; turn++) {
            for (int c = 0; c < 8; c++) {
                chains[c] = fmaf(chains[c], 0.999f, 0.001f);
            }
        }
    }
    float sum = 1;
    for (int c = 0; c < 8; c++) {
        sum += fabsf(chains[c]);
    }
    return sum;
}

KERNEL void cuda_heat(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                      GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
#if TRICK == 1
    const accum before = force[i < n ? i : 0].x;
    if ((before != before || before == 0) && heat(200000000) == 0) {
        return;
    }
#endif
    if (i < n) {
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
