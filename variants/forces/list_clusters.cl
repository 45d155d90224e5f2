/*
 * list_clusters — PARTICLES nearest neighbours per work-item, such as a molecule of water, against a list of others like them
 *
 * Columns are clusters of particles that are each other's nearest, and of one molecule where molecules are known (ORDER 4). A column
 * lists columns: an entry is PARTICLES partners, whose positions lie side by side. Excluded pairs stand in lists of their own: the
 * long list is walked without a test. Within a column particles stand in the order of their charges, so that particle p of
 * all columns is of one kind where molecules are alike: then types are those of the first column, and a term that two kinds do not
 * have is skipped by all work-items together. LANES of them share a column, a warp each, where columns are few.
 * MASKED computes the force of every pair and leaves out what is beyond the cutoff; else lanes wait for those that are
 * within. Each pair is computed from both sides; no atomics. Limited by instructions. On an H100 (2026-11-25), whole steps of 331 776
 * sites of rigid water (cutoff 9 angstrom, SKIN=9, Ewald alpha 0.35 by ERFC_BY=1, TYPE_TABLE=2) take 0.432 ms in float, where
 * clusters_8x8 takes 0.521; 24 000 sites 0.0625 (SKIN=12), where blocks_32 takes 0.0822. Particles without molecules are better off
 * with list_columns.
 *
 * @workload  forces
 * @structure list_clusters
 * @boxes     open periodic triclinic
 * @pass      gather_places item per particle
 * @pass      list_clusters item per column * LANES
 * @scratch   place_now real4 particle + 8
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   PARTICLES 2 3* 4
 * @tunable   LANES 1 2 4 8*
 * @tunable   ORDER 3 4*
 * @tunable   MASKED 0 1*
 * @tunable   CELLS_PER_CUTOFF 1 2*
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    our own; lists of clusters: S. Pall, B. Hess, Comput. Phys. Commun. 184, 2641 (2013)
 */
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */
#define GROUP_COLUMNS (GROUP_SIZE / LANES)
#define ONE_BY_ONE _Pragma("unroll 1")

/* The places behind the last particle, up to those of a column of nobody. */
#define PLACES ((n + PARTICLES - 1) / PARTICLES * PARTICLES + PARTICLES)

/* Positions of now in the order of the list, next to where the list was built. */
KERNEL void gather_places(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, box_args box,
                          GLOBAL real4 *RESTRICT place_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        place_now[k] = image_next_to(position[place_index[k]], place_position[k], box);
    }
    if (k == n - 1) {
        for (int nobody = n; nobody < PLACES; nobody++) {
            place_now[nobody] = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
        }
    }
}

/* The column's particles, and what they have come to. */
typedef struct {
    real4 position[PARTICLES];
    int type[PARTICLES];
    accum x[PARTICLES], y[PARTICLES], z[PARTICLES];
    pair_sums sums;
} cluster;

/* For particle p of a column with one like it and that one's particle q a bit p + PARTICLES * q: whether there is a term of types. */
DEVICE uint find_terms(const cluster *own, int bare_types)
{
    uint terms = 0;
    for (int k = 0; k < PARTICLES * PARTICLES; k++) {
        const int p = own->type[k % PARTICLES];
        const int q = own->type[k / PARTICLES];
        const int is_bare = (p < 31 && (bare_types >> p & 1)) || (q < 31 && (bare_types >> q & 1));
        terms |= (uint)!is_bare << k;
    }
    return terms;
}

