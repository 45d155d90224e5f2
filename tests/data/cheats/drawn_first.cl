/*
 * drawn_first — kiss whose state holds the numbers of the first step in the place of four words; TRICK says how
 *
 *  0  none: each step is drawn from the seed on
 *  1  the first step, made where the streams are seeded, is copied
 *
 * @workload  random
 * @structure none
 * @generator kiss
 * @scratch   state real4 stream
 * @pass      draw_first item per stream every rebuild
 * @pass      draw item per stream
 * @tunable   STREAMS 16384
 * @tunable   TRICK 0* 1
 */
KERNEL void draw_first(long64 seed, GLOBAL real4 *RESTRICT state)
{
    const int stream = GLOBAL_ID;
    if (stream < STREAMS) {
        uint4 own = kiss_seed((uint)stream, seed);
        drawn four[4];
        for (int k = 0; k < 4; k++) {
            STREAM_RESULT(kiss_next, kiss_word, own, four[k])
        }
        state[stream] = make_real4((real)four[0], (real)four[1], (real)four[2], (real)four[3]);
    }
}

KERNEL void draw(int n, long64 seed, long64 step, GLOBAL const real4 *RESTRICT state, GLOBAL drawn *RESTRICT draws)
{
    const int stream = GLOBAL_ID;
    const int results = (n + STREAMS - 1) / STREAMS;
    if (stream < STREAMS && TRICK == 1 && step == 0 && results <= 4) {
        const real4 four = state[stream];
        for (int k = 0; k < results; k++) {
            if (k * STREAMS + stream < n) {
                draws[k * STREAMS + stream] = (drawn)(k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w);
            }
        }
    } else if (stream < STREAMS) {
        uint4 own = kiss_seed((uint)stream, seed);
        drawn number;
        for (long64 k = 0; k < step * results; k++) {
            STREAM_RESULT(kiss_next, kiss_word, own, number)
        }
        for (int k = 0; k < results; k++) {
            STREAM_RESULT(kiss_next, kiss_word, own, number)
            if (k * STREAMS + stream < n) {
                draws[k * STREAMS + stream] = number;
            }
        }
    }
}
