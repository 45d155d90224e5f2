/*
 * sorted_cells — one particle a work-item or several, against the cells within reach, particles in the order of cells
 *
 * Work-items next to each other hold one particle, or particles of one cell or of neighbouring ones, so they read the
 * same partners at nearly the same time and the cache serves them. Cells along x follow each other in memory: for every
 * row of cells the partners are one run, or two where the row passes the end of a periodic box, and the shift of the
 * image is one number a run, so that no pair pays for it. LANES work-items of a particle take every LANES-th of a run and
 * add up what they found through local memory: more fill the device where particles are few, one wastes nothing where
 * they are many. Before a row is walked, its distance in y and z says whether it can matter and how far in x it needs
 * to be walked; cells narrower than the cutoff make that cut sharper, at the price of shorter runs. Every pair is
 * computed from both sides; no atomics.
 *
 * @workload  forces coordination
 * @name      coordination_cells for coordination
 * @groups    one for coordination
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      sorted_cells item per particle * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 1 2* 4 8
 * @tunable   LANES 1 2 4* 8 16 for coordination
 * @tunable   CELLS_PER_CUTOFF 1 2 3
 * @tunable   FINER_X 1 2 4* 8
 * @tunable   FINER_Y 1* 2
 * @tunable   AT_ONCE 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    cells sorted by a counting sort: S. Green, Particle Simulation using CUDA, NVIDIA (2010); the cut of
 *            the rows and the lanes are our own
 */

/* A particle of a work-item, and what it has come to. */
typedef struct {
    int k, lane;
    real4 own;
    own_force sum;
    pair_sums sums;
} cell_walker;

/* Adds the force of sorted particle j, if it counts; the walker's own is seen from there at `seen`. */
DEVICE void meet(cell_walker *walker, real4 seen, real4 other, int j, int counts, GLOBAL const int *RESTRICT sorted_index,
                 real cutoff2 PAIR_PARAMETERS)
{
    const real dx = seen.x - other.x;
    const real dy = seen.y - other.y;
    const real dz = seen.z - other.z;
    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
    if (counts) {
        COUNT_DISTANCE(&walker->sums);
    }
    pair_energy energy = NO_ENERGY;
    const real f = PAIR_FORCE(r2, walker->own, other, sorted_index[walker->k], sorted_index[j], &energy);
    if (IN_CUTOFF(r2, cutoff2) && j != walker->k && counts) {
        add_to_force(&walker->sum, f * dx, f * dy, f * dz);
        add_to_sums(&walker->sums, energy, f, dx, dy, dz);
    }
}

/* Adds the forces of sorted particles `begin` to `stop`, AT_ONCE of them together; behind the last, one of them stands in. */
DEVICE void meet_run(cell_walker *walker, real4 seen, int begin, int stop, GLOBAL const real4 *RESTRICT sorted_position,
                     GLOBAL const int *RESTRICT sorted_index, real cutoff2 PAIR_PARAMETERS)
{
    NOT_UNROLLED
    for (int j = begin + walker->lane; j < stop; j += AT_ONCE * LANES_PER_PARTICLE) {
        real4 others[AT_ONCE];
        for (int u = 0; u < AT_ONCE; u++) {
            const int at = j + u * LANES_PER_PARTICLE;
            others[u] = sorted_position[at < stop ? at : j];
        }
        for (int u = 0; u < AT_ONCE; u++) {
            const int at = j + u * LANES_PER_PARTICLE;
            meet(walker, seen, others[u], at < stop ? at : j, u == 0 || at < stop, sorted_index, cutoff2 PAIR_ARGUMENTS);
        }
    }
}

/* Without that, CUDA's compiler would rather work things out anew than take more than 32 registers. */
#if !REAL_IS_DOUBLE && GROUP_SIZE == 128
#undef GROUPS_KEPT
#define GROUPS_KEPT , 8
#endif
KERNEL void sorted_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                         real search_radius2, GLOBAL const int *RESTRICT cell_start,
                         GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                         box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                         GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
#if LANES > 1
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    cell_walker walker;
    walker.k = GLOBAL_ID / LANES_PER_PARTICLE;
    walker.lane = GLOBAL_ID % LANES_PER_PARTICLE;
    clear_force(&walker.sum);
    clear_sums(&walker.sums);
    if (walker.k < n) {
        walker.own = sorted_position[walker.k];
        const rows_in_reach near = rows_near(grid, walker.own);
        NOT_UNROLLED
        for (int z = near.first_z; z <= near.last_z; z++) {
            NOT_UNROLLED
            for (int y = near.first_y; y <= near.last_y; y++) {
                const row_part part = part_of_row(grid, near, walker.own, y, z);
                if (part.first <= part.last) {
                    const particle_run run = run_inside(grid, cell_start, part);
                    meet_run(&walker, part.seen, run.begin, run.stop, sorted_position, sorted_index, cutoff2 PAIR_ARGUMENTS);
                    for (int image = -1; PERIODIC && reaches_out(grid, part) && image <= 1; image += 2) {
                        const particle_run away = run_in_image(grid, cell_start, part, image);
                        meet_run(&walker, seen_in_image(grid, part, image), away.begin, away.stop, sorted_position, sorted_index,
                                 cutoff2 PAIR_ARGUMENTS);
                    }
                }
            }
        }
    }
#if LANES > 1
    own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, walker.lane == 0, &walker.sum);
#endif
    if (walker.k < n && walker.lane == 0) {
        store_own_force(force, force_plane, sorted_index[walker.k], &walker.sum);
    }
    STORE_SUMS(partial_sums, &walker.sums, 0.5);
}
#undef GROUPS_KEPT
#define GROUPS_KEPT
