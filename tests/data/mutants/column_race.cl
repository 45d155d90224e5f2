/*
 * column_race — each pair of two groups met once, with no barrier before the columns' sums are taken
 *
 * Each work-item adds what it finds to the columns' sums, which begin as zero, in strips of their own. The first
 * work-items then take the sums, to which others have yet to add. The gate must reject it: on a GPU the warps of a
 * group are seldom level, and a CPU runs the work-items between two barriers one after the other.
 *
 * @workload    coordination
 * @groups      two
 * @structure   none
 * @accumulates derivative
 * @pass        column_race item per particle_a
 * @tunable     GROUP_SIZE 256
 * @tunable     COLUMNS 32
 * @tunable     MUTATION 1
 */
KERNEL void column_race(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, real4 edge, real4 inverse_edge, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT derivative_b,
                        GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL accum column_sums[3 * GROUP_SIZE];
    const int i = GLOBAL_ID;
    const int strip = LOCAL_ID / COLUMNS * COLUMNS;
    const real4 own = position_a[i < n_a ? i : 0];
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int first = 0; first < n_b; first += COLUMNS) {
        SYNC_THREADS;
        for (int axis = 0; axis < 3; axis++) {
            column_sums[axis * GROUP_SIZE + LOCAL_ID] = 0;
        }
        SYNC_THREADS;
        for (int t = 0; t < COLUMNS; t++) {
            const int c = (LOCAL_ID + t) % COLUMNS;
            if (i < n_a && first + c < n_b) {
                const real4 other = position_b[first + c];
                const real4 d = nearest_difference(own, other, edge, inverse_edge);
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(d.w, cutoff2)) {
                    pair_energy value = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, other, 0, 0, &value);
                    x -= f * d.x;
                    y -= f * d.y;
                    z -= f * d.z;
                    column_sums[strip + c] += f * d.x;
                    column_sums[GROUP_SIZE + strip + c] += f * d.y;
                    column_sums[2 * GROUP_SIZE + strip + c] += f * d.z;
                    add_to_sums(&sums, value, f, d.x, d.y, d.z);
                }
            }
        }
        /* Here a barrier is missing. */
        if (LOCAL_ID < COLUMNS && first + LOCAL_ID < n_b) {
            for (int axis = 0; axis < 3; axis++) {
                accum total = 0;
                for (int s = LOCAL_ID; s < GROUP_SIZE; s += COLUMNS) {
                    total += column_sums[axis * GROUP_SIZE + s];
                }
                ATOMIC_ADD(&derivative_b[4 * (first + LOCAL_ID) + axis], total);
            }
        }
    }
    if (i < n_a) {
        derivative_a[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
