/*
 * tersoff — bonds that are weaker the more others there are: silicon (T3), in eV and angstrom, unless parameters say otherwise
 *
 * An interaction of workload `three_body`, with orders; it has no pair function. variants/three_body.cl says what it has in its
 * place. With r the length of a leg ij, from a centre i, and r' that of another leg ik of the centre:
 *
 *   energy of the leg   fc(r) (A exp(-lambda1 r) - b B exp(-lambda2 r)) / 2,  b = (1 + (beta zeta)^n)^(-1 / (2 n))
 *   zeta                sum over k of fc(r') g(cos theta) exp((lambda3 (r - r'))^m)
 *   g                   gamma (1 + c^2 / d^2 - c^2 / (d^2 + (costheta0 - cos theta)^2))
 *   fc                  1 up to R - D, 1/2 - sin(pi (r - R) / (2 D)) / 2 up to R + D, then 0
 *
 * m is 1 or 3. Without a table the parameters are numbers of the text; with one (WITH_ELEMENTS) they are read by types:
 *
 *   element_pairs[3 (types i + j)]                   A, lambda1, B, lambda2; then n, beta, R, D; then zeros
 *   element_triplets[4 (types (types i + j) + k)]    gamma, lambda3; then c, d; then costheta0, m; then R, D
 *
 * The exponent is at most 69, so that float holds zeta.
 *
 * @workload three_body
 * @elements orders
 * @parameter A 1830.8 energy of the repulsion
 * @parameter B 471.18 energy of the attraction
 * @parameter lambda1 2.4799 positive how fast the repulsion falls, one over a length
 * @parameter lambda2 1.7322 positive how fast the attraction falls
 * @parameter lambda3 1.7322 how much longer legs than the bond count less
 * @parameter n 0.78734 positive power of the order
 * @parameter beta 1.1e-6 positive factor of the order
 * @parameter gamma 1 factor of the angle's part
 * @parameter c 100390 strength of the angle
 * @parameter d 16.217 positive sharpness of the angle
 * @parameter costheta0 -0.59825 the cosine of the angle that bonds want
 * @parameter m 3 power of the difference of lengths: 1 or 3
 * @parameter R 2.85 positive the middle of where all ends
 * @parameter width 0.15 positive D: half the width of where all ends
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 30 fewer than a leg or a triplet takes: an exponential, products of two vectors
 * @source J. Tersoff, Phys. Rev. B 37 (1988) 6991, 38 (1988) 9902 and 39 (1989) 5566
 */

/* Numbers of two types, and of three. */
typedef struct {
    real4 pair, order; /* A, lambda1, B, lambda2; n, beta, R, D */
} tersoff_bond;
typedef struct {
    real2 lengths, angle, other, ends; /* gamma, lambda3; c, d; costheta0, m; R, D */
} tersoff_angle;

DEVICE tersoff_bond tersoff_bond_of(int centre, int end, ELEMENT_PARAMETERS)
{
    tersoff_bond bond;
#if WITH_ELEMENTS
    GLOBAL const real4 *own = element_pairs + 3 * (centre * element_count + end);
    bond.pair = own[0];
    bond.order = own[1];
#else
    bond.pair = make_real4(TERSOFF_A, TERSOFF_LAMBDA1, TERSOFF_B, TERSOFF_LAMBDA2);
    bond.order = make_real4(TERSOFF_N, TERSOFF_BETA, TERSOFF_R, TERSOFF_WIDTH);
#endif
    return bond;
}

DEVICE tersoff_angle tersoff_angle_of(int centre, int one, int other, ELEMENT_PARAMETERS)
{
    tersoff_angle angle;
#if WITH_ELEMENTS
    GLOBAL const real2 *own = element_triplets + 4 * ((centre * element_count + one) * element_count + other);
    angle.lengths = own[0];
    angle.angle = own[1];
    angle.other = own[2];
    angle.ends = own[3];
#else
    angle.lengths = make_real2(TERSOFF_GAMMA, TERSOFF_LAMBDA3);
    angle.angle = make_real2(TERSOFF_C, TERSOFF_D);
    angle.other = make_real2(TERSOFF_COSTHETA0, TERSOFF_M);
    angle.ends = make_real2(TERSOFF_R, TERSOFF_WIDTH);
#endif
    return angle;
}

/* fc and its slope. */
DEVICE real tersoff_end(real r, real middle, real width, real *slope)
{
    const real along = (r - middle) / width;
    const real quarter_turns = REAL(1.5707963267948966);
    real sine;
    real cosine;
    SINCOSPI(REAL(0.5) * along, sine, cosine);
    const int inside = along > REAL(-1.0) && along < REAL(1.0);
    *slope = inside ? REAL(-0.5) * quarter_turns / width * cosine : REAL(0.0);
    return inside ? REAL(0.5) - REAL(0.5) * sine : along <= REAL(-1.0) ? REAL(1.0) : REAL(0.0);
}

/* `decay` of a leg is its length; `slope` is not used. */
DEVICE int make_leg(real4 d, int centre, int end, ELEMENT_PARAMETERS, body_leg *leg)
{
    leg->d = d;
    leg->decay = SQRT(d.w);
    leg->inverse_r = REAL(1.0) / leg->decay;
    leg->slope = REAL(0.0);
    return 1;
}

