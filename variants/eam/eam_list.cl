/*
 * eam_list — one particle per work-item, down its row of a list of neighbours, twice; pairs are found again
 *
 * As eam_loop, over a list that lasts until a particle has moved by half the skin. Both passes read the row and the positions
 * that it names, and test all distances.
 *
 * @workload  eam
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @scratch   embedding_slope real particle
 * @pass      eam_list_density item per particle
 * @pass      eam_list_force item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void eam_list_density(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                             GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
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
        const int listed = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        accum rho = 0;
        for (int k = 0; k < listed; k++) {
            const int j = row[k];
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
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

KERNEL void eam_list_force(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                           GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
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
        const int listed = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        clear_force(&sum);
        for (int k = 0; k < listed; k++) {
            const int j = row[k];
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
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
