/*
 * coordination — two groups in two passes, with one fault chosen by MUTATION; the gate must reject every one but the first
 *
 *  0 none: must pass                              9 stale: B's derivatives, computed only over NaN
 *  1 writes nothing                              10 box derivatives of the wrong sign
 *  2 drops one pair                              11 half the box derivatives
 *  3 counts one pair twice                       12 the value counted from both sides
 *  4 a particle of both groups meets itself      13 the shift of the stretch has the wrong sign
 *  5 wrong image along y                         14 at x = 1 the limit n/m as a quotient of whole numbers
 *  6 flipped sign of the derivatives             15 the quotient as it is written, which cancels near x = 1
 *  7 dmax too short                              16 odd exponents halved: x^5 as (x^2)^2
 *  8 the last particle of B is left out of A's   17 no 1 at r <= d0
 *                                                18 float arithmetic under another label
 * 19 derivatives summed in float, times a factor that gives them digits which a float has not, 20 the value likewise,
 * 21 box derivatives likewise
 *
 * Those from 14 to 17 have a switching function of their own, which does not end: 14 and 15 of r0 = 1, n = 8, m = 12,
 * 16 of r0 = 1, n = 5, m = 11, 17 of r0 = 0.5, n = 6, m = 12, d0 = 1.1.
 *
 * @workload  coordination
 * @groups    two
 * @structure none
 * @pass      a_against_b item per particle_a
 * @pass      b_against_a item per particle_b
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 */
#if MUTATION == 18
typedef float narrow;
#else
typedef real narrow;
#endif

DEVICE real integer_power(real x, int exponent)
{
    real power = REAL(1.0);
    for (int k = 0; k < exponent; k++) {
        power *= x;
    }
    return power;
}

/* -(1/r) ds/dr and s of s = (1 - z^n) / (1 - z^m), where z grows with r as dz/dr = slope r. */
DEVICE real quotient(real z, real slope, int n, int m, real *s)
{
    const real below = REAL(1.0) - integer_power(z, m);
    *s = (REAL(1.0) - integer_power(z, n)) / below;
    return (n * integer_power(z, n - 1) - *s * m * integer_power(z, m - 1)) / below * slope;
}

/* What the pair function gives, or a faulty one in its place. */
DEVICE real pair_of(real r2, real4 one, real4 other, pair_energy *value PAIR_PARAMETERS)
{
    real f = PAIR_FORCE(r2, one, other, 0, 0, value);
#if MUTATION == 13
    *value -= REAL(2.0) * RATIONAL_SHIFT;
#elif MUTATION == 14
    if (FABS(SQRT(r2) - REAL(1.0)) < (REAL_IS_DOUBLE ? REAL(1e-13) : REAL(1e-5))) {
        *value = 8 / 12;
    }
#elif MUTATION == 15
    if (FABS(SQRT(r2) - REAL(1.0)) > (REAL_IS_DOUBLE ? REAL(1e-14) : REAL(1e-6))) {
        const real r = SQRT(r2);
        f = quotient(r, REAL(1.0) / r, 8, 12, value);
    }
#elif MUTATION == 16
    f = quotient(r2, REAL(2.0), 5 / 2, 11 / 2, value);
#elif MUTATION == 17
    const real r = SQRT(r2);
    f = quotient((r - REAL(1.1)) * REAL(2.0), REAL(2.0) / r, 6, 12, value);
#endif
    return f;
}

/* A sum as float holds it. */
DEVICE void narrow_sum(accum *sum, int narrowed)
{
    if (narrowed) {
        *sum = (real)*sum;
    }
}

/* Digits that a float has not. */
DEVICE void add_digits(accum *sum, int narrowed)
{
    if (narrowed) {
        *sum *= ACCUM(1.0000000013);
    }
}

/* Whether the pair of places i and j counts. */
DEVICE int counts(real r2, real cutoff2, int index, int other_index)
{
#if MUTATION == 4
    return IN_CUTOFF(r2, cutoff2);
#elif MUTATION == 7
    return IN_CUTOFF(r2, REAL(0.9) * cutoff2) && DIFFERENT(index, other_index);
#else
    return IN_CUTOFF(r2, cutoff2) && DIFFERENT(index, other_index);
#endif
}

