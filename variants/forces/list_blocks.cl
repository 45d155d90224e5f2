/*
 * list_blocks — one particle per work-item, down a list of 16 bits into partners that are staged in local memory
 *
 * A work-group is a block of 128 particles that lie together. Whoever is near to the block is put into local memory
 * once, in the image that it is seen in; a list's entry is a slot there: half the bytes of a place, no cache to look up,
 * and no images in the walk. What the plain list waits for is gathers: lanes read from many lines at a time. Local memory
 * serves eight lanes at a time, if they read from slots that differ in their lowest three bits, and the builder sorts every
 * list so that mostly they do (SPREAD). A neighbourhood that has more than STAGED slots is staged in parts, each with its
 * own share of the lists. Positions are first put into the order of cells, next to where the builder saw them, so that runs
 * of slots are runs of memory. Each pair is computed from both sides; no atomics. On NVIDIA's chips entries that are read
 * AHEAD rounds later are fetched into the L2 cache. ORDER=5 makes blocks cuboids of 128 particles, which have a tenth fewer partners and are
 * built sooner, where density is even, and lets them follow Hilbert's curve elsewhere. Z_TWICE: in double without charges z is twice in local memory, so that sixteen lanes read it without
 * a conflict; with STAGED=768 there is room.
 * On CUDA, COPY=1 stages partners past the registers in open boxes, COPY=2 everywhere. In time steps of mixed precision in a cell,
 * positions are integers until they are staged relative to the block, so that energy is conserved as if they were not rounded to float.
 * DOUBLE_GROUPS: on CUDA, in double, registers are kept for so many groups per multiprocessor, where pairs have no charges.
 * On an H200, over 2 048 000 particles, 0.21 ms; without SPREAD the walk takes more than twice as long (docs/lists.md).
 *
 * @workload  forces
 * @structure list_blocks
 * @boxes     open periodic triclinic
 * @pass      note_images item per particle every rebuild
 * @pass      gather_sorted item per particle
 * @pass      list_blocks item per particle
 * @scratch   sorted_thirds int particle
 * @scratch   sorted_now real4 particle
 * @tunable   GROUP_SIZE 128
 * @tunable   STAGED 512 768 1024* 1280 1536
 * @tunable   SUB_BLOCK 4 8 16*
 * @tunable   BUILD_GROUPS 5 6* 7
 * @tunable   SPREAD 0 1*
 * @tunable   BALANCED 0 1*
 * @tunable   MASKED 0 1*
 * @tunable   AHEAD 0 2*
 * @tunable   COPY 0 1* 2
 * @tunable   ORDER 3 5*
 * @tunable   ROW_WIDTH 504*
 * @tunable   CELLS_PER_CUTOFF 1 2*
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @tunable   DOUBLE_GROUPS 6 8*
 * @tunable   Z_TWICE 0* 1
 * @source    our own; blocks of positions in local memory: P. Eastman, V. S. Pande, J. Comput. Chem. 31, 1268 (2010)
 */
/* In double, charges take local memory only where pairs have some. */
#if REAL_IS_DOUBLE && !WITH_CHARGES
#undef STAGED_POSITIONS
#undef STAGE
#undef STAGED_AT
#define STAGED_POSITIONS               \
    LOCAL real2 staged_xy[STAGED + 1]; \
    LOCAL real staged_z[(1 + Z_TWICE) * (STAGED + 1)];
#if Z_TWICE
#define STAGE(slot, at)                               \
    do {                                              \
        staged_xy[slot] = make_real2((at).x, (at).y); \
        staged_z[2 * (slot)] = (at).z;                \
        staged_z[2 * (slot) + 1] = (at).z;            \
    } while (0)
#define STAGED_AT(offset)                                                                    \
    make_real4(AT_OFFSET(real2, staged_xy, offset).x, AT_OFFSET(real2, staged_xy, offset).y, \
               AT_OFFSET(real, staged_z, (offset) + z_copy), 0)
