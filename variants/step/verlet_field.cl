/*
 * verlet_field — velocity Verlet in an external field: a force per charge, one per mass, harmonic walls
 *
 * As verlet, and each half of the kick is by the forces between particles and by what acts on each by itself. The field is worked out
 * where it is needed, from the position at hand: no kernel and no memory more.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic triclinic
 * @pass       verlet_first item per particle
 * @forces     all_pairs_loop sorted_cells list_columns
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
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const accum *RESTRICT field)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 from = whole_position(i, position, position_rest);
        const accum4 before = velocity[i];
        const accum4 v = kicked(before, with_field(force[i], from, before.w, field), ACCUM(0.5) * dt);
        move_from(i, from, v, dt, box, position, position_rest, velocity, crossing, face_sums, face_scale);
        LOOK_HOW_FAR(i, position, box);
    }
}

KERNEL void verlet_second(int n, accum dt, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
                          GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
                          GLOBAL const accum *RESTRICT field, GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    accum kinetic = 0;
    if (i < n) {
        const accum4 at = whole_position(i, position, position_rest);
        const accum4 before = velocity[i];
        const accum4 v = kicked(before, with_field(force[i], at, before.w, field), ACCUM(0.5) * dt);
        velocity[i] = v;
        kinetic = kinetic_energy(v);
    }
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
}
