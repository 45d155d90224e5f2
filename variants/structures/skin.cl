/*
 * skin — whether lists of neighbours that reach beyond the cutoff still hold whom they have to
 */
/* Writes 1 to `moved`, unless it is there, where a particle is farther than a limit from where it was when the cells were
 * built: they keep those positions. What is no number is far. */
KERNEL void find_moved(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT sorted_position,
                       GLOBAL const int *RESTRICT sorted_index, box_args box, real limit2, GLOBAL int *RESTRICT moved)
{
    const int k = GLOBAL_ID;
    if (k < n && *moved == 0) {
        const real4 step = displacement(position[sorted_index[k]], sorted_position[k], box);
        if (!(step.w <= limit2)) {
            (void)ATOMIC_EXCHANGE(moved, 1);
        }
    }
}
