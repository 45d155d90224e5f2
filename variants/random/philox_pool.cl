/*
 * philox_pool — numbers made in bulk into an array, from which the kernel that needs them reserves blocks
 *
 * @workload  random
 * @structure none
 * @generator philox4x32-10
 * @scratch   pool real draw * 4
 * @pass      fill item per draw / DRAWS_PER_ITEM
 * @pass      take item per draw
 * @tunable   DRAWS_PER_ITEM 4* 8 16 32
 * @tunable   GROUP_SIZE 64 128* 256 512
 *
 * `fill` writes all draws of a step. In `take` each work-item reserves the block of as many draws as its result needs, reads
 * them and makes the result of them. What `philox` does in place costs the pool a write and a read of every draw; the kernel that
 * needs the numbers has no generator in it, and fewer registers.
 */
KERNEL void fill(int n, long64 seed, long64 step, GLOBAL real *RESTRICT pool)
{
    const int quads = (n * DRAWS_PER_RESULT + 3) / 4;
    for (int quad = GLOBAL_ID; quad < quads; quad += GLOBAL_SIZE) {
        ((GLOBAL drawn4 *)pool)[quad] = draw_quad((uint)quad, step, seed);
    }
}

KERNEL void take(int n, GLOBAL const real *RESTRICT pool, GLOBAL drawn *RESTRICT draws)
{
    const int result = GLOBAL_ID;
    if (result < n) {
#if DISTRIBUTION == DISTRIBUTION_KICK
        draws[result] = sum_of_quad(((GLOBAL const drawn4 *)pool)[result]);
#else
        draws[result] = ((GLOBAL const drawn *)pool)[result];
#endif
    }
}
