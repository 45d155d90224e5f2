/*
 * langevin — BAOAB: velocity Verlet whose drift is cut in two by friction and noise
 *
 * Half a kick, half a drift, velocities that keep exp(-friction dt) of what they were and get the rest of the temperature at random, half
 * a drift; behind the forces the other half of the kick. The noise of a particle follows from its number in the box, the step
 * and the seed, whoever computes it: no state, and the same trajectory whatever the order of the particles.
 *
 * @workload   step
 * @integrator langevin:friction=1,temperature=1
 * @boxes      open periodic triclinic
 * @pass       langevin_first item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
 * @pass       langevin_second item per particle
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     B. Leimkuhler, C. Matthews, Appl. Math. Res. Express 2013, 34
 */
KERNEL void langevin_first(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                           GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                           GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                           GLOBAL const accum4 *RESTRICT force,
                           GLOBAL const int *RESTRICT index, long64 step, long64 noise_seed, accum noise_keep,
                           accum noise_size)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum half_step = ACCUM(0.5) * dt;
        accum4 v = kicked(velocity[i], force[i], half_step);
        const accum4 x = drifted(whole_position(i, position, position_rest), v, half_step);
        /* friction and noise */
        v = with_noise(v, random_gaussian4((uint)index[i], step, STEP_NOISE_USE, noise_seed), noise_keep, noise_size);
        move_from(i, x, v, half_step, box, position, position_rest, velocity, crossing, face_sums, face_scale);
        LOOK_HOW_FAR(i, position, box);
    }
}

KERNEL void langevin_second(int n, accum dt, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
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
