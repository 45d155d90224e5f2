/*
 * screen_words — three bytes a particle tell of most pairs that they are too far apart
 *
 * The harness puts this text before the variants that speak of screens. A particle's place is where it lies in units of
 * which 256 are one period, a byte each of x, y and z; an edge is one period or several. Bytes wrap as periodic images do: the
 * difference of two places, taken as whole numbers, is that of the nearest images, with no test and no rounding,
 * and its square is one instruction on devices that multiply bytes (DOT4). Most partners are far away and need no more
 * than that, in any precision; those that may be within the cutoff are computed as usual, and those a period away,
 * which look near, with them.
 *
 * Near to this: Fast Neighbor List, J. Supercomputing (2019), doi 10.1007/s11227-019-02860-3, compares three coordinates in
 * one whole number by bits, on processors; T.-S. Lee, MINT32, chemRxiv (2026), lets coordinates of 32 bits wrap as the box does.
 *
 * Nothing within the cutoff is missed. Cutting off to whole units changes each component of a difference by less than
 * one unit; a borrow of the subtraction, by another; the unused fourth byte adds one to the square. So the square of a
 * pair at a distance of d units is less than (d + 2 sqrt(3))^2 + 1. What the rounding of real numbers adds is less than the
 * 0.13 units between 2 sqrt(3) and the 3.6 that screen_limit counts.
 *
 * Of a triclinic cell the places are those of straightened positions (variants/box.cl), whose images are whole edges
 * apart, too. Straightening is linear: a displacement d becomes S d, with
 *
 *     S = ( 1  -p  p s - q )     p = tilt.x / edge.y, q = tilt.y / edge.z, s = tilt.z / edge.z
 *         ( 0   1    -s    )
 *         ( 0   0     1    )
 *
 * and in units D S d, where the diagonal D holds the scales. No d becomes longer than |d| by the greatest stretch of D S,
 * its 2-norm, and scale.w is that or more: what was said holds with "a distance of d units" for scale.w |d|. Of an orthorhombic
 * cell the norm is the greatest scale. Straightening takes six more roundings of numbers no longer than the cell: less
 * than 0.03 units where a period is an edge, as long as no edge is under a thousandth of the cell's extent, or where
 * screen_make_scale() cuts the edges into periods.
 */

/* One component of a place: taken to within half a period of zero before it is cut off, so that it is exact however far out
 * x lies. */
DEVICE int screen_byte(real x, real units)
{
    const real periods = RINT(x * units * REAL(0.00390625));
    return (int)(FMA(x, units, REAL(-256.0) * periods) + REAL(512.0)) & 255;
}

/* `scale`: units a length, the most of all directions in w. */
DEVICE int screen_place(real4 position, real4 scale)
{
    return screen_byte(position.x, scale.x) | (screen_byte(position.y, scale.y) << 8) |
           (screen_byte(position.z, scale.z) << 16);
}

/* More than the square of any pair within the cutoff. */
DEVICE int screen_limit(real4 scale, real cutoff2)
{
#if WITH_CUTOFF
    const real most = MIN_REAL(SQRT(cutoff2) * scale.w, REAL(256.0)) + REAL(3.6);
    return (int)(most * most) + 2;
#else
    return 1 << 17; /* more than any square: all pairs are to be computed */
#endif
}

/* ---- screens of one period an edge, for all pairs; in an open box a unit is an eighth of the cutoff ---- */

DEVICE real4 screen_scale_of_edge(real4 inverse_edge, real cutoff2)
{
#if PERIODIC
    const real x = inverse_edge.x * REAL(256.0);
    const real y = inverse_edge.y * REAL(256.0);
    const real z = inverse_edge.z * REAL(256.0);
    return make_real4(x, y, z, MAX_REAL(x, MAX_REAL(y, z)));
#else
    const real unit = REAL(8.0) * RSQRT(cutoff2);
    return make_real4(unit, unit, unit, unit);
#endif
}

/* Of a particle inside the cell: what screen_place gives, for less. */
DEVICE int screen_place_in_edge(real4 position, real4 scale)
{
#if PERIODIC
    return ((int)(position.x * scale.x) & 255) | (((int)(position.y * scale.y) & 255) << 8) |
           (((int)(position.z * scale.z) & 255) << 16);
#else
    return screen_place(position, scale);
#endif
}

/* The scale of any cell; of a triclinic one w is a bound of the greatest stretch, the root of the greatest sum of a row
 * of D S by the greatest of a column, both of magnitudes. */
DEVICE real4 screen_scale_of_box(box_args box, real cutoff2)
{
#if TRICLINIC
    const real x = box.inverse_edge.x * REAL(256.0);
    const real y = box.inverse_edge.y * REAL(256.0);
    const real z = box.inverse_edge.z * REAL(256.0);
    const real y_of_z = y * FABS(box.tilt.z * box.inverse_edge.z);
    const real x_of_y = x * FABS(box.tilt.x * box.inverse_edge.y);
    const real x_of_z = x * FABS((box.tilt.x * box.tilt.z * box.inverse_edge.y - box.tilt.y) * box.inverse_edge.z);
    const real row = MAX_REAL(x + x_of_y + x_of_z, MAX_REAL(y + y_of_z, z));
    const real column = MAX_REAL(x, MAX_REAL(x_of_y + y, x_of_z + y_of_z + z));
    return make_real4(x, y, z, SQRT(row * column));
#else
    return screen_scale_of_edge(box.inverse_edge, cutoff2);
#endif
}

/* Of a particle inside the cell. */
DEVICE int screen_place_in_box(real4 position, box_args box, real4 scale)
{
    return screen_place_in_edge(straighten(position, box), scale);
}

/* ---- screening ---- */

/* The next bit, at the low end: whether two places are closer than the limit allows to leave them out. */
#define SCREEN_BIT(word, own, other, limit) \
    (((word) << 1) | ((uint)DOT4((own) - (other), (own) - (other), -(limit)) >> 31))

/* Of 32 places, which may be within the cutoff of `own`: the first is the highest bit. `count` of them are
 * particles. */
DEVICE uint screen_32(int own, LOCAL_ARG const int *places, int limit, int count)
{
    uint close = 0;
    for (int t = 0; t < 32; t++) {
        close = SCREEN_BIT(close, own, places[t], limit);
    }
    return count >= 32 ? close : count <= 0 ? 0 : close & (0xffffffffu << (32 - count));
}
