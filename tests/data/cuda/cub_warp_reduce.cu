/*
 * cub_warp_reduce — one warp per particle; CUB's WarpReduce adds up what its lanes found
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      cub_warp_reduce grid particle * 32 / GROUP_SIZE block GROUP_SIZE
 * @tunable   GROUP_SIZE 128*
 */
#include <cub/warp/warp_reduce.cuh>
#include <pairmark/pair.cuh>

extern "C" __global__ void cub_warp_reduce(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                           accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    using Reduce = cub::WarpReduce<accum>;
    __shared__ typename Reduce::TempStorage room[GROUP_SIZE / 32];
    const int warp = threadIdx.x / 32;
    const int i = (blockIdx.x * GROUP_SIZE + threadIdx.x) / 32;
    accum found[3] = { 0, 0, 0 };
    pair_sums sums;
    clear_sums(&sums);
    for (int j = threadIdx.x % 32; j < n && i < n; j += 32) {
        const real4 d = displacement(position[i], position[j], box);
        COUNT_DISTANCE(&sums);
        if (j != i && IN_CUTOFF(d.w, cutoff2)) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, position[i], position[j], i, j, &energy);
            found[0] += f * d.x;
            found[1] += f * d.y;
            found[2] += f * d.z;
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
        }
    }
    accum total[3];
    for (int k = 0; k < 3; k++) {
        total[k] = Reduce(room[warp]).Sum(found[k]);
        __syncwarp();
    }
    if (i < n && threadIdx.x % 32 == 0) {
        force[i] = make_accum4(total[0], total[1], total[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
