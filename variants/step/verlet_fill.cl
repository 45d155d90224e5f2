/*
 * verlet_fill — velocity Verlet whose first half notes each particle in its cell
 *
 * As verlet; and with FILL_CELLS 1 the kernel that moves a particle puts it, from the position that it has just stored, at the head of
 * its cell's chain: no kernel reads all positions once more to build the cells, which the harness only empties before. With
 * FILL_CELLS 0 the structure is built apart, between the two halves. One reading of positions and one launch per step are what
 * there is to save; the atomic exchange, and what waits for it, are the same. CELL_LOOKUP is the structure's, too: 0 works out the cell of
 * a particle, 8 looks it up in tables of eight bins per cell along each vector of the box.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      periodic triclinic
 * @fills      linked_cells FILL_CELLS
 * @pass       verlet_first item per particle
 * @forces     linked_cells_by_pair
 * @pass       verlet_second item per particle
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum particle / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @tunable    FILL_CELLS 0 1*
 * @tunable    CELL_LOOKUP 0* 8
 * @source     the step of an article that ports a molecular dynamics code to CUDA; W. C. Swope et al., J. Chem. Phys. 76, 637 (1982)
 */
KERNEL void verlet_first(int n, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                         GLOBAL const accum4 *RESTRICT force, real4 cell_origin, real4 inverse_cell_width, int4 cells,
                         GLOBAL const int *RESTRICT cell_parts, GLOBAL int *RESTRICT cell_head,
                         GLOBAL int *RESTRICT particle_next)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
        move_from(i, whole_position(i, position, position_rest), v, dt, box, position, position_rest, velocity, crossing,
                  face_sums, face_scale);
#if FILL_CELLS
        const int cell = cell_number_at(position[i], box, cell_origin, inverse_cell_width, cells, cell_parts);
        particle_next[i] = ATOMIC_EXCHANGE(&cell_head[cell], i);
#endif
    }
}

KERNEL void verlet_second(int n, accum dt, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force,
                          GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int i = GLOBAL_ID;
    const accum kinetic = i < n ? kick_half(i, dt, velocity, force) : ACCUM(0.0);
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int n, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, n, kinetic_of_group, totals);
}
