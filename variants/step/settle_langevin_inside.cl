/*
 * settle_langevin_inside — BAOAB of small boxes of rigid waters, all steps of a launch in one kernel
 *
 * As langevin_inside, of what settle_inside holds: each half of the drift makes waters rigid again. Noise along sides needs no projection: the
 * drift behind it takes from it what would change them.
 *
 * @workload   step
 * @integrator settle
 * @thermostat langevin:friction=1,temperature=1
 * @boxes      open periodic triclinic
 * @pass       settle_langevin_inside group per box all steps
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
 * @source     B. Leimkuhler, C. Matthews, Proc. R. Soc. A 472 (2016) 20160138 (g-BAOAB); the rest as settle_inside
 */
KERNEL void settle_langevin_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                                   real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                                   GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT force,
                                   GLOBAL const int *RESTRICT index, long64 step, long64 noise_seed, accum noise_keep, accum noise_size,
                                   GLOBAL const int *RESTRICT molecule_begin, GLOBAL const int4 *RESTRICT water_atoms,
                                   GLOBAL const accum *RESTRICT water_sides, GLOBAL uint *RESTRICT rows,
                                   GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
{
    LOCAL real4 place[HELD_PLACES];
    LOCAL accum sum[HELD_SUMS];
    LOCAL uint words[HELD_WORDS];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const accum half_step = ACCUM(0.5) * dt;
    held_particles held;
    find_held_rows(words, rows, first, &held);
    hold_molecules(molecule_begin[GROUP_ID], molecule_begin[GROUP_ID + 1], first, water_atoms, &held);
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int s = 0; s < steps; s++) {
        kick_held(count, half_step, &held);
        drift_molecules(half_step, count, cell, water_sides, &held);
        EACH_HELD(k, slot, count, &held) {
            held.v[k] = with_noise(held.v[k], random_gaussian4((uint)index[first + slot], step + s, STEP_NOISE_USE, noise_seed), noise_keep,
                                   noise_size);
        }
        drift_molecules(half_step, count, cell, water_sides, &held);
        finish_waters(dt, place, sum, first, count, cell, cutoff2, &held PAIR_ARGUMENTS);
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
#if WITH_ENERGY
    LOCAL accum scratch[GROUP_SIZE];
    store_sum_if_asked(scratch, kinetic_of_held(count, &held), totals); /* of one box: batches are asked for none */
#endif
}