#define COPY_ZW(slot, from)                                     \
    do {                                                        \
        COPY_BYTES(&staged_z[2 * (slot)], &(from)->z, 8);       \
        COPY_BYTES(&staged_z[2 * (slot) + 1], &(from)->z, 8);   \
    } while (0)
#define MOVE_Z(slot, by) (staged_z[2 * (slot)] += (by), staged_z[2 * (slot) + 1] += (by))
#define FIND_Z_COPY const uint z_copy = (uint)LOCAL_ID & 8u;
#else
#define STAGE(slot, at)                               \
    do {                                              \
        staged_xy[slot] = make_real2((at).x, (at).y); \
        staged_z[slot] = (at).z;                      \
    } while (0)
#define STAGED_AT(offset)                                                                    \
    make_real4(AT_OFFSET(real2, staged_xy, offset).x, AT_OFFSET(real2, staged_xy, offset).y, \
               AT_OFFSET(real, staged_z, (offset) / 2), 0)
#define COPY_ZW(slot, from) COPY_BYTES(&staged_z[slot], &(from)->z, 8)
#define MOVE_Z(slot, by) (staged_z[slot] += (by))
#endif
#else
#define COPY_ZW(slot, from) COPY_BYTES(&staged_zw[slot], &(from)->z, 16)
#define MOVE_Z(slot, by) (staged_zw[slot] = make_real2(staged_zw[slot].x + (by), staged_zw[slot].y))
#endif

/* What tells the images of sorted particles, of whom the builder has just seen the positions. */
KERNEL void note_images(int n, GLOBAL const real4 *RESTRICT sorted_position, box_args box, GLOBAL int *RESTRICT sorted_thirds)
{
    const int k = GLOBAL_ID;
    if (IMAGES_BY_THIRDS && k < n) {
        sorted_thirds[k] = thirds_of(sorted_position[k], box);
    }
}

/* Whether sorted_now holds positions in units of 3 / 2^31 of the cell's extent, whole numbers in the bits of floats. Then the difference
 * from the origin of a block, at most 3 extents, is exact, and as a float it is rounded as a short distance is, not as a position. */
#define IN_UNITS (POSITIONS_HAVE_RESTS && PERIODIC)
#if IN_UNITS
#ifdef __OPENCL_VERSION__
#define INT_OF_BITS(x) as_int(x)
#define BITS_OF_INT(x) as_float(x)
#else
#define INT_OF_BITS(x) __float_as_int(x)
#define BITS_OF_INT(x) __int_as_float(x)
#endif

/* The units of each axis, as lengths. */
DEVICE real4 lengths_of_units(box_args box)
{
    const real share = REAL(3.0) / REAL(2147483648.0);
#if TRICLINIC
    return make_real4((box.edge.x + FABS(box.tilt.x) + FABS(box.tilt.y)) * share, (box.edge.y + FABS(box.tilt.z)) * share,
                      box.edge.z * share, 0);
#else
    return make_real4(box.edge.x * share, box.edge.y * share, box.edge.z * share, 0);
#endif
}

/* A position so many images away, in units. */
DEVICE int4 in_units(accum4 x, int along_a, int along_b, int along_c, box_args box)
{
    const real4 length = lengths_of_units(box);
    x.x += along_a * (accum)box.edge.x;
    x.y += along_b * (accum)box.edge.y;
    x.z += along_c * (accum)box.edge.z;
#if TRICLINIC
    x.x += along_b * (accum)box.tilt.x + along_c * (accum)box.tilt.y;
    x.y += along_c * (accum)box.tilt.z;
#endif
    return make_int4((int)(x.x * (REAL(1.0) / length.x)), (int)(x.y * (REAL(1.0) / length.y)),
                     (int)(x.z * (REAL(1.0) / length.z)), 0);
}

/* The origin of a block as an entry sees it that may be in another image. */
DEVICE int4 origin_from_image(int4 origin, int entry, box_args box)
{
    if ((uint)entry >> ENTRY_PLACE_BITS) {
        const int image = entry_image(entry);
        const int4 shift = in_units(make_accum4(0, 0, 0, 0), image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1, box);
        origin = make_int4(origin.x - shift.x, origin.y - shift.y, origin.z - shift.z, 0);
    }
    return origin;
}

