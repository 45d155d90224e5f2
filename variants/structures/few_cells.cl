/*
 * few_cells — sorted_cells of few particles, by one group: tickets and where cells begin are in local memory
 *
 * Where kernels are short, launching several of them takes longer than what they do.
 */
#define SCANNED_CELLS 8192

KERNEL void sort_few(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_width, int4 cells,
                     box_args box, GLOBAL int *cell, GLOBAL int *ticket, GLOBAL int *RESTRICT cell_start,
                     GLOBAL real4 *RESTRICT sorted_position, GLOBAL int *RESTRICT sorted_index)
{
    LOCAL int start[SCANNED_CELLS]; /* of each cell: how many particles, then where they begin */
    LOCAL int scratch[GROUP_SIZE];
    const int total = cells.w;
    const int each = (total + GROUP_SIZE - 1) / GROUP_SIZE;
    const int first = LOCAL_ID * each;
    int sum = 0;
    for (int c = LOCAL_ID; c < total; c += GROUP_SIZE) {
        start[c] = 0;
    }
    SYNC_THREADS;
    for (int i = LOCAL_ID; i < n; i += GROUP_SIZE) {
        const int c = cell_number(cell_in_box(position[i], box, origin, inverse_width, cells), cells);
        cell[i] = c;
        ticket[i] = ATOMIC_ADD_LOCAL_INT(&start[c], 1);
    }
    SYNC_THREADS;
    for (int c = first; c < first + each && c < total; c++) {
        sum += start[c];
    }
    scratch[LOCAL_ID] = sum;
    SYNC_THREADS;
    for (int apart = 1; apart < GROUP_SIZE; apart *= 2) {
        const int before = LOCAL_ID >= apart ? scratch[LOCAL_ID - apart] : 0;
        SYNC_THREADS;
        scratch[LOCAL_ID] += before;
        SYNC_THREADS;
    }
    int begin = scratch[LOCAL_ID] - sum;
    for (int c = first; c < first + each && c < total; c++) {
        const int count = start[c];
        start[c] = begin;
        cell_start[c] = begin;
        begin += count;
    }
    if (LOCAL_ID == 0) {
        cell_start[total] = n;
    }
    SYNC_THREADS;
    for (int i = LOCAL_ID; i < n; i += GROUP_SIZE) {
        const int place = start[cell[i]] + ticket[i];
        sorted_position[place] = position[i];
        sorted_index[place] = i;
    }
}
