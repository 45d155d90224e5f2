/*
 * two_groups_balanced_2d — the rectangle A x B cut into equal tiles whatever its shape, each group an equal share
 *
 * The longer side of the rectangle is cut into rows of GROUP_SIZE particles, one a work-item, the shorter into
 * columns of COLUMNS. The tiles, numbered down a column and then the next, are dealt out in equal runs to as many
 * groups as fill the device, so that a thousand against one and one against a thousand are the same work. A group
 * keeps its column in local memory, and the derivatives that belong to it, until its run leaves it; the derivatives
 * of rows are added atomically once a tile, or just written where one column holds the whole shorter side.
 *
 * @workload    coordination
 * @groups      two
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates derivative
 * @pass        two_groups_balanced_2d group per compute_unit * GROUPS_PER_UNIT
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     COLUMNS 32* 64 128
 * @tunable     GROUPS_PER_UNIT 8 16* 32
 */
KERNEL void two_groups_balanced_2d(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                                   GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                                   GLOBAL const int *RESTRICT index_b, box_args box, real cutoff2,
                                   GLOBAL accum *derivative_a, GLOBAL accum *derivative_b,
                                   GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    COLUMN_SCRATCH
    const int a_is_longer = n_a >= n_b;
    const int rows = a_is_longer ? n_a : n_b;
    const int columns = a_is_longer ? n_b : n_a;
    GLOBAL const real4 *row_position = a_is_longer ? position_a : position_b;
    GLOBAL const real4 *column_position = a_is_longer ? position_b : position_a;
    GLOBAL const int *row_index = a_is_longer ? index_a : index_b;
    GLOBAL const int *columns_index = a_is_longer ? index_b : index_a;
    GLOBAL accum *row_derivative = a_is_longer ? derivative_a : derivative_b;
    GLOBAL accum *column_derivative = a_is_longer ? derivative_b : derivative_a;
    const int tiles_down = (rows + GROUP_SIZE - 1) / GROUP_SIZE;
    const int tiles_across = (columns + COLUMNS - 1) / COLUMNS;
    const long64 tiles = (long64)tiles_down * tiles_across;
    long64 tile = tiles * GROUP_ID / NUM_GROUPS;
    const long64 stop = tiles * (GROUP_ID + 1) / NUM_GROUPS;
    pair_sums sums;
    clear_sums(&sums);
    while (tile < stop) {
        const int across = (int)(tile / tiles_down);
        const int first = across * COLUMNS;
        const int count = columns - first < COLUMNS ? columns - first : COLUMNS;
        int down = (int)(tile - (long64)across * tiles_down);
        begin_columns(column_position, columns_index, first, count, column_tile, column_index, column_sum);
        for (; down < tiles_down && tile < stop; down++, tile++) {
            const int i = down * GROUP_SIZE + LOCAL_ID;
            const int has_row = i < rows;
            accum x = 0;
            accum y = 0;
            accum z = 0;
            meet_columns(has_row, row_position[has_row ? i : 0], row_index[has_row ? i : 0], count, column_tile,
                         column_index, column_sum, box, cutoff2, &x, &y, &z, &sums PAIR_ARGUMENTS);
            if (has_row && tiles_across == 1) {
                row_derivative[4 * i] = x;
                row_derivative[4 * i + 1] = y;
                row_derivative[4 * i + 2] = z;
            } else if (has_row) {
                add_derivative(row_derivative, i, x, y, z);
            }
        }
        end_columns(first, count, column_sum, column_derivative);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
