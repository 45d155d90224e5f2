/*
 * boxes_half — of a batch of small boxes a group takes one, and each pair is met once
 *
 * A box is cut into blocks of up to 32 particles, as equal as can be. Warp A holds block A, one particle per work-item, and meets the blocks
 * A, A + 1, A + 2... up to half way round the circle of blocks, so that all warps have as much to do and no two have the same
 * partners at a time. The partners, and the forces on them, are handed from lane to lane, all the way round the block, or half of it where a
 * block meets itself; where there are no shuffles, they are in local memory. In a box of few cutoffs nearly every turn has some lane with a
 * pair within the cutoff: so all lanes compute the pair, and those beyond add zero, which saves the branch. Half the arithmetic of
 * boxes_tile, for six shuffles a pair. A box of more than TILE particles is met by plain loops, from both sides.
 *
 * @workload  forces coordination
 * @name      coordination_boxes_half for coordination
 * @groups    one for coordination
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

/* Where block b of a box begins, in the box. */
DEVICE int block_begin(int b, int count, int blocks)
{
    return b * count / blocks;
}

/* Adds the forces between the particles of a box, which are in `tile`, to `sum`: `room` numbers along x, y and z each. All of the group come
 * here, and have all sums behind it. verlet_inside calls it, too. */
#define HAVE_HALF_PAIRS 1
DEVICE void add_half_pairs(LOCAL_ARG const real4 *tile, LOCAL_ARG accum *sum, int room, int first, int count, box_args cell, real cutoff2,
                           pair_sums *sums PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID & 31;
    const int blocks = (count + 31) / 32;
    const int wide = blocks > 0 ? (count + blocks - 1) / blocks : 0; /* of the widest blocks; the others have one particle less */
    const int next = lane + 1 < wide ? lane + 1 : lane < wide ? 0 : lane;
    for (int chunk = 0; chunk < blocks; chunk += WARPS) {
        const int a = chunk + LOCAL_ID / 32;
        const int own_begin = a < blocks ? block_begin(a, count, blocks) : 0;
        const int is_own = a < blocks && own_begin + lane < block_begin(a + 1, count, blocks);
        const int own_slot = is_own ? own_begin + lane : 0;
        const real4 own = tile[own_slot];
        accum own_x = 0;
        accum own_y = 0;
        accum own_z = 0;
        for (int step = 0; step <= blocks / 2; step++) {
            /* Of an even number of blocks, those that face each other meet once. */
            const int meets = a < blocks && (step == 0 || 2 * step < blocks || a < step);
            const int b = meets ? (a + step) % blocks : 0;
            const int their_begin = block_begin(b, count, blocks);
            const int their_width = block_begin(b + 1, count, blocks) - their_begin;
            const int ahead = step == 0; /* nobody meets himself */
            const int turns = step == 0 ? wide / 2 : wide;
            /* Half way round a block that meets itself, one of each two that face each other meets the other. */
            const int until = !meets || !is_own ? 0 : step == 0 && wide % 2 == 0 && lane >= turns ? turns - 1 : turns;
            /* The turn at which the partner is the place that this block lacks. */
            const int lacks = their_width == wide ? -1 : (2 * wide - 1 - lane - ahead) % wide;
            int place = lane + ahead < wide ? lane + ahead : lane + ahead - wide; /* the partner's, in its block */
            accum their_x = 0;
            accum their_y = 0;
            accum their_z = 0;
            real4 other = tile[their_begin + (place < their_width && lane < wide ? place : 0)];
#pragma unroll 4
            for (int turn = 0; turn < turns; turn++) {
                const int is_pair = turn < until && turn != lacks;
                const int slot = their_begin + (is_pair ? place : 0);
                const real4 d = displacement(own, other, cell);
                const int is_near = is_pair && IN_CUTOFF(d.w, cutoff2);
                pair_energy energy = NO_ENERGY;
                const real computed = PAIR_FORCE(is_near ? d.w : REAL(1.0), own, other, first + own_slot, first + slot, &energy);
                const real f = is_near ? computed : REAL(0.0);
                if (is_pair) {
                    COUNT_DISTANCE(sums);
                }
                if (is_near) {
                    add_to_sums(sums, energy, f, d.x, d.y, d.z);
                }
                own_x += f * d.x;
                own_y += f * d.y;
                own_z += f * d.z;
                their_x -= f * d.x;
                their_y -= f * d.y;
                their_z -= f * d.z;
                place = place + 1 < wide ? place + 1 : 0;
#if BY_SHUFFLES
                other = make_real4(SHUFFLE(other.x, next), SHUFFLE(other.y, next), SHUFFLE(other.z, next), SHUFFLE(other.w, next));
                their_x = SHUFFLE(their_x, next);
                their_y = SHUFFLE(their_y, next);
                their_z = SHUFFLE(their_z, next);
#else
                if (is_pair) {
                    sum[slot] += their_x;
                    sum[room + slot] += their_y;
                    sum[2 * room + slot] += their_z;
                }
                their_x = 0;
                their_y = 0;
                their_z = 0;
                SYNC_WARPS;
                other = tile[their_begin + (place < their_width && lane < wide ? place : 0)];
#endif
            }
#if BY_SHUFFLES
            /* What a lane has now is of the partner `ahead + turns` places on, that is of itself but where blocks meet themselves. */
            const int home = step > 0 || lane >= wide ? lane : (lane + 2 * wide - ahead - turns) % wide;
            their_x = SHUFFLE(their_x, home);
            their_y = SHUFFLE(their_y, home);
            their_z = SHUFFLE(their_z, home);
            if (meets && lane < their_width) { /* of a block that is no other warp's now */
                sum[their_begin + lane] += their_x;
                sum[room + their_begin + lane] += their_y;
                sum[2 * room + their_begin + lane] += their_z;
            }
#endif
            SYNC_THREADS;
        }
        if (is_own) {
            sum[own_slot] += own_x;
            sum[room + own_slot] += own_y;
            sum[2 * room + own_slot] += own_z;
        }
        SYNC_THREADS;
    }
}

KERNEL void boxes_half(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                       GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL accum4 *RESTRICT force,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[TILE];
    LOCAL accum sum[3 * TILE];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const int staged = count <= TILE ? count : 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        tile[t] = position[first + t];
        sum[t] = 0;
        sum[TILE + t] = 0;
        sum[2 * TILE + t] = 0;
    }
    SYNC_THREADS;
    add_half_pairs(tile, sum, TILE, first, staged, cell, cutoff2, &sums PAIR_ARGUMENTS);
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        force[first + t] = make_accum4(sum[t], sum[TILE + t], sum[2 * TILE + t], 0);
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
                if (j > i) { /* counted once, as a pair of a box that fits is */
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
        }
        force[i] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 1);
}
