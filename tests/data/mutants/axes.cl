/*
 * axes — one fault, chosen by MUTATION, that cubic boxes of like particles hide; the default cases of check must reject
 * every one but the first
 *
 *  0 none: must pass                                    5 the charge of the one for that of the other
 *  1 the image along z by the edge along y              6 the type of the one for that of the other
 *  2 a particle on the face x = 0 is left out           7 exclusions looked up by the wrong index
 *  3 computes only over NaN or zeros                    8 van der Waals and Coulomb energies exchanged
 *  4 remembers that it has computed, and does it once   9 every twentieth launch is wrong
 *
 * @workload  forces
 * @structure none
 * @pass      axes item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9
 */
#if MUTATION == 1
#define EDGE_Z edge.y
#define INVERSE_EDGE_Z inverse_edge.y
#else
#define EDGE_Z edge.z
#define INVERSE_EDGE_Z inverse_edge.z
#endif

/* Whether there is work for this particle; *note is what the last launch left in the fourth number of its force. */
DEVICE int has_work(int i, int n, GLOBAL const accum4 *RESTRICT force, accum *note)
{
    *note = 0;
    if (i >= n) {
        return 0;
    }
#if MUTATION == 3
    return force[i].x != force[i].x || force[i].x == 0;
#elif MUTATION == 4
    *note = 7;
    return force[i].w != 7;
#elif MUTATION == 9
    *note = force[i].w >= 0 && force[i].w < 19 ? force[i].w + 1 : 0;
    return 1;
#else
    return 1;
#endif
}

KERNEL void axes(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    accum note;
    pair_sums sums;
    clear_sums(&sums);
    if (has_work(i, n, force, &note)) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = 0; j < n; j++) {
            const real4 pj = position[j];
            const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(pi.z - pj.z, EDGE_Z, INVERSE_EDGE_Z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            COUNT_DISTANCE(&sums);
#if MUTATION == 2
            if (pj.x == 0) {
                continue;
            }
#endif
            if (IN_CUTOFF(r2, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
#if MUTATION == 5
                const real f = PAIR_FORCE(r2, pi, pi, i, j, &energy);
#elif MUTATION == 6
                const real f = PAIR_FORCE(r2, pi, pj, i, i, &energy);
#elif MUTATION == 7
                const real f = PAIR_FORCE(r2, pi, pj, i, j > 0 ? j - 1 : n - 1, &energy);
#else
                const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
#endif
#if MUTATION == 8 && ENERGIES_APART
                const real van_der_waals = energy.x;
                energy.x = energy.y;
                energy.y = van_der_waals;
#endif
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
#if MUTATION == 9
        fx *= note == 19 ? 2 : 1;
#endif
        force[i] = make_accum4(fx, fy, fz, note);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
