/*
 * list_clusters — lists as those of list_columns.cl, with excluded partners apart, of clusters that are put in order
 *
 * The particles of a column are put in the order of their charges, so that of columns with the same kinds of particles, such
 * as molecules of water, the first of each are of one kind. Whoever is excluded from a pair with a particle of the column
 * stands in a second list, of the same form: no pair of the first list is excluded.
 *
 * Partners whose type has no van der Waals term at all, such as the hydrogens of water, stand behind all others (TYPE_RUNS). So
 * the lists of a warp come to them at about the same time, and work-items do not wait for one whose partner has the term.
 */

/* Puts the particles of each column in the order of their charges; places, positions and indices follow. */
KERNEL void sort_columns(int n, GLOBAL int *RESTRICT sorted_place, GLOBAL const real4 *RESTRICT sorted_position,
                         GLOBAL const int *RESTRICT sorted_index, GLOBAL int *RESTRICT place_index,
                         GLOBAL real4 *RESTRICT place_position, GLOBAL int *RESTRICT place_of_sorted)
{
    const int begin = GLOBAL_ID * PARTICLES;
    if (begin < n) {
        int from[PARTICLES];
        for (int p = 0; p < PARTICLES; p++) {
            from[p] = begin + p < n ? sorted_place[begin + p] : -1;
        }
        for (int p = 1; p < PARTICLES; p++) {
            for (int q = p; q > 0; q--) {
                const int one = from[q - 1];
                const int other = from[q];
                if (other >= 0 && sorted_position[other].w < sorted_position[one].w) {
                    from[q - 1] = other;
                    from[q] = one;
                }
            }
        }
        for (int p = 0; p < PARTICLES; p++) {
            if (from[p] >= 0) {
                sorted_place[begin + p] = from[p];
                place_index[begin + p] = sorted_index[from[p]];
                place_position[begin + p] = sorted_position[from[p]];
                place_of_sorted[from[p]] = begin + p;
            }
        }
    }
}

#define BY_LISTS 1
#define BY_MOLECULE 2

/* The input indices and molecules of a column's particles; -1 behind the last. */
typedef struct {
    int index[PARTICLES], molecule[PARTICLES];
} column_names;

/* Whether a partner is excluded from a pair with any particle of the column. */
DEVICE int is_set_apart(int kind, int j, const column_names *own, GLOBAL const int *RESTRICT excluded_start,
                        GLOBAL const int *RESTRICT excluded, GLOBAL const int *RESTRICT molecule)
{
    int apart = 0;
    if (kind == BY_MOLECULE) {
        for (int p = 0; p < PARTICLES; p++) {
            apart = apart || (own->index[p] >= 0 && own->molecule[p] == molecule[j]);
        }
    } else if (kind == BY_LISTS) {
        for (int e = excluded_start[j]; e < excluded_start[j + 1]; e++) {
            for (int p = 0; p < PARTICLES; p++) {
                apart = apart || own->index[p] == excluded[e];
            }
        }
    }
    return apart;
}