DEVICE real4 difference(real4 one, real4 other, real4 edge, real4 inverse_edge)
{
    const real dx = nearest_image((narrow)(one.x) - (narrow)(other.x), edge.x, inverse_edge.x);
#if MUTATION == 5
    const real dy = one.y - other.y;
#else
    const real dy = nearest_image((narrow)(one.y) - (narrow)(other.y), edge.y, inverse_edge.y);
#endif
    const real dz = nearest_image((narrow)(one.z) - (narrow)(other.z), edge.z, inverse_edge.z);
    return make_real4(dx, dy, dz, FMA(dx, dx, FMA(dy, dy, dz * dz)));
}

/* The derivative of one particle, `faulty` being the one of A with which a pair is lost or counted twice; adds to the
 * sums, of which those of B's pass are counts at most. */
DEVICE void meet(int faulty, int of_a, real4 own, int own_index, int count, GLOBAL const real4 *position,
                 GLOBAL const int *index, real4 edge, real4 inverse_edge, real cutoff2, accum *sum,
                 pair_sums *sums PAIR_PARAMETERS)
{
    int met = 0;
    for (int j = 0; j < count; j++) {
        const real4 d = difference(own, position[j], edge, inverse_edge);
        COUNT_DISTANCE(sums);
        if (counts(d.w, cutoff2, own_index, index[j])) {
            pair_energy value = NO_ENERGY;
            real f = pair_of(d.w, own, position[j], &value PAIR_ARGUMENTS);
#if MUTATION == 2 || MUTATION == 3
            f *= faulty && met == 0 ? REAL(2.0) * (MUTATION - 2) : REAL(1.0);
            value *= faulty && met == 0 ? REAL(2.0) * (MUTATION - 2) : REAL(1.0);
#endif
            met++;
            sum[0] -= f * d.x;
            sum[1] -= f * d.y;
            sum[2] -= f * d.z;
#if MUTATION == 10
            f = -f;
#elif MUTATION == 11
            f *= REAL(0.5);
#endif
            if (of_a || COUNT_PAIRS || MUTATION == 12) {
                add_to_sums(sums, value, f, d.x, d.y, d.z);
            }
            for (int k = 0; k < SUM_COUNT; k++) {
                narrow_sum(&sums->value[k], MUTATION == (k == 0 ? 20 : 21) && !COUNT_PAIRS);
            }
            for (int k = 0; k < 3; k++) {
                narrow_sum(&sum[k], MUTATION == 19);
            }
        }
    }
    for (int k = 0; k < SUM_COUNT; k++) {
        add_digits(&sums->value[k], MUTATION == (k == 0 ? 20 : 21) && !COUNT_PAIRS);
    }
    for (int k = 0; k < 3; k++) {
        add_digits(&sum[k], MUTATION == 19);
    }
#if MUTATION == 6
    sum[0] = -sum[0];
    sum[1] = -sum[1];
    sum[2] = -sum[2];
#endif
}

KERNEL void a_against_b(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_a && MUTATION != 1) {
        accum sum[3] = { 0, 0, 0 };
        meet(i == n_a / 2, 1, position_a[i], index_a[i], MUTATION == 8 ? n_b - 1 : n_b, position_b, index_b, edge,
             inverse_edge, cutoff2, sum, &sums PAIR_ARGUMENTS);
        derivative_a[i] = make_accum4(sum[0], sum[1], sum[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void b_against_a(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_b, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_b && MUTATION != 1 && (MUTATION != 9 || derivative_b[i].x != derivative_b[i].x)) {
        accum sum[3] = { 0, 0, 0 };
        meet(0, 0, position_b[i], index_b[i], n_a, position_a, index_a, edge, inverse_edge, cutoff2, sum,
             &sums PAIR_ARGUMENTS);
        derivative_b[i] = make_accum4(sum[0], sum[1], sum[2], 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
