/*
 * all_pairs_tensor — tensor cores rule out pairs by the angles of their coordinates, 128 pairs per instruction
 *
 * A coordinate is an angle a, one turn per edge or several. The cosine of a difference is a product: cos(a - b) = cos a
 * cos b + sin a sin b. So of two particles with vectors v of six numbers, the cosines and sines along x, y and z,
 * 3 - v_i v_j adds up 1 - cos over the three differences, whichever image is the nearest; and as 1 - cos(d) <= d^2 / 2, it is
 * at most half the squared distance in radians. A pair for which it is more than half the squared cutoff is out. Two
 * more numbers of each vector, 1 1 and the limit less 3 in two parts, turn the question into a sign, and eight numbers
 * are what mma.m16n8k8 multiplies: 16 particles by 8 at once, in half precision. A logical operation per 128 pairs then
 * says whether any is left. What half precision may lose (each number errs by 2^-12, their products by 9 times that
 * together) is part of the limit, so that no pair within the cutoff is ruled out; some beyond it pass.
 *
 * Pairs that pass are few and lie anywhere. Each warp keeps them in a queue in shared memory, where votes say which place a
 * lane's pair takes, and computes 32 of them whenever there are so many, in the precision of the case and with all lanes
 * at work. Their forces are added to memory atomically: a row's pairs are spread over lanes. Each pair is met from both
 * sides. Tensor cores, votes and packed half precision have no words in the dialect; its twins are all_pairs_tile and, by
 * bytes in place of angles, all_pairs_screened. Where the cutoff is a large part of the edge nearly every pair passes,
 * and those two are faster.
 *
 * Edges of different length have turns of different length: weights (the squared ratio to the longest turn) keep the
 * bound above, per component. SPAN cutoffs are the least length of a turn where an edge has several: a shorter one makes
 * angles finer, and meets more particles that are whole turns away. Limited to 2^26 particles by its queue.
 *
 * @workload  forces
 * @structure none
 * @arch      sm_80
 * @boxes     open periodic
 * @accumulates force
 * @pass      write_angles grid particle / GROUP_SIZE + 1 block GROUP_SIZE
 * @pass      all_pairs_tensor grid particle / ROW_BLOCKS / GROUP_SIZE * SHARES block GROUP_SIZE
 * @scratch   angles int4 particle + 128
 * @tunable   GROUP_SIZE 128*
 * @tunable   ROW_BLOCKS 1 2*
 * @tunable   SHARES 1 8 16* 64
 * @tunable   SPAN 16 24* 32
 * @source    our own
 */
#include <cuda_fp16.h>
#include <pairmark/pair.cuh>

#define BLOCK 32 /* particles whose vectors lie together */
#define ROWS (BLOCK * ROW_BLOCKS)
#define QUEUE (31 + BLOCK * ROWS) /* as many as one turn of the loop can add to what is left of the last */
#define ALL_LANES 0xffffffffu
#define SIGNS 0x80008000u

/* ---- vectors of angles ---- */

/* The length of a turn along an edge; in an open box any will do. */
static __device__ float turn_of_edge(float edge, float cutoff)
{
#if !PERIODIC
    return SPAN * cutoff;
#else
    const float turns = floorf(edge / (SPAN * cutoff));
    return edge / fmaxf(turns, 1.0f);
#endif
}

/* The cosine and the sine of a coordinate, times the root of its weight. The product with what follows from the turn
 * alone is exact but for one rounding, so that all particles have the same scale. */
static __device__ __half2 angle(real coordinate, real turn, float root)
{
    const real inverse = REAL(1.0) / turn;
    const real product = coordinate * inverse;
    const real rest = FMA(coordinate, inverse, -product);
    const float turns = (float)((product - RINT(product)) + rest);
    float sine;
    float cosine;
    sincospif(2.0f * turns, &sine, &cosine);
    return __floats2half2_rn(root * cosine, root * sine);
}

static __device__ int bits(__half2 pair)
{
    return *reinterpret_cast<int *>(&pair);
}

/* Of 32 particles, word w of the vectors of particles 4 g to 4 g + 3 lies in place 4 g + w: what lane 4 g + w of a warp
 * hands to the tensor cores. */
extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
write_angles(int n, const real4 *__restrict__ position, real4 edge, real cutoff2, int4 *__restrict__ angles)
{
    const float pi = 3.14159265f;
    const float lost = 3.3e-3f; /* by rounding: 9 * 2^-12 of angles, 2^-10 of a sum of half of the products, and a little */
    const int p = blockIdx.x * GROUP_SIZE + threadIdx.x;
    if (p >= (n + 127) / 128 * 128) {
        return;
    }
    int *word = reinterpret_cast<int *>(angles) + p / BLOCK * BLOCK * 4 + p % BLOCK / 4 * 16 + p % 4;
#if WITH_CUTOFF
    const float cutoff = sqrtf((float)cutoff2);
    const float tx = turn_of_edge((float)edge.x, cutoff);
    const float ty = turn_of_edge((float)edge.y, cutoff);
    const float tz = turn_of_edge((float)edge.z, cutoff);
    const float longest = fmaxf(tx, fmaxf(ty, tz));
    const float wx = tx / longest;
    const float wy = ty / longest;
    const float wz = tz / longest;
    const real4 own = position[p < n ? p : 0];
    const float radians = 2.0f * pi * cutoff / longest;
    const float limit = 0.50001f * radians * radians + lost - (wx * wx + wy * wy + wz * wz);
#if PERIODIC
    const real turn_x = edge.x / RINT(edge.x / tx);
    const real turn_y = edge.y / RINT(edge.y / ty);
    const real turn_z = edge.z / RINT(edge.z / tz);
#else
    const real turn_x = tx;
    const real turn_y = ty;
    const real turn_z = tz;
#endif
    word[0] = bits(angle(own.x, turn_x, wx));
    word[4] = bits(angle(own.y, turn_y, wy));
    word[8] = bits(angle(own.z, turn_z, wz));
#else
    const float limit = 8.0f; /* every pair passes */
    word[0] = 0;
    word[4] = 0;
    word[8] = 0;
#endif
    /* a place beyond n passes nobody */
    const float mine = p < n ? limit : -8.0f;
    const __half high = __float2half_rn(mine);
    const __half low = __float2half_rn(mine - __half2float(high));
    word[12] = bits(__halves2half2(high, low));
}

