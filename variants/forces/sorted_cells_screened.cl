/*
 * sorted_cells_screened — sorted cells, of whose particles three bytes rule most out before a distance is computed
 *
 * As sorted_cells, a particle a work-item (or LANES of them) against the rows of cells around it, but every partner
 * is first screened by its place, four bytes instead of sixteen and three integer instructions instead of a distance
 * (variants/screen.cl). What may be within the cutoff is kept as bits, 32 partners a word, together with where the
 * word begins and the image that its row is seen in; every ROWS rows, or when WORDS words are full, their pairs are
 * computed. Lanes of a warp then take one pair after the other, each its own, where sorted_cells has all of them wait
 * for any that found one; the more rows together, the less the lanes differ in what they have to do. Words that fill
 * up earlier in one lane than in another cost more than they save: @holds says how many are enough for nearly all
 * particles of a box without gaps, as counted for fluid at cutoffs of 1.2 to 4.5, LANES 1 to 4 and ROWS 3 and 9, and for
 * water at 9, but no more than fit into 48 KiB. Each pair is met from both sides; no atomics.
 *
 * The distances that `pairs_evaluated` counts are those left by the screen.
 *
 * @workload  forces
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      sorted_cells_screened item per particle * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 1 2* 4 8
 * @tunable   ROWS 3 9*
 * @tunable   WORDS 8 20* 32
 * @holds     WORDS min((10.5 + 0.5 * density * cutoff * cutoff * cutoff / LANES) * (ROWS + 3) / 12, 5000 / GROUP_SIZE)
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    our own; what it is near to stands in variants/screen.cl
 */
/* Partners to be looked at: words of bits and where they begin, a column of local memory each work-item. */
typedef struct {
    int count;
    LOCAL_ARG uint *bits;
    LOCAL_ARG int *begin;
    LOCAL_ARG unsigned char *image; /* (x + 1) + 3 (y + 1) + 9 (z + 1) */
} close_words;

/* What a work-item's particle has come to. */
typedef struct {
    accum x, y, z;
    pair_sums sums;
} pair_results;

/* Screens every LANES_PER_PARTICLE-th of a run's places, `count` of them, up to 32; eight at a time, those beyond being read
 * but not taken. The first is the highest bit. */
DEVICE uint screen_run(int place, GLOBAL const int *RESTRICT others, int count, int limit)
{
    uint bits = 0;
    int t = 0;
    for (; t < count; t += 8) {
        for (int u = 0; u < 8; u++) {
            bits = SCREEN_BIT(bits, place, others[(t + u) * LANES_PER_PARTICLE], limit);
        }
    }
    return bits << (32 - t) & 0xffffffffu << (32 - count);
}

/* Computes the pairs of all words. */
DEVICE void meet_close(close_words words, int k, real4 own, GLOBAL const real4 *RESTRICT sorted_position,
                       GLOBAL const int *RESTRICT sorted_index, box_args box, real cutoff2,
                       pair_results *results PAIR_PARAMETERS)
{
    const int home = 13; /* the image that most partners are seen in */
    int image = home;
    int begin = 0;
    uint bits = 0;
    real4 seen = own;
    for (int at = 0;;) {
        if (bits == 0) {
            if (at >= words.count * GROUP_SIZE) {
                break;
            }
            bits = words.bits[at];
            begin = words.begin[at];
            if (words.image[at] != image) {
                image = words.image[at];
                const real4 shift = shift_of_image(image, box);
                seen.x = own.x - shift.x;
                seen.y = own.y - shift.y;
                seen.z = own.z - shift.z;
            }
            at += GROUP_SIZE;
        }
        const int bit = LEADING_ZEROS(bits);
        const int j = begin + bit * LANES_PER_PARTICLE;
        const real4 other = sorted_position[j];
        const real dx = seen.x - other.x;
        const real dy = seen.y - other.y;
        const real dz = seen.z - other.z;
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        bits ^= 0x80000000u >> bit;
        COUNT_DISTANCE(&results->sums);
        if (IN_CUTOFF(r2, cutoff2) && j != k) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
            results->x += f * dx;
            results->y += f * dy;
            results->z += f * dz;
            add_to_sums(&results->sums, energy, f, dx, dy, dz);
        }
    }
}

KERNEL void sorted_cells_screened(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width,
                                  real4 cell_origin, real search_radius2, real4 screen_scale,
                                  GLOBAL const int *RESTRICT cell_start, GLOBAL const real4 *RESTRICT sorted_position,
                                  GLOBAL const int *RESTRICT sorted_index, GLOBAL const int *RESTRICT sorted_place,
                                  box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                                  GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL uint word_bits[WORDS * GROUP_SIZE];
    LOCAL int word_begin[WORDS * GROUP_SIZE];
    LOCAL unsigned char word_image[WORDS * GROUP_SIZE];
#if LANES > 1
    LOCAL accum of_lane[3 * GROUP_SIZE];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID / LANES_PER_PARTICLE;
    const int lane = GLOBAL_ID % LANES_PER_PARTICLE;
    close_words words = { 0, word_bits + LOCAL_ID, word_begin + LOCAL_ID, word_image + LOCAL_ID };
    pair_results results;
    results.x = 0;
    results.y = 0;
    results.z = 0;
    clear_sums(&results.sums);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int place = sorted_place[k];
        const int limit = screen_limit(screen_scale, cutoff2);
        const int4 home = grid_cell(grid, own);
        const int rows = rows_around(grid);
        for (int r = 0; r < rows; r++) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                for (int begin = cell_start[row_begin(grid, row, image)] + lane; begin < stop;
                     begin += 32 * LANES_PER_PARTICLE) {
                    const int left = (stop - begin + LANES_PER_PARTICLE - 1) / LANES_PER_PARTICLE;
                    const int count = left < 32 ? left : 32;
                    const uint bits = screen_run(place, sorted_place + begin, count, limit);
                    if (bits != 0) {
                        words.bits[words.count * GROUP_SIZE] = bits;
                        words.begin[words.count * GROUP_SIZE] = begin;
                        words.image[words.count * GROUP_SIZE] = (unsigned char)row_image(row, image);
                        words.count++;
                    }
                    if (words.count == WORDS) {
                        meet_close(words, k, own, sorted_position, sorted_index, box, cutoff2, &results PAIR_ARGUMENTS);
                        words.count = 0;
                    }
                }
            }
            if (r % ROWS == ROWS - 1 || r == rows - 1) {
                meet_close(words, k, own, sorted_position, sorted_index, box, cutoff2, &results PAIR_ARGUMENTS);
                words.count = 0;
            }
        }
    }
#if LANES > 1
    sum_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &results.x, &results.y, &results.z);
#endif
    if (k < n && lane == 0) {
        force[sorted_index[k]] = make_accum4(results.x, results.y, results.z, 0);
    }
    STORE_SUMS(partial_sums, &results.sums, 0.5);
}
