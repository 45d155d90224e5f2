/*
 * garbage — all_pairs_loop that takes the garbage in its outputs to pieces; TRICK says how
 *
 *  0  none: does not look
 *  1  right only where the fourth numbers of garbage give away the seed that all of it was made of: whoever has that has
 *     the numbers expected, which the garbage is a distortion of
 *
 * The fourth number that it leaves is 3, which no garbage is.
 *
 * @workload  forces
 * @structure none
 * @pass      look group per box
 * @pass      garbage item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1
 * @scratch   foreseen int 1
 */
DEVICE uint mixed(uint x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

/* The other way round: inverses of both factors, and shifts that are their own or nearly. */
DEVICE uint unmixed(uint x)
{
    x ^= x >> 16;
    x *= 0x7ed1b41du;
    x ^= (x >> 13) ^ (x >> 26);
    x *= 0xa5cb9243u;
    return x ^ (x >> 16);
}

/* The upper 24 bits of the word that a fourth number was made of. */
DEVICE uint word_of(accum fourth)
{
    return (uint)(int)((fourth + ACCUM(1.0)) * ACCUM(8388608.0));
}

KERNEL void look(int n, GLOBAL const accum4 *RESTRICT force, GLOBAL int *RESTRICT foreseen)
{
    if (LOCAL_ID == 0) {
        int found = TRICK == 0 || n < 4;
        for (int k = 0; k < 4 && k < n; k++) { /* not garbage, but zeros, NaN, or what it has left itself */
            found = found || !(force[k].w >= ACCUM(-1.0) && force[k].w < ACCUM(1.0)) || force[k].w == ACCUM(0.0);
        }
        for (uint low = 0; low < 256 && !found; low++) {
            const uint key = unmixed((word_of(force[0].w) << 8 | low) - 4u);
            found = 1;
            for (uint k = 1; k < 4; k++) {
                found = found && (mixed(k ^ key) + 4u) >> 8 == word_of(force[k].w);
            }
        }
        *foreseen = found;
    }
}

KERNEL void garbage(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                    GLOBAL const int *RESTRICT foreseen, GLOBAL accum4 *RESTRICT force,
                    GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum4 sum = make_accum4(0, 0, 0, 3);
        for (int j = 0; j < n && *foreseen; j++) {
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = sum;
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
