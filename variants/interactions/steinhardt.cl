/*
 * steinhardt — spherical harmonics of the directions to neighbours: bond order parameters
 *
 * The interaction of workload `steinhardt` alone; it has no pair function. Neighbours are the particles closer than rc, at their
 * nearest images. Kernels add up the harmonics of l = 4 and 6 by steinhardt_add() over the neighbours of a particle and store
 * the result by steinhardt_store(): q4, q6 and the number of neighbours. Harmonics are real and scaled by sqrt(4 pi / (2 l + 1)),
 * so that the 2 l + 1 of a direction are a vector of length 1, and q_l is the length of their mean.
 *
 * @workload steinhardt
 * @parameter rc 1.4 positive how far neighbours are, length
 * @cutoff rc
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 90 fewer than the harmonics and their sums take
 * @source P. J. Steinhardt, D. R. Nelson and M. Ronchetti, Phys. Rev. B 28 (1983) 784
 */

enum { STEINHARDT_FOUR = 9, STEINHARDT_SUMS = 22 }; /* 9 of l = 4, then 13 of l = 6 */

DEVICE void steinhardt_clear(accum *sums)
{
    for (int k = 0; k < STEINHARDT_SUMS; k++) {
        sums[k] = 0;
    }
}

/* d is a vector to a neighbour, with the square of its length in w. Powers of x + i y are re and im. */
DEVICE void steinhardt_add(accum *sums, real4 d)
{
    const real inverse_r = REAL(1.0) / SQRT(d.w);
    const real x = d.x * inverse_r;
    const real y = d.y * inverse_r;
    const real z = d.z * inverse_r;
    const real z2 = z * z;
    /* by m: what powers of x + i y are multiplied by */
    const real four[5] = { REAL(0.125) * FMA(FMA(REAL(35.0), z2, REAL(-30.0)), z2, REAL(3.0)),
                           REAL(0.79056941504209483) * z * FMA(REAL(7.0), z2, REAL(-3.0)),
                           REAL(0.55901699437494742) * FMA(REAL(7.0), z2, REAL(-1.0)), REAL(2.0916500663351889) * z,
                           REAL(0.73950997288745201) };
    const real six[7] = {
        REAL(0.0625) * FMA(FMA(FMA(REAL(231.0), z2, REAL(-315.0)), z2, REAL(105.0)), z2, REAL(-5.0)),
        REAL(0.57282196186948000) * z * FMA(FMA(REAL(33.0), z2, REAL(-30.0)), z2, REAL(5.0)),
        REAL(0.45285552331841995) * FMA(FMA(REAL(33.0), z2, REAL(-18.0)), z2, REAL(1.0)),
        REAL(0.90571104663683991) * z * FMA(REAL(11.0), z2, REAL(-3.0)),
        REAL(0.49607837082461074) * FMA(REAL(11.0), z2, REAL(-1.0)), REAL(2.3268138086232857) * z,
        REAL(0.67169328938139616)
    };
    real re = REAL(1.0);
    real im = REAL(0.0);
    sums[0] += four[0];
    sums[STEINHARDT_FOUR] += six[0];
    for (int m = 1; m <= 6; m++) {
        const real next = FMA(re, x, -im * y);
        im = FMA(re, y, im * x);
        re = next;
        if (m <= 4) {
            sums[2 * m - 1] += four[m] * re;
            sums[2 * m] += four[m] * im;
        }
        sums[STEINHARDT_FOUR + 2 * m - 1] += six[m] * re;
        sums[STEINHARDT_FOUR + 2 * m] += six[m] * im;
    }
}

/* The length of the mean of some sums, in as many digits as these have. */
DEVICE accum steinhardt_length(const accum *sums, int count, int neighbours)
{
    accum square = 0;
    for (int k = 0; k < count; k++) {
        square += sums[k] * sums[k];
    }
    return neighbours > 0 ? sqrt(square) / (accum)neighbours : ACCUM(0.0);
}

DEVICE void steinhardt_store(GLOBAL force_sum *order, int force_plane, int i, const accum *sums, int neighbours)
{
    own_force result;
    clear_force(&result);
    add_part_to_force(&result, steinhardt_length(sums, STEINHARDT_FOUR, neighbours),
                      steinhardt_length(sums + STEINHARDT_FOUR, STEINHARDT_SUMS - STEINHARDT_FOUR, neighbours),
                      (accum)neighbours);
    store_own_force(order, force_plane, i, &result);
}
