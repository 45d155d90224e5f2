/*
 * list_bits — per sorted particle the bits of a screen of the cells around it, those that are set somewhere
 *
 * One sorted particle per work-item, down the rows of cells around it. A word is 32 bits, one per candidate, of which the
 * highest is a partner: who follows it among the sorted particles, up to the 32nd, stands in the bits behind, and the next
 * partner beyond these, or in another image, begins the next word. So there are no empty words, and one may reach from a
 * row into the one behind it in memory. With the bits goes an entry (list_entries.cl) of the first candidate and its image.
 * Words lie transposed in groups of 32 particles: number w of particle k is at ((k / 32) * capacity + w) * 32 + k % 32. What
 * does not fit is counted and not written, and `overflow` says so.
 */

/* Words that are written: the one that is being filled is held. */
typedef struct {
    GLOBAL uint2 *words; /* of the particle, each 32 behind the last */
    int count, capacity;
    int first, image; /* of the word that is held */
    uint bits;        /* none: no word is held */
} bit_list;

DEVICE void end_word(bit_list *list)
{
    if (list->bits != 0) {
        if (list->count < list->capacity) {
            list->words[list->count * 32] = make_uint2((uint)list_entry(list->first, list->image), list->bits);
        }
        list->count++;
        list->bits = 0;
    }
}

DEVICE void add_partner(bit_list *list, int j, int image)
{
    if (list->bits == 0 || image != list->image || j < list->first || j - list->first >= 32) {
        end_word(list);
        list->first = j;
        list->image = image;
    }
    list->bits |= 0x80000000u >> (j - list->first);
}

KERNEL void fill_words(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width, real4 cell_origin,
                       real search_radius2, GLOBAL const int *RESTRICT cell_start,
                       GLOBAL const real4 *RESTRICT sorted_position, box_args box, int list_capacity,
                       GLOBAL int *RESTRICT word_count, GLOBAL uint2 *RESTRICT words, GLOBAL int *RESTRICT overflow)
{
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID;
    if (k < n) {
        const real4 own = sorted_position[k];
        const int4 home = grid_cell(grid, own);
        const int rows = rows_around(grid);
        bit_list list;
        list.words = words + (long64)(k / 32) * list_capacity * 32 + k % 32;
        list.count = 0;
        list.capacity = list_capacity;
        list.first = 0;
        list.image = HOME_IMAGE;
        list.bits = 0;
        for (int r = 0; r < rows; r++) {
            const cell_row row = row_around(grid, own, home, r);
            for (int image = row.first_image; image <= row.last_image; image++) {
                const int stop = cell_start[row_stop(grid, row, image)];
                const real own_x = row_x(grid, row, image);
                const int seen_in = row_image(row, image);
                for (int j = cell_start[row_begin(grid, row, image)]; j < stop; j++) {
                    const real4 other = sorted_position[j];
                    const real dx = own_x - other.x;
                    const real dy = row.y - other.y;
                    const real dz = row.z - other.z;
                    if (FMA(dx, dx, FMA(dy, dy, dz * dz)) <= search_radius2 && j != k) {
                        add_partner(&list, j, seen_in);
                    }
                }
            }
        }
        end_word(&list);
        word_count[k] = list.count;
        if (list.count > list_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
