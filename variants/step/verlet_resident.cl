/*
 * verlet_resident — velocity Verlet of one box that stays on the compute units, all steps of a launch in one kernel
 *
 * A work-group per compute unit, so that all of them are on the device at once: they wait for each other in global memory, once a step, in
 * place of launches. LANES work-items share a particle, move it, and walk its row of neighbours; they also build the row, over all
 * particles, when somebody has moved by half of MARGIN (hundredths of the cutoff): no host, no other kernel. Who reads a row wrote it, so that
 * building takes no wait of its own. Positions that others read are written twice in turn, so that one wait a step is enough. Rows have room
 * for ROOM neighbours; lanes that lack room look at all particles. On a processor, which does not run groups beside each other, the first
 * group does all. Limited by waiting: for boxes of some thousand particles, of which each step is too short to
 * launch. It takes a device to itself: where others leave no room for all groups, they wait for ever.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic
 * @pass       clear_waits group per box all steps
 * @pass       verlet_resident group per compute_unit all steps
 * @pass       sum_kinetic group per box all steps
 * @forces     all_pairs_tile
 * @scratch    waits int 128
 * @scratch    place real4 particle * 2
 * @scratch    built real4 particle
 * @scratch    rows int particle * ROOM
 * @scratch    row_length int particle * LANES
 * @scratch    kinetic_of_group accum compute_unit
 * @tunable    LANES 4 8* 16 32
 * @tunable    ROOM 64 128 192 256* 384 512 1024
 * @tunable    MARGIN 8 12* 16 20 25
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1*
 */
/* Numbers of `waits`, each in a line of memory of its own. */
#define ARRIVED 0
#define EXPIRED 32 /* of two steps in turn: EXPIRED and EXPIRED + 32 */
#define GROUPS_THERE 96

#ifdef __CUDACC__
#define FENCE_ALL __threadfence()
#else
#define FENCE_ALL mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

#define LANE_ROOM (ROOM / LANES)

DEVICE int look(GLOBAL int *RESTRICT waits, int number)
{
    return *(volatile GLOBAL int *)(waits + number);
}

/* Until all groups have come here as often as this one. */
DEVICE void wait_for_all(GLOBAL int *RESTRICT waits, int all)
{
    SYNC_THREADS;
    if (LOCAL_ID == 0 && !DEVICE_IS_CPU) {
        FENCE_ALL;
        ATOMIC_ADD_INT(&waits[ARRIVED], 1);
        while (look(waits, ARRIVED) < all) {
        }
        FENCE_ALL;
    }
    SYNC_THREADS;
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
                            GLOBAL real4 *RESTRICT built, GLOBAL int *RESTRICT rows, GLOBAL int *RESTRICT row_length,
                            GLOBAL accum *RESTRICT kinetic_of_group PAIR_PARAMETERS)
{
    LOCAL accum of_lane[3 * GROUP_SIZE];
    LOCAL accum scratch[GROUP_SIZE];
    const int groups = DEVICE_IS_CPU ? 1 : NUM_GROUPS;
    const int own_steps = DEVICE_IS_CPU && GROUP_ID > 0 ? 0 : steps;
    const int sets = groups * (GROUP_SIZE / LANES);
    const int set = GLOBAL_ID / LANES;
    const int lane = GLOBAL_ID % LANES;
    const real reach2 = cutoff2 * (REAL(1.0) + REAL(0.01) * MARGIN) * (REAL(1.0) + REAL(0.01) * MARGIN);
    const real way2 = cutoff2 * (REAL(0.0049) * MARGIN) * (REAL(0.0049) * MARGIN);
    accum kinetic = 0;
    for (int step = 0; step < own_steps; step++) {
        GLOBAL real4 *RESTRICT now = place + (step % 2 == 0 ? 0 : n);
        const int flag = EXPIRED + step % 2 * 32;
        for (int i = set; i < n && lane == 0; i += sets) {
            const accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
            velocity[i] = v;
            (void)store_position(i, drifted(whole_position(i, position, position_rest), v, dt), box, position, position_rest, crossing);
            const real4 p = position[i];
            now[i] = p;
            if (step > 0 && !(distance2(p, built[i], box) <= way2)) {
                (void)ATOMIC_EXCHANGE(&waits[flag], step);
            }
        }
        wait_for_all(waits, groups * (step + 1));
        const int builds = step == 0 || look(waits, flag) == step;
        kinetic = 0;
        for (int first = 0; first < n; first += sets) {
            const int i = first + set;
            accum fx = 0;
            accum fy = 0;
            accum fz = 0;
            if (i < n) {
                const real4 own = now[i];
                GLOBAL int *RESTRICT row = rows + (long64)i * ROOM + lane;
                if (builds) {
                    int found = 0;
                    for (int j = lane; j < n; j += LANES) {
                        if (distance2(own, now[j], box) <= reach2 && j != i) {
                            if (found < LANE_ROOM) {
                                row[found * LANES] = j;
                            }
                            found++;
                        }
                    }
                    row_length[i * LANES + lane] = found;
                    if (lane == 0) {
                        built[i] = own;
                    }
                }
                const int listed = row_length[i * LANES + lane];
                const int is_short = listed > LANE_ROOM;
                const int count = is_short ? (n - lane + LANES - 1) / LANES : listed;
                for (int k = 0; k < count; k++) {
                    const int j = is_short ? lane + k * LANES : row[k * LANES];
                    const real4 other = now[j];
                    const real4 d = displacement(own, other, box);
                    if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                        fx += f * d.x;
                        fy += f * d.y;
                        fz += f * d.z;
                    }
                }
            }
            of_lane[LOCAL_ID] = fx;
            of_lane[GROUP_SIZE + LOCAL_ID] = fy;
            of_lane[2 * GROUP_SIZE + LOCAL_ID] = fz;
            SYNC_THREADS;
            if (lane == 0 && i < n) {
                for (int l = 1; l < LANES; l++) {
                    fx += of_lane[LOCAL_ID + l];
                    fy += of_lane[GROUP_SIZE + LOCAL_ID + l];
                    fz += of_lane[2 * GROUP_SIZE + LOCAL_ID + l];
                }
                const accum4 f = make_accum4(fx, fy, fz, 0);
                const accum4 v = kicked(velocity[i], f, ACCUM(0.5) * dt);
                force[i] = f;
                velocity[i] = v;
                kinetic += kinetic_energy(v);
            }
            SYNC_THREADS;
        }
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
