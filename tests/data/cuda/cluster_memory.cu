/*
 * cluster_memory — the blocks of a cluster share their tiles: each loads one and reads all
 *
 * @workload  forces
 * @structure none
 * @arch      sm_90
 * @boxes     open periodic triclinic
 * @pass      cluster_memory grid particle / GROUP_SIZE block GROUP_SIZE cluster BLOCKS
 * @tunable   GROUP_SIZE 128*
 * @tunable   BLOCKS 2 4* 16 32
 */
#include <cooperative_groups.h>
#include <pairmark/pair.cuh>

namespace cg = cooperative_groups;

extern "C" __global__ void cluster_memory(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                          accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    __shared__ real4 tile[GROUP_SIZE];
    const auto cluster = cg::this_cluster();
    const int i = blockIdx.x * GROUP_SIZE + threadIdx.x;
    const real4 own = position[i < n ? i : 0];
    accum x = 0, y = 0, z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int start = 0; start < n; start += BLOCKS * GROUP_SIZE) {
        const int loaded = start + (int)cluster.block_rank() * GROUP_SIZE + threadIdx.x;
        cluster.sync();
        tile[threadIdx.x] = position[loaded < n ? loaded : 0];
        cluster.sync();
        for (int t = 0; t < BLOCKS * GROUP_SIZE && start + t < n && i < n; t++) {
            const real4 other = cluster.map_shared_rank(tile, t / GROUP_SIZE)[t % GROUP_SIZE];
            const real4 d = displacement(own, other, box);
            COUNT_DISTANCE(&sums);
            if (start + t != i && IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, start + t, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
    }
    cluster.sync(); /* nobody leaves while others read */
    if (i < n) {
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
