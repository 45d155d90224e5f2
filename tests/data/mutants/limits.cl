/*
 * limits — sorted_cells with one fault, chosen by MUTATION, that only some boxes show; the default cases of check must
 * reject every one but the first
 *
 *  0 none: must pass
 *  1 the image along z by the edge along x, in boxes that are three times as long as high
 *  2 the last partner is lost where n is 7 modulo 32        3 the same, 31 modulo 32
 *  4 distances under 0.6 are taken for 0.6                  5 forces are cut off at 100 000
 *  6 the product of two indices overflows                   7 wrong from 20 000 particles on
 *  8 wrong in boxes longer than 50
 *
 * @workload  forces
 * @structure sorted_cells
 * @pass      limits item per particle
 * @tunable   GROUP_SIZE 128
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8
 */
#if MUTATION == 1
#define Z(dz, own, other) (edge.x > 3 * edge.z && ((dz) - ((own).z - (other).z)) != 0 ? (dz) + edge.x - edge.z : (dz))
#else
#define Z(dz, own, other) (dz)
#endif
#if MUTATION == 2
#define IS_LOST(index, n) ((n) % 32 == 7 && (index) == (n) - 1)
#elif MUTATION == 3
#define IS_LOST(index, n) ((n) % 32 == 31 && (index) == (n) - 1)
#elif MUTATION == 6
#define IS_LOST(index, n) ((long)(index) * (n) > 2147483647)
#elif MUTATION == 7
#define IS_LOST(index, n) ((n) >= 20000 && (index) == 0)
#elif MUTATION == 8
#define IS_LOST(index, n) (edge.x > 50 && (index) == 0)
#else
#define IS_LOST(index, n) 0
#endif
#if MUTATION == 4
#define NOT_TOO_NEAR(r2) fmax(r2, REAL(0.36))
#else
#define NOT_TOO_NEAR(r2) (r2)
#endif
#if MUTATION == 5
#define NOT_TOO_STRONG(f) fmin(f, REAL(100000.0))
#else
#define NOT_TOO_STRONG(f) (f)
#endif

KERNEL void limits(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                   real search_radius2, GLOBAL const int *RESTRICT cell_start,
                   GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index, real4 edge,
                   real cutoff2, GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const cell_grid grid = { cells, reach, cell_width, inverse_cell_width, cell_origin, edge, search_radius2 };
    const int k = GLOBAL_ID;
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = cell_of(own, cell_origin, inverse_cell_width, cells);
        const int rows = rows_around(grid);
        for (int r = 0; r < rows; r++) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                const real own_x = own.x - image * edge.x;
                for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                    const real4 other = sorted_position[j];
                    const real dx = own_x - other.x;
                    const real dy = row.y - other.y;
                    const real dz = Z(row.z - other.z, own, other);
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    COUNT_DISTANCE(&sums);
                    if (IN_CUTOFF(r2, cutoff2) && j != k && !IS_LOST(sorted_index[j], n)) {
                        pair_energy energy = NO_ENERGY;
                        const real near = NOT_TOO_NEAR(r2);
                        const real f = NOT_TOO_STRONG(
                            PAIR_FORCE(near, own, other, sorted_index[k], sorted_index[j], &energy));
                        x += f * dx;
                        y += f * dy;
                        z += f * dz;
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
    }
    if (k < n) {
        force[sorted_index[k]] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
