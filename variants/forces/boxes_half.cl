/*
 * boxes_half — of a batch of small boxes a group takes one, and each pair is met once
 *
 * A box is cut into blocks of 32 particles. Warp A holds block A, one particle per work-item, and meets the blocks A + 1,
 * A + 2... up to half way round the circle of blocks, so that all warps have as much to do and no two have the same
 * partners at a time. The partners, and the forces on them, are handed from lane to lane; where there are no shuffles,
 * they are in local memory. Of two blocks the last one, which may have fewer particles, is the one that is held: who is
 * nobody is then known of a work-item once and for all. Half the arithmetic of boxes_tile, for six shuffles a pair.
 * A box of more than TILE particles is met by plain loops, from both sides.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      boxes_half group per box
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   TILE 64 128 256* 512
 * @holds     TILE particles_per_box
 * @warps     32
 */
#if GROUP_SIZE < 32
#error GROUP_SIZE has to be 32 at least
#endif
#define WARPS (GROUP_SIZE / 32)

#if HAVE_SHUFFLE
#if WARP_SIZE == 32
#define BY_SHUFFLES 1
#endif
#endif
#ifndef BY_SHUFFLES
#define BY_SHUFFLES 0
#endif

KERNEL void boxes_half(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                       GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL accum4 *RESTRICT force,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[TILE];
    LOCAL accum sum_x[TILE];
    LOCAL accum sum_y[TILE];
    LOCAL accum sum_z[TILE];
    const int lane = LOCAL_ID & 31;
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const int staged = count <= TILE ? count : 0;
    const int blocks = (staged + 31) / 32;
    pair_sums sums;
    clear_sums(&sums);
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        tile[t] = position[first + t];
        sum_x[t] = 0;
        sum_y[t] = 0;
        sum_z[t] = 0;
    }
    SYNC_THREADS;
    for (int chunk = 0; chunk < blocks; chunk += WARPS) {
        const int a = chunk + LOCAL_ID / 32;
        const int own_slot = 32 * a + lane;
        const real4 own = tile[own_slot < count ? own_slot : 0];
        accum own_x = 0;
        accum own_y = 0;
        accum own_z = 0;
        for (int step = 0; step <= blocks / 2; step++) {
            /* Of an even number of blocks, those that face each other meet once. A block and itself: half way round. */
            const int meets = a < blocks && (step == 0 || 2 * step < blocks || a < step);
            const int b = meets ? (a + step) % blocks : 0;
            const int swaps = BY_SHUFFLES && step > 0 && b == blocks - 1;
            const int held_slot = swaps ? 32 * b + lane : own_slot;
            const int theirs = 32 * (swaps ? a : b);
            const int begin_turn = step == 0;
            const int end_turn = step == 0 ? 17 : 32;
            const int is_one = meets && held_slot < count;
            const real4 held = swaps ? tile[is_one ? held_slot : 0] : own;
            accum held_x = 0;
            accum held_y = 0;
            accum held_z = 0;
#if BY_SHUFFLES
            const int first_slot = theirs + ((lane + begin_turn) & 31);
            real4 other = tile[meets && first_slot < count ? first_slot : 0];
            accum their_x = 0;
            accum their_y = 0;
            accum their_z = 0;
#endif
            for (int turn = begin_turn; turn < end_turn; turn++) {
                const int slot = theirs + ((lane + turn) & 31);
                const int is_half = step > 0 || turn < 16 || lane < 16;
#if BY_SHUFFLES
                const int is_pair = is_one && (step > 0 || (is_half && slot < count));
#else
                const int is_pair = is_one && is_half && slot < count;
                const real4 other = tile[is_pair ? slot : 0];
#endif
                if (is_pair) {
                    const real4 d = displacement(held, other, cell);
                    COUNT_DISTANCE(&sums);
                    if (IN_CUTOFF(d.w, cutoff2)) {
                        pair_energy energy = NO_ENERGY;
                        const real f = PAIR_FORCE(d.w, held, other, first + held_slot, first + slot, &energy);
                        held_x += f * d.x;
                        held_y += f * d.y;
                        held_z += f * d.z;
#if BY_SHUFFLES
                        their_x -= f * d.x;
                        their_y -= f * d.y;
                        their_z -= f * d.z;
#else
                        sum_x[slot] -= f * d.x;
                        sum_y[slot] -= f * d.y;
                        sum_z[slot] -= f * d.z;
#endif
                        add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                    }
                }
#if BY_SHUFFLES
                const int next = (lane + 1) & 31;
                other = make_real4(SHUFFLE(other.x, next), SHUFFLE(other.y, next), SHUFFLE(other.z, next),
                                   SHUFFLE(other.w, next));
                their_x = SHUFFLE(their_x, next);
                their_y = SHUFFLE(their_y, next);
                their_z = SHUFFLE(their_z, next);
#else
                SYNC_WARPS;
#endif
            }
#if BY_SHUFFLES
            if (step == 0) { /* 17 lanes from home; the others have come round */
                const int home = (lane + 15) & 31;
                their_x = SHUFFLE(their_x, home);
                their_y = SHUFFLE(their_y, home);
                their_z = SHUFFLE(their_z, home);
            }
            const int on_own = step == 0 || swaps;
            own_x += (swaps ? ACCUM(0.0) : held_x) + (on_own ? their_x : ACCUM(0.0));
            own_y += (swaps ? ACCUM(0.0) : held_y) + (on_own ? their_y : ACCUM(0.0));
            own_z += (swaps ? ACCUM(0.0) : held_z) + (on_own ? their_z : ACCUM(0.0));
            const int apart = 32 * b + lane; /* of the block that is no other warp's now */
            if (meets && step > 0 && apart < count) {
                sum_x[apart] += swaps ? held_x : their_x;
                sum_y[apart] += swaps ? held_y : their_y;
                sum_z[apart] += swaps ? held_z : their_z;
            }
#else
            own_x += held_x;
            own_y += held_y;
            own_z += held_z;
#endif
            SYNC_THREADS;
        }
        if (own_slot < count) {
            sum_x[own_slot] += own_x;
            sum_y[own_slot] += own_y;
            sum_z[own_slot] += own_z;
        }
        SYNC_THREADS;
    }
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        force[first + t] = make_accum4(sum_x[t], sum_y[t], sum_z[t], 0);
    }
    for (int i = first + staged + LOCAL_ID; i < first + count; i += GROUP_SIZE) {
        const real4 own = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = first; j < first + count; j++) {
            const real4 d = displacement(own, position[j], cell);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                fx += f * d.x;
                fy += f * d.y;
                fz += f * d.z;
                if (COUNT_PAIRS || j > i) {
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
        }
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1);
}
