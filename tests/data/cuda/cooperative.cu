/*
 * cooperative — a tile of cooperative groups per particle adds up by its reduce()
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      cooperative grid particle * LANES / GROUP_SIZE block GROUP_SIZE
 * @tunable   GROUP_SIZE 128*
 * @tunable   LANES 8 32*
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <pairmark/pair.cuh>

namespace cg = cooperative_groups;

extern "C" __global__ void cooperative(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                       accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int i = (blockIdx.x * GROUP_SIZE + threadIdx.x) / LANES;
    accum x = 0, y = 0, z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int j = tile.thread_rank(); j < n && i < n; j += LANES) {
        const real4 d = displacement(position[i], position[j], box);
        COUNT_DISTANCE(&sums);
        if (j != i && IN_CUTOFF(d.w, cutoff2)) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, position[i], position[j], i, j, &energy);
            x += f * d.x;
            y += f * d.y;
            z += f * d.z;
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
        }
    }
    x = cg::reduce(tile, x, cg::plus<accum>());
    y = cg::reduce(tile, y, cg::plus<accum>());
    z = cg::reduce(tile, z, cg::plus<accum>());
    if (i < n && tile.thread_rank() == 0) {
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
