/*
 * race — tiles through local memory with no barrier between writing and reading them
 *
 * A work-item reads places of the tile that others have yet to write. The gate must reject it: on a GPU the warps of a
 * group are seldom level, and a CPU runs the work-items between two barriers one after the other.
 *
 * @workload  forces
 * @structure none
 * @pass      race item per particle
 * @tunable   GROUP_SIZE 256
 */
KERNEL void race(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    const int i = GLOBAL_ID;
    const real4 own = position[i < n ? i : 0];
    accum fx = 0;
    accum fy = 0;
    accum fz = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int start = 0; start < n; start += GROUP_SIZE) {
        const int loaded = start + LOCAL_ID;
        tile[LOCAL_ID] = position[loaded < n ? loaded : 0];
        for (int t = 0; t < GROUP_SIZE && start + t < n; t++) {
            const real4 other = tile[t];
            const real dx = nearest_image(own.x - other.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(own.y - other.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(own.z - other.z, edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            if (IN_CUTOFF(r2, cutoff2) && start + t != i) {
                real energy = 0;
                const real f = PAIR_FORCE(r2, own, other, i, start + t, &energy);
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
    }
    if (i < n) {
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
