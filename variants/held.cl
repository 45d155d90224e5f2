/*
 * held_words — small boxes that a work-group holds for all steps of a launch: what integrators of such say alike
 *
 * A work-group has a box to itself: positions lie in local memory, where all its work-items read them, places, velocities and forces in
 * registers, HELD / GROUP_SIZE particles in each work-item. The harness puts this text behind the kernels of the forces. Tunables that it looks
 * at: HELD, the most particles of a box; OF_MOLECULE, the particles of a molecule, of which a work-item then holds whole ones; ROOM, the
 * neighbours that a row has room for, 1 where there are no rows; MARGIN; WRAP and COUNT_CROSSINGS, see step.cl.
 *
 * Rows are of those within the cutoff and MARGIN hundredths of it, and are found again once a particle has moved by half of that since. Word
 * by word, those of a box lie beside each other: in local memory where they take LOCAL_ROWS bytes at most, else in global memory. A particle
 * that has more neighbours than ROOM meets all of its box. On a processor no loop is unrolled: PoCL 3.1 then keeps `place` of a kernel of waters
 * in static memory, which groups on other threads write, too (`nm` shows it among the symbols of the compiled kernel).
 *
 * Tried on an H200, float, 1000 boxes of 200 of the melt: rows in an order in which lanes read from different banks (a fifth more time: they
 * take longer to find), rows in global memory (a sixth more), no test of the last word's ends (1 % less, for the pair written twice).
 */
#ifndef OF_MOLECULE
#define OF_MOLECULE 1
#endif
#define HELD_PER_ITEM (OF_MOLECULE * ((HELD / OF_MOLECULE + GROUP_SIZE - 1) / GROUP_SIZE))
#define HELD_PLACES ((HELD + GROUP_SIZE - 1) / GROUP_SIZE * GROUP_SIZE)
#ifndef ROOM
#define ROOM 1
#endif
#ifdef HAVE_HALF_PAIRS
#define HELD_HALF_PAIRS (ROOM == 1)
#else
#define HELD_HALF_PAIRS 0
#endif
#define HELD_SUMS (HELD_HALF_PAIRS ? 3 * HELD_PLACES : 1)
#if HELD <= 256
#define HELD_PER_WORD 4
#define HELD_PLACE_BITS 8
#define HELD_PLACE_MASK 255u
#else
#define HELD_PER_WORD 2
#define HELD_PLACE_BITS 16
#define HELD_PLACE_MASK 65535u
#endif
#define LOCAL_ROWS 24576
#if ROOM > 1 && HELD <= 256 && HELD * ROOM <= LOCAL_ROWS
#define HELD_ROW LOCAL_ARG
#define HELD_STRIDE(count) HELD
#define HELD_WORDS (HELD * ROOM / 4)
#else
#define HELD_ROW GLOBAL
#define HELD_STRIDE(count) (count)
#define HELD_WORDS 1
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
#if ROOM > 1
    HELD_ROW uint *rows;        /* of the box */
    real4 built[HELD_PER_ITEM]; /* where the particle was when its row was found */
    int listed[HELD_PER_ITEM];  /* how many neighbours it has; -1 before the first step */
#endif
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
#if ROOM > 1
        held->built[k] = make_real4(0, 0, 0, 0);
        held->listed[k] = -1;
#endif
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
#if HELD_HALF_PAIRS
    sum[slot] = 0;
    sum[HELD_PLACES + slot] = 0;
    sum[2 * HELD_PLACES + slot] = 0;
#elif ROOM > 1
    if (slot == 0) {
        sum[0] = 0; /* nobody has moved too far yet */
    }
#endif
}

/* Where the rows of a box are: in `words`, HELD_WORDS of them, or in `rows`. */
DEVICE void find_held_rows(LOCAL_ARG uint *words, GLOBAL uint *RESTRICT rows, int first, held_particles *held)
{
#if ROOM > 1 && HELD_WORDS > 1
    held->rows = words;
#elif ROOM > 1
    held->rows = rows + (long64)first * (ROOM / HELD_PER_WORD);
#endif
}

/* The force from all others of the box. */
DEVICE accum4 force_of_all(int slot, LOCAL_ARG const real4 *place, int first, int count, box_args cell, real cutoff2 PAIR_PARAMETERS)
{
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
    return make_accum4(fx, fy, fz, 0);
}