/* Where somebody is, relative to an origin. */
DEVICE real4 from_origin(real4 units, int4 origin, real4 length)
{
    return make_real4((real)(INT_OF_BITS(units.x) - origin.x) * length.x, (real)(INT_OF_BITS(units.y) - origin.y) * length.y,
                      (real)(INT_OF_BITS(units.z) - origin.z) * length.z, units.w);
}

#endif

/* The sorted particles where they are now, next to where the builder saw them. */
KERNEL void gather_sorted(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
                          GLOBAL const int *RESTRICT sorted_index,
                          GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_thirds, box_args box,
                          GLOBAL real4 *RESTRICT sorted_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        const int i = sorted_index[k];
        const real4 now = position[i];
        const real4 next = position_since(now, k, sorted_position, sorted_thirds, box);
#if IN_UNITS
        const real4 away = straighten(make_real4(next.x - now.x, next.y - now.y, next.z - now.z, 0), box);
        const int4 at = in_units(whole_position(i, position, position_rest), (int)RINT(away.x * box.inverse_edge.x),
                                 (int)RINT(away.y * box.inverse_edge.y), (int)RINT(away.z * box.inverse_edge.z), box);
        sorted_now[k] = make_real4(BITS_OF_INT(at.x), BITS_OF_INT(at.y), BITS_OF_INT(at.z), now.w);
#else
        sorted_now[k] = next;
#endif
    }
}

/* From global to local memory by the way that NVIDIA's chips have for that, past the registers: a work-item waits for all that it
 * has begun at once, and moves those that it has copied to the images that they are seen in. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && (COPY == 2 || (COPY == 1 && !PERIODIC)) && !IN_UNITS
#define COPY_AHEAD 1
#define COPY_BYTES(to, from, bytes)                                                                            \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), \
                 "l"(from), "n"(bytes))
#if !REAL_IS_DOUBLE
#define COPY_TO_LOCAL(slot, from) COPY_BYTES(&staged[slot], (from), 16)
#define MOVE_STAGED(slot, shift) \
    (staged[slot] = make_real4(staged[slot].x + (shift).x, staged[slot].y + (shift).y, staged[slot].z + (shift).z, staged[slot].w))
#else
#define COPY_TO_LOCAL(slot, from)                   \
    do {                                            \
        COPY_BYTES(&staged_xy[slot], (from), 16);   \
        COPY_ZW(slot, from);                        \
    } while (0)
#define MOVE_STAGED(slot, shift)                                                                           \
    do {                                                                                                   \
        staged_xy[slot] = make_real2(staged_xy[slot].x + (shift).x, staged_xy[slot].y + (shift).y);        \
        MOVE_Z(slot, (shift).z);                                                                           \
    } while (0)
#endif
#else
#define COPY_AHEAD 0
#endif

/* What an entry says: where its partner lies, and of which type it is. More than 16 types have to be looked up. */
#if WITH_TYPES
#define ENTRY_OFFSET(entry) ((entry) & 0xfff0u)
#define ENTRY_TYPE(entry) \
    (pair_types <= 16 ? (int)((entry) & 15u) : pair_type[sorted_index[(entry) / 16 < STAGED ? entry_place(entries[(entry) / 16]) : 0]])
#else
#define ENTRY_OFFSET(entry) (entry)
#define ENTRY_TYPE(entry) 0
#endif

/* Who is at one of the two entries of a word. CUDA's compiler finds the address of `staged` anew for each eight; here it stays in a
 * register, since the compiler does not know that slot_capacity is not negative, and one instruction adds the lower entry to it. */
#if defined(__CUDA_ARCH__) && !REAL_IS_DOUBLE
#define FIND_STAGED const uint staged_base = (uint)__cvta_generic_to_shared(staged) + ((uint)slot_capacity >> 31);
#define STAGED_OF_TWO(two, upper, offset) \
    staged_at((upper) || WITH_TYPES ? staged_base + (offset) : lower_added(two, staged_base))

