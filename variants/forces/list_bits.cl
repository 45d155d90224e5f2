/*
 * list_bits — sorted cells, of whose candidates the bits of a screen are kept until particles have moved too far
 *
 * sorted_cells tests every particle of the cells around one in each step. Here the tests are made once per skin, and what
 * is kept of them is a bit per candidate: 32 that follow each other among the sorted particles make a word, in eight bytes
 * with the first one's place and image, and words without a bit are left out. A word of several partners takes less memory
 * than a list of their places. The first pass puts the positions of now into the sorted order, next to the images that
 * the builder saw them in, so that an image costs a look-up per word and nothing per pair. LANES work-items share a particle
 * and take turns at its words; each goes from set bit to set bit, and from word to word without waiting for the other
 * work-items of its warp, and asks for AT_ONCE positions at a time. Partners of a word lie next to each other in memory, so a
 * warp, whose particles are of one cell or of neighbouring ones, finds them in its cache. Each pair is computed from both
 * sides; no atomics.
 *
 * What a bit costs beside its pair are some five instructions to find it, where an entry of a list is read; what is saved
 * is memory, and an order other than that of the cells.
 *
 * SKIN is what the list reaches beyond the cutoff, in hundredths of it. CELLS_PER_CUTOFF: smaller cells bring candidates
 * that are nearer to each other, hence words of more bits, but more rows, each of which begins a word of its own.
 *
 * @workload  forces
 * @structure list_bits
 * @boxes     open periodic triclinic
 * @pass      gather_sorted item per particle
 * @pass      list_bits item per particle * LANES
 * @scratch   sorted_now real4 particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 1* 2 4 8
 * @tunable   AT_ONCE 1 2 4*
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    our own; bits of what a screen leaves, within one evaluation: sorted_cells_screened
 */
KERNEL void gather_sorted(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT sorted_index,
                          GLOBAL const real4 *RESTRICT sorted_position, box_args box,
                          GLOBAL real4 *RESTRICT sorted_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_now[k] = image_next_to(position[sorted_index[k]], sorted_position[k], box);
    }
}

/* Where the candidates of a word see the particle. */
DEVICE real4 seen_from_word(real4 own, int entry, LOCAL_ARG const real4 *shifts)
{
#if PERIODIC
    const real4 shift = shifts[(uint)entry >> ENTRY_PLACE_BITS];
    return make_real4(own.x - shift.x, own.y - shift.y, own.z - shift.z, own.w);
#else
    return own;
#endif
}

KERNEL void list_bits(int n, GLOBAL const real4 *RESTRICT sorted_now, GLOBAL const int *RESTRICT sorted_index,
                      GLOBAL const int *RESTRICT word_count, GLOBAL const uint2 *RESTRICT words, int list_capacity,
                      box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                      GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 shifts[27];
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int k = GLOBAL_ID / LANES_PER_PARTICLE;
    const int lane = GLOBAL_ID % LANES_PER_PARTICLE;
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    if (k < n) {
        const real4 own = sorted_now[k];
        const int count = word_count[k];
        GLOBAL const uint2 *of_particle = words + (long64)(k / 32) * list_capacity * 32 + k % 32;
        const uint2 nothing = make_uint2(0, 0);
        int w = lane;
        uint2 next = w < count ? READ_ONCE(&of_particle[w * 32]) : nothing;
        uint bits = 0;
        int first = 0;
        real4 seen = own;
        for (;;) {
            /* on to the next word, and the one behind it on its way */
            if (bits == 0) {
                if (next.y == 0) {
                    break;
                }
                bits = next.y;
                first = entry_place((int)next.x);
                seen = seen_from_word(own, (int)next.x, shifts);
                w += LANES_PER_PARTICLE;
                next = w < count ? READ_ONCE(&of_particle[w * 32]) : nothing;
            }
            /* the next partners of the word, the last of them again where there are no more */
            int partner[AT_ONCE];
            int is_one[AT_ONCE];
            real4 other[AT_ONCE];
            for (int u = 0; u < AT_ONCE; u++) {
                is_one[u] = bits != 0;
                partner[u] = is_one[u] ? first + LEADING_ZEROS(bits) : partner[u > 0 ? u - 1 : 0];
                bits &= ~(0x80000000u >> (partner[u] - first));
            }
            for (int u = 0; u < AT_ONCE; u++) {
                other[u] = sorted_now[partner[u]];
            }
            for (int u = 0; u < AT_ONCE; u++) {
                const real dx = seen.x - other[u].x;
                const real dy = seen.y - other[u].y;
                const real dz = seen.z - other[u].z;
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                if (is_one[u]) {
                    COUNT_DISTANCE(&sums);
                }
                if (is_one[u] && IN_CUTOFF(r2, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f =
                        PAIR_FORCE(r2, own, other[u], sorted_index[k], sorted_index[partner[u]], &energy);
                    add_to_force(&sum, f * dx, f * dy, f * dz);
                    add_to_sums(&sums, energy, f, dx, dy, dz);
                }
            }
        }
    }
#if LANES > 1
    own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
#endif
    if (k < n && lane == 0) {
        store_own_force(force, force_plane, sorted_index[k], &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
