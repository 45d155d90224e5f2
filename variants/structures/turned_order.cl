/*
 * turned_order — the particles from the last to the first, one per work-item
 */
KERNEL void turn_order(int n, GLOBAL int *RESTRICT turned)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        turned[k] = n - 1 - k;
    }
}
