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
 * warps of a work-group share a block. Bound by the rate of instructions (82 % of it): a quarter of the distances are within
 * the cutoff. On an H200, 331 776 sites of water take 0.50 ms in float and 0.87 in double with either of SIDES, where
 * list_clusters takes 0.33 and 0.69; 2 048 000 particles of density 0.8442, cutoff 2.5, 0.66 ms (SIDES=2), list_columns 0.30.
 *
 * @workload  forces
 * @structure blocks_32
 * @boxes     open periodic triclinic
 * @pass      note_types item per place every rebuild
 * @pass      gather_places item per place
 * @pass      blocks_32 group per block
 * @scratch   place_type int place + 1
 * @scratch   place_now real4 place + 1
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   SIDES 1* 2
 * @tunable   ORDER 2 3*
 * @tunable   CELLS_PER_CUTOFF 1* 2
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    P. Eastman, V. S. Pande, J. Comput. Chem. 31, 1268 (2010)
 */
#if GROUP_SIZE < 32
#error GROUP_SIZE has to be 32 at least
#endif
#define WARPS (GROUP_SIZE / 32)
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
#if SIDES == 1
        force[i] = make_accum4(0, 0, 0, 0);
#endif
    } else if (k < (n + 31) / 32 * 32) {
        place_now[k] = make_real4(-FAR_AWAY * (1 + k % 32), 0, 0, 0);
    }
    if (k == 0) {
        place_now[(n + 31) / 32 * 32] = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
    }
}

/* A particle or a partner. */
typedef struct {
    real4 position;
    int type;
} tile_particle;

/* Adds the force of a partner on a particle; `reaction` takes what the partner gets. */
DEVICE void meet(tile_particle own, tile_particle other, int is_pair, int is_excluded, real cutoff2, pair_sums *sums,
                 accum *x, accum *y, accum *z, real4 *reaction PAIR_PARAMETERS)
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
        *x += reaction->x;
        *y += reaction->y;
        *z += reaction->z;
        add_to_sums(sums, energy, f, dx, dy, dz);
    }
}

