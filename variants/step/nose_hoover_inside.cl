/*
 * nose_hoover_inside — velocity Verlet of small boxes within chains of thermostats, all steps of a launch in one kernel
 *
 * As verlet_inside; each box has a chain of its own, which one work-item moves, as in nose_hoover, by the kinetic energy that its group adds up.
 *
 * @workload   step
 * @integrator verlet
 * @thermostat nose-hoover:temperature=1,time=0.5
 * @boxes      open periodic triclinic
 * @pass       nose_hoover_inside group per box all steps
 * @forces     boxes_tile boxes_half
 * @scratch    chains accum box * CHAIN_NUMBERS
 * @tunable    CHAIN_NUMBERS 20
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
 * @source     S. Nose, Mol. Phys. 52, 255 (1984); W. G. Hoover, Phys. Rev. A 31, 1695 (1985); chains and steps: G. J.
 *             Martyna et al., Mol. Phys. 87, 1117 (1996); all steps inside are our own
 */
KERNEL void nose_hoover_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                               real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                               GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT force,
                               accum temperature, accum thermostat_time, int links, GLOBAL accum *RESTRICT bath,
                               GLOBAL accum *RESTRICT chains, GLOBAL uint *RESTRICT rows, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[HELD_PLACES];
    LOCAL accum sum[HELD_SUMS];
    LOCAL uint words[HELD_WORDS];
    LOCAL accum scratch[GROUP_SIZE];
    LOCAL accum factor[1];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const accum freedom = count > 1 ? 3 * count - 3 : 3 * count;
    held_bath own;
    held_particles held;
    own.chain = chains + GROUP_ID * CHAIN_NUMBERS;
    load_bath(temperature, thermostat_time, freedom, links, bath, &own);
    find_held_rows(words, rows, first, &held);
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int part = 0; part < 2 * steps; part++) { /* each part moves the chain; a step of velocity Verlet follows the first */
        move_bath(dt, scratch, factor, count, &own, &held);
        if (part % 2 == 0) {
            step_held(dt, place, sum, first, count, cell, cutoff2, &held PAIR_ARGUMENTS);
        }
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
    store_bath(scratch, count, &own, &held, bath, totals);
}
