/*
 * sorted_places — the places of sorted particles, for variants that screen pairs: see variants/screen.cl
 */
KERNEL void place_sorted(int n, GLOBAL const real4 *RESTRICT sorted_position, box_args box, real4 scale,
                         GLOBAL int *RESTRICT sorted_place)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_place[k] = screen_place(straighten(sorted_position[k], box), scale);
    }
}
