/*
 * all_pairs_tile — one group loads a tile of particles into local memory, and all its work-items walk it
 *
 * Every particle is read from global memory once a group instead of once a work-item. Each work-item holds
 * ITEMS particles of its own, so that one read of local memory and one branch serve ITEMS distances. The squared
 * distances come first, by the images' magnitudes alone (nearest_distance2); only where the least of them, in any
 * lane of the warp, lies within the cutoff are signed differences formed and forces computed. Limited by the rate
 * of instructions: see the README for what was measured. Each pair is computed from both sides; no atomics.
 *
 * Places beyond n are filled with particle 0 and never added.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      all_pairs_tile item per particle / ITEMS
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   ITEMS 1 2* 4
 * @source    L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31
 */
KERNEL void all_pairs_tile(int n, GLOBAL const real4 *RESTRICT position, box_args box,
                           real cutoff2, GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    const int first = GROUP_ID * GROUP_SIZE * ITEMS + LOCAL_ID;
    real4 own[ITEMS];
    accum fx[ITEMS];
    accum fy[ITEMS];
    accum fz[ITEMS];
    pair_sums sums;
    clear_sums(&sums);
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        own[k] = position[i < n ? i : 0];
        fx[k] = 0;
        fy[k] = 0;
        fz[k] = 0;
    }
    for (int start = 0; start < n; start += GROUP_SIZE) {
        const int loaded = start + LOCAL_ID;
        const int count = n - start < GROUP_SIZE ? n - start : GROUP_SIZE;
        SYNC_THREADS;
        tile[LOCAL_ID] = position[loaded < n ? loaded : 0];
        SYNC_THREADS;
        for (int t = 0; t < count; t++) {
            const real4 other = tile[t];
            real r2[ITEMS];
            real least2 = 0;
            for (int k = 0; k < ITEMS; k++) {
                r2[k] = distance2(own[k], other, box);
                least2 = k == 0 ? r2[k] : MIN_REAL(least2, r2[k]);
#if COUNT_PAIRS
                sums.value[0] += first + k * GROUP_SIZE < n;
#endif
            }
            if (!IN_CUTOFF(least2, cutoff2)) {
                continue;
            }
            for (int k = 0; k < ITEMS; k++) {
                const int i = first + k * GROUP_SIZE;
                if (IN_CUTOFF(r2[k], cutoff2)) {
                    /* A particle and itself, or a place beyond n: computed like any other, added as nothing. */
                    const int counts = start + t != i && i < n;
                    pair_energy energy = NO_ENERGY;
                    const real any = PAIR_FORCE(counts ? r2[k] : cutoff2, own[k], other, counts ? i : 0, start + t, &energy);
                    const real f = counts ? any : REAL(0.0);
                    const real4 d = displacement(own[k], other, box);
                    fx[k] += f * d.x;
                    fy[k] += f * d.y;
                    fz[k] += f * d.z;
                    if (counts) {
                        add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                    }
                }
            }
        }
    }
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        if (i < n) {
            force[i] = make_accum4(fx[k], fy[k], fz[k], 0);
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
