/*
 * gradient_loop — one particle a work-item, against all others, read straight from global memory
 *
 * The simplest kernel that is right, and the one that every speed-up is quoted against. Work-item i reads
 * particle j = 0, 1, ... n-1; the work-items of a group read the same j at the same time, so the loads are served
 * by the cache and broadcast. Each pair is computed twice, once from either side; nobody writes what another
 * reads, and no atomics are needed. Limited by the arithmetic of n * n distances; loses to any cell list once the
 * box is a few cutoffs wide.
 *
 * @workload  gradient
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      gradient_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    the simplest kernel of PLUMED's CUDA coordination plugin (plumed2, plugins/cudaCoord)
 */
KERNEL void gradient_loop(int n, GLOBAL const real4 *RESTRICT position, box_args box,
                           real cutoff2, GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
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
            const real4 d = displacement(pi, pj, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, pi, pj, i, j, &energy);
                fx += f * d.x;
                fy += f * d.y;
                fz += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
