/*
 * energies_eam — the energy of each particle: that of its embedding, and half of that of each of its pairs
 *
 * As the first pass of eam_list, with energies in the place of forces: in the first number of each.
 *
 * @workload  eam
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      energies_eam item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 1
 */
KERNEL void energies_eam(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                       GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                         int element_count, GLOBAL const int *RESTRICT elements,
                         int rho_knots, int r_knots, real knots_per_rho, real knots_per_r,
                         GLOBAL const real4 *RESTRICT embedding_knots, GLOBAL const real4 *RESTRICT density_knots,
                         GLOBAL const real4 *RESTRICT pair_knots,
                         GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int own_type = ELEMENT_OF(i);
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        const int listed = neighbour_count[i];
        accum rho = 0;
        accum energy = 0;
        real slope;
        for (int k = 0; k < listed; k++) {
            const int j = row[k];
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
                rho += eam_density_at(d.w, ELEMENT_OF(j), own_type, EAM_ARGUMENTS, &slope);
                energy += eam_pair_of(SQRT(d.w), RSQRT(d.w), own_type, ELEMENT_OF(j), EAM_ARGUMENTS, &slope) / 2;
            }
        }
        energy += eam_embedding_of((real)rho, own_type, EAM_ARGUMENTS, &slope);
        sums.value[0] += energy;
        force[i] = make_accum4(energy, 0, 0, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
