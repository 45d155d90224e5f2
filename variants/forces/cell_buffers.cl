/*
 * cell_buffers — pairs of neighbouring cells, each pair once, into buffers that no two work-items share
 *
 * Newton's third law without atomics. A work-item takes a cell and one of its 13 later neighbours, or its inside. What acts
 * on the own particles goes to one buffer, what acts on the partners to another, and both are of that neighbour alone: seen
 * from a neighbour there is one cell at that offset, so nobody else writes there. Particles stand in the order of
 * cells. A second pass adds up the 27 buffers, always in the same order. With STABLE_SORT 1 two runs give the same bits, in float, too.
 * Every pair is computed once, and every particle costs 27 numbers of memory written and read, times three: 864 bytes in double.
 *
 * @workload  forces
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      cell_buffers item per cell * OFFSETS
 * @pass      sum_cell_buffers item per particle
 * @tunable   GROUP_SIZE 32 64* 128
 * @tunable   OFFSETS 14
 * @tunable   BUFFERS 27
 * @tunable   CELLS_PER_CUTOFF 1
 * @tunable   STABLE_SORT 0 1*
 * @scratch   buffers accum4 particle * BUFFERS
 * @source    several force buffers that are summed at the end: OpenMM's OpenCL platform (P. Eastman and V. S. Pande, J. Comput.
 *            Chem. 31, 1268 (2010)); one per neighbour of a cell is our own
 */

/* Offset number o of a later neighbour, 1 to 13: behind the middle of the 27. */
DEVICE int4 later_offset(int o, int sign)
{
    const int k = o + 13;
    return make_int4(sign * (k % 3 - 1), sign * (k / 3 % 3 - 1), sign * (k / 9 - 1), 0);
}

/* Within the reach of the grid; along an edge of one open cell there is none. */
DEVICE int neighbour_at(int4 home, int o, int sign, int4 cells, int *image)
{
    return cell_at_offset(home, later_offset(o, sign), cells, image);
}

DEVICE void clear_run(GLOBAL accum4 *buffer, int begin, int end)
{
    for (int p = begin; p < end; p++) {
        buffer[p] = make_accum4(0, 0, 0, 0);
    }
}

KERNEL void cell_buffers(int n, int4 cells, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                         box_args box, real cutoff2, GLOBAL accum4 *buffers,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int o = GLOBAL_ID / cells.w; /* the inside, or a later neighbour */
    const int cell = GLOBAL_ID % cells.w;
    const int4 home = cell_place(cell, cells);
    pair_sums sums;
    clear_sums(&sums);
    if (o < OFFSETS) {
        int image = 13;
        const int other_cell = o == 0 ? cell : neighbour_at(home, o, 1, cells, &image);
        const real4 shift = shift_of_image(image, box);
        const int begin = cell_start[cell];
        const int end = cell_start[cell + 1];
        const int other_begin = other_cell < 0 ? 0 : cell_start[other_cell];
        const int other_end = other_cell < 0 ? 0 : cell_start[other_cell + 1];
        GLOBAL accum4 *of_own = buffers + (long64)o * n;
        GLOBAL accum4 *of_partners = o == 0 ? of_own : buffers + (long64)(13 + o) * n;
        int ignored = 13;
        clear_run(of_partners, other_begin, other_end);
        if (o > 0 && neighbour_at(home, o, -1, cells, &ignored) < 0) {
            clear_run(of_partners, begin, end); /* of nobody's partners */
        }
        for (int i = begin; i < end; i++) {
            const real4 own = sorted_position[i];
            accum x = 0;
            accum y = 0;
            accum z = 0;
            for (int j = o == 0 ? i + 1 : other_begin; j < other_end; j++) {
                const real4 other = sorted_position[j];
                const real dx = own.x - (other.x + shift.x);
                const real dy = own.y - (other.y + shift.y);
                const real dz = own.z - (other.z + shift.z);
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(r2, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, own, other, sorted_index[i], sorted_index[j], &energy);
                    accum4 partner = of_partners[j];
                    x += f * dx;
                    y += f * dy;
                    z += f * dz;
                    partner.x -= f * dx;
                    partner.y -= f * dy;
                    partner.z -= f * dz;
                    of_partners[j] = partner;
                    add_to_sums(&sums, energy, f, dx, dy, dz);
                }
            }
            accum4 sum = o == 0 ? of_own[i] : make_accum4(0, 0, 0, 0);
            sum.x += x;
            sum.y += y;
            sum.z += z;
            of_own[i] = sum;
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void sum_cell_buffers(int n, GLOBAL const int *RESTRICT sorted_index, GLOBAL const accum4 *RESTRICT buffers,
                             GLOBAL force_sum *RESTRICT force, int force_plane)
{
    const int p = GLOBAL_ID;
    if (p < n) {
        own_force sum;
        clear_force(&sum);
        for (int b = 0; b < BUFFERS; b++) {
            const accum4 part = buffers[(long64)b * n + p];
            add_part_to_force(&sum, part.x, part.y, part.z);
#if ACCUM_IS_FIXED
            add_part_to_force(&sum, part.x - (real)part.x, part.y - (real)part.y, part.z - (real)part.z); /* what that rounds off */
#endif
        }
        store_own_force(force, force_plane, sorted_index[p], &sum);
    }
}
