/*
 * settle_hoover — velocity Verlet of rigid waters within a chain of thermostats, one molecule per work-item
 *
 * As nose_hoover, of what verlet_settle moves: scaling leaves waters rigid, and each takes three degrees of freedom from the chain.
 *
 * @workload   step
 * @integrator settle
 * @thermostat nose-hoover:temperature=1,time=0.5
 * @boxes      open periodic triclinic
 * @pass       add_up item per molecule
 * @pass       move_chain group per box
 * @pass       settle_first item per molecule
 * @forces     all_pairs_loop sorted_cells list_columns list_clusters
 * @pass       settle_second item per molecule
 * @pass       move_chain group per box
 * @pass       scale item per molecule
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum molecule / GROUP_SIZE + 1
 * @scratch    factor accum box
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     as verlet_settle and nose_hoover
 */
KERNEL void add_up(int molecule_count, GLOBAL const accum4 *RESTRICT velocity, GLOBAL const int4 *RESTRICT water_atoms,
                   GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int m = GLOBAL_ID;
    accum kinetic = 0;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        kinetic = kinetic_of_molecule(atoms, load_vectors(atoms, velocity));
    }
    store_group_sum(scratch, kinetic, kinetic_of_group);
}

KERNEL void move_chain(int molecule_count, accum dt, accum temperature, accum thermostat_time, accum freedom, int links,
                       GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT factor,
                       GLOBAL accum *RESTRICT bath)
{
    LOCAL accum scratch[GROUP_SIZE];
    const accum kinetic = sum_of_groups(scratch, molecule_count, kinetic_of_group);
    if (LOCAL_ID == 0) {
        factor[0] = move_links(ACCUM(0.5) * dt, kinetic, temperature, thermostat_time, freedom, links, bath);
    }
}

KERNEL void settle_first(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force, GLOBAL const accum *RESTRICT factor,
                         GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        of_molecule x = load_positions(atoms, position, position_rest);
        of_molecule v = scale_molecule(load_vectors(atoms, velocity), factor[0]);
        kick_molecule(&v, load_vectors(atoms, force), dt);
        drift_molecule(atoms, dt, box, water_sides, &x, &v);
        store_molecule(atoms, x, v, box, position, position_rest, velocity, crossing, face_sums, face_scale);
        LOOK_HOW_FAR(atoms.x, position, box);
        LOOK_HOW_FAR(atoms.y, position, box);
        LOOK_HOW_FAR(atoms.z, position, box);
    }
}

KERNEL void settle_second(int molecule_count, accum dt, box_args box, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                          GLOBAL const accum4 *RESTRICT force, GLOBAL const int4 *RESTRICT water_atoms,
                          GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int m = GLOBAL_ID;
    accum kinetic = 0;
    if (m < molecule_count) {
        kinetic = finish_molecule(all_atoms(water_atoms[m]), dt, box, position, position_rest, velocity, force);
    }
    store_group_sum(scratch, kinetic, kinetic_of_group);
}

KERNEL void scale(int molecule_count, GLOBAL accum4 *RESTRICT velocity, GLOBAL const int4 *RESTRICT water_atoms,
                  GLOBAL const accum *RESTRICT factor, GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int m = GLOBAL_ID;
    accum kinetic = 0;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        kinetic = store_velocities(atoms, scale_molecule(load_vectors(atoms, velocity), factor[0]), velocity);
    }
    store_group_sum(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int molecule_count, accum temperature, accum thermostat_time, accum freedom, int links,
                        GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL const accum *RESTRICT bath,
                        GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, molecule_count, kinetic_of_group, totals);
    if (LOCAL_ID == 0) {
        totals[1] = energy_of_links(temperature, thermostat_time, freedom, links, bath);
    }
}