DEVICE uint lower_added(uint two, uint to)
{
    uint sum;
    asm("dp2a.lo.u32.u32 %0, %1, 1, %2;" : "=r"(sum) : "r"(two), "r"(to));
    return sum;
}

DEVICE real4 staged_at(uint address)
{
    real4 at;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(at.x), "=f"(at.y), "=f"(at.z), "=f"(at.w) : "r"(address));
    return at;
}
#else
#if REAL_IS_DOUBLE && !WITH_CHARGES && Z_TWICE
#define FIND_STAGED FIND_Z_COPY
#else
#define FIND_STAGED
#endif
#define STAGED_OF_TWO(two, upper, offset) STAGED_AT(offset)
#endif

/* What a work-item's particle has come to. */
typedef struct {
    accum x, y, z;
    pair_sums sums;
} particle_results;

/* Adds the force of a partner. */
#if MASKED
#define MEET(own, other, type_i, type_j)                                                           \
    do {                                                                                      \
        const real dx = (own).x - (other).x;                                                  \
        const real dy = (own).y - (other).y;                                                  \
        const real dz = (own).z - (other).z;                                                  \
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));                                    \
        pair_energy energy = NO_ENERGY;                                                       \
        const real f = PAIR_FORCE_OF_TYPES(r2, (own), (other), (type_i), (type_j), &energy);  \
        COUNT_DISTANCE(&results.sums);                                                        \
        if (IN_CUTOFF(r2, cutoff2)) {                                                         \
            results.x += f * dx;                                                              \
            results.y += f * dy;                                                              \
            results.z += f * dz;                                                              \
            add_to_sums(&results.sums, energy, f, dx, dy, dz);                                \
        }                                                                                     \
    } while (0)
#else
#define MEET(own, other, type_i, type_j)                                                           \
    do {                                                                                      \
        const real dx = (own).x - (other).x;                                                  \
        const real dy = (own).y - (other).y;                                                  \
        const real dz = (own).z - (other).z;                                                  \
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));                                    \
        COUNT_DISTANCE(&results.sums);                                                        \
        if (IN_CUTOFF(r2, cutoff2)) {                                                         \
            pair_energy energy = NO_ENERGY;                                                   \
            const real f = PAIR_FORCE_OF_TYPES(r2, (own), (other), (type_i), (type_j), &energy);                 \
            results.x += f * dx;                                                              \
            results.y += f * dy;                                                              \
            results.z += f * dz;                                                              \
            add_to_sums(&results.sums, energy, f, dx, dy, dz);                                \
        }                                                                                     \
    } while (0)
#endif