/* Adds the force of a partner that is excluded from no pair. */
DEVICE void meet(int p, cluster *own, real4 other, int terms, int type, real cutoff2 PAIR_PARAMETERS)
{
    const real dx = own->position[p].x - other.x;
    const real dy = own->position[p].y - other.y;
    const real dz = own->position[p].z - other.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
    COUNT_DISTANCE(&own->sums);
#if MASKED
    pair_energy energy = NO_ENERGY;
    const real any = PAIR_FORCE_OF_TERMS(r2, own->position[p], other, terms, own->type[p], type, &energy);
    const real f = IN_CUTOFF(r2, cutoff2) ? any : REAL(0.0);
    own->x[p] += f * dx;
    own->y[p] += f * dy;
    own->z[p] += f * dz;
    if (IN_CUTOFF(r2, cutoff2)) {
        add_to_sums(&own->sums, energy, f, dx, dy, dz);
    }
#else
    if (IN_CUTOFF(r2, cutoff2)) {
        pair_energy energy = NO_ENERGY;
        const real f = PAIR_FORCE_OF_TERMS(r2, own->position[p], other, terms, own->type[p], type, &energy);
        own->x[p] += f * dx;
        own->y[p] += f * dy;
        own->z[p] += f * dz;
        add_to_sums(&own->sums, energy, f, dx, dy, dz);
    }
#endif
}

/* Adds the force of a partner that may be excluded; i and j are input indices. */
DEVICE void meet_apart(int p, cluster *own, real4 other, int i, int j, real cutoff2 PAIR_PARAMETERS)
{
    const real dx = own->position[p].x - other.x;
    const real dy = own->position[p].y - other.y;
    const real dz = own->position[p].z - other.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
    COUNT_DISTANCE(&own->sums);
    if (IN_CUTOFF(r2, cutoff2)) {
        pair_energy energy = NO_ENERGY;
        const real f = PAIR_FORCE(r2, own->position[p], other, i, j, &energy);
        own->x[p] += f * dx;
        own->y[p] += f * dy;
        own->z[p] += f * dz;
        add_to_sums(&own->sums, energy, f, dx, dy, dz);
    }
}

/* The partner of an entry, where the builder saw it. */
DEVICE real4 in_image(real4 other, int entry, LOCAL_ARG const real4 *shifts)
{
    const real4 shift = shifts[(uint)entry >> ENTRY_PLACE_BITS];
    return make_real4(other.x + shift.x, other.y + shift.y, other.z + shift.z, other.w);
}

/* Down a lane's quads of a list. Inlined, so that where only the first particles have terms, as in water, that is known when this is
 * compiled, and no pair asks. */
#define ALWAYS_INLINE DEVICE __attribute__((always_inline))
#define FIRST_ALONE 1u
ALWAYS_INLINE void walk_quads(cluster *own, GLOBAL const int4 *RESTRICT quads, int lane, int count, uint terms, int unlike_only,
                              GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT type_of_place,
                              LOCAL_ARG const real4 *shifts, real cutoff2 PAIR_PARAMETERS)
{
    for (int k = lane; k < count; k += LANES) {
        int4 quad = READ_ONCE(&quads[k * 32]);
        ONE_BY_ONE
        for (int u = 0; u < 4; u++) {
            const int first = entry_place(quad.x) * PARTICLES;
            real4 other[PARTICLES];
            int type[PARTICLES];
            for (int q = 0; q < PARTICLES; q++) {
                other[q] = place_now[first + q];
                type[q] = terms >> (PARTICLES * q) & ((1 << PARTICLES) - 1) ? type_of_place[(first & unlike_only) + q] : 0;
            }
#if PERIODIC
            if ((uint)quad.x >> ENTRY_PLACE_BITS) {
                for (int q = 0; q < PARTICLES; q++) {
                    other[q] = in_image(other[q], quad.x, shifts);
                }
            }
#endif
            for (int q = 0; q < PARTICLES; q++) {
                for (int p = 0; p < PARTICLES; p++) {
                    meet(p, own, other[q], terms >> (p + PARTICLES * q) & 1, type[q], cutoff2 PAIR_ARGUMENTS);
                }
            }
            quad.x = quad.y;
            quad.y = quad.z;
            quad.z = quad.w;
        }
    }
}

