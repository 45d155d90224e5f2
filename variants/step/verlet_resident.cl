/*
 * verlet_resident — velocity Verlet of one box that stays on the compute units, all steps of a launch in one kernel
 *
 * A work-group per compute unit, so that all of them are on the device at once: they wait for each other in global memory, once a step, in
 * place of launches. LANES work-items share a particle. The first of them keeps its place, velocity and force in registers; all of them walk
 * its row of neighbours in local memory, AT_ONCE positions at a time, and build it, over all particles, when somebody has moved by half of
 * MARGIN (hundredths of the cutoff): no host, no other kernel. A group says that somebody has as it arrives at the wait, so that all know it
 * behind. Positions that others read are written twice in turn, so that one wait a step is enough. Rows have room for ROOM neighbours, or for
 * as many as local memory has; longer ones are not kept, and all particles are looked at. So they are for particles beyond the first that
 * LANES work-items have, which lie in global memory: of these there should be none. On a processor, which does not run groups beside each
 * other, the first group does all. Limited by waiting: for boxes of some thousand particles, of which each step is too short to launch. It
 * takes a device to itself: where others leave no room for all groups, they wait for ever.
 *
 * @workload   step
 * @integrator verlet
 * @warps      32
 * @boxes      open periodic
 * @pass       clear_waits group per box all steps
 * @pass       verlet_resident group per compute_unit all steps
 * @pass       sum_kinetic group per box all steps
 * @forces     all_pairs_tile
 * @scratch    waits int 128
 * @scratch    place real4 particle * 2
 * @scratch    built real4 particle
 * @scratch    kinetic_of_group accum compute_unit
 * @tunable    GROUP_SIZE 128 256 512 1024*
 * @tunable    LANES 4 8 16 32*
 * @tunable    AT_ONCE 1 2 4*
 * @tunable    ROOM 64 96 128 192 256 384 512
 * @tunable    MARGIN 12 16 20 25* 32 40
 * @holds      ROOM 6 * density * cutoff * cutoff * cutoff * (1 + MARGIN / 100) * (1 + MARGIN / 100) * (1 + MARGIN / 100)
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1*
 */
/* Numbers of `waits`, each in a line of memory of its own: three words, of three waits in turn, and how many groups there are. */
#define WORD_OF(step) (32 * ((step) % 3))
#define GROUPS_THERE 96
/* A word counts groups, and in its upper half those of them that have an expired particle. */
#define ONE_EXPIRED 65536

/* CUDA's own fence is the dearer one, of all threads in one order. */
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 700
#define FENCE_ALL asm volatile("fence.acq_rel.gpu;" ::: "memory")
#elif defined(__CUDACC__)
#define FENCE_ALL __threadfence()
#else
#define FENCE_ALL mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

#if GROUP_SIZE % LANES != 0 || LANES > 32
#error LANES has to divide GROUP_SIZE, and to be 32 at most
#endif
#define SETS (GROUP_SIZE / LANES)
#define MOST_KEPT 16384 /* entries of rows in 32 KiB of local memory */
#if ROOM * SETS > MOST_KEPT
#define ROW_ROOM (MOST_KEPT / SETS)
#else
#define ROW_ROOM ROOM
#endif

#if HAVE_BALLOT && GROUP_SIZE >= 32
#define BY_WARPS 1
#define LANE_BITS (LANES < 32 ? (1u << LANES % 32) - 1u : 0xffffffffu)
#define SCRATCH_NUMBERS GROUP_SIZE
#else
#define BY_WARPS 0
#define SCRATCH_NUMBERS (3 * GROUP_SIZE)
#endif

/* Until all groups have come here as often as this one: whether somebody's particle has expired. `expired` are two flags of the group in
 * turn: who sets the next one comes from here. */
DEVICE int wait_for_all(GLOBAL int *RESTRICT waits, LOCAL_ARG int *expired, int step)
{
    SYNC_THREADS;
    if (LOCAL_ID == 0) {
        expired[(step + 1) % 2] = 0;
#if !DEVICE_IS_CPU
        FENCE_ALL;
        ATOMIC_ADD_INT(&waits[WORD_OF(step)], 1 + ONE_EXPIRED * expired[step % 2]);
        int seen = 0;
        while (seen % ONE_EXPIRED < NUM_GROUPS) {
            seen = *(volatile GLOBAL int *)(waits + WORD_OF(step));
        }
        expired[step % 2] = seen / ONE_EXPIRED;
        if (GROUP_ID == 0) { /* of the wait before, which all have left */
            waits[WORD_OF(step + 2)] = 0;
        }
        FENCE_ALL;
#endif
    }
    SYNC_THREADS;
    return expired[step % 2];
}

