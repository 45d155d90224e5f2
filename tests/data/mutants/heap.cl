/*
 * heap — all_pairs_loop that writes beyond the guards of its forces, where on a CPU the memory of the worker process may
 * be: WORDS words per particle, BEYOND bytes behind the last force
 *
 * @workload  forces
 * @structure none
 * @pass      heap item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   BEYOND 4096 8192 20000 40000
 * @tunable   WORDS 0 1 4000
 */
KERNEL void heap(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = 0; j < n; j++) {
            const real4 pj = position[j];
            const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(r2, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    for (int k = 0; i < n && k < WORDS; k++) {
        ((GLOBAL int *)(force + n))[BEYOND / 4 + i * WORDS + k] = -1;
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
