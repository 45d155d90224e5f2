/*
 * all_in_sm — a group per block of cells, which stages the block and all cells around it in local memory and computes from there
 *
 * A group takes a block of up to CELLS_PER_GROUP cells (2: two along x; 4: two along y besides; 8: along z, too; 16: four along x). It finds
 * the runs of sorted particles in the rows of cells within reach of the block, a work-item per run, adds up how long they are, and puts
 * them all into local memory, LOADERS work-items per run. Then its work-items take a particle of the block each (or LANES work-items one),
 * GROUP_SIZE / LANES at a time, and walk the cells around its own, as in sorted_cells, which leaves to the caches what is staged
 * here. What is more than STAGED particles is staged in parts; so are more runs than there are work-items. Every pair is computed
 * from both sides; no atomics. Few barriers, but much local memory: it decides how many groups a multiprocessor holds,
 * and of what is staged the halo is the most. On an H200 1.03 ms where sorted_cells takes 0.91 (docs/lists.md).
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

/* A run of sorted particles: from `begin` on, up to `stop`. */
typedef struct {
    int begin, stop;
} particle_run;

/* Of cells `first` to `last` of the row at y and z, which may lie beyond the box, those that are seen in an image along x. */
DEVICE particle_run run_of_cells(cell_grid grid, GLOBAL const int *RESTRICT cell_start, int first, int last, int y, int z,
                                 int image)
{
    const int image_y = image_of_cell(y, grid.cells.y);
    const int image_z = image_of_cell(z, grid.cells.z);
    const int row = ((z - image_z * grid.cells.z) * grid.cells.y + y - image_y * grid.cells.y) * grid.cells.x;
    const int low = first - image * grid.cells.x;
    const int high = last - image * grid.cells.x;
    const int begin = low > 0 ? low : 0;
    const int end = high < grid.cells.x ? high : grid.cells.x - 1;
    particle_run run;
    run.begin = 0;
    run.stop = 0;
    if (begin <= end && (PERIODIC || (image == 0 && image_y == 0 && image_z == 0))) {
        run.begin = cell_start[row + begin];
        run.stop = cell_start[row + end + 1];
    }
    return run;
}

/* Where block number `block` of `blocks` begins among `cells` along an edge; as long as the others, or one longer. */
DEVICE int block_begin(int block, int blocks, int cells)
{
    const int longer = cells % blocks;
    return block * (cells / blocks) + (block < longer ? block : longer);
}

