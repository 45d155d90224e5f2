/*
 * moved — where particles were, and whether one has moved too far since
 *
 * One particle per work-item. What a variant fills "when moved" serves until find_moved_since finds a particle farther
 * than half the skin from where note_positions met it.
 */

KERNEL void note_positions(int n, GLOBAL const real4 *RESTRICT position, GLOBAL real4 *RESTRICT noted)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        noted[i] = position[i];
    }
}

/* Writes 1 to `moved`, unless it is there, where a particle is farther than the limit from where it was. What is no number is
 * far. */
KERNEL void find_moved_since(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT noted,
                             box_args box, real limit2, GLOBAL int *RESTRICT moved)
{
    const int i = GLOBAL_ID;
    if (i < n && *moved == 0 && !(displacement(position[i], noted[i], box).w <= limit2)) {
        (void)ATOMIC_EXCHANGE(moved, 1);
    }
}

/* The same of a batch: a group takes a box, which has a cell of its own. */
KERNEL void find_moved_in_boxes(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                                GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT noted, real limit2,
                                GLOBAL int *RESTRICT moved)
{
    const box_args box = box_cells[GROUP_ID];
    const int end = box_begin[GROUP_ID + 1];
    for (int i = box_begin[GROUP_ID] + LOCAL_ID; i < end && *moved == 0; i += GROUP_SIZE) {
        if (!(displacement(position[i], noted[i], box).w <= limit2)) {
            (void)ATOMIC_EXCHANGE(moved, 1);
        }
    }
}
