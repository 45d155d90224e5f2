/*
 * cub_block_reduce — one block per particle; CUB's BlockReduce adds up what its threads found
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      cub_block_reduce grid particle block GROUP_SIZE
 * @tunable   GROUP_SIZE 128*
 */
#include <cub/block/block_reduce.cuh>
#include <pairmark/pair.cuh>

extern "C" __global__ void cub_block_reduce(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                            accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    using Reduce = cub::BlockReduce<accum, GROUP_SIZE>;
    __shared__ typename Reduce::TempStorage room;
    const int i = blockIdx.x;
    const real4 own = position[i];
    accum found[3] = { 0, 0, 0 };
    pair_sums sums;
    clear_sums(&sums);
    for (int j = threadIdx.x; j < n; j += GROUP_SIZE) {
        const real4 other = position[j];
        const real4 d = displacement(own, other, box);
        COUNT_DISTANCE(&sums);
        if (j != i && IN_CUTOFF(d.w, cutoff2)) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
            found[0] += f * d.x;
            found[1] += f * d.y;
            found[2] += f * d.z;
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
        }
    }
    accum total[3];
    for (int k = 0; k < 3; k++) {
        total[k] = Reduce(room).Sum(found[k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        force[i] = make_accum4(total[0], total[1], total[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
