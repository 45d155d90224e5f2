/*
 * clusters — a walk over the lists of super-clusters, one particle per work-item, broken in a way that MUTATION names
 *
 * 0 not at all; 1 excluded bits are not looked at; 2 those of the particle before are; 3 partners are taken to be in the box itself;
 * 4 a super-cluster's particles do not meet each other; 5 the last cluster is lost; 6 words are those of the cluster before.
 *
 * @workload  forces
 * @structure clusters_8x8
 * @boxes     open periodic triclinic
 * @pass      clusters item per place
 * @accumulates force
 * @tunable   GROUP_SIZE 64
 * @tunable   PARTNERS 8
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

KERNEL void clusters(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                     GLOBAL const real4 *RESTRICT place_position, GLOBAL const int *RESTRICT super_length,
                     GLOBAL const int *RESTRICT super_entries, GLOBAL const uint *RESTRICT super_words, int list_capacity,
                     GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                     GLOBAL const uint *RESTRICT masked_words, GLOBAL const uint *RESTRICT excluded_bits,
                     int mask_capacity, box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                     GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int place = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (place < n) {
        const int super = place / 64;
        const int bit = MUTATION == 2 ? (place + 63) % 64 : place % 64;
        const real4 own = place_of_now(place, position, place_index, place_position, box);
        const int masked = masked_length[super];
        const int plain = super_length[super] - (MUTATION == 5);
        for (int k = MUTATION == 4 ? 8 : 0; k < masked + plain; k++) {
            const long64 at = k < masked ? (long64)super * mask_capacity + k
                                         : (long64)super * list_capacity + k - masked;
            const int entry = k < masked ? masked_entries[at] : super_entries[at];
            const int shown = MUTATION == 6 && k > masked ? (int)at - 1 : (int)at;
            const uint word = k < masked ? masked_words[at] : super_words[shown];
            if (!(word >> place % 64 / 8 & 1u)) {
                continue;
            }
            const real4 shift = MUTATION == 3 ? make_real4(0, 0, 0, 0)
                                              : shift_of_image((int)((word >> 8) + HOME_IMAGE) % 27, box);
            for (int q = 0; q < PARTNERS; q++) {
                const int j = entry * PARTNERS + q;
                const uint bits = k < masked ? excluded_bits[at * (2 * PARTNERS) + 2 * q + bit / 32] : 0u;
                const int is_excluded = !COUNT_PAIRS && MUTATION != 1 && (bits >> bit % 32 & 1u);
                const int is_pair = j / 64 != super || word >> 8 != 0 || place < j;
                if (j < n && is_pair && !is_excluded) {
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
                        add_force(force, force_plane, place_index[place], f * dx, f * dy, f * dz);
                        add_force(force, force_plane, place_index[j], -f * dx, -f * dy, -f * dz);
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
