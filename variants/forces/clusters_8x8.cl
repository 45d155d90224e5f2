/*
 * clusters_8x8 — a tile of work-items per cluster of partners against the eight clusters of a super-cluster, each pair once
 *
 * After GROMACS. Particles follow each other along a curve, in super-clusters of 64, which are eight clusters of 8. A super-cluster's list
 * names clusters of PARTNERS particles, and which of its own eight clusters are near to each. A tile is 8 * PARTNERS work-items:
 * each takes one partner, which it fetches once, and meets one particle of each near cluster, eight at most, whose
 * positions lie in local memory and whose forces are added up in registers until the list ends. What the partner gets from
 * eight clusters is added up in a register, too, then over the 8 work-items that share the partner (by shuffles; through
 * local memory where a device has none), and goes out by atomics, once per partner and tile. So a pair is computed
 * once, and of 8 * PARTNERS distances to a near cluster some are within the cutoff. Exclusions are bits, which those
 * few clusters have that have any; types lie beside the positions.
 *
 * There are two lists: an outer one, by boxes, that reaches OUTER hundredths beyond the inner one, and the inner one, which is
 * pruned from it, by distances, whenever particles have moved by half of SKIN, and sorted, so that the longest lists begin
 * first. In time steps, PARTS of it are pruned in turn, on the device (docs/lists.md). SPLIT groups share a super-cluster where these are few.
 * On an H200, over 2 048 000 particles, 0.94 ms where list_blocks takes 0.22: the kernel issues 5.9e8 instructions (docs/tried.md).
 *
 * @workload  forces
 * @structure clusters_8x8
 * @boxes     open periodic triclinic
 * @pass      note_types item per place every rebuild
 * @pass      gather_places item per place
 * @pass      clusters_8x8 group per super_cluster * SPLIT
 * @accumulates force
 * @scratch   place_type int place
 * @scratch   place_now real4 place
 * @tunable   GROUP_SIZE 64* 128 256
 * @tunable   PARTNERS 4* 8
 * @tunable   SPLIT 1* 2 4
 * @tunable   ORDER 2 3* 4
 * @tunable   SKIN 12
 * @tunable   OUTER 0 12* 24
 * @tunable   PARTS 1
 * @tunable   STABLE_SORT 0* 1
 * @source    S. Pall, B. Hess, Comput. Phys. Commun. 184, 2641 (2013); S. Pall et al., J. Chem. Phys. 153, 134110 (2020)
 */
#define SUPER 64
#define TILE (8 * PARTNERS)
#if GROUP_SIZE < TILE
#error GROUP_SIZE has to be 8 * PARTNERS at least
#endif
#define TILES (GROUP_SIZE / TILE)
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */
#define NOBODY_IS_BEYOND REAL(1.0e30)

#if HAVE_SHUFFLE
#if WARP_SIZE == 32
#define BY_SHUFFLES 1
#endif
#endif
#ifndef BY_SHUFFLES
#define BY_SHUFFLES 0
#endif

/* The types of particles stay; those of nobody are any. */
KERNEL void note_types(int n, GLOBAL const int *RESTRICT place_index, GLOBAL int *RESTRICT place_type PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int k = GLOBAL_ID;
    if (k < (n + SUPER - 1) / SUPER * SUPER) {
        place_type[k] = k < n ? PAIR_TYPE(place_index[k]) : 0;
    }
}

/* Positions of now in the order of the list, next to where the list was built; partners that are nobody are far. */
KERNEL void gather_places(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, box_args box,
                          GLOBAL real4 *RESTRICT place_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        place_now[k] = image_next_to(position[place_index[k]], place_position[k], box);
    } else if (k < (n + SUPER - 1) / SUPER * SUPER) {
        place_now[k] = make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
    }
}

/* A particle or a partner. */
typedef struct {
    real4 position;
    int type;
} tile_particle;

