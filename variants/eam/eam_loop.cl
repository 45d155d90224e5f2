/*
 * eam_loop — one particle per work-item, against all others, twice: for its density, then for its force
 *
 * The simplest kernel that is right. The first pass leaves the slope of each particle's embedding energy, which the second
 * needs of both particles of a pair. Each pair is computed from both sides; no atomics.
 *
 * @workload  eam
 * @structure none
 * @boxes     open periodic triclinic
 * @scratch   embedding_slope real particle
 * @pass      eam_loop_density item per particle
 * @pass      eam_loop_force item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void eam_loop_density(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                             int element_count, GLOBAL const int *RESTRICT elements,
                             int rho_knots, int r_knots, real knots_per_rho, real knots_per_r,
                             GLOBAL const real4 *RESTRICT embedding_knots, GLOBAL const real4 *RESTRICT density_knots,
                             GLOBAL const real4 *RESTRICT pair_knots,
                             GLOBAL real *RESTRICT embedding_slope, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum rho = 0;
        for (int j = 0; j < n; j++) {
            const real4 d = displacement(own, position[j], box);
            if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                real slope;
                rho += eam_density_at(d.w, ELEMENT_OF(j), ELEMENT_OF(i), EAM_ARGUMENTS, &slope);
            }
        }
        real slope;
        const real energy = eam_embedding_of((real)rho, ELEMENT_OF(i), EAM_ARGUMENTS, &slope);
        embedding_slope[i] = slope;
#if WITH_ENERGY
        sums.value[0] += energy;
#endif
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void eam_loop_force(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                           int element_count, GLOBAL const int *RESTRICT elements,
                           int rho_knots, int r_knots, real knots_per_rho, real knots_per_r,
                           GLOBAL const real4 *RESTRICT embedding_knots, GLOBAL const real4 *RESTRICT density_knots,
                           GLOBAL const real4 *RESTRICT pair_knots,
                           GLOBAL const real *RESTRICT embedding_slope, GLOBAL force_sum *RESTRICT force, int force_plane,
                           GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int own_type = ELEMENT_OF(i);
        const real own_slope = embedding_slope[i];
        own_force sum;
        clear_force(&sum);
        for (int j = 0; j < n; j++) {
            const real4 d = displacement(own, position[j], box);
            if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                real energy;
                const real f = eam_force_over_r(d.w, own_type, ELEMENT_OF(j), own_slope, embedding_slope[j],
                                                EAM_ARGUMENTS, &energy);
                add_to_force(&sum, f * d.x, f * d.y, f * d.z);
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
