/*
 * bonded — terms between listed particles: harmonic bonds and angles, periodic and Ryckaert-Bellemans torsions
 *
 * The interaction of workload `bonded` alone; it has no pair function. What it has are words for its kernels: all terms
 * stand in one row, bonds first, then angles, torsions, Ryckaert-Bellemans torsions, and evaluate_term() computes one.
 *
 *   bond      k/2 (r - r0)^2                     bond_parameters[t]         k, r0
 *   angle     k/2 (theta - theta0)^2             angle_parameters[t]        k, theta0 in radians
 *   torsion   k (1 + cos(n phi - phi0))          torsion_parameters[t]      k, n, cos phi0, sin phi0
 *   RB        sum of c_m cos(phi - pi)^m         rb_torsion_parameters      c0 c1, c2 c3, c4 c5 from [3 t] on
 *
 * No angle is found where its cosine and sine will do: cos(n phi) and sin(n phi) are powers of cos phi + i sin phi. theta
 * is the arc tangent of a sine and a cosine, which is good at 0 and 180 degrees, too, where an arc cosine is not. Where the
 * coordinate of a term has no derivative, there is an energy and no force: particles of a bond in one place; an angle of
 * exactly 0 or 180 degrees; a torsion three of whose particles in a row are on one line, which counts as phi = 0.
 *
 * @source forces of torsions: A. Blondel and M. Karplus, J. Comput. Chem. 17 (1996) 1132
 */

/* What a kernel's parameters say of the terms, in this order, to be handed on. */
#define TERM_ARGUMENTS                                                                                        \
    box, position, term_atoms, bond_count, angle_count, torsion_count, bond_parameters, angle_parameters,     \
        torsion_parameters, rb_torsion_parameters
#define TERM_PARAMETERS                                                                                       \
    box_args box, GLOBAL const real4 *RESTRICT position, GLOBAL const int4 *RESTRICT term_atoms,              \
        int bond_count, int angle_count, int torsion_count, GLOBAL const real2 *RESTRICT bond_parameters,     \
        GLOBAL const real2 *RESTRICT angle_parameters, GLOBAL const real4 *RESTRICT torsion_parameters,       \
        GLOBAL const real2 *RESTRICT rb_torsion_parameters

/* One term: its particles (-1 behind those that there are), the force on each (x, y, z), its energy, and the virial's xx
 * xy xz yy yz zz where they are asked for. */
typedef struct {
    int4 atoms;
    int count; /* of its particles */
    real4 on_x, on_y, on_z, on_w; /* the force on particle atoms.x, .y, .z, .w */
    real energy;
#if WITH_VIRIAL
    real xx, xy, xz, yy, yz, zz;
#endif
} bonded_term;

DEVICE real dot3(real4 a, real4 b)
{
    return FMA(a.x, b.x, FMA(a.y, b.y, a.z * b.z));
}

/* a b - c d, after Kahan: what c d loses by rounding is put back. Without that a compiler that fuses one of the products
 * into the difference makes of equal products the rounding of one, and of two vectors on one line an area. */
DEVICE real difference_of_products(real a, real b, real c, real d)
{
    const real product = c * d;
    const real lost = FMA(-c, d, product);
    return FMA(a, b, -product) + lost;
}

DEVICE real4 cross3(real4 a, real4 b)
{
    return make_real4(difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
                      difference_of_products(a.x, b.y, a.y, b.x), 0);
}

DEVICE real4 scale3(real factor, real4 a)
{
    return make_real4(factor * a.x, factor * a.y, factor * a.z, 0);
}

DEVICE real4 sum3(real4 a, real4 b)
{
    return make_real4(a.x + b.x, a.y + b.y, a.z + b.z, 0);
}

/* Adds what a force adds to the virial, at a place relative to some particle of the term. */
DEVICE void add_term_virial(bonded_term *term, real4 place, real4 force)
{
#if WITH_VIRIAL
    term->xx += place.x * force.x;
    term->xy += place.x * force.y;
    term->xz += place.x * force.z;
    term->yy += place.y * force.y;
    term->yz += place.y * force.z;
    term->zz += place.z * force.z;
#endif
}

