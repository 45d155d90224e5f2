/*
 * cell_star — a cell staged once, all its later neighbours walked against it
 *
 * A cell takes part in a dozen pairs and more; handled pair by pair, it is loaded as often. Here a group loads the
 * particles of its cell into local memory once, and the particles of the cell itself and of all its later neighbours
 * are walked against them, ITEMS_PER_CELL work-items a neighbour and as many neighbours at a time as fit the group. A
 * work-item holds one partner at a time, gathers its force in registers and adds it once; it keeps the forces on the
 * staged particles in registers, too, which the group adds up at the end. Each pair is computed once, and atomic
 * additions are made once a particle and cell, not once a pair. STAGED particles at most are staged at a time: more
 * cost registers, fewer make a crowded cell walk its neighbours again. There are as many groups as cells, so small
 * boxes leave a device idle. The order of additions changes from run to run.
 *
 * @workload    forces
 * @structure   cell_table
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        cell_star group per cell
 * @tunable     GROUP_SIZE 32 64* 128 256
 * @tunable     STAGED 4 8 16*
 * @tunable     ITEMS_PER_CELL 8 16* 32
 * @tunable     CELLS_PER_CUTOFF 1* 2 3
 * @source      an idea of an article that ports a molecular dynamics code to CUDA, "load cell 0 once for 0-1, 0-2,
 *              0-3"; how the forces on the staged cell are kept is our own
 */
#if STAGED % 4 || STAGED > GROUP_SIZE || GROUP_SIZE % ITEMS_PER_CELL || GROUP_SIZE < 16
#error "STAGED must be a multiple of 4, not above GROUP_SIZE; ITEMS_PER_CELL and 16 must divide GROUP_SIZE"
#endif
#define ADDED_AT_A_TIME 12                /* numbers that the group adds up together: four forces */
#define SEGMENT 16                        /* how many of them a work-item adds up */
#define SEGMENTS (GROUP_SIZE / SEGMENT)   /* for each number */
#define SUMMANDS (GROUP_SIZE + 1)         /* a row of them, of odd length to spread over the banks */

/* Adds up the forces of four staged particles over the group and adds the sums to `force`. Every work-item calls it.
 * `gathered` holds x, y, z of each. */
DEVICE void add_staged_forces(LOCAL_ARG accum *scratch, LOCAL_ARG const int *tile_index, int staged,
                              const accum *gathered, GLOBAL accum *RESTRICT force)
{
    const int item = LOCAL_ID;
    const int number = item / SEGMENTS;
    const int segment = item % SEGMENTS;
    accum sum = 0;
    for (int a = 0; a < ADDED_AT_A_TIME; a++) {
        scratch[a * SUMMANDS + item] = gathered[a];
    }
    SYNC_THREADS;
    if (number < ADDED_AT_A_TIME) {
        for (int s = 0; s < SEGMENT; s++) {
            sum += scratch[number * SUMMANDS + s * SEGMENTS + segment];
        }
    }
    SYNC_THREADS;
    scratch[item] = sum;
    SYNC_THREADS;
    if (item < ADDED_AT_A_TIME && item / 3 < staged) {
        sum = 0;
        for (int s = 0; s < SEGMENTS; s++) {
            sum += scratch[item * SEGMENTS + s];
        }
        if (sum != 0) {
            ATOMIC_ADD(&force[4 * tile_index[item / 3] + item % 3], sum);
        }
    }
    SYNC_THREADS;
}

/* One partner against the first `staged` of the staged particles. */
DEVICE void meet_staged(real4 other, int j, int staged, LOCAL_ARG const real4 *tile, LOCAL_ARG const int *tile_index,
                        real cutoff2, accum *gathered, GLOBAL accum *RESTRICT force, pair_sums *sums PAIR_PARAMETERS)
{
    accum fx = 0;
    accum fy = 0;
    accum fz = 0;
    for (int k = 0; k < STAGED; k++) { /* of constant length: `gathered` lies in registers */
        const real4 own = tile[k];
        const real dx = own.x - other.x;
        const real dy = own.y - other.y;
        const real dz = own.z - other.z;
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        if (k < staged) {
            COUNT_DISTANCE(sums);
        }
        if (k < staged && IN_CUTOFF(r2, cutoff2)) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(r2, own, other, tile_index[k], j, &energy);
            gathered[3 * k] += f * dx;
            gathered[3 * k + 1] += f * dy;
            gathered[3 * k + 2] += f * dz;
            fx -= f * dx;
            fy -= f * dy;
            fz -= f * dz;
            add_to_sums(sums, energy, f, dx, dy, dz);
        }
    }
    if (fx != 0 || fy != 0 || fz != 0) {
        ATOMIC_ADD(&force[4 * j], fx);
        ATOMIC_ADD(&force[4 * j + 1], fy);
        ATOMIC_ADD(&force[4 * j + 2], fz);
    }
}

KERNEL void cell_star(GLOBAL const real4 *RESTRICT position, int4 cells, GLOBAL const int4 *RESTRICT later_cells,
                      int later_cell_count, GLOBAL const int *RESTRICT cell_count, int cell_capacity,
                      GLOBAL const int *RESTRICT cell_particles, box_args box, real cutoff2,
                      GLOBAL accum *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[STAGED];
    LOCAL int tile_index[STAGED];
    LOCAL accum scratch[ADDED_AT_A_TIME * SUMMANDS];
    const int cell = GROUP_ID;
    const int4 home = cell_place(cell, cells);
    const int own_count = cell_count[cell];
    const int lane = LOCAL_ID % ITEMS_PER_CELL;
    pair_sums sums;
    clear_sums(&sums);
    for (int round = 0; round < own_count; round += STAGED) {
        const int staged = own_count - round < STAGED ? own_count - round : STAGED;
        accum gathered[3 * STAGED];
        for (int g = 0; g < 3 * STAGED; g++) {
            gathered[g] = 0;
        }
        if (LOCAL_ID < STAGED) {
            const int i = cell_particles[cell * cell_capacity + round + (LOCAL_ID < staged ? LOCAL_ID : 0)];
            tile[LOCAL_ID] = position[i];
            tile_index[LOCAL_ID] = i;
        }
        SYNC_THREADS;
        /* Neighbour 0 is the cell itself. The loop tests at its end: where it may run not at all, PoCL 3.1 forgets what
         * was staged before the barrier. */
        int next = 0;
        do {
            const int o = next + LOCAL_ID / ITEMS_PER_CELL;
            int image = 13;
            const int neighbour = o == 0                 ? cell
                                  : o <= later_cell_count ? cell_at_offset(home, later_cells[o - 1], cells, &image)
                                                          : -1;
            const int count = neighbour < 0 ? 0 : cell_count[neighbour];
            const real4 shift = shift_of_image(image, box);
            for (int k = lane; k < count; k += ITEMS_PER_CELL) {
                /* Of the own cell's particles, this one meets those that come before it. */
                const int before = o > 0 || k - round > staged ? staged : k - round;
                const int j = cell_particles[neighbour * cell_capacity + k];
                real4 other = position[j];
                other.x += shift.x;
                other.y += shift.y;
                other.z += shift.z;
                meet_staged(other, j, before, tile, tile_index, cutoff2, gathered, force, &sums PAIR_ARGUMENTS);
            }
            next += GROUP_SIZE / ITEMS_PER_CELL;
        } while (next <= later_cell_count);
        for (int first = 0; first < STAGED; first += 4) {
            add_staged_forces(scratch, tile_index + first, staged - first, gathered + 3 * first, force);
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
