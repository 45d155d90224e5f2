/*
 * pme_lanes — LANES work-items a particle: each spreads to, and gathers from, some of its columns of points along x
 *
 * Splines are computed once a particle and shared by its work-items in local memory. Neighbours among these take points that
 * are neighbours along z, so that their additions and loads fall into the same lines of memory. With order^2 columns, 16
 * work-items or 32 have one or two each.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   spectrum accum spectrum_point * 2
 * @pass      clear item per grid_point / CLEARED
 * @pass      spread item per particle * LANES
 * @pass      convert item per fixed_grid_point
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather item per particle * LANES
 * @tunable   LANES 2 4 8 16* 32
 * @tunable   CLEARED 1 2 4* 8
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    threads per atom: S. Pall et al., J. Chem. Phys. 153 (2020) 134110
 */
#if GROUP_SIZE % LANES != 0
#error LANES has to divide GROUP_SIZE
#endif
#define LANE_PARTICLES (GROUP_SIZE / LANES)
#define LANE_COLUMNS (SPLINE_ORDER * SPLINE_ORDER)

/* The splines of a particle, and their slopes if there is room for them, by its work-items.
 *
 * All work-items take as many turns of each loop here, also where some have nothing left: PoCL compiled loops wrongly whose ends
 * differ (3.1 and 5.0). */
DEVICE void share_splines(grid_place place, int lane, LOCAL_ARG real *value, LOCAL_ARG real *slope)
{
    for (int turn = 0; turn * LANES < 3; turn++) {
        const int axis = turn * LANES + lane;
        if (axis < 3) {
            real of_axis[SPLINE_ORDER], slope_of_axis[SPLINE_ORDER];
            fill_spline(axis == 0 ? place.behind_x : axis == 1 ? place.behind_y : place.behind_z, of_axis, slope_of_axis);
            for (int j = 0; j < SPLINE_ORDER; j++) {
                value[axis * SPLINE_ORDER + j] = of_axis[j];
                if (slope) {
                    slope[axis * SPLINE_ORDER + j] = slope_of_axis[j];
                }
            }
        }
    }
}

KERNEL void clear(int4 grid_size, GLOBAL accum *RESTRICT grid)
{
    clear_grid_points(grid, GLOBAL_ID, CLEARED, grid_size);
}

KERNEL void spread(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL accum *grid)
{
    LOCAL real value[3 * SPLINE_ORDER * LANE_PARTICLES];
    const int i = GLOBAL_ID / LANES;
    const int lane = LOCAL_ID % LANES;
    const int own_values = LOCAL_ID / LANES * 3 * SPLINE_ORDER;
    const real4 own = position[i < n ? i : n - 1];
    const grid_place place = place_on_grid(own, box, grid_size);
    share_splines(place, lane, value + own_values, 0);
    SYNC_THREADS;
    for (int turn = 0; turn * LANES < LANE_COLUMNS; turn++) {
        const int column = turn * LANES + lane;
        if (column >= LANE_COLUMNS || i >= n) {
            continue;
        }
        const int b = column / SPLINE_ORDER;
        const int c = column % SPLINE_ORDER;
        const int y = next_point(place.y, b, grid_size.y);
        const int z = next_point(place.z, c, grid_size.z);
        const real charge = own.w * value[own_values + SPLINE_ORDER + b] * value[own_values + 2 * SPLINE_ORDER + c];
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int x = next_point(place.x, a, grid_size.x);
            ADD_TO_GRID(grid, (x * grid_size.y + y) * grid_size.z + z, TO_GRID(charge * value[own_values + a]));
        }
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
    LOCAL real value[3 * SPLINE_ORDER * LANE_PARTICLES];
    LOCAL real slope[3 * SPLINE_ORDER * LANE_PARTICLES];
    LOCAL accum scratch[3 * GROUP_SIZE];
    const int i = GLOBAL_ID / LANES;
    const int lane = LOCAL_ID % LANES;
    const int own_values = LOCAL_ID / LANES * 3 * SPLINE_ORDER;
    const real4 own = position[i < n ? i : n - 1];
    const grid_place place = place_on_grid(own, box, grid_size);
    accum along_x = ACCUM(0.0);
    accum along_y = ACCUM(0.0);
    accum along_z = ACCUM(0.0);
    share_splines(place, lane, value + own_values, slope + own_values);
    SYNC_THREADS;
    for (int turn = 0; turn * LANES < LANE_COLUMNS; turn++) {
        const int column = turn * LANES + lane;
        if (column >= LANE_COLUMNS) {
            continue;
        }
        const int b = own_values + SPLINE_ORDER + column / SPLINE_ORDER;
        const int c = own_values + 2 * SPLINE_ORDER + column % SPLINE_ORDER;
        const int y = next_point(place.y, column / SPLINE_ORDER, grid_size.y);
        const int z = next_point(place.z, column % SPLINE_ORDER, grid_size.z);
        accum potential = ACCUM(0.0);
        accum rise = ACCUM(0.0);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int x = next_point(place.x, a, grid_size.x);
            const accum there = grid[(x * grid_size.y + y) * grid_size.z + z];
            potential += value[own_values + a] * there;
            rise += slope[own_values + a] * there;
        }
        along_x += value[b] * value[c] * rise;
        along_y += slope[b] * value[c] * potential;
        along_z += value[b] * slope[c] * potential;
    }
    sum_over_lanes(scratch, LANES, 1, lane == 0, &along_x, &along_y, &along_z);
    if (lane == 0 && i < n) {
        const accum4 whole = force_of_gradient(own.w, along_x, along_y, along_z, grid_size, ewald);
        STORE_FORCE(force, force_plane, i, whole)
    }
}
