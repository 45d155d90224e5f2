/*
 * nose_hoover — velocity Verlet within a chain of thermostats, whose extended energy is kept
 *
 * Half a step of the chain stands before the first half kick and half a step behind the last. For each, the kinetic energy
 * of now is added up, one work-item moves the chain and leaves the factor by which the next kernel scales all velocities.
 * Nobody reads the chain while it moves.
 *
 * @workload   step
 * @integrator verlet
 * @thermostat nose-hoover:temperature=1,time=0.5
 * @boxes      open periodic triclinic
 * @pass       add_up item per particle
 * @pass       move_chain group per box
 * @pass       verlet_first item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
 * @pass       verlet_second item per particle
 * @pass       move_chain group per box
 * @pass       scale item per particle
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @scratch    factor accum box
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     S. Nose, Mol. Phys. 52, 255 (1984); W. G. Hoover, Phys. Rev. A 31, 1695 (1985); chains and steps: G. J.
 *             Martyna et al., Mol. Phys. 87, 1117 (1996)
 */
KERNEL void add_up(int n, GLOBAL const accum4 *RESTRICT velocity, GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    store_group_sum(scratch, i < n ? kinetic_energy(velocity[i]) : ACCUM(0.0), kinetic_of_group);
}

KERNEL void move_chain(int n, accum dt, accum temperature, accum thermostat_time, accum freedom, int links,
                       GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT factor,
                       GLOBAL accum *RESTRICT bath)
{
    LOCAL accum scratch[GROUP_SIZE];
    const accum kinetic = sum_of_groups(scratch, n, kinetic_of_group);
    if (LOCAL_ID == 0) {
        factor[0] = move_links(ACCUM(0.5) * dt, kinetic, temperature, thermostat_time, freedom, links, bath);
    }
}

KERNEL void verlet_first(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const accum *RESTRICT factor)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 v = kicked(scaled(velocity[i], factor[0]), force[i], ACCUM(0.5) * dt);
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

KERNEL void scale(int n, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum *RESTRICT factor,
                  GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    store_group_sum(scratch, i < n ? scale_velocity(i, factor[0], velocity) : ACCUM(0.0), kinetic_of_group);
}

KERNEL void sum_kinetic(int n, accum temperature, accum thermostat_time, accum freedom, int links,
                        GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL const accum *RESTRICT bath,
                        GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
    if (LOCAL_ID == 0) {
        totals[1] = energy_of_links(temperature, thermostat_time, freedom, links, bath);
    }
}
