/*
 * water_words — rigid waters along time steps, a molecule per work-item: what integrators of such say alike
 *
 * The harness puts this text, behind step.cl, before the kernels of integrators that name an of_molecule. Molecules are those of the box, and
 * the sides are the rules' (settle:oh=1,hh=1.63). A particle by itself moves as in verlet.
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

DEVICE of_molecule scale_molecule(of_molecule v, accum factor)
{
    v.tip = scaled(v.tip, factor);
    v.left = scaled(v.left, factor);
    v.right = scaled(v.right, factor);
    return v;
}

/* Moves the particles for a time by their velocities, so that sides keep their lengths; velocities become those of that way. */
DEVICE void drift_molecule(int4 atoms, accum time, box_args box, GLOBAL const accum *RESTRICT water_sides, of_molecule *x, of_molecule *v)
{
    of_molecule way;
    way.tip = times_accum(v->tip, time);
    if (is_rigid(atoms)) {
        way.left = times_accum(v->left, time);
        way.right = times_accum(v->right, time);
        settle_displacements(side_of(x->left, x->tip, box), side_of(x->right, x->tip, box),
                             make_accum4(water_sides[0], water_sides[1], 0, 0), &way.tip, &way.left, &way.right);
        const accum per_time = 1 / time;
        v->tip = times_accum(way.tip, per_time);
        v->left = times_accum(way.left, per_time);
        v->right = times_accum(way.right, per_time);
        x->left = moved_accum(x->left, 1, way.left);
        x->right = moved_accum(x->right, 1, way.right);
    }
    x->tip = moved_accum(x->tip, 1, way.tip);
}

/* Stores where the particles have come to, and with which velocities. */
DEVICE void store_molecule(int4 atoms, of_molecule x, of_molecule v, box_args box, GLOBAL real4 *RESTRICT position,
                           GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                           GLOBAL long64 *RESTRICT face_sums, accum face_scale)
{
    if (is_rigid(atoms)) {
        velocity[atoms.y] = v.left;
        velocity[atoms.z] = v.right;
        store_moved(atoms.y, x.left, v.left, box, position, position_rest, crossing, face_sums, face_scale);
        store_moved(atoms.z, x.right, v.right, box, position, position_rest, crossing, face_sums, face_scale);
    }
    velocity[atoms.x] = v.tip;
    store_moved(atoms.x, x.tip, v.tip, box, position, position_rest, crossing, face_sums, face_scale);
}

DEVICE accum kinetic_of_molecule(int4 atoms, of_molecule v)
{
    accum kinetic = 0;
    if (is_rigid(atoms)) {
        kinetic += kinetic_energy(v.left) + kinetic_energy(v.right);
    }
    return kinetic + kinetic_energy(v.tip);
}

/* Stores velocities; returns the kinetic energy. */
DEVICE accum store_velocities(int4 atoms, of_molecule v, GLOBAL accum4 *RESTRICT velocity)
{
    if (is_rigid(atoms)) {
        velocity[atoms.y] = v.left;
        velocity[atoms.z] = v.right;
    }
    velocity[atoms.x] = v.tip;
    return kinetic_of_molecule(atoms, v);
}

/* Takes from the velocities what would change the sides. */
DEVICE void settle_molecule(int4 atoms, of_molecule x, box_args box, of_molecule *v)
{
    if (is_rigid(atoms)) {
        settle_velocities(side_of(x.left, x.tip, box), side_of(x.right, x.tip, box), &v->tip, &v->left, &v->right);
    }
}

/* The second half of the kick, and what it changes of the sides; returns the kinetic energy behind it. */
DEVICE accum finish_molecule(int4 atoms, accum dt, box_args box, GLOBAL const real4 *RESTRICT position,
                             GLOBAL const real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                             GLOBAL const accum4 *RESTRICT force)
{
    of_molecule v = load_vectors(atoms, velocity);
    kick_molecule(&v, load_vectors(atoms, force), dt);
    settle_molecule(atoms, load_positions(atoms, position, position_rest), box, &v);
    return store_velocities(atoms, v, velocity);
}
