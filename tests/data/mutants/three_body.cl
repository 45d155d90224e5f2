/*
 * three_body_mutant — three_body_atomic, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 each centre's first triplet counts twice, 2 the angle's derivative acts on the first
 * end alone, 3 the slopes of the exponentials of both legs change places, 4 a triplet has the parameters of its first end as the
 * centre, 5 a leg is as long as those between particles of the centre's type, 6 the second end is taken without its image, 7 the
 * second end adds nothing to the virial, 8 the power q has no slope, 9 legs beyond the eighth have no triplets, 10 the triplet's
 * exponential lacks gamma, 11 the force on the centre is that of the first end alone, 12 a triplet's energy is half of it.
 *
 * @workload    three_body
 * @structure   pair_list
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        three_body_mutant item per particle
 * @tunable     MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12
 * @tunable     SKIN 12
 */
DEVICE sw_triplet mutated_triplet(sw_leg first, sw_leg second, real2 angle)
{
#if MUTATION == 3
    const real kept = first.slope;
    first.slope = second.slope;
    second.slope = kept;
#endif
    sw_triplet triplet = sw_evaluate(&first, &second, angle);
#if MUTATION == 2
    const real along = triplet.energy * second.slope * second.inverse_r;
    triplet.on_second = make_real4(-along * second.d.x, -along * second.d.y, -along * second.d.z, REAL(0.0));
#elif MUTATION == 12
    triplet.energy *= REAL(0.5);
#endif
    return triplet;
}

DEVICE int mutated_leg(real4 d, int centre, int end, ELEMENT_PARAMETERS, sw_leg *leg)
{
#if MUTATION == 5
    return make_leg(d, centre, centre, ELEMENT_ARGUMENTS, leg);
#elif MUTATION == 10
    const int is_leg = make_leg(d, centre, end, ELEMENT_ARGUMENTS, leg);
    const sw_numbers numbers = sw_numbers_of(centre, end, ELEMENT_ARGUMENTS);
    const real left = numbers.length.y - SQRT(d.w);
    leg->decay = EXP(-numbers.length.x / left);
    return is_leg;
#else
    return make_leg(d, centre, end, ELEMENT_ARGUMENTS, leg);
#endif
}

KERNEL void three_body_mutant(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
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
        int triplets = 0;
        int legs = 0;
        clear_force(&sum);
        for (int a = 0; a < count; a++) {
            const int j = row[a];
            const real4 d = displacement(position[j], own, box);
            sw_leg first;
            if (!IN_CUTOFF(d.w, cutoff2) || !mutated_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &first)) {
                continue;
            }
            legs++;
#if MUTATION == 8
            {
                real energy;
                const sw_numbers numbers = sw_numbers_of(own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS);
                const real left = numbers.length.y - SQRT(d.w);
                real f = sw_pair_force(&first, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &energy);
                f += numbers.pair.x * EXP(-numbers.length.x / left) * numbers.pair.w *
                     sw_power(numbers.length.x * first.inverse_r, numbers.pair.w) * first.inverse_r * first.inverse_r;
                add_to_force(&sum, -f * d.x, -f * d.y, -f * d.z);
                add_to_sums(&sums, REAL(0.5) * energy, REAL(0.5) * f, d.x, d.y, d.z);
            }
#else
            (void)add_bond(&sum, &sum, &sums, &first, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, REAL(0.0));
#endif
            for (int b = a + 1; b < count && (MUTATION != 9 || legs <= 8); b++) {
                const int k = row[b];
                const real4 end = position[k];
                real4 other = displacement(end, own, box);
                const int is_near = IN_CUTOFF(other.w, cutoff2);
                sw_leg second;
#if MUTATION == 6
                other.x = end.x - own.x;
                other.y = end.y - own.y;
                other.z = end.z - own.z;
#endif
                if (is_near && mutated_leg(other, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
#if MUTATION == 4
                    const real2 angle = sw_angle_of(ELEMENT_OF(j), own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS);
#else
                    const real2 angle = sw_angle_of(own_type, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS);
#endif
                    const sw_triplet triplet = mutated_triplet(first, second, angle);
                    for (int again = MUTATION == 1 && triplets == 0; again >= 0; again--) {
                        const real of_second = MUTATION == 11 ? REAL(0.0) : REAL(1.0);
                        add_to_force(&sum, -(triplet.on_first.x + of_second * triplet.on_second.x),
                                     -(triplet.on_first.y + of_second * triplet.on_second.y),
                                     -(triplet.on_first.z + of_second * triplet.on_second.z));
                        add_force(force, force_plane, j, triplet.on_first.x, triplet.on_first.y, triplet.on_first.z);
                        add_force(force, force_plane, k, triplet.on_second.x, triplet.on_second.y,
                                  triplet.on_second.z);
#if MUTATION == 7
#if WITH_ENERGY
                        sums.value[0] += TO_SUM(triplet.energy);
#endif
                        add_leg_to_sums(&sums, first.d, triplet.on_first);
#else
                        add_triplet_to_sums(&sums, &first, &second, &triplet);
#endif
                    }
                    triplets++;
                }
            }
        }
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