KERNEL void blocks_32(int n, GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_type,
                      GLOBAL const int *RESTRICT place_index, GLOBAL const int *RESTRICT block_length,
                      GLOBAL const int *RESTRICT block_entries, int list_capacity,
                      GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                      GLOBAL const uint *RESTRICT masks, int mask_capacity, box_args box, real cutoff2,
                      GLOBAL accum *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
#if PERIODIC
    LOCAL real4 shifts[27];
#endif
#if SIDES == 2 || !BY_SHUFFLES
    LOCAL real4 tile_position[GROUP_SIZE];
    LOCAL int tile_type[GROUP_SIZE];
    LOCAL uint tile_mask[GROUP_SIZE];
#endif
    LOCAL accum of_lane[3 * GROUP_SIZE];
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int block = GROUP_ID;
    const int lane = LOCAL_ID % 32;
    const int warp = LOCAL_ID / 32;
    const int nobody = (n + 31) / 32 * 32;
    tile_particle own;
    own.position = place_now[block * 32 + lane];
    own.type = place_type[block * 32 + lane];
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    const int masked_tiles = (masked_length[block] + 31) / 32;
    const int tiles = masked_tiles + (block_length[block] + 31) / 32;
    GLOBAL const int *masked_row = masked_entries + (long64)block * mask_capacity + lane;
    GLOBAL const uint *mask_row = masks + (long64)block * mask_capacity + lane;
    GLOBAL const int *row = block_entries + (long64)block * list_capacity + lane;
    for (int first = 0; first < tiles; first += WARPS) {
        /* the tile's partners, one per lane */
        const int tile = first + warp;
        const int has_masks = tile < masked_tiles;
        int entry = nobody;
        uint mask = 0;
        if (has_masks) {
            entry = masked_row[tile * 32];
            /* of the 32 that the list begins with, every one is met by those before it (or by all others) */
            mask = tile * 32 + lane < masked_length[block] ? mask_row[tile * 32] : 0;
        } else if (tile < tiles) {
            entry = READ_ONCE(&row[(tile - masked_tiles) * 32]);
        }
        const int place = entry_place(entry);
        tile_particle other;
        other.position = place_now[place];
        other.type = place_type[place];
#if PERIODIC
        const real4 shift = shifts[(uint)entry >> ENTRY_PLACE_BITS];
        other.position.x += shift.x;
        other.position.y += shift.y;
        other.position.z += shift.z;
#endif
#if SIDES == 2
        /* all lanes look at the same partner */
        tile_position[LOCAL_ID] = other.position;
        tile_type[LOCAL_ID] = other.type;
        tile_mask[LOCAL_ID] = mask;
        SYNC_WARPS;
        if (has_masks) {
#pragma unroll 1
            for (int k = 0; k < 32; k++) {
                real4 reaction;
                other.position = tile_position[warp * 32 + k];
                other.type = tile_type[warp * 32 + k];
                meet(own, other, tile != 0 || k != lane, tile_mask[warp * 32 + k] >> lane & 1u, cutoff2, &sums, &x, &y,
                     &z, &reaction PAIR_ARGUMENTS);
            }
        } else if (tile < tiles) {
#pragma unroll 4
            for (int k = 0; k < 32; k++) {
                real4 reaction;
                other.position = tile_position[warp * 32 + k];
                other.type = tile_type[warp * 32 + k];
                meet(own, other, 1, 0, cutoff2, &sums, &x, &y, &z, &reaction PAIR_ARGUMENTS);
            }
        }
        SYNC_WARPS;
#elif BY_SHUFFLES
        /* partners and what they get go around, from each lane to the one before */
        accum other_x = 0;
        accum other_y = 0;
        accum other_z = 0;
        const int next = (lane + 1) % 32;
        if (has_masks) {
#pragma unroll 1
            for (int k = 0; k < 32; k++) {
                real4 reaction = make_real4(0, 0, 0, 0);
                meet(own, other, tile != 0 || (lane + k) % 32 > lane, mask >> lane & 1u, cutoff2, &sums, &x, &y, &z,
                     &reaction PAIR_ARGUMENTS);
                other_x = SHUFFLE(other_x - reaction.x, next);
                other_y = SHUFFLE(other_y - reaction.y, next);
                other_z = SHUFFLE(other_z - reaction.z, next);
                other.position.x = SHUFFLE(other.position.x, next);
                other.position.y = SHUFFLE(other.position.y, next);
                other.position.z = SHUFFLE(other.position.z, next);
                other.position.w = SHUFFLE(other.position.w, next);
                other.type = SHUFFLE(other.type, next);
                mask = SHUFFLE(mask, next);
            }
        } else if (tile < tiles) {
#pragma unroll 4
            for (int k = 0; k < 32; k++) {
                real4 reaction = make_real4(0, 0, 0, 0);
                meet(own, other, 1, 0, cutoff2, &sums, &x, &y, &z, &reaction PAIR_ARGUMENTS);
                other_x = SHUFFLE(other_x - reaction.x, next);
                other_y = SHUFFLE(other_y - reaction.y, next);
                other_z = SHUFFLE(other_z - reaction.z, next);
                other.position.x = SHUFFLE(other.position.x, next);
                other.position.y = SHUFFLE(other.position.y, next);
                other.position.z = SHUFFLE(other.position.z, next);
                other.position.w = SHUFFLE(other.position.w, next);
#if WITH_TYPES
                other.type = SHUFFLE(other.type, next);
#endif
            }
        }
        if (place < n && (other_x != 0 || other_y != 0 || other_z != 0)) {
            const int j = place_index[place];
            ATOMIC_ADD(&force[4 * j], other_x);
            ATOMIC_ADD(&force[4 * j + 1], other_y);
            ATOMIC_ADD(&force[4 * j + 2], other_z);
        }
#else
        /* every lane looks at another partner: what these get is added up in local memory */
        tile_position[LOCAL_ID] = other.position;
        tile_type[LOCAL_ID] = other.type;
        tile_mask[LOCAL_ID] = mask;
        of_lane[LOCAL_ID] = 0;
        of_lane[LOCAL_ID + GROUP_SIZE] = 0;
        of_lane[LOCAL_ID + 2 * GROUP_SIZE] = 0;
        SYNC_WARPS;
        for (int k = 0; k < 32; k++) {
            const int at = warp * 32 + (lane + k) % 32;
            real4 reaction = make_real4(0, 0, 0, 0);
            other.position = tile_position[at];
            other.type = tile_type[at];
            meet(own, other, tile != 0 || (lane + k) % 32 > lane, tile_mask[at] >> lane & 1u, cutoff2, &sums, &x, &y, &z,
                 &reaction PAIR_ARGUMENTS);
            of_lane[at] -= reaction.x;
            of_lane[at + GROUP_SIZE] -= reaction.y;
            of_lane[at + 2 * GROUP_SIZE] -= reaction.z;
            SYNC_WARPS;
        }
        if (place < n) {
            const int j = place_index[place];
            ATOMIC_ADD(&force[4 * j], of_lane[LOCAL_ID]);
            ATOMIC_ADD(&force[4 * j + 1], of_lane[LOCAL_ID + GROUP_SIZE]);
            ATOMIC_ADD(&force[4 * j + 2], of_lane[LOCAL_ID + 2 * GROUP_SIZE]);
        }
        SYNC_WARPS;
#endif
    }
    SYNC_THREADS;
    sum_over_lanes(of_lane, WARPS, 32, warp == 0, &x, &y, &z);
    if (warp == 0 && block * 32 + lane < n) {
        const int i = place_index[block * 32 + lane];
#if SIDES == 1
        ATOMIC_ADD(&force[4 * i], x);
        ATOMIC_ADD(&force[4 * i + 1], y);
        ATOMIC_ADD(&force[4 * i + 2], z);
#else
        force[4 * i] = x;
        force[4 * i + 1] = y;
        force[4 * i + 2] = z;
#endif
    }
#if SIDES == 1
    STORE_SUMS(partial_sums, &sums, 1.0);
#else
    STORE_SUMS(partial_sums, &sums, 0.5);
#endif
}
