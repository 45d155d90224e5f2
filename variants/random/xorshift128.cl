/*
 * xorshift128 — a generator per work-item, whose state is kept in memory from step to step
 *
 * @workload  random
 * @structure none
 * @generator xorshift128
 * @scratch   state uint4 stream
 * @pass      seed_streams item per stream every rebuild
 * @pass      draw item per stream
 * @tunable   STREAMS 1024 4096 16384* 65536 262144
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8 (2003) 14, doi 10.18637/jss.v008.i14
 *
 * Cheap per number: some ten shifts and exclusive ors, against Philox's forty multiplications for four. The state is read and
 * written once a step. Which number comes where depends on STREAMS; results of work-items that follow each other lie side by side.
 */
KERNEL void seed_streams(long64 seed, GLOBAL uint4 *RESTRICT state)
{
    if (GLOBAL_ID < STREAMS) {
        state[GLOBAL_ID] = xorshift_seed((uint)GLOBAL_ID, seed);
    }
}

KERNEL void draw(int n, GLOBAL uint4 *RESTRICT state, GLOBAL drawn *RESTRICT draws)
{
    STREAM_DRAW(xorshift_next, xorshift_word, state, n, draws)
}
