/*
 * verlet_inside — velocity Verlet of small boxes, all steps of a launch in one kernel
 *
 * A work-group holds a box in local memory and registers. Between steps there are two barriers in place of launches, and global memory
 * is read once before the first step and written once behind the last. A box has at most HELD particles. The kernels of @forces compute the
 * forces that a launch begins with. Between steps rows of neighbours are kept (ROOM, MARGIN), which pays where a box is larger than the sphere
 * of the cutoff; without them, with boxes_half, each pair is met once. Limited by the arithmetic of the pairs, and by how many groups find
 * room in local memory.
 *
 * @workload   step
 * @integrator verlet
 * @boxes      open periodic triclinic
 * @pass       verlet_inside group per box all steps
 * @forces     boxes_tile boxes_half
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
 * @source     our own; a box per block for all steps: J. A. Anderson, C. D. Lorenz, A. Travesset, J. Comput. Phys. 227, 5342 (2008), has a
 *             launch per step in its place
 */
KERNEL void verlet_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                          real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                          GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                          GLOBAL accum4 *RESTRICT force, GLOBAL uint *RESTRICT rows, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[HELD_PLACES];
    LOCAL accum sum[HELD_SUMS];
    LOCAL uint words[HELD_WORDS];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    held_particles held;
    find_held_rows(words, rows, first, &held);
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int step = 0; step < steps; step++) {
        step_held(dt, place, sum, first, count, cell, cutoff2, &held PAIR_ARGUMENTS);
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
#if WITH_ENERGY
    LOCAL accum scratch[GROUP_SIZE];
    store_sum_if_asked(scratch, kinetic_of_held(count, &held), totals); /* of one box: batches are asked for none */
#endif
}
