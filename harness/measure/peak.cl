/*
 * peak — how fast this device multiplies and adds: eight independent chains a work-item, nothing read
 *
 * The chains hide the latency of the multiply-add; the sum is written so that nothing can be left out. The factor is
 * an argument, so that the compiler cannot know it.
 */
KERNEL void multiply_add(int rounds, real factor, GLOBAL real *RESTRICT result)
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
        a = FMA(a, factor, b);
        b = FMA(b, factor, c);
        c = FMA(c, factor, d);
        d = FMA(d, factor, e);
        e = FMA(e, factor, f);
        f = FMA(f, factor, g);
        g = FMA(g, factor, h);
        h = FMA(h, factor, factor);
    }
    result[item] = a + b + c + d + e + f + g + h;
}
