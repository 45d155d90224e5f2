/*
 * rigid_words — vectors in the type of sums, and rigid waters in closed form: SETTLE
 *
 * The harness puts this text before the variants of workload constraints and before integrators that use its words. The w of a
 * vector is one over the mass of a particle, where it is that of one.
 *
 * S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952.
 */

/* The root, one over it, and a b + c rounded once, in the type of the sums. Products that are added up say so here: what a compiler may
 * join or not, it joins in one kernel and not in another, whose results then differ in the last bit. */
#define SQRT_ACCUM(x) sqrt((accum)(x))
#define RSQRT_ACCUM(x) rsqrt((accum)(x))
#define FMA_ACCUM(a, b, c) fma((accum)(a), (accum)(b), (accum)(c))

DEVICE accum dot_accum(accum4 a, accum4 b)
{
    return FMA_ACCUM(a.x, b.x, FMA_ACCUM(a.y, b.y, a.z * b.z));
}

DEVICE accum4 cross_accum(accum4 a, accum4 b)
{
    return make_accum4(FMA_ACCUM(a.y, b.z, -(a.z * b.y)), FMA_ACCUM(a.z, b.x, -(a.x * b.z)), FMA_ACCUM(a.x, b.y, -(a.y * b.x)), 0);
}

DEVICE accum4 scale_accum(accum factor, accum4 a)
{
    return make_accum4(factor * a.x, factor * a.y, factor * a.z, 0);
}

DEVICE accum4 add_accum(accum4 a, accum4 b)
{
    return make_accum4(a.x + b.x, a.y + b.y, a.z + b.z, 0);
}

/* a moved by `times` b; w is that of a. */
DEVICE accum4 moved_accum(accum4 a, accum times, accum4 b)
{
    return make_accum4(FMA_ACCUM(times, b.x, a.x), FMA_ACCUM(times, b.y, a.y), FMA_ACCUM(times, b.z, a.z), a.w);
}

/* The nearest image of a vector: which image is found in `real`, where it lies in `accum`. */
DEVICE accum4 nearest_accum(accum4 r, box_args box)
{
#if PERIODIC
    const accum along_c = ROUND_NEAREST((real)r.z * box.inverse_edge.z);
    r.z -= along_c * (accum)box.edge.z;
#if TRICLINIC
    r.x -= along_c * (accum)box.tilt.y;
    r.y -= along_c * (accum)box.tilt.z;
#endif
    const accum along_b = ROUND_NEAREST((real)r.y * box.inverse_edge.y);
    r.y -= along_b * (accum)box.edge.y;
#if TRICLINIC
    r.x -= along_b * (accum)box.tilt.x;
#endif
    r.x -= (accum)ROUND_NEAREST((real)r.x * box.inverse_edge.x) * (accum)box.edge.x;
#endif
    return r;
}

/* From b to the nearest image of a. */
DEVICE accum4 constraint_vector(real4 a, real4 b, box_args box)
{
    return nearest_accum(make_accum4((accum)a.x - (accum)b.x, (accum)a.y - (accum)b.y, (accum)a.z - (accum)b.z, 0), box);
}

/* From b to the nearest image of a, of whole positions. */
DEVICE accum4 side_of(accum4 a, accum4 b, box_args box)
{
    return nearest_accum(make_accum4(a.x - b.x, a.y - b.y, a.z - b.z, 0), box);
}

/* A vector times a number; w stays one over the mass. A compiler that may join a product and a sum leaves these as they are. */
DEVICE accum4 times_accum(accum4 v, accum times)
{
    return make_accum4(FMA_ACCUM(times, v.x, 0), FMA_ACCUM(times, v.y, 0), FMA_ACCUM(times, v.z, 0), v.w);
}

/* An axis of length 1. */
DEVICE accum4 unit_accum(accum4 a)
{
    return scale_accum(RSQRT_ACCUM(dot_accum(a, a)), a);
}

