/*
 * stillinger-weber — pairs, and triplets that want an angle: silicon, in eV and angstrom, unless parameters say otherwise
 *
 * An interaction of workload `three_body`, without orders; it has no pair function. variants/three_body.cl says what it has in
 * its place. With r the length of a leg, from a centre to a neighbour, and x = sigma / r:
 *
 *   pair     A epsilon (B x^p - x^q) exp(sigma / (r - a sigma))                                  r < a sigma
 *   triplet  lambda epsilon (cos theta - cos theta0)^2 exp(g1 + g2),  g = gamma sigma / (r - a sigma)   both legs
 *
 * Both end at a sigma with all their derivatives. What belongs to a leg (a root, an exponential, two reciprocals) is found once
 * by make_leg; a triplet then takes a product of the legs' and no function. Without a table the parameters are numbers of the
 * text; with one (WITH_ELEMENTS) they are read by the types of centre, first and second end:
 *
 *   element_pairs[3 (types centre + end)]          A epsilon, B, p, q; then sigma, a sigma, gamma sigma, 0; then zeros
 *   element_triplets[types (types centre + first) + second]   lambda epsilon, cos theta0
 *
 * @workload three_body
 * @elements triplets
 * @parameter epsilon 2.1683 the depth of the pair's well, energy
 * @parameter sigma 2.0951 positive length
 * @parameter reach 1.80 positive a: where all ends, in units of sigma
 * @parameter lambda 21.0 strength of triplets
 * @parameter gamma 1.20 how fast they end
 * @parameter costheta0 -0.333333333333333333 the cosine of the angle that they want
 * @parameter A 7.049556277 factor of the pair
 * @parameter B 0.6022245584 factor of its repulsion
 * @parameter p 4 power of the repulsion
 * @parameter q 0 power of the attraction
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 fewer than a pair or a triplet takes: products of the leg's numbers and of two vectors
 * @source F. H. Stillinger and T. A. Weber, Phys. Rev. B 31 (1985) 5262
 */

/* Numbers of a pair of types. */
typedef struct {
    real4 pair;   /* A epsilon, B, p, q */
    real4 length; /* sigma, a sigma, gamma sigma */
} sw_numbers;

DEVICE sw_numbers sw_numbers_of(int centre, int end, ELEMENT_PARAMETERS)
{
    sw_numbers numbers;
#if WITH_ELEMENTS
    GLOBAL const real4 *own = element_pairs + 3 * (centre * element_count + end);
    numbers.pair = own[0];
    numbers.length = own[1];
#else
    numbers.pair = make_real4(STILLINGER_WEBER_A *STILLINGER_WEBER_EPSILON, STILLINGER_WEBER_B, STILLINGER_WEBER_P,
                              STILLINGER_WEBER_Q);
    numbers.length = make_real4(STILLINGER_WEBER_SIGMA, STILLINGER_WEBER_REACH *STILLINGER_WEBER_SIGMA,
                                STILLINGER_WEBER_GAMMA *STILLINGER_WEBER_SIGMA, REAL(0.0));
#endif
    return numbers;
}

/* x^power; of 0, 1, 2 and 4, which materials have, by products. */
DEVICE real sw_power(real x, real power)
{
    const real x2 = x * x;
    return power == REAL(4.0)   ? x2 * x2
           : power == REAL(0.0) ? REAL(1.0)
           : power == REAL(1.0) ? x
           : power == REAL(2.0) ? x2
                                : (real)POW(x, power);
}

/* `decay` of a leg is exp(g), `slope` that of g. */
typedef body_leg sw_leg;
typedef body_triplet sw_triplet;