KERNEL void clear_waits(GLOBAL int *RESTRICT waits)
{
    for (int k = LOCAL_ID; k < 128; k += GROUP_SIZE) {
        waits[k] = 0;
    }
}

KERNEL void verlet_resident(int steps, int n, accum dt, box_args box, real cutoff2, GLOBAL real4 *RESTRICT position,
                            GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                            GLOBAL accum4 *RESTRICT force, GLOBAL int *RESTRICT waits, GLOBAL real4 *RESTRICT place,
                            GLOBAL real4 *RESTRICT built, GLOBAL accum *RESTRICT kinetic_of_group PAIR_PARAMETERS)
{
    LOCAL accum scratch[SCRATCH_NUMBERS];
    LOCAL unsigned short rows[ROW_ROOM * SETS];
    LOCAL int expired[2];
    const int is_working = !DEVICE_IS_CPU || GROUP_ID == 0;
    const int sets = (DEVICE_IS_CPU ? 1 : NUM_GROUPS) * SETS;
    const int own_steps = is_working ? steps : 0;
    const int end = is_working ? n : 0;
    const int one = GLOBAL_ID / LANES; /* the particle whose state is in registers of the first lane */
    const int lane = LOCAL_ID % LANES;
    const int is_first = one < end && lane == 0;
    LOCAL_ARG unsigned short *row = rows + LOCAL_ID / LANES * ROW_ROOM + lane;
    const real reach2 = cutoff2 * (REAL(1.0) + REAL(0.01) * MARGIN) * (REAL(1.0) + REAL(0.01) * MARGIN);
    const real way2 = cutoff2 * (REAL(0.0049) * MARGIN) * (REAL(0.0049) * MARGIN);
    accum4 x = make_accum4(0, 0, 0, 0);
    accum4 v = make_accum4(0, 0, 0, 1);
    accum4 f = make_accum4(0, 0, 0, 0);
    int4 faces = make_int4(0, 0, 0, 0);
    real4 at = make_real4(0, 0, 0, 0); /* where the first lane's particle was as rows were built */
    int listed = 0;                    /* entries of the lane */
    int is_kept = 0;
    if (is_first) {
        x = whole_position(one, position, position_rest);
        v = velocity[one];
        f = force[one];
        faces = crossing[one];
    }
    if (LOCAL_ID == 0) {
        expired[0] = 0;
        expired[1] = 0;
    }
    SYNC_THREADS;
    for (int step = 0; step < own_steps; step++) {
        GLOBAL real4 *RESTRICT now = place + (step % 2 == 0 ? 0 : n);
        if (is_first) {
            v = kicked(v, f, ACCUM(0.5) * dt);
            x = drifted(x, v, dt);
            const int4 crossed = wrap_into_cell(&x, box);
            faces.x += crossed.x;
            faces.y += crossed.y;
            faces.z += crossed.z;
            const real4 p = make_real4((real)x.x, (real)x.y, (real)x.z, (real)x.w);
            now[one] = p;
            if (step == 0 || !(distance2(p, at, box) <= way2)) {
                expired[step % 2] = 1;
            }
        }
        for (int i = one + sets; i < end && lane == 0; i += sets) {
            const accum4 u = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
            velocity[i] = u;
            (void)store_position(i, drifted(whole_position(i, position, position_rest), u, dt), box, position, position_rest, crossing);
            const real4 p = position[i];
            now[i] = p;
            if (step > 0 && !(distance2(p, built[i], box) <= way2)) {
                expired[step % 2] = 1;
            }
        }
        const int builds = wait_for_all(waits, expired, step);
        if (builds) {
            const int i = one < n ? one : 0;
            const real4 own = now[i];
            int found = 0; /* of the set; without ballots, of the lane */
            for (int start = lane; start < n + lane; start += AT_ONCE * LANES) {
                real4 other[AT_ONCE];
                for (int u = 0; u < AT_ONCE; u++) {
                    const int j = start + u * LANES;
                    other[u] = now[j < n ? j : i];
                }
                for (int u = 0; u < AT_ONCE; u++) {
                    const int j = start + u * LANES;
                    const int is_near = one < n && j < n && j != one && distance2(own, other[u], box) <= reach2;
#if BY_WARPS
                    const uint votes = BALLOT(is_near) >> (LOCAL_ID % 32 - lane) & LANE_BITS;
                    const int slot = found + (int)BIT_COUNT(votes & ((1u << lane) - 1u));
                    found += (int)BIT_COUNT(votes);
#else
                    const int slot = found * LANES + lane;
                    found += is_near;
#endif
                    if (is_near && slot < ROW_ROOM) {
                        row[slot - lane] = (unsigned short)j;
                    }
                }
            }
#if BY_WARPS
            listed = (found - lane + LANES - 1) / LANES;
            is_kept = n <= 65536 && found <= ROW_ROOM;
            SYNC_WARPS;
#else
            listed = found;
            is_kept = n <= 65536 && found * LANES + lane < ROW_ROOM + LANES;
#endif
            at = own;
            for (int k = one + sets; k < end && lane == 0; k += sets) {
                built[k] = now[k];
            }
        }
        for (int first = 0; first < n; first += sets) {
            const int i = first + one;
            const int by_row = is_kept && first == 0;
            const int count = i >= n ? 0 : by_row ? listed : (n - lane + LANES - 1) / LANES;
            const real4 own = now[i < n ? i : 0];
            accum fx = 0;
            accum fy = 0;
            accum fz = 0;
            for (int k = 0; k < count; k += AT_ONCE) {
                int partner[AT_ONCE];
                real4 other[AT_ONCE];
                for (int u = 0; u < AT_ONCE; u++) {
                    const int e = k + u < count ? k + u : k;
                    partner[u] = by_row ? row[e * LANES] : lane + e * LANES;
                }
                for (int u = 0; u < AT_ONCE; u++) {
                    other[u] = now[partner[u]];
                }
                for (int u = 0; u < AT_ONCE; u++) {
                    const real4 d = displacement(own, other[u], box);
                    if (k + u < count && IN_CUTOFF(d.w, cutoff2) && partner[u] != i) {
                        pair_energy energy = NO_ENERGY;
                        const real pair = PAIR_FORCE(d.w, own, other[u], i, partner[u], &energy);
                        fx += pair * d.x;
                        fy += pair * d.y;
                        fz += pair * d.z;
                    }
                }
            }
#if BY_WARPS
            for (int apart = LANES / 2; apart > 0; apart /= 2) {
                const int whose = LOCAL_ID % 32 ^ apart;
                fx += SHUFFLE(fx, whose);
                fy += SHUFFLE(fy, whose);
                fz += SHUFFLE(fz, whose);
            }
#else
            sum_over_lanes(scratch, LANES, 1, lane == 0, &fx, &fy, &fz);
            SYNC_THREADS;
#endif
            const accum4 sum = make_accum4(fx, fy, fz, 0);
            if (first == 0) {
                f = sum;
                v = kicked(v, f, ACCUM(0.5) * dt);
            } else if (i < n && lane == 0) {
                force[i] = sum;
                velocity[i] = kicked(velocity[i], sum, ACCUM(0.5) * dt);
            }
        }
    }
    accum kinetic = 0;
    if (is_first) {
        put_position(one, x, position, position_rest);
        velocity[one] = v;
        force[one] = f;
#if COUNT_CROSSINGS
        crossing[one] = faces;
#endif
        kinetic = kinetic_energy(v);
    }
    for (int i = one + sets; i < end && lane == 0; i += sets) {
        kinetic += kinetic_energy(velocity[i]);
    }
    store_group_sum(scratch, kinetic, kinetic_of_group);
    if (GLOBAL_ID == 0) {
        waits[GROUPS_THERE] = NUM_GROUPS;
    }
}

KERNEL void sum_kinetic(GLOBAL const int *RESTRICT waits, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, waits[GROUPS_THERE] * GROUP_SIZE, kinetic_of_group, totals);
}