/* Adds the force of a pair to both sums. */
DEVICE void meet(tile_particle own, tile_particle other, int is_pair, int is_excluded, real cutoff2, pair_sums *sums,
                 own_force *force, own_force *reaction PAIR_PARAMETERS)
{
    const real dx = own.position.x - other.position.x;
    const real dy = own.position.y - other.position.y;
    const real dz = own.position.z - other.position.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
#if COUNT_PAIRS
    is_excluded = 0; /* pairs within the cutoff are counted all the same, and nobody is no distance away */
    if (r2 < NOBODY_IS_BEYOND) {
        COUNT_DISTANCE(sums);
    }
#endif
    if (IN_CUTOFF(r2, cutoff2) && is_pair && !is_excluded) {
        pair_energy energy = NO_ENERGY;
        const real f = PAIR_FORCE_OF_TYPES(r2, own.position, other.position, own.type, other.type, &energy);
        add_to_force(force, f * dx, f * dy, f * dz);
        add_to_force(reaction, -f * dx, -f * dy, -f * dz);
        add_to_sums(sums, energy, f, dx, dy, dz);
    }
}

#if BY_SHUFFLES
/* Adds what another lane of the warp has. */
DEVICE void add_of_lane(own_force *sum, int lane)
{
    const force_sum x = SHUFFLE(sum->x, lane);
    const force_sum y = SHUFFLE(sum->y, lane);
    const force_sum z = SHUFFLE(sum->z, lane);
    sum->x += x;
    sum->y += y;
    sum->z += z;
#if ACCUM_IS_FIXED
    const real size = SHUFFLE(sum->size, lane);
    sum->size += size;
#endif
}
#else
/* Leaves a work-item's sum for others of the group to take. Neither this nor what takes it has a barrier: PoCL loses the place of a private
 * variable whose address a function takes that has one. Nor is taking and giving one function: PoCL leaves out what it does. */
DEVICE void leave_sum(LOCAL_ARG force_sum *of_lane, const own_force *sum)
{
    of_lane[LOCAL_ID] = sum->x;
    of_lane[LOCAL_ID + GROUP_SIZE] = sum->y;
    of_lane[LOCAL_ID + 2 * GROUP_SIZE] = sum->z;
#if ACCUM_IS_FIXED
    of_lane[LOCAL_ID + 3 * GROUP_SIZE] = sum->size < FIXED_LARGE / REAL(32.0) ? 0 : whole_size(sum->size);
#endif
}

/* The sum of what `count` work-items left, `apart` from each other. */
DEVICE own_force take_sums(LOCAL_ARG const force_sum *of_lane, int count, int apart)
{
    own_force sum;
    clear_force(&sum);
    for (int other = 0; other < count; other++) {
        sum.x += of_lane[LOCAL_ID + other * apart];
        sum.y += of_lane[LOCAL_ID + other * apart + GROUP_SIZE];
        sum.z += of_lane[LOCAL_ID + other * apart + 2 * GROUP_SIZE];
#if ACCUM_IS_FIXED
        sum.size += (real)of_lane[LOCAL_ID + other * apart + 3 * GROUP_SIZE];
#endif
    }
    return sum;
}
#endif

/* Adds a sum that several work-items know to the array: the first of them by itself, or each of the first three one number. */
DEVICE void add_by_lanes(GLOBAL force_sum *force, int plane, int i, int lane, const own_force *sum)
{
#if ACCUM_IS_FIXED
    if (lane == 0) {
        add_own_force(force, plane, i, sum);
    }
#else
    if (lane < 3) {
        ATOMIC_ADD(&force[4 * i + lane], lane == 0 ? sum->x : lane == 1 ? sum->y : sum->z);
    }
#endif
}

#if BY_SHUFFLES
/* Gives what the eight work-items that share a partner have for it. */
DEVICE void give_to_partner(GLOBAL force_sum *force, int plane, GLOBAL const int *RESTRICT place_index, int n, int place, int row,
                            own_force reaction)
{
    for (int apart = 1; apart < 8; apart *= 2) {
        add_of_lane(&reaction, LOCAL_ID % 32 ^ apart);
    }
    if (place < n && (reaction.x != 0 || reaction.y != 0 || reaction.z != 0)) {
        add_by_lanes(force, plane, place_index[place], row, &reaction);
    }
}

