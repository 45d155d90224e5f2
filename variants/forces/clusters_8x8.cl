/*
 * clusters_8x8 — a tile of work-items per cluster of partners against the eight clusters of a super-cluster, each pair once
 *
 * After GROMACS. Particles follow each other along a curve, in super-clusters of 64, which are eight clusters of 8. A super-cluster's list
 * names clusters of PARTNERS particles, and which of its own eight clusters are near to each. A tile is 32 work-items: each takes one of
 * four partners, which it fetches once, and meets one particle of each near cluster, eight at most, whose
 * positions lie in local memory and whose forces are added up in registers until the list ends. What the partner gets from
 * eight clusters is added up in a register, too, then over the 8 work-items that share the partner (by shuffles; through
 * local memory where a device has none), and goes out by atomics, once per partner and tile. So a pair is computed
 * once, and of 32 distances to a near cluster some are within the cutoff. Exclusions are bits, which those
 * few clusters have that have any; types lie beside the positions. Groups of one warp are best: what is the same for all of it is then
 * known to be so.
 *
 * In precision mixed, where there are shuffles, floats add up what an own particle gets of 16 entries and what a partner gets of one tile: of
 * 64 pairs at most, of some ten in water. Such partial sums are added in double.
 *
 * There are two lists: an outer one, by boxes, that reaches OUTER hundredths beyond the inner one, and the inner one, which is
 * pruned from it, by distances, whenever particles have moved by half of SKIN, and sorted, so that the longest lists begin
 * first. In time steps, PARTS of it are pruned in turn, on the device (docs/lists.md). SPLIT groups share a super-cluster.
 * On an H100, a whole step of 331 776 sites of water with an Ewald sum took 0.543 ms in float, 0.586 in mixed (docs/measurements.md); a cheap
 * pair is better off with list_blocks (docs/tried.md).
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
 * @tunable   GROUP_SIZE 32* 64 128 256
 * @tunable   PARTNERS 4* 8
 * @tunable   SPLIT 1 2 4* 8
 * @tunable   ORDER 2 3* 4
 * @tunable   SKIN 12
 * @tunable   OUTER 0 12* 24
 * @tunable   PARTS 1
 * @tunable   STABLE_SORT 0* 1
 * @warps     32
 * @source    S. Pall, B. Hess, Comput. Phys. Commun. 184, 2641 (2013); S. Pall et al., J. Chem. Phys. 153, 134110 (2020)
 */
#define SUPER 64
#if GROUP_SIZE < 32
#error GROUP_SIZE has to be 32 at least
#endif
#define TILES (GROUP_SIZE / 32)
#define STRIDE (SPLIT * TILES)
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

/* Up to where entries are walked by all of a group's tiles: barriers need as many steps of each. */
#define WALKED(length) (BY_SHUFFLES ? (length) : ((length) + STRIDE - 1) / STRIDE * STRIDE)

/* In mixed, partial sums go to totals after so many entries. */
#define HAS_TOTALS (BY_SHUFFLES && ACCUM_IS_DOUBLE && !REAL_IS_DOUBLE && !ACCUM_IS_FIXED)
#define ENTRIES_OF_PART 16

