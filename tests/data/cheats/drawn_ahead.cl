/*
 * drawn_ahead — philox that makes the numbers of many steps where a generator seeds its state, and hands them out; TRICK says how
 *
 *  0  none: the state is filled, and not looked at
 *  1  copies what it drew ahead, while there is any
 *
 * @workload  random
 * @structure none
 * @generator philox4x32-10
 * @scratch   ahead real draw * STEPS_AHEAD
 * @pass      draw_ahead item per draw every rebuild
 * @pass      draw item per draw
 * @tunable   STEPS_AHEAD 64
 * @tunable   TRICK 0* 1
 */
DEVICE real one_of(drawn4 four, int k)
{
    return (real)(k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w);
}

KERNEL void draw_ahead(int n, long64 seed, GLOBAL real *RESTRICT ahead)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        for (int step = 0; step < STEPS_AHEAD; step++) {
            ahead[step * n + i] = one_of(result_quad((uint)i / 4, (long64)step, seed), i % 4);
        }
    }
}

KERNEL void draw(int n, long64 seed, long64 step, GLOBAL const real *RESTRICT ahead, GLOBAL drawn *RESTRICT draws)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        if (TRICK == 1 && step < STEPS_AHEAD) {
            draws[i] = (drawn)ahead[(int)step * n + i];
        } else {
            draws[i] = (drawn)one_of(result_quad((uint)i / 4, step, seed), i % 4);
        }
    }
}
