/*
 * accumulation — how forces are added up: as accum, or in precision fixed as whole numbers of 64 bits
 *
 * A fixed sum counts units of 2^-32, as OpenMM's do. Whole numbers add up to the same in any order, so a result does not
 * depend on who came first. Each force of a pair is rounded to units by itself.
 *
 * The array `force` has four numbers a particle (force_sum is accum), or under ACCUM_IS_FIXED planes of force_plane
 * numbers: x, y, z, and what large forces on the particle come to, in whole units of force. Only by that plane it shows
 * where a sum has wrapped: forces below FIXED_LARGE are not counted there, and two million of them fit a sum.
 *
 * A work-item gathers in an own_force, private, what acts on a particle: clear_force, add_to_force; add_part_to_force
 * takes a sum, in accum, of forces of pairs. add_force adds one
 * force to the array, add_own_force what was gathered, both atomically. store_own_force writes it where no other
 * work-item has a force for that particle.
 */
#if ACCUM_IS_FIXED
#define FIXED_SCALE REAL(4294967296.0)
#define FIXED_LARGE REAL(1024.0)
#define FIXED_BEYOND REAL(1099511627776.0) /* more than fits, and a million of them fit the plane */
typedef long64 force_sum;

/* Private. `size` is the sum of what was added, without signs: an upper bound of each number. */
typedef struct {
    long64 x, y, z;
    real size;
} own_force;

/* To the nearest unit; ties are even, so that opposite forces stay opposite. */
DEVICE long64 to_fixed(real value)
{
    return ROUND_TO_LONG(value * FIXED_SCALE);
}

/* Written so that NaN is beyond. */
DEVICE long64 whole_size(real size)
{
    return (long64)(size < FIXED_BEYOND ? size + REAL(1.0) : FIXED_BEYOND);
}

DEVICE void clear_force(own_force *own)
{
    own->x = 0;
    own->y = 0;
    own->z = 0;
    own->size = REAL(0.0);
}

DEVICE void add_to_force(own_force *own, real x, real y, real z)
{
    own->x += to_fixed(x);
    own->y += to_fixed(y);
    own->z += to_fixed(z);
    own->size += FABS(x) + FABS(y) + FABS(z);
}

DEVICE void add_part_to_force(own_force *own, accum x, accum y, accum z)
{
    add_to_force(own, (real)x, (real)y, (real)z);
}

/* Numbers of `scratch` per work-item. */
#define OWN_FORCE_NUMBERS 4

/* As sum_over_lanes of pair.cl: what `count` work-items, `apart` from each other, gathered for one particle becomes the first one's. */
DEVICE void own_force_over_lanes(LOCAL_ARG force_sum *scratch, int count, int apart, int is_first, own_force *own)
{
    scratch[LOCAL_ID] = own->x;
    scratch[LOCAL_ID + GROUP_SIZE] = own->y;
    scratch[LOCAL_ID + 2 * GROUP_SIZE] = own->z;
    scratch[LOCAL_ID + 3 * GROUP_SIZE] = own->size < FIXED_LARGE / REAL(32.0) ? 0 : whole_size(own->size);
    SYNC_THREADS;
    for (int other = 1; other < count && is_first; other++) {
        own->x += scratch[LOCAL_ID + other * apart];
        own->y += scratch[LOCAL_ID + other * apart + GROUP_SIZE];
        own->z += scratch[LOCAL_ID + other * apart + 2 * GROUP_SIZE];
        own->size += (real)scratch[LOCAL_ID + other * apart + 3 * GROUP_SIZE];
    }
}

DEVICE void note_large_force(GLOBAL force_sum *force, int plane, int i, real size)
{
    if (!(size < FIXED_LARGE)) {
        ATOMIC_ADD_LONG(&force[3 * (long64)plane + i], whole_size(size));
    }
}

DEVICE void add_force(GLOBAL force_sum *force, int plane, int i, real x, real y, real z)
{
    ATOMIC_ADD_LONG(&force[i], to_fixed(x));
    ATOMIC_ADD_LONG(&force[(long64)plane + i], to_fixed(y));
    ATOMIC_ADD_LONG(&force[2 * (long64)plane + i], to_fixed(z));
    note_large_force(force, plane, i, FABS(x) + FABS(y) + FABS(z));
}

DEVICE void add_own_force(GLOBAL force_sum *force, int plane, int i, const own_force *own)
{
    ATOMIC_ADD_LONG(&force[i], own->x);
    ATOMIC_ADD_LONG(&force[(long64)plane + i], own->y);
    ATOMIC_ADD_LONG(&force[2 * (long64)plane + i], own->z);
    note_large_force(force, plane, i, own->size);
}

DEVICE void store_own_force(GLOBAL force_sum *force, int plane, int i, const own_force *own)
{
    force[i] = own->x;
    force[(long64)plane + i] = own->y;
    force[2 * (long64)plane + i] = own->z;
    force[3 * (long64)plane + i] = own->size < FIXED_LARGE ? 0 : whole_size(own->size);
}
#else
typedef accum force_sum;

typedef struct {
    accum x, y, z;
} own_force;

DEVICE void clear_force(own_force *own)
{
    own->x = 0;
    own->y = 0;
    own->z = 0;
}

DEVICE void add_to_force(own_force *own, real x, real y, real z)
{
    own->x += x;
    own->y += y;
    own->z += z;
}

DEVICE void add_part_to_force(own_force *own, accum x, accum y, accum z)
{
    own->x += x;
    own->y += y;
    own->z += z;
}

#define OWN_FORCE_NUMBERS 3

DEVICE void own_force_over_lanes(LOCAL_ARG force_sum *scratch, int count, int apart, int is_first, own_force *own)
{
    scratch[LOCAL_ID] = own->x;
    scratch[LOCAL_ID + GROUP_SIZE] = own->y;
    scratch[LOCAL_ID + 2 * GROUP_SIZE] = own->z;
    SYNC_THREADS;
    for (int other = 1; other < count && is_first; other++) {
        own->x += scratch[LOCAL_ID + other * apart];
        own->y += scratch[LOCAL_ID + other * apart + GROUP_SIZE];
        own->z += scratch[LOCAL_ID + other * apart + 2 * GROUP_SIZE];
    }
}

DEVICE void add_force(GLOBAL force_sum *force, int plane, int i, real x, real y, real z)
{
    ATOMIC_ADD(&force[4 * i], x);
    ATOMIC_ADD(&force[4 * i + 1], y);
    ATOMIC_ADD(&force[4 * i + 2], z);
}

DEVICE void add_own_force(GLOBAL force_sum *force, int plane, int i, const own_force *own)
{
#if HAVE_ATOMIC_ADD_VECTOR
    ATOMIC_ADD_VECTOR(&force[4 * i], own->x, own->y, own->z);
#else
    ATOMIC_ADD(&force[4 * i], own->x);
    ATOMIC_ADD(&force[4 * i + 1], own->y);
    ATOMIC_ADD(&force[4 * i + 2], own->z);
#endif
}

DEVICE void store_own_force(GLOBAL force_sum *force, int plane, int i, const own_force *own)
{
    ((GLOBAL accum4 *)force)[i] = make_accum4(own->x, own->y, own->z, 0);
}
#endif
