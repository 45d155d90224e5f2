/*
 * conditioning — how far errors move the force on each particle: what a gate needs to know of a
 * box too large for the reference
 *
 * Not a variant to be timed. In the place of the force on particle i stand S_i, the sum of |f_ij|;
 * T_i, the sum of max(|df/dr|, |f|/r); and how many partners are within the cutoff. The sums are
 * those over pairs of |u|, of the change of u by r, of r |f|, of |f| + r max(|df/dr|, |f|/r); the
 * pairs within the cutoff; and the pairs as close to it as a step.
 *
 * Derivatives are differences over CONDITION_STEP, which is the error of a distance in the
 * arithmetic that is judged, to either side, the larger one. So what jumps within that reach (at
 * the cutoff, at a term's own cutoff, where a pair function jumps) counts as a slope as
 * steep as the jump is high: a tolerance of slope times error allows it. The structure reaches a
 * step farther than the cutoff. JUDGED_TERM is the term of a sum that is looked at, since errors of
 * the terms do not cancel where their values do. -1 is the sum itself, and in the place of the
 * force on particle i then stand the sum of u_ij and of r f_ij over its partners, for the host to
 * add up.
 *
 * @workload  forces
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      conditioning item per particle
 * @tunable   GROUP_SIZE 128*
 * @tunable   JUDGED_TERM 0* 1 2 3
 */

typedef struct {
    real force, energy;
} condition_value;

/* The term at a distance of its own; nothing beyond the cutoff. */
DEVICE condition_value condition_at(real r, real4 own, real4 other, int i, int j PAIR_PARAMETERS)
{
    condition_value value = { 0, 0 };
    const real r2 = r * r;
    if (r2 <= REAL(CONDITION_CUTOFF2)) {
        pair_energy energy = NO_ENERGY;
        value.force = PAIR_FORCE(r2, own, other, i, j, &energy) * r;
#if ENERGIES_APART
        value.energy = energy.x + energy.y;
#else
        value.energy = energy;
#endif
    }
    return value;
}

/* The larger change of the two, by the step. */
DEVICE real condition_slope(real below, real here, real above)
{
    return MAX_REAL(FABS(above - here), FABS(here - below)) * REAL(CONDITION_PER_STEP);
}

KERNEL void conditioning(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width,
                         real4 cell_origin, real search_radius2,
                         GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position,
                         GLOBAL const int *RESTRICT sorted_index, box_args box, real cutoff2,
                         GLOBAL accum4 *RESTRICT force,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const cell_grid grid = make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin,
                                          search_radius2, box);
    const real step = REAL(CONDITION_STEP);
    const int k = GLOBAL_ID;
    accum scale = 0;
    accum slope = 0;
    accum energy = 0;
    accum virial = 0;
    int partners = 0;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int own_index = sorted_index[k];
        const int4 home = grid_cell(grid, own);
        const int rows = rows_around(grid);
        for (int row_index = 0; row_index < rows; row_index++) {
            const cell_row row = row_around(grid, own, home, row_index);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                const real own_x = row_x(grid, row, image);
                for (int p = cell_start[row_begin(grid, row, image)]; p < stop; p++) {
                    const real4 other = sorted_position[p];
                    const real dx = own_x - other.x;
                    const real dy = row.y - other.y;
                    const real dz = row.z - other.z;
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    if (IN_CUTOFF(r2, cutoff2) && p != k) {
                        const real r = SQRT(r2);
                        const int other_index = sorted_index[p];
                        const condition_value here =
                            condition_at(r, own, other, own_index, other_index PAIR_ARGUMENTS);
                        const condition_value below = condition_at(r - step, own, other, own_index,
                                                                   other_index PAIR_ARGUMENTS);
                        const condition_value above = condition_at(r + step, own, other, own_index,
                                                                   other_index PAIR_ARGUMENTS);
                        const real size = FABS(here.force);
                        const real across = size == 0 ? 0 : size / r;
                        const real steepest =
                            MAX_REAL(condition_slope(below.force, here.force, above.force), across);
                        const int counts = r2 <= REAL(CONDITION_CUTOFF2);
                        scale += size;
                        slope += steepest;
                        energy += here.energy;
                        virial += r * here.force;
                        partners += counts;
                        sums.value[0] += FABS(here.energy);
                        sums.value[1] += MAX_REAL(
                            condition_slope(below.energy, here.energy, above.energy), size);
                        sums.value[2] += r * size;
                        sums.value[3] += size + r * steepest;
                        sums.value[4] += counts;
                        sums.value[5] += (r + step) * (r + step) > REAL(CONDITION_CUTOFF2);
                    }
                }
            }
        }
#if JUDGED_TERM < 0
        force[own_index] = make_accum4(energy, virial, 0, 0);
#else
        force[own_index] = make_accum4(scale, slope, partners, 0);
#endif
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
