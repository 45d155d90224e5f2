/*
 * two_groups_balanced_flat — the flat range of all A x B pairs, each group an equal share
 *
 * The shorter group is taken ROWS particles at a time, and the steps (block of rows, particle of the longer group)
 * are numbered along the longer: number = block * n_longer + longer. Each group takes an equal run of numbers, its
 * work-items every GROUP_SIZE-th, so neighbouring work-items read neighbouring particles, each of which serves ROWS
 * pairs: with one row alone the reading of the longer group is what limits it as soon as that leaves the first-level
 * cache. The rows' derivatives stay in registers until the work-item comes to the next block; the longer group's are
 * added atomically once a step, where any pair is within dmax: cheap where few are, costly where all are, as without
 * a dmax. The shape of the rectangle does not matter.
 *
 * @workload    coordination
 * @groups      two
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates derivative
 * @pass        two_groups_balanced_flat group per compute_unit * GROUPS_PER_UNIT
 * @tunable     GROUP_SIZE 64 128 256*
 * @tunable     GROUPS_PER_UNIT 4 8* 16
 * @tunable     ROWS 1 2 4* 8
 */
KERNEL void two_groups_balanced_flat(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                                     GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                                     GLOBAL const int *RESTRICT index_b, box_args box, real cutoff2,
                                     GLOBAL accum *derivative_a, GLOBAL accum *derivative_b,
                                     GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int a_is_longer = n_a >= n_b;
    const int longer = a_is_longer ? n_a : n_b;
    const int shorter = a_is_longer ? n_b : n_a;
    GLOBAL const real4 *row_position = a_is_longer ? position_b : position_a;
    GLOBAL const real4 *other_position = a_is_longer ? position_a : position_b;
    GLOBAL const int *row_index = a_is_longer ? index_b : index_a;
    GLOBAL const int *other_index = a_is_longer ? index_a : index_b;
    GLOBAL accum *row_derivative = a_is_longer ? derivative_b : derivative_a;
    GLOBAL accum *other_derivative = a_is_longer ? derivative_a : derivative_b;
    const long64 steps = (long64)((shorter + ROWS - 1) / ROWS) * longer;
    const long64 begin = steps * GROUP_ID / NUM_GROUPS;
    long64 left = steps * (GROUP_ID + 1) / NUM_GROUPS - begin - LOCAL_ID;
    int block = (int)(begin / longer);
    int j = (int)(begin - (long64)block * longer) + LOCAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    while (left > 0) {
        real4 own[ROWS];
        accum x[ROWS];
        accum y[ROWS];
        accum z[ROWS];
        for (; j >= longer; j -= longer) {
            block++;
        }
        const int first = block * ROWS;
        const int rows = shorter - first < ROWS ? shorter - first : ROWS;
        for (int k = 0; k < ROWS; k++) {
            own[k] = row_position[first + (k < rows ? k : 0)];
            x[k] = 0;
            y[k] = 0;
            z[k] = 0;
        }
        for (; j < longer && left > 0; j += GROUP_SIZE, left -= GROUP_SIZE) {
            const real4 other = other_position[j];
            accum other_x = 0;
            accum other_y = 0;
            accum other_z = 0;
            for (int k = 0; k < ROWS; k++) {
                const real r2 = distance2(own[k], other, box);
#if COUNT_PAIRS
                sums.value[0] += k < rows;
#endif
                if (IN_CUTOFF(r2, cutoff2) && k < rows && DIFFERENT(other_index[j], row_index[first + k])) {
                    const real4 d = displacement(own[k], other, box);
                    pair_energy value = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, own[k], other, row_index[first + k], other_index[j], &value);
                    x[k] -= f * d.x;
                    y[k] -= f * d.y;
                    z[k] -= f * d.z;
                    other_x += f * d.x;
                    other_y += f * d.y;
                    other_z += f * d.z;
                    add_to_sums(&sums, value, f, d.x, d.y, d.z);
                }
            }
            add_derivative(other_derivative, j, other_x, other_y, other_z);
        }
        for (int k = 0; k < ROWS; k++) {
            if (k < rows) {
                add_derivative(row_derivative, first + k, x[k], y[k], z[k]);
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
