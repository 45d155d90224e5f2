/*
 * list_columns — PARTICLES neighbours in space per work-item, against one list that serves them all
 *
 * The list has an order of particles of its own, in which those of a column, PARTICLES of them, are near to each other:
 * their neighbours are nearly the same, so that one entry and one gathered position serve them all. With one particle per
 * column this is the plain list, transposed: a warp reads four entries of each of its 32 columns at a time, from one run
 * of memory. Two particles halve what is gathered and add a third of distances, which is the better bargain; more add
 * more than they save. The first pass puts the positions of now into the list's order, next to the images that the
 * builder saw them in, so that the walk looks for no images: an entry names the image that the partner is in, and of four
 * entries without one the shifts are left out. Each pair is computed from both sides; no atomics. On an H200, over 2 048 000
 * particles, two per column take 0.27 ms, one 0.31, three 0.32 (docs/lists.md).
 *
 * ORDER: 0 cells, 1 rows that turn at the walls, 2 Morton's curve, 3 Hilbert's. MASKED computes the force of every entry
 * and leaves out what is beyond the cutoff; else lanes wait for those that are within. READ_PAST reads the list past
 * the first cache, which is left to the positions.
 *
 * @workload  forces
 * @structure list_columns
 * @boxes     open periodic triclinic
 * @pass      gather_places item per particle
 * @pass      list_columns item per column
 * @scratch   place_now real4 particle + 1
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   PARTICLES 1 2* 3 4
 * @tunable   ORDER 0 1 2 3*
 * @tunable   MASKED 0 1*
 * @tunable   READ_PAST 0 1*
 * @tunable   CELLS_PER_CUTOFF 1 2*
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    transposed lists: J. A. Anderson, C. D. Lorenz, A. Travesset, J. Comput. Phys. 227, 5342 (2008); columns
 *            of two after lists of clusters, S. Pall, B. Hess, Comput. Phys. Commun. 184, 2641 (2013)
 */
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */

KERNEL void gather_places(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, box_args box,
                          GLOBAL real4 *RESTRICT place_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        place_now[k] = image_next_to(position[place_index[k]], place_position[k], box);
        if (k == n - 1) {
            place_now[n] = make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
        }
    }
}

/* What a work-item's particles have come to. */
typedef struct {
    accum x[PARTICLES], y[PARTICLES], z[PARTICLES];
    pair_sums sums;
} column_results;

/* Adds the force of a partner on one of the column's particles, which are at places i and j. */
DEVICE void meet(int p, real4 own, real4 other, int i, int j, GLOBAL const int *RESTRICT place_index, real cutoff2,
                 column_results *results PAIR_PARAMETERS)
{
    const real dx = own.x - other.x;
    const real dy = own.y - other.y;
    const real dz = own.z - other.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
    COUNT_DISTANCE(&results->sums);
#if MASKED
    pair_energy energy = NO_ENERGY;
    const real any = PAIR_FORCE(r2, own, other, place_index[i], place_index[j], &energy);
    const real f = IN_CUTOFF(r2, cutoff2) ? any : REAL(0.0);
    results->x[p] += f * dx;
    results->y[p] += f * dy;
    results->z[p] += f * dz;
    if (IN_CUTOFF(r2, cutoff2)) {
        add_to_sums(&results->sums, energy, f, dx, dy, dz);
    }
#else
    if (IN_CUTOFF(r2, cutoff2)) {
        pair_energy energy = NO_ENERGY;
        const real f = PAIR_FORCE(r2, own, other, place_index[i], place_index[j], &energy);
        results->x[p] += f * dx;
        results->y[p] += f * dy;
        results->z[p] += f * dz;
        add_to_sums(&results->sums, energy, f, dx, dy, dz);
    }
#endif
}

/* The partner of an entry, where the builder saw it. */
DEVICE real4 in_image(real4 other, int entry, LOCAL_ARG const real4 *shifts)
{
    const real4 shift = shifts[(uint)entry >> ENTRY_PLACE_BITS];
    return make_real4(other.x + shift.x, other.y + shift.y, other.z + shift.z, other.w);
}

#if READ_PAST
#define QUAD(k) READ_ONCE(&quads[(k) * 32])
#else
#define QUAD(k) quads[(k) * 32]
#endif

KERNEL void list_columns(int n, GLOBAL const real4 *RESTRICT place_now, GLOBAL const int *RESTRICT place_index,
                         GLOBAL const int *RESTRICT column_length, GLOBAL const int4 *RESTRICT columns, int list_capacity,
                         box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
#if PERIODIC
    LOCAL real4 shifts[27];
    fill_entry_shifts(shifts, box);
#endif
    const int column = GLOBAL_ID;
    const int begin = column * PARTICLES;
    column_results results;
    clear_sums(&results.sums);
    if (begin < n) {
        real4 own[PARTICLES];
        for (int p = 0; p < PARTICLES; p++) {
            own[p] = begin + p < n ? place_now[begin + p] : make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
            results.x[p] = 0;
            results.y[p] = 0;
            results.z[p] = 0;
        }
        /* the column's particles with each other */
        for (int p = 0; p < PARTICLES; p++) {
            for (int q = 0; q < PARTICLES; q++) {
                if (p != q && begin + p < n && begin + q < n) {
                    meet(p, own[p], own[q], begin + p, begin + q, place_index, cutoff2, &results PAIR_ARGUMENTS);
                }
            }
        }
        /* and with those of the list */
        const int count = (column_length[column] + 3) / 4;
        GLOBAL const int4 *quads = columns + (long64)(column / 32) * (list_capacity / 4) * 32 + column % 32;
        for (int k = 0; k < count; k++) {
            const int4 quad = QUAD(k);
            const int entry[4] = { quad.x, quad.y, quad.z, quad.w };
            real4 other[4];
            for (int u = 0; u < 4; u++) {
                other[u] = place_now[entry_place(entry[u])];
            }
#if PERIODIC
            if ((uint)(quad.x | quad.y | quad.z | quad.w) >> ENTRY_PLACE_BITS) {
                for (int u = 0; u < 4; u++) {
                    other[u] = in_image(other[u], entry[u], shifts);
                }
            }
#endif
            for (int u = 0; u < 4; u++) {
                for (int p = 0; p < PARTICLES; p++) {
                    meet(p, own[p], other[u], begin + p, entry_place(entry[u]), place_index, cutoff2,
                         &results PAIR_ARGUMENTS);
                }
            }
        }
        for (int p = 0; p < PARTICLES; p++) {
            if (begin + p < n) {
                force[place_index[begin + p]] = make_accum4(results.x[p], results.y[p], results.z[p], 0);
            }
        }
    }
    STORE_SUMS(partial_sums, &results.sums, 0.5);
}
