/*
 * blocks_32 — a warp per tile of a block of 32 particles and 32 partners that were gathered for it
 *
 * Particles stand in an order along a curve, in blocks of 32. A work-item holds one particle of a block, its type and its
 * sums; the partners of the block's list are taken 32 at a time, one position, charge and type per work-item, and every
 * work-item of a warp meets all of them. So a partner is fetched once for 32 particles, at the price of distances: a
 * partner is within reach of one particle of the block at least, of few of them at most. SIDES 2: each pair is met
 * from both sides, partners are read from local memory, all work-items the same one, and no atomics are needed. SIDES 1:
 * each pair is met once; partners and the forces on them are handed from lane to lane (through local memory where a device
 * has no shuffles), and forces are added up by atomics, once per partner and tile. Exclusions are bits of masks, which
 * those few tiles have in which there are any; parameters are looked up by types that are kept beside the positions. The
 * warps of a work-group share a block, and SPLIT groups do where blocks are few. In mixed, floats add up what a tile gives
 * (of 32 pairs at most), doubles what tiles give. Bound by the rate of instructions (82 % of it): a quarter of the distances are within the cutoff. On an H200, 331 776
 * sites of water took 0.50 ms in float and 0.87 in double with either of SIDES, where list_clusters took 0.33 and 0.69;
 * 2 048 000 particles of density 0.8442, cutoff 2.5, 0.66 ms (SIDES=2), list_columns 0.30.
 *
 * @workload  forces
 * @structure blocks_32
 * @boxes     open periodic triclinic
 * @pass      note_types item per place every rebuild
 * @pass      gather_places item per place
 * @pass      blocks_32 group per block * SPLIT
 * @scratch   place_type int place + 1
 * @scratch   place_now real4 place + 1
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   SIDES 1* 2
 * @tunable   SPLIT 1* 2 4
 * @tunable   ORDER 2 3*
 * @tunable   CELLS_PER_CUTOFF 1* 2
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @warps     32
 * @source    P. Eastman, V. S. Pande, J. Comput. Chem. 31, 1268 (2010)
 */
#if GROUP_SIZE < 32
#error GROUP_SIZE has to be 32 at least
#endif
#define WARPS (GROUP_SIZE / 32)
#define ADDS_FORCES (SIDES == 1 || SPLIT > 1) /* several have a part of the force on a particle */
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
    const int k = GLOBAL_ID;
    if (k < n) {
        place_type[k] = PAIR_TYPE(place_index[k]);
    } else if (k <= (n + 31) / 32 * 32) {
        place_type[k] = 0;
    }
    if (k == 0) {
        place_type[(n + 31) / 32 * 32] = 0;
    }
}

/* Positions of now in the order of the list, next to where the list was built; nobody is far from all and from each other. */
KERNEL void gather_places(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, box_args box,
                          GLOBAL real4 *RESTRICT place_now, GLOBAL accum4 *RESTRICT force)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const int i = place_index[k];
        place_now[k] = image_next_to(position[i], place_position[k], box);
#if ADDS_FORCES
        force[i] = make_accum4(0, 0, 0, 0);
#endif
    } else if (k < (n + 31) / 32 * 32) {
        place_now[k] = make_real4(-FAR_AWAY * (1 + k % 32), 0, 0, 0);
    }
    if (k == 0) {
        place_now[(n + 31) / 32 * 32] = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
    }
}

/* ---- a block and its lists ---- */

/* A particle or a partner. */
typedef struct {
    real4 position;
    int type;
} tile_particle;

/* A lane's view of the lists of its block: one entry per tile. Tiles with masks come first. */
typedef struct {
    GLOBAL const int *masked_row;
    GLOBAL const uint *mask_row;
    GLOBAL const int *row;
    int masked_length, masked_tiles, tiles;
} block_rows;

/* The partner that a lane brings to a tile, and with which particles of the block that is excluded, a bit each. */
typedef struct {
    int place;
    uint mask;
    tile_particle particle;
} tile_partner;

