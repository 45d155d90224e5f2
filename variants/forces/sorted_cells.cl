/*
 * sorted_cells — one particle a work-item or several, against the cells within reach, particles in the order of cells
 *
 * Work-items next to each other hold one particle, or particles of one cell or of neighbouring ones, so they read the
 * same partners at nearly the same time and the cache serves them. Cells along x follow each other in memory: for every
 * row of cells the partners are one run, or two where the row passes the end of a periodic box, and the shift of the
 * image is one number a run, so that no pair pays for it. LANES work-items of a particle take every LANES-th of a run and
 * add up what they found through local memory: more fill the device where particles are few, one wastes nothing where
 * they are many. Before a row is walked, its distance in y and z says whether it can matter and how far in x it needs
 * to be walked; cells narrower than the cutoff make that cut sharper, at the price of shorter runs. Every pair is
 * computed from both sides; no atomics.
 *
 * @workload  forces coordination
 * @name      coordination_cells for coordination
 * @groups    one for coordination
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      sorted_cells item per particle * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 1 2* 4 8
 * @tunable   LANES 1 2 4* 8 16 for coordination
 * @tunable   CELLS_PER_CUTOFF 1 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    cells sorted by a counting sort: S. Green, Particle Simulation using CUDA, NVIDIA (2010); the cut of
 *            the rows and the lanes are our own
 */

KERNEL void sorted_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real search_radius2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                         box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID / LANES_PER_PARTICLE;
    const int lane = GLOBAL_ID % LANES_PER_PARTICLE;
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = grid_cell(grid, own);
        for (int z = home.z - reach.z; z <= home.z + reach.z; z++) {
            for (int y = home.y - reach.y; y <= home.y + reach.y; y++) {
                const cell_row row = row_at(grid, own, home, y, z);
                for (int image = row.first_image; image <= row.last_image; image++) {
                    const int stop = cell_start[row_stop(grid, row, image)];
                    const real own_x = row_x(grid, row, image);
                    for (int j = cell_start[row_begin(grid, row, image)] + lane; j < stop; j += LANES_PER_PARTICLE) {
                        const real4 other = sorted_position[j];
                        const real dx = own_x - other.x;
                        const real dy = row.y - other.y;
                        const real dz = row.z - other.z;
                        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                        COUNT_DISTANCE(&sums);
                        if (IN_CUTOFF(r2, cutoff2) && j != k) {
                            pair_energy energy = NO_ENERGY;
                            const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
                            add_to_force(&sum, f * dx, f * dy, f * dz);
                            add_to_sums(&sums, energy, f, dx, dy, dz);
                        }
                    }
                }
            }
        }
    }
#if LANES > 1
    own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
#endif
    if (k < n && lane == 0) {
        store_own_force(force, force_plane, sorted_index[k], &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
