/*
 * list_int32 — list_walk over places that are whole numbers, whose overflow is the periodic image
 *
 * A first pass writes each particle's place along the vectors of the cell in units of 2^-32 of an edge (2^-64 where
 * computing in double). The difference of two such places, taken as a number with a sign, lies within half an edge: it is
 * the nearest image, with no comparison and no rounding, in a triclinic cell as in a cuboid, since an image within half of
 * the cell's least height is within half an edge along each vector. Turned into lengths, it costs three conversions and
 * three products (six more sums in a triclinic cell) where list_walk looks for the image by twelve operations (twenty).
 * Conversions run at a quarter of the rate of sums on NVIDIA's chips, so that little is left of it: on an H200
 * both take 0.97 ms, in a triclinic cell 1.00 where list_walk takes 1.28 (docs/lists.md).
 *
 * In an open box there is nothing that could overflow: list_walk looks for no image there.
 *
 * @workload  forces
 * @structure pair_list
 * @boxes     periodic triclinic
 * @pass      count_in_units item per particle
 * @pass      list_int32 item per particle
 * @scratch   place long64 particle * 4
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    whole numbers for periodic places: D. C. Rapaport, The Art of Molecular Dynamics Simulation, Cambridge (2004)
 */
#if REAL_IS_DOUBLE
typedef unsigned long whole; /* 64 bits in both dialects */
typedef long64 signed_whole;
typedef struct {
    whole x, y, z, w;
} whole_place;
#define UNITS_PER_EDGE REAL(18446744073709551616.0)
#else
typedef uint whole;
typedef int signed_whole;
typedef uint4 whole_place;
#define UNITS_PER_EDGE REAL(4294967296.0)
#endif

/* A place along an edge, as a share of it, in units. The share is taken to one from -1/2 to 1/2, of which half is counted and
 * doubled: no conversion goes beyond its range. */
DEVICE whole in_units(real share)
{
    const real least = share - ROUND_NEAREST(share);
    return (whole)(long64)(least * (UNITS_PER_EDGE * REAL(0.5))) << 1;
}

KERNEL void count_in_units(int n, GLOBAL const real4 *RESTRICT position, box_args box, GLOBAL long64 *RESTRICT place)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 along = straighten(position[i], box);
        whole_place own;
        own.x = in_units(along.x * box.inverse_edge.x);
        own.y = in_units(along.y * box.inverse_edge.y);
        own.z = in_units(along.z * box.inverse_edge.z);
        own.w = 0;
        ((GLOBAL whole_place *)place)[i] = own;
    }
}

/* The displacement a - b to the nearest image, and its square in w. `unit`: the edges in units. */
DEVICE real4 whole_displacement(whole_place a, whole_place b, real4 unit, box_args box)
{
    real dx = (real)(signed_whole)(a.x - b.x) * unit.x;
    real dy = (real)(signed_whole)(a.y - b.y) * unit.y;
    const real dz = (real)(signed_whole)(a.z - b.z) * unit.z;
#if TRICLINIC
    dx = FMA(dy * box.inverse_edge.y, box.tilt.x, FMA(dz * box.inverse_edge.z, box.tilt.y, dx));
    dy = FMA(dz * box.inverse_edge.z, box.tilt.z, dy);
#endif
    return make_real4(dx, dy, dz, FMA(dx, dx, FMA(dy, dy, dz * dz)));
}

KERNEL void list_int32(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const long64 *RESTRICT place,
                       GLOBAL const int *RESTRICT neighbour_count, GLOBAL const int *RESTRICT neighbours,
                       int list_capacity, box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force,
                       int force_plane, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    GLOBAL const whole_place *places = (GLOBAL const whole_place *)place;
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real per_unit = 1 / UNITS_PER_EDGE;
        const real4 unit =
            make_real4(box.edge.x * per_unit, box.edge.y * per_unit, box.edge.z * per_unit, 0);
        const whole_place own_place = places[i];
        const real4 own = position[i];
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        own_force sum;
        clear_force(&sum);
        for (int k = 0; k < count; k++) {
            const int j = row[k];
            const real4 d = whole_displacement(own_place, places[j], unit, box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                add_to_force(&sum, f * d.x, f * d.y, f * d.z);
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