/* Of a warp that has no tile left, and behind the end of the lists, partners are nobody. */
DEVICE tile_partner read_partner(block_rows rows, int tile, int lane, int nobody, GLOBAL const real4 *RESTRICT place_now,
                                 GLOBAL const int *RESTRICT place_type, LOCAL_ARG const real4 *shifts)
{
    tile_partner partner;
    int entry = nobody;
    partner.mask = 0;
    if (tile < rows.masked_tiles) {
        entry = rows.masked_row[tile * 32];
        /* of the 32 that the list begins with, every one is met by those before it (or by all others) */
        partner.mask = tile * 32 + lane < rows.masked_length ? rows.mask_row[tile * 32] : 0;
    } else if (tile < rows.tiles) {
        entry = READ_ONCE(&rows.row[(tile - rows.masked_tiles) * 32]);
    }
    partner.place = entry_place(entry);
    partner.particle.position = place_now[partner.place];
    partner.particle.type = place_type[partner.place];
#if PERIODIC
    const real4 shift = shifts[(uint)entry >> ENTRY_PLACE_BITS];
    partner.particle.position.x += shift.x;
    partner.particle.position.y += shift.y;
    partner.particle.position.z += shift.z;
#endif
    return partner;
}

/* ---- a tile ---- */

/* In mixed, what a particle or a partner gets of one tile, of 32 pairs at most, is added up in floats; totals lie in local memory. */
#define HAS_TOTALS (ACCUM_IS_DOUBLE && !REAL_IS_DOUBLE && (SIDES == 2 || BY_SHUFFLES))
#if HAS_TOTALS
typedef real tile_sum;
#else
typedef accum tile_sum;
#endif

typedef struct {
    tile_sum x, y, z;
} tile_force;

DEVICE tile_force no_force(void)
{
    tile_force none;
    none.x = 0;
    none.y = 0;
    none.z = 0;
    return none;
}

/* Adds the force of a partner on a particle; `reaction` takes what the partner gets. */
DEVICE void meet(tile_particle own, tile_particle other, int is_pair, int is_excluded, real cutoff2, pair_sums *sums,
                 tile_force *force, real4 *reaction PAIR_PARAMETERS)
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
        const real f =
            PAIR_FORCE_OF_TYPES(r2, own.position, other.position, own.type, other.type, &energy);
        reaction->x = f * dx;
        reaction->y = f * dy;
        reaction->z = f * dz;
        force->x += reaction->x;
        force->y += reaction->y;
        force->z += reaction->z;
        add_to_sums(sums, energy, f, dx, dy, dz);
    }
}

#if SIDES == 2 || !BY_SHUFFLES
/* The partners of a warp's tile in local memory, one per lane. */
typedef struct {
    LOCAL_ARG real4 *position;
    LOCAL_ARG int *type;
    LOCAL_ARG uint *mask;
} staged_tile;

DEVICE tile_particle staged_particle(staged_tile staged, int at)
{
    tile_particle other;
    other.position = staged.position[at];
    other.type = staged.type[at];
    return other;
}

DEVICE void leave_partner(staged_tile staged, tile_partner partner)
{
    staged.position[LOCAL_ID] = partner.particle.position;
    staged.type[LOCAL_ID] = partner.particle.type;
    staged.mask[LOCAL_ID] = partner.mask;
}
#endif

#if SIDES == 2
/* All lanes look at the same partner. */
DEVICE void meet_tile(tile_particle own, staged_tile staged, int tile, block_rows rows, real cutoff2, pair_sums *sums,
                      tile_force *force PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const int first = LOCAL_ID / 32 * 32;
    real4 reaction; /* which the partner's own block computes */
    if (tile < rows.masked_tiles) {
#pragma unroll 1
        for (int k = 0; k < 32; k++) {
            meet(own, staged_particle(staged, first + k), tile != 0 || k != lane, staged.mask[first + k] >> lane & 1u, cutoff2,
                 sums, force, &reaction PAIR_ARGUMENTS);
        }
    } else if (tile < rows.tiles) {
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            meet(own, staged_particle(staged, first + k), 1, 0, cutoff2, sums, force, &reaction PAIR_ARGUMENTS);
        }
    }
}
#elif BY_SHUFFLES
/* Hands a partner's position and what it got to the lane before. */
DEVICE void pass_on(tile_partner *partner, tile_force *of_partner, real4 reaction, int next)
{
    of_partner->x = SHUFFLE(of_partner->x - reaction.x, next);
    of_partner->y = SHUFFLE(of_partner->y - reaction.y, next);
    of_partner->z = SHUFFLE(of_partner->z - reaction.z, next);
    partner->particle.position.x = SHUFFLE(partner->particle.position.x, next);
    partner->particle.position.y = SHUFFLE(partner->particle.position.y, next);
    partner->particle.position.z = SHUFFLE(partner->particle.position.z, next);
    partner->particle.position.w = SHUFFLE(partner->particle.position.w, next);
}

