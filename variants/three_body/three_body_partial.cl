/*
 * three_body_partial — each centre keeps its forces on its neighbours; then each particle sums what others keep for it
 *
 * Pass one packs the neighbours within the cutoff out of the list's longer rows into rows of KEPT. In pass two a centre computes
 * its triplets, once for each end, and keeps the force on each neighbour beside its place in the row. In pass three a particle
 * looks itself up in the rows of its neighbours. No atomics, and nothing that begins as zero; the price is 16 bytes per leg
 * (float), written and read once more. A centre with more neighbours than KEPT keeps nothing: its neighbours compute its
 * triplets as three_body_list does, so that any box is right.
 *
 * @workload  three_body
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @scratch   near int particle * KEPT
 * @scratch   near_count int particle
 * @scratch   kept accum4 particle * KEPT
 * @scratch   kept_own accum4 particle
 * @pass      pack_neighbours item per particle
 * @pass      keep_forces item per particle
 * @pass      sum_kept item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   KEPT 4 8* 16 32
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    partial forces: Z. Fan et al., Phys. Rev. B 92 (2015) 094301; J. Phys.: Condens. Matter 34 (2022) 125902
 */

DEVICE void keep_force(GLOBAL accum4 *kept, long64 place, const own_force *f)
{
#if ACCUM_IS_FIXED
    GLOBAL long64 *numbers = (GLOBAL long64 *)kept + 4 * place;
    numbers[0] = f->x;
    numbers[1] = f->y;
    numbers[2] = f->z;
    numbers[3] = whole_size(f->size);
#else
    kept[place] = make_accum4(f->x, f->y, f->z, 0);
#endif
}

DEVICE void add_kept_force(own_force *sum, GLOBAL const accum4 *kept, long64 place)
{
#if ACCUM_IS_FIXED
    GLOBAL const long64 *numbers = (GLOBAL const long64 *)kept + 4 * place;
    sum->x += numbers[0];
    sum->y += numbers[1];
    sum->z += numbers[2];
    sum->size += (real)numbers[3];
#else
    const accum4 f = kept[place];
    sum->x += f.x;
    sum->y += f.y;
    sum->z += f.z;
#endif
}

KERNEL void pack_neighbours(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                            GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                            GLOBAL int *RESTRICT near, GLOBAL int *RESTRICT near_count)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const int listed = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        int count = 0;
        for (int a = 0; a < listed; a++) {
            const int j = row[a];
            if (IN_CUTOFF(distance2(position[j], own, box), cutoff2)) {
                if (count < KEPT) {
                    near[(long64)i * KEPT + count] = j;
                }
                count++;
            }
        }
        near_count[i] = count;
    }
}

/* The row of a particle's neighbours: the packed one, or where that has no room for all the list's. */
DEVICE GLOBAL const int *row_of(int i, int near_count, GLOBAL const int *near, GLOBAL const int *neighbours,
                                int list_capacity)
{
    return near_count <= KEPT ? near + (long64)i * KEPT : neighbours + (long64)i * list_capacity;
}

#if WITH_ORDERS
/* Of the leg from a centre to particle j; its order is found anew. */
DEVICE real weight_of(int i, real4 own, int j, int count, GLOBAL const int *row, GLOBAL const real4 *RESTRICT position,
                      box_args box, real cutoff2, ELEMENT_PARAMETERS)
{
    const real4 d = displacement(position[j], own, box);
    body_leg leg;
    real energy;
    real f;
    if (!IN_CUTOFF(d.w, cutoff2) || !make_leg(d, ELEMENT_OF(i), ELEMENT_OF(j), ELEMENT_ARGUMENTS, &leg)) {
        return REAL(0.0);
    }
    return bond_of(&leg, ELEMENT_OF(i), ELEMENT_OF(j), ELEMENT_ARGUMENTS,
                   order_over(&leg, i, j, own, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS), &f, &energy);
}
#endif

