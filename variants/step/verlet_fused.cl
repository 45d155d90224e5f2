/*
 * verlet_fused — velocity Verlet in one kernel per step besides the forces, energy kept
 *
 * As verlet; but where another step follows at once, the second half of a step and the first half of the next are one
 * kernel: both kicks, one behind the other, so that the results are the same to the last bit, and velocities and
 * forces are read once. What is between two runs of steps, and the step of which energies are asked, has the halves apart.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic triclinic
 * @pass       verlet_first item per particle
 * @forces     all_pairs_loop sorted_cells list_walk list_lanes list_columns list_blocks clusters_8x8
 * @pass       verlet_between item per particle between steps
 * @pass       verlet_second item per particle
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     W. C. Swope et al., J. Chem. Phys. 76, 637 (1982)
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

/* The second half of a step and the first of the next, by the same forces. */
KERNEL void verlet_between(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 f = force[i];
        const accum4 v = kicked(kicked(velocity[i], f, ACCUM(0.5) * dt), f, ACCUM(0.5) * dt);
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
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
}
