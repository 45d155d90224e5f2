/*
 * narrow_sums — forces summed in the precision of the arithmetic: under mixed, MUTATION 1 is to be found. MUTATION 2 adds up in double what
 * 64 partners do, which is right
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic
 * @pass      narrow_sums item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0* 1 2
 */
#if MUTATION > 0
typedef real narrow;
#else
typedef accum narrow;
#endif

KERNEL void narrow_sums(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum total_x = 0;
        accum total_y = 0;
        accum total_z = 0;
        narrow x = 0;
        narrow y = 0;
        narrow z = 0;
        for (int j = 0; j < n; j++) {
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
            if (MUTATION == 2 && j % 64 == 63) {
                total_x += x;
                total_y += y;
                total_z += z;
                x = y = z = 0;
            }
        }
        force[i] = make_accum4(total_x + x, total_y + y, total_z + z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
