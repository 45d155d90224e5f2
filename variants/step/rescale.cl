/*
 * rescale — velocity Verlet, and velocities scaled to a temperature now and then
 *
 * Every tenth step the kinetic energy is added up behind the second half, one work-group works out the factor, and a kernel
 * scales. The factor is worked out once and read by all, from memory that nobody else writes meanwhile.
 *
 * @workload   step
 * @integrator verlet
 * @thermostat rescale:temperature=1,interval=10
 * @boxes      open periodic triclinic
 * @pass       verlet_first item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
 * @pass       verlet_second item per particle
 * @pass       find_factor group per box every 10 steps
 * @pass       scale item per particle every 10 steps
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @scratch    factor accum box
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     L. V. Woodcock, Chem. Phys. Lett. 10, 257 (1971)
 */
KERNEL void verlet_first(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
        move_from(i, whole_position(i, position, position_rest), v, dt, box, position, position_rest, velocity, crossing,
                  face_sums, face_scale);
        LOOK_HOW_FAR(i, position, box);
    }
}

KERNEL void verlet_second(int n, accum dt, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
                          GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    const accum kinetic = i < n ? kick_half(i, dt, velocity, force) : ACCUM(0.0);
    store_group_sum(scratch, kinetic, kinetic_of_group);
}

KERNEL void find_factor(int n, accum temperature, accum freedom, GLOBAL const accum *RESTRICT kinetic_of_group,
                        GLOBAL accum *RESTRICT factor, GLOBAL accum *RESTRICT bath)
{
    LOCAL accum scratch[GROUP_SIZE];
    const accum kinetic = sum_of_groups(scratch, n, kinetic_of_group);
    if (LOCAL_ID == 0) {
        const accum scale = kinetic > 0 ? SQRT_ACCUM(ACCUM(0.5) * freedom * temperature / kinetic) : ACCUM(1.0);
        factor[0] = scale;
        bath[BATH_HEAT] += (scale * scale - ACCUM(1.0)) * kinetic;
    }
}

KERNEL void scale(int n, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum *RESTRICT factor,
                  GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    store_group_sum(scratch, i < n ? scale_velocity(i, factor[0], velocity) : ACCUM(0.0), kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL const accum *RESTRICT bath,
                        GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
    if (LOCAL_ID == 0) {
        totals[1] = -bath[BATH_HEAT];
    }
}
