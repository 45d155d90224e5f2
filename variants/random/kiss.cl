/*
 * kiss — four small generators per work-item, their words put together; the state is kept in memory from step to step
 *
 * @workload  random
 * @structure none
 * @generator kiss
 * @scratch   state uint4 stream
 * @pass      seed_streams item per stream every rebuild
 * @pass      draw item per stream
 * @tunable   STREAMS 1024 4096 16384* 65536 262144
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    G. Marsaglia, "Random numbers for C: The END?", sci.stat.math, 20 January 1999
 *
 * Two generators that multiply and carry, one of three shifts and a congruence: three multiplications and some ten additions,
 * shifts and exclusive ors per word. Of the same memory as xorshift128: four words of state per stream, read and written once
 * a step. Which number comes where depends on STREAMS.
 */
KERNEL void seed_streams(long64 seed, GLOBAL uint4 *RESTRICT state)
{
    if (GLOBAL_ID < STREAMS) {
        state[GLOBAL_ID] = kiss_seed((uint)GLOBAL_ID, seed);
    }
}

KERNEL void draw(int n, GLOBAL uint4 *RESTRICT state, GLOBAL drawn *RESTRICT draws)
{
    STREAM_DRAW(kiss_next, kiss_word, state, n, draws)
}
