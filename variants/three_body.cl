/*
 * three_body_words — a centre and its neighbours: what every variant of workload `three_body` says the same way
 *
 * The harness puts this text before the interaction. A leg goes from a centre to a neighbour. The interaction has
 *
 *   make_leg(d, centre, end, ..., &leg)                      whether there is one, and what belongs to it alone
 *   bond_of(&leg, centre, end, ..., order, &f, &energy)      a leg by itself
 *   triplet_of(&first, &second, centre, one, other, ..., weight)   the forces on the ends of two legs, and the energy
 *   order_of(&first, &second, centre, one, other, ...)       where WITH_ORDERS: what the second leg adds to the first one's order
 *
 * centre, end, one and other are types. There are two kinds of interactions. Without orders, triplets are of energies of their
 * own and alike in both legs, and bond_of() is a pair, seen from one of its sides. With orders (WITH_ORDERS) the energy of a leg
 * hangs on the sum of what the centre's other legs add to its order; bond_of() then is the half that the centre has, and returns
 * the energy's derivative by that sum, `weight`; triplet_of() is the force of that derivative through one other leg, the second.
 */

/* What a kernel's parameters say of elements, in this order, to be handed on. */
#define ELEMENT_PARAMETERS                                                                                    \
    int element_count, GLOBAL const int *RESTRICT elements, GLOBAL const real4 *RESTRICT element_pairs,       \
        GLOBAL const real2 *RESTRICT element_triplets
#define ELEMENT_ARGUMENTS element_count, elements, element_pairs, element_triplets

#if WITH_ELEMENTS
#define ELEMENT_OF(i) (elements[i])
#else
#define ELEMENT_OF(i) (0)
#endif

/* The first of the second legs that a leg at place a of a row has triplets with. */
#if WITH_ORDERS
#define FIRST_AFTER(a) 0
#else
#define FIRST_AFTER(a) ((a) + 1)
#endif

/* The vector from centre to end, and the square of its length in w; one over the length; two numbers of the interaction; what
 * the centre's other legs add to its order, and the weight that this has. */
typedef struct {
    real4 d;
    real inverse_r, decay, slope;
#if WITH_ORDERS
    real order, weight;
#endif
} body_leg;

/* The forces on the ends of two legs, their sum with the other sign on the centre, and the energy. */
typedef struct {
    real4 on_first, on_second;
    real energy;
} body_triplet;

#if WITH_ORDERS
#define ORDER_OF_LEG(leg) ((leg).order)
#else
#define ORDER_OF_LEG(leg) REAL(0.0)
#endif

DEVICE int make_leg(real4 d, int centre, int end, ELEMENT_PARAMETERS, body_leg *leg);
DEVICE real bond_of(const body_leg *leg, int centre, int end, ELEMENT_PARAMETERS, real order, real *force_over_r,
                    real *energy);
DEVICE body_triplet triplet_of(const body_leg *first, const body_leg *second, int centre, int one, int other,
                               ELEMENT_PARAMETERS, real weight);
#if WITH_ORDERS
DEVICE real order_of(const body_leg *first, const body_leg *second, int centre, int one, int other, ELEMENT_PARAMETERS);
#endif

/* The order of the leg from a centre, at `at`, to particle `end`, over the particles of a row; of an empty `row` over all of
 * 0..count-1. 0 where there are no orders. */
