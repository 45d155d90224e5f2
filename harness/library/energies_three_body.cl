/*
 * energies_three_body — the energy of each particle: half of that of each of its pairs, a third of that of each of its triplets;
 * where bonds have orders, half of that of each bond, which is what both of its ends have of it
 *
 * As three_body_list, with energies in the place of forces: in the first number of each.
 *
 * @workload  three_body
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      energies_three_body item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 1
 */
KERNEL void energies_three_body(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                       GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                                int element_count, GLOBAL const int *RESTRICT elements,
                                GLOBAL const real4 *RESTRICT element_pairs, GLOBAL const real2 *RESTRICT element_triplets,
                                GLOBAL force_sum *RESTRICT force, int force_plane, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int own_type = ELEMENT_OF(i);
        const int own_count = neighbour_count[i];
        GLOBAL const int *own_row = neighbours + (long64)i * list_capacity;
        accum of_pairs = 0;
        accum of_triplets = 0;
        for (int a = 0; a < own_count; a++) {
            const int j = own_row[a];
            const int type = ELEMENT_OF(j);
            const real4 centre = position[j];
            const real4 d = displacement(centre, own, box);
            body_leg there;
            if (!IN_CUTOFF(d.w, cutoff2) || !make_leg(d, own_type, type, ELEMENT_ARGUMENTS, &there)) {
                continue;
            }
            real energy;
            real f;
            real weight = bond_of(
                &there, own_type, type, ELEMENT_ARGUMENTS,
                order_over(&there, i, j, own, own_count, own_row, position, box, cutoff2, ELEMENT_ARGUMENTS), &f, &energy);
            of_pairs += energy;
            body_leg back;
            (void)make_leg(make_real4(-d.x, -d.y, -d.z, d.w), type, own_type, ELEMENT_ARGUMENTS, &back);
            const int count = neighbour_count[j];
            GLOBAL const int *row = neighbours + (long64)j * list_capacity;
#if WITH_ORDERS
            weight = bond_of(&back, type, own_type, ELEMENT_ARGUMENTS,
                             order_over(&back, j, i, centre, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS), &f,
                             &energy);
            of_pairs += energy;
#else
            for (int b = a + 1; b < own_count; b++) {
                const int k = own_row[b];
                const real4 from_own = displacement(position[k], own, box);
                body_leg second;
                if (IN_CUTOFF(from_own.w, cutoff2) &&
                    make_leg(from_own, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    of_triplets +=
                        triplet_of(&there, &second, own_type, type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, weight).energy;
                }
            }
            for (int b = 0; b < count; b++) {
                const int k = row[b];
                const real4 from_centre = displacement(position[k], centre, box);
                body_leg second;
                if (k != i && IN_CUTOFF(from_centre.w, cutoff2) &&
                    make_leg(from_centre, type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    of_triplets +=
                        triplet_of(&back, &second, type, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, weight).energy;
                }
            }
#endif
        }
        const accum whole = of_pairs / 2 + of_triplets / 3;
        own_force sum;
        clear_force(&sum);
        add_part_to_force(&sum, whole, 0, 0);
        store_own_force(force, force_plane, i, &sum);
        sums.value[0] += whole;
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
