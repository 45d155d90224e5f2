/*
 * three_body_list — one particle per work-item, which computes every term that it is in, down rows of a list of neighbours
 *
 * As three_body_loop, over a list that lasts until a particle has moved by half the skin: the particle's own row has the ends of
 * its triplets, and the rows of its neighbours those of theirs. What it costs is that every triplet is computed three times, and
 * with orders the order of a leg by each of the centre's neighbours; what it saves is memory traffic: nothing is written but the
 * result, and no atomics are needed.
 *
 * @workload  three_body
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      three_body_list item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void three_body_list(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
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
        own_force sum;
        clear_force(&sum);
        for (int a = 0; a < own_count; a++) {
            const int j = own_row[a];
            const real4 centre = position[j];
            const real4 d = displacement(centre, own, box);
            body_leg there;
            if (!IN_CUTOFF(d.w, cutoff2) || !make_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &there)) {
                continue;
            }
            own_force elsewhere; /* what acts on others: they compute it themselves */
            clear_force(&elsewhere);
            real weight = add_bond(
                &sum, &elsewhere, &sums, &there, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS,
                order_over(&there, i, j, own, own_count, own_row, position, box, cutoff2, ELEMENT_ARGUMENTS));
            for (int b = FIRST_AFTER(a); b < own_count; b++) {
                const int k = own_row[b];
                const real4 from_own = displacement(position[k], own, box);
                body_leg second;
                if (b != a && IN_CUTOFF(from_own.w, cutoff2) &&
                    make_leg(from_own, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = triplet_of(&there, &second, own_type, ELEMENT_OF(j), ELEMENT_OF(k),
                                                            ELEMENT_ARGUMENTS, weight);
                    add_to_centre(&sum, &triplet);
                    add_triplet_to_sums(&sums, &there, &second, &triplet);
                }
            }
            const real4 turned = make_real4(-d.x, -d.y, -d.z, d.w);
            body_leg back;
            (void)make_leg(turned, ELEMENT_OF(j), own_type, ELEMENT_ARGUMENTS, &back);
            const int count = neighbour_count[j];
            GLOBAL const int *row = neighbours + (long64)j * list_capacity;
#if WITH_ORDERS
            add_back_bond(&sum, &back, ELEMENT_OF(j), own_type, ELEMENT_ARGUMENTS,
                          order_over(&back, j, i, centre, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS),
                          &weight);
#endif
            for (int b = 0; b < count; b++) {
                const int k = row[b];
                const real4 from_centre = displacement(position[k], centre, box);
                body_leg second;
                if (k != i && IN_CUTOFF(from_centre.w, cutoff2) &&
                    make_leg(from_centre, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = triplet_of(&back, &second, ELEMENT_OF(j), own_type, ELEMENT_OF(k),
                                                            ELEMENT_ARGUMENTS, weight);
                    add_vector(&sum, triplet.on_first);
#if WITH_ORDERS
                    add_as_second(&sum, &second, &back, j, k, own_type,
                                  order_over(&second, j, k, centre, count, row, position, box, cutoff2,
                                             ELEMENT_ARGUMENTS),
                                  ELEMENT_ARGUMENTS);
#endif
                }
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
