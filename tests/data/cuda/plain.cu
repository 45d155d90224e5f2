/*
 * plain_cuda — all pairs in CUDA C++ as it stands in a paper: no word of the dialect
 *
 * One thread per particle, the others by tiles of shared memory whose size the launch says.
 *
 * @workload  forces
 * @structure none
 * @boxes     open
 * @pass      plain_cuda grid particle / TILE block TILE shared TILE * real4
 * @tunable   TILE 64 128* 256
 */
extern "C" __global__ void __launch_bounds__(TILE)
plain_cuda(int n, const float4 *__restrict__ position, float cutoff2, float4 *force)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 own = position[min(i, n - 1)];
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += TILE) {
        __syncthreads();
        tile[threadIdx.x] = position[min(start + (int)threadIdx.x, n - 1)];
        __syncthreads();
        for (int t = 0; t < min(TILE, n - start); t++) {
            const float dx = own.x - tile[t].x;
            const float dy = own.y - tile[t].y;
            const float dz = own.z - tile[t].z;
            const float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 <= cutoff2 && start + t != i) {
                const float s2 = 1.0f / r2;
                const float s6 = s2 * s2 * s2;
                const float f = 24.0f * s6 * (2.0f * s6 - 1.0f) * s2;
                sum.x += f * dx;
                sum.y += f * dy;
                sum.z += f * dz;
            }
        }
    }
    if (i < n) {
        force[i] = make_float4(sum.x, sum.y, sum.z, 0);
    }
}