#if REAL_IS_DOUBLE && !WITH_CHARGES
#undef GROUPS_KEPT
#define GROUPS_KEPT , DOUBLE_GROUPS
#endif
KERNEL void list_blocks(int n, GLOBAL const real4 *RESTRICT sorted_now, GLOBAL const int *RESTRICT place_index,
                        GLOBAL const int *RESTRICT place_sorted, GLOBAL const int *RESTRICT sorted_index,
                        GLOBAL const int *RESTRICT block_parts, GLOBAL const int *RESTRICT block_entries,
                        GLOBAL const int *RESTRICT part_begin, GLOBAL const int *RESTRICT part_stop,
                        GLOBAL const int4 *RESTRICT slot_lists, int part_capacity, int slot_capacity, box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                        GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    STAGED_POSITIONS
    FIND_STAGED
    const int place = GLOBAL_ID;
    real4 own = place < n ? sorted_now[place_sorted[place]] : make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
#if IN_UNITS
    const int middle = GROUP_ID * GROUP_SIZE + GROUP_SIZE / 2;
    const real4 middle_units = n > 0 ? sorted_now[place_sorted[middle < n ? middle : n - 1]] : own;
    const int4 origin = make_int4(INT_OF_BITS(middle_units.x), INT_OF_BITS(middle_units.y), INT_OF_BITS(middle_units.z), 0);
    const real4 length = lengths_of_units(box);
    own = place < n ? from_origin(own, origin, length) : own;
#endif
    const int i = place < n ? place_index[place] : 0;
    const int parts = block_parts[GROUP_ID];
    GLOBAL const int4 *eights = slot_lists + (long64)(place / 32) * (slot_capacity / 8) * 32 + place % 32;
    particle_results results;
    results.x = 0;
    results.y = 0;
    results.z = 0;
    clear_sums(&results.sums);
    const int own_type = PAIR_TYPE(i);
    (void)own_type;
#if COUNT_PAIRS
    int left_out = 0; /* where those begin that are left out of the part */
#endif
    for (int part = 0; part < parts; part++) {
        /* put the part's partners into local memory */
        GLOBAL const int *entries = ENTRIES_OF_PART(part);
        const int begin = part_begin[part * GLOBAL_SIZE + place];
        const int stop = part_stop[part * GLOBAL_SIZE + place];
#if COPY_AHEAD
        const int slots = entries[STAGED];
        if (LOCAL_ID == 0) {
            const real4 nobody = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
            STAGE(STAGED, nobody);
        }
        uint images = 0; /* whether any is seen in another image than its own */
#pragma unroll 4
        for (int s = LOCAL_ID; s < slots; s += GROUP_SIZE) {
            const int entry = entries[s];
            GLOBAL const real4 *from = &sorted_now[entry_place(entry)];
            COPY_TO_LOCAL(s, from);
            images |= PERIODIC ? (uint)entry >> ENTRY_PLACE_BITS : 0;
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
#if PERIODIC
        for (int s = LOCAL_ID; images && s < slots; s += GROUP_SIZE) {
            const int entry = entries[s];
            if ((uint)entry >> ENTRY_PLACE_BITS) {
                const real4 shift = shift_of_image(entry_image(entry), box);
                MOVE_STAGED(s, shift);
            }
        }
#endif
        (void)images;
#elif IN_UNITS
        STAGE_PART(entries, sorted_now, from_origin(at, origin_from_image(origin, entry, box), length));
#else
        STAGE_PART(entries, sorted_now, placed_at(at, entry, box));
#endif
        SYNC_THREADS;
#if COUNT_PAIRS
        /* they are pairs, too */
        for (; left_out < begin; left_out++) {
            const int4 eight = eights[left_out * 32];
            const uint two[4] = { (uint)eight.x, (uint)eight.y, (uint)eight.z, (uint)eight.w };
            for (int u = 0; u < 8; u++) {
                const uint entry = u % 2 ? two[u / 2] >> 16 : two[u / 2] & 0xffffu;
                const real4 other = STAGED_AT(ENTRY_OFFSET(entry));
                MEET(own, other, own_type, ENTRY_TYPE(entry));
            }
        }
        left_out = stop;
#endif
        /* down the list */
        GLOBAL const int4 *at = eights + (long64)begin * 32;
        for (int left = stop - begin; left > 0; left--) {
            const int4 eight = READ_ONCE(at);
#if AHEAD && defined(__CUDA_ARCH__)
            if (left > AHEAD) {
                asm volatile("prefetch.global.L2 [%0];" ::"l"(at + AHEAD * 32));
            }
#endif
            at += 32;
            const uint two[4] = { (uint)eight.x, (uint)eight.y, (uint)eight.z, (uint)eight.w };
            for (int u = 0; u < 8; u++) {
                const uint entry = u % 2 ? two[u / 2] >> 16 : two[u / 2] & 0xffffu;
                const real4 other = STAGED_OF_TWO(two[u / 2], u % 2, ENTRY_OFFSET(entry));
                MEET(own, other, own_type, ENTRY_TYPE(entry));
            }
        }
        SYNC_THREADS;
    }
    if (place < n) {
        force[i] = make_accum4(results.x, results.y, results.z, 0);
    }
    STORE_SUMS(partial_sums, &results.sums, 0.5);
}
#undef GROUPS_KEPT
#define GROUPS_KEPT
