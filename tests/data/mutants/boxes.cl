/*
 * boxes — forces of a batch of boxes, all pairs of each, with one fault chosen by MUTATION; the gate must reject every one
 * but the first
 *
 *  0 none: must pass
 *  1 the first particle of the next box is a partner, too
 *  2 the last box lacks its last particle
 *  3 sums of two boxes go to the first of them
 *  4 the cell of the first box is that of all
 *  5 boxes have as many particles as the first
 *  6 a box of one particle is left as it is
 *  7 the energy of a box without particles is not zero
 *  8 sums of a box go to the next one
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      boxes group per box
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8
 */
DEVICE int begin_of(int b, int box_count, GLOBAL const int *RESTRICT box_begin)
{
    return MUTATION == 5 ? (b * box_begin[1] < box_begin[box_count] ? b * box_begin[1] : box_begin[box_count]) : box_begin[b];
}

KERNEL void boxes(int n, int box_count, GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                  GLOBAL const real4 *RESTRICT position, real cutoff2, GLOBAL accum4 *RESTRICT force,
                  GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    /* Where sums of box b go is the group that adds them: who takes another box puts them elsewhere. */
    const int b = MUTATION == 3 ? GROUP_ID / 2 * 2 : MUTATION == 8 ? (GROUP_ID + 1) % box_count : GROUP_ID;
    const int boxes_of_group = MUTATION == 3 ? (GROUP_ID % 2 == 0 && b + 1 < box_count ? 2 : GROUP_ID % 2 == 0) : 1;
    pair_sums sums;
    clear_sums(&sums);
    for (int k = 0; k < boxes_of_group; k++) {
        const box_args cell = box_cells[MUTATION == 4 ? 0 : b + k];
        const int first = begin_of(b + k, box_count, box_begin);
        const int end = begin_of(b + k + 1, box_count, box_begin) - (MUTATION == 2 && b + k == box_count - 1);
        const int beyond = MUTATION == 1 && end < n ? end + 1 : end;
        if (MUTATION == 6 && end - first == 1) {
            continue;
        }
        for (int i = first + LOCAL_ID; i < end; i += GROUP_SIZE) {
            accum fx = 0;
            accum fy = 0;
            accum fz = 0;
            for (int j = first; j < beyond; j++) {
                const real4 d = displacement(position[i], position[j], cell);
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, position[i], position[j], i, j, &energy);
                    fx += f * d.x;
                    fy += f * d.y;
                    fz += f * d.z;
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
            force[i] = make_accum4(fx, fy, fz, 0);
        }
        if (MUTATION == 7 && end == first && LOCAL_ID == 0) {
            add_to_sums(&sums, REAL(1.0), REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0));
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
