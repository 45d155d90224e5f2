/*
 * verlet — velocity Verlet in two kernels around the forces, energy kept
 *
 * The first half gives each particle half a kick by the forces of the last step, moves it for a whole time step and
 * puts it back into the cell; the second gives it the other half by the new forces. Between the two stand the structure and
 * the kernels of a variant of `forces`. Both are limited by memory: 100 bytes per particle and step in float, twice that
 * in double, against those of the forces, which read each neighbour. Where energies are asked for, the second half also adds up
 * the kinetic energy: per work-group, and then by one work-group of a kernel of its own, so that nobody reads what
 * another is still writing. STAGE_VELOCITIES keeps a particle's velocity in registers from its load to its store; without, each use loads it,
 * and the compiler may leave loads out. PARAMETERS says how the numbers of the step come to the kernels: 0 as arguments, 1 as a struct by value,
 * 2 in constant memory.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic triclinic
 * @pass       verlet_first item per particle / PARTICLES_PER_ITEM
 * @forces     all_pairs_loop all_pairs_tile sorted_cells list_walk list_lanes list_columns clusters_8x8 eam_loop eam_list eam_blocks three_body_loop three_body_atomic three_body_lanes
 * @pass       verlet_second item per particle / PARTICLES_PER_ITEM
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @tunable    PARTICLES_PER_ITEM 1* 2 4
 * @tunable    STAGE_VELOCITIES 0 1*
 * @tunable    PARAMETERS 0* 1 2
 * @source     W. C. Swope et al., J. Chem. Phys. 76, 637 (1982)
 */
#if !STAGE_VELOCITIES
/* As kicked(), where the velocity lies. */
DEVICE void kick_in_place(int i, accum time, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force)
{
    velocity[i].x += time * velocity[i].w * force[i].x;
    velocity[i].y += time * velocity[i].w * force[i].y;
    velocity[i].z += time * velocity[i].w * force[i].z;
}
#endif

KERNEL void verlet_first(GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                         GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                         GLOBAL long64 *RESTRICT face_sums, GLOBAL const accum4 *RESTRICT force STEP_PARAMETERS)
{
    NAME_STEP_PARAMETERS
    EACH_PARTICLE(i, n) {
#if STAGE_VELOCITIES
        const accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
        move_from(i, whole_position(i, position, position_rest), v, dt, box, position, position_rest, velocity, crossing,
                  face_sums, face_scale);
#else
        kick_in_place(i, ACCUM(0.5) * dt, velocity, force);
        store_moved(i, drifted(whole_position(i, position, position_rest), velocity[i], dt), velocity[i], box, position,
                    position_rest, crossing, face_sums, face_scale);
#endif
        LOOK_HOW_FAR(i, position, box);
    }
}

KERNEL void verlet_second(GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
                          GLOBAL accum *RESTRICT kinetic_of_group STEP_PARAMETERS)
{
    NAME_STEP_PARAMETERS
    LOCAL accum scratch[GROUP_SIZE];
    accum kinetic = 0;
    EACH_PARTICLE(i, n) {
#if STAGE_VELOCITIES
        kinetic += kick_half(i, dt, velocity, force);
#else
        kick_in_place(i, ACCUM(0.5) * dt, velocity, force);
        kinetic += kinetic_energy(velocity[i]);
#endif
    }
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, items_launched(n), kinetic_of_group, totals);
}
