/*
 * verlet_inside — velocity Verlet of small boxes, all steps of a launch in one kernel
 *
 * A work-group has a box to itself: positions lie in local memory, where all its work-items read them, places, velocities and forces in
 * registers, HELD / GROUP_SIZE particles in each work-item. Between steps there are two barriers in place of launches, and global memory
 * is read once before the first step and written once behind the last. A box has at most HELD particles. The kernels of @forces compute the
 * forces that a launch begins with; with boxes_half each pair is met once between steps, too. Limited by the arithmetic of all pairs of a box, and by how many groups find room in local memory.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic triclinic
 * @pass       verlet_inside group per box all steps
 * @forces     boxes_tile boxes_half
 * @tunable    HELD 32 64 128 256* 512 1024
 * @holds      HELD particles_per_box
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1*
 * @source     our own; a box per block for all steps: J. A. Anderson, C. D. Lorenz, A. Travesset, J. Comput. Phys. 227, 5342 (2008), has a
 *             launch per step in its place
 */
#define PER_ITEM ((HELD + GROUP_SIZE - 1) / GROUP_SIZE)
#define PLACES (PER_ITEM * GROUP_SIZE)

/* The particles of a box that a work-item holds: number k of them is at `slot` of the box. */
#define EACH_HELD(k, slot, count) \
    for (int k = 0, slot = LOCAL_ID; k < PER_ITEM && slot < (count); k++, slot += GROUP_SIZE)

KERNEL void verlet_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                          real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                          GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                          GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[PLACES];
#ifdef HAVE_HALF_PAIRS
    LOCAL accum sum[3 * PLACES];
    pair_sums unused;
    clear_sums(&unused);
#endif
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    accum4 x[PER_ITEM];
    accum4 v[PER_ITEM];
    accum4 f[PER_ITEM];
    int4 faces[PER_ITEM];
    EACH_HELD(k, slot, count) {
        x[k] = whole_position(first + slot, position, position_rest);
        v[k] = velocity[first + slot];
        f[k] = force[first + slot];
        faces[k] = crossing[first + slot];
    }
    for (int step = 0; step < steps; step++) {
        EACH_HELD(k, slot, count) {
            v[k] = kicked(v[k], f[k], ACCUM(0.5) * dt);
            x[k] = drifted(x[k], v[k], dt);
            const int4 crossed = wrap_into_cell(&x[k], cell);
            faces[k].x += crossed.x;
            faces[k].y += crossed.y;
            faces[k].z += crossed.z;
            place[slot] = make_real4((real)x[k].x, (real)x[k].y, (real)x[k].z, (real)x[k].w);
#ifdef HAVE_HALF_PAIRS
            sum[slot] = 0;
            sum[PLACES + slot] = 0;
            sum[2 * PLACES + slot] = 0;
#endif
        }
        SYNC_THREADS;
#ifdef HAVE_HALF_PAIRS
        add_half_pairs(place, sum, PLACES, first, count, cell, cutoff2, &unused PAIR_ARGUMENTS);
        EACH_HELD(k, slot, count) {
            f[k] = make_accum4(sum[slot], sum[PLACES + slot], sum[2 * PLACES + slot], 0);
            v[k] = kicked(v[k], f[k], ACCUM(0.5) * dt);
        }
#else
        EACH_HELD(k, slot, count) {
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
            f[k] = make_accum4(fx, fy, fz, 0);
            v[k] = kicked(v[k], f[k], ACCUM(0.5) * dt);
        }
        SYNC_THREADS;
#endif
    }
    EACH_HELD(k, slot, count) {
        const real4 p = make_real4((real)x[k].x, (real)x[k].y, (real)x[k].z, (real)x[k].w);
        position[first + slot] = p;
#if POSITIONS_HAVE_RESTS
        position_rest[first + slot] = make_real4((real)(x[k].x - p.x), (real)(x[k].y - p.y), (real)(x[k].z - p.z), 0);
#endif
        velocity[first + slot] = v[k];
        force[first + slot] = f[k];
#if COUNT_CROSSINGS
        crossing[first + slot] = faces[k];
#endif
    }
#if WITH_ENERGY
    LOCAL accum scratch[GROUP_SIZE];
    accum kinetic = 0;
    EACH_HELD(k, slot, count) {
        kinetic += kinetic_energy(v[k]);
    }
    store_sum_if_asked(scratch, kinetic, totals); /* of one box: batches are asked for none */
#endif
}
