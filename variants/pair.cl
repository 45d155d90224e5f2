/*
 * pair_words — what every variant of `forces` says the same way: the pair function, and sums besides the forces
 *
 * The harness puts this text between the dialect's prelude and the interaction. Compile-time definitions:
 * ACCUM_IS_FIXED, PERIODIC, WITH_CUTOFF, WITH_ENERGY, WITH_VIRIAL, ENERGIES_APART, COUNT_PAIRS, WITH_TYPES, EXCLUDE_LISTED,
 * EXCLUDE_MOLECULES, REDUCTION_WARP, REDUCTION_ATOMIC (each 0 or 1), PAIR_TABLE_STRIDE, GROUP_SIZE and the tunables,
 * TYPE_TABLE among them where there are types.
 */

/* ---- the pair function ---- */

/* The energy of a pair: van der Waals in x and Coulomb in y where the interaction has both, else one number. */
#if ENERGIES_APART
typedef real2 pair_energy;
#define NO_ENERGY make_real2(REAL(0.0), REAL(0.0))
#define ADD_VAN_DER_WAALS(energy, term) ((energy)->x += (term))
#define ADD_COULOMB(energy, term) ((energy)->y += (term))
#else
typedef real pair_energy;
#define NO_ENERGY REAL(0.0)
#define ADD_VAN_DER_WAALS(energy, term) (*(energy) += (term))
#define ADD_COULOMB(energy, term) (*(energy) += (term))
#endif

/* The reciprocal of a parameter: worked out by the compiler unless it comes from a table. */
#if WITH_TYPES
#define RECIP_PARAMETER(x) RECIP(x)
#else
#define RECIP_PARAMETER(x) (REAL(1.0) / (x))
#endif

/* What an interaction needs to know besides positions and charges arrives through PAIR_PARAMETERS, which ends every
 * kernel's parameter list (no comma before it), and is used by PAIR_FORCE, which every variant calls for a pair within
 * the cutoff: F/r, the energy set where WITH_ENERGY is 1. `i` and `j` are input indices, evaluated only where the
 * interaction asks for them. A helper that calls PAIR_FORCE ends its parameters with PAIR_PARAMETERS, too, and is
 * called with PAIR_ARGUMENTS at the end (no comma before it either).
 *
 * pair_table holds PAIR_TABLE_STRIDE numbers for each ordered pair of types. It lies where TYPE_TABLE says: 0 in
 * global memory that is only read, 1 in constant memory, 2 in local memory, where SUM_SCRATCH puts a copy for the
 * group. In the last case a kernel and its helpers take the room for the copy beside what is copied. */
#if !WITH_TYPES
#define PAIR_TABLE_PARAMETERS
#elif TYPE_TABLE == 0
#define PAIR_TABLE_SPACE GLOBAL
#define PAIR_TABLE_PARAMETERS , GLOBAL const real *RESTRICT pair_table
#define PAIR_TABLE_ARGUMENTS , pair_table
#elif TYPE_TABLE == 2
#define PAIR_TABLE_SPACE LOCAL_ARG
#define PAIR_TABLE_PARAMETERS , GLOBAL const real *RESTRICT pair_table_source, LOCAL_ARG real *pair_table
#define PAIR_TABLE_ARGUMENTS , pair_table_source, pair_table
#elif HAVE_CONSTANT_ARRAYS
CONSTANT_ARRAY real pair_table[CONSTANT_ARRAY_BYTES / sizeof(real)];
#define PAIR_TABLE_SPACE CONSTANT_ARG
#define PAIR_TABLE_PARAMETERS
#define PAIR_TABLE_ARGUMENTS
#else
#define PAIR_TABLE_SPACE CONSTANT_ARG
#define PAIR_TABLE_PARAMETERS , CONSTANT_ARG const real *RESTRICT pair_table
#define PAIR_TABLE_ARGUMENTS , pair_table
#endif