KERNEL void all_in_sm(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                      real search_radius2, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                      real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                      GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 staged[STAGED];
    LOCAL int run_first[GROUP_SIZE];    /* the sorted particle that a run begins with */
    LOCAL int run_slot[GROUP_SIZE + 1]; /* and its slot: the length of all runs before it */
    LOCAL int own_first[SIDE_Y * SIDE_Z]; /* the same of the block's own rows */
    LOCAL int own_count[SIDE_Y * SIDE_Z];
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int lane = LOCAL_ID % LANES_PER_PARTICLE;
    const int rows = rows_around(grid);
    const int blocks_x = (cells.x + SIDE_X - 1) / SIDE_X;
    const int blocks_y = (cells.y + SIDE_Y - 1) / SIDE_Y;
    const int blocks_z = (cells.z + SIDE_Z - 1) / SIDE_Z;
    const int blocks = blocks_x * blocks_y * blocks_z; /* more than there are groups where sides do not divide edges */
    pair_sums sums;
    clear_sums(&sums);
    /* Loops with barriers test at their end, which PoCL compiles in a fraction of the time. No group is without a block. */
    int block = GROUP_ID;
    do {
        /* the block's cells, its own rows, and the rows within reach */
        const int4 place = cell_place(block, make_int4(blocks_x, blocks_y, blocks_z, blocks));
        const int x = block_begin(place.x, blocks_x, cells.x);
        const int y = block_begin(place.y, blocks_y, cells.y);
        const int z = block_begin(place.z, blocks_z, cells.z);
        const int end_x = block_begin(place.x + 1, blocks_x, cells.x);
        const int own_rows_y = block_begin(place.y + 1, blocks_y, cells.y) - y;
        const int own_rows = own_rows_y * (block_begin(place.z + 1, blocks_z, cells.z) - z);
        const int halo_rows_y = own_rows_y + 2 * reach.y;
        const int halo_rows = halo_rows_y * (own_rows / own_rows_y + 2 * reach.z);
        SYNC_THREADS;
        if (LOCAL_ID < own_rows) {
            const particle_run run = run_of_cells(grid, cell_start, x, end_x - 1, y + LOCAL_ID % own_rows_y,
                                                  z + LOCAL_ID / own_rows_y, 0);
            own_first[LOCAL_ID] = run.begin;
            own_count[LOCAL_ID] = run.stop - run.begin;
        }
        SYNC_THREADS;
        int particles = 0;
        for (int own_row = 0; own_row < own_rows; own_row++) {
            particles += own_count[own_row];
        }
        int is_whole = 0; /* whether all that the block needs is in local memory */
        int round = 0;
        do {
            /* a particle of the block */
            int left = round + LOCAL_ID / LANES_PER_PARTICLE;
            int k = -1;
            for (int own_row = 0; own_row < own_rows; own_row++) {
                k = left >= 0 && left < own_count[own_row] ? own_first[own_row] + left : k;
                left -= own_count[own_row];
            }
            const real4 own = sorted_position[k < 0 ? 0 : k];
            const int4 home = grid_cell(grid, own);
            own_force sum;
            clear_force(&sum);
            int first_row = 0;
            do {
                /* the runs of these rows: where each begins, and how long it is */
                const int rows_now = halo_rows - first_row < ROWS_AT_ONCE ? halo_rows - first_row : ROWS_AT_ONCE;
                const int runs = particles > 0 ? rows_now * RUNS_PER_ROW : 0;
                SYNC_THREADS;
                if (!is_whole) {
                    const int row = first_row + LOCAL_ID / RUNS_PER_ROW;
                    particle_run run;
                    run.begin = 0;
                    run.stop = 0;
                    if (LOCAL_ID < runs) {
                        run = run_of_cells(grid, cell_start, x - reach.x, end_x - 1 + reach.x,
                                           y - reach.y + row % halo_rows_y, z - reach.z + row / halo_rows_y,
                                           LOCAL_ID % RUNS_PER_ROW - PERIODIC);
                    }
                    run_first[LOCAL_ID] = run.begin;
                    run_slot[LOCAL_ID + 1] = run.stop - run.begin;
                    if (LOCAL_ID == 0) {
                        run_slot[0] = 0;
                    }
                }
                SYNC_THREADS;
                /* add up their lengths */
                int distance = 1;
                do {
                    const int before = LOCAL_ID >= distance && !is_whole ? run_slot[LOCAL_ID + 1 - distance] : 0;
                    SYNC_THREADS;
                    run_slot[LOCAL_ID + 1] += before;
                    SYNC_THREADS;
                    distance *= 2;
                } while (distance < runs && !is_whole);
                const int slots = run_slot[runs];
                int part = 0;
                do {
                    /* put them into local memory, as many as there is room for */
                    const int part_stop = slots - part < STAGED ? slots : part + STAGED;
                    SYNC_THREADS;
                    for (int s = LOCAL_ID / LOADERS; s < runs && !is_whole; s += GROUP_SIZE / LOADERS) {
                        const int begin = run_slot[s] > part ? run_slot[s] : part;
                        const int stop = run_slot[s + 1] < part_stop ? run_slot[s + 1] : part_stop;
                        for (int slot = begin + LOCAL_ID % LOADERS; slot < stop; slot += LOADERS) {
                            staged[slot - part] = sorted_position[run_first[s] + slot - run_slot[s]];
                        }
                    }
                    SYNC_THREADS;
                    /* walk what is in reach */
                    for (int r = 0; r < rows && k >= 0; r++) {
                        const int row_number = (home.z - z + r / (2 * reach.y + 1)) * halo_rows_y + home.y - y +
                                               r % (2 * reach.y + 1) - first_row;
                        if (row_number < 0 || row_number >= rows_now) {
                            continue;
                        }
                        const cell_row row = row_around(grid, own, home, r);
                        for (int image = row.first_image; image <= row.last_image; image++) {
                            const int s = row_number * RUNS_PER_ROW + image + PERIODIC;
                            const int slot_less_place = run_slot[s] - run_first[s];
                            const int first = cell_start[row_begin(grid, row, image)] + slot_less_place;
                            const int end = cell_start[row_stop(grid, row, image)] + slot_less_place;
                            const int begin = first > part ? first : part;
                            const int stop = end < part_stop ? end : part_stop;
                            const real own_x = row_x(grid, row, image);
                            for (int slot = begin + lane; slot < stop; slot += LANES_PER_PARTICLE) {
                                const real4 other = staged[slot - part];
                                const int j = slot - slot_less_place;
                                const real dx = own_x - other.x;
                                const real dy = row.y - other.y;
                                const real dz = row.z - other.z;
                                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                                COUNT_DISTANCE(&sums);
                                if (IN_CUTOFF(r2, cutoff2) && j != k) {
                                    pair_energy energy = NO_ENERGY;
                                    const real f =
                                        PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
                                    add_to_force(&sum, f * dx, f * dy, f * dz);
                                    add_to_sums(&sums, energy, f, dx, dy, dz);
                                }
                            }
                        }
                    }
                    part += STAGED;
                } while (part < slots);
                is_whole = rows_now == halo_rows && slots <= STAGED;
                first_row += ROWS_AT_ONCE;
            } while (first_row < halo_rows);
#if LANES > 1
            SYNC_THREADS;
            own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
#endif
            if (k >= 0 && lane == 0) {
                store_own_force(force, force_plane, sorted_index[k], &sum);
            }
            round += GROUP_SIZE / LANES_PER_PARTICLE;
        } while (round < particles);
        block += NUM_GROUPS;
    } while (block < blocks);
    STORE_SUMS(partial_sums, &sums, 0.5);
}
