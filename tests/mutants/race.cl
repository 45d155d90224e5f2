/*
 * race — all_pairs_half without its atomics: additions that run at the same time are lost
 *
 * Every work-item adds to both particles of its pair by a plain read and write. The gate must reject it.
 *
 * @workload    forces
 * @structure   none
 * @accumulates force
 * @pass        race item per particle
 * @tunable     GROUP_SIZE 64
 */
KERNEL void race(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL accum *force, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    for (int j = i < n ? i + 1 : n; j < n; j++) {
        const real4 pi = position[i];
        const real4 pj = position[j];
        const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
        const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
        const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        if (IN_CUTOFF(r2, cutoff2)) {
            real energy = 0;
            const real f = pair_force_over_r(r2, pi, pj, &energy);
            force[4 * i] += f * dx;
            force[4 * i + 1] += f * dy;
            force[4 * i + 2] += f * dz;
            force[4 * j] -= f * dx;
            force[4 * j + 1] -= f * dy;
            force[4 * j + 2] -= f * dz;
            add_to_sums(&sums, energy, f, dx, dy, dz);
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
