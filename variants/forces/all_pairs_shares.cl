/*
 * all_pairs_shares — as all_pairs_tile, where most pairs interact: SHARES work-items per particle, each with a part of every tile
 *
 * A group loads a tile of TILE particles into local memory. GROUP_SIZE / SHARES of its work-items walk the same part of it, each with
 * ITEMS particles of its own; in the end the shares of a particle are added up in local memory. So a device is full though particles
 * are few. Tiles that have none of the group's own particles are walked without a test for a particle that meets itself, and
 * no distance is looked at before its force is computed: where all pairs interact that is a test for each of them less.
 * Each pair is computed from both sides; no atomics. On an H200, 64 000 particles without a cutoff, float: 2.78 ms, where
 * all_pairs_tile takes 5.83.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      all_pairs_shares item per particle / ITEMS * SHARES
 * @tunable   GROUP_SIZE 128 256*
 * @tunable   ITEMS 1 2 4*
 * @tunable   SHARES 1 2 4 8*
 * @tunable   TILE 256*
 * @source    L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31; the shares are our own
 */
#if GROUP_SIZE % SHARES != 0
#error SHARES has to divide GROUP_SIZE
#endif
#define OF_GROUP (GROUP_SIZE / SHARES)

KERNEL void all_pairs_shares(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                             GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[TILE];
    LOCAL accum scratch[3 * GROUP_SIZE];
    const int first_of_group = GROUP_ID * OF_GROUP * ITEMS;
    const int first = first_of_group + LOCAL_ID % OF_GROUP;
    const int share = LOCAL_ID / OF_GROUP;
    real4 own[ITEMS];
    accum fx[ITEMS];
    accum fy[ITEMS];
    accum fz[ITEMS];
    pair_sums sums;
    clear_sums(&sums);
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * OF_GROUP;
        own[k] = position[i < n ? i : 0];
        fx[k] = 0;
        fy[k] = 0;
        fz[k] = 0;
    }
    for (int start = 0; start < n; start += TILE) {
        SYNC_THREADS;
        for (int t = LOCAL_ID; t < TILE; t += GROUP_SIZE) {
            tile[t] = position[start + t < n ? start + t : 0];
        }
        SYNC_THREADS;
        const int begin = share * (TILE / SHARES);
        const int stop = begin + TILE / SHARES;
        if (start + TILE <= n && (start + TILE <= first_of_group || start >= first_of_group + OF_GROUP * ITEMS)) {
            /* nobody meets itself */
            for (int t = begin; t < stop; t++) {
                const real4 other = tile[t];
                for (int k = 0; k < ITEMS; k++) {
                    const real4 d = displacement(own[k], other, box);
                    if (IN_CUTOFF(d.w, cutoff2)) {
                        const int i = first + k * OF_GROUP;
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(d.w, own[k], other, i < n ? i : 0, start + t, &energy);
                        fx[k] += f * d.x;
                        fy[k] += f * d.y;
                        fz[k] += f * d.z;
                        if (i < n) {
                            COUNT_DISTANCE(&sums);
                            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                        }
                    }
                }
            }
        } else {
            for (int t = begin; t < stop && start + t < n; t++) {
                const real4 other = tile[t];
                for (int k = 0; k < ITEMS; k++) {
                    const int i = first + k * OF_GROUP;
                    const real4 d = displacement(own[k], other, box);
                    if (i < n && i != start + t && IN_CUTOFF(d.w, cutoff2)) {
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(d.w, own[k], other, i, start + t, &energy);
                        fx[k] += f * d.x;
                        fy[k] += f * d.y;
                        fz[k] += f * d.z;
                        COUNT_DISTANCE(&sums);
                        add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                    }
                }
            }
        }
    }
    for (int k = 0; k < ITEMS; k++) {
        const int i = first + k * OF_GROUP;
        SYNC_THREADS;
        scratch[LOCAL_ID] = fx[k];
        scratch[LOCAL_ID + GROUP_SIZE] = fy[k];
        scratch[LOCAL_ID + 2 * GROUP_SIZE] = fz[k];
        SYNC_THREADS;
        if (share == 0) {
            accum x = 0;
            accum y = 0;
            accum z = 0;
            for (int s = 0; s < SHARES; s++) {
                x += scratch[LOCAL_ID + s * OF_GROUP];
                y += scratch[LOCAL_ID + s * OF_GROUP + GROUP_SIZE];
                z += scratch[LOCAL_ID + s * OF_GROUP + 2 * GROUP_SIZE];
            }
            if (i < n) {
                force[i] = make_accum4(x, y, z, 0);
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
