/*
 * pairs_direct — PAIRS listed pairs a work-item
 *
 * Both particles of pair k lie at place k of their arrays, so every load and store is of neighbouring places; each
 * pair has a place of its own for either derivative, so there are no atomics. Limited by memory: 32 bytes in and 32
 * out a pair in float. Several pairs a work-item keep more loads in flight and cost fewer sums at the end.
 *
 * @workload  coordination
 * @groups    pairs
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      pairs_direct item per pair / PAIRS
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   PAIRS 1* 2 4 8
 * @source    getCoordPair of PLUMED's CUDA coordination plugin (plumed2, plugins/cudaCoord)
 */
KERNEL void pairs_direct(int n_pairs, GLOBAL const real4 *RESTRICT position_a, GLOBAL const real4 *RESTRICT position_b,
                         box_args box, real cutoff2, GLOBAL accum4 *RESTRICT derivative_a,
                         GLOBAL accum4 *RESTRICT derivative_b, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int first = GROUP_ID * GROUP_SIZE * PAIRS + LOCAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    for (int p = 0; p < PAIRS; p++) {
        const int k = first + p * GROUP_SIZE;
        if (k < n_pairs) {
            const real4 a = position_a[k];
            const real4 b = position_b[k];
            const real4 d = displacement(a, b, box);
            pair_energy value = NO_ENERGY;
            real f = REAL(0.0);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                f = PAIR_FORCE(d.w, a, b, k, k, &value);
                add_to_sums(&sums, value, f, d.x, d.y, d.z);
            }
            derivative_a[k] = make_accum4(-f * d.x, -f * d.y, -f * d.z, 0);
            derivative_b[k] = make_accum4(f * d.x, f * d.y, f * d.z, 0);
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