#if WITH_TYPES
#define PAIR_TYPE_PARAMETERS , int pair_types, GLOBAL const int *RESTRICT pair_type PAIR_TABLE_PARAMETERS
#define PAIR_TYPE_ARGUMENTS , pair_types, pair_type PAIR_TABLE_ARGUMENTS
#else
#define PAIR_TYPE_PARAMETERS
#define PAIR_TYPE_ARGUMENTS
#endif
#if EXCLUDE_MOLECULES
#define PAIR_EXCLUSION_PARAMETERS , GLOBAL const int *RESTRICT pair_molecule
#define PAIR_EXCLUSION_ARGUMENTS , pair_molecule
#elif EXCLUDE_LISTED
#define PAIR_EXCLUSION_PARAMETERS \
    , GLOBAL const int *RESTRICT pair_excluded_start, GLOBAL const int *RESTRICT pair_excluded
#define PAIR_EXCLUSION_ARGUMENTS , pair_excluded_start, pair_excluded
#else
#define PAIR_EXCLUSION_PARAMETERS
#define PAIR_EXCLUSION_ARGUMENTS
#endif
/* Values of particles, four in each array: the harness defines what they are where the interaction has some. */
#ifndef PAIR_VALUE_PARAMETERS
#define PAIR_VALUE_PARAMETERS
#define PAIR_VALUE_ARGUMENTS
#define WITH_VALUES 0
#else
#define WITH_VALUES 1
#endif
#define PAIR_PARAMETERS PAIR_TYPE_PARAMETERS PAIR_EXCLUSION_PARAMETERS PAIR_VALUE_PARAMETERS
#define PAIR_ARGUMENTS PAIR_TYPE_ARGUMENTS PAIR_EXCLUSION_ARGUMENTS PAIR_VALUE_ARGUMENTS
#if WITH_TYPES
#define PAIR_TYPE(i) (pair_type[i])
#else
#define PAIR_TYPE(i) (0)
#endif
#if WITH_TYPES && TYPE_TABLE == 1
#define PAIR_TABLE_TWO(k) make_real2(pair_table[2 * (k)], pair_table[2 * (k) + 1])
#elif WITH_TYPES /* entry k of those of two numbers */
#define PAIR_TABLE_TWO(k) (((PAIR_TABLE_SPACE const real2 *)pair_table)[k])
#endif
/* PAIR_FORCE_OF_TYPES is the same for who keeps the types of particles, PAIR_TYPE(i), beside their positions and has
 * left out excluded pairs; there is none for values of particles, which are found by index. PAIR_FORCE_OF_TERMS leaves out
 * the terms of types unless `terms`. */
#if WITH_VALUES
#define PAIR_FORCE(r2, particle_i, particle_j, i, j, energy) \
    pair_force_between((r2), (particle_i), (particle_j), (i), (j), (energy) PAIR_ARGUMENTS)
#elif WITH_TYPES || EXCLUDE_MOLECULES || EXCLUDE_LISTED
#define PAIR_FORCE(r2, particle_i, particle_j, i, j, energy) \
    pair_force_between((r2), (particle_i), (particle_j), (i), (j), (energy) PAIR_ARGUMENTS)
#define PAIR_FORCE_OF_TERMS(r2, particle_i, particle_j, terms, type_i, type_j, energy) \
    pair_force_of_terms((r2), (particle_i), (particle_j), (terms), (type_i), (type_j), (energy) PAIR_ARGUMENTS)
#else
#define PAIR_FORCE(r2, particle_i, particle_j, i, j, energy) \
    pair_force_over_r((r2), (particle_i), (particle_j), (energy))
#define PAIR_FORCE_OF_TERMS(r2, particle_i, particle_j, terms, type_i, type_j, energy) \
    pair_force_over_r((r2), (particle_i), (particle_j), (energy))
#endif
#define PAIR_FORCE_OF_TYPES(r2, particle_i, particle_j, type_i, type_j, energy) \
    PAIR_FORCE_OF_TERMS(r2, particle_i, particle_j, 1, type_i, type_j, energy)

