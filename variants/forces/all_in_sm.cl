/*
 * all_in_sm — a group per block of cells, which stages the block and all cells around it in local memory and computes from there
 *
 * A group takes a block of up to CELLS_PER_GROUP cells (2: two along x; 4: two along y besides; 8: along z, too; 16: four along x). It finds
 * the runs of sorted particles in the rows of cells within reach of the block, a work-item per run, adds up how long they are, and puts
 * them all into local memory, LOADERS work-items per run. Then its work-items take a particle of the block each (or LANES work-items one),
 * GROUP_SIZE / LANES at a time, and walk the cells around its own, as in sorted_cells, which leaves to the caches what is staged
 * here. What is more than STAGED particles is staged in parts; so are more runs than there are work-items. Every pair is computed
 * from both sides; no atomics. Few barriers, but much local memory: it decides how many groups a multiprocessor holds,
 * and of what is staged the halo is the most. On an H200 1.03 ms where sorted_cells takes 0.91 (docs/tried.md).
 *
 * @workload  forces coordination
 * @name      coordination_all_in_sm for coordination
 * @groups    one for coordination
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      all_in_sm group per cell / CELLS_PER_GROUP
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   CELLS_PER_GROUP 1 2 4 8* 16
 * @tunable   LANES 1* 2 4 8
 * @tunable   STAGED 128 256 512 1024*
 * @holds     STAGED 1.1 * density * cutoff * cutoff * cutoff * (max(min(2, CELLS_PER_GROUP), CELLS_PER_GROUP / 4) / CELLS_PER_CUTOFF + 2) * (min(2, max(1, CELLS_PER_GROUP / 2)) / CELLS_PER_CUTOFF + 2) * (min(2, max(1, CELLS_PER_GROUP / 4)) / CELLS_PER_CUTOFF + 2)
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    D. Algis, B. Bramas, E. Darles, L. Aveneau, Efficient GPU Implementation of Particle Interactions with Cutoff
 *            Radius and Few Particles per Cell, arXiv 2406.16091 (2024): All-in-SM; rows of cells as runs, parts and lanes are our own
 */
#define SIDE_Y (CELLS_PER_GROUP >= 4 ? 2 : 1) /* of a block, in cells */
#define SIDE_Z (CELLS_PER_GROUP >= 8 ? 2 : 1)
#define SIDE_X (CELLS_PER_GROUP / SIDE_Y / SIDE_Z)
#define LOADERS (GROUP_SIZE < 16 ? GROUP_SIZE : 16)
#define RUNS_PER_ROW (1 + 2 * PERIODIC)          /* the row itself and its images along x */
#define ROWS_AT_ONCE (GROUP_SIZE / RUNS_PER_ROW) /* a work-item per run */

#if GROUP_SIZE < 4
#error "GROUP_SIZE must be at least 4: a work-item per row of a block, and per image of a row"
#endif

/* Where block number `block` of `blocks` begins among `cells` along an edge; as long as the others, or one longer. */
DEVICE int block_begin(int block, int blocks, int cells)
{
    const int longer = cells % blocks;
    return block * (cells / blocks) + (block < longer ? block : longer);
}

/* How many blocks there are along each edge, and in all. */
DEVICE int4 count_blocks(int4 cells)
{
    const int x = (cells.x + SIDE_X - 1) / SIDE_X;
    const int y = (cells.y + SIDE_Y - 1) / SIDE_Y;
    const int z = (cells.z + SIDE_Z - 1) / SIDE_Z;
    return make_int4(x, y, z, x * y * z);
}

/* A block of cells: where it begins, and where it ends along x; how many rows of cells it has, rows_y of them along y, and how
 * many rows there are together with those within reach of it. */
typedef struct {
    int x, y, z, end_x;
    int rows_y, rows;
    int halo_rows_y, halo_rows;
} cell_block;

/* Block `number` of blocks.x * blocks.y * blocks.z. */
DEVICE cell_block make_cell_block(int number, int4 blocks, int4 cells, int4 reach)
{
    const int4 place = cell_place(number, blocks);
    cell_block block;
    block.x = block_begin(place.x, blocks.x, cells.x);
    block.y = block_begin(place.y, blocks.y, cells.y);
    block.z = block_begin(place.z, blocks.z, cells.z);
    block.end_x = block_begin(place.x + 1, blocks.x, cells.x);
    block.rows_y = block_begin(place.y + 1, blocks.y, cells.y) - block.y;
    block.rows = block.rows_y * (block_begin(place.z + 1, blocks.z, cells.z) - block.z);
    block.halo_rows_y = block.rows_y + 2 * reach.y;
    block.halo_rows = block.halo_rows_y * (block.rows / block.rows_y + 2 * reach.z);
    return block;
}

