/*
 * eam_blocks — lists of 16 bits into partners in local memory, once for densities and once for forces
 *
 * As list_blocks of workload `forces`: a work-group is a block of 128 particles that lie together, whose partners are put into
 * local memory once. The first pass leaves each particle beside the slope of its embedding energy, so that the second
 * stages both by one read. Each pair is computed from both sides; no atomics. On an H200, over 32 000 atoms of copper (Sutton
 * and Chen, cutoff 4.95), 20.8 us in float and 32.1 in double, where eam_list takes 58.1 and 75.7 (docs/eam.md). The harness
 * reads TABLE_CACHE: percent of on-chip memory that stay cache for the splines of a table.
 *
 * @workload  eam
 * @structure list_blocks
 * @boxes     open periodic triclinic
 * @pass      note_sorted item per particle every rebuild
 * @pass      gather_sorted item per particle
 * @pass      eam_blocks_density item per particle
 * @pass      eam_blocks_force item per particle
 * @scratch   sorted_thirds int particle
 * @scratch   sorted_type int particle
 * @scratch   sorted_now real4 particle
 * @scratch   sorted_sloped real4 particle
 * @tunable   GROUP_SIZE 128
 * @tunable   STAGED 768 1024* 1280
 * @tunable   TABLE_CACHE 0 25 50* 75
 * @tunable   MASKED 0 1*
 * @tunable   SUB_BLOCK 4 8 16*
 * @tunable   BUILD_GROUPS 5 6*
 * @tunable   SPREAD 0 1*
 * @tunable   ORDER 3 5*
 * @tunable   CELLS_PER_CUTOFF 1 2*
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void note_sorted(int n, GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                        GLOBAL const int *RESTRICT elements, box_args box, GLOBAL int *RESTRICT sorted_thirds,
                        GLOBAL int *RESTRICT sorted_type)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_thirds[k] = THIRDS_SINCE(sorted_position[k], box);
        sorted_type[k] = ELEMENT_OF(sorted_index[k]);
    }
}

KERNEL void gather_sorted(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT sorted_index,
                          GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_thirds,
                          box_args box, GLOBAL real4 *RESTRICT sorted_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_now[k] = position_since(position[sorted_index[k]], k, sorted_position, sorted_thirds, box);
    }
}

/* Types of the partners, beside their positions. Nobody's is any. */
#if WITH_ELEMENTS
#define STAGED_TYPES LOCAL int staged_type[STAGED + 1];
#define STAGE_TYPES(entries)                                              \
    for (int s = LOCAL_ID; s <= STAGED; s += GROUP_SIZE) {                \
        staged_type[s] = s < (entries)[STAGED] ? sorted_type[entry_place((entries)[s])] : 0; \
    }
#define TYPE_OF_ENTRY(entry) staged_type[(entry) / 16]
#define TYPE_OF_SORTED(k) sorted_type[k]
#else
#define STAGED_TYPES
#define STAGE_TYPES(entries)
#define TYPE_OF_ENTRY(entry) 0
#define TYPE_OF_SORTED(k) 0
#endif

/* What a partner adds to the density. Under MASKED all that is beyond the cutoff is computed, too, and times 0: nothing diverges. */
DEVICE real density_of_partner(real4 own, real4 other, int of, int at, real cutoff2, EAM_PARAMETERS)
{
    const real dx = own.x - other.x;
    const real dy = own.y - other.y;
    const real dz = own.z - other.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
    real density = REAL(0.0);
    if (MASKED || IN_CUTOFF(r2, cutoff2)) {
        real slope;
        density = eam_density_at(r2, of, at, EAM_ARGUMENTS, &slope);
    }
    return density * (IN_CUTOFF(r2, cutoff2) ? REAL(1.0) : REAL(0.0));
}

