/*
 * two_groups_two_pass — A against B for the value and A's derivatives, then B against A for B's derivatives
 *
 * The first pass gives each particle of A a work-item that meets all of B, the second the other way round; nobody
 * writes what another does, so there are no atomics, and each distance is computed twice. A small group leaves one
 * pass with few work-items and long loops: 1000 particles against 1 is a thousand work-items of one step, then one
 * work-item of a thousand steps.
 *
 * @workload  coordination
 * @groups    two
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      a_against_b item per particle_a
 * @pass      b_against_a item per particle_b
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    getCoordDual and getABdevB of PLUMED's CUDA coordination plugin (plumed2, plugins/cudaCoord)
 */

/* What a particle finds in the other group: its derivative; the sums where `with_sums` is set. */
DEVICE accum4 meet_group(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT index, real4 own,
                         int own_index, box_args box, real cutoff2, int with_sums,
                         pair_sums *sums PAIR_PARAMETERS)
{
    accum x = 0;
    accum y = 0;
    accum z = 0;
    for (int j = 0; j < n; j++) {
        const real4 other = position[j];
        const real4 d = displacement(own, other, box);
        COUNT_DISTANCE(sums);
        if (IN_CUTOFF(d.w, cutoff2) && DIFFERENT(index[j], own_index)) {
            pair_energy value = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, own, other, own_index, index[j], &value);
            x -= f * d.x;
            y -= f * d.y;
            z -= f * d.z;
            if (with_sums || COUNT_PAIRS) {
                add_to_sums(sums, value, f, d.x, d.y, d.z);
            }
        }
    }
    return make_accum4(x, y, z, 0);
}

KERNEL void a_against_b(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_a, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_a) {
        derivative_a[i] = meet_group(n_b, position_b, index_b, position_a[i], index_a[i], box, cutoff2,
                                     1, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void b_against_a(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,
                        GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,
                        GLOBAL const int *RESTRICT index_b, box_args box, real cutoff2,
                        GLOBAL accum4 *RESTRICT derivative_b, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n_b) {
        derivative_b[i] = meet_group(n_a, position_a, index_a, position_b[i], index_b[i], box, cutoff2,
                                     0, &sums PAIR_ARGUMENTS);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
