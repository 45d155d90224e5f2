/*
 * rdf_cells — one particle per work-item, against the later half of the cells within reach; a histogram per group in local memory
 *
 * Rows of cells above a particle's own, and behind it in the own one: of a pair one particle sees the other there, in whatever image. Cells
 * are narrow, so that more than half of those met are within the cutoff. As rdf_local adds them up.
 *
 * @workload  rdf
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      rdf_cells_begin item per bin
 * @pass      rdf_cells item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   CELLS_PER_CUTOFF 1 2 3* 4
 * @tunable   FINER_X 1 2 4*
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void rdf_cells_begin(GLOBAL long64 *RESTRICT histogram)
{
    RDF_CLEAR(histogram)
}

/* Adds the pairs of a particle with sorted particles `begin` to `stop`, from where it is seen at `seen`. */
#define MEET_RUN(seen, begin, stop)                                                                        \
    do {                                                                                                   \
        const int run_stop = (stop);                                                                       \
        NOT_UNROLLED                                                                                       \
        for (int j = (begin); j < run_stop; j++) {                                                         \
            const real4 other = sorted_position[j];                                                        \
            const real dx = (seen).x - other.x;                                                            \
            const real dy = (seen).y - other.y;                                                            \
            const real dz = (seen).z - other.z;                                                            \
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));                                             \
            if (IN_CUTOFF(r2, cutoff2)) {                                                                  \
                RDF_ADD_PAIR(r2, RDF_TYPE_OF(elements, sorted_index[k]), RDF_TYPE_OF(elements, sorted_index[j])); \
            }                                                                                              \
        }                                                                                                  \
    } while (0)

KERNEL void rdf_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                      real search_radius2, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                      GLOBAL const int *RESTRICT elements, box_args box, real cutoff2,
                      GLOBAL long64 *RESTRICT histogram)
{
    RDF_LOCAL
    RDF_FIND_LOCAL(n)
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID;
    rdf_local_clear(rdf_local);
    if (k < n) {
        const real4 own = sorted_position[k];
        const rows_in_reach near = rows_near(grid, own);
        NOT_UNROLLED
        for (int z = near.home.z; z <= near.last_z; z++) {
            NOT_UNROLLED
            for (int y = z == near.home.z ? near.home.y : near.first_y; y <= near.last_y; y++) {
                const row_part part = part_of_row(grid, near, own, y, z);
                if (part.first <= part.last) {
                    const int is_own = z == near.home.z && y == near.home.y;
                    const particle_run run = run_inside(grid, cell_start, part);
                    MEET_RUN(part.seen, is_own ? k + 1 : run.begin, run.stop);
                    for (int image = is_own ? 1 : -1; PERIODIC && reaches_out(grid, part) && image <= 1; image += 2) {
                        const particle_run away = run_in_image(grid, cell_start, part, image);
                        const real4 seen = seen_in_image(grid, part, image);
                        MEET_RUN(seen, away.begin, away.stop);
                    }
                }
            }
        }
    }
    rdf_local_end(rdf_local, histogram);
}