KERNEL void eam_blocks_density(int n, GLOBAL const real4 *RESTRICT sorted_now, GLOBAL const int *RESTRICT place_sorted,
                               GLOBAL const int *RESTRICT sorted_type, GLOBAL const int *RESTRICT block_parts,
                               GLOBAL const int *RESTRICT block_entries, GLOBAL const int *RESTRICT part_begin,
                               GLOBAL const int *RESTRICT part_stop, GLOBAL const int4 *RESTRICT slot_lists,
                               int part_capacity, int slot_capacity, box_args box, real cutoff2, int element_count,
                               GLOBAL const int *RESTRICT elements, int rho_knots, int r_knots, real knots_per_rho,
                               real knots_per_r, GLOBAL const real4 *RESTRICT embedding_knots,
                               GLOBAL const real4 *RESTRICT density_knots, GLOBAL const real4 *RESTRICT pair_knots,
                               GLOBAL real4 *RESTRICT sorted_sloped, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    STAGED_POSITIONS
    STAGED_TYPES
    const int place = GLOBAL_ID;
    const int sorted = place < n ? place_sorted[place] : 0;
    const real4 own = sorted_now[sorted];
    const int own_type = TYPE_OF_SORTED(sorted);
    const int parts = block_parts[GROUP_ID];
    GLOBAL const int4 *eights = slot_lists + (long64)(place / 32) * (slot_capacity / 8) * 32 + place % 32;
    pair_sums sums;
    accum rho = 0;
    clear_sums(&sums);
    for (int part = 0; part < parts; part++) {
        GLOBAL const int *entries = ENTRIES_OF_PART(part);
        const int stop = part_stop[part * GLOBAL_SIZE + place];
        STAGE_PART(entries, sorted_now, placed_at(at, entry, box));
        STAGE_TYPES(entries)
        SYNC_THREADS;
        for (int k = part_begin[part * GLOBAL_SIZE + place]; k < stop; k++) {
            const int4 eight = READ_ONCE(&eights[k * 32]);
            UNROLLED for (int u = 0; u < 8; u++) {
                const uint entry = entry_of_eight(eight, u);
                const real4 other = STAGED_AT(entry);
                rho += density_of_partner(own, other, TYPE_OF_ENTRY(entry), own_type, cutoff2, EAM_ARGUMENTS);
            }
        }
        SYNC_THREADS;
    }
    if (place < n) {
        real slope;
        const real energy = eam_embedding_of((real)rho, own_type, EAM_ARGUMENTS, &slope);
        sorted_sloped[sorted] = make_real4(own.x, own.y, own.z, slope);
#if WITH_ENERGY
        sums.value[0] += energy;
#endif
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void eam_blocks_force(int n, GLOBAL const real4 *RESTRICT sorted_sloped, GLOBAL const int *RESTRICT place_sorted,
                             GLOBAL const int *RESTRICT place_index, GLOBAL const int *RESTRICT sorted_type,
                             GLOBAL const int *RESTRICT block_parts, GLOBAL const int *RESTRICT block_entries,
                             GLOBAL const int *RESTRICT part_begin, GLOBAL const int *RESTRICT part_stop,
                             GLOBAL const int4 *RESTRICT slot_lists, int part_capacity, int slot_capacity, box_args box,
                             real cutoff2, int element_count, GLOBAL const int *RESTRICT elements, int rho_knots,
                             int r_knots, real knots_per_rho, real knots_per_r,
                             GLOBAL const real4 *RESTRICT embedding_knots, GLOBAL const real4 *RESTRICT density_knots,
                             GLOBAL const real4 *RESTRICT pair_knots, GLOBAL accum4 *RESTRICT force,
                             GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    STAGED_POSITIONS
    STAGED_TYPES
    const int place = GLOBAL_ID;
    const int sorted = place < n ? place_sorted[place] : 0;
    const real4 own = sorted_sloped[sorted];
    const int own_type = TYPE_OF_SORTED(sorted);
    const int parts = block_parts[GROUP_ID];
    GLOBAL const int4 *eights = slot_lists + (long64)(place / 32) * (slot_capacity / 8) * 32 + place % 32;
    accum x = 0;
    accum y = 0;
    accum z = 0;
    pair_sums sums;
    clear_sums(&sums);
    for (int part = 0; part < parts; part++) {
        GLOBAL const int *entries = ENTRIES_OF_PART(part);
        const int stop = part_stop[part * GLOBAL_SIZE + place];
        STAGE_PART(entries, sorted_sloped, placed_at(at, entry, box));
        STAGE_TYPES(entries)
        SYNC_THREADS;
        for (int k = part_begin[part * GLOBAL_SIZE + place]; k < stop; k++) {
            const int4 eight = READ_ONCE(&eights[k * 32]);
            UNROLLED for (int u = 0; u < 8; u++) {
                const uint entry = entry_of_eight(eight, u);
                const real4 other = STAGED_AT(entry);
                const real dx = own.x - other.x;
                const real dy = own.y - other.y;
                const real dz = own.z - other.z;
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                if (MASKED || IN_CUTOFF(r2, cutoff2)) {
                    real energy;
                    const real any = eam_force_over_r(r2, own_type, TYPE_OF_ENTRY(entry), own.w, other.w, EAM_ARGUMENTS,
                                                      &energy);
                    const real f = any * (IN_CUTOFF(r2, cutoff2) ? REAL(1.0) : REAL(0.0));
                    x += f * dx;
                    y += f * dy;
                    z += f * dz;
                    if (IN_CUTOFF(r2, cutoff2)) {
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
        SYNC_THREADS;
    }
    if (place < n) {
        force[place_index[place]] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