/* b, and its derivative by zeta: -b t / (2 zeta) with t = (beta zeta)^n / (1 + (beta zeta)^n), by powers that do not overflow. */
DEVICE real tersoff_strength(real4 order, real zeta, real *slope)
{
    const real x = order.y * zeta;
    if (!(x > REAL(0.0))) {
        *slope = REAL(0.0);
        return REAL(1.0);
    }
    const int large = x > REAL(1.0);
    const real power = POW(large ? REAL(1.0) / x : x, order.x); /* of what is at most 1 */
    const real sum = REAL(1.0) + power;
    const real root = POW(sum, REAL(-0.5) / order.x);
    const real strength = large ? root / SQRT(x) : root;
    *slope = REAL(-0.5) * strength * (large ? REAL(1.0) : power) / (sum * zeta);
    return strength;
}

DEVICE real bond_of(const body_leg *leg, int centre, int end, ELEMENT_PARAMETERS, real order, real *force_over_r,
                    real *energy)
{
    const tersoff_bond bond = tersoff_bond_of(centre, end, ELEMENT_ARGUMENTS);
    const real r = leg->decay;
    real end_slope;
    real by_order;
    const real ending = tersoff_end(r, bond.order.z, bond.order.w, &end_slope);
    const real strength = tersoff_strength(bond.order, order, &by_order);
    const real repulsion = bond.pair.x * EXP(-bond.pair.y * r);
    const real attraction = bond.pair.z * EXP(-bond.pair.w * r);
    const real bound = strength * attraction;
    *energy = REAL(0.5) * ending * (repulsion - bound);
    *force_over_r = REAL(-0.5) * leg->inverse_r *
                    (end_slope * (repulsion - bound) + ending * (bond.pair.w * bound - bond.pair.y * repulsion));
    return REAL(-0.5) * ending * attraction * by_order;
}

/* What a triplet adds to the order of its first leg, as a product, and the slopes of its three factors. */
typedef struct {
    real ending, angular, radial, by_ending, by_cosine, by_length, cosine;
} tersoff_order;

DEVICE tersoff_order tersoff_order_of(const body_leg *first, const body_leg *second, int centre, int one, int other,
                                      ELEMENT_PARAMETERS)
{
    const tersoff_angle angle = tersoff_angle_of(centre, one, other, ELEMENT_ARGUMENTS);
    tersoff_order order;
    const real product =
        FMA(first->d.x, second->d.x, FMA(first->d.y, second->d.y, first->d.z * second->d.z));
    order.cosine = product * (first->inverse_r * second->inverse_r);
    order.ending = tersoff_end(second->decay, angle.ends.x, angle.ends.y, &order.by_ending);
    const real off = angle.other.x - order.cosine;
    const real c2 = angle.angle.x * angle.angle.x;
    const real d2 = angle.angle.y * angle.angle.y;
    const real sum = FMA(off, off, d2);
    const real part = c2 / sum;
    order.angular = angle.lengths.x * (REAL(1.0) + part * (off * off) / d2);
    order.by_cosine = REAL(-2.0) * angle.lengths.x * part * off / sum;
    const real apart = angle.lengths.y * (first->decay - second->decay);
    const real cubic = apart * apart * apart;
    const real exponent = angle.other.y == REAL(3.0) ? cubic : apart;
    const real limit = REAL(69.0);
    order.radial = EXP(MIN_REAL(exponent, limit));
    order.by_length = exponent > limit                  ? REAL(0.0)
                      : angle.other.y == REAL(3.0) ? REAL(3.0) * angle.lengths.y * apart * apart
                                                   : angle.lengths.y; /* of the exponent */
    return order;
}

DEVICE real order_of(const body_leg *first, const body_leg *second, int centre, int one, int other, ELEMENT_PARAMETERS)
{
    const tersoff_order order = tersoff_order_of(first, second, centre, one, other, ELEMENT_ARGUMENTS);
    return order.ending * order.angular * order.radial;
}

DEVICE body_triplet triplet_of(const body_leg *first, const body_leg *second, int centre, int one, int other,
                               ELEMENT_PARAMETERS, real weight)
{
    const tersoff_order order = tersoff_order_of(first, second, centre, one, other, ELEMENT_ARGUMENTS);
    const real whole = weight * order.radial;
    const real across = whole * order.ending * order.by_cosine * (first->inverse_r * second->inverse_r);
    const real by_length = whole * order.ending * order.angular * order.by_length;
    const real by_second = whole * order.by_ending * order.angular - by_length;
    /* minus the derivatives along each leg; the cosine's are across times the other leg, less its part along the own one */
    const real along_first =
        by_length * first->inverse_r - across * order.cosine * second->decay * first->inverse_r;
    const real along_second =
        by_second * second->inverse_r - across * order.cosine * first->decay * second->inverse_r;
    body_triplet triplet;
    triplet.on_first =
        make_real4(-(along_first * first->d.x + across * second->d.x), -(along_first * first->d.y + across * second->d.y),
                   -(along_first * first->d.z + across * second->d.z), REAL(0.0));
    triplet.on_second =
        make_real4(-(along_second * second->d.x + across * first->d.x), -(along_second * second->d.y + across * first->d.y),
                   -(along_second * second->d.z + across * first->d.z), REAL(0.0));
    triplet.energy = REAL(0.0);
    return triplet;
}
