/*
 * neighbours_loop — a work-item per particle tries all others in all images that the cutoff can reach
 *
 * @workload  neighbours
 * @structure none
 * @pass      begin_list item per box
 * @pass      list_or_count item per particle
 * @pass      begin_rows item per box
 * @pass      fill_rows item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @boxes     open periodic triclinic
 *
 * The plainest way: `images` says how many images away along each vector a partner may be. A matrix is written at once; of COO a
 * particle counts first, and then reserves as many entries; of CSR rows are counted, added up by one work-item and filled. In a
 * batch the others are those of the particle's box.
 */

/* Counts, and with `at` >= 0 writes, the entries of particle i: from entry `at` on, before `end`. */
DEVICE int list_particle(int i, int particles_per_box, long64 at, long64 end, GLOBAL const real4 *RESTRICT position, box_args box, int4 images,
                         real cutoff2, ENTRY_PARAMETERS PAIR_PARAMETERS)
{
    const real4 own = position[i];
    const int first = i / particles_per_box * particles_per_box;
    int count = 0;
    for (int z = -images.z; z <= images.z; z++) {
        for (int y = -images.y; y <= images.y; y++) {
            for (int x = -images.x; x <= images.x; x++) {
                const real4 shift = box_shift(x, y, z, box);
                for (int j = LIST_HALF ? i : first; j < first + particles_per_box; j++) {
                    const real4 r = vector_to(own, position[j], shift);
                    if (PAIR_WITHIN(r.w, i, j, cutoff2) && is_listed(i, j, x, y, z) && !PAIR_IS_LEFT_OUT(i, j)) {
                        if (at >= 0 && at + count < end) {
                            store_neighbour(at + count, j, x, y, z, r, ENTRY_ARGUMENTS);
                        }
                        count++;
                    }
                }
            }
        }
    }
    return count;
}

KERNEL void begin_list(GLOBAL int *RESTRICT pair_count)
{
    if (GLOBAL_ID == 0) {
        pair_count[0] = 0;
    }
}

KERNEL void list_or_count(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2,
                          int neighbour_capacity, GLOBAL int *RESTRICT neighbour_count, GLOBAL int *RESTRICT pair_count,
                          GLOBAL int *RESTRICT pair_first, GLOBAL int *RESTRICT neighbours,
                          GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                          GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID;
    if (i >= n) {
        return;
    }
#if LIST_FORM == LIST_MATRIX
    const long64 row = (long64)i * neighbour_capacity;
    const int count = list_particle(i, particles_per_box, row, row + neighbour_capacity, position, box, images, cutoff2,
                                    ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    neighbour_count[i] = count;
    for (int k = count; k < neighbour_capacity; k++) {
        neighbours[row + k] = -1;
    }
#else
    const int count =
        list_particle(i, particles_per_box, -1, 0, position, box, images, cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
#if LIST_FORM == LIST_CSR
    neighbour_count[i] = count;
#else
    const int first = ATOMIC_ADD_INT(pair_count, count);
    list_particle(i, particles_per_box, first, neighbour_capacity, position, box, images, cutoff2, ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    for (int e = first; e < first + count && e < neighbour_capacity; e++) {
        pair_first[e] = i;
    }
#endif
#endif
}

KERNEL void begin_rows(int n, GLOBAL const int *RESTRICT neighbour_count, GLOBAL int *RESTRICT row_begin,
                       GLOBAL int *RESTRICT pair_count)
{
#if LIST_FORM == LIST_CSR
    if (GLOBAL_ID == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            row_begin[i] = sum;
            sum += neighbour_count[i];
        }
        row_begin[n] = sum;
        pair_count[0] = sum;
    }
#endif
}

KERNEL void fill_rows(int n, int particles_per_box, GLOBAL const real4 *RESTRICT position, box_args box, int4 images, real cutoff2,
                      int neighbour_capacity, GLOBAL const int *RESTRICT row_begin, GLOBAL int *RESTRICT neighbours,
                      GLOBAL shift_t *RESTRICT neighbour_shifts, GLOBAL real *RESTRICT neighbour_vectors,
                      GLOBAL real *RESTRICT neighbour_distances PAIR_PARAMETERS)
{
#if LIST_FORM == LIST_CSR
    const int i = GLOBAL_ID;
    if (i < n) {
        list_particle(i, particles_per_box, row_begin[i], neighbour_capacity, position, box, images, cutoff2,
                      ENTRY_ARGUMENTS PAIR_ARGUMENTS);
    }
#endif
}
