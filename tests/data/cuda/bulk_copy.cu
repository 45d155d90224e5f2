/*
 * bulk_copy — tiles come by bulk copies that signal barriers, one on its way while the other is walked
 *
 * @workload  forces
 * @structure none
 * @arch      sm_90
 * @boxes     open periodic triclinic
 * @pass      bulk_copy grid particle / GROUP_SIZE block GROUP_SIZE shared 2 * GROUP_SIZE * real4
 * @tunable   GROUP_SIZE 128*
 */
#include <cuda/barrier>
#include <cuda/ptx>
#include <pairmark/pair.cuh>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

/* One thread asks for a tile; the barrier flips when all its bytes are there. */
static __device__ void fetch(real4 *tile, const real4 *position, int start, int n, barrier *ready)
{
    const int count = n - start < GROUP_SIZE ? n - start : GROUP_SIZE;
    const unsigned bytes = count * sizeof(real4);
    auto *handle = cuda::device::barrier_native_handle(*ready);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, position + start, bytes, handle);
    (void)ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle, bytes);
}

extern "C" __global__ void bulk_copy(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                     accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    extern __shared__ __align__(128) real4 tiles[];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier ready[2];
    const int i = blockIdx.x * GROUP_SIZE + threadIdx.x;
    const real4 own = position[i < n ? i : 0];
    accum x = 0, y = 0, z = 0;
    pair_sums sums;
    clear_sums(&sums);
    if (threadIdx.x == 0) {
        init(&ready[0], 1);
        init(&ready[1], 1);
        ptx::fence_proxy_async(ptx::space_shared);
        fetch(tiles, position, 0, n, &ready[0]);
    }
    __syncthreads();
    for (int start = 0, turn = 0; start < n; start += GROUP_SIZE, turn++) {
        const real4 *tile = tiles + turn % 2 * GROUP_SIZE;
        if (threadIdx.x == 0 && start + GROUP_SIZE < n) {
            fetch(tiles + (turn + 1) % 2 * GROUP_SIZE, position, start + GROUP_SIZE, n, &ready[(turn + 1) % 2]);
        }
        while (!ptx::mbarrier_try_wait_parity(cuda::device::barrier_native_handle(ready[turn % 2]), turn / 2 % 2)) {
        }
        for (int t = 0; t < GROUP_SIZE && start + t < n && i < n; t++) {
            const real4 d = displacement(own, tile[t], box);
            COUNT_DISTANCE(&sums);
            if (start + t != i && IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, tile[t], i, start + t, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        __syncthreads();
    }
    if (i < n) {
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