DEVICE real order_over(const body_leg *first, int self, int end, real4 at, int count, GLOBAL const int *row,
                       GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2, ELEMENT_PARAMETERS)
{
    real order = REAL(0.0);
#if WITH_ORDERS
    for (int b = 0; b < count; b++) {
        const int k = row ? row[b] : b;
        const real4 d = displacement(position[k], at, box);
        body_leg second;
        if (k != end && k != self && IN_CUTOFF(d.w, cutoff2) &&
            make_leg(d, ELEMENT_OF(self), ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
            order += order_of(first, &second, ELEMENT_OF(self), ELEMENT_OF(end), ELEMENT_OF(k), ELEMENT_ARGUMENTS);
        }
    }
#endif
    return order;
}

/* ---- sums ---- */

/* The force on the centre. In fixed each force on an end is rounded by itself, so that it is minus what the end is given. */
DEVICE void add_to_centre(own_force *own, const body_triplet *triplet)
{
#if ACCUM_IS_FIXED
    add_to_force(own, -triplet->on_first.x, -triplet->on_first.y, -triplet->on_first.z);
    add_to_force(own, -triplet->on_second.x, -triplet->on_second.y, -triplet->on_second.z);
#else
    add_to_force(own, -(triplet->on_first.x + triplet->on_second.x), -(triplet->on_first.y + triplet->on_second.y),
                 -(triplet->on_first.z + triplet->on_second.z));
#endif
}

DEVICE void add_vector(own_force *own, real4 f)
{
    add_to_force(own, f.x, f.y, f.z);
}

/* What the force on an end adds to the virial. */
DEVICE void add_leg_to_sums(pair_sums *sums, real4 d, real4 f)
{
#if WITH_VIRIAL
    sums->value[1] += TO_SUM(d.x * f.x);
    sums->value[2] += TO_SUM(d.x * f.y);
    sums->value[3] += TO_SUM(d.x * f.z);
    sums->value[4] += TO_SUM(d.y * f.y);
    sums->value[5] += TO_SUM(d.y * f.z);
    sums->value[6] += TO_SUM(d.z * f.z);
#if ACCUM_IS_FIXED
    sums->size += (FABS(d.x) + FABS(d.y) + FABS(d.z)) * (FABS(f.x) + FABS(f.y) + FABS(f.z));
#endif
#endif
}

DEVICE void add_triplet_to_sums(pair_sums *sums, const body_leg *first, const body_leg *second,
                                const body_triplet *triplet)
{
#if WITH_ENERGY
    sums->value[0] += TO_SUM(triplet->energy);
#if ACCUM_IS_FIXED
    sums->size += FABS(triplet->energy);
#endif
#endif
    add_leg_to_sums(sums, first->d, triplet->on_first);
    add_leg_to_sums(sums, second->d, triplet->on_second);
}

/* What a leg by itself does to the centre and, with orders, to its end; returns the weight of its triplets. A pair is met from
 * both sides: its force acts on the centre of either, and half of it counts. */
DEVICE real add_bond(own_force *own, own_force *on_end, pair_sums *sums, const body_leg *leg, int centre, int end,
                     ELEMENT_PARAMETERS, real order)
{
    real energy;
    real f;
    const real weight = bond_of(leg, centre, end, ELEMENT_ARGUMENTS, order, &f, &energy);
    add_to_force(own, -f * leg->d.x, -f * leg->d.y, -f * leg->d.z);
#if WITH_ORDERS
    add_to_force(on_end, f * leg->d.x, f * leg->d.y, f * leg->d.z);
    add_to_sums(sums, energy, f, leg->d.x, leg->d.y, leg->d.z);
#else
    add_to_sums(sums, REAL(0.5) * energy, REAL(0.5) * f, leg->d.x, leg->d.y, leg->d.z);
#endif
    return weight;
}

#if WITH_ORDERS
/* What a leg of another centre by itself does to its end. */
DEVICE void add_back_bond(own_force *own, const body_leg *back, int centre, int end, ELEMENT_PARAMETERS, real order,
                          real *weight)
{
    real energy;
    real f;
    *weight = bond_of(back, centre, end, ELEMENT_ARGUMENTS, order, &f, &energy);
    add_to_force(own, f * back->d.x, f * back->d.y, f * back->d.z);
}

/* What the leg `first` of another centre, from particle j to k, does through the leg `back` to its end, of type `end`. */
DEVICE void add_as_second(own_force *own, const body_leg *first, const body_leg *back, int j, int k, int end, real order,
                          ELEMENT_PARAMETERS)
{
    real energy;
    real f;
    const real weight = bond_of(first, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS, order, &f, &energy);
    const body_triplet triplet =
        triplet_of(first, back, ELEMENT_OF(j), ELEMENT_OF(k), end, ELEMENT_ARGUMENTS, weight);
    add_vector(own, triplet.on_second);
}
#endif

/* ---- a centre whose legs are known ---- */

/* Of all legs, where there are orders: order and weight. */
DEVICE void weigh_legs(body_leg *legs, const int *ends, int count, int centre, ELEMENT_PARAMETERS)
{
#if WITH_ORDERS
    for (int a = 0; a < count; a++) {
        real energy;
        real f;
        real order = REAL(0.0);
        for (int b = 0; b < count; b++) {
            if (b != a) {
                order += order_of(&legs[a], &legs[b], centre, ELEMENT_OF(ends[a]), ELEMENT_OF(ends[b]), ELEMENT_ARGUMENTS);
            }
        }
        legs[a].order = order;
        legs[a].weight = bond_of(&legs[a], centre, ELEMENT_OF(ends[a]), ELEMENT_ARGUMENTS, order, &f, &energy);
    }
#endif
}

/* All forces on the end of leg a, of the bond and of every triplet that it is in; to the centre what is minus these. */
DEVICE own_force force_on_end(const body_leg *legs, const int *ends, int count, int a, int centre, ELEMENT_PARAMETERS,
                              own_force *own, pair_sums *sums)
{
    const body_leg leg = legs[a];
    const int end = ELEMENT_OF(ends[a]);
    own_force on_end;
    clear_force(&on_end);
    const real weight = add_bond(own, &on_end, sums, &leg, centre, end, ELEMENT_ARGUMENTS, ORDER_OF_LEG(leg));
    for (int b = 0; b < count; b++) {
        if (b == a) {
            continue;
        }
        const body_leg other = legs[b];
        const int type = ELEMENT_OF(ends[b]);
        const body_triplet triplet = triplet_of(&leg, &other, centre, end, type, ELEMENT_ARGUMENTS, weight);
        add_vector(&on_end, triplet.on_first);
        add_to_force(own, -triplet.on_first.x, -triplet.on_first.y, -triplet.on_first.z);
#if WITH_ORDERS
        const body_triplet turned = triplet_of(&other, &leg, centre, type, end, ELEMENT_ARGUMENTS, other.weight);
        add_vector(&on_end, turned.on_second);
        add_to_force(own, -turned.on_second.x, -turned.on_second.y, -turned.on_second.z);
#endif
        if (b >= FIRST_AFTER(a)) {
            add_triplet_to_sums(sums, &leg, &other, &triplet);
        }
    }
    return on_end;
}

/* The forces of a centre whose legs are too many to be kept, on its ends by atomics. */
DEVICE void add_unkept_legs(int i, real4 own, int count, GLOBAL const int *row, GLOBAL const real4 *RESTRICT position, box_args box,
                            real cutoff2, ELEMENT_PARAMETERS, GLOBAL force_sum *RESTRICT force, int force_plane, own_force *sum,
                            pair_sums *sums)
{
    const int own_type = ELEMENT_OF(i);
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
            sum, &on_first, sums, &first, own_type, ELEMENT_OF(j), ELEMENT_ARGUMENTS,
            order_over(&first, i, j, own, count, row, position, box, cutoff2, ELEMENT_ARGUMENTS));
        for (int b = FIRST_AFTER(a); b < count; b++) {
            const int k = row[b];
            const real4 other = displacement(position[k], own, box);
            body_leg second;
            if (b != a && IN_CUTOFF(other.w, cutoff2) &&
                make_leg(other, own_type, ELEMENT_OF(k), ELEMENT_ARGUMENTS, &second)) {
                const body_triplet triplet = triplet_of(&first, &second, own_type, ELEMENT_OF(j), ELEMENT_OF(k),
                                                        ELEMENT_ARGUMENTS, weight);
                add_to_centre(sum, &triplet);
                add_to_force(&on_first, triplet.on_first.x, triplet.on_first.y, triplet.on_first.z);
                add_force(force, force_plane, k, triplet.on_second.x, triplet.on_second.y, triplet.on_second.z);
                add_triplet_to_sums(sums, &first, &second, &triplet);
            }
        }
        add_own_force(force, force_plane, j, &on_first);
    }
}