/* Partners and what they get go around, from each lane to the one before, until each is back where it was: the force on this
 * lane's. */
DEVICE tile_force meet_tile(tile_particle own, tile_partner partner, int tile, block_rows rows, real cutoff2, pair_sums *sums,
                            tile_force *force PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const int next = (lane + 1) % 32;
    tile_force of_partner = no_force();
    if (tile < rows.masked_tiles) {
#pragma unroll 1
        for (int k = 0; k < 32; k++) {
            real4 reaction = make_real4(0, 0, 0, 0);
            meet(own, partner.particle, tile != 0 || (lane + k) % 32 > lane, partner.mask >> lane & 1u, cutoff2, sums, force,
                 &reaction PAIR_ARGUMENTS);
            pass_on(&partner, &of_partner, reaction, next);
            partner.particle.type = SHUFFLE(partner.particle.type, next);
            partner.mask = SHUFFLE(partner.mask, next);
        }
    } else if (tile < rows.tiles) {
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            real4 reaction = make_real4(0, 0, 0, 0);
            meet(own, partner.particle, 1, 0, cutoff2, sums, force, &reaction PAIR_ARGUMENTS);
            pass_on(&partner, &of_partner, reaction, next);
#if WITH_TYPES
            partner.particle.type = SHUFFLE(partner.particle.type, next);
#endif
        }
    }
    return of_partner;
}
#else
/* Meets partner number k from this lane's on, and adds up in local memory what that gets. */
DEVICE void meet_next(tile_particle own, staged_tile staged, int k, int tile, real cutoff2, LOCAL_ARG accum *of_lane,
                      pair_sums *sums, tile_force *force PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % 32;
    const int at = LOCAL_ID - lane + (lane + k) % 32;
    real4 reaction = make_real4(0, 0, 0, 0);
    meet(own, staged_particle(staged, at), tile != 0 || (lane + k) % 32 > lane, staged.mask[at] >> lane & 1u, cutoff2, sums,
         force, &reaction PAIR_ARGUMENTS);
    of_lane[at] -= reaction.x;
    of_lane[at + GROUP_SIZE] -= reaction.y;
    of_lane[at + 2 * GROUP_SIZE] -= reaction.z;
}
#endif

/* Gives a force to the particle at a place: all that it gets, or one of several. */
DEVICE void give_force(GLOBAL accum *force, GLOBAL const int *RESTRICT place_index, int place, accum x, accum y, accum z)
{
    const int i = place_index[place];
#if ADDS_FORCES
    ATOMIC_ADD(&force[4 * i], x);
    ATOMIC_ADD(&force[4 * i + 1], y);
    ATOMIC_ADD(&force[4 * i + 2], z);
#else
    force[4 * i] = x;
    force[4 * i + 1] = y;
    force[4 * i + 2] = z;
#endif
}