/* A difference of squares may come out a little below zero. */
DEVICE accum root_of(accum x)
{
    return SQRT_ACCUM(x > 0 ? x : ACCUM(0.0));
}

/* A vector by its parts along three axes. */
DEVICE accum4 from_axes(accum along_x, accum along_y, accum along_z, accum4 x, accum4 y, accum4 z)
{
    return make_accum4(FMA_ACCUM(along_x, x.x, FMA_ACCUM(along_y, y.x, along_z * z.x)),
                       FMA_ACCUM(along_x, x.y, FMA_ACCUM(along_y, y.y, along_z * z.y)),
                       FMA_ACCUM(along_x, x.z, FMA_ACCUM(along_y, y.z, along_z * z.z)), 0);
}

/* The displacement from `begin`, seen from the tip before the step, to `end`, seen from the centre of mass behind it. */
DEVICE accum4 from_centre(accum4 centre, accum4 begin, accum4 end, accum w)
{
    return make_accum4(centre.x - begin.x + end.x, centre.y - begin.y + end.y, centre.z - begin.z + end.z, w);
}

/* The displacements of tip, left and right, w one over the mass, when the triangle has its lengths: shape.x from the tip to
 * either, shape.y from left to right. b and c: left and right before the step, seen from the tip. */
DEVICE void settle_displacements(accum4 b, accum4 c, accum4 shape, accum4 *tip, accum4 *left, accum4 *right)
{
    /* where the particles would come to, seen from the tip; where the tip would, seen from their centre of mass; and how far that comes */
    const accum light = tip->w / FMA_ACCUM(2, tip->w, left->w); /* the share of the mass that left has */
    const accum4 b_new = add_accum(b, moved_accum(*left, -1, *tip));
    const accum4 c_new = add_accum(c, moved_accum(*right, -1, *tip));
    const accum4 both_new = add_accum(b_new, c_new);
    const accum4 a_out = scale_accum(-light, both_new);
    const accum4 centre = moved_accum(*tip, light, both_new);

    /* axes: z off the plane before the step, y as nearly as can be towards the tip, which is at x = 0 therefore */
    const accum4 z = unit_accum(cross_accum(b, c));
    const accum4 x = unit_accum(cross_accum(a_out, z));
    const accum4 y = cross_accum(z, x);
    const accum b_x = dot_accum(b, x);
    const accum b_y = dot_accum(b, y);
    const accum c_x = dot_accum(c, x);
    const accum c_y = dot_accum(c, y);
    const accum a_y = dot_accum(a_out, y);
    const accum a_z = dot_accum(a_out, z);
    const accum b_z = a_z + dot_accum(b_new, z);
    const accum c_z = a_z + dot_accum(c_new, z);
    const accum gamma = FMA_ACCUM(b_x, a_y + dot_accum(b_new, y), c_x * (a_y + dot_accum(c_new, y))) -
                        FMA_ACCUM(dot_accum(b_new, x), b_y, dot_accum(c_new, x) * c_y);

    /* the rigid triangle: half its base, the heights of the tip and of the base over the centre */
    const accum half_base = ACCUM(0.5) * shape.y;
    const accum height = SQRT_ACCUM(FMA_ACCUM(shape.x, shape.x, -(half_base * half_base)));
    const accum up = 2 * light * height;
    const accum down = FMA_ACCUM(-2 * light, height, height);

    /* turned about x and y, by how far out of the plane the particles are */
    const accum sin_phi = a_z / up;
    const accum cos_phi = root_of(FMA_ACCUM(-sin_phi, sin_phi, 1));
    const accum sin_psi = (b_z - c_z) / (shape.y * cos_phi);
    const accum cos_psi = root_of(FMA_ACCUM(-sin_psi, sin_psi, 1));
    const accum tip_y = up * cos_phi;
    const accum left_x = -half_base * cos_psi;
    const accum tilt = half_base * sin_psi;
    const accum left_y = FMA_ACCUM(-down, cos_phi, -(tilt * sin_phi));
    const accum right_y = FMA_ACCUM(-down, cos_phi, tilt * sin_phi);

    /* turned about z: the constraints have no moment about it */
    const accum alpha = FMA_ACCUM(left_x, b_x - c_x, FMA_ACCUM(b_y, left_y, c_y * right_y));
    const accum beta = FMA_ACCUM(left_x, c_y - b_y, FMA_ACCUM(b_x, left_y, c_x * right_y));
    const accum both = FMA_ACCUM(alpha, alpha, beta * beta);
    const accum sin_theta = FMA_ACCUM(alpha, gamma, -(beta * root_of(FMA_ACCUM(-gamma, gamma, both)))) / both;
    const accum cos_theta = root_of(FMA_ACCUM(-sin_theta, sin_theta, 1));

    /* back from the axes, seen from the centre of mass, which moves on, and from where each particle was */
    const accum4 a_end = from_axes(-tip_y * sin_theta, tip_y * cos_theta, a_z, x, y, z);
    const accum4 b_end = from_axes(FMA_ACCUM(left_x, cos_theta, -(left_y * sin_theta)),
                                   FMA_ACCUM(left_x, sin_theta, left_y * cos_theta), b_z, x, y, z);
    const accum4 c_end = from_axes(FMA_ACCUM(-left_x, cos_theta, -(right_y * sin_theta)),
                                   FMA_ACCUM(-left_x, sin_theta, right_y * cos_theta), c_z, x, y, z);
    *tip = moved_accum(centre, 1, a_end);
    *left = from_centre(centre, b, b_end, left->w);
    *right = from_centre(centre, c, c_end, right->w);
}