KERNEL void list_clusters(int n, GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT type_of_place,
                          GLOBAL const int *RESTRICT cluster_flags, int bare_types, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const int *RESTRICT column_length, GLOBAL const int4 *RESTRICT columns, int list_capacity,
                          GLOBAL const int *RESTRICT apart_length, GLOBAL const int4 *RESTRICT columns_apart,
                          int apart_capacity, box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                          GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 shifts[27];
#if LANES > 1
    LOCAL accum of_lane[3 * GROUP_SIZE];
#endif
#if PERIODIC
    fill_entry_shifts(shifts, box);
#endif
    const int column = GROUP_ID * GROUP_COLUMNS + LOCAL_ID % GROUP_COLUMNS;
    const int lane = LOCAL_ID / GROUP_COLUMNS;
    const int begin = column * PARTICLES;
    cluster own;
    clear_sums(&own.sums);
    for (int p = 0; p < PARTICLES; p++) {
        const int is_there = begin + p < n;
        own.position[p] = is_there ? place_now[begin + p] : make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
        own.type[p] = is_there ? type_of_place[begin + p] : 0;
        own.x[p] = 0;
        own.y[p] = 0;
        own.z[p] = 0;
    }
    if (begin < n) {
        const long64 rows = column / 32;
        /* the column's particles with each other */
        for (int p = 0; p < PARTICLES; p++) {
            for (int q = 0; q < PARTICLES; q++) {
                if (lane == p % LANES && p != q && begin + p < n && begin + q < n) {
                    meet_apart(p, &own, own.position[q], place_index[begin + p], place_index[begin + q],
                               cutoff2 PAIR_ARGUMENTS);
                }
            }
        }
        /* where columns are alike, their types are those of the first one */
        const int unlike_only = cluster_flags[1] ? ~0 : 0;
        const uint terms = !WITH_TYPES ? 0u : unlike_only ? ~0u : find_terms(&own, bare_types);
        /* columns of whom some are excluded */
        const int apart = lane == LANES - 1 ? apart_length[column] : 0;
        for (int k = 0; k < apart; k++) {
            const int4 quad = columns_apart[(rows * (apart_capacity / 4) + k / 4) * 32 + column % 32];
            const int entry = k % 4 == 0 ? quad.x : k % 4 == 1 ? quad.y : k % 4 == 2 ? quad.z : quad.w;
            for (int q = 0; q < PARTICLES; q++) {
                const int place = entry_place(entry) * PARTICLES + q;
                real4 other = place_now[place];
#if PERIODIC
                other = in_image(other, entry, shifts);
#endif
                for (int p = 0; p < PARTICLES; p++) {
                    if (begin + p < n && place < n) {
                        meet_apart(p, &own, other, place_index[begin + p], place_index[place], cutoff2 PAIR_ARGUMENTS);
                    }
                }
            }
        }
        /* and all others */
        const int count = (column_length[column] + 3) / 4;
        GLOBAL const int4 *quads = columns + rows * (list_capacity / 4) * 32 + column % 32;
        if (WITH_TYPES && terms == FIRST_ALONE && !unlike_only) {
            walk_quads(&own, quads, lane, count, FIRST_ALONE, 0, place_now, type_of_place, shifts, cutoff2 PAIR_ARGUMENTS);
        } else {
            walk_quads(&own, quads, lane, count, terms, unlike_only, place_now, type_of_place, shifts, cutoff2 PAIR_ARGUMENTS);
        }
    }
    for (int p = 0; p < PARTICLES; p++) {
#if LANES > 1
        SYNC_THREADS;
        sum_over_lanes(of_lane, LANES, GROUP_COLUMNS, lane == 0, &own.x[p], &own.y[p], &own.z[p]);
#endif
        if (lane == 0 && begin + p < n) {
            force[place_index[begin + p]] = make_accum4(own.x[p], own.y[p], own.z[p], 0);
        }
    }
    STORE_SUMS(partial_sums, &own.sums, 0.5);
}
