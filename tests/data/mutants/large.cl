/*
 * large — all_pairs_loop with a fault that boxes of up to 3000 particles do not show, chosen by MUTATION
 *
 *  0 none: must pass
 *  1 the force on one particle is off by a thousandth
 *  2 an index is a product that no int holds, of the particles behind some 3500
 *  3 the cutoff is too short
 *  4 the energy is off by a millionth
 *  5 from 20 000 particles on, particle 0 is left out
 *
 * @workload  forces
 * @structure none
 * @pass      large item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5
 */
#define IS_LARGE (n > 3000)

KERNEL void large(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                  GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
#if MUTATION == 2
        /* As if row i of a table began at i * stride: what wraps is another particle's. */
        const uint stride = 600000;
        const uint row = (uint)i * stride;
        const real4 pi = position[row > 2147483647u ? n - 1 - i : (int)(row / stride)];
#else
        const real4 pi = position[i];
#endif
        const real reach2 = MUTATION == 3 && IS_LARGE ? REAL(0.81) * cutoff2 : cutoff2;
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
            const real4 d = nearest_difference(pi, position[j], edge, inverse_edge);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, reach2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, pi, position[j], i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
#if MUTATION == 4
                energy *= IS_LARGE ? REAL(1.000001) : REAL(1.0);
#endif
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
#if MUTATION == 1
        if (IS_LARGE && i == 2718) {
            x *= REAL(1.001);
            y *= REAL(1.001);
            z *= REAL(1.001);
        }
#endif
        force[i] = MUTATION == 5 && n >= 20000 && i == 0 ? make_accum4(0, 0, 0, 0) : make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