/* Whether the leg is shorter than a sigma; only then it is one. */
DEVICE int make_leg(real4 d, int centre, int end, ELEMENT_PARAMETERS, body_leg *leg)
{
    const sw_numbers numbers = sw_numbers_of(centre, end, ELEMENT_ARGUMENTS);
    const real r = SQRT(d.w);
    const real left = numbers.length.y - r;
    leg->d = d;
    if (left > REAL(0.0)) {
        const real inverse_left = REAL(1.0) / left;
        const real g = -numbers.length.z * inverse_left;
        leg->inverse_r = REAL(1.0) / r;
        leg->decay = EXP(g);
        leg->slope = g * inverse_left;
    }
    return left > REAL(0.0);
}

/* Force over distance of the pair that a leg is, and its energy. The force on the end is that times leg->d. */
DEVICE real sw_pair_force(const sw_leg *leg, int centre, int end, ELEMENT_PARAMETERS, real *energy)
{
    const sw_numbers numbers = sw_numbers_of(centre, end, ELEMENT_ARGUMENTS);
    const real r = leg->d.w * leg->inverse_r;
    const real inverse_left = REAL(1.0) / (numbers.length.y - r);
    const real x = numbers.length.x * leg->inverse_r;
    const real whole = numbers.pair.x * EXP(-numbers.length.x * inverse_left);
    const real repulsion = numbers.pair.y * sw_power(x, numbers.pair.z);
    const real attraction = sw_power(x, numbers.pair.w);
    const real fall = numbers.length.x * inverse_left * inverse_left; /* of the exponential */
    const real powers = (numbers.pair.z * repulsion - numbers.pair.w * attraction) * leg->inverse_r;
    *energy = whole * (repulsion - attraction);
    return whole * leg->inverse_r * (powers + (repulsion - attraction) * fall);
}

DEVICE real2 sw_angle_of(int centre, int first, int second, ELEMENT_PARAMETERS)
{
#if WITH_ELEMENTS
    return element_triplets[(centre * element_count + first) * element_count + second];
#else
    return make_real2(STILLINGER_WEBER_LAMBDA *STILLINGER_WEBER_EPSILON, STILLINGER_WEBER_COSTHETA0);
#endif
}

DEVICE real4 sw_force_on_end(const sw_leg *own, const sw_leg *other, real along, real across, real cosine)
{
    /* minus the energy's derivatives by r over r, and by the cosine over both lengths */
    const real by_own = along * own->slope * own->inverse_r - across * cosine * own->inverse_r * own->inverse_r;
    const real by_other = across * (own->inverse_r * other->inverse_r);
    return make_real4(-(by_own * own->d.x + by_other * other->d.x), -(by_own * own->d.y + by_other * other->d.y),
                      -(by_own * own->d.z + by_other * other->d.z), REAL(0.0));
}

/* It is the same to the bit with the legs the other way round. */
DEVICE sw_triplet sw_evaluate(const sw_leg *first, const sw_leg *second, real2 angle)
{
    sw_triplet triplet;
    const real product =
        FMA(first->d.x, second->d.x, FMA(first->d.y, second->d.y, first->d.z * second->d.z));
    const real cosine = product * (first->inverse_r * second->inverse_r);
    const real off = cosine - angle.y;
    const real strength = angle.x * (first->decay * second->decay);
    const real across = REAL(2.0) * strength * off;
    triplet.energy = strength * off * off;
    triplet.on_first = sw_force_on_end(first, second, triplet.energy, across, cosine);
    triplet.on_second = sw_force_on_end(second, first, triplet.energy, across, cosine);
    return triplet;
}

DEVICE real bond_of(const body_leg *leg, int centre, int end, ELEMENT_PARAMETERS, real order, real *force_over_r,
                    real *energy)
{
    (void)order;
    *force_over_r = sw_pair_force(leg, centre, end, ELEMENT_ARGUMENTS, energy);
    return REAL(1.0);
}

DEVICE body_triplet triplet_of(const body_leg *first, const body_leg *second, int centre, int one, int other,
                               ELEMENT_PARAMETERS, real weight)
{
    (void)weight;
    return sw_evaluate(first, second, sw_angle_of(centre, one, other, ELEMENT_ARGUMENTS));
}
