/*
 * cell_pairs_two_pass — pairs of neighbouring cells through local memory, first those that share no cell
 *
 * The pairs of neighbouring cells are listed in two parts. No cell is in two of the disjoint pairs (0-1, 2-3, ...) and
 * each is in one, or alone where no partner was left. So the first pass, which takes each disjoint pair and the insides
 * of its two cells as one small box, owns the particles that it computes: it writes their forces, and needs neither
 * atomics nor an array that starts as zero. The second pass takes the pairs that remain, and adds what it gathered for
 * each particle atomically, once a pair of cells.
 *
 * The work-items of a group are divided among PAIRS_PER_GROUP pairs of cells. Those of one pair stage its particles
 * in local memory, as many at a time as there are work-items, and each follows one particle, of either cell, through
 * what is staged; crowded cells take several rounds of both. Every pair of particles is computed from both sides, which
 * costs the arithmetic twice and saves the atomics inside the loop. A cell holds a dozen particles, so a group with one
 * pair leaves most of its work-items idle; with several, the fullest pair decides how long the group takes. Barriers
 * are met by whole groups: the rounds are those of the fullest pair.
 *
 * @workload  forces
 * @structure cell_table
 * @boxes     open periodic triclinic
 * @pass      disjoint_cell_pairs  group per disjoint_pair / PAIRS_PER_GROUP
 * @pass      remaining_cell_pairs group per remaining_pair / PAIRS_PER_GROUP
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @tunable   PAIRS_PER_GROUP 1 2 4* 8 16
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @source    the kernels cell_list2a and cell_list2b, and the handling of several pairs a block, of an article that
 *            ports a molecular dynamics code to CUDA; each entry of the table once and the two-sided sums are our own
 */
#if GROUP_SIZE % PAIRS_PER_GROUP
#error "PAIRS_PER_GROUP must divide GROUP_SIZE"
#endif
#define ITEMS (GROUP_SIZE / PAIRS_PER_GROUP) /* of a pair of cells */

/* Two cells taken together: the particles of the first, then those of the second, which are seen shifted. */
typedef struct {
    int first_row, second_row;     /* where their rows begin in the table */
    int first_count, second_count; /* of particles */
    real4 shift;                   /* of the second */
} cell_union;

/* The pair of this work-item; beyond the end of the list one without particles. */
DEVICE cell_union take_pair(GLOBAL const int4 *RESTRICT pairs, int pair_count, GLOBAL const int *RESTRICT cell_count,
                            int cell_capacity, box_args box)
{
    const int index = GROUP_ID * PAIRS_PER_GROUP + LOCAL_ID / ITEMS;
    const int4 pair = index < pair_count ? pairs[index] : make_int4(0, -1, 13, 0);
    cell_union cells;
    cells.first_row = pair.x * cell_capacity;
    cells.second_row = pair.y * cell_capacity;
    cells.first_count = index < pair_count ? cell_count[pair.x] : 0;
    cells.second_count = index < pair_count && pair.y >= 0 ? cell_count[pair.y] : 0;
    cells.shift = shift_of_image(pair.z, box);
    return cells;
}

/* The input index of the k-th particle of both cells. */
DEVICE int union_index(const cell_union *cells, int k, GLOBAL const int *RESTRICT cell_particles)
{
    return cell_particles[k < cells->first_count ? cells->first_row + k
                                                 : cells->second_row + (k - cells->first_count)];
}

/* Its position, as the first cell sees it. */
DEVICE real4 union_position(const cell_union *cells, int k, int index, GLOBAL const real4 *RESTRICT position)
{
    real4 place = position[index];
    if (k >= cells->first_count) {
        place.x += cells->shift.x;
        place.y += cells->shift.y;
        place.z += cells->shift.z;
    }
    return place;
}

/* The greatest number of particles that a pair of this group has. Every work-item calls it. */
DEVICE int largest_union(LOCAL_ARG int *scratch, int own)
{
    int most = 0;
    if (LOCAL_ID % ITEMS == 0) {
        scratch[LOCAL_ID / ITEMS] = own;
    }
    SYNC_THREADS;
    for (int p = 0; p < PAIRS_PER_GROUP; p++) {
        most = scratch[p] > most ? scratch[p] : most;
    }
    return most;
}