/* Finds the particles of the block's own rows, a work-item per row. */
DEVICE void find_own_rows(LOCAL_ARG int *own_first, LOCAL_ARG int *own_count, cell_block block, cell_grid grid,
                         GLOBAL const int *RESTRICT cell_start)
{
    if (LOCAL_ID < block.rows) {
        const particle_run run = run_of_cells(grid, cell_start, block.x, block.end_x - 1, block.y + LOCAL_ID % block.rows_y,
                                              block.z + LOCAL_ID / block.rows_y, 0);
        own_first[LOCAL_ID] = run.begin;
        own_count[LOCAL_ID] = run.stop - run.begin;
    }
}

DEVICE int count_particles(LOCAL_ARG const int *own_count, int own_rows)
{
    int particles = 0;
    for (int own_row = 0; own_row < own_rows; own_row++) {
        particles += own_count[own_row];
    }
    return particles;
}

/* The sorted particle that is number `left` of the block; -1 where there are fewer. */
DEVICE int particle_of_rows(LOCAL_ARG const int *own_first, LOCAL_ARG const int *own_count, int own_rows, int left)
{
    int k = -1;
    for (int own_row = 0; own_row < own_rows; own_row++) {
        k = left >= 0 && left < own_count[own_row] ? own_first[own_row] + left : k;
        left -= own_count[own_row];
    }
    return k;
}

/* The runs of sorted particles that are staged: those of `rows` rows of cells around a block, from `first_row` on, RUNS_PER_ROW per
 * row. Particles have slots in the order of the runs; local memory holds those of a part of the slots. */
typedef struct {
    LOCAL_ARG real4 *position;
    LOCAL_ARG int *run_first; /* the sorted particle that a run begins with */
    LOCAL_ARG int *run_slot;  /* and its slot: the length of all runs before it */
    int first_row, rows;
    particle_run part;
} staged_runs;

/* Finds the run of this work-item: nothing behind the last of `runs`. */
DEVICE void find_run(staged_runs staged, int runs, cell_block block, cell_grid grid, GLOBAL const int *RESTRICT cell_start)
{
    const int row = staged.first_row + LOCAL_ID / RUNS_PER_ROW;
    particle_run run;
    run.begin = 0;
    run.stop = 0;
    if (LOCAL_ID < runs) {
        run = run_of_cells(grid, cell_start, block.x - grid.reach.x, block.end_x - 1 + grid.reach.x,
                           block.y - grid.reach.y + row % block.halo_rows_y, block.z - grid.reach.z + row / block.halo_rows_y,
                           LOCAL_ID % RUNS_PER_ROW - PERIODIC);
    }
    staged.run_first[LOCAL_ID] = run.begin;
    staged.run_slot[LOCAL_ID + 1] = run.stop - run.begin;
    if (LOCAL_ID == 0) {
        staged.run_slot[0] = 0;
    }
}

/* Finds the runs and adds up their lengths, unless the whole block has been staged; tells how many slots there are. Every
 * work-item of the group calls it. */
DEVICE int find_runs(staged_runs staged, int runs, int is_whole, cell_block block, cell_grid grid,
                     GLOBAL const int *RESTRICT cell_start)
{
    SYNC_THREADS;
    if (!is_whole) {
        find_run(staged, runs, block, grid, cell_start);
    }
    SYNC_THREADS;
    int distance = 1;
    do {
        const int before = LOCAL_ID >= distance && !is_whole ? staged.run_slot[LOCAL_ID + 1 - distance] : 0;
        SYNC_THREADS;
        staged.run_slot[LOCAL_ID + 1] += before;
        SYNC_THREADS;
        distance *= 2;
    } while (distance < runs && !is_whole);
    return staged.run_slot[runs];
}

/* Puts the part into local memory, LOADERS work-items per run. (common_run() would say the same of each run; NVRTC then
 * distributes registers differently in the whole kernel.) */
DEVICE void load_part(staged_runs staged, int runs, int is_whole, GLOBAL const real4 *RESTRICT sorted_position)
{
    for (int s = LOCAL_ID / LOADERS; s < runs && !is_whole; s += GROUP_SIZE / LOADERS) {
        const int begin = staged.run_slot[s] > staged.part.begin ? staged.run_slot[s] : staged.part.begin;
        const int stop = staged.run_slot[s + 1] < staged.part.stop ? staged.run_slot[s + 1] : staged.part.stop;
        for (int slot = begin + LOCAL_ID % LOADERS; slot < stop; slot += LOADERS) {
            staged.position[slot - staged.part.begin] = sorted_position[staged.run_first[s] + slot - staged.run_slot[s]];
        }
    }
}

/* Particle k, which lies at `own` and is seen by a row at `seen`, against every LANES_PER_PARTICLE-th of some slots. */
DEVICE void meet_slots(int k, real4 own, real4 seen, staged_runs staged, particle_run slots, int slot_less_place, int lane,
                       GLOBAL const int *RESTRICT sorted_index, real cutoff2, own_force *sum, pair_sums *sums PAIR_PARAMETERS)
{
    for (int slot = slots.begin + lane; slot < slots.stop; slot += LANES_PER_PARTICLE) {
        const real4 other = staged.position[slot - staged.part.begin];
        const int j = slot - slot_less_place;
        const real dx = seen.x - other.x;
        const real dy = seen.y - other.y;
        const real dz = seen.z - other.z;
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        COUNT_DISTANCE(sums);
        if (IN_CUTOFF(r2, cutoff2) && j != k) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
            add_to_force(sum, f * dx, f * dy, f * dz);
            add_to_sums(sums, energy, f, dx, dy, dz);
        }
    }
}