KERNEL void fill_clusters(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                          real search_radius2, GLOBAL const int *RESTRICT cell_start,
                          GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT place_of_sorted,
                          GLOBAL const real4 *RESTRICT place_position, GLOBAL const int *RESTRICT place_index,
                          box_args box, int exclusions, GLOBAL const int *RESTRICT excluded_start,
                          GLOBAL const int *RESTRICT excluded, GLOBAL const int *RESTRICT molecule, int list_capacity,
                          int apart_capacity, GLOBAL int *RESTRICT column_length, GLOBAL int4 *RESTRICT columns,
                          GLOBAL int *RESTRICT apart_length, GLOBAL int4 *RESTRICT columns_apart,
                          GLOBAL int *RESTRICT overflow)
{
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int column = GLOBAL_ID;
    const int begin = column * PARTICLES;
    if (begin < n) {
        real4 own[PARTICLES];
        column_names names;
        cell_block block;
        block.low = grid_cell(grid, place_position[begin]);
        block.high = block.low;
        for (int p = 0; p < PARTICLES; p++) {
            const int place = begin + p < n ? begin + p : n - 1;
            own[p] = place_position[place];
            names.index[p] = begin + p < n ? place_index[place] : -1;
            names.molecule[p] = exclusions == BY_MOLECULE ? molecule[place_index[place]] : 0;
            add_cell(&block, grid_cell(grid, own[p]));
        }
        const int4 low = block.low;
        const int4 high = block.high;
        column_list list = begin_list(columns, column, list_capacity);
        column_list apart = begin_list(columns_apart, column, apart_capacity);
        for (int z = low.z - reach.z; z <= high.z + reach.z; z++) {
            const int image_z = image_of_cell(z, cells.z);
            for (int y = low.y - reach.y; y <= high.y + reach.y; y++) {
                const int image_y = image_of_cell(y, cells.y);
                const int row = ((z - image_z * cells.z) * cells.y + y - image_y * cells.y) * cells.x;
                const cell_range range = column_row(grid, own, low, high, y, z);
                const int inside = PERIODIC || (image_y == 0 && image_z == 0);
                for (int image_x = -1; image_x <= 1 && inside && range.first <= range.last; image_x++) {
                    const int first = range.first - image_x * cells.x;
                    const int last = range.last - image_x * cells.x;
                    const int image = (image_x + 1) + 3 * (image_y + 1) + 9 * (image_z + 1);
                    const int matters = last >= 0 && first < cells.x && (PERIODIC || image_x == 0);
                    const int from = matters ? cell_start[row + (first > 0 ? first : 0)] : 0;
                    const int stop = matters ? cell_start[row + (last < cells.x ? last : cells.x - 1) + 1] : 0;
                    const real4 shift = shift_of_image(image, box);
                    for (int j = from; j < stop; j++) {
                        if (is_near_column(own, shift, sorted_position[j], search_radius2)) {
                            const int place = place_of_sorted[j];
                            if (place / PARTICLES == column && image == HOME_IMAGE) {
                                /* the column itself */
                            } else if (exclusions && is_set_apart(exclusions, place_index[place], &names,
                                                                  excluded_start, excluded, molecule)) {
                                add_entry(&apart, list_entry(place, image));
                            } else {
                                add_entry(&list, list_entry(place, image));
                            }
                        }
                    }
                }
            }
        }
        column_length[column] = end_list(&list, n);
        apart_length[column] = end_list(&apart, n);
        if (list.count > list_capacity || apart.count > apart_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}

/* Whether a particle is of a type without terms of types; of those beyond the bits none is known to be. */
DEVICE int is_bare(int bare_types, GLOBAL const int *RESTRICT type, int i)
{
    return type[i] < 31 && (bare_types >> type[i] & 1);
}

/* Where entry k of a column's list is, in ints. */
DEVICE long64 entry_at(int k)
{
    return (long64)(k / 4) * (32 * 4) + k % 4;
}

/* Puts partners of bare types behind all others of a column's list. The others stay in their order. */
KERNEL void put_bare_last(int n, GLOBAL const int *RESTRICT place_index, int bare_types, GLOBAL const int *RESTRICT type,
                          int list_capacity, GLOBAL const int *RESTRICT column_length, GLOBAL int4 *RESTRICT columns)
{
    const int column = GLOBAL_ID;
    if (column * PARTICLES < n) {
        GLOBAL int *entries = (GLOBAL int *)begin_list(columns, column, list_capacity).quads;
        const int count = column_length[column];
        int others = 0; /* so many stand in front */
        for (int k = 0; k < count; k++) {
            const int entry = entries[entry_at(k)];
            if (!is_bare(bare_types, type, place_index[entry_place(entry)])) {
                entries[entry_at(k)] = entries[entry_at(others)];
                entries[entry_at(others)] = entry;
                others++;
            }
        }
    }
}
