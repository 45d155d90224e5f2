/*
 * three_body_lanes — LANES work-items per centre, each with legs of its own; forces on the ends go out by atomics
 *
 * The lanes of a centre read its row side by side and put those within the cutoff into local memory. Then each lane takes a leg
 * into its registers and meets all others of the centre, which lie in local memory: what acts on its end is one atomic addition
 * (three_body_atomic). A work-item that keeps all legs of a centre by itself waits for its private arrays, which no cache
 * holds. A centre that has more than LEGS legs is computed by its first lane, which finds them again for each.
 *
 * @workload    three_body
 * @structure   pair_list
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        three_body_lanes item per particle * LANES
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     LANES 2 4* 8 16
 * @tunable     LEGS 4 8 16* 32
 * @tunable     SKIN 12
 * @tunable     STABLE_SORT 0* 1
 */
#define CENTRES (GROUP_SIZE / LANES)

/* Two of four numbers for each lane, so that a leg takes two reads. */
#define SHARED_LEGS                      \
    LOCAL real4 shared_d[GROUP_SIZE];    \
    LOCAL real4 shared_rest[GROUP_SIZE];

DEVICE void share_leg(LOCAL_ARG real4 *shared_d, LOCAL_ARG real4 *shared_rest, const body_leg *leg, real weight)
{
    shared_d[LOCAL_ID] = leg->d;
    shared_rest[LOCAL_ID] = make_real4(leg->inverse_r, leg->decay, leg->slope, weight);
}

DEVICE body_leg shared_leg(LOCAL_ARG const real4 *shared_d, LOCAL_ARG const real4 *shared_rest, int at)
{
    body_leg leg;
    const real4 rest = shared_rest[at];
    leg.d = shared_d[at];
    leg.inverse_r = rest.x;
    leg.decay = rest.y;
    leg.slope = rest.z;
#if WITH_ORDERS
    leg.order = REAL(0.0);
    leg.weight = rest.w;
#endif
    return leg;
}

