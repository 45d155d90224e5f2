/*
 * list_boxes — of a batch of small boxes a group takes one, and walks rows of neighbours that are places in local memory
 *
 * Each particle has a row of the particles of its own box that are within the cutoff and a skin, found from all pairs of the box once a particle
 * has moved by half the skin. A place in a box needs 8 bits (16 where TILE is more than 256): a word has four. The group loads its box into
 * local memory, and every work-item walks the row of its particle, whose words lie beside those of the others. All lanes compute the
 * pair, and those beyond the cutoff add zero. Each pair is computed from both sides; no atomics. In a box of few cutoffs a quarter of the
 * pairs is in the cutoff: where it lasts a few steps, a list is walked in less time than boxes_half takes for half of all pairs. A row that
 * has more than ROOM neighbours, and a box of more than TILE particles, is met by plain loops.
 *
 * @workload  forces coordination
 * @name      coordination_list_boxes for coordination
 * @groups    one for coordination
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      list_boxes_fill group per box when moved
 * @pass      list_boxes group per box
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   TILE 64 128 256* 512 1024
 * @holds     TILE particles_per_box
 * @tunable   SKIN 6 9 12* 16 20
 * @tunable   ROOM 32 64 96 128* 192 256 512
 * @holds     ROOM min(12 + 1.3 * 4.19 * density * cutoff * cutoff * cutoff * (1 + 0.03 * SKIN), particles_per_box)
 * @scratch   row_count int particle
 * @scratch   rows uint particle * ROOM / 2
 * @source    our own; L. Verlet, Physical Review 159, 98 (1967)
 */
#if TILE > 256
#define PER_WORD 2
#define PLACE_BITS 16
#define PLACE_MASK 65535u
#else
#define PER_WORD 4
#define PLACE_BITS 8
#define PLACE_MASK 255u
#endif
#define ROW_WORDS (ROOM / PER_WORD)

KERNEL void list_boxes_fill(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                            GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL int *RESTRICT row_count,
                            GLOBAL uint *RESTRICT rows)
{
    LOCAL real4 tile[TILE];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const int staged = count <= TILE ? count : 0;
    const real reach = REAL(1.0001) * (REAL(1.0) + REAL(0.01) * SKIN);
    const real reach2 = reach * reach * cutoff2;
    GLOBAL uint *RESTRICT words = rows + (long64)first * ROW_WORDS;
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        tile[t] = position[first + t];
    }
    SYNC_THREADS;
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        const real4 own = tile[t];
        uint word = 0;
        int found = 0;
        for (int other = 0; other < count; other++) {
            if (nearest2(own, tile[other], cell) <= reach2 && other != t) {
                word |= (uint)other << (found % PER_WORD * PLACE_BITS);
                if (found % PER_WORD == PER_WORD - 1) {
                    if (found < ROOM) {
                        words[found / PER_WORD * count + t] = word;
                    }
                    word = 0;
                }
                found++;
            }
        }
        if (found % PER_WORD != 0 && found < ROOM) {
            words[found / PER_WORD * count + t] = word;
        }
        row_count[first + t] = found;
    }
}

KERNEL void list_boxes(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                       GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL const int *RESTRICT row_count,
                       GLOBAL const uint *RESTRICT rows, GLOBAL accum4 *RESTRICT force,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[TILE];
    const box_args cell = box_cells[GROUP_ID];
    const int first = box_begin[GROUP_ID];
    const int count = box_begin[GROUP_ID + 1] - first;
    const int staged = count <= TILE ? count : 0;
    GLOBAL const uint *RESTRICT words = rows + (long64)first * ROW_WORDS;
    pair_sums sums;
    clear_sums(&sums);
    for (int t = LOCAL_ID; t < staged; t += GROUP_SIZE) {
        tile[t] = position[first + t];
    }
    SYNC_THREADS;
    for (int t = LOCAL_ID; t < count; t += GROUP_SIZE) {
        const real4 own = position[first + t];
        const int found = staged > 0 ? row_count[first + t] : ROOM + 1;
        const int listed = found <= ROOM ? found : 0;
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        uint next = listed > 0 ? words[t] : 0;
        for (int k = 0; k < listed; k += PER_WORD) {
            const uint word = next;
            next = words[(k + PER_WORD < listed ? k / PER_WORD + 1 : 0) * count + t];
#pragma unroll
            for (int u = 0; u < PER_WORD; u++) {
                const int slot = (int)((word >> (u * PLACE_BITS)) & PLACE_MASK);
                const real4 other = tile[slot];
                const real4 d = displacement(own, other, cell);
                const int is_near = k + u < listed && IN_CUTOFF(d.w, cutoff2);
                pair_energy energy = NO_ENERGY;
                const real computed = PAIR_FORCE(is_near ? d.w : REAL(1.0), own, other, first + t, first + slot, &energy);
                const real f = is_near ? computed : REAL(0.0);
                if (k + u < listed) {
                    COUNT_DISTANCE(&sums);
                }
                if (is_near) {
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
                fx += f * d.x;
                fy += f * d.y;
                fz += f * d.z;
            }
        }
        for (int other = 0; found > ROOM && other < count; other++) {
            const real4 d = displacement(own, position[first + other], cell);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && other != t) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[first + other], first + t, first + other, &energy);
                fx += f * d.x;
                fy += f * d.y;
                fz += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[first + t] = make_accum4(fx, fy, fz, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
