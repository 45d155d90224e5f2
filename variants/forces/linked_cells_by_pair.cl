/*
 * linked_cells_by_pair — a range of pairs of neighbouring cells a work-item, and a pass for the insides of cells
 *
 * The serial cell list with its loop over pairs of cells shared out, so that there are many more and more even tasks
 * than cells. The list of pairs, with the image that the second cell is seen in, is made once on the host. Chains are
 * walked in place: a particle of the first cell gathers its force in registers and adds it once a pair of cells, a
 * particle of the second is added to atomically for each interaction. Since many work-items add to one particle, more
 * atomics than linked_cells_by_cell for the better balance. A first pass, with a work-item for a range of cells, takes
 * the pairs inside each cell. The order of additions changes from run to run.
 *
 * With INNER_CHECK 0 the first pass leaves out the comparison with the cutoff where the diagonal of a cell shows that it
 * always holds: not with cells as wide as the cutoff, but with CELLS_PER_CUTOFF 2 or more where the box divides well.
 * Where the diagonal is longer, or the box is open, the comparison stays.
 *
 * @workload    forces
 * @structure   linked_cells
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        inside_linked_cells item per cell / CELLS_PER_ITEM
 * @pass        linked_cells_by_pair item per cell_pair / PAIRS_PER_ITEM
 * @tunable     GROUP_SIZE 32 64* 128 256
 * @tunable     CELLS_PER_ITEM 1* 2 4
 * @tunable     PAIRS_PER_ITEM 1* 2 4 8
 * @tunable     CELLS_PER_CUTOFF 1* 2 3
 * @tunable     INNER_CHECK 0 1*
 * @source      the kernel cell_list1 of an article that ports a molecular dynamics code to CUDA
 */

/* Each particle of one chain with each of another, whose particles are seen shifted; for the inside of a cell, where
 * both are the same chain, with those behind it. `check` is 0 where all of them are known to be within the cutoff. */
DEVICE void walk_chains(int first_head, int second_head, int is_inside, int check, real4 shift,
                        GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT particle_next, real cutoff2,
                        GLOBAL force_sum *RESTRICT force, int force_plane, pair_sums *sums PAIR_PARAMETERS)
{
    for (int i = first_head; i >= 0; i = particle_next[i]) {
        const real4 own = position[i];
        own_force sum;
        clear_force(&sum);
        int found = 0;
        for (int j = is_inside ? particle_next[i] : second_head; j >= 0; j = particle_next[j]) {
            const real4 other = position[j];
            const real dx = own.x - (other.x + shift.x);
            const real dy = own.y - (other.y + shift.y);
            const real dz = own.z - (other.z + shift.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            COUNT_DISTANCE(sums);
            if (!check || IN_CUTOFF(r2, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, own, other, i, j, &energy);
                add_to_force(&sum, f * dx, f * dy, f * dz);
                add_force(force, force_plane, j, -f * dx, -f * dy, -f * dz);
                add_to_sums(sums, energy, f, dx, dy, dz);
                found = 1;
            }
        }
        if (found) {
            add_own_force(force, force_plane, i, &sum);
        }
    }
}

/* Whether any two particles of one cell of a periodic box are within the cutoff: by the diagonal of the cuboid that
 * holds it. Rounding puts particles into a cell
 * from slightly beyond its borders, hence the margin. */
DEVICE int cell_is_within_cutoff(int4 cells, box_args box, real cutoff2)
{
#if TRICLINIC
    const real x = box.edge.x / cells.x + FABS(box.tilt.x) / cells.y + FABS(box.tilt.y) / cells.z;
    const real y = box.edge.y / cells.y + FABS(box.tilt.z) / cells.z;
#else
    const real x = box.edge.x / cells.x;
    const real y = box.edge.y / cells.y;
#endif
    const real z = box.edge.z / cells.z;
    return PERIODIC && x * x + y * y + z * z < (real)0.999 * cutoff2;
}

KERNEL void inside_linked_cells(GLOBAL const real4 *RESTRICT position, int4 cells,
                                GLOBAL const int *RESTRICT cell_head, GLOBAL const int *RESTRICT particle_next,
                                box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                                GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int first_cell = GLOBAL_ID * CELLS_PER_ITEM;
    const int end_cell = first_cell + CELLS_PER_ITEM < cells.w ? first_cell + CELLS_PER_ITEM : cells.w;
    const real4 no_shift = make_real4(0, 0, 0, 0);
    const int check = INNER_CHECK || !cell_is_within_cutoff(cells, box, cutoff2);
    pair_sums sums;
    clear_sums(&sums);
    for (int c = first_cell; c < end_cell; c++) {
        /* Two calls, each with a constant, so that the loop without the comparison is compiled without it. */
        if (check) {
            walk_chains(cell_head[c], -1, 1, 1, no_shift, position, particle_next, cutoff2, force,
                        force_plane, &sums PAIR_ARGUMENTS);
        } else {
            walk_chains(cell_head[c], -1, 1, 0, no_shift, position, particle_next, cutoff2, force,
                        force_plane, &sums PAIR_ARGUMENTS);
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void linked_cells_by_pair(GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT cell_head,
                                 GLOBAL const int *RESTRICT particle_next, GLOBAL const int4 *RESTRICT cell_pairs,
                                 int cell_pair_count, box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force,
                                 int force_plane,
                                 GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int first_pair = GLOBAL_ID * PAIRS_PER_ITEM;
    pair_sums sums;
    clear_sums(&sums);
    for (int p = first_pair; p < first_pair + PAIRS_PER_ITEM && p < cell_pair_count; p++) {
        const int4 pair = cell_pairs[p]; /* first cell, second cell, image of the second */
        walk_chains(cell_head[pair.x], cell_head[pair.y], 0, 1, shift_of_image(pair.z, box), position, particle_next,
                    cutoff2, force, force_plane, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