/* A file may say the energy: then the harness defines SLOPE_OF_BOND and the like, the derivative of what was written by
 * the term's coordinate. */
#ifdef SLOPE_OF_BOND
#define BOND_OF(t) (t), bond_parameters
#define BOND_PARAMETER int t, GLOBAL const real2 *RESTRICT bond_parameters
#else
#define BOND_OF(t) bond_parameters[t]
#define BOND_PARAMETER real2 parameters
#endif
#ifdef SLOPE_OF_ANGLE
#define ANGLE_OF(t) (t), angle_parameters
#define ANGLE_PARAMETER int t, GLOBAL const real2 *RESTRICT angle_parameters
#else
#define ANGLE_OF(t) angle_parameters[t]
#define ANGLE_PARAMETER real2 parameters
#endif

DEVICE void evaluate_bond(real4 first, real4 second, box_args box, BOND_PARAMETER, bonded_term *term)
{
    const real4 d = displacement(second, first, box);
    const real r = SQRT(d.w);
#ifdef SLOPE_OF_BOND
    const real slope = SLOPE_OF_BOND(t, r, &term->energy);
    const real pull = d.w > 0 ? -slope / r : REAL(0.0);
#else
    const real apart = r - parameters.y;
    const real pull = d.w > 0 ? -parameters.x * apart / r : REAL(0.0);
    term->energy = REAL(0.5) * parameters.x * apart * apart;
#endif
    term->on_y = scale3(pull, d);
    term->on_x = scale3(-pull, d);
    add_term_virial(term, d, term->on_y);
}

DEVICE void evaluate_angle(real4 first, real4 middle, real4 last, box_args box, ANGLE_PARAMETER, bonded_term *term)
{
    const real4 u = displacement(first, middle, box);
    const real4 w = displacement(last, middle, box);
    const real4 normal = cross3(u, w);
    const real area2 = dot3(normal, normal);
    const real area = SQRT(area2);
    const real along = dot3(u, w);
    const real theta = area2 > 0 || along != 0 ? ATAN2(area, along) : REAL(0.0);
    /* Minus the slope, over the sine: dtheta/du is u x normal / (u^2 area). */
#ifdef SLOPE_OF_ANGLE
    const real slope = SLOPE_OF_ANGLE(t, theta, &term->energy);
    const real turn = area2 > 0 ? -slope / area : REAL(0.0);
#else
    const real apart = theta - parameters.y;
    const real turn = area2 > 0 ? -parameters.x * apart / area : REAL(0.0);
    term->energy = REAL(0.5) * parameters.x * apart * apart;
#endif
    term->on_x = area2 > 0 ? scale3(turn / u.w, cross3(u, normal)) : scale3(0, u);
    term->on_z = area2 > 0 ? scale3(turn / w.w, cross3(normal, w)) : scale3(0, w);
    term->on_y = scale3(REAL(-1.0), sum3(term->on_x, term->on_z));
    add_term_virial(term, u, term->on_x);
    add_term_virial(term, w, term->on_z);
}

/* Of cos phi and sin phi: the energy, and what dE/dphi is. */
DEVICE real periodic_slope(real cosine, real sine, real4 parameters, real *energy)
{
    real c = cosine;
    real s = sine;
    for (int k = 1; k < (int)parameters.y; k++) {
        const real next = c * cosine - s * sine;
        s = c * sine + s * cosine;
        c = next;
    }
    *energy = parameters.x * (REAL(1.0) + (c * parameters.z + s * parameters.w));
    return -parameters.x * parameters.y * (s * parameters.z - c * parameters.w);
}

DEVICE real ryckaert_slope(real cosine, real sine, real2 c01, real2 c23, real2 c45, real *energy)
{
    const real x = -cosine; /* cos(phi - pi) */
    real value = c45.y;
    real slope = c45.y;
    value = FMA(value, x, c45.x);
    slope = FMA(slope, x, value);
    value = FMA(value, x, c23.y);
    slope = FMA(slope, x, value);
    value = FMA(value, x, c23.x);
    slope = FMA(slope, x, value);
    value = FMA(value, x, c01.y);
    slope = FMA(slope, x, value);
    *energy = FMA(value, x, c01.x);
    return slope * sine;
}

