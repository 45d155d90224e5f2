/*
 * three_body_atomic — one centre per work-item; forces on the ends go out by atomics
 *
 * A centre first finds its legs, in its row of a list that the skin makes longer, and keeps them: each root and exponential is
 * computed once. Then it gathers for each leg what acts on its end, over both orders of each two legs, so that an end is one
 * atomic addition (of four numbers at once on NVIDIA's chips from sm_90 on, in float), into an array that begins as zero. The
 * order of additions changes from run to run; in precision fixed the sums do not depend on it. A centre that has more than LEGS
 * legs finds them again for each.
 *
 * @workload    three_body
 * @structure   pair_list
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        three_body_atomic item per particle
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     LEGS 4 8 16* 32
 * @tunable     AT_ONCE 1 4* 8
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
        const int listed = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        body_leg legs[LEGS];
        int ends[LEGS];
        int count = 0;
        clear_force(&sum);
        for (int k = 0; k < listed; k += AT_ONCE) {
            int partner[AT_ONCE];
            real4 other[AT_ONCE];
            for (int u = 0; u < AT_ONCE; u++) {
                partner[u] = row[k + u < listed ? k + u : k];
            }
            for (int u = 0; u < AT_ONCE; u++) {
                other[u] = position[partner[u]];
            }
            for (int u = 0; u < AT_ONCE; u++) {
                const real4 d = displacement(other[u], own, box);
                body_leg leg;
                if (k + u < listed && IN_CUTOFF(d.w, cutoff2) &&
                    make_leg(d, own_type, ELEMENT_OF(partner[u]), ELEMENT_ARGUMENTS, &leg)) {
                    if (count < LEGS) {
                        legs[count] = leg;
                        ends[count] = partner[u];
                    }
                    count++;
                }
            }
        }
        if (count <= LEGS) {
            weigh_legs(legs, ends, count, own_type, ELEMENT_ARGUMENTS);
            for (int a = 0; a < count; a++) {
                const own_force on_end = force_on_end(legs, ends, count, a, own_type, ELEMENT_ARGUMENTS, &sum, &sums);
                add_own_force(force, force_plane, ends[a], &on_end);
            }
        } else {
            add_unkept_legs(i, own, listed, row, position, box, cutoff2, ELEMENT_ARGUMENTS, force, force_plane, &sum, &sums);
        }
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
