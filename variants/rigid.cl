/*
 * rigid_words — vectors in the type of sums, and rigid waters in closed form: SETTLE
 *
 * The harness puts this text before the variants of workload constraints and before integrators that use its words. The w of a
 * vector is one over the mass of a particle, where it is that of one.
 *
 * S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952.
 */

/* The root, in the type of the sums. */
#define SQRT_ACCUM(x) sqrt((accum)(x))

DEVICE accum dot_accum(accum4 a, accum4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

DEVICE accum4 cross_accum(accum4 a, accum4 b)
{
    return make_accum4(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0);
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
    return make_accum4(a.x + times * b.x, a.y + times * b.y, a.z + times * b.z, a.w);
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

/* An axis of length 1. */
DEVICE accum4 unit_accum(accum4 a)
{
    return scale_accum(ACCUM(1.0) / SQRT_ACCUM(dot_accum(a, a)), a);
}

/* A difference of squares may come out a little below zero. */
DEVICE accum root_of(accum x)
{
    return SQRT_ACCUM(x > 0 ? x : ACCUM(0.0));
}

/* The displacements of tip, left and right, w one over the mass, when the triangle has its lengths: shape.x from the tip to
 * either, shape.y from left to right. b and c: left and right before the step, seen from the tip. */
DEVICE void settle_displacements(accum4 b, accum4 c, accum4 shape, accum4 *tip, accum4 *left, accum4 *right)
{
    /* where the particles would come to, seen from their centre of mass */
    const accum light = tip->w / (left->w + 2 * tip->w); /* the share of the mass that left has */
    const accum4 b_new = add_accum(b, moved_accum(*left, -1, *tip));
    const accum4 c_new = add_accum(c, moved_accum(*right, -1, *tip));
    const accum4 a_out = scale_accum(-light, add_accum(b_new, c_new));
    const accum4 b_out = add_accum(a_out, b_new);
    const accum4 c_out = add_accum(a_out, c_new);

    /* axes: z off the plane before the step, y as nearly as can be towards the tip */
    const accum4 z = unit_accum(cross_accum(b, c));
    const accum4 x = unit_accum(cross_accum(a_out, z));
    const accum4 y = cross_accum(z, x);
    const accum b_x = dot_accum(b, x);
    const accum b_y = dot_accum(b, y);
    const accum c_x = dot_accum(c, x);
    const accum c_y = dot_accum(c, y);
    const accum a_z = dot_accum(a_out, z);
    const accum b_z = dot_accum(b_out, z);
    const accum c_z = dot_accum(c_out, z);

    /* the rigid triangle: half its base, the heights of the tip and of the base over the centre */
    const accum half_base = ACCUM(0.5) * shape.y;
    const accum height = SQRT_ACCUM(shape.x * shape.x - half_base * half_base);
    const accum up = 2 * light * height;
    const accum down = height - up;

    /* turned about x and y, by how far out of the plane the particles are */
    const accum sin_phi = a_z / up;
    const accum cos_phi = root_of(1 - sin_phi * sin_phi);
    const accum sin_psi = (b_z - c_z) / (shape.y * cos_phi);
    const accum cos_psi = root_of(1 - sin_psi * sin_psi);
    const accum tip_y = up * cos_phi;
    const accum left_x = -half_base * cos_psi;
    const accum left_y = -down * cos_phi - half_base * sin_psi * sin_phi;
    const accum right_y = -down * cos_phi + half_base * sin_psi * sin_phi;

    /* turned about z: the constraints have no moment about it */
    const accum alpha = left_x * (b_x - c_x) + b_y * left_y + c_y * right_y;
    const accum beta = left_x * (c_y - b_y) + b_x * left_y + c_x * right_y;
    const accum gamma = b_x * dot_accum(b_out, y) - dot_accum(b_out, x) * b_y + c_x * dot_accum(c_out, y) -
                        dot_accum(c_out, x) * c_y;
    const accum both = alpha * alpha + beta * beta;
    const accum sin_theta = (alpha * gamma - beta * root_of(both - gamma * gamma)) / both;
    const accum cos_theta = root_of(1 - sin_theta * sin_theta);

    /* back from the axes, seen from the centre of mass, and from where each particle was */
    const accum4 a_end = add_accum(add_accum(scale_accum(-tip_y * sin_theta, x), scale_accum(tip_y * cos_theta, y)),
                                   scale_accum(a_z, z));
    const accum4 b_end = add_accum(add_accum(scale_accum(left_x * cos_theta - left_y * sin_theta, x),
                                             scale_accum(left_x * sin_theta + left_y * cos_theta, y)),
                                   scale_accum(b_z, z));
    const accum4 c_end = add_accum(add_accum(scale_accum(-left_x * cos_theta - right_y * sin_theta, x),
                                             scale_accum(-left_x * sin_theta + right_y * cos_theta, y)),
                                   scale_accum(c_z, z));
    *tip = moved_accum(*tip, 1, moved_accum(a_end, -1, a_out));
    *left = moved_accum(*left, 1, moved_accum(b_end, -1, b_out));
    *right = moved_accum(*right, 1, moved_accum(c_end, -1, c_out));
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
    const accum minor_b = cc * aa - ca * ca;
    const accum minor_c = bb * aa - ba * ba;
    const accum minor_a = bb * cc - bc * bc;
    const accum mixed_bc = ba * ca - bc * aa;
    const accum mixed_ba = bc * ca - ba * cc;
    const accum mixed_ca = bc * ba - bb * ca;
    const accum scale = 1 / (bb * minor_b + bc * mixed_bc + ba * mixed_ba);
    const accum g_b = scale * (minor_b * want_b + mixed_bc * want_c + mixed_ba * want_a);
    const accum g_c = scale * (mixed_bc * want_b + minor_c * want_c + mixed_ca * want_a);
    const accum g_a = scale * (mixed_ba * want_b + mixed_ca * want_c + minor_a * want_a);
    *tip = moved_accum(moved_accum(*tip, -g_b * tip->w, b), -g_c * tip->w, c);
    *left = moved_accum(moved_accum(*left, g_b * w, b), -g_a * w, a);
    *right = moved_accum(moved_accum(*right, g_c * w, c), g_a * w, a);
}