/* The forces of a torsion whose bond vectors are b1, b2, b3 and their products m, n, of minus dE/dphi. */
DEVICE void push_torsion(real4 b1, real4 b2, real4 b3, real4 m, real4 n, real m2, real n2, real push,
                         bonded_term *term)
{
    const real inverse_axis2 = REAL(1.0) / b2.w;
    const real axis = SQRT(b2.w);
    const real before = dot3(b1, b2) * inverse_axis2;
    const real behind = dot3(b3, b2) * inverse_axis2;
    const real4 first = scale3(-push * axis / m2, m);
    const real4 last = scale3(push * axis / n2, n);
    term->on_x = first;
    term->on_w = last;
    term->on_y = sum3(scale3(-(REAL(1.0) + before), first), scale3(behind, last));
    term->on_z = sum3(scale3(before, first), scale3(-(REAL(1.0) + behind), last));
    add_term_virial(term, scale3(REAL(-1.0), b1), first);
    add_term_virial(term, b2, term->on_z);
    add_term_virial(term, sum3(b2, b3), last);
}

#ifdef SLOPE_OF_TORSION
#define SLOPE_OF_LISTED_TORSION(t, cosine, sine, energy) SLOPE_OF_TORSION((t), ATAN2((sine), (cosine)), (energy))
#else
#define SLOPE_OF_LISTED_TORSION(t, cosine, sine, energy) \
    periodic_slope((cosine), (sine), torsion_parameters[t], (energy))
#endif

/* Torsion t of the kind, of the Ryckaert-Bellemans kind where `is_rb`. */
DEVICE void evaluate_torsion(real4 p1, real4 p2, real4 p3, real4 p4, box_args box, int is_rb, int t,
                             GLOBAL const real4 *RESTRICT torsion_parameters,
                             GLOBAL const real2 *RESTRICT rb_torsion_parameters, bonded_term *term)
{
    const real4 b1 = displacement(p2, p1, box);
    const real4 b2 = displacement(p3, p2, box);
    const real4 b3 = displacement(p4, p3, box);
    const real4 m = cross3(b1, b2);
    const real4 n = cross3(b2, b3);
    const real m2 = dot3(m, m);
    const real n2 = dot3(n, n);
    const int is_defined = m2 > 0 && n2 > 0;
    const real inverse = is_defined ? RSQRT(m2) * RSQRT(n2) : REAL(0.0);
    const real cosine = is_defined ? dot3(m, n) * inverse : REAL(1.0);
    const real sine = SQRT(b2.w) * dot3(b1, n) * inverse;
    const real slope = is_rb ? ryckaert_slope(cosine, sine, rb_torsion_parameters[3 * t],
                                              rb_torsion_parameters[3 * t + 1],
                                              rb_torsion_parameters[3 * t + 2], &term->energy)
                             : SLOPE_OF_LISTED_TORSION(t, cosine, sine, &term->energy);
    if (is_defined) {
        push_torsion(b1, b2, b3, m, n, m2, n2, -slope, term);
    }
}

/* The file of the terms may say energy and forces by kernel text: then the harness defines TEXT_OF_BOND and the like, a
 * function of the places relative to the first particle's, and of nearest images. */