KERNEL void three_body_lanes(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                             GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box, real cutoff2,
                             int element_count, GLOBAL const int *RESTRICT elements,
                             GLOBAL const real4 *RESTRICT element_pairs,
                             GLOBAL const real2 *RESTRICT element_triplets, GLOBAL force_sum *RESTRICT force,
                             int force_plane, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    SHARED_LEGS
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
    LOCAL int found[CENTRES];        /* legs of each centre */
    LOCAL int end_of[CENTRES * LEGS]; /* their ends */
#if WITH_ORDERS
    LOCAL real weight_of[CENTRES * LEGS];
    LOCAL real order_at[CENTRES * LEGS];
#endif
    const int i = GLOBAL_ID / LANES;
    const int lane = LOCAL_ID % LANES;
    const int centre = LOCAL_ID / LANES;
    const int is_there = i < n;
    const real4 own = position[is_there ? i : 0];
    const int own_type = ELEMENT_OF(is_there ? i : 0);
    const int listed = is_there ? neighbour_count[i] : 0;
    GLOBAL const int *row = neighbours + (long64)(is_there ? i : 0) * list_capacity;
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    if (lane == 0) {
        found[centre] = 0;
    }
    SYNC_THREADS;
    for (int k = lane; k < listed; k += LANES) {
        const int j = row[k];
        const real4 d = displacement(position[j], own, box);
        body_leg leg;
        if (IN_CUTOFF(d.w, cutoff2) && make_leg(d, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, &leg)) {
            const int at = ATOMIC_ADD_LOCAL_INT(&found[centre], 1);
            if (at < LEGS) {
                end_of[centre * LEGS + at] = j;
            }
        }
    }
    SYNC_THREADS;
    int most = 0; /* legs of any centre of the group whose legs are kept: all work-items take as many turns */
    for (int c = 0; c < CENTRES; c++) {
        const int of_that = found[c] <= LEGS ? found[c] : 0;
        most = of_that > most ? of_that : most;
    }
    const int count = found[centre] <= LEGS ? found[centre] : 0;
    LOCAL_ARG const int *ends = end_of + centre * LEGS;
#if WITH_ORDERS
    for (int first = 0; first < most; first += LANES) {
        const int a = first + lane;
        body_leg leg;
        real order = REAL(0.0);
        if (a < count) {
            make_leg(displacement(position[ends[a]], own, box), own_type, ELEMENT_OF(ends[a]), ELEMENT_ARGUMENTS, &leg);
        }
        for (int others = 0; others < most; others += LANES) {
            const int b = others + lane;
            SYNC_WARPS;
            if (b < count) {
                body_leg other;
                make_leg(displacement(position[ends[b]], own, box), own_type, ELEMENT_OF(ends[b]), ELEMENT_ARGUMENTS, &other);
                share_leg(shared_d, shared_rest, &other, REAL(0.0));
            }
            SYNC_WARPS;
            for (int u = 0; u < LANES && a < count && others + u < count; u++) {
                if (others + u != a) {
                    const body_leg other = shared_leg(shared_d, shared_rest, centre * LANES + u);
                    order += order_of(&leg, &other, own_type, ELEMENT_OF(ends[a]), ELEMENT_OF(ends[others + u]), ELEMENT_ARGUMENTS);
                }
            }
        }
        if (a < count) {
            real energy;
            real f;
            order_at[centre * LEGS + a] = order;
            weight_of[centre * LEGS + a] =
                bond_of(&leg, own_type, ELEMENT_OF(ends[a]), ELEMENT_ARGUMENTS, order, &f, &energy);
        }
    }
    SYNC_WARPS;
#endif
    for (int first = 0; first < most; first += LANES) {
        const int a = first + lane;
        const int end = a < count ? ELEMENT_OF(ends[a]) : 0;
        body_leg leg;
        real weight = REAL(0.0);
        own_force on_end;
        clear_force(&on_end);
        if (a < count) {
            make_leg(displacement(position[ends[a]], own, box), own_type, end, ELEMENT_ARGUMENTS, &leg);
#if WITH_ORDERS
            leg.order = order_at[centre * LEGS + a];
#endif
            weight = add_bond(&sum, &on_end, &sums, &leg, own_type, end, ELEMENT_ARGUMENTS, ORDER_OF_LEG(leg));
        }
        for (int others = 0; others < most; others += LANES) {
            const int b = others + lane;
            SYNC_WARPS;
            if (others == first && a < count) {
                share_leg(shared_d, shared_rest, &leg, weight);
            } else if (b < count) {
                body_leg other;
                make_leg(displacement(position[ends[b]], own, box), own_type, ELEMENT_OF(ends[b]), ELEMENT_ARGUMENTS, &other);
#if WITH_ORDERS
                share_leg(shared_d, shared_rest, &other, weight_of[centre * LEGS + b]);
#else
                share_leg(shared_d, shared_rest, &other, REAL(0.0));
#endif
            }
            SYNC_WARPS;
            for (int u = 0; u < LANES && a < count && others + u < count; u++) {
                if (others + u == a) {
                    continue;
                }
                const body_leg other = shared_leg(shared_d, shared_rest, centre * LANES + u);
                const int type = ELEMENT_OF(ends[others + u]);
                const body_triplet triplet = triplet_of(&leg, &other, own_type, end, type, ELEMENT_ARGUMENTS, weight);
                add_vector(&on_end, triplet.on_first);
                add_to_force(&sum, -triplet.on_first.x, -triplet.on_first.y, -triplet.on_first.z);
#if WITH_ORDERS
                const body_triplet turned =
                    triplet_of(&other, &leg, own_type, type, end, ELEMENT_ARGUMENTS, other.weight);
                add_vector(&on_end, turned.on_second);
                add_to_force(&sum, -turned.on_second.x, -turned.on_second.y, -turned.on_second.z);
#endif
                if (others + u >= FIRST_AFTER(a)) {
                    add_triplet_to_sums(&sums, &leg, &other, &triplet);
                }
            }
        }
        if (a < count) {
            add_own_force(force, force_plane, ends[a], &on_end);
        }
    }
    if (is_there && lane == 0 && found[centre] > LEGS) {
        add_unkept_legs(i, own, listed, row, position, box, cutoff2, ELEMENT_ARGUMENTS, force, force_plane, &sum, &sums);
    }
    SYNC_THREADS;
    own_force_over_lanes(of_lane, LANES, 1, lane == 0, &sum);
    if (is_there && lane == 0) {
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
