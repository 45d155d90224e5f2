/*
 * outside — all_pairs_loop with one access beyond an array, chosen by MUTATION; the guards around buffers must show every
 * one but the first and the last
 *
 *  0 none: must pass
 *  1 every work-item writes a force, also those behind the last particle
 *  2 a force before the first            6 a position more among the partners
 *  3 a force a hundred behind the last   7 a partner more, by the index behind the last
 *  4 a position behind the last          8 a position before the first, among the partners
 *  5 a sum before the first              9 reads behind the last and does nothing with it: cannot be seen
 *
 * @workload  forces
 * @structure sorted_cells
 * @pass      outside item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9
 */
#if MUTATION == 1
#define WRITES(i, n) 1
#else
#define WRITES(i, n) ((i) < (n))
#endif
#if MUTATION == 8
#define FIRST -1
#else
#define FIRST 0
#endif
#if MUTATION == 6 || MUTATION == 7
#define END(n) ((n) + 1)
#else
#define END(n) (n)
#endif
#if MUTATION == 7
#define PARTNER(k) sorted_index[k]
#else
#define PARTNER(k) (k)
#endif

KERNEL void outside(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT sorted_index, real4 edge,
                    real4 inverse_edge, real cutoff2, GLOBAL accum4 *RESTRICT force,
                    GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    accum fx = 0;
    accum fy = 0;
    accum fz = 0;
    if (i < n) {
        const real4 pi = position[i];
        for (int k = FIRST; k < END(n); k++) {
            const int j = PARTNER(k);
            const real4 pj = position[j];
            const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(r2, cutoff2) && j != i) {
                real energy = 0;
                const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
#if MUTATION == 9
        fx = position[n].x < -1 ? fx + 1 : fx;
#endif
    }
    if (WRITES(i, n)) {
        force[i] = make_accum4(fx, fy, fz, 0);
    }
#if MUTATION == 2
    if (i == 0) {
        force[-1] = force[0];
    }
#elif MUTATION == 3
    if (i == 0) {
        force[n + 99] = force[0];
    }
#elif MUTATION == 4
    if (i == 0) {
        ((GLOBAL real4 *)position)[n] = position[0];
    }
#endif
    STORE_SUMS(partial_sums, &sums, 0.5);
#if MUTATION == 5
    if (i == 0) {
        partial_sums[-1] = 1;
    }
#endif
}