/* Gives what a warp's work-items have for the super-cluster's own particle at a place. */
DEVICE void give_to_own(GLOBAL force_sum *force, int plane, GLOBAL const int *RESTRICT place_index, int n, int place,
                        own_force sum)
{
    for (int apart = 8; apart < 32; apart *= 2) {
        add_of_lane(&sum, LOCAL_ID % 32 ^ apart);
    }
    if (place < n) {
        add_by_lanes(force, plane, place_index[place], LOCAL_ID % 32 / 8, &sum);
    }
}
#endif

/* ---- a tile ---- */

/* The two lists of a super-cluster: clusters with excluded pairs stand in the first one, which has bits. */
typedef struct {
    GLOBAL const int *masked_entries, *entries;
    GLOBAL const uint *masked_words, *words, *excluded_bits;
    long64 masked_row, row; /* where the super-cluster's begin */
    int masked, plain;
} super_rows;

/* What a work-item has of its tile's cluster: a partner, which of the eight clusters are near to it (none behind the end of a
 * list), the image, and with whom of the super-cluster the partner is excluded. */
typedef struct {
    int place;
    uint word, low_bits, high_bits;
    tile_particle particle;
} tile_partner;

/* Partner `lane` of cluster k of one of the lists. */
DEVICE tile_partner read_partner(super_rows rows, int has_bits, int k, int lane, GLOBAL const real4 *RESTRICT place_now,
                                 GLOBAL const int *RESTRICT place_type, LOCAL_ARG const real4 *shifts)
{
    tile_partner partner;
    int entry = 0;
    partner.word = 0;
    partner.low_bits = 0;
    partner.high_bits = 0;
    if (has_bits && k < rows.masked) {
        entry = rows.masked_entries[rows.masked_row + k];
        partner.word = rows.masked_words[rows.masked_row + k];
        partner.low_bits = rows.excluded_bits[(rows.masked_row + k) * (2 * PARTNERS) + 2 * lane];
        partner.high_bits = rows.excluded_bits[(rows.masked_row + k) * (2 * PARTNERS) + 2 * lane + 1];
    } else if (!has_bits && k < rows.plain) {
        entry = READ_ONCE(&rows.entries[rows.row + k]);
        partner.word = READ_ONCE(&rows.words[rows.row + k]);
    }
    partner.place = entry * PARTNERS + lane;
    partner.particle.position = place_now[partner.place];
    partner.particle.type = place_type[partner.place];
#if PERIODIC
    const real4 shift = shifts[partner.word >> 8];
    partner.particle.position.x += shift.x;
    partner.particle.position.y += shift.y;
    partner.particle.position.z += shift.z;
#endif
    return partner;
}

/* Puts the super-cluster's own particles into local memory; nobody is far from all partners. */
DEVICE void load_own(LOCAL_ARG real4 *own_position, LOCAL_ARG int *own_type, int super, int n,
                     GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_type)
{
    for (int k = LOCAL_ID; k < SUPER; k += GROUP_SIZE) {
        const int place = super * SUPER + k;
        own_position[k] = place < n ? place_now[place] : make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
        own_type[k] = place_type[place];
    }
}

/* The partner against particle `row` of each near cluster; own_sum has the force on each of these. */
DEVICE void meet_clusters(LOCAL_ARG const real4 *own_position, LOCAL_ARG const int *own_type, int row, tile_partner partner,
                          int has_bits, int super, real cutoff2, pair_sums *sums, own_force *own_sum,
                          own_force *reaction PAIR_PARAMETERS)
{
    tile_particle own;
    if (has_bits) {
        /* of the super-cluster itself, the later place is a partner of the earlier one */
        const int is_own = partner.word >> 8 == 0 && partner.place / SUPER == super;
        const int before = is_own ? partner.place % SUPER : SUPER;
#if !DEVICE_IS_CPU
#pragma unroll
#endif
        for (int c = 0; c < 8; c++) {
            const int at = c * 8 + row;
            if (partner.word >> c & 1u) {
                own.position = own_position[at];
                own.type = own_type[at];
                meet(own, partner.particle, at < before,
                     (c < 4 ? partner.low_bits >> at : partner.high_bits >> (at - 32)) & 1u, cutoff2, sums, &own_sum[c],
                     reaction PAIR_ARGUMENTS);
            }
        }
    } else {
#if !DEVICE_IS_CPU
#pragma unroll
#endif
        for (int c = 0; c < 8; c++) {
            if (partner.word >> c & 1u) {
                own.position = own_position[c * 8 + row];
                own.type = own_type[c * 8 + row];
                meet(own, partner.particle, 1, 0, cutoff2, sums, &own_sum[c], reaction PAIR_ARGUMENTS);
            }
        }
    }
}

