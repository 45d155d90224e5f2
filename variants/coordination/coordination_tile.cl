/*
 * coordination_tile — one group loads a tile of particles into local memory, and all its work-items walk it
 *
 * Every particle is read from global memory once a group instead of once a work-item, and each work-item holds
 * ITEMS particles of its own, so that one read of local memory and one branch serve ITEMS distances. Squared
 * distances come first, by the images' magnitudes alone; differences and the switching function follow only where
 * the least of them lies within dmax. Without a dmax every pair pays for both. Each pair is met from both sides;
 * no atomics.
 *
 * Places beyond n are filled with particle 0 and never added.
 *
 * @workload  coordination
 * @groups    one
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      coordination_tile item per particle / ITEMS
 * @tunable   GROUP_SIZE 64 128 256*
 * @tunable   ITEMS 1* 2 4
 * @source    L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31
 */
KERNEL void coordination_tile(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                              GLOBAL accum4 *RESTRICT derivative, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    const int first = GROUP_ID * GROUP_SIZE * ITEMS + LOCAL_ID;
    real4 own[ITEMS];
    accum x[ITEMS];
    accum y[ITEMS];
    accum z[ITEMS];
    pair_sums sums;
    clear_sums(&sums);
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        own[k] = position[i < n ? i : 0];
        x[k] = 0;
        y[k] = 0;
        z[k] = 0;
    }
    for (int start = 0; start < n; start += GROUP_SIZE) {
        const int loaded = start + LOCAL_ID;
        const int count = n - start < GROUP_SIZE ? n - start : GROUP_SIZE;
        SYNC_THREADS;
        tile[LOCAL_ID] = position[loaded < n ? loaded : 0];
        SYNC_THREADS;
        for (int t = 0; t < count; t++) {
            const real4 other = tile[t];
            real least2 = 0;
            for (int k = 0; k < ITEMS; k++) {
                const real r2 = distance2(own[k], other, box);
                least2 = k == 0 ? r2 : MIN_REAL(least2, r2);
#if COUNT_PAIRS
                sums.value[0] += first + k * GROUP_SIZE < n;
#endif
            }
            if (!IN_CUTOFF(least2, cutoff2)) {
                continue;
            }
            for (int k = 0; k < ITEMS; k++) {
                const int i = first + k * GROUP_SIZE;
                const real4 d = displacement(own[k], other, box);
                if (IN_CUTOFF(d.w, cutoff2) && start + t != i && i < n) {
                    pair_energy value = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own[k], other, i, start + t, &value);
                    x[k] -= f * d.x;
                    y[k] -= f * d.y;
                    z[k] -= f * d.z;
                    add_to_sums(&sums, value, f, d.x, d.y, d.z);
                }
            }
        }
    }
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        if (i < n) {
            derivative[i] = make_accum4(x[k], y[k], z[k], 0);
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
