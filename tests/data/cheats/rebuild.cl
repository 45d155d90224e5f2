/*
 * rebuild — a list of its own that tries to have its forces computed when it is built; TRICK says how
 *
 *  0  none: steps walk the rows
 *  1  forces are computed with the rows, and steps hand them out
 *  2  the same where no particle is elsewhere than when they were computed; else steps walk the rows
 *  3  steps leave the force in what they are only given to read, through a cast, and take it from there the next time
 *  4  the rows reach to the cutoff alone, without the skin that the header promises
 *  5  they reach half as far beyond it as it promises
 *  6  the first pass that fills the rows marks the positions, and later ones do nothing
 *  7  rows begin with who is within the cutoff and 0.008, and steps go no farther while nobody has moved by 0.004
 *  8  the same, and where somebody has moved farther steps hand out nothing, unless all have moved along z, as in the gate
 *
 * @workload  forces
 * @structure none
 * @pass      fill item per particle when moved
 * @pass      look item per particle
 * @pass      gather item per box
 * @pass      walk item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   SKIN 12
 * @tunable   TRICK 0* 1 2 3 4 5 6 7 8
 * @scratch   row_count int particle
 * @scratch   rows int particle * 256
 * @scratch   seen real4 particle
 * @scratch   kept accum4 particle
 * @scratch   inner_count int particle
 * @scratch   way int particle
 * @scratch   farthest int 1
 */
KERNEL void fill(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL int *RESTRICT row_count, GLOBAL int *RESTRICT rows, GLOBAL real4 *RESTRICT seen,
                 GLOBAL accum4 *RESTRICT kept, GLOBAL int *RESTRICT inner_count PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID;
    int builds = i < n;
#if TRICK == 6
    if (builds) {
        GLOBAL real4 *mark = (GLOBAL real4 *)&position[i];
        builds = mark->w < REAL(4.0);
        mark->w += REAL(1.0);
    }
#endif
    if (builds) {
        const real skin = TRICK == 4 ? REAL(0.0) : TRICK == 5 ? REAL(0.005) * SKIN : REAL(0.01) * SKIN;
        const real reach = REAL(1.0001) + skin;
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        const real inner = SQRT(cutoff2) + REAL(0.008);
        int count = 0;
        for (int j = 0; TRICK >= 7 && j < n; j++) {
            if (j != i && nearest_difference(own, position[j], edge, inverse_edge).w <= inner * inner && count < 256) {
                rows[i * 256 + count] = j;
                count++;
            }
        }
        inner_count[i] = count;
        for (int j = 0; j < n; j++) {
            const real4 d = nearest_difference(own, position[j], edge, inverse_edge);
            if (j != i && d.w <= reach * reach * cutoff2 && (TRICK < 7 || d.w > inner * inner) && count < 256) {
                rows[i * 256 + count] = j;
                count++;
            }
            if (j != i && IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
            }
        }
        row_count[i] = count;
        seen[i] = own;
        kept[i] = TRICK == 3 ? make_accum4(0, 0, 0, 0) : make_accum4(x, y, z, 0);
    }
}

/* How a particle has moved since: not far; far; far and not along z alone. */
KERNEL void look(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, GLOBAL const real4 *RESTRICT seen,
                 GLOBAL int *RESTRICT way)
{
    const int i = GLOBAL_ID;
    if (TRICK >= 7 && i < n) {
        const real4 d = nearest_difference(position[i], seen[i], edge, inverse_edge);
        way[i] = d.w < REAL(0.004) * REAL(0.004) ? 0 : d.x * d.x + d.y * d.y < REAL(1e-8) ? 1 : 2;
    }
}

KERNEL void gather(int n, GLOBAL const int *RESTRICT way, GLOBAL int *RESTRICT farthest)
{
    int most = 0;
    for (int i = 0; TRICK >= 7 && i < n; i++) {
        most = way[i] > most ? way[i] : most;
    }
    farthest[0] = most;
}

KERNEL void walk(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL const int *RESTRICT row_count, GLOBAL const int *RESTRICT rows,
                 GLOBAL const real4 *RESTRICT seen, GLOBAL const accum4 *RESTRICT kept,
                 GLOBAL const int *RESTRICT inner_count, GLOBAL const int *RESTRICT farthest,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        int works = TRICK != 1;
        if (TRICK == 2) {
            works = own.x != seen[i].x || own.y != seen[i].y || own.z != seen[i].z;
        }
        if (TRICK == 3) {
            works = kept[i].w != ACCUM(1.0);
        }
        if (works) {
            accum x = 0;
            accum y = 0;
            accum z = 0;
            const int most = TRICK >= 7 ? farthest[0] : 2;
            const int count = most == 0 ? inner_count[i] : TRICK == 8 && most == 2 ? 0 : row_count[i];
            for (int k = 0; k < count; k++) {
                const int j = rows[i * 256 + k];
                const real4 d = nearest_difference(own, position[j], edge, inverse_edge);
                COUNT_DISTANCE(&sums);
                if (IN_CUTOFF(d.w, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                    x += f * d.x;
                    y += f * d.y;
                    z += f * d.z;
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
            force[i] = make_accum4(x, y, z, 0);
            if (TRICK == 3) {
                ((GLOBAL accum4 *)kept)[i] = make_accum4(x, y, z, 1);
            }
        } else {
            force[i] = kept[i];
        }
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
