/*
 * bits — a walk from bit to bit of a list of words, broken in a way that MUTATION names
 *
 * 0 not at all; 1 each particle's last word is lost; 2 bits are taken from the low end; 3 candidates are taken to be in the box
 * itself; 4 words are those of the particle before; 5 the first candidate's place is one farther on; 6 each particle is where it
 * was when the list was built, which shows only where a list is walked after particles have moved; 7 what is listed is taken to be
 * within the cutoff.
 *
 * @workload  forces
 * @structure list_bits
 * @pass      bits item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 12
 * @tunable   MUTATION 0 1 2 3 4 5 6 7
 */

/* Where sorted particle k is now, next to where the list was built. */
DEVICE real4 place_of_now(int k, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT sorted_position,
                          GLOBAL const int *RESTRICT sorted_index, box_args box)
{
    return MUTATION == 6 ? sorted_position[k] : image_next_to(position[sorted_index[k]], sorted_position[k], box);
}

KERNEL void bits(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT sorted_position,
                 GLOBAL const int *RESTRICT sorted_index, GLOBAL const int *RESTRICT word_count,
                 GLOBAL const uint2 *RESTRICT words, int list_capacity, box_args box, real cutoff2,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int k = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (k < n) {
        const int listed = MUTATION == 4 && k > 0 ? k - 1 : k;
        const int count = word_count[listed] - (MUTATION == 1);
        const real4 own = place_of_now(k, position, sorted_position, sorted_index, box);
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int w = 0; w < count; w++) {
            const uint2 word = words[((long64)(listed / 32) * list_capacity + w) * 32 + listed % 32];
            const real4 shift =
                MUTATION == 3 ? make_real4(0, 0, 0, 0) : shift_of_image(entry_image((int)word.x), box);
            for (int t = 0; t < 32; t++) {
                const int j = entry_place((int)word.x) + t + (MUTATION == 5);
                if ((word.y >> (MUTATION == 2 ? t : 31 - t) & 1u) && j < n && j != k) {
                    const real4 other = place_of_now(j, position, sorted_position, sorted_index, box);
                    const real dx = own.x - other.x - shift.x;
                    const real dy = own.y - other.y - shift.y;
                    const real dz = own.z - other.z - shift.z;
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    COUNT_DISTANCE(&sums);
                    if (MUTATION == 7 || IN_CUTOFF(r2, cutoff2)) {
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
                        x += f * dx;
                        y += f * dy;
                        z += f * dz;
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
        force[sorted_index[k]] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