/* The types of particles stay; those of nobody are any. */
KERNEL void note_types(int n, GLOBAL const int *RESTRICT place_index, GLOBAL int *RESTRICT place_type PAIR_PARAMETERS)
{
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

/* In fixed, who is the partner must not matter to the last bit: differences are taken before the image's shift. */
#define SHIFTS_APART (PERIODIC && ACCUM_IS_FIXED)

/* A particle or a partner. */
typedef struct {
    real4 position;
#if SHIFTS_APART
    real4 shift; /* of a partner */
#endif
    int type;
} tile_particle;

/* What few pairs come to. */
#if BY_SHUFFLES && !ACCUM_IS_FIXED
typedef struct {
    real x, y, z;
} part_force;

DEVICE void clear_part(part_force *part)
{
    part->x = REAL(0.0);
    part->y = REAL(0.0);
    part->z = REAL(0.0);
}

DEVICE void add_to_part(part_force *part, real x, real y, real z)
{
    part->x += x;
    part->y += y;
    part->z += z;
}
#else
typedef own_force part_force;
#define clear_part clear_force
#define add_to_part add_to_force
#endif

/* Adds the force of a pair to both sums. */
DEVICE void meet(tile_particle own, tile_particle other, real cutoff2, pair_sums *sums, part_force *force,
                 part_force *reaction PAIR_PARAMETERS)
{
#if SHIFTS_APART
    const real dx = own.position.x - other.position.x - other.shift.x;
    const real dy = own.position.y - other.position.y - other.shift.y;
    const real dz = own.position.z - other.position.z - other.shift.z;
#else
    const real dx = own.position.x - other.position.x;
    const real dy = own.position.y - other.position.y;
    const real dz = own.position.z - other.position.z;
#endif
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
#if COUNT_PAIRS
    if (r2 < NOBODY_IS_BEYOND) {
        COUNT_DISTANCE(sums);
    }
#endif
    if (IN_CUTOFF(r2, cutoff2)) {
        pair_energy energy = NO_ENERGY;
        /* the partner first: what is the same for all whom it meets is computed once */
        const real f = PAIR_FORCE_OF_TYPES(r2, other.position, own.position, other.type, own.type, &energy);
        add_to_part(force, f * dx, f * dy, f * dz);
        add_to_part(reaction, -f * dx, -f * dy, -f * dz);
        add_to_sums(sums, energy, f, dx, dy, dz);
    }
}

#if BY_SHUFFLES && ACCUM_IS_FIXED
/* Adds up what lanes `apart`, twice that and so on, below `end`, from each other have. */
DEVICE void sum_lanes(own_force *sum, int apart, int end)
{
    for (; apart < end; apart *= 2) {
        const int lane = LOCAL_ID % 32 ^ apart;
        sum->x += SHUFFLE(sum->x, lane);
        sum->y += SHUFFLE(sum->y, lane);
        sum->z += SHUFFLE(sum->z, lane);
        sum->size += SHUFFLE(sum->size, lane);
    }
}
#elif BY_SHUFFLES
/* The sum of four lanes, `apart` from each other, of which this one is number k: to the first x, to the second y, to the others z. */
DEVICE real sum_of_lanes(part_force part, int k, int apart)
{
    const int next = LOCAL_ID % 32 ^ apart;
    const real give = k & 1 ? part.x : part.y;
    const real keep = (k & 1 ? part.y : part.x) + SHUFFLE(give, next);
    const real z = part.z + SHUFFLE(part.z, next);
    const real other = SHUFFLE(k & 2 ? keep : z, LOCAL_ID % 32 ^ 2 * apart);
    return (k & 2 ? z : keep) + other;
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

#if BY_SHUFFLES
/* Gives particle i what the eight work-items have for it that share it as a partner. */
DEVICE void give_to_partner(GLOBAL force_sum *force, int plane, int i, int is_there, int row, part_force reaction)
{
#if ACCUM_IS_FIXED
    sum_lanes(&reaction, 1, 8);
    if (is_there && row == 0) {
        add_own_force(force, plane, i, &reaction);
    }
#else
    real sum = sum_of_lanes(reaction, row, 1);
    sum += SHUFFLE(sum, LOCAL_ID % 32 ^ 4);
    if (is_there && row < 3 && sum != REAL(0.0)) {
        ATOMIC_ADD(&force[4 * i + row], sum);
    }
#endif
}
#endif

/* ---- a tile ---- */

/* A list of a super-cluster as a tile walks it. */
typedef struct {
    GLOBAL const int *entries;
    GLOBAL const uint *words;
    GLOBAL const uint *excluded_bits; /* of the list whose clusters have excluded pairs */
    int length;
} tile_list;

/* What a work-item has of its tile's cluster: a partner, and which of the eight clusters it meets a particle of, a bit each (none behind
 * the end of a list). */
typedef struct {
    int place, index;
    uint met;
    tile_particle particle;
} tile_partner;

/* Bits 0, 8, 16 and 24 next to each other. */
DEVICE uint each_eighth(uint bits)
{
    bits &= 0x01010101u;
    return (bits | bits >> 7 | bits >> 14 | bits >> 21) & 15u;
}

/* Which of the clusters have a particle `row` that does not meet the partner: it is excluded, or the pair is that of an earlier partner of
 * the super-cluster itself. */
DEVICE uint not_met(uint low_bits, uint high_bits, int row, int place, uint word, int super)
{
    const int is_own = word >> 8 == 0 && place / SUPER == super;
    const uint earlier = is_own ? ~0u << ((place % SUPER - row + 7) >> 3) : 0u;
#if COUNT_PAIRS
    return earlier; /* pairs within the cutoff are counted all the same */
#else
    return earlier | each_eighth(low_bits >> row) | each_eighth(high_bits >> row) << 4;
#endif
}

/* Partner `lane` of four, of half k of the clusters of a list, or of cluster k where these have four. */
DEVICE tile_partner read_partner(tile_list list, int has_bits, int k, int lane, int row, int super,
                                 GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_type,
                                 GLOBAL const int *RESTRICT place_index, LOCAL_ARG const real4 *shifts)
{
    const int is_listed = BY_SHUFFLES || k < list.length;
    const int at = k / (PARTNERS / 4);
    const int of_cluster = k % (PARTNERS / 4) * 4 + lane;
    const int entry = is_listed ? READ_ONCE(&list.entries[at]) : 0;
    const uint word = is_listed ? READ_ONCE(&list.words[at]) : 0u;
    tile_partner partner;
    partner.place = entry * PARTNERS + of_cluster;
    partner.met = word;
    partner.particle.position = place_now[partner.place];
    partner.particle.type = place_type[partner.place];
    partner.index = place_index[partner.place];
#if SHIFTS_APART
    partner.particle.shift = shifts[word >> 8];
#elif PERIODIC
    const real4 shift = shifts[word >> 8];
    partner.particle.position.x += shift.x;
    partner.particle.position.y += shift.y;
    partner.particle.position.z += shift.z;
#endif
    if (has_bits && is_listed) {
        GLOBAL const uint *bits = list.excluded_bits + 2 * (at * PARTNERS + of_cluster);
        partner.met &= ~not_met(bits[0], bits[1], row, partner.place, word, super);
    }
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

/* The partner against one particle of each near cluster, the first of which are given; own_sum has the force on each of these. */
DEVICE void meet_clusters(LOCAL_ARG const real4 *own_position, LOCAL_ARG const int *own_type, tile_partner partner,
                          real cutoff2, pair_sums *sums, part_force *own_sum, part_force *reaction PAIR_PARAMETERS)
{
#if !DEVICE_IS_CPU
#pragma unroll
#endif
    for (int c = 0; c < 8; c++) {
        if (partner.met >> c & 1u) {
            tile_particle own;
            own.position = own_position[c * 8];
            own.type = own_type[c * 8];
            meet(own, partner.particle, cutoff2, sums, &own_sum[c], reaction PAIR_ARGUMENTS);
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
#if HAS_TOTALS
    LOCAL accum totals[8 * GROUP_SIZE];
#endif
#if !BY_SHUFFLES
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int super = super_order[GROUP_ID / SPLIT];
    const int row = LOCAL_ID % 8;        /* of each cluster's eight particles, its own */
    const int lane = LOCAL_ID % 32 / 8; /* its partner */
    const int first = GROUP_ID % SPLIT * TILES + (TILES == 1 ? 0 : LOCAL_ID / 32);
    load_own(own_position, own_type, super, n, place_now, place_type);
    SYNC_THREADS;
    part_force own_sum[8];
    for (int c = 0; c < 8; c++) {
        clear_part(&own_sum[c]);
#if HAS_TOTALS
        totals[c * GROUP_SIZE + LOCAL_ID] = 0;
#endif
    }
    pair_sums sums;
    clear_sums(&sums);
    int entries = 0;
    /* which the compiler takes to change from step to step: else it would work these addresses out anew for each cluster */
    LOCAL_ARG const real4 *own_positions = own_position + row;
    LOCAL_ARG const int *own_types = own_type + row;
    const int nothing = n < 0;
#if !DEVICE_IS_CPU
#pragma unroll 1
#endif
    for (int has_bits = 1; has_bits >= 0; has_bits--) {
        const long64 from = (long64)super * (has_bits ? mask_capacity : list_capacity);
        const tile_list list = { (has_bits ? masked_entries : super_entries) + from,
                                 (has_bits ? masked_words : super_words) + from, excluded_bits + from * (2 * PARTNERS),
                                 (has_bits ? masked_length : super_length)[super] * (PARTNERS / 4) };
#if !DEVICE_IS_CPU
#pragma unroll 1
#endif
        for (int k = first; k < WALKED(list.length); k += STRIDE) {
            const tile_partner partner =
                read_partner(list, has_bits, k, lane, row, super, place_now, place_type, place_index, shifts);
            part_force reaction;
            clear_part(&reaction);
            meet_clusters(own_positions, own_types, partner, cutoff2, &sums, own_sum, &reaction PAIR_ARGUMENTS);
            own_positions += nothing;
            own_types += nothing;
            /* what the partner gets of the eight work-items that share it */
#if BY_SHUFFLES
            give_to_partner(force, force_plane, partner.index, partner.place < n, row, reaction);
#else
            leave_sum(of_lane, &reaction);
            SYNC_THREADS;
            if (partner.place < n && row == 0) {
                const own_force whole = take_sums(of_lane, 8, 1);
                add_own_force(force, force_plane, partner.index, &whole);
            }
            SYNC_THREADS;
#endif
#if HAS_TOTALS
            if (++entries == ENTRIES_OF_PART) {
                entries = 0;
#pragma unroll
                for (int c = 0; c < 8; c++) {
                    totals[c * GROUP_SIZE + LOCAL_ID] += (accum)sum_of_lanes(own_sum[c], lane, 8);
                    clear_part(&own_sum[c]);
                }
            }
#endif
        }
    }
    /* and what its own particles get of all tiles */
#if !DEVICE_IS_CPU
#pragma unroll
#endif
    for (int c = 0; c < 8; c++) {
        const int place = super * SUPER + c * 8 + row;
#if BY_SHUFFLES && ACCUM_IS_FIXED
        sum_lanes(&own_sum[c], 8, 32);
        if (place < n && lane == 0) {
            add_own_force(force, force_plane, place_index[place], &own_sum[c]);
        }
#elif BY_SHUFFLES
        accum sum = sum_of_lanes(own_sum[c], lane, 8);
#if HAS_TOTALS
        sum += totals[c * GROUP_SIZE + LOCAL_ID];
#endif
        if (place < n && lane < 3) {
            ATOMIC_ADD(&force[4 * place_index[place] + lane], sum);
        }
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
