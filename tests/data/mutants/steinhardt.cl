/*
 * steinhardt_mutant — steinhardt_list, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 harmonics with m = 5 count half, 2 sums are divided by one neighbour more, 3 the
 * direction is not a unit vector, 4 a neighbour beyond the twentieth is left out, 5 an image is not the nearest, 6 q4 and q6
 * change places, 7 the first neighbour counts twice.
 *
 * @workload  steinhardt
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      steinhardt_mutant item per particle
 * @tunable   MUTATION 0 1 2 3 4 5 6 7
 * @tunable   SKIN 12
 */
KERNEL void steinhardt_mutant(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                              GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                              GLOBAL force_sum *RESTRICT order, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        accum sums[STEINHARDT_SUMS];
        int found = 0;
        steinhardt_clear(sums);
        for (int a = 0; a < count; a++) {
            const real4 other = position[row[a]];
            real4 d = displacement(other, own, box);
            if (!IN_CUTOFF(d.w, cutoff2) || (MUTATION == 4 && found == 20)) {
                continue;
            }
#if MUTATION == 3
            d.w *= REAL(1.01);
#elif MUTATION == 5
            d.x = other.x - own.x;
            d.w = d.x * d.x + d.y * d.y + d.z * d.z;
#elif MUTATION == 7
            if (found == 0) {
                steinhardt_add(sums, d);
            }
#endif
            steinhardt_add(sums, d);
            found++;
        }
#if MUTATION == 1
        sums[STEINHARDT_FOUR + 9] *= REAL(0.5);
        sums[STEINHARDT_FOUR + 10] *= REAL(0.5);
#elif MUTATION == 2
        for (int k = 0; k < STEINHARDT_SUMS; k++) {
            sums[k] *= (real)found / (real)(found + 1);
        }
#endif
        own_force result;
        clear_force(&result);
        const real four = steinhardt_length(sums, STEINHARDT_FOUR, found);
        const real six = steinhardt_length(sums + STEINHARDT_FOUR, STEINHARDT_SUMS - STEINHARDT_FOUR, found);
        add_to_force(&result, MUTATION == 6 ? six : four, MUTATION == 6 ? four : six, (real)found);
        store_own_force(order, force_plane, i, &result);
    }
}
