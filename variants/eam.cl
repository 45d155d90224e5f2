/*
 * eam_words — embedded atoms: what every variant of workload `eam` says the same way
 *
 * The harness puts this text before the interaction, which has three functions of that name, each with its slope:
 *
 *   eam_density_of(r, inverse_r, of, at, ...)    what a particle of a type adds to the density at one of a type, at distance r
 *   eam_pair_of(r, inverse_r, one, other, ...)   the energy of a pair
 *   eam_embedding_of(rho, type, ...)             the energy of a particle in a density
 *
 * Tables are splines, a real4 per knot: value, slope per interval, and what p^2 and p^3 are multiplied by, p being the place
 * in the interval, 0 to 1. embedding_knots has rho_knots of them for each type, density_knots r_knots for each two types (of,
 * at), and pair_knots (of r times the energy) r_knots for each two types.
 */
#define EAM_PARAMETERS                                                                                         \
    int element_count, GLOBAL const int *RESTRICT elements, int rho_knots, int r_knots, real knots_per_rho,    \
        real knots_per_r, GLOBAL const real4 *RESTRICT embedding_knots,                                        \
        GLOBAL const real4 *RESTRICT density_knots, GLOBAL const real4 *RESTRICT pair_knots
#define EAM_ARGUMENTS                                                                                          \
    element_count, elements, rho_knots, r_knots, knots_per_rho, knots_per_r, embedding_knots, density_knots, pair_knots

#if WITH_ELEMENTS
#define ELEMENT_OF(i) (elements[i])
#else
#define ELEMENT_OF(i) (0)
#endif

/* At so many intervals from the first knot; the slope is per interval. Beyond the last knot: its value. */
DEVICE real eam_spline(GLOBAL const real4 *RESTRICT knots, int count, real along, real *slope)
{
    int k = (int)MIN_REAL(along, (real)(count - 2));
    k = k > 0 ? k : 0;
    const real p = MIN_REAL(along - (real)k, REAL(1.0));
    const real4 c = knots[k];
    *slope = FMA(FMA(REAL(3.0) * c.w, p, REAL(2.0) * c.z), p, c.y);
    return FMA(FMA(FMA(c.w, p, c.z), p, c.y), p, c.x);
}

DEVICE real eam_density_of(real r, real inverse_r, int of, int at, EAM_PARAMETERS, real *slope);
DEVICE real eam_pair_of(real r, real inverse_r, int one, int other, EAM_PARAMETERS, real *slope);
DEVICE real eam_embedding_of(real rho, int type, EAM_PARAMETERS, real *slope);

/* By the square of the distance: roots that a function does not use cost nothing. */
DEVICE real eam_density_at(real r2, int of, int at, EAM_PARAMETERS, real *slope)
{
    return eam_density_of(SQRT(r2), RSQRT(r2), of, at, EAM_ARGUMENTS, slope);
}

/* Force over distance of a pair, on the first, from the slopes of both embedding energies; and the energy of the pair alone. */
DEVICE real eam_force_over_r(real r2, int one, int other, real slope_of_one, real slope_of_other, EAM_PARAMETERS,
                             real *energy)
{
    const real inverse_r = RSQRT(r2);
    real by_pair;
    real by_one;
    *energy = eam_pair_of(SQRT(r2), inverse_r, one, other, EAM_ARGUMENTS, &by_pair);
    (void)eam_density_at(r2, one, other, EAM_ARGUMENTS, &by_one);
    real by_other = by_one;
    if (one != other) {
        (void)eam_density_at(r2, other, one, EAM_ARGUMENTS, &by_other);
    }
    return -(by_pair + slope_of_one * by_other + slope_of_other * by_one) * inverse_r;
}
