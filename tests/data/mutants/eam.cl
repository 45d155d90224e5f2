/*
 * eam_mutant — eam_list, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 the density is that which the particle itself would bring, 2 the embedding's slope of
 * the neighbour is forgotten, 3 that of the particle, 4 both densities' slopes change places, 5 the pair's energy has the types of the
 * particle alone, 6 the embedding energy is that of half the density, 7 a density's last neighbour is lost, 8 the embedding energy
 * counts once for each work-group and not each particle, 9 beyond the table the embedding's slope is 0, 10 a density is that which
 * the particle would bring at its neighbour.
 *
 * @workload  eam
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @scratch   embedding_slope real particle
 * @pass      eam_mutant_density item per particle
 * @pass      eam_mutant_force item per particle
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10
 * @tunable   SKIN 12
 */
KERNEL void eam_mutant_density(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
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
        for (int k = 0; k < listed - (MUTATION == 7); k++) {
            const int j = row[k];
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
                real slope;
                rho += eam_density_at(d.w, MUTATION == 1 || MUTATION == 10 ? ELEMENT_OF(i) : ELEMENT_OF(j),
                                      MUTATION == 10 ? ELEMENT_OF(j) : ELEMENT_OF(i), EAM_ARGUMENTS, &slope);
            }
        }
        real slope;
        const real part = MUTATION == 6 ? REAL(0.5) : REAL(1.0);
        const real energy = eam_embedding_of((real)rho * part, ELEMENT_OF(i), EAM_ARGUMENTS, &slope);
        embedding_slope[i] = MUTATION == 9 && (real)rho * knots_per_rho > (real)(rho_knots - 1) ? REAL(0.0) : slope;
#if WITH_ENERGY
        sums.value[0] += MUTATION == 8 && LOCAL_ID > 0 ? REAL(0.0) : energy;
#endif
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void eam_mutant_force(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
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
                const real other_slope = MUTATION == 2 ? REAL(0.0) : embedding_slope[j];
                const real kept_slope = MUTATION == 3 ? REAL(0.0) : own_slope;
                const int other_type = MUTATION == 5 ? own_type : ELEMENT_OF(j);
                const real f = MUTATION == 4
                                   ? eam_force_over_r(d.w, own_type, other_type, other_slope, kept_slope, EAM_ARGUMENTS, &energy)
                                   : eam_force_over_r(d.w, own_type, other_type, kept_slope, other_slope, EAM_ARGUMENTS, &energy);
                add_to_force(&sum, f * d.x, f * d.y, f * d.z);
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
