/*
 * three_body_atomic — one centre per work-item, down its row of a list; forces on the ends go out by atomics
 *
 * Every triplet is computed once, and the force on a neighbour is gathered over the triplets that it is the first end of before
 * it is added in memory. Three atomic additions per leg and three per triplet (with orders for each of its two first legs), into
 * an array that begins as zero; the order of additions changes from run to run, and in precision fixed the sums do not depend on
 * it.
 *
 * @workload    three_body
 * @structure   pair_list
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        three_body_atomic item per particle
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     SKIN 12
 * @tunable     STABLE_SORT 0* 1
 */
KERNEL void three_body_atomic(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                              GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                              int element_count, GLOBAL const int *RESTRICT elements,
                              GLOBAL const real4 *RESTRICT element_pairs,
                              GLOBAL const real2 *RESTRICT element_triplets, GLOBAL force_sum *RESTRICT force,
                              int force_plane, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int own_type = ELEMENT_OF(i);
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        clear_force(&sum);
        for (int a = 0; a < count; a++) {
            const int j = row[a];
            const real4 d = displacement(position[j], own, box);
            own_force on_first;
            body_leg first;
            if (!IN_CUTOFF(d.w, cutoff2) || !make_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &first)) {
                continue;
            }
            clear_force(&on_first);
            const real weight = add_bond(
                &sum, &on_first, &sums, &first, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS,
                order_over(&first, i, j, own, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS));
            for (int b = FIRST_AFTER(a); b < count; b++) {
                const int k = row[b];
                const real4 other = displacement(position[k], own, box);
                body_leg second;
                if (b != a && IN_CUTOFF(other.w, cutoff2) &&
                    make_leg(other, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = triplet_of(&first, &second, own_type, ELEMENT_OF(j), ELEMENT_OF(k),
                                                            ELEMENT_ARGUMENTS, weight);
                    add_to_centre(&sum, &triplet);
                    add_to_force(&on_first, triplet.on_first.x, triplet.on_first.y, triplet.on_first.z);
                    add_force(force, force_plane, k, triplet.on_second.x, triplet.on_second.y, triplet.on_second.z);
                    add_triplet_to_sums(&sums, &first, &second, &triplet);
                }
            }
            add_own_force(force, force_plane, j, &on_first);
        }
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
