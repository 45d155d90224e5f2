/*
 * leapfrog — velocities half a step behind the positions: one kernel per step besides the forces
 *
 * The whole kick and the drift follow each other, so that velocities and positions are read and written once per step. The state
 * holds the velocities of half a step before; where energies are asked for, half a kick more tells those of now, and the
 * state keeps its own.
 *
 * @workload   step
 * @integrator leapfrog
 * @boxes      open periodic triclinic
 * @pass       leap item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
 * @pass       kinetic_now item per particle when asked
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     R. W. Hockney, Methods Comput. Phys. 9, 136 (1970)
 */
KERNEL void leap(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                 GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums,
                 accum face_scale, GLOBAL const accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 v = kicked(velocity[i], force[i], dt);
        move_from(i, whole_position(i, position, position_rest), v, dt, box, position, position_rest, velocity, crossing,
                  face_sums, face_scale);
        LOOK_HOW_FAR(i, position, box);
    }
}

KERNEL void kinetic_now(int n, accum dt, GLOBAL const accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
                        GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    store_group_sum(scratch, i < n ? kinetic_energy(kicked(velocity[i], force[i], ACCUM(0.5) * dt)) : ACCUM(0.0),
                    kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
}