#if EXCLUDE_LISTED
/* Whether j stands among the partners of i that are left out; each particle's are sorted. */
DEVICE int pair_is_excluded(int i, int j PAIR_EXCLUSION_PARAMETERS)
{
    int low = pair_excluded_start[i];
    int high = pair_excluded_start[i + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int partner = pair_excluded[middle];
        if (partner == j) {
            return 1;
        }
        low = partner < j ? middle + 1 : low;
        high = partner < j ? high : middle;
    }
    return 0;
}
#elif EXCLUDE_MOLECULES
DEVICE int pair_is_excluded(int i, int j PAIR_EXCLUSION_PARAMETERS)
{
    return pair_molecule[i] == pair_molecule[j];
}
#endif

/* In fixed the bits must not depend on which of two particles is the first, but k q1 q2 may round otherwise than k q2 q1. So pair functions
 * begin with this: what belongs to the two changes places where `is_swapped`. */
#if ACCUM_IS_FIXED
#define PAIR_IN_ORDER(type, first, second, is_swapped) \
    {                                                  \
        const int swaps = (is_swapped);                \
        const type kept = first;                       \
        first = swaps ? second : first;                \
        second = swaps ? kept : second;                \
    }
#else
#define PAIR_IN_ORDER(type, first, second, is_swapped)
#endif

/* ---- which pairs count ---- */

#if WITH_CUTOFF
#define IN_CUTOFF(r2, cutoff2) ((r2) <= (cutoff2))
#else
#define IN_CUTOFF(r2, cutoff2) (1)
#endif

/* ---- several work-items a particle ---- */

#define add_up_shares sum_over_lanes /* its earlier name */
/* Adds up what `count` work-items of a group, `apart` from each other, found for one particle: the sums are the
 * first one's, which says so by `is_first`. `scratch` is 3 * GROUP_SIZE numbers. Every work-item of the group calls it. */
DEVICE void sum_over_lanes(LOCAL_ARG accum *scratch, int count, int apart, int is_first, accum *x, accum *y, accum *z)
{
    scratch[LOCAL_ID] = *x;
    scratch[LOCAL_ID + GROUP_SIZE] = *y;
    scratch[LOCAL_ID + 2 * GROUP_SIZE] = *z;
    SYNC_THREADS;
    for (int other = 1; other < count && is_first; other++) {
        *x += scratch[LOCAL_ID + other * apart];
        *y += scratch[LOCAL_ID + other * apart + GROUP_SIZE];
        *z += scratch[LOCAL_ID + other * apart + 2 * GROUP_SIZE];
    }
}

/* ---- sums besides the forces: energy, virial, or (in the build that counts) pairs ---- */

#if COUNT_PAIRS
#define SUM_COUNT 2 /* distances computed, pairs found within the cutoff */
typedef long64 sum_type;
#else
#if WITH_VIRIAL
#define SUM_NUMBERS (7 + ENERGIES_APART) /* energy, the virial's xx xy xz yy yz zz, Coulomb energy */
#elif WITH_ENERGY
#define SUM_NUMBERS (1 + ENERGIES_APART)
#else
#define SUM_NUMBERS 0
#endif
#if ACCUM_IS_FIXED /* and how large work-items' sums are: by that it shows where one has wrapped */
#define SUM_COUNT (SUM_NUMBERS > 0 ? SUM_NUMBERS + 1 : 0)
#define TO_SUM(x) to_fixed(x)
typedef long64 sum_type;
#else
#define SUM_COUNT SUM_NUMBERS
#define TO_SUM(x) (x)
typedef accum sum_type;
#endif
#endif

/* One work-item's sums; private. */
typedef struct {
    sum_type value[SUM_COUNT > 0 ? SUM_COUNT : 1];
#if ACCUM_IS_FIXED
    real size; /* of what was added, without signs */
#endif
} pair_sums;

DEVICE void clear_sums(pair_sums *sums)
{
    for (int s = 0; s < SUM_COUNT; s++) {
        sums->value[s] = 0;
    }
#if ACCUM_IS_FIXED
    sums->size = REAL(0.0);
#endif
}

