/*
 * cuda_cold — a walk down a transposed list that asks the last cache to keep what it reads through a flush; TRICK says how
 *
 *  0  none: plain loads
 *  1  positions and list by loads with the policy evict_last
 *  2  plain loads; before it ends it has both brought back to the cache, to be evicted last
 *
 * @workload  forces
 * @structure list_columns
 * @boxes     open periodic
 * @pass      cuda_cold_gather item per particle
 * @pass      cuda_cold item per particle
 * @scratch   place_now real4 particle + 1
 * @arch      sm_80
 * @tunable   GROUP_SIZE 128
 * @tunable   PARTICLES 1
 * @tunable   ORDER 3
 * @tunable   CELLS_PER_CUTOFF 2
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0
 * @tunable   TRICK 0* 1 2
 */
#include <pairmark/pair.cuh>

#define FAR_AWAY REAL(1.0e17)

static __device__ unsigned long long evict_last(void)
{
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

static __device__ void keep(const void *address)
{
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(address));
}

static __device__ int4 load(const int4 *from, unsigned long long policy)
{
#if TRICK == 1
    int4 v;
    asm volatile("ld.global.L2::cache_hint.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from), "l"(policy));
    return v;
#else
    return *from;
#endif
}

static __device__ real4 load_position(const real4 *from, unsigned long long policy)
{
#if TRICK == 1
    union {
        int4 words[sizeof(real4) / sizeof(int4)];
        real4 value;
    } at;
    for (int w = 0; w < (int)(sizeof at.words / sizeof *at.words); w++) {
        at.words[w] = load((const int4 *)from + w, policy);
    }
    return at.value;
#else
    return *from;
#endif
}

KERNEL void cuda_cold_gather(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                             GLOBAL const real4 *RESTRICT place_position, box_args box, GLOBAL real4 *RESTRICT place_now)
{
    const int k = GLOBAL_ID;
    const unsigned long long policy = evict_last();
    if (k < n) {
        place_now[k] =
            image_next_to(load_position(&position[place_index[k]], policy), load_position(&place_position[k], policy), box);
        if (k == n - 1) {
            place_now[n] = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
        }
    }
}

KERNEL void cuda_cold(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT place_position,
                      GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_index,
                      GLOBAL const int *RESTRICT column_length, GLOBAL const int4 *RESTRICT columns, int list_capacity,
                      box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                      GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 shifts[27];
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const unsigned long long policy = evict_last();
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const real4 own = place_now[k];
        const int i = place_index[k];
        const int4 *quads = columns + (long long)(k / 32) * (list_capacity / 4) * 32 + k % 32;
        const int count = (column_length[k] + 3) / 4;
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int q = 0; q < count; q++) {
            const int4 quad = load(&quads[q * 32], policy);
            const int entries[4] = { quad.x, quad.y, quad.z, quad.w };
            for (int e = 0; e < 4; e++) {
                real4 other = place_now[entry_place(entries[e])];
#if PERIODIC
                const real4 shift = shifts[(unsigned)entries[e] >> ENTRY_PLACE_BITS];
                other.x += shift.x;
                other.y += shift.y;
                other.z += shift.z;
#endif
                const real dx = own.x - other.x;
                const real dy = own.y - other.y;
                const real dz = own.z - other.z;
                const real r2 = dx * dx + dy * dy + dz * dz;
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(r2, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, own, other, i, place_index[entry_place(entries[e])], &energy);
                    x += f * dx;
                    y += f * dy;
                    z += f * dz;
                    add_to_sums(&sums, energy, f, dx, dy, dz);
                }
            }
        }
        force[i] = make_accum4(x, y, z, 0);
#if TRICK == 2
        for (int q = 0; q < count; q++) {
            keep(&quads[q * 32]);
        }
        keep(&position[k]);
        keep(&place_position[k]);
        keep(&place_index[k]);
#endif
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
