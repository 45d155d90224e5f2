/*
 * two_groups_balanced_flat — the flat range of all A x B pairs, each group an equal share
 *
 * Pairs are numbered along the longer group first: number = shorter * n_longer + longer. Each group takes an equal
 * run of numbers, its work-items every GROUP_SIZE-th, so neighbouring work-items read neighbouring particles of the
 * longer group against one of the shorter. The latter's derivative stays in a register until the work-item comes to
 * the next; the former's is added atomically for every pair within dmax: cheap where few are, costly where all are,
 * as without a dmax. The shape of the rectangle does not matter.
 *
 * @workload    coordination
 * @groups      two
 * @structure   none
 * @accumulates derivative
 * @pass        two_groups_balanced_flat group per compute_unit * GROUPS_PER_UNIT
 * @tunable     GROUP_SIZE 64 128 256*
 * @tunable     GROUPS_PER_UNIT 4 8* 16
 */

KERNEL void two_groups_balanced_flat(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                                     GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                                     GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge, real cutoff2,
                                     GLOBAL accum *derivative_a, GLOBAL accum *derivative_b,
                                     GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int a_is_longer = n_a >= n_b;
    const int longer = a_is_longer ? n_a : n_b;
    GLOBAL const real4 *row_position = a_is_longer ? position_b : position_a;
    GLOBAL const real4 *other_position = a_is_longer ? position_a : position_b;
    GLOBAL const int *row_index = a_is_longer ? index_b : index_a;
    GLOBAL const int *other_index = a_is_longer ? index_a : index_b;
    GLOBAL accum *row_derivative = a_is_longer ? derivative_b : derivative_a;
    GLOBAL accum *other_derivative = a_is_longer ? derivative_a : derivative_b;
    const long64 pairs = (long64)n_a * n_b;
    const long64 begin = pairs / NUM_GROUPS * GROUP_ID + pairs % NUM_GROUPS * GROUP_ID / NUM_GROUPS;
    const long64 next = pairs / NUM_GROUPS * (GROUP_ID + 1) + pairs % NUM_GROUPS * (GROUP_ID + 1) / NUM_GROUPS;
    long64 left = next - begin - LOCAL_ID;
    int row = (int)(begin / longer);
    int j = (int)(begin - (long64)row * longer) + LOCAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    while (left > 0) {
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (; j >= longer; j -= longer) {
            row++;
        }
        const real4 own = row_position[row];
        const int own_index = row_index[row];
        for (; j < longer && left > 0; j += GROUP_SIZE, left -= GROUP_SIZE) {
            const real4 other = other_position[j];
            const real r2 = nearest_distance2(own.x - other.x, own.y - other.y, own.z - other.z, edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(r2, cutoff2) && DIFFERENT(other_index[j], own_index)) {
                const real4 d = nearest_difference(own, other, edge, inverse_edge);
                pair_energy value = NO_ENERGY;
                const real f = PAIR_FORCE(r2, own, other, own_index, other_index[j], &value);
                x -= f * d.x;
                y -= f * d.y;
                z -= f * d.z;
                add_derivative(other_derivative, j, f * d.x, f * d.y, f * d.z);
                add_to_sums(&sums, value, f, d.x, d.y, d.z);
            }
        }
        add_derivative(row_derivative, row, x, y, z);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