/* ---- pairs that pass ---- */

/* 16 rows by 8 columns; each half of the results is negative where its pair is out. */
static __device__ __forceinline__ void multiply(const int a[2], int b, unsigned d[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %5};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(b), "r"(0));
}

/* One pair of the queue: a row of the warp's in the lowest six bits, a column above. */
static __device__ __forceinline__ void compute_pair(unsigned code, int first_row, int n,
                                                    const real4 *__restrict__ position, box_args box, real cutoff2,
                                                    accum *__restrict__ force, pair_sums *sums PAIR_PARAMETERS)
{
    const int i = first_row + (int)(code & 63u);
    const int j = (int)(code >> 6);
    if (i >= n || i == j) {
        return;
    }
    const real4 own = position[i];
    const real4 other = position[j];
    const real4 d = displacement(own, other, box);
    COUNT_DISTANCE(sums);
    if (IN_CUTOFF(d.w, cutoff2)) {
        pair_energy energy = NO_ENERGY;
        const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
        ATOMIC_ADD(&force[4 * i], f * d.x);
        ATOMIC_ADD(&force[4 * i + 1], f * d.y);
        ATOMIC_ADD(&force[4 * i + 2], f * d.z);
        add_to_sums(sums, energy, f, d.x, d.y, d.z);
    }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
all_pairs_tensor(int n, const real4 *__restrict__ position, const int4 *__restrict__ angles, box_args box, real cutoff2,
                 accum *__restrict__ force, accum *__restrict__ partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    __shared__ unsigned queues[GROUP_SIZE / 32][QUEUE];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int group = lane / 4; /* of the tensor cores' layout: a row, and a column */
    const int share = blockIdx.x % SHARES;
    const int first_row = (blockIdx.x / SHARES * (GROUP_SIZE / 32) + warp) * ROWS;
    const int blocks = (n + BLOCK - 1) / BLOCK;
    const int first = (int)((long64)blocks * share / SHARES);
    const int stop = first_row < n ? (int)((long64)blocks * (share + 1) / SHARES) : first;
    unsigned *queue = queues[warp];
    int waiting = 0; /* in the queue, the same in all lanes */
    pair_sums sums;
    clear_sums(&sums);

    /* the rows' vectors: 16 rows per tile; where columns have their limit, rows have 1 1 */
    int rows[2 * ROW_BLOCKS][2];
    for (int k = 0; k < ROW_BLOCKS; k++) {
        int4 of_lane = make_int4(0, 0, 0, 0);
        if (first_row < n) {
            of_lane = angles[first_row + k * BLOCK + lane];
        }
        const int one_one = 0x3c003c00;
        rows[2 * k][0] = lane % 4 == 3 ? one_one : of_lane.x;
        rows[2 * k][1] = lane % 4 == 3 ? one_one : of_lane.y;
        rows[2 * k + 1][0] = lane % 4 == 3 ? one_one : of_lane.z;
        rows[2 * k + 1][1] = lane % 4 == 3 ? one_one : of_lane.w;
    }

    int4 next = angles[(first < stop ? first : 0) * BLOCK + lane];
    for (int block = first; block < stop; block++) {
        /* rule out pairs: all rows by the 32 columns of the block, and the next block's columns on their way */
        const int columns[4] = { next.x, next.y, next.z, next.w };
        next = angles[(block + 1 < stop ? block + 1 : block) * BLOCK + lane];
        unsigned out[2 * ROW_BLOCKS][4][2];
        unsigned all_out = SIGNS;
#pragma unroll
        for (int r = 0; r < 2 * ROW_BLOCKS; r++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                multiply(rows[r], columns[c], out[r][c]);
                all_out &= out[r][c][0] & out[r][c][1];
            }
        }
        if (__all_sync(ALL_LANES, all_out == SIGNS)) {
            continue;
        }
        /* queue those that pass */
#pragma unroll
        for (int r = 0; r < 2 * ROW_BLOCKS; r++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                if (__all_sync(ALL_LANES, (out[r][c][0] & out[r][c][1] & SIGNS) == SIGNS)) {
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const bool passes = !(out[r][c][e / 2] >> (e % 2 ? 31 : 15) & 1u);
                    const unsigned voters = __ballot_sync(ALL_LANES, passes);
                    const int row = r / 2 * BLOCK + 4 * group + 2 * (r % 2) + e / 2;
                    const int column = block * BLOCK + 4 * (2 * (lane % 4) + e % 2) + c;
                    if (passes) {
                        queue[waiting + __popc(voters & ((1u << lane) - 1u))] = (unsigned)column << 6 | (unsigned)row;
                    }
                    waiting += __popc(voters);
                }
            }
        }
        __syncwarp();
        /* compute 32 at a time */
        while (waiting >= 32) {
            waiting -= 32;
            const unsigned code = queue[waiting + lane];
            compute_pair(code, first_row, n, position, box, cutoff2, force, &sums PAIR_ARGUMENTS);
        }
        __syncwarp();
    }
    if (lane < waiting) {
        compute_pair(queue[lane], first_row, n, position, box, cutoff2, force, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
