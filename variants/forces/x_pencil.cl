/*
 * x_pencil — a group per pencil of cells along x, the pencils around it staged in local memory one after the other
 *
 * Where cells hold few particles, a group per cell would be mostly idle. A group takes up to PENCIL cells that follow each
 * other along x, and its work-items a particle of them each (or LANES work-items one particle), GROUP_SIZE / LANES at a time. For
 * every row of cells around them the group puts the particles from the first cell within reach of the pencil up to the last one into
 * local memory: a run of the sorted particles, or two where it passes the end of a periodic box. A work-item then walks those
 * of its own cell's reach alone, as in sorted_cells, which leaves to the caches what is staged here. A run of more than STAGED
 * particles is staged in parts. Every pair is computed from both sides; no atomics. Two barriers per part are the price, and
 * that work-items wait for the one with most partners in it. On an H200 1.06 ms where sorted_cells takes 0.91 (docs/tried.md).
 *
 * @workload  forces coordination
 * @name      coordination_x_pencil for coordination
 * @groups    one for coordination
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      x_pencil group per cell / PENCIL
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   PENCIL 1 2 4 8* 16
 * @tunable   LANES 1* 2 4 8
 * @tunable   STAGED 64 128 256* 512
 * @holds     STAGED 1.2 * density * cutoff * cutoff * cutoff * (PENCIL / CELLS_PER_CUTOFF + 2) / CELLS_PER_CUTOFF / CELLS_PER_CUTOFF
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    D. Algis, B. Bramas, E. Darles, L. Aveneau, Efficient GPU Implementation of Particle Interactions with Cutoff
 *            Radius and Few Particles per Cell, arXiv 2406.16091 (2024): X-pencil; parts and lanes are our own
 */

/* A pencil: `length` cells from cell `first` on of the row at y and z. */
typedef struct {
    int first, length, y, z;
} pencil_cells;

/* Those of pencil `number`, with `per_row` pencils per row: as many cells as others have, or one more. */
DEVICE pencil_cells cells_of_pencil(int number, int per_row, int4 cells)
{
    const int along = number % per_row;
    const int longer = cells.x % per_row;
    const int length = cells.x / per_row + (along < longer ? 1 : 0);
    pencil_cells of_pencil;
    of_pencil.first = along * (cells.x / per_row) + (along < longer ? along : longer);
    of_pencil.length = length;
    of_pencil.y = number / per_row % cells.y;
    of_pencil.z = number / per_row / cells.y;
    return of_pencil;
}

/* Particle k, which lies at `own` and is seen by a row at `seen`, against every LANES_PER_PARTICLE-th of a run; `staged` holds
 * sorted particles from `part_begin` on. The loop itself asks whether there is a particle: asked around the loop, NVRTC unrolls it
 * and a kernel has up to 45 % more instructions. */
DEVICE void meet_staged(int k, int has_particle, real4 own, real4 seen, particle_run run, int lane,
                        LOCAL_ARG const real4 *staged, int part_begin, GLOBAL const int *RESTRICT sorted_index, real cutoff2,
                        own_force *sum, pair_sums *sums PAIR_PARAMETERS)
{
    for (int j = run.begin + lane; j < run.stop && has_particle; j += LANES_PER_PARTICLE) {
        const real4 other = staged[j - part_begin];
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

KERNEL void x_pencil(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                     real search_radius2, GLOBAL const int *RESTRICT cell_start,
                     GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, box_args box,
                     real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                     GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 staged[STAGED];
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int lane = LOCAL_ID % LANES_PER_PARTICLE;
    const int rows = rows_around(grid);
    const int rows_y = 2 * reach.y + 1;
    const int per_row = (cells.x + PENCIL - 1) / PENCIL;
    const int pencils = per_row * cells.y * cells.z; /* more than there are groups where PENCIL does not divide cells.x */
    pair_sums sums;
    clear_sums(&sums);
    for (int pencil = GROUP_ID; pencil < pencils; pencil += NUM_GROUPS) {
        /* the pencil's cells, and its particles */
        const pencil_cells own_cells = cells_of_pencil(pencil, per_row, cells);
        const int first = own_cells.first - reach.x;
        const int last = own_cells.first + own_cells.length - 1 + reach.x;
        const int first_image = PERIODIC ? image_of_cell(first, cells.x) : 0;
        const int last_image = PERIODIC ? image_of_cell(last, cells.x) : 0;
        const particle_run of_pencil = run_of_cells(grid, cell_start, own_cells.first,
                                                    own_cells.first + own_cells.length - 1, own_cells.y, own_cells.z, 0);
        for (int round = of_pencil.begin; round < of_pencil.stop; round += GROUP_SIZE / LANES_PER_PARTICLE) {
            const int k = round + LOCAL_ID / LANES_PER_PARTICLE;
            const int has_particle = k < of_pencil.stop;
            const real4 own = sorted_position[has_particle ? k : round];
            const int4 home = grid_cell(grid, own);
            own_force sum;
            clear_force(&sum);
            /* Loops with barriers test at their end, which PoCL compiles in less time. */
            int r = 0;
            do {
                const cell_row row = row_around(grid, own, home, r);
                int image = first_image;
                do {
                    const particle_run run =
                        run_of_cells(grid, cell_start, first, last, own_cells.y - reach.y + r % rows_y,
                                     own_cells.z - reach.z + r / rows_y, image);
                    const particle_run near = run_in_reach(grid, cell_start, row, image);
                    const real4 seen = make_real4(row_x(grid, row, image), row.y, row.z, 0);
                    particle_run part = run;
                    do {
                        /* put a part of the row into local memory */
                        part.stop = run.stop - part.begin < STAGED ? run.stop : part.begin + STAGED;
                        SYNC_THREADS;
                        for (int j = part.begin + LOCAL_ID; j < part.stop; j += GROUP_SIZE) {
                            staged[j - part.begin] = sorted_position[j];
                        }
                        SYNC_THREADS;
                        /* walk what is in reach */
                        meet_staged(k, has_particle, own, seen, common_run(near, part), lane, staged, part.begin, sorted_index,
                                    cutoff2, &sum, &sums PAIR_ARGUMENTS);
                        part.begin += STAGED;
                    } while (part.begin < run.stop);
                    image++;
                } while (image <= last_image);
                r++;
            } while (r < rows);
#if LANES > 1
            SYNC_THREADS;
            own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
#endif
            if (has_particle && lane == 0) {
                store_own_force(force, force_plane, sorted_index[k], &sum);
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
