/*
 * held_words — small boxes that a work-group holds for all steps of a launch: what integrators of such say alike
 *
 * A work-group has a box to itself: positions lie in local memory, where all its work-items read them, places, velocities and forces in
 * registers, HELD / GROUP_SIZE particles in each work-item. The harness puts this text behind the kernels of the forces. Tunables that it looks
 * at: HELD, the most particles of a box; OF_MOLECULE, the particles of a molecule, of which a work-item then holds whole ones; WRAP and
 * COUNT_CROSSINGS, see step.cl.
 */
#ifndef OF_MOLECULE
#define OF_MOLECULE 1
#endif
#define HELD_PER_ITEM (OF_MOLECULE * ((HELD / OF_MOLECULE + GROUP_SIZE - 1) / GROUP_SIZE))
#define HELD_PLACES ((HELD + GROUP_SIZE - 1) / GROUP_SIZE * GROUP_SIZE)
#ifdef HAVE_HALF_PAIRS
#define HELD_SUMS (3 * HELD_PLACES)
#else
#define HELD_SUMS 1
#endif

/* The particles of a box that a work-item holds: number k of them is at `slot` of the box. */
#if OF_MOLECULE == 1
#define EACH_HELD(k, slot, count, held) for (int k = 0, slot = LOCAL_ID; k < HELD_PER_ITEM && slot < (count); k++, slot += GROUP_SIZE)
#else
#define EACH_HELD(k, slot, count, held) \
    for (int k = 0, slot; k < HELD_PER_ITEM && (slot = (held)->slot[k], 1); k++) \
        if (slot >= 0)
/* The rigid waters that a work-item holds: numbers t, t + 1 and t + 2 of its particles. */
#define EACH_WATER(t, held) \
    for (int t = 0; t < HELD_PER_ITEM; t += OF_MOLECULE) \
        if ((held)->slot[t + 1] >= 0)
#endif

typedef struct {
    accum4 x[HELD_PER_ITEM], v[HELD_PER_ITEM], f[HELD_PER_ITEM];
    int4 faces[HELD_PER_ITEM];
#if OF_MOLECULE > 1
    int slot[HELD_PER_ITEM]; /* in the box: tip, left and right of a rigid water; -1: none */
#endif
} held_particles;

#if OF_MOLECULE > 1
/* Which particles a work-item holds of molecules `begin` to `end`; a single one is a tip by itself. */
DEVICE void hold_molecules(int begin, int end, int first, GLOBAL const int4 *RESTRICT water_atoms, held_particles *held)
{
    for (int t = 0, m = begin + LOCAL_ID; t < HELD_PER_ITEM; t += OF_MOLECULE, m += GROUP_SIZE) {
        const int4 atoms = m < end ? water_atoms[m] : make_int4(-1, -1, -1, 0);
        held->slot[t] = atoms.x < 0 ? -1 : atoms.x - first;
        held->slot[t + 1] = atoms.y < 0 ? -1 : atoms.y - first;
        held->slot[t + 2] = atoms.z < 0 ? -1 : atoms.z - first;
    }
}
#endif

DEVICE void load_held(int first, int count, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
                      GLOBAL const accum4 *RESTRICT velocity, GLOBAL const int4 *RESTRICT crossing, GLOBAL const accum4 *RESTRICT force,
                      held_particles *held)
{
    EACH_HELD(k, slot, count, held) {
        held->x[k] = whole_position(first + slot, position, position_rest);
        held->v[k] = velocity[first + slot];
        held->f[k] = force[first + slot];
        held->faces[k] = crossing[first + slot];
    }
}

DEVICE void store_held(int first, int count, const held_particles *held, GLOBAL real4 *RESTRICT position,
                       GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                       GLOBAL accum4 *RESTRICT force)
{
    EACH_HELD(k, slot, count, held) {
        put_position(first + slot, held->x[k], position, position_rest);
        velocity[first + slot] = held->v[k];
        force[first + slot] = held->f[k];
#if COUNT_CROSSINGS
        crossing[first + slot] = held->faces[k];
#endif
    }
}

/* Moves a particle into the cell, and shows the others where it is. */
DEVICE void place_held(int k, int slot, box_args cell, LOCAL_ARG real4 *place, LOCAL_ARG accum *sum, held_particles *held)
{
    accum4 x = held->x[k];
    const int4 crossed = wrap_into_cell(&x, cell);
    held->x[k] = x;
    held->faces[k].x += crossed.x;
    held->faces[k].y += crossed.y;
    held->faces[k].z += crossed.z;
    place[slot] = make_real4((real)x.x, (real)x.y, (real)x.z, (real)x.w);
#ifdef HAVE_HALF_PAIRS
    sum[slot] = 0;
    sum[HELD_PLACES + slot] = 0;
    sum[2 * HELD_PLACES + slot] = 0;
#endif
}

