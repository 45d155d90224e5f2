/*
 * all_pairs_loop — the variant of that name, slowed on purpose: every twentieth step of its loop is taken again
 *
 * For scripts/slowed_kernel, which wants a kernel that is slower by a known 5 % and right all the same. It has the name
 * of the variant that it is a copy of, so that `pairmark compare` takes both for one. What the second loop adds up is
 * multiplied by edge.w, which is zero in every box, but which no compiler can know: neither the loop nor its loads
 * can be left out. The steps are every twentieth, not the first twentieth: particles near in index are near in space,
 * so that the first ones would be within the cutoff of few. All else is as in variants/forces/all_pairs_loop.cl.
 *
 * @workload  forces
 * @structure none
 * @pass      all_pairs_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void all_pairs_loop(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge,
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
        accum again_x = 0;
        accum again_y = 0;
        accum again_z = 0;
        for (int j = 0; j < n; j += 20) {
            const real4 pj = position[j];
            const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            if (IN_CUTOFF(r2, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
                again_x += f * dx;
                again_y += f * dy;
                again_z += f * dz;
            }
        }
        force[i] = make_accum4(fx + edge.w * again_x, fy + edge.w * again_y, fz + edge.w * again_z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
