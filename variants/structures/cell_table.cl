/*
 * cell_table — a row of particle indices for each cell, and how many there are
 *
 * Every particle takes the next place in its cell's row by an atomic addition. A row has room for `cell_capacity`; a
 * particle that finds none is counted all the same but written nowhere, and `overflow` says that this happened: the
 * host then makes the rows as long as the fullest cell needs, and fills the table anew.
 */
KERNEL void fill_table(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_width, int4 cells,
                       box_args box, GLOBAL const int *RESTRICT cell_parts, int cell_capacity,
                       GLOBAL int *RESTRICT cell_count, GLOBAL int *RESTRICT cell_particles,
                       GLOBAL int *RESTRICT overflow)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int c = cell_number_at(position[i], box, origin, inverse_width, cells, cell_parts);
        const int place = ATOMIC_ADD_INT(&cell_count[c], 1);
        if (place < cell_capacity) {
            cell_particles[c * cell_capacity + place] = i;
        } else {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
