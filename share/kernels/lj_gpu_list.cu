/*
 * lj_gpu_list — one particle per thread down a transposed list, the next partners on their way while these are met
 *
 * The ideas of lj_gpu's kernels: the list lies so that the threads of a warp read runs of memory; forces are added up in registers
 * and written once; the cutoff chooses a number and no branch; and the loop is a pipeline, in which the entries after next and the
 * positions of the next partners are read before the present ones are computed. The list is list_columns of one particle each,
 * four entries per read, in an order of its own: a first pass gathers the positions of now into it. Each pair is computed from
 * both sides. Its built-in twin list_columns has the same list and leaves the pipeline to the compiler. On an H200, over 2 048 000
 * particles in float, with one particle per thread each, this takes 0.361 ms and list_columns 0.336: there the pipeline gains nothing. list_walk,
 * whose rows are not transposed, takes 0.962.
 *
 * @workload  forces
 * @structure list_columns
 * @boxes     open periodic triclinic
 * @pass      positions_now grid particle / GROUP_SIZE block GROUP_SIZE
 * @pass      lj_gpu_list grid particle / GROUP_SIZE block GROUP_SIZE
 * @scratch   place_now real4 particle + 1
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   PARTICLES 1
 * @tunable   ORDER 0 2 3*
 * @tunable   CELLS_PER_CUTOFF 1 2*
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    the ideas of the kernels in github.com/kohnakagawa/lj_gpu (aligned list, software pipeline)
 */
#include <pairmark/pair.cuh>

#define NOWHERE REAL(1.0e17) /* its square is a float still */

extern "C" __global__ void positions_now(int n, const real4 *__restrict__ position, const int *__restrict__ place_index,
                                         const real4 *__restrict__ place_position, box_args box,
                                         real4 *__restrict__ place_now)
{
    const int k = blockIdx.x * GROUP_SIZE + threadIdx.x;
    if (k >= n) {
        return;
    }
    real4 now = position[place_index[k]];
#if PERIODIC
    /* next to where the list saw it: its images hold there */
    const real4 built = place_position[k];
    const real4 step = displacement(now, built, box);
    now.x = built.x + step.x;
    now.y = built.y + step.y;
    now.z = built.z + step.z;
#endif
    place_now[k] = now;
    if (k == n - 1) {
        place_now[n] = make_real4(NOWHERE, NOWHERE, NOWHERE, 0);
    }
}

/* Four partners, each where the list saw it. */
struct partners {
    int entry[4];
    real4 at[4];
};

static __device__ __forceinline__ partners fetch(int4 quad, const real4 *__restrict__ place_now, const real4 *shifts)
{
    partners four = { { quad.x, quad.y, quad.z, quad.w } };
#pragma unroll
    for (int u = 0; u < 4; u++) {
        four.at[u] = place_now[entry_place(four.entry[u])];
#if PERIODIC
        const real4 shift = shifts[(unsigned)four.entry[u] >> ENTRY_PLACE_BITS];
        four.at[u].x += shift.x;
        four.at[u].y += shift.y;
        four.at[u].z += shift.z;
#endif
    }
    return four;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
lj_gpu_list(int n, const real4 *__restrict__ place_now, const int *__restrict__ place_index,
            const int *__restrict__ column_length, const int4 *__restrict__ columns, int list_capacity, box_args box,
            real cutoff2, accum4 *__restrict__ force, accum *__restrict__ partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    __shared__ real4 shifts[27];
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int i = blockIdx.x * GROUP_SIZE + threadIdx.x;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = place_now[i];
        const int index = place_index[i];
        const int4 *quads = columns + (long long)(i / 32) * (list_capacity / 4) * 32 + i % 32;
        const int count = (column_length[i] + 3) / 4;
        const int4 nobody = make_int4(n, n, n, n);
        accum x = 0, y = 0, z = 0;
        partners next = fetch(count > 0 ? quads[0] : nobody, place_now, shifts);
        int4 after = count > 1 ? quads[32] : nobody;
        for (int k = 0; k < count; k++) {
            const partners now = next;
            next = fetch(after, place_now, shifts);
            after = k + 2 < count ? quads[(k + 2) * 32] : nobody;
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const real dx = own.x - now.at[u].x;
                const real dy = own.y - now.at[u].y;
                const real dz = own.z - now.at[u].z;
                const real r2 = dx * dx + dy * dy + dz * dz;
                COUNT_DISTANCE(&sums);
                pair_energy energy = NO_ENERGY;
                const real any = PAIR_FORCE(r2, own, now.at[u], index, place_index[entry_place(now.entry[u])], &energy);
                const real f = IN_CUTOFF(r2, cutoff2) ? any : REAL(0.0);
                x += f * dx;
                y += f * dy;
                z += f * dz;
                if (IN_CUTOFF(r2, cutoff2)) {
                    add_to_sums(&sums, energy, f, dx, dy, dz);
                }
            }
        }
        force[index] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