/* The same of velocities: three multipliers, of left to tip, right to tip and right to left. */
DEVICE void settle_velocities(accum4 b, accum4 c, accum4 *tip, accum4 *left, accum4 *right)
{
    const accum4 a = moved_accum(c, -1, b);
    const accum w = left->w;
    const accum bb = (tip->w + w) * dot_accum(b, b);
    const accum cc = (tip->w + w) * dot_accum(c, c);
    const accum aa = 2 * w * dot_accum(a, a);
    const accum bc = tip->w * dot_accum(b, c);
    const accum ba = -w * dot_accum(b, a);
    const accum ca = w * dot_accum(c, a);
    const accum want_b = -dot_accum(b, moved_accum(*left, -1, *tip));
    const accum want_c = -dot_accum(c, moved_accum(*right, -1, *tip));
    const accum want_a = -dot_accum(a, moved_accum(*right, -1, *left));
    const accum minor_b = FMA_ACCUM(cc, aa, -(ca * ca));
    const accum minor_c = FMA_ACCUM(bb, aa, -(ba * ba));
    const accum minor_a = FMA_ACCUM(bb, cc, -(bc * bc));
    const accum mixed_bc = FMA_ACCUM(ba, ca, -(bc * aa));
    const accum mixed_ba = FMA_ACCUM(bc, ca, -(ba * cc));
    const accum mixed_ca = FMA_ACCUM(bc, ba, -(bb * ca));
    const accum scale = 1 / FMA_ACCUM(bb, minor_b, FMA_ACCUM(bc, mixed_bc, ba * mixed_ba));
    const accum g_b = scale * FMA_ACCUM(minor_b, want_b, FMA_ACCUM(mixed_bc, want_c, mixed_ba * want_a));
    const accum g_c = scale * FMA_ACCUM(mixed_bc, want_b, FMA_ACCUM(minor_c, want_c, mixed_ca * want_a));
    const accum g_a = scale * FMA_ACCUM(mixed_ba, want_b, FMA_ACCUM(mixed_ca, want_c, minor_a * want_a));
    *tip = moved_accum(moved_accum(*tip, -g_b * tip->w, b), -g_c * tip->w, c);
    *left = moved_accum(moved_accum(*left, g_b * w, b), -g_a * w, a);
    *right = moved_accum(moved_accum(*right, g_c * w, c), g_a * w, a);
}