/* To be said once for every distance computed. Costs nothing but in the build that counts. */
#if COUNT_PAIRS
#define COUNT_DISTANCE(sums) ((sums)->value[0]++)
#else
#define COUNT_DISTANCE(sums) ((void)0)
#endif

/* To be said once for every pair whose force is added: d is the difference x_i - x_j that the force lies along. */
DEVICE void add_to_sums(pair_sums *sums, pair_energy energy, real force_over_r, real dx, real dy, real dz)
{
#if COUNT_PAIRS
    sums->value[1]++;
#elif WITH_ENERGY
#if ENERGIES_APART
    sums->value[0] += TO_SUM(energy.x);
    sums->value[SUM_NUMBERS - 1] += TO_SUM(energy.y);
#else
    sums->value[0] += TO_SUM(energy);
#endif
#if WITH_VIRIAL
    sums->value[1] += TO_SUM(force_over_r * dx * dx);
    sums->value[2] += TO_SUM(force_over_r * dx * dy);
    sums->value[3] += TO_SUM(force_over_r * dx * dz);
    sums->value[4] += TO_SUM(force_over_r * dy * dy);
    sums->value[5] += TO_SUM(force_over_r * dy * dz);
    sums->value[6] += TO_SUM(force_over_r * dz * dz);
#endif
#if ACCUM_IS_FIXED
#if ENERGIES_APART
    sums->size += FABS(energy.x) + FABS(energy.y);
#else
    sums->size += FABS(energy);
#endif
#if WITH_VIRIAL /* which is at most twice the sum of its diagonal */
    sums->size += REAL(2.0) * FABS(force_over_r) * (dx * dx + dy * dy + dz * dz);
#endif
#endif
#endif
}

#if ACCUM_IS_FIXED && !COUNT_PAIRS && SUM_COUNT > 0
/* How large the sums of a work-item have become, in whole units; beyond all bounds where one of them may have wrapped. */
DEVICE sum_type size_of_sums(const pair_sums *sums)
{
    sum_type largest = 0;
    for (int s = 0; s < SUM_NUMBERS; s++) {
        const sum_type size = sums->value[s] < 0 ? -sums->value[s] : sums->value[s];
        largest = size > largest ? size : largest;
    }
    return sums->size < REAL(1073741824.0) ? (largest >> 32) + 1 : whole_size(FIXED_BEYOND);
}
#define SUM_OF_ITEM(sums, s) ((s) < SUM_NUMBERS ? (sums)->value[s] : size_of_sums(sums))
#else
#define SUM_OF_ITEM(sums, s) ((sums)->value[s])
#endif

/* Copies the table to local memory; every work-item of the group calls it. */
#if WITH_TYPES && TYPE_TABLE == 2
DEVICE void stage_pair_table(int pair_types, GLOBAL const real *RESTRICT source, LOCAL_ARG real *table)
{
    const int numbers = pair_types * pair_types * PAIR_TABLE_STRIDE;
    for (int k = LOCAL_ID; k < numbers; k += LOCAL_SIZE) {
        table[k] = source[k];
    }
    SYNC_THREADS;
}
#define STAGE_PAIR_TABLE \
    LOCAL_ARGUMENT(real, pair_table) \
    stage_pair_table(pair_types, pair_table_source, pair_table);
#else
#define STAGE_PAIR_TABLE
#endif

/* SUM_SCRATCH stands first in a kernel's body, where it stages the table of types, too; STORE_SUMS is reached by every
 * work-item, once. It adds up the group by a tree and writes one number a group and sum: partial_sums[sum * NUM_GROUPS + GROUP_ID]. `weight` is
 * 0.5 where the kernel met every pair from both sides, else 1; counts are not weighted.
 *
 * REDUCTION_WARP: each warp is added up by shuffles, so that the tree has one number a warp; where the device has
 * shuffles and a group is a warp at least. REDUCTION_ATOMIC: partial_sums has one number a sum, which begins as zero
 * and to which every group adds; in a batch of SUM_BOXES boxes a number of each box, whose groups follow each other.
 *
 * Fixed point is weighted in halves, as whole numbers: the harness takes partial_sums for twice what they are. */
