/*
 * sorted_cells — one particle a work-item, against the cells within reach, particles lying in the order of cells
 *
 * Work-items next to each other hold particles of one cell or of neighbouring ones, so they read the same partners
 * at nearly the same time and the cache serves them. Cells along x follow each other in memory: for every row of
 * cells the partners are one run, or two where the row passes the end of a periodic box, and the shift of the
 * image is one number a run, so that no pair pays for it. Before a row is walked, its distance in y and z says
 * whether it can matter and how far in x it needs to be walked; cells narrower than the cutoff make that cut
 * sharper, at the price of shorter runs. Every pair is computed from both sides; no atomics.
 *
 * @workload  forces
 * @structure sorted_cells
 * @pass      sorted_cells item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   CELLS_PER_CUTOFF 1 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    cells sorted by a counting sort: S. Green, Particle Simulation using CUDA, NVIDIA (2010); the cut of
 *            the rows is our own
 */

/* How far outside the slab of cells [first, first + width) a coordinate lies; zero inside. */
DEVICE real gap_to_slab(real x, real first, real width)
{
    return MAX_REAL(REAL(0.0), MAX_REAL(first - x, x - (first + width)));
}

KERNEL void sorted_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real search_radius2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                         real4 edge, real cutoff2, GLOBAL accum4 *RESTRICT force,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = cell_of(own, cell_origin, inverse_cell_width, cells);
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int z = home.z - reach.z; z <= home.z + reach.z; z++) {
            const int image_z = image_of_cell(z, cells.z);
            const real gap_z = gap_to_slab(own.z, cell_origin.z + z * cell_width.z, cell_width.z);
#if !PERIODIC
            if (image_z != 0) {
                continue;
            }
#endif
            for (int y = home.y - reach.y; y <= home.y + reach.y; y++) {
                const int image_y = image_of_cell(y, cells.y);
                const real gap_y = gap_to_slab(own.y, cell_origin.y + y * cell_width.y, cell_width.y);
                const real left2 = search_radius2 - gap_z * gap_z - gap_y * gap_y;
                if (left2 < 0) {
                    continue;
                }
#if !PERIODIC
                if (image_y != 0) {
                    continue;
                }
#endif
                const real left = SQRT(left2);
                const real offset = own.x - cell_origin.x;
                int first = (int)FLOOR((offset - left) * inverse_cell_width.x);
                int last = (int)FLOOR((offset + left) * inverse_cell_width.x);
                first = first < home.x - reach.x ? home.x - reach.x : first;
                last = last > home.x + reach.x ? home.x + reach.x : last;
                const int row = ((z - image_z * cells.z) * cells.y + (y - image_y * cells.y)) * cells.x;
                const real shifted_y = own.y - image_y * edge.y;
                const real shifted_z = own.z - image_z * edge.z;
                const int last_image = image_of_cell(last, cells.x);
                for (int image_x = image_of_cell(first, cells.x); image_x <= last_image; image_x++) {
#if !PERIODIC
                    if (image_x != 0) {
                        continue;
                    }
#endif
                    const int begin = first - image_x * cells.x;
                    const int end = last - image_x * cells.x;
                    const int stop = cell_start[row + (end < cells.x ? end : cells.x - 1) + 1];
                    const real shifted_x = own.x - image_x * edge.x;
                    for (int j = cell_start[row + (begin > 0 ? begin : 0)]; j < stop; j++) {
                        const real4 other = sorted_position[j];
                        const real dx = shifted_x - other.x;
                        const real dy = shifted_y - other.y;
                        const real dz = shifted_z - other.z;
                        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                        COUNT_DISTANCE(&sums);
                        if (IN_CUTOFF(r2, cutoff2) && j != k) {
                            pair_energy energy = NO_ENERGY;
                            const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
                            fx += f * dx;
                            fy += f * dy;
                            fz += f * dz;
                            add_to_sums(&sums, energy, f, dx, dy, dz);
                        }
                    }
                }
            }
        }
        force[sorted_index[k]] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
