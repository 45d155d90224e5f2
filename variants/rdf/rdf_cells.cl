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

/* Adds the pairs of a particle with those of a run. */
DEVICE void meet_run(int k, real4 own, int first, int stop, GLOBAL const real4 *RESTRICT sorted_position,
                     GLOBAL const int *RESTRICT sorted_index, GLOBAL const int *RESTRICT elements, real cutoff2,
                     LOCAL_ARG int *rdf_local)
{
    for (int j = first; j < stop; j++) {
        const real4 other = sorted_position[j];
        const real dx = own.x - other.x;
        const real dy = own.y - other.y;
        const real dz = own.z - other.z;
        const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
        if (IN_CUTOFF(r2, cutoff2)) {
            rdf_local_add(rdf_local, rdf_number(r2, RDF_TYPE_OF(elements, sorted_index[k]),
                                                RDF_TYPE_OF(elements, sorted_index[j])));
        }
    }
}

KERNEL void rdf_cells(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                      real search_radius2, GLOBAL const int *RESTRICT cell_start,
                      GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                      GLOBAL const int *RESTRICT elements, box_args box, real cutoff2,
                      GLOBAL long64 *RESTRICT histogram)
{
    RDF_LOCAL
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID;
    rdf_local_clear(rdf_local);
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = grid_cell(grid, own);
        for (int z = home.z; z <= home.z + reach.z; z++) {
            for (int y = z == home.z ? home.y : home.y - reach.y; y <= home.y + reach.y; y++) {
                const cell_row row = row_at(grid, own, home, y, z);
                const int is_own = z == home.z && y == home.y;
                for (int image = is_own && row.first_image < 0 ? 0 : row.first_image; image <= row.last_image; image++) {
                    const real4 seen = make_real4(row_x(grid, row, image), row.y, row.z, REAL(0.0));
                    const int first = is_own && image == 0 ? k + 1 : cell_start[row_begin(grid, row, image)];
                    meet_run(k, seen, first, cell_start[row_stop(grid, row, image)], sorted_position, sorted_index, elements,
                             cutoff2, rdf_local);
                }
            }
        }
    }
    rdf_local_end(rdf_local, histogram);
}
