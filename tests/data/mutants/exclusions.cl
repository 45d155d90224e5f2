/*
 * exclusions — all_pairs_loop that applies some of the exclusions alone, by MUTATION; the default cases of check must reject every one
 * but the first
 *
 * Of the listed partners of a particle it leaves out: 0 all, 1 none, 2 the first four, 3 the first 64. Molecules are always left out.
 *
 * @workload  forces
 * @structure none
 * @pass      exclusions item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3
 */
#if EXCLUDE_LISTED && MUTATION > 0
#define MOST (MUTATION == 1 ? 0 : MUTATION == 2 ? 4 : 64)

DEVICE int is_left_out(int i, int j PAIR_EXCLUSION_PARAMETERS)
{
    int found = 0;
    for (int k = 0; k < MOST && pair_excluded_start[i] + k < pair_excluded_start[i + 1]; k++) {
        found = found || pair_excluded[pair_excluded_start[i] + k] == j;
    }
    return found;
}
#define FORCE_BETWEEN(r2, own, other, i, j, energy)                      \
    (is_left_out((i), (j) PAIR_EXCLUSION_ARGUMENTS) ? REAL(0.0) \
                                                    : PAIR_FORCE_OF_TYPES((r2), (own), (other), PAIR_TYPE(i), PAIR_TYPE(j), (energy)))
#else
#define FORCE_BETWEEN(r2, own, other, i, j, energy) PAIR_FORCE((r2), (own), (other), (i), (j), (energy))
#endif

KERNEL void exclusions(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
            const real4 d = displacement(position[i], position[j], box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = FORCE_BETWEEN(d.w, position[i], position[j], i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
