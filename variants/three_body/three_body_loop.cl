/*
 * three_body_loop — one particle per work-item, which computes every term that it is in, of all particles
 *
 * The simplest kernel that is right. A neighbour is found among all particles, and for each all are looked at once more: for
 * the second ends of triplets whose centre is the particle, and of those whose centre is the neighbour. So a triplet is
 * computed three times, once by each of its particles; nobody writes what another reads, and no atomics are needed.
 *
 * @workload  three_body
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      three_body_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void three_body_loop(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
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
        own_force sum;
        clear_force(&sum);
        for (int j = 0; j < n; j++) {
            const real4 centre = position[j];
            const real4 d = displacement(centre, own, box);
            body_leg there;
            if (j == i || !IN_CUTOFF(d.w, cutoff2) ||
                !make_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &there)) {
                continue;
            }
            const real4 turned = make_real4(-d.x, -d.y, -d.z, d.w);
            body_leg back;
            (void)make_leg(turned, ELEMENT_OF(j), own_type, ELEMENT_ARGUMENTS, &back);
            own_force elsewhere; /* what acts on others: they compute it themselves */
            clear_force(&elsewhere);
            const real weight =
                add_bond(&sum, &elsewhere, &sums, &there, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS,
                         order_over(&there, i, j, own, n, 0, position, box, cutoff2, ELEMENT_ARGUMENTS));
#if WITH_ORDERS
            real back_weight;
            add_back_bond(&sum, &back, ELEMENT_OF(j), own_type, ELEMENT_ARGUMENTS,
                          order_over(&back, j, i, centre, n, 0, position, box, cutoff2, ELEMENT_ARGUMENTS),
                          &back_weight);
#else
            const real back_weight = weight;
#endif
            for (int k = 0; k < n; k++) {
                const real4 other = position[k];
                const real4 from_own = displacement(other, own, box);
                const real4 from_centre = displacement(other, centre, box);
                body_leg second;
                if (k >= FIRST_AFTER(j) && k != i && k != j && IN_CUTOFF(from_own.w, cutoff2) &&
                    make_leg(from_own, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = triplet_of(&there, &second, own_type, ELEMENT_OF(j), ELEMENT_OF(k),
                                                            ELEMENT_ARGUMENTS, weight);
                    add_to_centre(&sum, &triplet);
                    add_triplet_to_sums(&sums, &there, &second, &triplet);
                }
                if (k != i && k != j && IN_CUTOFF(from_centre.w, cutoff2) &&
                    make_leg(from_centre, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = triplet_of(&back, &second, ELEMENT_OF(j), own_type, ELEMENT_OF(k),
                                                            ELEMENT_ARGUMENTS, back_weight);
                    add_vector(&sum, triplet.on_first);
#if WITH_ORDERS
                    add_as_second(&sum, &second, &back, j, k, own_type,
                                  order_over(&second, j, k, centre, n, 0, position, box, cutoff2, ELEMENT_ARGUMENTS),
                                  ELEMENT_ARGUMENTS);
#endif
                }
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
