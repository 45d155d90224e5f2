/*
 * all_pairs_screened — all pairs, of which three bytes a particle rule most out before a distance is computed
 *
 * Each particle has a place, its position in 256ths of the edge, a byte a component: three integer instructions tell
 * of a pair that it is beyond the cutoff, periodic images included, in any precision (variants/screen.cl). A
 * work-item screens SCREENED partners of its particle, keeps a bit for each, and then computes the few that are left as
 * other variants do, all lanes of a warp at a time instead of one lane while the others wait. SHARES work-items
 * divide a particle's partners among them, which fills the device where particles are few; what they found is added
 * up through local memory. Each pair is met from both sides; no atomics, no structure.
 *
 * The distances that `pairs_evaluated` counts are those left by the screen. Limited by the rate of integer
 * instructions while few partners are near, which is so from some ten thousand particles on; without a cutoff, or
 * with one of half an edge, the screen is only in the way.
 *
 * @workload  forces coordination
 * @name      coordination_screened for coordination
 * @groups    one for coordination
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      all_pairs_screened item per particle * SHARES
 * @tunable   GROUP_SIZE 64 128 256*
 * @tunable   SHARES 1 2 4 8* 16
 * @tunable   SCREENED 32 64 128* 256
 * @source    our own; what it is near to stands in variants/screen.cl
 */
#if SCREENED % 32 != 0
#error SCREENED has to be a multiple of 32
#endif
#define WORDS (SCREENED / 32)
#define SPLIT (SHARES < GROUP_SIZE ? SHARES : GROUP_SIZE)
#if GROUP_SIZE % SPLIT != 0
#error SHARES has to divide GROUP_SIZE
#endif
#define ROWS (GROUP_SIZE / SPLIT) /* particles a group */

KERNEL void all_pairs_screened(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                               GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL int places[SPLIT * SCREENED];
    LOCAL uint close[WORDS * GROUP_SIZE];
#if SHARES > 1
    LOCAL accum share_scratch[3 * GROUP_SIZE];
#endif
    const int i = GROUP_ID * ROWS + LOCAL_ID % ROWS;
    const int share = LOCAL_ID / ROWS;
    const real4 own = position[i < n ? i : 0];
    const real4 scale = screen_scale_of_box(box, cutoff2);
    const int place = screen_place_in_box(own, box, scale);
    const int limit = screen_limit(scale, cutoff2);
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int start = 0; start < n; start += SPLIT * SCREENED) {
        const int first = start + share * SCREENED;
        SYNC_THREADS;
        for (int k = LOCAL_ID; k < SPLIT * SCREENED; k += GROUP_SIZE) {
            places[k] = screen_place_in_box(position[start + k < n ? start + k : 0], box, scale);
        }
        SYNC_THREADS;
        for (int w = 0; w < WORDS; w++) {
            close[w * GROUP_SIZE + LOCAL_ID] =
                screen_32(place, &places[share * SCREENED + w * 32], limit, i < n ? n - first - w * 32 : 0);
        }
        int w = 0;
        uint word = close[LOCAL_ID];
        for (;;) {
            while (word == 0 && ++w < WORDS) {
                word = close[w * GROUP_SIZE + LOCAL_ID];
            }
            if (word == 0) {
                break;
            }
            const int bit = LEADING_ZEROS(word);
            const int j = first + w * 32 + bit;
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            word ^= 0x80000000u >> bit;
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
    }
#if SHARES > 1
    sum_over_lanes(share_scratch, SPLIT, ROWS, share == 0, &x, &y, &z);
#endif
    if (i < n && share == 0) {
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