#ifdef TEXT_OF_BOND
DEVICE void evaluate_bond_text(int t, int terms, GLOBAL const real2 *RESTRICT numbers, real4 p1, real4 p2, box_args box,
                               bonded_term *term)
{
    const real4 d2 = scale3(REAL(1.0), displacement(p2, p1, box));
    term->energy = TEXT_OF_BOND(t, terms, (GLOBAL const real *)numbers, d2, &term->on_x, &term->on_y);
    add_term_virial(term, d2, term->on_y);
}
#endif
#ifdef TEXT_OF_ANGLE
DEVICE void evaluate_angle_text(int t, int terms, GLOBAL const real2 *RESTRICT numbers, real4 p1, real4 p2, real4 p3,
                                box_args box, bonded_term *term)
{
    const real4 d2 = scale3(REAL(1.0), displacement(p2, p1, box));
    const real4 d3 = sum3(d2, displacement(p3, p2, box));
    term->energy =
        TEXT_OF_ANGLE(t, terms, (GLOBAL const real *)numbers, d2, d3, &term->on_x, &term->on_y, &term->on_z);
    add_term_virial(term, d2, term->on_y);
    add_term_virial(term, d3, term->on_z);
}
#endif
#ifdef TEXT_OF_TORSION
DEVICE void evaluate_torsion_text(int t, int terms, GLOBAL const real4 *RESTRICT numbers, real4 p1, real4 p2, real4 p3,
                                  real4 p4, box_args box, bonded_term *term)
{
    const real4 d2 = scale3(REAL(1.0), displacement(p2, p1, box));
    const real4 d3 = sum3(d2, displacement(p3, p2, box));
    const real4 d4 = sum3(d3, displacement(p4, p3, box));
    term->energy = TEXT_OF_TORSION(t, terms, (GLOBAL const real *)numbers, d2, d3, d4, &term->on_x, &term->on_y,
                                   &term->on_z, &term->on_w);
    add_term_virial(term, d2, term->on_y);
    add_term_virial(term, d3, term->on_z);
    add_term_virial(term, d4, term->on_w);
}
#endif

/* Term t of the row of all. */
DEVICE void evaluate_term(int t, TERM_PARAMETERS, bonded_term *term)
{
    const real4 nothing = make_real4(0, 0, 0, 0);
    const int4 atoms = term_atoms[t];
    const real4 first = position[atoms.x];
    const real4 second = position[atoms.y];
    term->atoms = atoms;
    term->on_x = nothing;
    term->on_y = nothing;
    term->on_z = nothing;
    term->on_w = nothing;
#if WITH_VIRIAL
    term->xx = 0;
    term->xy = 0;
    term->xz = 0;
    term->yy = 0;
    term->yz = 0;
    term->zz = 0;
#endif
    if (t < bond_count) {
        term->count = 2;
#ifdef TEXT_OF_BOND
        evaluate_bond_text(t, bond_count, bond_parameters, first, second, box, term);
#else
        evaluate_bond(first, second, box, BOND_OF(t), term);
#endif
        return;
    }
    t -= bond_count;
    if (t < angle_count) {
        term->count = 3;
#ifdef TEXT_OF_ANGLE
        evaluate_angle_text(t, angle_count, angle_parameters, first, second, position[atoms.z], box, term);
#else
        evaluate_angle(first, second, position[atoms.z], box, ANGLE_OF(t), term);
#endif
        return;
    }
    t -= angle_count;
    term->count = 4;
#ifdef TEXT_OF_TORSION
    if (t < torsion_count) {
        evaluate_torsion_text(t, torsion_count, torsion_parameters, first, second, position[atoms.z],
                              position[atoms.w], box, term);
        return;
    }
#endif
    evaluate_torsion(first, second, position[atoms.z], position[atoms.w], box, t >= torsion_count,
                     t < torsion_count ? t : t - torsion_count, torsion_parameters, rb_torsion_parameters, term);
}

/* Adds a term's energy and virial, or a part of them, to a work-item's sums. */
DEVICE void add_term_to_sums(pair_sums *sums, const bonded_term *term, real part)
{
#if WITH_ENERGY
    sums->value[0] += TO_SUM(part * term->energy);
#endif
#if WITH_VIRIAL
    sums->value[1] += TO_SUM(part * term->xx);
    sums->value[2] += TO_SUM(part * term->xy);
    sums->value[3] += TO_SUM(part * term->xz);
    sums->value[4] += TO_SUM(part * term->yy);
    sums->value[5] += TO_SUM(part * term->yz);
    sums->value[6] += TO_SUM(part * term->zz);
#endif
#if ACCUM_IS_FIXED && WITH_ENERGY
    sums->size += FABS(part * term->energy);
#if WITH_VIRIAL
    sums->size += FABS(part) * (FABS(term->xx) + FABS(term->xy) + FABS(term->xz) + FABS(term->yy) + FABS(term->yz) +
                                FABS(term->zz));
#endif
#endif
}
