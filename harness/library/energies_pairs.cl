/*
 * energies_pairs — the energy of each particle, where there is no cutoff: half of that of each of its pairs
 *
 * As all_pairs_loop, with energies in the place of forces: in the first number of each.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      energies_pairs item per particle
 * @tunable   GROUP_SIZE 128
 */
#if ENERGIES_APART
#define HALF_OF_ENERGY(sums) (((sums).value[0] + (sums).value[SUM_NUMBERS - 1]) / 2)
#else
#define HALF_OF_ENERGY(sums) ((sums).value[0] / 2)
#endif
KERNEL void energies_pairs(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                           GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        for (int j = 0; j < n; j++) {
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = make_accum4(HALF_OF_ENERGY(sums), 0, 0, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
