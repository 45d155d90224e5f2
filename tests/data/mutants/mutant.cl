/*
 * mutant — all_pairs_loop with one fault, chosen by MUTATION; the gate must reject every one but the first
 *
 *  0 none: must pass            7 half the virial
 *  1 writes nothing             8 float arithmetic under another label
 *  2 drops one pair             9 one force is NaN
 *  3 counts one pair twice     10 energy counted from both sides
 *  4 wrong image along x       11 cutoff too short
 *  5 flipped sign              12 the last particle is left out
 *  6 stale: computes only over NaN, so that it does nothing when timed again
 * 13 right, but reads and writes a particle beyond the last: memcheck must see it, too (scripts/sanitize_cuda)
 *
 * @workload  forces
 * @structure none
 * @pass      mutant item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12 13
 */
#if MUTATION == 8
typedef float narrow;
#else
typedef real narrow;
#endif

KERNEL void mutant(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                   GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    int met = 0;
    int works = i < n;
#if MUTATION == 1
    works = 0;
#elif MUTATION == 6
    works = works && force[i].x != force[i].x;
#elif MUTATION == 12
    works = works && i < n - 1;
#elif MUTATION == 13
    works = i <= n;
#endif
    if (works) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = 0; j < n; j++) {
            const real4 pj = position[j];
#if MUTATION == 4
            const real dx = pi.x - pj.x;
#else
            const real dx = nearest_image((narrow)(pi.x) - (narrow)(pj.x), edge.x, inverse_edge.x);
#endif
            const real dy = nearest_image((narrow)(pi.y) - (narrow)(pj.y), edge.y, inverse_edge.y);
            const real dz = nearest_image((narrow)(pi.z) - (narrow)(pj.z), edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
#if MUTATION == 11
            const int counts = IN_CUTOFF(r2, REAL(0.9) * cutoff2) && j != i;
#else
            const int counts = IN_CUTOFF(r2, cutoff2) && j != i;
#endif
            COUNT_DISTANCE(&sums);
            if (counts) {
                real energy = 0;
                real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
#if MUTATION == 2
                f = i == n / 2 && met == 0 ? REAL(0.0) : f;
#elif MUTATION == 3
                f = i == n / 2 && met == 0 ? REAL(2.0) * f : f;
#elif MUTATION == 5
                f = -f;
#endif
                met++;
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
#if MUTATION == 7
                f = REAL(0.5) * f;
#endif
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
#if MUTATION == 9
        fy = i == n / 2 ? (fy - fy) / (fy - fy) : fy;
#endif
        force[i] = make_accum4(fx, fy, fz, 0);
    }
#if MUTATION == 10
    STORE_SUMS(partial_sums, &sums, 1.0);
#elif MUTATION != 1
    STORE_SUMS(partial_sums, &sums, 0.5);
#endif
}
