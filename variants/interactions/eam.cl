/*
 * eam — embedded atoms by a table of one element or several, in LAMMPS's form setfl
 *
 * An interaction of workload `eam`; it has no pair function. variants/eam.cl says what it has in its place.
 *
 * @workload eam
 * @elements setfl
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 20 fewer than two evaluations of splines and the sum of three slopes take
 * @source M. S. Daw and M. I. Baskes, Phys. Rev. B 29 (1984) 6443
 */
DEVICE real eam_density_of(real r, real inverse_r, int of, int at, EAM_PARAMETERS, real *slope)
{
    const real value = eam_spline(density_knots + (of * element_count + at) * r_knots, r_knots, r * knots_per_r, slope);
    *slope *= knots_per_r;
    return value;
}

/* Of r times the energy, z: its slope is (z' - z / r) / r. */
DEVICE real eam_pair_of(real r, real inverse_r, int one, int other, EAM_PARAMETERS, real *slope)
{
    real z_slope;
    const real z =
        eam_spline(pair_knots + (one * element_count + other) * r_knots, r_knots, r * knots_per_r, &z_slope);
    *slope = (z_slope * knots_per_r - z * inverse_r) * inverse_r;
    return z * inverse_r;
}

/* Beyond the last knot it goes on along its slope. */
DEVICE real eam_embedding_of(real rho, int type, EAM_PARAMETERS, real *slope)
{
    const real along = rho * knots_per_rho;
    const real beyond = along - (real)(rho_knots - 1);
    const real value = eam_spline(embedding_knots + type * rho_knots, rho_knots, along, slope);
    const real whole = beyond > REAL(0.0) ? FMA(*slope, beyond, value) : value;
    *slope *= knots_per_rho;
    return whole;
}
