/*
 * berendsen — velocity Verlet, and velocities scaled towards a temperature in every step
 *
 * Behind each second half the kinetic energy is added up, one work-group works out the factor, and a kernel scales. With
 * FACTOR_BY_ALL it leaves the kinetic energy, and every work-item that scales works out the factor by itself. The temperature relaxes with the time constant; its fluctuations are not those of the canonical ensemble.
 *
 * @workload   step
 * @integrator verlet
 * @thermostat berendsen:temperature=1,time=0.5
 * @boxes      open periodic triclinic
 * @pass       verlet_first item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
 * @pass       verlet_second item per particle
 * @pass       find_factor group per box
 * @pass       scale item per particle
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @scratch    factor accum box
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @tunable    FACTOR_BY_ALL 0* 1
 * @source     H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984)
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

DEVICE accum factor_for(accum kinetic, accum dt, accum temperature, accum thermostat_time, accum freedom)
{
    const accum wanted = kinetic > 0 ? ACCUM(0.5) * freedom * temperature / kinetic : ACCUM(1.0);
    const accum square = ACCUM(1.0) + dt / thermostat_time * (wanted - ACCUM(1.0));
    return square > 0 ? SQRT_ACCUM(square) : ACCUM(0.0);
}

KERNEL void find_factor(int n, accum dt, accum temperature, accum thermostat_time, accum freedom,
                        GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT factor,
                        GLOBAL accum *RESTRICT bath)
{
    LOCAL accum scratch[GROUP_SIZE];
    const accum kinetic = sum_of_groups(scratch, n, kinetic_of_group);
    if (LOCAL_ID == 0) {
        const accum scale = factor_for(kinetic, dt, temperature, thermostat_time, freedom);
        factor[0] = FACTOR_BY_ALL ? kinetic : scale;
        bath[BATH_HEAT] += (scale * scale - ACCUM(1.0)) * kinetic;
    }
}

KERNEL void scale(int n, accum dt, accum temperature, accum thermostat_time, accum freedom,
                  GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum *RESTRICT factor,
                  GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    accum kinetic = 0;
    if (i < n) {
#if FACTOR_BY_ALL
        const accum by = factor_for(factor[0], dt, temperature, thermostat_time, freedom);
#else
        const accum by = factor[0];
#endif
        kinetic = scale_velocity(i, by, velocity);
    }
    store_group_sum(scratch, kinetic, kinetic_of_group);
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
