/*
 * philox — every number from its own counter, in the kernel that needs it: nothing is kept, nothing is read
 *
 * @workload  random
 * @structure none
 * @generator philox4x32-10
 * @pass      draw item per draw / DRAWS_PER_ITEM
 * @tunable   DRAWS_PER_ITEM 4* 8 16 32
 * @tunable   GROUP_SIZE 64 128* 256 512
 * @source    J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 *            Proc. SC11 (2011), doi 10.1145/2063384.2063405
 *
 * A work-item makes DRAWS_PER_ITEM results, four at a time. Fours that follow each other are made by work-items that do, so
 * that they are written side by side.
 */
KERNEL void draw(int n, long64 seed, long64 step, GLOBAL drawn *RESTRICT draws)
{
    const int quads = (n + 3) / 4;
    for (int quad = GLOBAL_ID; quad < quads; quad += GLOBAL_SIZE) {
        store_quad(draws, quad, n, result_quad((uint)quad, step, seed));
    }
}