#if ROOM > 1
/* Whether a particle that the work-item holds has moved by half the margin since its row was found. */
DEVICE int has_left_row(LOCAL_ARG const real4 *place, int count, box_args cell, real cutoff2, const held_particles *held)
{
    const real limit2 = REAL(0.25) * (REAL(0.01) * MARGIN) * (REAL(0.01) * MARGIN) * cutoff2;
    int has_left = 0;
    EACH_HELD(k, slot, count, held) {
        if (held->listed[k] < 0 || !(displacement(place[slot], held->built[k], cell).w <= limit2)) {
            has_left = 1;
        }
    }
    return has_left;
}

/* Which of the 32 places from `base` on are within reach, a bit each. */
DEVICE uint mask_of_near(int slot, int base, LOCAL_ARG const real4 *place, int count, box_args cell, real reach2)
{
    const real4 own = place[slot];
    uint mask = 0;
#if !DEVICE_IS_CPU
#pragma unroll 8
#endif
    for (int u = 0; u < 32; u++) {
#if TRICLINIC
        const real far2 = nearest2(own, place[base + u], cell);
#else
        const real far2 = distance2(own, place[base + u], cell);
#endif
        mask |= (far2 <= reach2 ? 1u : 0u) << u;
    }
    if (count - base < 32) { /* behind the last particle are none */
        mask &= (1u << (count - base)) - 1u;
    }
    if (slot / 32 == base / 32) {
        mask &= ~(1u << (slot & 31));
    }
    return mask;
}

/* Writes the rows of what the work-item holds. */
DEVICE void fill_held_rows(LOCAL_ARG const real4 *place, int count, box_args cell, real cutoff2, held_particles *held)
{
    const real reach = REAL(1.0001) * (REAL(1.0) + REAL(0.01) * MARGIN);
    EACH_HELD(k, slot, count, held) {
        uint word = 0;
        int found = 0;
        for (int base = 0; base < count; base += 32) {
            uint mask = mask_of_near(slot, base, place, count, cell, reach * reach * cutoff2);
            while (mask != 0) {
                const int bit = 31 - (int)LEADING_ZEROS(mask);
                mask ^= 1u << bit;
                word = word >> HELD_PLACE_BITS | (uint)(base + bit) << (32 - HELD_PLACE_BITS);
                found++;
                if (found % HELD_PER_WORD == 0 && found <= ROOM) {
                    held->rows[(found / HELD_PER_WORD - 1) * HELD_STRIDE(count) + slot] = word;
                }
            }
        }
        if (found % HELD_PER_WORD != 0 && found < ROOM) {
            word >>= HELD_PLACE_BITS * (HELD_PER_WORD - found % HELD_PER_WORD);
            held->rows[found / HELD_PER_WORD * HELD_STRIDE(count) + slot] = word;
        }
        held->built[k] = place[slot];
        held->listed[k] = found;
    }
}

/* The force from the neighbours of a row: all lanes compute the pair, and those beyond the cutoff add zero. */
DEVICE accum4 force_of_row(int slot, int listed, HELD_ROW const uint *rows, LOCAL_ARG const real4 *place, int first, int count, box_args cell,
                           real cutoff2 PAIR_PARAMETERS)
{
    const real4 own = place[slot];
    accum fx = 0;
    accum fy = 0;
    accum fz = 0;
    uint next = listed > 0 ? rows[slot] : 0;
    for (int begin = 0; begin < listed; begin += HELD_PER_WORD) {
        const uint word = next;
        next = rows[(begin + HELD_PER_WORD < listed ? begin / HELD_PER_WORD + 1 : 0) * HELD_STRIDE(count) + slot];
#if !DEVICE_IS_CPU
#pragma unroll
#endif
        for (int u = 0; u < HELD_PER_WORD; u++) {
            const int t = (int)(word >> (u * HELD_PLACE_BITS) & HELD_PLACE_MASK);
            const real4 other = place[t];
            const real4 d = displacement(own, other, cell);
            const int is_near = begin + u < listed && IN_CUTOFF(d.w, cutoff2);
            pair_energy energy = NO_ENERGY;
            const real computed = PAIR_FORCE(is_near ? d.w : REAL(1.0), own, other, first + slot, first + t, &energy);
            const real pair = is_near ? computed : REAL(0.0);
            fx += pair * d.x;
            fy += pair * d.y;
            fz += pair * d.z;
        }
    }
    return make_accum4(fx, fy, fz, 0);
}
#endif

/* The forces, once all are in their places: by rows; or by half the pairs where the kernels of the forces can. `place` has HELD_PLACES
 * places, `sum` HELD_SUMS. */