/* Particle k against what is staged of the cells around its own, `home`. */
DEVICE void meet_staged(int k, real4 own, int4 home, staged_runs staged, cell_block block, cell_grid grid,
                        GLOBAL const int *RESTRICT cell_start, int lane, GLOBAL const int *RESTRICT sorted_index, real cutoff2,
                        own_force *sum, pair_sums *sums PAIR_PARAMETERS)
{
    const int rows_y = 2 * grid.reach.y + 1;
    for (int r = 0; r < rows_around(grid) && k >= 0; r++) {
        const int row_number = (home.z - block.z + r / rows_y) * block.halo_rows_y + home.y - block.y + r % rows_y -
                               staged.first_row;
        if (row_number < 0 || row_number >= staged.rows) {
            continue;
        }
        const cell_row row = row_around(grid, own, home, r);
        for (int image = row.first_image; image <= row.last_image; image++) {
            const int s = row_number * RUNS_PER_ROW + image + PERIODIC;
            const int slot_less_place = staged.run_slot[s] - staged.run_first[s];
            particle_run slots;
            slots.begin = cell_start[row_begin(grid, row, image)] + slot_less_place;
            slots.stop = cell_start[row_stop(grid, row, image)] + slot_less_place;
            meet_slots(k, own, make_real4(row_x(grid, row, image), row.y, row.z, 0), staged, common_run(slots, staged.part),
                       slot_less_place, lane, sorted_index, cutoff2, sum, sums PAIR_ARGUMENTS);
        }
    }
}

KERNEL void all_in_sm(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                      real search_radius2, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                      real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                      GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 staged_position[STAGED];
    LOCAL int run_first[GROUP_SIZE];
    LOCAL int run_slot[GROUP_SIZE + 1];
    LOCAL int own_first[SIDE_Y * SIDE_Z]; /* of the block's own rows, the first particle */
    LOCAL int own_count[SIDE_Y * SIDE_Z];
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int lane = LOCAL_ID % LANES_PER_PARTICLE;
    const int4 blocks = count_blocks(cells); /* more than there are groups where sides do not divide edges */
    staged_runs staged;
    staged.position = staged_position;
    staged.run_first = run_first;
    staged.run_slot = run_slot;
    pair_sums sums;
    clear_sums(&sums);
    /* Loops with barriers test at their end, which PoCL compiles in a fraction of the time. No group is without a block. */
    int number = GROUP_ID;
    do {
        const cell_block block = make_cell_block(number, blocks, cells, reach);
        SYNC_THREADS;
        find_own_rows(own_first, own_count, block, grid, cell_start);
        SYNC_THREADS;
        const int particles = count_particles(own_count, block.rows);
        int is_whole = 0; /* whether all that the block needs is in local memory */
        int round = 0;
        do {
            const int k = particle_of_rows(own_first, own_count, block.rows, round + LOCAL_ID / LANES_PER_PARTICLE);
            const real4 own = sorted_position[k < 0 ? 0 : k];
            const int4 home = grid_cell(grid, own);
            own_force sum;
            clear_force(&sum);
            staged.first_row = 0;
            do {
                const int rows_left = block.halo_rows - staged.first_row;
                staged.rows = rows_left < ROWS_AT_ONCE ? rows_left : ROWS_AT_ONCE;
                const int runs = particles > 0 ? staged.rows * RUNS_PER_ROW : 0;
                const int slots = find_runs(staged, runs, is_whole, block, grid, cell_start);
                staged.part.begin = 0;
                do {
                    /* put them into local memory, as many as there is room for, and walk what is in reach */
                    staged.part.stop = slots - staged.part.begin < STAGED ? slots : staged.part.begin + STAGED;
                    SYNC_THREADS;
                    load_part(staged, runs, is_whole, sorted_position);
                    SYNC_THREADS;
                    meet_staged(k, own, home, staged, block, grid, cell_start, lane, sorted_index, cutoff2, &sum,
                                &sums PAIR_ARGUMENTS);
                    staged.part.begin += STAGED;
                } while (staged.part.begin < slots);
                is_whole = staged.rows == block.halo_rows && slots <= STAGED;
                staged.first_row += ROWS_AT_ONCE;
            } while (staged.first_row < block.halo_rows);
#if LANES > 1
            SYNC_THREADS;
            own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
#endif
            if (k >= 0 && lane == 0) {
                store_own_force(force, force_plane, sorted_index[k], &sum);
            }
            round += GROUP_SIZE / LANES_PER_PARTICLE;
        } while (round < particles);
        number += NUM_GROUPS;
    } while (number < blocks.w);
    STORE_SUMS(partial_sums, &sums, 0.5);
}
