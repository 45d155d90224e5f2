/*
 * fixed_tools — sums in fixed point converted to reals: in units of 2^-32 where they fit, else as
 * infinity
 *
 * Compiled with a case of precision fixed, in front of its own text. variants/accumulation.cl says
 * what lies where; sums of energies are in halves of the unit (variants/pair.cl).
 */
#define FIXED_LIMIT                                                                                \
    2147483648 /* what 64 bits of units of 2^-32 hold on either side of zero: 2^31 */
#define FIXED_INFINITY (ACCUM(1e300) * ACCUM(1e300))

KERNEL void write_fixed_forces(int n, int plane, GLOBAL const long64 *RESTRICT force,
                               GLOBAL accum4 *RESTRICT result)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const accum unit = ACCUM(2.3283064365386962890625e-10);
        const int beyond = force[3 * (long64)plane + i] >= FIXED_LIMIT;
        const accum x = beyond ? FIXED_INFINITY : unit * (accum)force[i];
        const accum y = beyond ? FIXED_INFINITY : unit * (accum)force[(long64)plane + i];
        const accum z = beyond ? FIXED_INFINITY : unit * (accum)force[2 * (long64)plane + i];
        result[i] = make_accum4(x, y, z, 0);
    }
}

/* `count` sums of `boxes`, planar; behind them how large those of each box are. */
KERNEL void write_fixed_sums(int count, int boxes, GLOBAL const long64 *RESTRICT fixed,
                             GLOBAL accum *RESTRICT sums)
{
    const int s = GLOBAL_ID;
    if (s < count) {
        sums[s] = fixed[count + s % boxes] >= FIXED_LIMIT
                      ? FIXED_INFINITY
                      : ACCUM(1.16415321826934814453125e-10) * (accum)fixed[s];
    }
}
