/*
 * pme_mutant — pme_atomic, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 the influence function without the moduli of the splines, 2 charges on the last
 * point along x are missed, 3 the axes x and y are exchanged in the reciprocal lattice, 4 weights of one order less with the moduli
 * of the full one, 5 a virial without its term of k-vectors, 6 modes are cut off beyond a sphere, 7 a charge is lost where the particle
 * before went to the same points, 8 the grid is not emptied, 9 k and -k are exchanged, 10 modes that stand for themselves count
 * twice in the energy, 11 the axes y and z are exchanged in forces, 12 half the points stand for one sign alone, 13 grid points beyond
 * 2^16 are not solved.
 *
 * @workload  pme
 * @structure none
 * @boxes     periodic triclinic
 * @scratch   grid accum grid_point
 * @scratch   spectrum accum spectrum_point * 2
 * @pass      clear item per grid_point
 * @pass      spread item per particle
 * @transform forward grid spectrum
 * @pass      solve item per spectrum_point
 * @transform backward spectrum grid
 * @pass      gather item per particle
 * @tunable   MUTATION 0* 1 2 3 4 5 6 7 8 9 10 11 12 13
 */
DEVICE void fill_weights(real w, real *value, real *slope)
{
#if MUTATION == 4
    for (int j = 0; j < SPLINE_ORDER; j++) {
        value[j] = REAL(0.0);
    }
    value[0] = REAL(1.0) - w;
    value[1] = w;
    for (int k = 3; k < SPLINE_ORDER - 1; k++) {
        RAISE_SPLINE(k, w, value)
    }
    slope[0] = -value[0];
    for (int j = 1; j < SPLINE_ORDER; j++) {
        slope[j] = value[j - 1] - value[j];
    }
    RAISE_SPLINE(SPLINE_ORDER - 1, w, value)
#else
    fill_spline(w, value, slope);
#endif
}

KERNEL void clear(int4 grid_size, GLOBAL accum *RESTRICT grid)
{
    const int point = GLOBAL_ID;
    if (point < grid_size.x * grid_size.y * grid_size.z && (MUTATION != 8 || point % 97 != 0)) {
        grid[point] = ACCUM(0.0);
    }
}

KERNEL void spread(int n, box_args box, int4 grid_size, GLOBAL const real4 *RESTRICT position, GLOBAL accum *grid)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        const grid_place place = place_on_grid(own, box, grid_size);
        const grid_place before = place_on_grid(position[i > 0 ? i - 1 : 0], box, grid_size);
        const int meets = i > 0 && before.x == place.x && before.y == place.y;
        real x[SPLINE_ORDER], y[SPLINE_ORDER], z[SPLINE_ORDER], slope[SPLINE_ORDER];
        fill_weights(place.behind_x, x, slope);
        fill_weights(place.behind_y, y, slope);
        fill_weights(place.behind_z, z, slope);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int along_x = next_point(place.x, a, grid_size.x);
            for (int b = 0; b < SPLINE_ORDER; b++) {
                const int row = (along_x * grid_size.y + next_point(place.y, b, grid_size.y)) * grid_size.z;
                const real charge = own.w * x[a] * y[b];
                for (int c = 0; c < SPLINE_ORDER; c++) {
                    const int along_z = next_point(place.z, c, grid_size.z);
                    if ((MUTATION != 2 || along_x < grid_size.x - 1) &&
                        (MUTATION != 7 || !meets || along_z != next_point(before.z, c, grid_size.z))) {
                        ADD_TO_GRID(grid, row + along_z, charge * z[c]);
                    }
                }
            }
        }
    }
}

/* As solve_mode(). */
DEVICE accum solve_wrongly(spectrum_point point, int4 size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                           accum square, pair_sums *sums)
{
    const int x = frequency_of(point.x, size.x);
    const int y = frequency_of(point.y, size.y);
    const int z = frequency_of(point.z, size.z);
    const accum splines = MUTATION == 1 ? ACCUM(1.0)
                                        : spline_moduli[point.x] * spline_moduli[size.x + point.y] *
                                              spline_moduli[size.x + size.y + point.z];
    accum times = point.z == 0 || 2 * point.z == size.z ? ACCUM(0.5) : ACCUM(1.0);
    if (MUTATION == 10) {
        times = ACCUM(1.0);
    }
    if (x == 0 && y == 0 && z == 0) {
        return ACCUM(0.0);
    }
    ewald_mode mode = MUTATION == 3 ? find_mode(y, x, z, ewald) : find_mode(x, y, z, ewald);
    if (MUTATION == 6 && ewald.decay * mode.square > ACCUM(7.0)) {
        return ACCUM(0.0);
    }
    mode.influence *= splines;
    const accum energy = times * mode.influence * square;
#if MUTATION == 5 && WITH_VIRIAL
    sums->value[0] += TO_SUM(energy);
    sums->value[1] += TO_SUM(energy);
    sums->value[4] += TO_SUM(energy);
    sums->value[6] += TO_SUM(energy);
#else
    add_mode_to_sums(sums, mode, energy, ewald);
#endif
    return mode.influence;
}

KERNEL void solve(int4 grid_size, ewald_args ewald, GLOBAL const accum *RESTRICT spline_moduli,
                  GLOBAL accum *RESTRICT spectrum, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < grid_size.x * grid_size.y * (grid_size.z / 2 + 1) && (MUTATION != 13 || k < 65536)) {
        const accum re = spectrum[2 * k];
        const accum im = spectrum[2 * k + 1];
        const spectrum_point point = spectrum_point_of(k, grid_size);
#if MUTATION == 0 || MUTATION == 2 || MUTATION == 4 || MUTATION == 7 || MUTATION == 8 || MUTATION == 9 || MUTATION == 11
        const accum influence = solve_mode(point, grid_size, ewald, spline_moduli, re * re + im * im, &sums);
#else
        const accum influence = solve_wrongly(point, grid_size, ewald, spline_moduli, re * re + im * im, &sums);
#endif
        spectrum[2 * k] = influence * re;
        spectrum[2 * k + 1] = MUTATION == 9 ? -influence * im : influence * im;
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void gather(int n, box_args box, int4 grid_size, ewald_args ewald, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const accum *RESTRICT grid, GLOBAL accum4 *RESTRICT force)
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
        fill_weights(place.behind_x, x, slope_x);
        fill_weights(place.behind_y, y, slope_y);
        fill_weights(place.behind_z, z, slope_z);
        for (int a = 0; a < SPLINE_ORDER; a++) {
            const int plane = next_point(place.x, a, grid_size.x) * grid_size.y;
            for (int b = 0; b < SPLINE_ORDER; b++) {
                const int row = (plane + next_point(place.y, b, grid_size.y)) * grid_size.z;
                for (int c = 0; c < SPLINE_ORDER; c++) {
                    const accum there = grid[row + next_point(place.z, c, grid_size.z)];
                    along_x += slope_x[a] * y[b] * z[c] * there;
                    along_y += x[a] * slope_y[b] * z[c] * there;
                    along_z += x[a] * y[b] * slope_z[c] * there;
                }
            }
        }
        const accum y_of_it = MUTATION == 11 ? along_z : along_y;
        const accum z_of_it = MUTATION == 11 ? along_y : along_z;
        force[i] = force_of_gradient(own.w, along_x, y_of_it, z_of_it, grid_size, ewald);
    }
}
