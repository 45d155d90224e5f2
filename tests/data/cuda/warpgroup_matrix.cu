/*
 * warpgroup_matrix — a warpgroup's tensor cores (wgmma) rule out pairs of 64 particles and 8, generously, in open boxes
 *
 * A row is x y z 1 of a particle, a column -2x -2y -2z |b|^2 of another: their product lacks |a|^2 of the squared distance. TF32
 * keeps 11 bits of each number, which the limit allows for.
 *
 * @workload  forces
 * @structure none
 * @arch      sm_90a
 * @boxes     open
 * @accumulates force
 * @pass      warpgroup_matrix grid particle / 64 block GROUP_SIZE
 * @tunable   GROUP_SIZE 128*
 */
#include <pairmark/pair.cuh>

#define ROWS 64
#define COLUMNS 8

/* Number k of a row, in matrices of 8 rows by 4 numbers, of which two stand side by side. */
static __device__ int place(int row, int k)
{
    return row / 8 * 64 + k / 4 * 32 + row % 8 * 4 + k % 4;
}

/* Where such a table lies in shared memory: the next 4 numbers 128 bytes on, the next 8 rows 256. */
static __device__ unsigned long long table_at(const float *numbers)
{
    const unsigned long long address = (unsigned)__cvta_generic_to_shared(numbers);
    return (address & 0x3ffff) >> 4 | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32;
}

static __device__ void multiply(float products[4], unsigned long long rows, unsigned long long columns)
{
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, add, 1, 1;\n}\n"
                 : "+f"(products[0]), "+f"(products[1]), "+f"(products[2]), "+f"(products[3])
                 : "l"(rows), "l"(columns));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" ::: "memory");
}

extern "C" __global__ void warpgroup_matrix(int n, const real4 *position, box_args box, real cutoff2, accum *force,
                                            accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    __shared__ __align__(128) float rows[ROWS * 8], columns[COLUMNS * 8];
    const int lane = threadIdx.x % 32;
    const int first = blockIdx.x * ROWS;
    pair_sums sums;
    clear_sums(&sums);
    if (threadIdx.x < ROWS) {
        const real4 a = position[min(first + (int)threadIdx.x, n - 1)];
        const float row[8] = { (float)a.x, (float)a.y, (float)a.z, 1.0f, 0, 0, 0, 0 };
        for (int k = 0; k < 8; k++) {
            rows[place(threadIdx.x, k)] = row[k];
        }
    }
    for (int start = 0; start < n; start += COLUMNS) {
        if (threadIdx.x < COLUMNS) {
            const real4 b = position[min(start + (int)threadIdx.x, n - 1)];
            const float x = (float)b.x, y = (float)b.y, z = (float)b.z;
            const float column[8] = { -2 * x, -2 * y, -2 * z, x * x + y * y + z * z, 0, 0, 0, 0 };
            for (int k = 0; k < 8; k++) {
                columns[place(threadIdx.x, k)] = column[k];
            }
        }
        float products[4] = { 0, 0, 0, 0 };
        multiply(products, table_at(rows), table_at(columns));
        /* a thread has two neighbouring columns of a row and of the row 8 further on */
        for (int p = 0; p < 4; p++) {
            const int i = first + (int)threadIdx.x / 32 * 16 + lane / 4 + p / 2 * 8;
            const int j = start + lane % 4 * 2 + p % 2;
            if (i >= n || j >= n || i == j) {
                continue;
            }
            const real4 own = position[i];
            const real4 other = position[j];
            const float own2 = (float)(own.x * own.x + own.y * own.y + own.z * own.z);
            const float other2 = (float)(other.x * other.x + other.y * other.y + other.z * other.z);
            if (!IN_CUTOFF(products[p] + own2, 1.0001f * (float)cutoff2 + 0.01f * (own2 + other2))) {
                continue;
            }
            const real4 d = displacement(own, other, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                atomicAdd(&force[4 * i], (accum)(f * d.x));
                atomicAdd(&force[4 * i + 1], (accum)(f * d.y));
                atomicAdd(&force[4 * i + 2], (accum)(f * d.z));
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        __syncthreads();
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
