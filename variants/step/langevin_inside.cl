/*
 * langevin_inside — BAOAB of small boxes, all steps of a launch in one kernel
 *
 * As verlet_inside, with the drift cut in two by friction and noise, as in langevin. Particles of a batch are numbered throughout, and the noise
 * of each follows from its number: no two boxes have the same.
 *
 * @workload   step
 * @integrator langevin:friction=1,temperature=1
 * @boxes      open periodic triclinic
 * @pass       langevin_inside group per box all steps
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
 * @source     B. Leimkuhler, C. Matthews, Appl. Math. Res. Express 2013, 34; all steps inside are our own
 */
KERNEL void langevin_inside(int steps, accum dt, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                            real cutoff2, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                            GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT force,
                            GLOBAL const int *RESTRICT index, long64 step, long64 noise_seed, accum noise_keep, accum noise_size,
                            GLOBAL uint *RESTRICT rows, GLOBAL accum *RESTRICT totals PAIR_PARAMETERS)
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
    load_held(first, count, position, position_rest, velocity, crossing, force, &held);
    for (int s = 0; s < steps; s++) {
        EACH_HELD(k, slot, count, &held) {
            accum4 v = kicked(held.v[k], held.f[k], half_step);
            const accum4 half_way = drifted(held.x[k], v, half_step);
            v = with_noise(v, random_gaussian4((uint)index[first + slot], step + s, STEP_NOISE_USE, noise_seed), noise_keep, noise_size);
            held.v[k] = v;
            held.x[k] = drifted(half_way, v, half_step);
            place_held(k, slot, cell, place, sum, &held);
        }
        find_held_forces(place, sum, first, count, cell, cutoff2, &held PAIR_ARGUMENTS);
        kick_held(count, half_step, &held);
    }
    store_held(first, count, &held, position, position_rest, velocity, crossing, force);
#if WITH_ENERGY
    LOCAL accum scratch[GROUP_SIZE];
    store_sum_if_asked(scratch, kinetic_of_held(count, &held), totals); /* of one box: batches are asked for none */
#endif
}
