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

/* Of each particle of a molecule. One by itself is all three of them, so that all loads can begin at once. */
typedef struct {
    accum4 tip, left, right;
} of_molecule;

DEVICE int4 all_atoms(int4 atoms)
{
    return atoms.y >= 0 ? atoms : make_int4(atoms.x, atoms.x, atoms.x, 0);
}

DEVICE int is_rigid(int4 atoms)
{
    return atoms.y != atoms.x;
}

DEVICE of_molecule load_vectors(int4 atoms, GLOBAL const accum4 *RESTRICT vectors)
{
    of_molecule loaded;
    loaded.tip = vectors[atoms.x];
    loaded.left = vectors[atoms.y];
    loaded.right = vectors[atoms.z];
    return loaded;
}

DEVICE of_molecule load_positions(int4 atoms, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest)
{
    of_molecule loaded;
    loaded.tip = whole_position(atoms.x, position, position_rest);
    loaded.left = whole_position(atoms.y, position, position_rest);
    loaded.right = whole_position(atoms.z, position, position_rest);
    return loaded;
}

/* Kicks velocities for half a step. */
DEVICE void kick_molecule(of_molecule *v, of_molecule f, accum dt)
{
    v->tip = kicked(v->tip, f.tip, ACCUM(0.5) * dt);
    v->left = kicked(v->left, f.left, ACCUM(0.5) * dt);
    v->right = kicked(v->right, f.right, ACCUM(0.5) * dt);
}

/* Moves the particles of a molecule by their velocities, so that its sides keep their lengths, and stores both. */
DEVICE void move_molecule(int4 atoms, of_molecule x, of_molecule v, accum dt, box_args box, GLOBAL const accum *RESTRICT water_sides,
                          GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                          GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale)
{
    of_molecule way;
    way.tip = times_accum(v.tip, dt);
    if (is_rigid(atoms)) {
        way.left = times_accum(v.left, dt);
        way.right = times_accum(v.right, dt);
        settle_displacements(side_of(x.left, x.tip, box), side_of(x.right, x.tip, box),
                             make_accum4(water_sides[0], water_sides[1], 0, 0), &way.tip, &way.left, &way.right);
        const accum per_dt = 1 / dt;
        v.tip = times_accum(way.tip, per_dt);
        v.left = times_accum(way.left, per_dt);
        v.right = times_accum(way.right, per_dt);
        velocity[atoms.y] = v.left;
        velocity[atoms.z] = v.right;
        store_moved(atoms.y, moved_accum(x.left, 1, way.left), v.left, box, position, position_rest, crossing, face_sums,
                    face_scale);
        store_moved(atoms.z, moved_accum(x.right, 1, way.right), v.right, box, position, position_rest, crossing, face_sums,
                    face_scale);
    }
    velocity[atoms.x] = v.tip;
    store_moved(atoms.x, moved_accum(x.tip, 1, way.tip), v.tip, box, position, position_rest, crossing, face_sums, face_scale);
}

/* Takes from the velocities what would change the sides. */
DEVICE void settle_molecule(int4 atoms, of_molecule x, box_args box, of_molecule *v)
{
    if (is_rigid(atoms)) {
        settle_velocities(side_of(x.left, x.tip, box), side_of(x.right, x.tip, box), &v->tip, &v->left, &v->right);
    }
}

KERNEL void settle_first(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, load_vectors(atoms, force), dt);
        move_molecule(atoms, load_positions(atoms, position, position_rest), v, dt, box, water_sides, position, position_rest,
                      velocity, crossing, face_sums, face_scale);
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
        const of_molecule x = load_positions(atoms, position, position_rest);
        const of_molecule f = load_vectors(atoms, force);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, f, dt);
        settle_molecule(atoms, x, box, &v);
        kick_molecule(&v, f, dt);
        move_molecule(atoms, x, v, dt, box, water_sides, position, position_rest, velocity, crossing, face_sums, face_scale);
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
    accum kinetic = 0;
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        const of_molecule x = load_positions(atoms, position, position_rest);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, load_vectors(atoms, force), dt);
        settle_molecule(atoms, x, box, &v);
        if (is_rigid(atoms)) {
            velocity[atoms.y] = v.left;
            velocity[atoms.z] = v.right;
            kinetic += kinetic_energy(v.left) + kinetic_energy(v.right);
        }
        velocity[atoms.x] = v.tip;
        kinetic += kinetic_energy(v.tip);
    }
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int molecule_count, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, molecule_count, kinetic_of_group, totals);
}
