/*
 * pme_atomic — one particle per work-item spreads its charge by atomic additions and gathers its force
 *
 * The plainest: splines are computed where they are used, twice, and the influence function at every point. What it costs:
 * SPLINE_ORDER^3 atomic additions a particle, scattered as the particles are in memory.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   spectrum accum spectrum_point * 2
 * @pass      clear item per grid_point
 * @pass      spread item per particle
 * @pass      convert item per fixed_grid_point
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    U. Essmann et al., J. Chem. Phys. 103 (1995) 8577
 */
KERNEL void clear(int4 grid_size, GLOBAL accum *RESTRICT grid)
{
    const int point = GLOBAL_ID;
    if (point < grid_size.x * grid_size.y * grid_size.z) {
        grid[point] = ACCUM(0.0);
    }
}

KERNEL void spread(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL accum *grid)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const grid_place place = place_on_grid(own, box, grid_size);
        real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER], slope[SPLINE_ORDER];
        fill_spline(place.behind_x, x, slope);
        fill_spline(place.behind_y, y, slope);
        fill_spline(place.behind_z, z, slope);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int plane = next_point(place.x, a, grid_size.x) * grid_size.y;
            for (int b = 0; b < SPLINE_ORDER; b++) {
                const int row = (plane + next_point(place.y, b, grid_size.y)) * grid_size.z;
                const real charge = own.w * x[a] * y[b];
                for (int c = 0; c < SPLINE_ORDER; c++) {
                    add_to_grid(grid, row + next_point(place.z, c, grid_size.z), charge * z[c]);
                }
            }
        }
    }
}

KERNEL void convert(int4 grid_size, GLOBAL accum *grid)
{
    const int point = GLOBAL_ID;
    if (point < grid_size.x * grid_size.y * grid_size.z) {
        numbers_of_grid(grid, point);
    }
}

KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                  GLOBAL accum *RESTRICT spectrum, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < grid_size.x * grid_size.y * (grid_size.z / 2 + 1)) {
        const accum re = spectrum[2 * k];
        const accum im = spectrum[2 * k + 1];
        const accum influence =
            solve_mode(spectrum_point_of(k, grid_size), grid_size, ewald, spline_moduli, re * re + im * im, &sums);
        spectrum[2 * k] = influence * re;
        spectrum[2 * k + 1] = influence * im;
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void gather(int n, box_args box, int4 grid_size, ewald_args ewald, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const accum *RESTRICT grid, GLOBAL force_sum *RESTRICT force, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const grid_place place = place_on_grid(own, box, grid_size);
        real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER];
        real slope_x[SPLINE_ORDER], slope_y[SPLINE_ORDER], slope_z[SPLINE_ORDER];
        accum along_x = ACCUM(0.0);
        accum along_y = ACCUM(0.0);
        accum along_z = ACCUM(0.0);
        fill_spline(place.behind_x, x, slope_x);
        fill_spline(place.behind_y, y, slope_y);
        fill_spline(place.behind_z, z, slope_z);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int plane = next_point(place.x, a, grid_size.x) * grid_size.y;
            for (int b = 0; b < SPLINE_ORDER; b++) {
                const int row = (plane + next_point(place.y, b, grid_size.y)) * grid_size.z;
                accum potential = ACCUM(0.0);
                accum rise = ACCUM(0.0);
                for (int c = 0; c < SPLINE_ORDER; c++) {
                    const accum there = grid[row + next_point(place.z, c, grid_size.z)];
                    potential += z[c] * there;
                    rise += slope_z[c] * there;
                }
                along_x += slope_x[a] * y[b] * potential;
                along_y += x[a] * slope_y[b] * potential;
                along_z += x[a] * y[b] * rise;
            }
        }
        const accum4 whole = force_of_gradient(own.w, along_x, along_y, along_z, grid_size, ewald);
        own_force sum;
        clear_force(&sum);
        add_part_to_force(&sum, whole.x, whole.y, whole.z);
        store_own_force(force, force_plane, i, &sum);
    }
}
