/*
 * tersoff_mutant — three_body_atomic with Tersoff's bonds, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 orders lack the term with lambda3, 2 the angle's derivative acts on the first end
 * alone, 3 orders end where the bond does, 4 a bond has the numbers of j i, 5 a triplet has those of i k j, 6 the bond counts in
 * its own order, 7 the end of the other leg has no slope, 8 the derivative by the order is that of a whole bond, 9 the difference
 * of lengths acts on the bond alone, 10 the end of the bond has no slope, 11 the other leg adds nothing to the virial, 12 legs
 * beyond the eighth have no part in orders, 13 the derivative of the strength is that of the energy by another power.
 *
 * @workload    three_body
 * @structure   pair_list
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        tersoff_mutant item per particle
 * @tunable     MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13
 * @tunable     SKIN 12
 */
DEVICE tersoff_order mutated_order(const body_leg *first, const body_leg *second, int centre, int one, int other,
                                   ELEMENT_PARAMETERS)
{
    const int swap = MUTATION == 5;
    tersoff_order order =
        tersoff_order_of(first, second, centre, swap ? other : one, swap ? one : other, ELEMENT_ARGUMENTS);
#if MUTATION == 1
    order.radial = REAL(1.0);
    order.by_length = REAL(0.0);
#elif MUTATION == 3
    const tersoff_bond bond = tersoff_bond_of(centre, one, ELEMENT_ARGUMENTS);
    order.ending = tersoff_end(second->decay, bond.order.z, bond.order.w, &order.by_ending);
#elif MUTATION == 7
    order.by_ending = REAL(0.0);
#endif
    return order;
}

DEVICE real4 minus_along(real own, real4 d, real other, real4 e)
{
    return make_real4(-(own * d.x + other * e.x), -(own * d.y + other * e.y), -(own * d.z + other * e.z), REAL(0.0));
}

DEVICE body_triplet mutated_triplet(const body_leg *first, const body_leg *second, int centre, int one, int other,
                                    ELEMENT_PARAMETERS, real weight)
{
    const tersoff_order order = mutated_order(first, second, centre, one, other, ELEMENT_ARGUMENTS);
    const real whole = weight * order.radial;
    const real across = whole * order.ending * order.by_cosine * (first->inverse_r * second->inverse_r);
    const real on_second = MUTATION == 2 ? REAL(0.0) : across;
    const real by_length = whole * order.ending * order.angular * order.by_length;
    const real by_second = whole * order.by_ending * order.angular - (MUTATION == 9 ? REAL(0.0) : by_length);
    const real turn = order.cosine * second->decay * first->inverse_r;
    const real turn_back = order.cosine * first->decay * second->inverse_r;
    body_triplet triplet;
    triplet.on_first = minus_along(by_length * first->inverse_r - across * turn, first->d, across, second->d);
    triplet.on_second =
        minus_along(by_second * second->inverse_r - on_second * turn_back, second->d, on_second, first->d);
    triplet.energy = REAL(0.0);
    return triplet;
}

DEVICE real mutated_bond(const body_leg *leg, int centre, int end, ELEMENT_PARAMETERS, real order, real *f, real *energy)
{
#if MUTATION == 4
    return bond_of(leg, end, centre, ELEMENT_ARGUMENTS, order, f, energy);
#else
    real weight = bond_of(leg, centre, end, ELEMENT_ARGUMENTS, order, f, energy);
    const tersoff_bond bond = tersoff_bond_of(centre, end, ELEMENT_ARGUMENTS);
    real slope;
    const real ending = tersoff_end(leg->decay, bond.order.z, bond.order.w, &slope);
#if MUTATION == 8
    weight *= REAL(2.0);
#elif MUTATION == 10
    *f += ending > REAL(0.0) ? leg->inverse_r * slope / ending * *energy : REAL(0.0);
#elif MUTATION == 13
    weight *= bond.order.x;
#endif
    return weight;
#endif
}

KERNEL void tersoff_mutant(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
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
        const int type = ELEMENT_OF(i);
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        clear_force(&sum);
        for (int a = 0; a < count; a++) {
            const int j = row[a];
            const real4 d = displacement(position[j], own, box);
            body_leg first;
            if (!IN_CUTOFF(d.w, cutoff2) || !make_leg(d, type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &first)) {
                continue;
            }
            real order = REAL(0.0);
            real energy;
            real f;
            for (int b = 0; b < count && (MUTATION != 12 || b < 8); b++) {
                const real4 other = displacement(position[row[b]], own, box);
                body_leg second;
                if ((b != a || MUTATION == 6) && IN_CUTOFF(other.w, cutoff2) &&
                    make_leg(other, type, ELEMENT_OF(row[b]), ELEMENT_ARGUMENTS, &second)) {
                    const tersoff_order more = mutated_order(&first, &second, type, ELEMENT_OF(j), ELEMENT_OF(row[b]),
                                                             ELEMENT_ARGUMENTS);
                    order += more.ending * more.angular * more.radial;
                }
            }
            const real weight = mutated_bond(&first, type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, order, &f, &energy);
            add_to_force(&sum, -f * d.x, -f * d.y, -f * d.z);
            add_force(force, force_plane, j, f * d.x, f * d.y, f * d.z);
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            for (int b = 0; b < count; b++) {
                const int k = row[b];
                const real4 other = displacement(position[k], own, box);
                body_leg second;
                if (b != a && IN_CUTOFF(other.w, cutoff2) &&
                    make_leg(other, type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                    const body_triplet triplet = mutated_triplet(&first, &second, type, ELEMENT_OF(j), ELEMENT_OF(k),
                                                                 ELEMENT_ARGUMENTS, weight);
                    add_to_centre(&sum, &triplet);
                    add_force(force, force_plane, j, triplet.on_first.x, triplet.on_first.y, triplet.on_first.z);
                    add_force(force, force_plane, k, triplet.on_second.x, triplet.on_second.y, triplet.on_second.z);
                    add_leg_to_sums(&sums, first.d, triplet.on_first);
#if MUTATION != 11
                    add_leg_to_sums(&sums, second.d, triplet.on_second);
#endif
                }
            }
        }
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
