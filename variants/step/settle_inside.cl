/*
 * settle_inside — velocity Verlet of small boxes of rigid waters, all steps of a launch in one kernel
 *
 * As verlet_inside, but a work-item holds whole molecules in registers and makes them rigid again there, as verlet_settle does:
 * positions behind the drift, velocities behind the kick. A particle by itself moves as in verlet. A box of waters keeps a third as
 * many work-items busy with holding as one of single particles; with boxes_half all of them meet pairs.
 *
 * @workload   step
 * @integrator settle
 * @boxes      open periodic triclinic
 * @pass       settle_inside group per box all steps
 * @forces     boxes_tile boxes_half
 * @tunable    OF_MOLECULE 3
 * @tunable    GROUP_SIZE 32 64 128* 256
 * @holds      GROUP_SIZE particles_per_box
 * @tunable    HELD 32 64 128 256* 512 1024
 * @holds      HELD particles_per_box
 * @tunable    ROOM 1* 32 64 96 128 192 256
 * @holds      ROOM min(8 + 4.82 * density * cutoff * cutoff * cutoff * (1 + 0.03 * MARGIN), 100 * (20 + particles_per_box - 12 * density * cutoff * cutoff * cutoff))
 * @tunable    MARGIN 6 9 12* 16
 * @scratch    rows uint particle * ROOM / 2
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1*
 * @source     S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952; H. C. Andersen, J. Comput. Phys. 52 (1983) 24; all steps inside are
 *             our own
 */

KERNEL void settle_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                          real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                          GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT force,
                          GLOBAL const int *RESTRICT molecule_begin, GLOBAL const int4 *RESTRICT water_atoms,
                          GLOBAL const accum *RESTRICT water_sides, GLOBAL uint *RESTRICT rows, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[HELD_PLACES];
    LOCAL accum sum[HELD_SUMS];
    LOCAL uint words[HELD_WORDS];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    held_particles held;
    find_held_rows(words, rows, first, &held);
    hold_molecules(molecule_begin[GROUP_ID], molecule_begin[GROUP_ID + 1], first, water_atoms, &held);
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int step = 0; step < steps; step++) {
        step_waters(dt, place, sum, first, count, cell, cutoff2, water_sides, &held PAIR_ARGUMENTS);
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
#if WITH_ENERGY
    LOCAL accum scratch[GROUP_SIZE];
    store_sum_if_asked(scratch, kinetic_of_held(count, &held), totals); /* of one box: batches are asked for none */
#endif
}
