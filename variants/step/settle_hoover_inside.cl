/*
 * settle_hoover_inside — small boxes of rigid waters within chains of thermostats, all steps of a launch in one kernel
 *
 * As nose_hoover_inside, of what settle_inside moves: scaling leaves waters rigid, and each takes three degrees of freedom from its box's chain.
 *
 * @workload   step
 * @integrator settle
 * @thermostat nose-hoover:temperature=1,time=0.5
 * @boxes      open periodic triclinic
 * @pass       settle_hoover_inside group per box all steps
 * @forces     boxes_tile boxes_half
 * @scratch    chains accum box * CHAIN_NUMBERS
 * @tunable    CHAIN_NUMBERS 20
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
 * @source     as settle_inside and nose_hoover_inside
 */
KERNEL void settle_hoover_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                                 real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                                 GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT force,
                                 accum temperature, accum thermostat_time, int links, GLOBAL accum *RESTRICT bath,
                                 GLOBAL accum *RESTRICT chains, GLOBAL const int *RESTRICT molecule_begin,
                                 GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides,
                                 GLOBAL uint *RESTRICT rows, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[HELD_PLACES];
    LOCAL accum sum[HELD_SUMS];
    LOCAL uint words[HELD_WORDS];
    LOCAL accum scratch[GROUP_SIZE];
    LOCAL accum factor[1];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const int molecules = molecule_begin[GROUP_ID + 1] - molecule_begin[GROUP_ID];
    const int rigid = (count - molecules) / 2; /* of three particles each; the others are single ones */
    const accum freedom = (count > 1 ? 3 * count - 3 : 3 * count) - 3 * rigid;
    held_bath own;
    held_particles held;
    own.chain = chains + GROUP_ID * CHAIN_NUMBERS;
    load_bath(temperature, thermostat_time, freedom, links, bath, &own);
    find_held_rows(words, rows, first, &held);
    hold_molecules(molecule_begin[GROUP_ID], molecule_begin[GROUP_ID + 1], first, water_atoms, &held);
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int part = 0; part < 2 * steps; part++) { /* each part moves the chain; a step follows the first */
        move_bath(dt, scratch, factor, count, &own, &held);
        if (part % 2 == 0) {
            step_waters(dt, place, sum, first, count, cell, cutoff2, water_sides, &held PAIR_ARGUMENTS);
        }
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
    store_bath(scratch, count, &own, &held, bath, totals);
}
