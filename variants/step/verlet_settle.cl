/*
 * verlet_settle — velocity Verlet of rigid waters, one molecule per work-item: SETTLE of positions and of velocities
 *
 * The first half gives the three particles half a kick and moves them, then turns and shifts the triangle that came of it into the
 * rigid one; what that took from the way it takes from the velocity, too. Behind the forces comes the other half of the kick, and
 * what would change the sides is taken from the velocities. No iteration: both are solved in closed form. Where another step
 * follows at once, the second half of a step and the first half of the next are one kernel, as in verlet_fused. A particle by
 * itself moves as in verlet. Molecules are those of the box, and the sides are the rules' (settle:oh=1,hh=1.63).
 *
 * @workload   step
 * @integrator settle
 * @boxes      open periodic triclinic
 * @pass       settle_first item per molecule
 * @forces     all_pairs_loop sorted_cells list_lanes list_columns list_clusters list_blocks blocks_32 clusters_8x8 boxes_tile
 * @pass       settle_between item per molecule between steps
 * @pass       settle_second item per molecule
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum molecule / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952; H. C. Andersen, J. Comput. Phys. 52 (1983) 24
 */

KERNEL void settle_first(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        of_molecule x = load_positions(atoms, position, position_rest);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, load_vectors(atoms, force), dt);
        drift_molecule(atoms, dt, box, water_sides, &x, &v);
        store_molecule(atoms, x, v, box, position, position_rest, velocity, crossing, face_sums, face_scale);
        LOOK_HOW_FAR(atoms.x, position, box);
        LOOK_HOW_FAR(atoms.y, position, box);
        LOOK_HOW_FAR(atoms.z, position, box);
    }
}

/* The second half of a step and the first of the next, by the same forces. */
KERNEL void settle_between(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                           GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                           GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                           GLOBAL const accum4 *RESTRICT force,
                           GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        of_molecule x = load_positions(atoms, position, position_rest);
        const of_molecule f = load_vectors(atoms, force);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, f, dt);
        settle_molecule(atoms, x, box, &v);
        kick_molecule(&v, f, dt);
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
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int molecule_count, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, molecule_count, kinetic_of_group, totals);
}