KERNEL void keep_forces(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                        GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                        int element_count, GLOBAL const int *RESTRICT elements,
                        GLOBAL const real4 *RESTRICT element_pairs, GLOBAL const real2 *RESTRICT element_triplets,
                        GLOBAL const int *RESTRICT near, GLOBAL const int *RESTRICT near_count,
                        GLOBAL accum4 *RESTRICT kept, GLOBAL accum4 *RESTRICT kept_own,
                        GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int own_type = ELEMENT_OF(i);
        const int close = near_count[i];
        const int count = close <= KEPT ? close : neighbour_count[i];
        GLOBAL const int *row = row_of(i, close, near, neighbours, list_capacity);
        own_force sum;
        clear_force(&sum);
#if WITH_ORDERS
        real weights[KEPT]; /* of the legs of a row that is kept */
        for (int a = 0; a < count && close <= KEPT; a++) {
            weights[a] = weight_of(i, own, row[a], count, row, position, box, cutoff2, ELEMENT_ARGUMENTS);
        }
#endif
        for (int a = 0; a < count; a++) {
            const int j = row[a];
            const real4 d = displacement(position[j], own, box);
            own_force on_first;
            body_leg first;
            clear_force(&on_first);
            if (IN_CUTOFF(d.w, cutoff2) && make_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &first)) {
                const real weight = add_bond(
                    &sum, &on_first, &sums, &first, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS,
                    order_over(&first, i, j, own, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS));
                for (int b = 0; b < count; b++) {
                    const int k = row[b];
                    const real4 other = displacement(position[k], own, box);
                    body_leg second;
                    if (b != a && IN_CUTOFF(other.w, cutoff2) &&
                        make_leg(other, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                        const body_triplet triplet = triplet_of(&first, &second, own_type, ELEMENT_OF(j),
                                                                ELEMENT_OF(k), ELEMENT_ARGUMENTS, weight);
                        add_vector(&on_first, triplet.on_first);
                        add_to_force(&sum, -triplet.on_first.x, -triplet.on_first.y, -triplet.on_first.z);
#if WITH_ORDERS
                        const real weight_there = close <= KEPT ? weights[b]
                                                                : weight_of(i, own, k, count, row, position, box,
                                                                            cutoff2, ELEMENT_ARGUMENTS);
                        const body_triplet turned = triplet_of(&second, &first, own_type, ELEMENT_OF(k),
                                                               ELEMENT_OF(j), ELEMENT_ARGUMENTS, weight_there);
                        add_vector(&on_first, turned.on_second);
                        add_to_force(&sum, -turned.on_second.x, -turned.on_second.y, -turned.on_second.z);
#endif
                        if (b >= FIRST_AFTER(a)) {
                            add_triplet_to_sums(&sums, &first, &second, &triplet);
                        }
                    }
                }
            }
            if (close <= KEPT) {
                keep_force(kept, (long64)i * KEPT + a, &on_first);
            }
        }
        keep_force(kept_own, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

/* What the triplets of a centre that keeps nothing do to one of its neighbours, i. */
DEVICE void gather_from_centre(own_force *sum, int i, real4 own, int j, real4 centre, int count,
                               GLOBAL const int *RESTRICT row, GLOBAL const real4 *RESTRICT position, box_args box,
                               real cutoff2, ELEMENT_PARAMETERS)
{
    const real4 d = displacement(own, centre, box);
    body_leg back;
    if (!make_leg(d, ELEMENT_OF(j), ELEMENT_OF(i), ELEMENT_ARGUMENTS, &back)) {
        return;
    }
    real weight = REAL(0.0);
#if WITH_ORDERS
    add_back_bond(sum, &back, ELEMENT_OF(j), ELEMENT_OF(i), ELEMENT_ARGUMENTS,
                  order_over(&back, j, i, centre, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS), &weight);
#endif
    for (int b = 0; b < count; b++) {
        const int k = row[b];
        const real4 from_centre = displacement(position[k], centre, box);
        body_leg second;
        if (k != i && IN_CUTOFF(from_centre.w, cutoff2) &&
            make_leg(from_centre, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
            const body_triplet triplet = triplet_of(&back, &second, ELEMENT_OF(j), ELEMENT_OF(i), ELEMENT_OF(k),
                                                    ELEMENT_ARGUMENTS, weight);
            add_vector(sum, triplet.on_first);
#if WITH_ORDERS
            add_as_second(sum, &second, &back, j, k, ELEMENT_OF(i),
                          order_over(&second, j, k, centre, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS),
                          ELEMENT_ARGUMENTS);
#endif
        }
    }
}

KERNEL void sum_kept(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                     GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                     int element_count, GLOBAL const int *RESTRICT elements,
                     GLOBAL const real4 *RESTRICT element_pairs, GLOBAL const real2 *RESTRICT element_triplets,
                     GLOBAL const int *RESTRICT near, GLOBAL const int *RESTRICT near_count,
                     GLOBAL const accum4 *RESTRICT kept, GLOBAL const accum4 *RESTRICT kept_own,
                     GLOBAL force_sum *RESTRICT force, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const int close = near_count[i];
        const int count = close <= KEPT ? close : neighbour_count[i];
        GLOBAL const int *row = row_of(i, close, near, neighbours, list_capacity);
        own_force sum;
        clear_force(&sum);
        add_kept_force(&sum, kept_own, i);
        for (int a = 0; a < count; a++) {
            const int j = row[a];
            const int of_centre = near_count[j];
            for (int b = 0; b < of_centre && of_centre <= KEPT; b++) {
                if (near[(long64)j * KEPT + b] == i) {
                    add_kept_force(&sum, kept, (long64)j * KEPT + b);
                }
            }
            if (of_centre > KEPT) {
                const real4 centre = position[j];
                if (IN_CUTOFF(distance2(own, centre, box), cutoff2)) {
                    gather_from_centre(&sum, i, own, j, centre, neighbour_count[j],
                                       neighbours + (long64)j * list_capacity, position, box, cutoff2,
                                       ELEMENT_ARGUMENTS);
                }
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
}
