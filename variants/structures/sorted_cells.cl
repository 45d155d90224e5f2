/*
 * sorted_cells — particles put in the order of their cells, by counting and a scan, or by a sort
 *
 * Counting: every particle takes a ticket in its cell (an atomic addition), a scan of the counts says where each
 * cell begins, and every particle goes to its cell's beginning plus its ticket. The order inside a cell is that of
 * the tickets, which differs from run to run. Sorting by cell number keeps the input order inside a cell, so that
 * the same input gives the same bits; it costs several passes over the keys.
 */
KERNEL void take_tickets(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_width, int4 cells,
                         box_args box, GLOBAL int *RESTRICT cell_count, GLOBAL int *RESTRICT cell,
                         GLOBAL int *RESTRICT ticket)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int c = cell_number(cell_in_box(position[i], box, origin, inverse_width, cells), cells);
        cell[i] = c;
        ticket[i] = ATOMIC_ADD_INT(&cell_count[c], 1);
    }
}

KERNEL void place_by_ticket(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT cell,
                            GLOBAL const int *RESTRICT ticket, GLOBAL const int *RESTRICT cell_start,
                            GLOBAL real4 *RESTRICT sorted_position, GLOBAL int *RESTRICT sorted_index)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int place = cell_start[cell[i]] + ticket[i];
        sorted_position[place] = position[i];
        sorted_index[place] = i;
    }
}

KERNEL void number_cells(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_width, int4 cells,
                         box_args box, GLOBAL int *RESTRICT cell, GLOBAL int *RESTRICT index)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        cell[i] = cell_number(cell_in_box(position[i], box, origin, inverse_width, cells), cells);
        index[i] = i;
    }
}

/* From the sorted cell numbers: the place where each cell begins, empty ones included; cell_start[cells] = n.
 * The particle at a place writes the beginnings of all cells after its predecessor's, up to its own. */
KERNEL void place_by_order(int n, int cell_total, GLOBAL const real4 *RESTRICT position,
                           GLOBAL const int *RESTRICT sorted_cell, GLOBAL const int *RESTRICT sorted_index,
                           GLOBAL int *RESTRICT cell_start, GLOBAL real4 *RESTRICT sorted_position)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        const int own = sorted_cell[place];
        const int before = place > 0 ? sorted_cell[place - 1] : -1;
        for (int c = before + 1; c <= own; c++) {
            cell_start[c] = place;
        }
        if (place == n - 1) {
            for (int c = own + 1; c <= cell_total; c++) {
                cell_start[c] = n;
            }
        }
        sorted_position[place] = position[sorted_index[place]];
    }
}
