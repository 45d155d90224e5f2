/*
 * all_pairs_tile — the variant of that name, which may be slowed on purpose: every twentieth tile, or another share of them, is walked again
 *
 * For scripts/slowed_kernel, which wants two kernels that differ by a known share and are right both: it benches this
 * file as it is, and with AGAIN set to 1, for one tile in EVERY. What the repeated tiles add up is multiplied by edge.w, which is zero in
 * every box, but which no compiler can know: neither can they be left out nor, where AGAIN is 0, can their absence be
 * foreseen, so that both are compiled alike. They go through the same loop as the others, and are brought into local
 * memory as the others are, so that each costs what one costs; the share is exact where the number of tiles is a
 * multiple of EVERY and few pairs interact. Forces alone; pairs are counted in the first walk. All else is as in variants/forces/all_pairs_tile.cl.
 *
 * @workload  forces
 * @structure none
 * @pass      all_pairs_tile item per particle / ITEMS
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   ITEMS 1 2* 4
 */
#define AGAIN 0
#define EVERY 20

KERNEL void all_pairs_tile(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge,
                           real cutoff2, GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    const int first = GROUP_ID * GROUP_SIZE * ITEMS + LOCAL_ID;
    real4 own[ITEMS];
    accum fx[ITEMS];
    accum fy[ITEMS];
    accum fz[ITEMS];
    accum once_x[ITEMS];
    accum once_y[ITEMS];
    accum once_z[ITEMS];
    pair_sums sums;
    clear_sums(&sums);
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        own[k] = position[i < n ? i : 0];
        fx[k] = 0;
        fy[k] = 0;
        fz[k] = 0;
        once_x[k] = 0;
        once_y[k] = 0;
        once_z[k] = 0;
    }
    const int tiles = (n + GROUP_SIZE - 1) / GROUP_SIZE;
    const int again = AGAIN * (tiles / EVERY) + (int)edge.w;
    for (int step = 0; step < tiles + again; step++) {
        const int start = (step < tiles ? step : (step - tiles) * EVERY) * GROUP_SIZE;
        if (step == tiles) {
            for (int k = 0; k < ITEMS; k++) {
                once_x[k] = fx[k];
                once_y[k] = fy[k];
                once_z[k] = fz[k];
            }
        }
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
                r2[k] = nearest_distance2(own[k].x - other.x, own[k].y - other.y, own[k].z - other.z, edge,
                                          inverse_edge);
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
                    const real dx = nearest_image(own[k].x - other.x, edge.x, inverse_edge.x);
                    const real dy = nearest_image(own[k].y - other.y, edge.y, inverse_edge.y);
                    const real dz = nearest_image(own[k].z - other.z, edge.z, inverse_edge.z);
                    fx[k] += f * dx;
                    fy[k] += f * dy;
                    fz[k] += f * dz;
                    if (counts && step < tiles) {
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
    }
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * GROUP_SIZE;
        if (i < n) {
            const accum more = again > 0 ? (accum)edge.w : 1;
            force[i] = make_accum4(once_x[k] + more * (fx[k] - once_x[k]), once_y[k] + more * (fy[k] - once_y[k]),
                                   once_z[k] + more * (fz[k] - once_z[k]), 0);
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
