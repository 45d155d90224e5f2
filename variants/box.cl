/*
 * box — the periodic cell as kernels are given it, and the ways to an image of a particle
 *
 * The harness puts this text before the words of pairs and of cells. Compile-time definitions: PERIODIC, TRICLINIC.
 */

/* 1 in a periodic box whose cell is not orthorhombic; kernels that say @boxes triclinic are built so. */
#ifndef TRICLINIC
#define TRICLINIC 0
#endif

/* What a parameter `box_args box` holds: the edges and their reciprocals, zeros in an open box. A triclinic cell has the
 * vectors (edge.x, 0, 0), (tilt.x, edge.y, 0) and (tilt.y, tilt.z, edge.z). */
typedef struct {
    real4 edge, inverse_edge;
#if TRICLINIC
    real4 tilt;
#endif
} box_args;

/* ---- periodic images ---- */

/* Adding and subtracting 1.5 * 2^(mantissa bits) rounds to the nearest whole number in two additions at full
 * rate; RINT is a quarter-rate instruction on NVIDIA's chips. Right for |x| < 2^22 (float), 2^51 (double). */
#if REAL_IS_DOUBLE
#define ROUND_NEAREST(x) (((x) + REAL(6755399441055744.0)) - REAL(6755399441055744.0))
#else
#define ROUND_NEAREST(x) (((x) + REAL(12582912.0)) - REAL(12582912.0))
#endif

#if !TRICLINIC
/* The nearest image of one component of a difference. */
DEVICE real nearest_image(real difference, real edge, real inverse_edge)
{
#if PERIODIC
    return FMA(-edge, ROUND_NEAREST(difference * inverse_edge), difference);
#else
    return difference;
#endif
}

/* The squared distance to the nearest image, for two particles inside the cell: |difference| <= edge. In float the
 * nearest image is either the difference itself or the edge less it, whatever the sign: three instructions a
 * component at full rate. Doubles have no instruction for the lesser of two, so rounding is cheaper there. */
DEVICE real nearest_distance2(real dx, real dy, real dz, real4 edge, real4 inverse_edge)
{
#if PERIODIC && REAL_IS_DOUBLE
    dx = nearest_image(dx, edge.x, inverse_edge.x);
    dy = nearest_image(dy, edge.y, inverse_edge.y);
    dz = nearest_image(dz, edge.z, inverse_edge.z);
#elif PERIODIC
    dx = MIN_REAL(FABS(dx), edge.x - FABS(dx));
    dy = MIN_REAL(FABS(dy), edge.y - FABS(dy));
    dz = MIN_REAL(FABS(dz), edge.z - FABS(dz));
#endif
    return FMA(dx, dx, FMA(dy, dy, dz * dz));
}

/* The difference a - b to the nearest image, and its square in w. */
DEVICE real4 nearest_difference(real4 a, real4 b, real4 edge, real4 inverse_edge)
{
    const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);
    const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);
    const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);
    return make_real4(dx, dy, dz, FMA(dx, dx, FMA(dy, dy, dz * dz)));
}
#endif

/* The displacement a - b to the nearest image, and its square in w: the one way to an image in a cell of any kind. In a
 * triclinic cell an image within the cutoff, which is at most half the cell's least height, has no component beyond half
 * an edge: so z tells which image along the third vector, then y along the second, then x along the first. Others come
 * out farther away than the cutoff. */
DEVICE real4 displacement(real4 a, real4 b, box_args box)
{
#if TRICLINIC
    real dx = a.x - b.x;
    real dy = a.y - b.y;
    real dz = a.z - b.z;
    const real along_c = ROUND_NEAREST(dz * box.inverse_edge.z);
    dx = FMA(-box.tilt.y, along_c, dx);
    dy = FMA(-box.tilt.z, along_c, dy);
    dz = FMA(-box.edge.z, along_c, dz);
    const real along_b = ROUND_NEAREST(dy * box.inverse_edge.y);
    dx = FMA(-box.tilt.x, along_b, dx);
    dy = FMA(-box.edge.y, along_b, dy);
    dx = FMA(-box.edge.x, ROUND_NEAREST(dx * box.inverse_edge.x), dx);
    return make_real4(dx, dy, dz, FMA(dx, dx, FMA(dy, dy, dz * dz)));
#else
    return nearest_difference(a, b, box.edge, box.inverse_edge);
#endif
}

/* The square of displacement() alone, for two particles inside the cell: for less in an orthorhombic one. */
DEVICE real distance2(real4 a, real4 b, box_args box)
{
#if TRICLINIC
    return displacement(a, b, box).w;
#else
    return nearest_distance2(a.x - b.x, a.y - b.y, a.z - b.z, box.edge, box.inverse_edge);
#endif
}

/* ---- along the vectors of the cell ---- */

/* Where a point lies along the three vectors, each in units of that vector's edge: of an orthorhombic cell, the point
 * itself. So straightened, a triclinic cell is a cuboid of its edges, and images are whole edges apart. */
DEVICE real4 straighten(real4 point, box_args box)
{
#if TRICLINIC
    const real along_c = point.z * box.inverse_edge.z;
    const real y = FMA(-box.tilt.z, along_c, point.y);
    const real along_b = y * box.inverse_edge.y;
    return make_real4(FMA(-box.tilt.x, along_b, FMA(-box.tilt.y, along_c, point.x)), y, point.z, 0);
#else
    return point;
#endif
}

/* What to add to positions that are seen x, y and z images away along the three vectors. */
DEVICE real4 box_shift(int x, int y, int z, box_args box)
{
#if TRICLINIC
    return make_real4(x * box.edge.x + y * box.tilt.x + z * box.tilt.y, y * box.edge.y + z * box.tilt.z,
                      z * box.edge.z, 0);
#else
    return make_real4(x * box.edge.x, y * box.edge.y, z * box.edge.z, 0);
#endif
}

/* The squared distance of two particles to whichever image is nearest. displacement() finds an image within the cutoff; in a cell that leans
 * there may be a nearer one than it finds of those beyond. */
DEVICE real nearest2(real4 a, real4 b, box_args box)
{
    const real4 d = displacement(a, b, box);
    real least = d.w;
#if TRICLINIC
    for (int image = 0; image < 9; image++) {
        const real4 shift = box_shift(0, image % 3 - 1, image / 3 - 1, box);
        const real dy = d.y + shift.y;
        const real dz = d.z + shift.z;
        real dx = d.x + shift.x;
        dx = FMA(-box.edge.x, ROUND_NEAREST(dx * box.inverse_edge.x), dx);
        least = MIN_REAL(least, FMA(dx, dx, FMA(dy, dy, dz * dz)));
    }
#endif
    return least;
}