/* The forces, once all are in their places: by half the pairs where the kernels of the forces can. `place` has HELD_PLACES places, `sum`
 * HELD_SUMS. */
DEVICE void find_held_forces(LOCAL_ARG const real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                             held_particles *held PAIR_PARAMETERS)
{
    SYNC_THREADS;
#ifdef HAVE_HALF_PAIRS
    pair_sums unused;
    clear_sums(&unused);
    add_half_pairs(place, sum, HELD_PLACES, first, count, cell, cutoff2, &unused PAIR_ARGUMENTS);
    EACH_HELD(k, slot, count, held) {
        held->f[k] = make_accum4(sum[slot], sum[HELD_PLACES + slot], sum[2 * HELD_PLACES + slot], 0);
    }
#else
    EACH_HELD(k, slot, count, held) {
        const real4 own = place[slot];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int t = 0; t < count; t++) {
            const real4 other = place[t];
            const real4 d = displacement(own, other, cell);
            if (IN_CUTOFF(d.w, cutoff2) && t != slot) {
                pair_energy energy = NO_ENERGY;
                const real pair = PAIR_FORCE(d.w, own, other, first + slot, first + t, &energy);
                fx += pair * d.x;
                fy += pair * d.y;
                fz += pair * d.z;
            }
        }
        held->f[k] = make_accum4(fx, fy, fz, 0);
    }
    SYNC_THREADS;
#endif
}

DEVICE void kick_held(int count, accum time, held_particles *held)
{
    EACH_HELD(k, slot, count, held) {
        held->v[k] = kicked(held->v[k], held->f[k], time);
    }
}

/* A step of velocity Verlet. */
DEVICE void step_held(accum dt, LOCAL_ARG real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                      held_particles *held PAIR_PARAMETERS)
{
    kick_held(count, ACCUM(0.5) * dt, held);
    EACH_HELD(k, slot, count, held) {
        held->x[k] = drifted(held->x[k], held->v[k], dt);
        place_held(k, slot, cell, place, sum, held);
    }
    find_held_forces(place, sum, first, count, cell, cutoff2, held PAIR_ARGUMENTS);
    kick_held(count, ACCUM(0.5) * dt, held);
}

#if OF_MOLECULE > 1
/* Moves the particles by their velocities, so that the sides of waters keep their lengths. */
DEVICE void drift_molecules(accum dt, int count, box_args cell, GLOBAL const accum *RESTRICT water_sides, held_particles *held)
{
    const accum4 shape = make_accum4(water_sides[0], water_sides[1], 0, 0);
    const accum per_dt = 1 / dt;
    accum4 way[HELD_PER_ITEM];
    EACH_HELD(k, slot, count, held) {
        way[k] = times_accum(held->v[k], dt);
    }
    EACH_WATER(t, held) {
        settle_displacements(side_of(held->x[t + 1], held->x[t], cell), side_of(held->x[t + 2], held->x[t], cell), shape, &way[t],
                             &way[t + 1], &way[t + 2]);
        held->v[t] = times_accum(way[t], per_dt);
        held->v[t + 1] = times_accum(way[t + 1], per_dt);
        held->v[t + 2] = times_accum(way[t + 2], per_dt);
    }
    EACH_HELD(k, slot, count, held) {
        held->x[k] = moved_accum(held->x[k], 1, way[k]);
    }
}

/* Takes from the velocities of waters what would change their sides. */
DEVICE void settle_held(box_args cell, held_particles *held)
{
    EACH_WATER(t, held) {
        settle_velocities(side_of(held->x[t + 1], held->x[t], cell), side_of(held->x[t + 2], held->x[t], cell), &held->v[t],
                          &held->v[t + 1], &held->v[t + 2]);
    }
}

/* The same of rigid waters. */
DEVICE void step_waters(accum dt, LOCAL_ARG real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                        GLOBAL const accum *RESTRICT water_sides, held_particles *held PAIR_PARAMETERS)
{
    kick_held(count, ACCUM(0.5) * dt, held);
    drift_molecules(dt, count, cell, water_sides, held);
    EACH_HELD(k, slot, count, held) {
        place_held(k, slot, cell, place, sum, held);
    }
    find_held_forces(place, sum, first, count, cell, cutoff2, held PAIR_ARGUMENTS);
    kick_held(count, ACCUM(0.5) * dt, held);
    settle_held(cell, held);
    SYNC_THREADS; /* else PoCL 3.1 goes wrong where a work-item holds a particle that is no water */
}
#endif

DEVICE accum kinetic_of_held(int count, const held_particles *held)
{
    accum kinetic = 0;
    EACH_HELD(k, slot, count, held) {
        kinetic += kinetic_energy(held->v[k]);
    }
    return kinetic;
}
