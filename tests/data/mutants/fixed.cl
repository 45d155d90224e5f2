/*
 * fixed — forces added up in fixed point by hand, two work-items per particle: under fixed, each MUTATION is to be found
 *
 * 1: the scale is 2^31; 2: units are cut to 32 bits; 3: what another work-item added meanwhile is lost; 4: pairs are added up in
 * float; 5: units are those of 2^-20; 6: of 2^-31.
 *
 * @workload  forces
 * @structure none
 * @accumulates force
 * @pass      fixed item per particle * HALVES
 * @tunable   GROUP_SIZE 64
 * @tunable   HALVES 2
 * @tunable   MUTATION 0* 1 2 3 4 5 6
 */
DEVICE long64 units(real value)
{
#if MUTATION == 1
    return ROUND_TO_LONG(value * REAL(2147483648.0));
#elif MUTATION == 5
    return ROUND_TO_LONG(value * REAL(1048576.0)) << 12;
#elif MUTATION == 6
    return ROUND_TO_LONG(value * REAL(2147483648.0)) << 1;
#elif MUTATION == 2
    return (int)ROUND_TO_LONG(value * REAL(4294967296.0));
#else
    return ROUND_TO_LONG(value * REAL(4294967296.0));
#endif
}

#if MUTATION == 4
typedef real pair_sum;
#define OF_PAIR(value) (value)
#define OF_ALL(sum) units(sum)
#else
typedef long64 pair_sum;
#define OF_PAIR(value) units(value)
#define OF_ALL(sum) (sum)
#endif

/* Every work-item calls it. */
DEVICE void add_units(GLOBAL force_sum *force, long64 place, int wanted, long64 value)
{
#if MUTATION == 3
    const long64 found = wanted ? force[place] : 0;
    SYNC_THREADS;
    if (wanted) {
        force[place] = found + value;
    }
#else
    if (wanted) {
        ATOMIC_ADD_LONG(&force[place], value);
    }
#endif
    SYNC_THREADS;
}

KERNEL void fixed(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                  GLOBAL force_sum *force, int force_plane, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int item = GLOBAL_ID;
    const int i = item / HALVES;
    const long64 plane = force_plane;
    pair_sums sums;
    clear_sums(&sums);
    pair_sum x = 0;
    pair_sum y = 0;
    pair_sum z = 0;
    for (int j = item % HALVES; i < n && j < n; j += HALVES) {
        const real4 d = displacement(position[i], position[j], box);
        COUNT_DISTANCE(&sums);
        if (IN_CUTOFF(d.w, cutoff2) && j != i) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, position[i], position[j], i, j, &energy);
            x += OF_PAIR(f * d.x);
            y += OF_PAIR(f * d.y);
            z += OF_PAIR(f * d.z);
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
        }
    }
    add_units(force, i, i < n, OF_ALL(x));
    add_units(force, plane + i, i < n, OF_ALL(y));
    add_units(force, 2 * plane + i, i < n, OF_ALL(z));
    STORE_SUMS(partial_sums, &sums, 0.5);
}
