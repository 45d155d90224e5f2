/*
 * two_groups_one_pass — each (a, b) met once, both sides' derivatives from it
 *
 * A group holds GROUP_SIZE particles of A, one a work-item, and walks all of B, COLUMNS particles at a time, through
 * local memory. A's derivatives stay in registers and are written once; B's are added up in local memory and then
 * atomically, one addition a group, particle and axis. Half the distances of two passes. How many groups there are
 * depends on A alone: a small A leaves the device empty, whatever the size of B.
 *
 * @workload    coordination
 * @groups      two
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates derivative
 * @pass        two_groups_one_pass item per particle_a
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     COLUMNS 32 64* 128
 */
KERNEL void two_groups_one_pass(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                                GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                                GLOBAL const int *RESTRICT index_b, box_args box, real cutoff2,
                                GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT derivative_b,
                                GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    COLUMN_SCRATCH
    const int i = GLOBAL_ID;
    const int has_row = i < n_a;
    const real4 own = position_a[has_row ? i : 0];
    const int own_index = index_a[has_row ? i : 0];
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int first = 0; first < n_b; first += COLUMNS) {
        const int count = n_b - first < COLUMNS ? n_b - first : COLUMNS;
        begin_columns(position_b, index_b, first, count, column_tile, column_index, column_sum);
        meet_columns(has_row, own, own_index, count, column_tile, column_index, column_sum, box, cutoff2,
                     &x, &y, &z, &sums PAIR_ARGUMENTS);
        end_columns(first, count, column_sum, derivative_b);
    }
    if (has_row) {
        derivative_a[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