KERNEL void blocks_32(int n, GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_type,
                      GLOBAL const int *RESTRICT place_index, GLOBAL const int *RESTRICT block_length,
                      GLOBAL const int *RESTRICT block_entries, int list_capacity,
                      GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                      GLOBAL const uint *RESTRICT masks, int mask_capacity, box_args box, real cutoff2,
                      GLOBAL accum *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 shifts[PERIODIC ? 27 : 1];
#if SIDES == 2 || !BY_SHUFFLES
    LOCAL real4 tile_position[GROUP_SIZE];
    LOCAL int tile_type[GROUP_SIZE];
    LOCAL uint tile_mask[GROUP_SIZE];
    const staged_tile staged = { tile_position, tile_type, tile_mask };
#endif
    LOCAL accum of_lane[3 * GROUP_SIZE];
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int block = GROUP_ID / SPLIT;
    const int lane = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    const int nobody = (n + 31) / 32 * 32;
    tile_particle own;
    own.position = place_now[block * 32 + lane];
    own.type = place_type[block * 32 + lane];
    tile_force own_sum = no_force();
#if HAS_TOTALS
    of_lane[LOCAL_ID] = 0;
    of_lane[LOCAL_ID + GROUP_SIZE] = 0;
    of_lane[LOCAL_ID + 2 * GROUP_SIZE] = 0;
#endif
    pair_sums sums;
    clear_sums(&sums);
    block_rows rows;
    rows.masked_length = masked_length[block];
    rows.masked_tiles = (rows.masked_length + 31) / 32;
    rows.tiles = rows.masked_tiles + (block_length[block] + 31) / 32;
    rows.masked_row = masked_entries + (long64)block * mask_capacity + lane;
    rows.mask_row = masks + (long64)block * mask_capacity + lane;
    rows.row = block_entries + (long64)block * list_capacity + lane;
    for (int first = GROUP_ID % SPLIT * WARPS; first < rows.tiles; first += SPLIT * WARPS) {
        const int tile = first + warp;
        const tile_partner partner = read_partner(rows, tile, lane, nobody, place_now, place_type, shifts);
#if SIDES == 2
        leave_partner(staged, partner);
        SYNC_WARPS;
        meet_tile(own, staged, tile, rows, cutoff2, &sums, &own_sum PAIR_ARGUMENTS);
        SYNC_WARPS;
#elif BY_SHUFFLES
        const tile_force other = meet_tile(own, partner, tile, rows, cutoff2, &sums, &own_sum PAIR_ARGUMENTS);
        if (partner.place < n && (other.x != 0 || other.y != 0 || other.z != 0)) {
            give_force(force, place_index, partner.place, other.x, other.y, other.z);
        }
#else
        /* every lane looks at another partner: what these get is added up in local memory */
        leave_partner(staged, partner);
        of_lane[LOCAL_ID] = 0;
        of_lane[LOCAL_ID + GROUP_SIZE] = 0;
        of_lane[LOCAL_ID + 2 * GROUP_SIZE] = 0;
        SYNC_WARPS;
        for (int k = 0; k < 32; k++) {
            meet_next(own, staged, k, tile, cutoff2, of_lane, &sums, &own_sum PAIR_ARGUMENTS);
            SYNC_WARPS;
        }
        if (partner.place < n) {
            give_force(force, place_index, partner.place, of_lane[LOCAL_ID], of_lane[LOCAL_ID + GROUP_SIZE],
                       of_lane[LOCAL_ID + 2 * GROUP_SIZE]);
        }
        SYNC_WARPS;
#endif
#if HAS_TOTALS
        of_lane[LOCAL_ID] += own_sum.x;
        of_lane[LOCAL_ID + GROUP_SIZE] += own_sum.y;
        of_lane[LOCAL_ID + 2 * GROUP_SIZE] += own_sum.z;
        own_sum = no_force();
#endif
    }
    accum own_x = own_sum.x;
    accum own_y = own_sum.y;
    accum own_z = own_sum.z;
#if HAS_TOTALS
    own_x = of_lane[LOCAL_ID];
    own_y = of_lane[LOCAL_ID + GROUP_SIZE];
    own_z = of_lane[LOCAL_ID + 2 * GROUP_SIZE];
#endif
    SYNC_THREADS;
    sum_over_lanes(of_lane, WARPS, 32, warp == 0, &own_x, &own_y, &own_z);
    if (warp == 0 && block * 32 + lane < n) {
        give_force(force, place_index, block * 32 + lane, own_x, own_y, own_z);
    }
    STORE_SUMS(partial_sums, &sums, 1.0 / SIDES);
}
