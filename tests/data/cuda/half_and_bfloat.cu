/*
 * half_and_bfloat — coordinates of half precision and of bfloat16 rule pairs out, generously, in open boxes
 *
 * @workload  forces
 * @structure none
 * @boxes     open
 * @pass      half_and_bfloat grid particle / GROUP_SIZE block GROUP_SIZE
 * @tunable   GROUP_SIZE 128*
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <pairmark/pair.cuh>

/* Whether the distance along x may be within the cutoff, as bfloat16 has it (2^-8 of each coordinate is lost), and
 * that along y, as half precision has it (2^-11). */
static __device__ bool may_be_near(real4 a, real4 b, float cutoff)
{
    const __nv_bfloat16 ax = __float2bfloat16_rn((float)a.x);
    const __nv_bfloat16 bx = __float2bfloat16_rn((float)b.x);
    const __half2 y = __floats2half2_rn((float)a.y, (float)b.y);
    const float room_x = 0.01f * (fabsf((float)a.x) + fabsf((float)b.x)) + 1e-3f;
    const float room_y = 0.002f * (fabsf((float)a.y) + fabsf((float)b.y)) + 1e-3f;
    return fabsf(__bfloat162float(__hsub(ax, bx))) <= cutoff + room_x &&
           fabsf(__low2float(y) - __high2float(y)) <= cutoff + room_y;
}

extern "C" __global__ void half_and_bfloat(int n, const real4 *position, box_args box, real cutoff2, accum4 *force,
                                           accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = blockIdx.x * GROUP_SIZE + threadIdx.x;
    accum x = 0, y = 0, z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int j = 0; j < n && i < n; j++) {
#if WITH_CUTOFF
        if (!may_be_near(position[i], position[j], sqrtf((float)cutoff2) * 1.0001f)) {
            continue;
        }
#endif
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
    if (i < n) {
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
