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
 * @pass      clear item per grid_point / CLEARED
 * @pass      spread item per particle
 * @pass      convert item per fixed_grid_point
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather item per particle
 * @tunable   CLEARED 1 2 4* 8
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    U. Essmann et al., J. Chem. Phys. 103 (1995) 8577
 */
KERNEL void clear(int4 grid_size, GLOBAL accum *RESTRICT grid)
{
    clear_grid_points(grid, GLOBAL_ID, CLEARED, grid_size);
}

KERNEL void spread(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL accum *grid)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        spread_particle(grid, own.w, place_on_grid(own, box, grid_size), grid_size);
    }
}

KERNEL void convert(int4 grid_size, GLOBAL accum *grid)
{
    convert_grid_point(grid, GLOBAL_ID, grid_size);
}

KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                  GLOBAL accum *RESTRICT spectrum, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    pair_sums sums;
    clear_sums(&sums);
    solve_point(spectrum, GLOBAL_ID, grid_size, ewald, spline_moduli, &sums);
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void gather(int n, box_args box, int4 grid_size, ewald_args ewald, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const accum *RESTRICT grid, GLOBAL force_sum *RESTRICT force, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const accum4 whole = gather_force(grid, own.w, place_on_grid(own, box, grid_size), grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
}
