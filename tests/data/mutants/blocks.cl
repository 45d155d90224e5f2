/*
 * blocks — a walk over the lists of blocks of 32, one particle per work-item, broken in a way that MUTATION names
 *
 * 0 not at all; 1 masks are not looked at; 2 masks are looked at for the particle before; 3 partners are taken to be in the
 * box itself; 4 a block's particles do not meet each other; 5 the last tile is lost; 6 who is excluded with one particle of
 * a block is met by none.
 *
 * @workload  forces
 * @structure blocks_32
 * @boxes     open periodic triclinic
 * @pass      blocks item per place
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 12
 * @tunable   MUTATION 0 1 2 3 4 5 6
 */

/* Where the particle at a place is now, next to where the list was built. */
DEVICE real4 place_of_now(int place, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, box_args box)
{
    const real4 now = position[place_index[place]];
    const real4 built = place_position[place];
    const real4 step = displacement(now, built, box);
    return make_real4(built.x + step.x, built.y + step.y, built.z + step.z, now.w);
}

KERNEL void blocks(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                   GLOBAL const real4 *RESTRICT place_position, GLOBAL const int *RESTRICT block_length,
                   GLOBAL const int *RESTRICT block_entries, int list_capacity,
                   GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                   GLOBAL const uint *RESTRICT masks, int mask_capacity, box_args box, real cutoff2,
                   GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int place = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (place < n) {
        const int block = place / 32;
        const int bit = MUTATION == 2 ? (place + 31) % 32 : place % 32;
        const real4 own = place_of_now(place, position, place_index, place_position, box);
        const int masked = masked_length[block];
        const int plain = MUTATION == 5 ? (block_length[block] - 1) / 32 * 32 : block_length[block];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int k = MUTATION == 4 ? 32 : 0; k < masked + plain; k++) {
            const int entry = k < masked ? masked_entries[(long64)block * mask_capacity + k]
                                         : block_entries[(long64)block * list_capacity + k - masked];
            const uint mask = k < masked ? masks[(long64)block * mask_capacity + k] : 0u;
            const int excluded = !COUNT_PAIRS && (MUTATION == 1   ? 0
                                                  : MUTATION == 6 ? mask != 0
                                                                  : (int)(mask >> bit & 1u));
            const int j = entry_place(entry);
            if (j < n && j >= 0 && (j != place || k >= 32) && !excluded) {
                const real4 shift =
                    MUTATION == 3 ? make_real4(0, 0, 0, 0) : shift_of_image(entry_image(entry), box);
                const real4 other = place_of_now(j, position, place_index, place_position, box);
                const real dx = own.x - other.x - shift.x;
                const real dy = own.y - other.y - shift.y;
                const real dz = own.z - other.z - shift.z;
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(r2, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE_OF_TYPES(r2, own, other, PAIR_TYPE(place_index[place]),
                                                       PAIR_TYPE(place_index[j]), &energy);
                    x += f * dx;
                    y += f * dy;
                    z += f * dz;
                    add_to_sums(&sums, energy, f, dx, dy, dz);
                }
            }
        }
        force[place_index[place]] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
