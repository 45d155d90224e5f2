/*
 * curve — numbers of bins along curves through a cube: bins whose numbers are near lie near each other
 */

/* Bits 0 to 9 of x, two zeros between them. */
DEVICE uint spread_bits(uint x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

DEVICE int morton_number(int4 bin)
{
    return (int)(spread_bits((uint)bin.x) << 2 | spread_bits((uint)bin.y) << 1 | spread_bits((uint)bin.z));
}

/* A bin's number along Hilbert's curve through 2^bits bins per edge: J. Skilling, AIP Conf. Proc. 707, 381 (2004). */
DEVICE int hilbert_number(int4 bin, int bits)
{
    uint x = (uint)bin.x;
    uint y = (uint)bin.y;
    uint z = (uint)bin.z;
    /* undo the turns and reflections of the finer curves, from the coarsest on */
    for (uint half_edge = 1u << (bits - 1); half_edge > 1; half_edge >>= 1) {
        const uint below = half_edge - 1;
        if (x & half_edge) {
            x ^= below;
        }
        const uint swap_y = y & half_edge ? 0 : (x ^ y) & below;
        x ^= y & half_edge ? below : swap_y;
        y ^= swap_y;
        const uint swap_z = z & half_edge ? 0 : (x ^ z) & below;
        x ^= z & half_edge ? below : swap_z;
        z ^= swap_z;
    }
    /* Gray code */
    y ^= x;
    z ^= y;
    uint turned = 0;
    for (uint half_edge = 1u << (bits - 1); half_edge > 1; half_edge >>= 1) {
        turned ^= z & half_edge ? half_edge - 1 : 0;
    }
    return morton_number(make_int4((int)(x ^ turned), (int)(y ^ turned), (int)(z ^ turned), 0));
}
