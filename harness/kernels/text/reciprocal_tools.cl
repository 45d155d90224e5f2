/*
 * reciprocal_tools — adds the reciprocal part of an Ewald sum to the forces and sums of a step:
 * what a variant of workload pme has computed, less what it has of excluded pairs
 *
 * Compiled with the case, behind step_tools.cl and excluded_slope.cl. excluded_start[i] to excluded_start[i + 1] are the
 * places in `excluded` of the partners of the particle at place i. RECIPROCAL_IN_FLOAT: its kernels are those of float.
 */
#if RECIPROCAL_IN_FLOAT
typedef real reciprocal_sum;
typedef real4 reciprocal_force;
#else
typedef accum reciprocal_sum;
typedef accum4 reciprocal_force;
#endif

DEVICE real4 excluded_displacement(real4 own, real4 other, box_args box)
{
    const real4 d = displacement(own, other, box);
#if TRICLINIC
    const image_vectors cell = { box.edge.x, box.tilt.x, box.edge.y, box.tilt.y, box.tilt.z, box.edge.z };
    return nearest_of_all(d, cell);
#else
    return d;
#endif
}

KERNEL void step_add_reciprocal(int n, real alpha, real coulomb, box_args box,
                                GLOBAL const real4 *RESTRICT position,
                                GLOBAL const int *RESTRICT excluded_start,
                                GLOBAL const int *RESTRICT excluded,
                                GLOBAL const reciprocal_force *RESTRICT reciprocal,
                                GLOBAL const int *RESTRICT expired, GLOBAL accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n && *expired == 0) {
        const real4 own = position[i];
        const real scale = coulomb * alpha * alpha * alpha * own.w;
        const reciprocal_force more = reciprocal[i];
        accum4 sum = force[i];
        sum.x += more.x;
        sum.y += more.y;
        sum.z += more.z;
        for (int k = excluded_start[i]; k < excluded_start[i + 1]; k++) {
            const real4 other = position[excluded[k]];
            const real4 d = excluded_displacement(own, other, box);
            real value;
            const real over_r = scale * other.w * excluded_slope(alpha * alpha * d.w, &value);
            sum.x -= over_r * d.x;
            sum.y -= over_r * d.y;
            sum.z -= over_r * d.z;
        }
        force[i] = sum;
    }
}

/* Energy and virial (xx xy xz yy yz zz) of excluded pairs, seven sums per work-group. */
KERNEL void step_sum_excluded(int n, real alpha, real coulomb, box_args box,
                              GLOBAL const real4 *RESTRICT position,
                              GLOBAL const int *RESTRICT excluded_start,
                              GLOBAL const int *RESTRICT excluded, GLOBAL step_real *RESTRICT sums)
{
    LOCAL step_real scratch[GROUP_SIZE];
    step_real sum[7] = { 0, 0, 0, 0, 0, 0, 0 };
    for (int i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        const real4 own = position[i];
        for (int k = excluded_start[i]; k < excluded_start[i + 1]; k++) {
            const real4 other = position[excluded[k]];
            const real4 d = excluded_displacement(own, other, box);
            const real half_of_pair = REAL(-0.5) * coulomb * alpha * own.w * other.w;
            real value;
            const real over_r =
                half_of_pair * alpha * alpha * excluded_slope(alpha * alpha * d.w, &value);
            sum[0] += half_of_pair * value;
            sum[1] += over_r * d.x * d.x;
            sum[2] += over_r * d.x * d.y;
            sum[3] += over_r * d.x * d.z;
            sum[4] += over_r * d.y * d.y;
            sum[5] += over_r * d.y * d.z;
            sum[6] += over_r * d.z * d.z;
        }
    }
    for (int k = 0; k < 7; k++) {
        const step_real of_group = step_sum_of_group(scratch, sum[k]);
        if (LOCAL_ID == 0) {
            sums[7 * GROUP_ID + k] = of_group;
        }
    }
}

/* Adds the sums of `reciprocal`, `count` of them, those of `groups` work-groups over excluded pairs,
 * and constants: an energy, and what stands on the diagonal of the virial. */
KERNEL void step_add_reciprocal_sums(int count, int groups, int energy_at, accum energy,
                                     accum virial, GLOBAL const reciprocal_sum *RESTRICT reciprocal,
                                     GLOBAL const step_real *RESTRICT excluded,
                                     GLOBAL accum *RESTRICT sums)
{
    const int k = GLOBAL_ID;
    if (k < count) {
        const int on_diagonal = k == 1 || k == 4 || k == 6;
        step_real sum = (step_real)reciprocal[k] + (k == 0 ? energy : on_diagonal ? virial : 0);
        for (int g = 0; g < groups; g++) {
            sum += excluded[7 * g + k];
        }
        sums[k == 0 ? energy_at : k] += (accum)sum;
    }
}