KERNEL void clusters_8x8(int n, GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_type,
                         GLOBAL const int *RESTRICT place_index, GLOBAL const int *RESTRICT super_order,
                         GLOBAL const int *RESTRICT super_length, GLOBAL const int *RESTRICT super_entries,
                         GLOBAL const uint *RESTRICT super_words, int list_capacity,
                         GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                         GLOBAL const uint *RESTRICT masked_words, GLOBAL const uint *RESTRICT excluded_bits,
                         int mask_capacity, box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 shifts[PERIODIC ? 27 : 1];
    LOCAL real4 own_position[SUPER];
    LOCAL int own_type[SUPER];
#if !BY_SHUFFLES
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int super = super_order[GROUP_ID / SPLIT];
    const int row = LOCAL_ID % 8;         /* of each cluster's eight particles, its own */
    const int lane = LOCAL_ID % TILE / 8; /* its partner */
    const int first = GROUP_ID % SPLIT * TILES + LOCAL_ID / TILE;
    load_own(own_position, own_type, super, n, place_now, place_type);
    SYNC_THREADS;
    own_force own_sum[8];
    for (int c = 0; c < 8; c++) {
        clear_force(&own_sum[c]);
    }
    pair_sums sums;
    clear_sums(&sums);
    const super_rows rows = { masked_entries, super_entries, masked_words, super_words, excluded_bits,
                              (long64)super * mask_capacity, (long64)super * list_capacity,
                              masked_length[super], super_length[super] };
    const int masked_steps = (rows.masked + SPLIT * TILES - 1) / (SPLIT * TILES);
    const int steps = masked_steps + (rows.plain + SPLIT * TILES - 1) / (SPLIT * TILES);
    for (int step = 0; step < steps; step++) {
        const int has_bits = step < masked_steps;
        const int k = first + SPLIT * TILES * (has_bits ? step : step - masked_steps);
        const tile_partner partner = read_partner(rows, has_bits, k, lane, place_now, place_type, shifts);
        own_force reaction;
        clear_force(&reaction);
        meet_clusters(own_position, own_type, row, partner, has_bits, super, cutoff2, &sums, own_sum,
                      &reaction PAIR_ARGUMENTS);
        /* what the partner gets of the eight work-items that share it */
#if BY_SHUFFLES
        give_to_partner(force, force_plane, place_index, n, partner.place, row, reaction);
#else
        leave_sum(of_lane, &reaction);
        SYNC_THREADS;
        if (partner.place < n && row == 0) {
            const own_force whole = take_sums(of_lane, 8, 1);
            add_own_force(force, force_plane, place_index[partner.place], &whole);
        }
        SYNC_THREADS;
#endif
    }
    /* and what its own particles get of all tiles */
#if !DEVICE_IS_CPU
#pragma unroll
#endif
    for (int c = 0; c < 8; c++) {
        const int place = super * SUPER + c * 8 + row;
#if BY_SHUFFLES
        give_to_own(force, force_plane, place_index, n, place, own_sum[c]);
#else
        leave_sum(of_lane, &own_sum[c]);
        SYNC_THREADS;
        if (place < n && LOCAL_ID < 8) {
            const own_force whole = take_sums(of_lane, GROUP_SIZE / 8, 8);
            add_own_force(force, force_plane, place_index[place], &whole);
        }
        SYNC_THREADS;
#endif
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
