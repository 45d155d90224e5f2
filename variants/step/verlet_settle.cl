/*
 * verlet_settle — velocity Verlet of rigid waters, one molecule per work-item: SETTLE of positions and of velocities
 *
 * The first half gives the three particles half a kick and moves them, then turns and shifts the triangle that came of it into the
 * rigid one; what that took from the way it takes from the velocity, too. Behind the forces comes the other half of the kick, and
 * what would change the sides is taken from the velocities. No iteration: both are solved in closed form. A particle by itself
 * moves as in verlet. Molecules are those of the box, and the sides are the rules' (settle:oh=1,hh=1.63).
 *
 * @workload   step
 * @integrator settle
 * @boxes      open periodic triclinic
 * @pass       settle_first item per molecule
 * @forces     all_pairs_loop sorted_cells list_lanes list_columns list_clusters list_blocks blocks_32 clusters_8x8
 * @pass       settle_second item per molecule
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum molecule / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952; H. C. Andersen, J. Comput. Phys. 52 (1983) 24
 */

/* From b to the nearest image of a, of whole positions. */
DEVICE accum4 side_of(accum4 a, accum4 b, box_args box)
{
    return nearest_accum(make_accum4(a.x - b.x, a.y - b.y, a.z - b.z, 0), box);
}

/* A displacement, one over the mass behind it. */
DEVICE accum4 way_of(accum4 v, accum dt)
{
    return make_accum4(dt * v.x, dt * v.y, dt * v.z, v.w);
}

DEVICE accum4 velocity_of(accum4 way, accum dt)
{
    return make_accum4(way.x / dt, way.y / dt, way.z / dt, way.w);
}

KERNEL void settle_first(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = water_atoms[m];
        const accum4 x = whole_position(atoms.x, position, position_rest);
        accum4 tip = way_of(kicked(velocity[atoms.x], force[atoms.x], ACCUM(0.5) * dt), dt);
        if (atoms.y >= 0) {
            const accum4 x_left = whole_position(atoms.y, position, position_rest);
            const accum4 x_right = whole_position(atoms.z, position, position_rest);
            accum4 left = way_of(kicked(velocity[atoms.y], force[atoms.y], ACCUM(0.5) * dt), dt);
            accum4 right = way_of(kicked(velocity[atoms.z], force[atoms.z], ACCUM(0.5) * dt), dt);
            settle_displacements(side_of(x_left, x, box), side_of(x_right, x, box),
                                 make_accum4(water_sides[0], water_sides[1], 0, 0), &tip, &left, &right);
            velocity[atoms.y] = velocity_of(left, dt);
            velocity[atoms.z] = velocity_of(right, dt);
            store_moved(atoms.y, moved_accum(x_left, 1, left), velocity[atoms.y], box, position, position_rest, crossing,
                        face_sums, face_scale);
            store_moved(atoms.z, moved_accum(x_right, 1, right), velocity[atoms.z], box, position, position_rest, crossing,
                        face_sums, face_scale);
        }
        velocity[atoms.x] = velocity_of(tip, dt);
        store_moved(atoms.x, moved_accum(x, 1, tip), velocity[atoms.x], box, position, position_rest, crossing, face_sums,
                    face_scale);
    }
}

KERNEL void settle_second(int molecule_count, accum dt, box_args box, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                          GLOBAL const accum4 *RESTRICT force, GLOBAL const int4 *RESTRICT water_atoms,
                          GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    accum kinetic = 0;
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = water_atoms[m];
        accum4 tip = kicked(velocity[atoms.x], force[atoms.x], ACCUM(0.5) * dt);
        if (atoms.y >= 0) {
            const accum4 x = whole_position(atoms.x, position, position_rest);
            accum4 left = kicked(velocity[atoms.y], force[atoms.y], ACCUM(0.5) * dt);
            accum4 right = kicked(velocity[atoms.z], force[atoms.z], ACCUM(0.5) * dt);
            settle_velocities(side_of(whole_position(atoms.y, position, position_rest), x, box),
                              side_of(whole_position(atoms.z, position, position_rest), x, box), &tip, &left, &right);
            velocity[atoms.y] = left;
            velocity[atoms.z] = right;
            kinetic += kinetic_energy(left) + kinetic_energy(right);
        }
        velocity[atoms.x] = tip;
        kinetic += kinetic_energy(tip);
    }
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int molecule_count, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, molecule_count, kinetic_of_group, totals);
}
