/*
 * linked_cells_by_cell — a range of cells a work-item, their chains walked in place
 *
 * The serial cell list, its loop over cells shared out among the work-items. A particle is followed along the chain of
 * its own cell and along those of the later neighbours, so that each pair is met once; the force on it is gathered in
 * registers and added once, the force on each partner is added atomically where the two interact. There are few
 * work-items with long, uneven tasks, and every step along a chain waits for the one before and reads a particle from
 * anywhere in memory: the baseline that the other cell kernels are to beat. The order of additions changes from run
 * to run.
 *
 * With STAGE_LOADS 1 both particles of a pair are copied to registers before they are used; with 0 each use names the
 * place in memory, and whether it is read once or again is the compiler's choice.
 *
 * @workload    forces
 * @structure   linked_cells
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        linked_cells_by_cell item per cell / CELLS_PER_ITEM
 * @tunable     GROUP_SIZE 32 64* 128 256
 * @tunable     CELLS_PER_ITEM 1* 2 4
 * @tunable     CELLS_PER_CUTOFF 1* 2 3
 * @tunable     STAGE_LOADS 0 1*
 * @source      the kernel cell_list0 of an article that ports a molecular dynamics code to CUDA; linked cells:
 *              R. W. Hockney and J. W. Eastwood, Computer Simulation Using Particles (1981)
 */
#if STAGE_LOADS
#define OWN own
#define OTHER other
#else
#define OWN position[i]
#define OTHER position[j]
#endif

KERNEL void linked_cells_by_cell(GLOBAL const real4 *RESTRICT position, int4 cells,
                                 GLOBAL const int *RESTRICT cell_head, GLOBAL const int *RESTRICT particle_next,
                                 GLOBAL const int4 *RESTRICT later_cells, int later_cell_count, box_args box,
                                 real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                                 GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int first_cell = GLOBAL_ID * CELLS_PER_ITEM;
    const int end_cell = first_cell + CELLS_PER_ITEM < cells.w ? first_cell + CELLS_PER_ITEM : cells.w;
    pair_sums sums;
    clear_sums(&sums);
    for (int c = first_cell; c < end_cell; c++) {
        const int4 home = cell_place(c, cells);
        for (int i = cell_head[c]; i >= 0; i = particle_next[i]) {
#if STAGE_LOADS
            const real4 own = position[i];
#endif
            own_force sum;
            clear_force(&sum);
            /* The rest of the own chain, then the chains of the later neighbours. */
            for (int o = -1; o < later_cell_count; o++) {
                int image = 13;
                const int neighbour = o < 0 ? c : cell_at_offset(home, later_cells[o], cells, &image);
                const real4 shift = shift_of_image(image, box);
                int j = o < 0 ? particle_next[i] : neighbour < 0 ? -1 : cell_head[neighbour];
                for (; j >= 0; j = particle_next[j]) {
#if STAGE_LOADS
                    const real4 other = position[j];
#endif
                    const real dx = OWN.x - (OTHER.x + shift.x);
                    const real dy = OWN.y - (OTHER.y + shift.y);
                    const real dz = OWN.z - (OTHER.z + shift.z);
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    COUNT_DISTANCE(&sums);
                    if (IN_CUTOFF(r2, cutoff2)) {
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(r2, OWN, OTHER, i, j, &energy);
                        add_to_force(&sum, f * dx, f * dy, f * dz);
                        add_force(force, force_plane, j, -f * dx, -f * dy, -f * dz);
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
            add_own_force(force, force_plane, i, &sum);
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
