/*
 * leftovers — what a thread of a processor would leave from one kernel to the next: local memory,
 * and its stack. Both are the same bytes in each launch, and hold what was there: here, garbage.
 *
 * STACK_WORDS say how deep. Of the stack of a group, which is one work-item.
 */
KERNEL void poison_leftovers(int words, int seed, LOCAL_ARG uint *left,
                             GLOBAL int *RESTRICT nothing)
{
    LOCAL_ARGUMENT(uint, left)
    volatile long64 stack[STACK_WORDS];
    uint x = (uint)seed + (uint)GLOBAL_ID;
    for (int k = 0; k < words; k++) {
        left[k] = x ^ ((uint)k * 0x9e3779b9u);
    }
    for (int k = 0; k < STACK_WORDS; k++) {
        stack[k] = (long64)x * 0x9e3779b9;
    }
    if (words < 0) { /* never: so that neither is left out */
        nothing[0] = (int)left[0] + (int)stack[0];
    }
}