#if SUM_COUNT > 0
#define SUM_SCRATCH                         \
    LOCAL sum_type sum_scratch[GROUP_SIZE]; \
    STAGE_PAIR_TABLE
#define STORE_SUMS(partial_sums, sums, weight) \
    store_sums((GLOBAL sum_type *)(partial_sums), sum_scratch, (sums), ACCUM(weight))

#ifdef SUM_BOXES
#define SUM_PLACE(s) ((s) * SUM_BOXES + GROUP_ID / (NUM_GROUPS / SUM_BOXES))
#else
#define SUM_PLACE(s) (s)
#endif
#if COUNT_PAIRS
#define STORE_SUM(partial_sums, s, value, weight) ((partial_sums)[(s) * NUM_GROUPS + GROUP_ID] = (value))
#elif ACCUM_IS_FIXED && REDUCTION_ATOMIC
#define STORE_SUM(partial_sums, s, value, weight) \
    ATOMIC_ADD_LONG((partial_sums) + SUM_PLACE(s), (sum_type)((weight) * ACCUM(2.0)) * (value))
#elif ACCUM_IS_FIXED
#define STORE_SUM(partial_sums, s, value, weight) \
    ((partial_sums)[(s) * NUM_GROUPS + GROUP_ID] = (sum_type)((weight) * ACCUM(2.0)) * (value))
#elif REDUCTION_ATOMIC
#define STORE_SUM(partial_sums, s, value, weight) ATOMIC_ADD((partial_sums) + SUM_PLACE(s), (weight) * (value))
#else
#define STORE_SUM(partial_sums, s, value, weight) \
    ((partial_sums)[(s) * NUM_GROUPS + GROUP_ID] = (weight) * (value))
#endif

#if REDUCTION_WARP && !COUNT_PAIRS && GROUP_SIZE >= WARP_SIZE
/* All sums at once: there is room for them, as there are no more than nine and a warp has more lanes. */
DEVICE void store_sums(GLOBAL sum_type *partial_sums, LOCAL_ARG sum_type *scratch, const pair_sums *sums, accum weight)
{
    const int item = LOCAL_ID;
    const int lane = item % WARP_SIZE;
    const int warps = GROUP_SIZE / WARP_SIZE;
    for (int s = 0; s < SUM_COUNT; s++) {
        sum_type value = SUM_OF_ITEM(sums, s);
        for (int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
            value += SHUFFLE(value, lane ^ distance);
        }
        if (lane == 0) {
            scratch[s * warps + item / WARP_SIZE] = value;
        }
    }
    SYNC_THREADS;
    for (int half_size = warps / 2; half_size > 0; half_size /= 2) {
        if (item < SUM_COUNT * warps && item % warps < half_size) {
            scratch[item] += scratch[item + half_size];
        }
        SYNC_THREADS;
    }
    if (item < SUM_COUNT) {
        STORE_SUM(partial_sums, item, scratch[item * warps], weight);
    }
}
#else
DEVICE void store_sums(GLOBAL sum_type *partial_sums, LOCAL_ARG sum_type *scratch, const pair_sums *sums, accum weight)
{
    const int item = LOCAL_ID;
    for (int s = 0; s < SUM_COUNT; s++) {
        scratch[item] = SUM_OF_ITEM(sums, s);
        SYNC_THREADS;
        for (int half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
            if (item < half_size) {
                scratch[item] += scratch[item + half_size];
            }
            SYNC_THREADS;
        }
        if (item == 0) {
            STORE_SUM(partial_sums, s, scratch[0], weight);
        }
        SYNC_THREADS;
    }
}
#endif
#else
#define SUM_SCRATCH STAGE_PAIR_TABLE
#define STORE_SUMS(partial_sums, sums, weight) ((void)0)
#endif
