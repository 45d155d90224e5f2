/*
 * all_pairs_buffers — tiles of 32 by 32 particles, each pair once, into a buffer per work-group of one warp
 *
 * The work-items of a warp hold 32 particles and meet 32 others, each beginning with another one, so that no two of them add
 * to one partner at a time: partners' forces gather in local memory without atomics. Behind each tile both are added to
 * the buffer of the warp, which nobody else writes; at the end a work-item per particle adds up the buffers in their
 * order. Two runs give the same bits, in float, too; another order of the particles has other sums, so that there is no fixed. Costs as many times the
 * forces in memory as there are groups: on many compute units more to clear and to add up than the pairs of a small box take.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      count_buffers group per compute_unit * GROUPS_PER_UNIT
 * @pass      clear_buffers item per particle
 * @pass      all_pairs_buffers group per compute_unit * GROUPS_PER_UNIT
 * @pass      sum_buffers item per particle
 * @tunable   GROUP_SIZE 32
 * @tunable   GROUPS_PER_UNIT 4 8* 16
 * @scratch   buffers accum4 particle * compute_unit * GROUPS_PER_UNIT
 * @scratch   buffer_count int 1
 * @source    one force buffer per warp, and tiles of 32: OpenMM's OpenCL platform (P. Eastman and V. S. Pande, J. Comput. Chem.
 *            31, 1268 (2010))
 */
#define WIDTH GROUP_SIZE /* of a tile; a warp, so that SYNC_WARPS keeps its work-items in step */

KERNEL void count_buffers(GLOBAL int *RESTRICT buffer_count)
{
    if (GLOBAL_ID == 0) {
        buffer_count[0] = NUM_GROUPS;
    }
}

KERNEL void clear_buffers(int n, GLOBAL accum4 *RESTRICT buffers, GLOBAL const int *RESTRICT buffer_count)
{
    const int i = GLOBAL_ID;
    for (int b = 0; i < n && b < buffer_count[0]; b++) {
        buffers[(long64)b * n + i] = make_accum4(0, 0, 0, 0);
    }
}

/* Adds what acts on 32 particles to the warp's own buffer. */
DEVICE void add_to_buffer(GLOBAL accum4 *buffer, int n, int i, accum x, accum y, accum z)
{
    if (i < n) {
        accum4 sum = buffer[i];
        sum.x += x;
        sum.y += y;
        sum.z += z;
        buffer[i] = sum;
    }
}

KERNEL void all_pairs_buffers(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                              GLOBAL accum4 *buffers, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[WIDTH];
    LOCAL accum partner_x[WIDTH];
    LOCAL accum partner_y[WIDTH];
    LOCAL accum partner_z[WIDTH];
    const int lane = LOCAL_ID;
    const int blocks = (n + WIDTH - 1) / WIDTH;
    GLOBAL accum4 *buffer = buffers + (long64)GROUP_ID * n;
    int apart = GROUP_ID / blocks; /* a pair of blocks: how far they are apart, and the first of them */
    int first = GROUP_ID % blocks;
    pair_sums sums;
    clear_sums(&sums);
    /* As all_pairs_half numbers pairs; blocks half way round are met from one side alone. */
    while (apart < (blocks + 1) / 2 || (2 * apart == blocks && first < blocks / 2)) {
        const int second = first + apart < blocks ? first + apart : first + apart - blocks;
        const int i = first * WIDTH + lane;
        const int own_j = second * WIDTH + lane;
        const real4 own = position[i < n ? i : n - 1];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        tile[lane] = position[own_j < n ? own_j : n - 1];
        partner_x[lane] = 0;
        partner_y[lane] = 0;
        partner_z[lane] = 0;
        SYNC_WARPS;
        /* Inside a block, half the turns meet each pair once, but for the last, which half the work-items take. */
        const int turns = apart == 0 ? WIDTH / 2 + 1 : WIDTH;
        for (int turn = apart == 0 ? 1 : 0; turn < turns; turn++) {
            const int k = (lane + turn) % WIDTH;
            const int j = second * WIDTH + k;
            const int meets = i < n && j < n && (apart > 0 || turn < WIDTH / 2 || lane < WIDTH / 2);
            if (meets) {
                const real4 other = tile[k];
                const real4 d = displacement(own, other, box);
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(d.w, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                    x += f * d.x;
                    y += f * d.y;
                    z += f * d.z;
                    partner_x[k] -= f * d.x;
                    partner_y[k] -= f * d.y;
                    partner_z[k] -= f * d.z;
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
            SYNC_WARPS;
        }
        add_to_buffer(buffer, n, i, x, y, z);
        SYNC_WARPS; /* where the block meets itself, both are of the same particles */
        add_to_buffer(buffer, n, own_j, partner_x[lane], partner_y[lane], partner_z[lane]);
        SYNC_WARPS;
        first += NUM_GROUPS % blocks;
        apart += NUM_GROUPS / blocks;
        if (first >= blocks) {
            first -= blocks;
            apart++;
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void sum_buffers(int n, GLOBAL const accum4 *RESTRICT buffers, GLOBAL const int *RESTRICT buffer_count,
                        GLOBAL accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        accum4 sum = make_accum4(0, 0, 0, 0);
        for (int b = 0; b < buffer_count[0]; b++) {
            const accum4 part = buffers[(long64)b * n + i];
            sum.x += part.x;
            sum.y += part.y;
            sum.z += part.z;
        }
        force[i] = sum;
    }
}