DEVICE void find_held_forces(LOCAL_ARG const real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                             held_particles *held PAIR_PARAMETERS)
{
    SYNC_THREADS;
#if HELD_HALF_PAIRS
    pair_sums unused;
    clear_sums(&unused);
    add_half_pairs(place, sum, HELD_PLACES, first, count, cell, cutoff2, &unused PAIR_ARGUMENTS);
    EACH_HELD(k, slot, count, held) {
        held->f[k] = make_accum4(sum[slot], sum[HELD_PLACES + slot], sum[2 * HELD_PLACES + slot], 0);
    }
#else
#if ROOM > 1
    if (has_left_row(place, count, cell, cutoff2, held)) {
        sum[0] = 1;
    }
    SYNC_THREADS;
    if (sum[0] > 0) {
        fill_held_rows(place, count, cell, cutoff2, held);
    }
#endif
    EACH_HELD(k, slot, count, held) {
#if ROOM > 1
        held->f[k] = held->listed[k] <= ROOM
                         ? force_of_row(slot, held->listed[k], held->rows, place, first, count, cell, cutoff2 PAIR_ARGUMENTS)
                         : force_of_all(slot, place, first, count, cell, cutoff2 PAIR_ARGUMENTS);
#else
        held->f[k] = force_of_all(slot, place, first, count, cell, cutoff2 PAIR_ARGUMENTS);
#endif
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

/* What follows the drift of a step of rigid waters. */
DEVICE void finish_waters(accum dt, LOCAL_ARG real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                          held_particles *held PAIR_PARAMETERS)
{
    EACH_HELD(k, slot, count, held) {
        place_held(k, slot, cell, place, sum, held);
    }
    find_held_forces(place, sum, first, count, cell, cutoff2, held PAIR_ARGUMENTS);
    kick_held(count, ACCUM(0.5) * dt, held);
    settle_held(cell, held);
    SYNC_THREADS; /* else PoCL 3.1 goes wrong where a work-item holds a particle that is no water */
}

/* A step of velocity Verlet of rigid waters. */
DEVICE void step_waters(accum dt, LOCAL_ARG real4 *place, LOCAL_ARG accum *sum, int first, int count, box_args cell, real cutoff2,
                        GLOBAL const accum *RESTRICT water_sides, held_particles *held PAIR_PARAMETERS)
{
    kick_held(count, ACCUM(0.5) * dt, held);
    drift_molecules(dt, count, cell, water_sides, held);
    finish_waters(dt, place, sum, first, count, cell, cutoff2, held PAIR_ARGUMENTS);
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

#ifdef CHAIN_NUMBERS
/* The thermostats of a box: a chain of its own, see chain.cl. */
typedef struct {
    accum temperature, time, freedom;
    int links;
    GLOBAL accum *chain;
} held_bath;

/* The chain of the box begins as that of the launch. */
DEVICE void load_bath(accum temperature, accum time, accum freedom, int links, GLOBAL const accum *RESTRICT bath, held_bath *own)
{
    own->temperature = temperature;
    own->time = time;
    own->freedom = freedom;
    own->links = links;
    for (int k = LOCAL_ID; k < CHAIN_NUMBERS; k += GROUP_SIZE) {
        own->chain[k] = bath[k];
    }
}

/* Moves the chain for half a step by the kinetic energy of the box, and scales its velocities. */
DEVICE void move_bath(accum dt, LOCAL_ARG accum *scratch, LOCAL_ARG accum *factor, int count, const held_bath *own, held_particles *held)
{
    const accum kinetic = sum_of_group(scratch, kinetic_of_held(count, held));
    if (LOCAL_ID == 0) {
        factor[0] = move_links(ACCUM(0.5) * dt, kinetic, own->temperature, own->time, own->freedom, own->links, own->chain);
    }
    SYNC_THREADS;
    EACH_HELD(k, slot, count, held) {
        held->v[k] = scaled(held->v[k], factor[0]);
    }
}

/* Of one box: its chain is that of the next launch, and its energies are asked for; those of batches are not. */
DEVICE void store_bath(LOCAL_ARG accum *scratch, int count, const held_bath *own, const held_particles *held, GLOBAL accum *RESTRICT bath,
                       GLOBAL accum *RESTRICT totals)
{
#if WITH_ENERGY
    const accum kinetic = sum_of_group(scratch, kinetic_of_held(count, held));
    if (LOCAL_ID == 0) {
        totals[0] = kinetic;
        totals[1] = energy_of_links(own->temperature, own->time, own->freedom, own->links, own->chain);
    }
#endif
    SYNC_THREADS;
    for (int k = LOCAL_ID; k < CHAIN_NUMBERS && NUM_GROUPS == 1; k += GROUP_SIZE) {
        bath[k] = own->chain[k];
    }
}
#endif
