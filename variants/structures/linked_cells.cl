/*
 * linked_cells — particles chained to their cells: where each chain begins, and for each particle the next
 *
 * Every particle puts itself at the head of its cell's chain by an atomic exchange and points to the one that it
 * displaced; -1 ends a chain. One pass, no sort and no scan; the order inside a chain is that of the exchanges and
 * differs from run to run, and a chain's particles lie anywhere in memory.
 */
KERNEL void link_particles(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_width, int4 cells,
                           box_args box, GLOBAL const int *RESTRICT cell_parts, GLOBAL int *RESTRICT cell_head,
                           GLOBAL int *RESTRICT particle_next)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int c = cell_number_at(position[i], box, origin, inverse_width, cells, cell_parts);
        particle_next[i] = ATOMIC_EXCHANGE(&cell_head[c], i);
    }
}