/* Particle k against those of [begin, end) that are staged, the first of which is number `staged`. */
DEVICE void walk_staged(int k, int index, real4 own, int begin, int end, int staged, LOCAL_ARG const real4 *tile,
                        LOCAL_ARG const int *tile_index, real cutoff2, accum *gathered, pair_sums *sums PAIR_PARAMETERS)
{
    const int first = begin > staged ? begin - staged : 0;
    const int stop = end - staged < ITEMS ? end - staged : ITEMS;
    accum fx = 0;
    accum fy = 0;
    accum fz = 0;
    for (int t = first; t < stop; t++) {
        const real4 other = tile[t];
        const real dx = own.x - other.x;
        const real dy = own.y - other.y;
        const real dz = own.z - other.z;
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        COUNT_DISTANCE(sums);
        if (IN_CUTOFF(r2, cutoff2) && staged + t != k) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(r2, own, other, index, tile_index[t], &energy);
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
            add_to_sums(sums, energy, f, dx, dy, dz);
        }
    }
    gathered[0] += fx;
    gathered[1] += fy;
    gathered[2] += fz;
}

/* Every particle of both cells against its partners: all others where the insides of the cells are wanted, too, and the
 * forces are written; else those of the other cell, and the forces are added. Every work-item of the group calls it. */
DEVICE void walk_union(const cell_union *cells, int with_insides, GLOBAL const real4 *RESTRICT position,
                       GLOBAL const int *RESTRICT cell_particles, LOCAL_ARG real4 *tile, LOCAL_ARG int *tile_index,
                       LOCAL_ARG int *counts, real cutoff2, GLOBAL accum *RESTRICT force,
                       pair_sums *sums PAIR_PARAMETERS)
{
    const int item = LOCAL_ID % ITEMS;
    const int tile_start = LOCAL_ID - item; /* each pair has its part of the tile */
    const int count = cells->first_count + cells->second_count;
    const int most = largest_union(counts, count);
    for (int round = 0; round < most; round += ITEMS) {
        const int k = round + item;
        const int in_second = k >= cells->first_count;
        const int begin = with_insides || in_second ? 0 : cells->first_count;
        const int end = k >= count ? 0 : with_insides || !in_second ? count : cells->first_count;
        const int index = k < count ? union_index(cells, k, cell_particles) : 0;
        const real4 own = union_position(cells, k, index, position);
        accum gathered[3] = { 0, 0, 0 };
        for (int staged = 0; staged < most; staged += ITEMS) {
            SYNC_THREADS;
            if (staged + item < count) {
                const int j = union_index(cells, staged + item, cell_particles);
                tile[LOCAL_ID] = union_position(cells, staged + item, j, position);
                tile_index[LOCAL_ID] = j;
            }
            SYNC_THREADS;
            walk_staged(k, index, own, begin, end, staged, tile + tile_start, tile_index + tile_start, cutoff2,
                        gathered, sums PAIR_ARGUMENTS);
        }
        for (int d = 0; d < 3 && k < count; d++) {
            if (with_insides) {
                force[4 * index + d] = gathered[d];
            } else if (gathered[d] != 0) {
                ATOMIC_ADD(&force[4 * index + d], gathered[d]);
            }
        }
    }
}

KERNEL void disjoint_cell_pairs(GLOBAL const real4 *RESTRICT position, GLOBAL const int4 *RESTRICT disjoint_pairs,
                                int disjoint_pair_count, GLOBAL const int *RESTRICT cell_count, int cell_capacity,
                                GLOBAL const int *RESTRICT cell_particles, box_args box, real cutoff2,
                                GLOBAL accum *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    LOCAL int tile_index[GROUP_SIZE];
    LOCAL int counts[PAIRS_PER_GROUP];
    const cell_union cells = take_pair(disjoint_pairs, disjoint_pair_count, cell_count, cell_capacity, box);
    pair_sums sums;
    clear_sums(&sums);
    walk_union(&cells, 1, position, cell_particles, tile, tile_index, counts, cutoff2, force, &sums PAIR_ARGUMENTS);
    STORE_SUMS(partial_sums, &sums, 0.5);
}

KERNEL void remaining_cell_pairs(GLOBAL const real4 *RESTRICT position, GLOBAL const int4 *RESTRICT remaining_pairs,
                                 int remaining_pair_count, GLOBAL const int *RESTRICT cell_count, int cell_capacity,
                                 GLOBAL const int *RESTRICT cell_particles, box_args box, real cutoff2,
                                 GLOBAL accum *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL real4 tile[GROUP_SIZE];
    LOCAL int tile_index[GROUP_SIZE];
    LOCAL int counts[PAIRS_PER_GROUP];
    const cell_union cells = take_pair(remaining_pairs, remaining_pair_count, cell_count, cell_capacity, box);
    pair_sums sums;
    clear_sums(&sums);
    walk_union(&cells, 0, position, cell_particles, tile, tile_index, counts, cutoff2, force, &sums PAIR_ARGUMENTS);
    STORE_SUMS(partial_sums, &sums, 0.5);
}
