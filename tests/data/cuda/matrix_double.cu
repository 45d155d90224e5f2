/*
 * matrix_double — a warp's tensor cores work out squared distances of 8 particles to 8, in double precision; open boxes
 *
 * @workload  forces
 * @structure none
 * @arch      sm_80
 * @boxes     open
 * @accumulates force
 * @pass      matrix_double grid particle / 8, 1 block GROUP_SIZE
 * @tunable   GROUP_SIZE 32*
 */
#include <mma.h>
#include <pairmark/pair.cuh>

using namespace nvcuda;

extern "C" __global__ void matrix_double(int n, const real4 *position, box_args box, real cutoff2, accum *force,
                                         accum *partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    __shared__ double rows[8 * 4], columns[8 * 4], products[8 * 8];
    const int lane = threadIdx.x;
    const int first = blockIdx.x * 8;
    pair_sums sums;
    clear_sums(&sums);
    for (int start = 0; start < n; start += 8) {
        /* a row is x y z 1, a column -2x -2y -2z |b|^2: their product lacks |a|^2 of the squared distance */
        __syncwarp();
        if (lane < 8) {
            const real4 a = position[min(first + lane, n - 1)];
            const real4 b = position[min(start + lane, n - 1)];
            rows[4 * lane] = a.x, rows[4 * lane + 1] = a.y, rows[4 * lane + 2] = a.z, rows[4 * lane + 3] = 1;
            columns[4 * lane] = -2.0 * b.x, columns[4 * lane + 1] = -2.0 * b.y, columns[4 * lane + 2] = -2.0 * b.z;
            columns[4 * lane + 3] = (double)b.x * b.x + (double)b.y * b.y + (double)b.z * b.z;
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
        wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
        wmma::fill_fragment(c, 0.0);
        wmma::load_matrix_sync(a, rows, 4);
        wmma::load_matrix_sync(b, columns, 4);
        wmma::mma_sync(c, a, b, c);
        wmma::store_matrix_sync(products, c, 8, wmma::mem_row_major);
        __syncwarp();
        for (int k = lane; k < 64; k += 32) {
            const int i = first + k / 8;
            const int j = start + k % 8;
            if (i >= n || j >= n || i == j) {
                continue;
            }
            const real4 own = position[i];
            const double own2 = (double)own.x * own.x + (double)own.y * own.y + (double)own.z * own.z;
            if (!IN_CUTOFF(products[k] + own2, 1.0001 * cutoff2 + 1e-9 * own2)) {
                continue;
            }
            const real4 d = displacement(own, position[j], box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                atomicAdd(&force[4 * i], (accum)(f * d.x));
                atomicAdd(&force[4 * i + 1], (accum)(f * d.y));
                atomicAdd(&force[4 * i + 2], (accum)(f * d.z));
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
