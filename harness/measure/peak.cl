/*
 * peak — how fast this device multiplies and adds: eight independent chains a work-item, nothing read
 *
 * Eight chains hide the latency of the multiply-add; each has two operands besides itself, both of them arguments, so
 * that the compiler cannot know them and no three registers of a bank meet. The sum is written so that nothing can be
 * left out.
 */
KERNEL void multiply_add(int rounds, real factor, real offset, GLOBAL real *RESTRICT result)
{
    const int item = GLOBAL_ID;
    real a = REAL(0.001) * LOCAL_ID;
    real b = a + REAL(0.1);
    real c = a + REAL(0.2);
    real d = a + REAL(0.3);
    real e = a + REAL(0.4);
    real f = a + REAL(0.5);
    real g = a + REAL(0.6);
    real h = a + REAL(0.7);
    for (int r = 0; r < rounds; r++) {
        a = FMA(a, factor, offset);
        b = FMA(b, factor, offset);
        c = FMA(c, factor, offset);
        d = FMA(d, factor, offset);
        e = FMA(e, factor, offset);
        f = FMA(f, factor, offset);
        g = FMA(g, factor, offset);
        h = FMA(h, factor, offset);
    }
    result[item] = a + b + c + d + e + f + g + h;
}
